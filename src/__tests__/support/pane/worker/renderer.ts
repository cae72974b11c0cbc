import { createHostConfig, type Container, type Instance } from './host-config';
import type { ReactModules } from './modules';

/** Milliseconds between a commit and its frame: the launcher's host waits one display frame, and later commits ride along. */
const FRAME_DELAY_MS = 16;

export interface Renderer {
  render: (element: unknown) => void;
  /** Removes everything; effect cleanups have run when it returns. */
  unmount: () => void;
  /** The newest function behind a handler name, if its element is still mounted. */
  handler: (name: string) => ((...args: unknown[]) => unknown) | undefined;
  /** Resolves once React has nothing scheduled and no frame is waiting to be posted. */
  idle: () => Promise<void>;
}

/**
 * Renders a React tree into frames. `postFrame` gets the JSON of all views; `onCommit` runs at each commit, before
 * its frame; `onError` gets what a render threw.
 */
export function createRenderer(
  react: ReactModules,
  ports: {
    postFrame: (json: string) => void;
    onCommit: () => void;
    onError: (error: unknown) => void;
  },
): Renderer {
  const container: Container = { children: [] };
  const handlers = new Map<string, { instance: Instance; prop: string }>();
  let handlerCount = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiting: (() => void)[] = [];

  const flush = (): void => {
    timer = undefined;
    ports.postFrame(JSON.stringify({ views: container.children.map(viewOf) }));
    for (const wake of waiting.splice(0)) wake();
  };
  const reconciler = react.createReconciler(
    createHostConfig(react, () => {
      ports.onCommit();
      timer ??= setTimeout(flush, FRAME_DELAY_MS); // trailing, not reset by later commits
    }),
  );
  const root = reconciler.createContainer(
    container,
    0,
    null,
    false,
    null,
    '',
    ports.onError,
    (error: unknown) => {
      console.error(error); // an error boundary of the command caught it
    },
    () => undefined, // React recovered by rendering again
    null,
  );

  function viewOf(view: Instance): unknown {
    const shown = view.children.filter((child) => !child.hidden).at(-1);
    return shown ? nodeOf(shown) : null;
  }

  function nodeOf(instance: Instance): unknown {
    const props: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(instance.props)) {
      if (typeof value === 'function') props[name] = handlerName(instance, name);
      else if (isElement(value))
        console.error(`<${instance.type}> has a React element in its prop "${name}": ignored`);
      else props[name] = value;
    }
    return {
      type: instance.type,
      props,
      children: instance.children.filter((child) => !child.hidden).map(nodeOf),
    };
  }

  function handlerName(instance: Instance, prop: string): string {
    const known = instance.handlers.get(prop);
    if (known !== undefined) return known;
    const name = `handler-${++handlerCount}`;
    instance.handlers.set(prop, name);
    handlers.set(name, { instance, prop });
    return name;
  }

  return {
    render: (element) => {
      reconciler.updateContainer(element, root, null, null);
    },
    unmount: () => {
      reconciler.updateContainerSync(null, root, null, null);
      reconciler.flushSyncWork();
      while (reconciler.flushPassiveEffects()); // a cleanup may schedule another
      clearTimeout(timer);
    },
    handler: (name) => {
      const entry = handlers.get(name);
      const value = entry?.instance.props[entry.prop];
      return typeof value === 'function'
        ? (...args) => Reflect.apply(value, undefined, args) as unknown
        : undefined;
    },
    idle: async () => {
      // React's scheduler works in setImmediate here; one update may schedule the next (effects that set state).
      for (let turn = 0; turn < 4; turn++) await new Promise((wake) => setImmediate(wake));
      if (timer) await new Promise<void>((wake) => waiting.push(wake));
    },
  };
}

function isElement(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$$typeof' in value;
}
