import type { Gate } from './gate';

/** One tool call of a scripted answer. */
interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
  /** OpenAI dialect; made up if absent. */
  id?: string;
}

/** A piece of an answer, in the order of the list: words, or a gate where the stream waits. */
export type Piece = string | Gate;

/** An answer as a well-behaved server streams it: reasoning, text, calls, usage, end. */
export interface AnswerStep {
  reasoning?: string | readonly Piece[];
  /** One chunk a piece. */
  text?: string | readonly Piece[];
  calls?: readonly ScriptedCall[];
  usage?: { inputTokens: number; outputTokens: number };
  /** Default: `tool_calls` with calls (OpenAI dialect), else `stop`. */
  finishReason?: string;
  /** Milliseconds before every chunk, so that a person sees it stream. Default 0. */
  delayMs?: number;
  /** Waits here before anything is sent, headers included. */
  holdBefore?: Gate;
  /** Waits here after the text, before calls and end. */
  holdAfter?: Gate;
}

/** An answer byte by byte. */
export interface RawStep {
  raw: {
    /** Default 200. */
    status?: number;
    headers?: Record<string, string>;
    /** Written piece by piece, each in its own write; a gate waits. */
    body?: string | Uint8Array | readonly (string | Uint8Array | Gate)[];
    /** Cuts every write into pieces of this size: splits UTF-8 characters and event boundaries. */
    splitEvery?: number;
    /** Destroys the socket after so many bytes of the body; 0 = right after the headers. */
    cutAfterBytes?: number;
    /** Goes silent and keeps the socket open: before the headers, or after what `body` holds. */
    hang?: 'before-headers' | 'after-body';
    /** Destroys the socket without any answer. */
    reset?: boolean;
  };
}

export type FixedStep = AnswerStep | RawStep;

/** How one chat request is answered: fixed, or decided from the request. */
export type Step = FixedStep | ((request: ChatRequestRecord) => FixedStep);

/** A chat request as it arrived. */
export interface ChatRequestRecord {
  /** Position among the chat requests, from 0. */
  index: number;
  path: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON body; undefined if it was none. */
  body: unknown;
  /** Resolves when the client has closed the connection, or the answer is complete. */
  closed: Promise<void>;
  /** True once the client closed the connection before the answer was complete. */
  abandoned: boolean;
}

/** Splits a text into words with the white space before them: pieces for a stream that looks real. */
export function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** The body of server-sent events: each item an event; strings are sent as they are (`[DONE]`), others as JSON. */
export function sse(...items: unknown[]): string {
  return items
    .map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
    .join('');
}

/** The body of NDJSON: each item a line. */
export function ndjson(...items: unknown[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}
