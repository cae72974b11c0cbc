import type * as z from 'zod/mini';

import type {
  AttachmentSchema,
  ConversationSchema,
  EvidenceSchema,
  QuoteCheckSchema,
  QuoteStatusSchema,
  ShownSchema,
  SourceSchema,
  SourceStatusSchema,
  ToolCallRecordSchema,
  TurnSchema,
  TurnStateSchema,
  UsageSchema,
} from './schemas';

export type SourceStatus = z.infer<typeof SourceStatusSchema>;
export type Source = z.infer<typeof SourceSchema>;
export type Shown = z.infer<typeof ShownSchema>;
export type Evidence = z.infer<typeof EvidenceSchema>;
export type QuoteStatus = z.infer<typeof QuoteStatusSchema>;
export type QuoteCheck = z.infer<typeof QuoteCheckSchema>;
export type ToolCallRecord = z.infer<typeof ToolCallRecordSchema>;
export type TurnState = z.infer<typeof TurnStateSchema>;
export type Usage = z.infer<typeof UsageSchema>;
export type Attachment = z.infer<typeof AttachmentSchema>;
export type Turn = z.infer<typeof TurnSchema>;
export type Conversation = z.infer<typeof ConversationSchema>;

/** Why a model server gave no (complete) answer. Decided at the HTTP edge, never from the text of an error. */
export type FailureKind =
  | 'not-running' // nothing listens at the address
  | 'wrong-address' // something answers, but it is no such API (404 without a model error, DNS failure, bad URL)
  | 'unauthorized' // 401, 403
  | 'model-not-found' // the server does not have the model
  | 'no-model' // no model is set and the server offers none that fits
  | 'no-tools' // the model cannot call tools
  | 'rate-limited' // 429
  | 'context-length' // the conversation does not fit the model
  | 'bad-request' // any other 4xx
  | 'server-error' // 5xx
  | 'not-json' // HTML or other text where JSON was due
  | 'not-a-stream' // one JSON document where a stream was due, and it holds no answer
  | 'stream-error' // the server reported an error inside the stream
  | 'cut' // the connection ended before the answer did
  | 'silent' // nothing arrived for too long
  | 'empty' // the stream ended properly and held nothing
  | 'aborted'; // the caller's signal

/** A failure told apart and put into one sentence a person can act on. */
export interface Failure {
  kind: FailureKind;
  /** One sentence, plain text, no secrets: what is wrong and what to do. */
  message: string;
  /** Two or three words for a heading, where the kind alone would say something else than the sentence. */
  title?: string;
  /** Milliseconds the server asked to wait, for `rate-limited`. */
  retryAfterMs?: number;
}

