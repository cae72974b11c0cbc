import type { Conversation } from '../../lib/types';
import { createDraft, type Draft } from './draft';
import { createFrames, type Frames } from './frames';
import type { SessionPorts } from './ports';
import { createProblems, type Problems } from './problems';
import type { Run } from './run';
import type { ChatState } from './state';
import { replaceTurn } from './turns';

/** What every part of a session works with: the state, who is told of it, and the turn that is being written here. */
export interface Core {
  readonly ports: SessionPorts;
  readonly frames: Frames;
  readonly problems: Problems;
  readonly draft: Draft;
  /** Ids of conversations that are being deleted: nothing is asked in them. */
  readonly deleting: Set<string>;
  /** The turn that is being written here. */
  run: Run | undefined;
  state: () => ChatState;
  /** Changes the state and draws it. Nothing changes once the session is closed. */
  set: (patch: Partial<ChatState>) => void;
  /** The last change; nobody is told any more. */
  end: (patch: Partial<ChatState>) => void;
  subscribe: (listener: () => void) => () => void;
  isClosed: () => boolean;
  /** Puts what is wrong at the moment into the state. */
  tellProblems: () => void;
  /** A conversation without turns; not stored before its first question. */
  fresh: () => Conversation;
  /** For what should not happen. */
  unexpected: (error: unknown) => void;
}

export function createCore(ports: SessionPorts): Core {
  const { settings, now, after, notify } = ports;
  const listeners = new Set<() => void>();
  const problems = createProblems(settings.problems);

  const fresh = (): Conversation => {
    const at = now();
    return { version: 2, id: ports.makeId(), title: '', createdAt: at, updatedAt: at, turns: [] };
  };
  let state: ChatState = {
    phase: 'loading',
    conversation: fresh(),
    draft: '',
    server: { kind: 'checking' },
    serverName: ports.serverName,
    models: [],
    problems: problems.here(),
    problemElsewhere: '',
    showToolCalls: settings.showToolCalls,
    showReasoning: settings.showReasoning,
    images: settings.remoteImages === true ? 'draw' : 'link',
    evidenceLine: settings.evidenceLine,
    isWebOff: settings.webTools === false,
    searchScope: ports.search.scope,
  };
  const frames = createFrames(after, () => {
    const { run } = core;
    if (run) {
      const conversation = replaceTurn(state.conversation, run.turn());
      state = { ...state, conversation, running: run.picture() };
    }
    for (const listener of listeners) listener();
  });

  const core: Core = {
    ports,
    frames,
    problems,
    draft: createDraft(ports.drafts, now),
    deleting: new Set(),
    run: undefined,
    state: () => state,
    set(patch) {
      if (state.phase === 'closed') return;
      state = { ...state, ...patch };
      frames.now();
    },
    end(patch) {
      frames.stop();
      state = { ...state, ...patch };
      listeners.clear();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    isClosed: () => state.phase === 'closed',
    tellProblems() {
      core.set({ problems: problems.here(), problemElsewhere: problems.elsewhere() });
    },
    fresh,
    unexpected(error) {
      notify({ style: 'failure', title: 'Something went wrong', message: messageOf(error) });
    },
  };
  return core;
}

/** What an exception says, for a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The reason is unknown.';
}
