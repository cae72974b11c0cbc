import { inertText, plain, type PlainText } from '../../lib/render';
import type { Remedy } from '../setup/first-run';
import { lastOf } from '../../lib/thread';
import type {
  Conversation,
  Failure,
  FailureKind,
  ModelInfo,
  SearchScope,
  Turn,
} from '../../lib/types';

/** What is known about the model server. */
export type ServerState =
  | { kind: 'checking' }
  /** `searches` is false if the model is known not to call tools: then Lam searches before it answers. */
  | { kind: 'ready'; model: string; searches: boolean }
  /** `remedy`: the same for somebody who has just installed Lam, and what to do. */
  | { kind: 'failed'; failure: Failure; remedy: Remedy };

/** The turn that is being written right now. */
export interface RunningState {
  turnId: string;
  /** The answer as the pane may draw it so far; only ever grows by appending. */
  answer: string;
  /** One line about what is going on, plain text: `Reading docs.example… 2 of 3`. Never part of the document. */
  activity: PlainText;
}

/** An immutable snapshot of the chat; a new object each time something changed. */
export interface ChatState {
  /** `waiting`: another launch is still writing this conversation. `closed`: nothing is written any more. */
  phase: 'loading' | 'ready' | 'waiting' | 'closed';
  /** A fresh one has no turns and is not stored before its first question. */
  conversation: Conversation;
  running?: RunningState;
  /** Text in the search bar. */
  draft: string;
  server: ServerState;
  /** The model server as it is called in a list: `Ollama`, `api.openai.com`. */
  serverName: string;
  /** What the model server offers; empty until it has said so. */
  models: readonly ModelInfo[];
  /** Sentences about what could not be read or written of this conversation, or used of the settings. */
  problems: readonly string[];
  /** One sentence about other conversations that could not be read; '' if there are none. */
  problemElsewhere: string;
  showToolCalls: boolean;
  showReasoning: boolean;
  /** What becomes of the images of an answer; absent = links. */
  images?: 'link' | 'draw' | undefined;
  /** When the line about the evidence of an answer is shown; absent = never. */
  evidenceLine?: 'problems' | 'always' | 'never' | undefined;
  /** The preferences say that nothing is searched or read; absent = it is. */
  isWebOff?: boolean | undefined;
  /** What a search looks through; absent = the web. */
  searchScope?: SearchScope | undefined;
}

/** The newest exchange that is shown, or nothing in a fresh conversation. */
export function lastTurn(state: ChatState): Turn | undefined {
  return lastOf(state.conversation);
}

/** What a screen without exchanges says. `kind` decides icon and actions. */
export interface Screen {
  kind: 'loading' | 'empty' | 'failed' | 'waiting';
  title: PlainText;
  description: string;
}

/** Kinds of failure that are put right in the preferences. */
const FIXED_IN_PREFERENCES: ReadonlySet<string> = new Set<FailureKind>([
  'wrong-address',
  'not-json',
  'unauthorized',
  'no-model',
]);

/** @param kind as it is stored with a turn, which may be one of another version */
export function isFixedInPreferences(kind: string | undefined): boolean {
  return kind !== undefined && FIXED_IN_PREFERENCES.has(kind);
}

const EARLIER =
  'an earlier start of Lam. It opens here within seconds if that one has ended; Ctrl+N begins another conversation.';

/** Under an empty chat, when no search of the web is set up. */
const WIKIPEDIA_ONLY =
  ' Searches Wikipedia only; set a SearXNG Address or a search key in the preferences to search the web.';

/** While another launch writes this conversation: in the window and in toasts, and above the answer so far. */
export const WAITING_TITLE = plain`This answer is still being written`;
export const WAITING_NOTE = `${WAITING_TITLE} by ${EARLIER}`;

/**
 * What to show while the conversation is empty. Asking is possible in each of these states: a server that was missing
 * at launch may be there by now, and every question tries again.
 */
export function emptyScreen(state: ChatState): Screen {
  if (state.phase === 'loading')
    return { kind: 'loading', title: plain`Opening your last conversation…`, description: '' };
  if (state.phase === 'waiting')
    return { kind: 'waiting', title: WAITING_TITLE, description: `By ${EARLIER}` };
  const trouble = [...state.problems, state.problemElsewhere]
    .filter((sentence) => sentence !== '')
    .map((sentence) => ` ${sentence}`)
    .join('');
  switch (state.server.kind) {
    case 'failed': {
      const { title, description } = state.server.remedy;
      const kept =
        state.draft.trim() === '' ? '' : ' Your question is kept; Return asks all the same.';
      return {
        kind: 'failed',
        title: inertText(title),
        description: `${description}${kept}${trouble}`,
      };
    }
    case 'checking':
      return {
        kind: 'empty',
        title: plain`Ask anything`,
        description: `Answers carry sources you can check.${trouble}`,
      };
    case 'ready': {
      const { model, searches } = state.server;
      const scope = state.searchScope === 'Wikipedia' ? WIKIPEDIA_ONLY : '';
      const how = searches
        ? 'Answers carry sources you can check.'
        : `${model} cannot call tools, so Lam searches with your question first.`;
      const told = state.isWebOff
        ? `The web is off in the preferences: answers come from what the model knows. Model: ${model}.`
        : `${how} Model: ${model}.${scope}`;
      return { kind: 'empty', title: plain`Ask anything`, description: told + trouble };
    }
  }
}