/** A tool call as the model asked for it. `arguments` is whatever arrived (JSON text or an object): the loop parses it. */
export interface RequestedCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** A picture as it is sent to a model that can see. */
export interface ChatImage {
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`: what every model server takes. */
  mediaType: string;
  /** The bytes in base64, without a prefix. */
  data: string;
}

/** One message of a request to a model server. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: ChatImage[] }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: { id: string; name: string; arguments: Record<string, unknown> }[];
    }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string };

/** A tool as it is described to the model; `parameters` is a JSON Schema object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  /** Empty = tools are off. */
  tools: ToolSpec[];
}

/** A page that a model server itself names as a source of its answer. */
export interface NamedSource {
  /** May be empty. */
  title: string;
  /** May be empty where there is a number: a row that cannot be opened, whose number no other page may get. */
  url: string;
  /**
   * From 1; present where the text of the answer means this page by `[number]`: the server's own list, which knows nothing
   * of Lam's numbers.
   */
  number?: number;
}

/** What a model server says, in the order it says it. */
export type ChatEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'tool-call'; call: RequestedCall }
  | ({ type: 'source' } & NamedSource)
  | { type: 'usage'; usage: Usage }
  | { type: 'end'; reason: 'stop' | 'tool-calls' | 'length' | 'filtered' }
  | { type: 'error'; failure: Failure };

/**
 * A model server.
 *
 * `stream` never throws and never rejects: the last event is exactly one `end` or one `error`
 * (`error` with kind `aborted` once `signal` fires, within 100 ms). Tool calls arrive complete,
 * one event each, before `end`. Text before an `error` is real and is kept.
 */
export interface ChatProvider {
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
}

/** A model as its server describes it; what is absent the server does not say. */
export interface ModelInfo {
  id: string;
  canCallTools?: boolean;
  canSeeImages?: boolean;
  /** Tokens of question and answer together that Lam may count on. */
  contextTokens?: number;
}

/** One row of a web search. `url` may be empty: such a row is printed without a number. */
export interface SearchHit {
  title: string;
  url: string;
  content: string;
  /** When the page was published, if the service says so: `2026-03-14`, or its own words (`3 days ago`). */
  date?: string;
}

/** How old the pages of a search may be: published within the last day, week, month or year. */
export type SearchFreshness = 'day' | 'week' | 'month' | 'year';

/** What a search is asked for beside its words. */
export interface SearchOptions {
  /** Hits at most, 1 to 10. Absent = what the port finds right. */
  count?: number | undefined;
  /** A host name; only its pages and those of the hosts below it. */
  site?: string | undefined;
  freshness?: SearchFreshness | undefined;
}

/** "Nothing found" is `ok` with no hits; "the search failed" is not `ok`. They must never look alike. */
export type SearchOutcome =
  | {
      ok: true;
      hits: SearchHit[];
      /** The options that were given and that the service cannot apply. */
      ignored?: ('site' | 'freshness')[];
    }
  | { ok: false; message: string };

/** What a search looks through: the web, or the pages of one site only. */
export type SearchScope = 'web' | 'Wikipedia';

/**
 * Contract: never rejects; ends within 100 ms of an abort. A failure's `message` is the bare reason for the model and the
 * reader, as it stands behind a colon, without a full stop: `SearXNG at 127.0.0.1:8888 refused the connection`.
 */
export interface SearchPort {
  (query: string, signal: AbortSignal, options?: SearchOptions): Promise<SearchOutcome>;
  /** Absent = the web. */
  readonly scope?: SearchScope;
  /** One sentence for the person: what to do when no search works. */
  readonly remedy?: string;
}

/** A page that was read. `text` is the whole readable text as Markdown or plain text; paging is the tool's business. */
export interface Page {
  title: string;
  /** The address that answered, after redirects. */
  url: string;
  /** `rel=canonical` of the page: same host and path, give or take `www.`, `m.`, `amp.`, a trailing slash and the query. */
  canonical?: string;
  text: string;
  /** True when bytes or depth limits cut the text before its end. */
  cut?: boolean;
  /**
   * Of a document that has pages (PDF): how many, and where in `text` each that was read begins, in UTF-16 units, rising.
   * `starts[0]` is page 1. Fewer than `total` when `cut`.
   */
  pages?: { total: number; starts: number[] };
}

export type PageOutcome =
  | { ok: true; page: Page }
  | {
      ok: false;
      status: Exclude<SourceStatus, 'hit' | 'read' | 'part'>;
      message: string;
      /** True when it says nothing of the page itself: asked again, soon, the same address may be read. */
      isPassing?: true;
    };

/** Contract: never rejects; ends within 100 ms of an abort. `message` is one sentence for the model and the reader. */
export type PagePort = (url: string, signal: AbortSignal) => Promise<PageOutcome>;

export type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'code';

/** A stretch of a document's readable text that can be cited by itself. Offsets are UTF-16 units, `end` excluded. */
export interface Block {
  /** Made of the block's own words, so that it stays the same when other parts of the document change. */
  id: string;
  kind: BlockKind;
  start: number;
  end: number;
  /** Place among the blocks of the document, from 1. */
  number: number;
  /** Of a document that has pages, from 1. */
  page?: number;
}

/** A local document. */
export interface DocumentRef {
  /** How the model names it: the name of a chosen folder and the path below it, `Notes/tea/wuyi.md`. */
  name: string;
  /** Absolute real path. It is stored with the source, and never told to the model. */
  path: string;
  title: string;
  /** SHA-256 of the bytes that were read, in hex. */
  version: string;
}

/** A passage of a document that a search found: one block, or neighbours of each other. */
export interface DocumentPassage {
  text: string;
  /** Where it stands in the readable text of the document. */
  start: number;
  /** The blocks it is made of, in order; their `start` and `end` count in the readable text too. */
  blocks: Block[];
  /** The higher the better; only to be compared within one answer. */
  score: number;
}

/** "Nothing found" is `ok` without hits; "the search failed" is not `ok`. */
export type DocumentSearchOutcome =
  | {
      ok: true;
      /** Best first, each document once, its passages in the order of the text. */
      hits: { document: DocumentRef; passages: DocumentPassage[] }[];
      /** Files that can be found by now, and those that are still to be read. */
      files: { indexed: number; pending: number };
    }
  | { ok: false; message: string };

/** A document that was read. `text` is its readable text, with the marks of its pages (`readableText`). */
export type DocumentOutcome =
  | {
      ok: true;
      document: DocumentRef;
      text: string;
      pages?: { total: number; starts: number[] };
      /** True when the text ends before the document does. */
      cut?: boolean;
      blocks: Block[];
    }
  | { ok: false; status: Exclude<SourceStatus, 'hit' | 'read' | 'part'>; message: string };

/** The person's own documents. Contract: never rejects; ends within 100 ms of an abort. `message` is one sentence. */
export interface DocumentsPort {
  /** Finds passages by words. The index may still be growing: `files.pending` says so. */
  search: (query: string, signal: AbortSignal) => Promise<DocumentSearchOutcome>;
  /** @param name as in `DocumentRef`; only files below the chosen folders are read, links out of them are refused */
  read: (name: string, signal: AbortSignal) => Promise<DocumentOutcome>;
}
