import { createImageStore } from '../../host/attachments/images';
import { createExports } from '../../host/exports';
import { createModelMemory } from '../../host/model-memory';
import { createDraftStore } from '../../host/store/draft';
import { remedyFor } from '../../host/setup/first-run';
import { createConversationStore, type ConversationStore } from '../../host/store/conversations';
import { createChatSession, type ChatSession, type SessionPorts } from '../../host/session';
import type { FilePorts } from '../../host/attachments/port';
import type { ChatState } from '../../host/session/state';
import type { ModelServer } from '../../host/providers/lazy-server';
import type { Notice } from '../../host/toast';
import { runAgent } from '../../lib/agent';
import type { ChatProvider, SearchScope } from '../../lib/types';
import { scriptedProvider, type ScriptStep } from './scripted-provider';
import { smallWeb, type SmallWeb } from './small-web';

/** A clock that only a test moves. Moving it fires what has become due, in order. */
export interface Timeline {
  now: () => number;
  after: (ms: number, run: () => void) => () => void;
  advance: (ms: number) => void;
  /** How many timers wait. */
  waiting: () => number;
}

export function timeline(start = 1_700_000_000_000): Timeline {
  let at = start;
  const timers = new Set<{ due: number; run: () => void }>();
  return {
    now: () => at,
    after(ms, run) {
      const timer = { due: at + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = at + ms;
      for (;;) {
        const next = [...timers].sort((a, b) => a.due - b.due).find(({ due }) => due <= end);
        if (next === undefined) break;
        timers.delete(next);
        at = next.due;
        next.run();
      }
      at = end;
    },
    waiting: () => timers.size,
  };
}

/** A model server that lists one model and follows a script. */
export function scriptedServer(
  steps: readonly ScriptStep[],
  listModels: ModelServer['listModels'] = () =>
    Promise.resolve({ ok: true, models: [{ id: 'small-model', canCallTools: true }] }),
): ModelServer {
  const provider: ChatProvider = scriptedProvider(steps);
  return { stream: (request, signal) => provider.stream(request, signal), listModels };
}

export interface Desk {
  session: ChatSession;
  store: ConversationStore;
  clock: Timeline;
  notices: Notice[];
}

const absent = { ok: false as const, message: 'There are no files here.' };
/** A machine without files. */
const noFiles: FilePorts = {
  checkFile: () => Promise.resolve(absent),
  readFile: () => Promise.resolve(absent),
};

/** A session with full defaults on a real store below `supportPath`. `store` overrides single methods. */
export function desk(
  supportPath: string,
  options: {
    launchId?: string;
    clock?: Timeline;
    steps?: readonly ScriptStep[];
    server?: ModelServer;
    settings?: Partial<SessionPorts['settings']>;
    web?: SmallWeb;
    searchScope?: SearchScope;
    files?: FilePorts;
    suggestTitle?: SessionPorts['suggestTitle'];
    documents?: SessionPorts['documents'];
    store?: (real: ConversationStore) => Partial<ConversationStore>;
  } = {},
): Desk {
  const { launchId = 'launch-1', clock = timeline(), steps = [] } = options;
  const { now, after } = clock;
  const real = createConversationStore({ supportPath, launchId, now });
  const store = { ...real, ...options.store?.(real) };
  const notices: Notice[] = [];
  let ids = 0;
  const { search, fetchPage } = smallWeb(options.web ?? {});
  const session = createChatSession({
    search:
      options.searchScope === undefined
        ? search
        : Object.assign(search, { scope: options.searchScope }),
    fetchPage,
    store,
    drafts: createDraftStore({ supportPath, command: 'chat', after }),
    composeDrafts: createDraftStore({ supportPath, command: 'compose', after }),
    editDrafts: createDraftStore({ supportPath, command: 'edit', after }),
    modelMemory: createModelMemory({
      supportPath,
      server: 'test',
      preference: options.settings?.model ?? '',
    }),
    serverName: 'Test server',
    files: options.files ?? noFiles,
    images: createImageStore(supportPath),
    evidence: {
      report: () => Promise.resolve({ ok: false, message: 'There is no evidence here.' }),
      copy: () => ({ ok: false, message: 'There is no evidence here.' }),
    },
    ...(options.documents === undefined ? {} : { documents: options.documents }),
    checkSetup: () => Promise.resolve({ steps: [], report: '', isDone: true }),
    library: {
      search: () => Promise.resolve({ ok: true, hits: [], complete: true }),
      refresh: () => undefined,
      close: () => undefined,
    },
    exports: createExports(() => supportPath),
    ...(options.suggestTitle === undefined ? {} : { suggestTitle: options.suggestTitle }),
    server: options.server ?? scriptedServer(steps),
    chooseModel: (models, wanted) => {
      const model = wanted ?? models[0]?.id;
      return model === undefined
        ? { ok: false, failure: { kind: 'no-model', message: 'No model is installed.' } }
        : { ok: true, model };
    },
    selectedText: () => Promise.resolve(undefined),
    runAgent,
    remedyFor: (failure) => remedyFor(failure, { modelServer: 'ollama', address: '', model: '' }),
    now,
    after,
    makeId: () => `${launchId}-${++ids}`,
    boundary: () => 'boundary',
    notify: (notice) => {
      notices.push(notice);
    },
    settings: {
      model: '',
      extraInstructions: '',
      place: '',
      showToolCalls: false,
      showReasoning: false,
      problems: [],
      ...options.settings,
    },
  });
  return { session, store: real, clock, notices };
}

/** The first state that fits, now or later. */
export function until(
  session: ChatSession,
  fits: (state: ChatState) => boolean,
): Promise<ChatState> {
  return new Promise((resolve) => {
    if (fits(session.getState())) {
      resolve(session.getState());
      return;
    }
    const leave = session.subscribe(() => {
      const state = session.getState();
      if (!fits(state)) return;
      leave();
      resolve(state);
    });
  });
}

export const isReady = (state: ChatState) => state.phase === 'ready';

/** True once the newest turn has ended. */
export const hasEnded = (state: ChatState) =>
  state.running === undefined && state.conversation.turns.length > 0;
