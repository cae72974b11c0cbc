import type { LoadedModules } from './modules';

/** Toast fields that the launcher shows; `options` and `id` are fields of the package's own class. */
interface ToastFields {
  id: string;
  title: string;
  message?: string;
  style: string;
}

export interface ApiDouble {
  /** Settles a request made earlier; silent when the command is unloading. */
  settle: (id: number, answer: { value: unknown } | { message: string }) => void;
  /** From now on requests are dropped and never settle. */
  close: () => void;
  popView: () => void;
  /** Resolves when no request waits for its answer. */
  idle: () => Promise<void>;
  busy: () => boolean;
}

/**
 * Puts the test host behind the package's one choke point (`bus.request`) and corrects what the package of
 * 0.16.14 does differently from the API that launchers from 0.24 on inject: `getItem` answers null for a missing key,
 * toasts carry their message, Open in Browser closes the window, preferences can be opened.
 */
export function installApi(
  { api, react, preference }: LoadedModules,
  post: (request: { id: number; endpoint: string; data: unknown }) => void,
): ApiDouble {
  const pending = new Map<number, (result: unknown) => void>();
  let waiting: (() => void)[] = [];
  let count = 0;
  let closed = false;

  const request = (endpoint: string, data: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      if (closed) return; // dropped without a word, as in the launcher
      const id = ++count;
      pending.set(id, resolve);
      post({ id, endpoint, data: plain(data) });
    });
  api.bus.request = request;
  api.bus.sendMessage = () => undefined; // only form focus and reset use it; the launcher ignores both

  api.LocalStorage.getItem = async (key) => {
    const result = await request('storage.get', { key });
    return valueOf(result) ?? null;
  };

  const show = async function (this: ToastFields): Promise<void> {
    const { id, title, message, style } = this;
    await request('ui.showToast', { id, title, message, style });
  };
  Object.assign(api.Toast.prototype, { show, update: show });

  const ActionRoot = api.Action;
  api.Action.OpenInBrowser = ({
    url,
    onOpen,
    ...props
  }: {
    url: string;
    onOpen?: (url: string) => void;
  }) =>
    react.createElement(ActionRoot, {
      title: 'Open in Browser',
      ...props,
      onAction: async () => {
        await api.open(url);
        await api.closeMainWindow();
        onOpen?.(url);
      },
    });

  preference.openExtensionPreferences = () => request('command.openPreferences', {});
  preference.openCommandPreferences = () => request('command.openPreferences', {});

  return {
    settle: (id, answer) => {
      const resolve = pending.get(id);
      pending.delete(id);
      if (!resolve || closed) return;
      if (pending.size === 0) {
        for (const wake of waiting) wake();
        waiting = [];
      }
      if ('value' in answer) {
        const { value } = answer;
        resolve({ ok: true, value, unwrap: () => value });
      } else {
        const error = new Error(answer.message);
        resolve({
          ok: false,
          error,
          unwrap: () => {
            throw error;
          },
        });
      }
    },
    close: () => {
      closed = true;
    },
    busy: () => pending.size > 0,
    idle: () =>
      new Promise((wake) => {
        if (pending.size === 0) wake();
        else waiting.push(wake);
      }),
    popView: () => {
      api.bus.handleSafeMessage({ event: { id: 'pop-view', generic: { json: '[]' } } });
    },
  };
}

/** What would cross JSON-RPC. */
function plain(data: unknown): unknown {
  return data === undefined ? null : JSON.parse(JSON.stringify(data));
}

function valueOf(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('value' in result)) return null;
  const { value } = result;
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : null;
}
