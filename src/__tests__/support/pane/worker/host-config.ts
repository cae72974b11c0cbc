import type { ReactModules } from './modules';

/** One mounted element. */
export interface Instance {
  type: string;
  props: Record<string, unknown>;
  children: Instance[];
  /** Handler names by prop, stable while the element lives: the launcher calls the newest function of that prop. */
  handlers: Map<string, string>;
  hidden: boolean;
}

export interface Container {
  children: Instance[];
}

/** The reconciler's host configuration (react-reconciler 0.31). Its published types describe an older one. */
export type HostConfig = Record<string, unknown>;

/** What the host uses of a reconciler. */
export interface Reconciler {
  createContainer: (...args: unknown[]) => unknown;
  updateContainerSync: (element: unknown, root: unknown, parent: null, done: null) => void;
  updateContainer: (element: unknown, root: unknown, parent: null, done: null) => void;
  flushSyncWork: () => void;
  flushPassiveEffects: () => boolean;
}

/**
 * A mutation-mode host of plain objects. `onCommit` runs after each commit. Text nodes throw, as in the launcher.
 */
export function createHostConfig(react: ReactModules, onCommit: () => void): HostConfig {
  const append = (parent: Container, child: Instance): void => {
    remove(parent, child);
    parent.children.push(child);
  };
  const insert = (parent: Container, child: Instance, before: Instance): void => {
    remove(parent, child);
    parent.children.splice(parent.children.indexOf(before), 0, child);
  };
  const nothing = (): void => undefined;
  const never = (): null => null;
  return {
    supportsMutation: true,
    supportsPersistence: false,
    supportsHydration: false,
    isPrimaryRenderer: true,
    warnsIfNotActing: false,
    supportsMicrotasks: true,
    scheduleMicrotask: queueMicrotask,
    scheduleTimeout: setTimeout,
    cancelTimeout: clearTimeout,
    noTimeout: -1,

    createInstance: (type: string, props: Record<string, unknown>): Instance => ({
      type,
      props: ownProps(props),
      children: [],
      handlers: new Map(),
      hidden: false,
    }),
    createTextInstance: (text: string): never => {
      throw new Error(`createTextInstance is not supported: ${JSON.stringify(text)}`);
    },
    appendInitialChild: append,
    finalizeInitialChildren: () => false,
    shouldSetTextContent: () => false,
    getRootHostContext: () => ({}),
    getChildHostContext: (context: unknown) => context,
    getPublicInstance: (instance: Instance) => instance,
    prepareForCommit: never,
    resetAfterCommit: onCommit,
    preparePortalMount: nothing,
    clearContainer: (container: Container) => {
      container.children = [];
    },

    appendChild: append,
    appendChildToContainer: append,
    insertBefore: insert,
    insertInContainerBefore: insert,
    removeChild: remove,
    removeChildFromContainer: remove,
    commitUpdate: (instance: Instance, _type: string, _old: unknown, next: Instance['props']) => {
      instance.props = ownProps(next);
    },
    commitMount: nothing,
    resetTextContent: nothing,
    hideInstance: (instance: Instance) => {
      instance.hidden = true;
    },
    unhideInstance: (instance: Instance) => {
      instance.hidden = false;
    },
    detachDeletedInstance: nothing,

    // Every update has the same priority in the launcher's host.
    setCurrentUpdatePriority: nothing,
    getCurrentUpdatePriority: () => react.defaultPriority,
    resolveUpdatePriority: () => react.defaultPriority,
    resolveEventType: never,
    resolveEventTimeStamp: () => -1.1,
    trackSchedulerEvent: nothing,
    shouldAttemptEagerTransition: () => false,
    requestPostPaintCallback: nothing,
    maySuspendCommit: () => false,
    preloadInstance: () => true,
    startSuspendingCommit: nothing,
    suspendInstance: nothing,
    waitForCommitToBeReady: never,
    NotPendingTransition: null,
    HostTransitionContext: react.createContext(null),
    resetFormInstance: nothing,
    getInstanceFromNode: never,
    beforeActiveInstanceBlur: nothing,
    afterActiveInstanceBlur: nothing,
    prepareScopeUpdate: nothing,
    getInstanceFromScope: never,
  };
}

function remove(parent: Container, child: Instance): void {
  const at = parent.children.indexOf(child);
  if (at !== -1) parent.children.splice(at, 1);
}

function ownProps(props: Record<string, unknown>): Record<string, unknown> {
  const rest = { ...props };
  delete rest.children;
  delete rest.key;
  delete rest.ref;
  return rest;
}
