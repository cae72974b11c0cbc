import type { Conversation, Failure, Turn } from '../../lib/types';

/** What is known about the model server. */
export type ServerState =
  { kind: 'checking' } | { kind: 'ready'; model: string } | { kind: 'failed'; failure: Failure };

/** The turn that is being written right now. */
export interface RunningState {
  turnId: string;
  /** The answer as the pane may draw it so far; only ever grows by appending. */
  answer: string;
  /** One line about what is going on, plain text: `Reading docs.example… 2 of 3`. Never part of the document. */
  activity: string;
}

/** An immutable snapshot of the chat; a new object each time something changed. */
export interface ChatState {
  /** `waiting`: another window is still writing this conversation. `closed`: nothing is written any more. */
  phase: 'loading' | 'ready' | 'waiting' | 'closed';
  /** A fresh one has no turns and is not stored before its first question. */
  conversation: Conversation;
  running?: RunningState;
  /** Text in the search bar. */
  draft: string;
  server: ServerState;
  /** Sentences about what could not be read or written. */
  problems: readonly string[];
  showToolCalls: boolean;
  showReasoning: boolean;
}

/** The newest exchange, or nothing in a fresh conversation. */
export function lastTurn(state: ChatState): Turn | undefined {
  return state.conversation.turns.at(-1);
}

/** What a screen without exchanges says. `kind` decides icon and actions. */
export interface Screen {
  kind: 'loading' | 'empty' | 'failed' | 'waiting';
  title: string;
  description: string;
}

const FAILURE_TITLES: Partial<Record<Failure['kind'], string>> = {
  'not-running': 'No model server answers',
  'wrong-address': 'No model server at this address',
  'not-json': 'No model server at this address',
  unauthorized: 'The API key was refused',
  'no-model': 'No model to talk to',
  'model-not-found': 'The model is not there',
  'no-tools': 'The model cannot search',
};

/**
 * What to show while the conversation is empty. Asking is possible in each of these states: a server that was missing
 * at launch may be there by now, and every question tries again.
 */
export function emptyScreen(state: ChatState): Screen {
  if (state.phase === 'loading')
    return { kind: 'loading', title: 'Opening your last conversation…', description: '' };
  if (state.phase === 'waiting')
    return {
      kind: 'waiting',
      title: 'Still being written by another window',
      description: 'It opens here as soon as the other window is done.',
    };
  const trouble = state.problems.length === 0 ? '' : ` ${state.problems.join(' ')}`;
  switch (state.server.kind) {
    case 'failed': {
      const { kind, message } = state.server.failure;
      const kept =
        state.draft.trim() === '' ? '' : ' Your question is kept; Enter asks all the same.';
      return {
        kind: 'failed',
        title: FAILURE_TITLES[kind] ?? 'The model server has a problem',
        description: `${message}${kept}${trouble}`,
      };
    }
    case 'checking':
      return {
        kind: 'empty',
        title: 'Ask anything',
        description: `Answers carry sources you can check.${trouble}`,
      };
    case 'ready':
      return {
        kind: 'empty',
        title: 'Ask anything',
        description: `Answers carry sources you can check. Model: ${state.server.model}.${trouble}`,
      };
  }
}
