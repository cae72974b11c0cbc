import type { Attachment, Failure, PagePort, SearchPort, Turn } from '../../lib/types';
import type { RunAgent } from '../agent';
import type { ImageStore } from '../attachments/images';
import type { FilePorts } from '../attachments/port';
import type { Documents } from '../documents/documents';
import type { EvidencePort } from '../evidence/lazy-evidence';
import type { Library } from '../library/library';
import type { ModelServer } from '../providers/lazy-server';
import type { Remedy } from '../setup/first-run';
import type { SetupCheck } from '../setup/lazy-setup';
import type { ConversationStore } from '../store/conversations';
import type { DraftStore } from '../store/draft';
import type { Notice } from '../toast';
import type { After } from './frames';
import type { ChooseModel, ModelMemory } from './models';

/** Everything a chat session does to the world. */
export interface SessionPorts {
  store: ConversationStore;
  drafts: DraftStore;
  /** The same for the form of several lines. */
  composeDrafts: DraftStore;
  /** And for a question that is being edited. */
  editDrafts: DraftStore;
  server: ModelServer;
  /** The model server as it is called in a list: `Ollama`, `api.openai.com`. */
  serverName: string;
  chooseModel: ChooseModel;
  /** What to say and to offer when the model server is not ready. Pure. */
  remedyFor: (failure: Failure) => Remedy;
  modelMemory: ModelMemory;
  runAgent: RunAgent;
  search: SearchPort;
  fetchPage: PagePort;
  /** Folders whose documents may be searched, and the search; absent = there are none. */
  documents?: Documents;
  /** What an answer rests on, for whoever wants to see it. */
  evidence: EvidencePort;
  /** Files that go with a question. */
  files: FilePorts;
  /** Lam's own copies of attached images. */
  images: ImageStore;
  /** Searches the texts of stored conversations. */
  library: Library;
  exports: ExportPort;
  checkSetup: SetupCheck;
  /**
   * A title for a conversation that begins with this turn; undefined = the question stays its title. Absent = the person does
   * not want it, or the server may cost money. Never rejects.
   */
  suggestTitle?: (turn: Turn, signal: AbortSignal) => Promise<string | undefined>;
  /** The text that is selected anywhere; undefined if there is none. Never rejects. */
  selectedText: () => Promise<string | undefined>;
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

/** Writes files for the person, in the folder for downloads. Never rejects. */
export interface ExportPort {
  /**
   * @param name file name without a path; a number is added if there is such a file
   * @param chunks what is written, one after the other
   */
  write(name: string, chunks: AsyncIterable<string> | Iterable<string>): Promise<ExportOutcome>;
  /** The text of a file that the person chose to import. */
  read(path: string): Promise<{ ok: true; text: string } | { ok: false; message: string }>;
}

/** `missing`: how many conversations could not be read, and are not in the file. */
export type ExportOutcome =
  { ok: true; path: string; missing?: number } | { ok: false; message: string };

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
  /** When the line about the evidence of an answer is shown; absent = never. */
  evidenceLine?: 'problems' | 'always' | 'never';
  /** False = nothing is searched or read, unless a question asks for it; absent = it is. */
  webTools?: boolean;
  /** Begins with the text that is selected elsewhere, as a quote; absent = does not. */
  quoteSelection?: boolean;
  /** A launch goes on with the last conversation if it was changed within this many milliseconds; absent = 30 minutes. */
  continueWithinMs?: number;
  /** Sentences about settings that could not be used. */
  problems: readonly string[];
}

/** How the command was opened. */
export interface Launch {
  /** The argument field: asked at once, in a new conversation. */
  question?: string;
  /** In a new conversation, too. Text typed in the launcher's root search: put into the search bar, not asked, because it was typed for something else. */
  fallbackText?: string;
  /** Id of a conversation: opened. From a link, so it may name none. */
  conversation?: string;
}

/** What goes with the text of a question. */
export interface AskOptions {
  attachments?: readonly Attachment[];
  /** Whether the web is searched and read for it; absent = as the preferences say. */
  web?: boolean;
  /** Another model for this question alone. */
  model?: string;
  /** Called once the question is stored in its conversation: until then it needs its place in a draft. */
  onStored?: () => void;
}
