import type { PagePort, SearchPort } from '../../lib/types';
import type { ModelServer } from '../providers/openai';
import type { ConversationStore } from '../store/conversations';
import type { DraftStore } from '../store/draft';
import type { Notice } from '../toast';
import type { After } from './frames';
import type { ChooseModel } from './models';

/** Everything a chat session does to the world. */
export interface SessionPorts {
  store: Pick<
    ConversationStore,
    'list' | 'load' | 'claim' | 'save' | 'saveSync' | 'delete' | 'close'
  >;
  drafts: DraftStore;
  server: ModelServer;
  chooseModel: ChooseModel;
  search: SearchPort;
  fetchPage: PagePort;
  /** Milliseconds since the epoch. */
  now: () => number;
  after: After;
  /** A new id each time; letters, digits, `-` and `_`, because it becomes a file name. */
  makeId: () => string;
  /** A new random word each time, see `AgentPorts`. */
  boundary: () => string;
  /** Contract: never throws. */
  notify: (notice: Notice) => void;
  settings: SessionSettings;
}

/** What a person has set that the session uses. */
interface SessionSettings {
  /** Empty = what the server offers. */
  model: string;
  extraInstructions: string;
  place: string;
  showToolCalls: boolean;
  showReasoning: boolean;
  /** Draws the images of an answer, which loads them; absent = they are links. */
  remoteImages?: boolean;
  /** Sentences about settings that could not be used. */
  problems: readonly string[];
}

/** How the command was opened. */
export interface Launch {
  /** The argument field: asked at once, in a new conversation. */
  question?: string;
  /** In a new conversation, too. Text typed in the launcher's root search: put into the search bar, not asked, because it was typed for something else. */
  fallbackText?: string;
}
