import * as z from 'zod/mini';

/** What the command showed in a toast; every show and every update is one entry. */
export interface PaneToast {
  title: string;
  message?: string;
  style: 'success' | 'failure' | 'animated';
}

export interface PaneClipboard {
  text?: string;
  html?: string;
  file?: string;
  /** Kept out of the launcher's clipboard history. */
  concealed: boolean;
}

export interface PaneAlert {
  title: string;
  message: string;
  primary: string;
  dismiss: string;
  /** Undefined while the question is open. */
  answer?: boolean;
}

/** What the launcher part of the pane remembers of a launch. */
export interface LauncherState {
  storage: Map<string, unknown>;
  clipboard: PaneClipboard | null;
  pasted: string[];
  toasts: PaneToast[];
  /** The toast on screen; the two seconds after which it goes are not modelled. */
  toast: PaneToast | null;
  hud: string | null;
  opened: string[];
  alerts: PaneAlert[];
  preferencesOpened: number;
  /** Subtitle set through `updateCommandMetadata`. */
  subtitle: string | null;
}

/** What a request does to the window and the view stack; the pane carries it out. */
export interface WindowPort {
  pushView: () => void;
  popView: () => void;
  popToRoot: () => void;
  close: (popToRoot: 'default' | 'immediate' | 'suspended') => void;
  setSearchText: (text: string) => void;
  /** Asks the person; resolves with the answer. */
  ask: (alert: PaneAlert) => Promise<boolean>;
  selectedText: () => string | undefined;
}

const POP_TO_ROOT = ['default', 'immediate', 'suspended'] as const;
const PopToRoot = z.optional(z.number());
const Title = z.object({ title: z.string() });

/**
 * Answers one API request as the launcher would. Resolves with the response's value, rejects with the reason of a
 * failure response. Requests this double does not know are failures that name the endpoint.
 */
export async function answerRequest(
  state: LauncherState,
  window: WindowPort,
  endpoint: string,
  data: unknown,
): Promise<unknown> {
  switch (endpoint) {
    case 'storage.get': {
      const { key } = z.object({ key: z.string() }).parse(data);
      return { value: state.storage.get(key) ?? null };
    }
    case 'storage.set': {
      const { key, value } = z
        .object({ key: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) })
        .parse(data);
      state.storage.set(key, value);
      return {};
    }
    case 'storage.remove':
      state.storage.delete(z.object({ key: z.string() }).parse(data).key);
      return {};
    case 'storage.list':
      return { values: Object.fromEntries(state.storage) };
    case 'storage.clear':
      state.storage.clear();
      return {};

    case 'clipboard.copy':
      state.clipboard = readClipboard(data);
      return {};
    case 'clipboard.paste':
      state.pasted.push(readClipboard(data).text ?? '');
      return {};
    case 'clipboard.readContent':
      return { content: { text: state.clipboard?.text ?? '', html: state.clipboard?.html } };
    case 'clipboard.clear':
      state.clipboard = null;
      return {};

    case 'app.open':
      state.opened.push(z.object({ target: z.string() }).parse(data).target);
      return {};
    case 'app.list':
      return { apps: [] };
    case 'app.getDefault':
      return {};

    case 'ui.showToast': {
      const { title, message, style } = z
        .extend(Title, {
          message: z.optional(z.nullable(z.string())),
          style: z.enum(['success', 'failure', 'animated']),
        })
        .parse(data);
      state.toast = { title, message: message ?? undefined, style };
      state.toasts.push(state.toast);
      return {};
    }
    case 'ui.hideToast':
      state.toast = null;
      return {};
    case 'ui.showHud': {
      const { text, popToRoot } = z.object({ text: z.string(), popToRoot: PopToRoot }).parse(data);
      state.hud = text;
      window.close(POP_TO_ROOT[popToRoot ?? 0] ?? 'default');
      return {};
    }
    case 'ui.closeMainWindow': {
      const { popToRoot } = z.object({ popToRoot: PopToRoot }).parse(data);
      window.close(POP_TO_ROOT[popToRoot ?? 0] ?? 'default');
      return {};
    }
    case 'ui.popToRoot':
      window.popToRoot();
      return {};
    case 'ui.setSearchText':
      window.setSearchText(z.object({ text: z.string() }).parse(data).text);
      return {};
    case 'ui.pushView':
      window.pushView();
      return {};
    case 'ui.popView':
      window.popView();
      return {};
    case 'ui.getSelectedText': {
      const text = window.selectedText();
      if (text === undefined) throw new Error('No text is selected.');
      return { text };
    }
    case 'ui.confirmAlert': {
      const asked = z
        .extend(Title, { description: z.string(), primaryAction: Title, dismissAction: Title })
        .parse(data);
      const alert: PaneAlert = {
        title: asked.title,
        message: asked.description,
        primary: asked.primaryAction.title,
        dismiss: asked.dismissAction.title,
      };
      state.alerts.push(alert);
      alert.answer = await window.ask(alert);
      return { confirmed: alert.answer };
    }

    case 'command.updateCommandMetadata':
      state.subtitle = z.object({ subtitle: z.optional(z.string()) }).parse(data).subtitle ?? null;
      return {};
    case 'command.openPreferences':
      state.preferencesOpened++;
      window.close('default');
      return {};
    default:
      throw new Error(`The headless pane does not know the request ${endpoint}.`);
  }
}

function readClipboard(data: unknown): PaneClipboard {
  const { content, options } = z
    .object({
      content: z.object({
        text: z.optional(z.string()),
        html: z.optional(z.object({ html: z.string(), text: z.optional(z.string()) })),
        path: z.optional(z.object({ path: z.string() })),
      }),
      options: z.optional(z.object({ concealed: z.optional(z.boolean()) })),
    })
    .parse(data);
  return {
    text: content.html?.text ?? content.text,
    html: content.html?.html,
    file: content.path?.path,
    concealed: options?.concealed ?? false,
  };
}
