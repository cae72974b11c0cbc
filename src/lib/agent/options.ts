import type { ChatImage, ChatProvider, ModelInfo, Source, ToolCallRecord, Usage } from '../types';
import type { AttachedFile, ToolPorts } from '../tools';
import type { AgentEvent } from './event';

/**
 * An earlier exchange of the conversation, as stored.
 *
 * @public
 */
export interface HistoryTurn {
  question: string;
  response: string;
  /** Files that were attached are among them (`ATTACHED_FILE`): they stand in this question again. */
  toolCalls: ToolCallRecord[];
  carried?: Source[];
  /** Images that were attached to this question. */
  images?: readonly ChatImage[];
}

/** What came with the question. */
export interface Attachments {
  files: readonly AttachedFile[];
  images: readonly ChatImage[];
}

/** The part of this turn that exists already, when an interrupted turn is continued or a question is asked again. */
export interface ResumedTurn {
  response: string;
  reasoning?: string;
  /** Files that were attached are among them (`ATTACHED_FILE`): they stand in the question again and are no calls. */
  toolCalls: readonly ToolCallRecord[];
  /** All that was offered, so that a number the model has read keeps its page. */
  carried?: readonly Source[];
  /** What it has cost so far. */
  usage?: Usage;
}

/** The effects of a turn. */
export interface AgentPorts extends ToolPorts {
  provider: ChatProvider;
  /** A file's or folder's name as `search_documents` and `read_document` write it; absent = as it is. */
  cleanName?: ((name: string) => string) | undefined;
  /** A new random word each time: pages must not be able to guess it. */
  boundary: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Calls back once after `ms` milliseconds; the function it gives cancels that. */
  after: (ms: number, callback: () => void) => () => void;
}

export interface AgentOptions {
  question: string;
  /** Oldest first. */
  history: readonly HistoryTurn[];
  model: string;
  /** What is known of the model; absent = nothing. */
  about?: Omit<ModelInfo, 'id'> | undefined;
  /** The system prompt, see `buildSystemPrompt`. */
  system: string;
  ports: AgentPorts;
  /** The person's stop. What there is by then is kept. */
  signal: AbortSignal;
  /** Told everything, in order, synchronously. What it throws is ignored. */
  onEvent?: (event: AgentEvent) => void;
  resume?: ResumedTurn;
  /** A file that `resume` has a record of already is not taken again; images are kept in no record and always come here. */
  attachments?: Attachments | undefined;
  /** False = nothing is searched on or read from the web; the person's documents still are. */
  web?: boolean | undefined;
}
