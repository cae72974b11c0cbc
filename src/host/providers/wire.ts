import type { ChatEvent, Failure, NamedSource, Usage } from '../../lib/types';

import { failureOf, streamFailure, type ServerFacts } from './failures';
import type { ErrorDetails } from './error-body';
import { createThinkSplitter, type ContentPiece } from './think-tags';
import { createToolCallAssembly, type CallFragment } from './tool-call-assembly';

/** How far an answer has come: it decides how long silence is borne. */
type Phase =
  | 'waiting' // no token yet: the server loads the model or reads the conversation
  | 'answering'
  | 'trailer' // the reason to end is known; usage may follow
  | 'over'; // nothing more is expected

/** Turns the bytes of a successful answer into events. Pure but for its own state; never throws. */
export interface WireDecoder {
  /** The events in these bytes. The last event of an answer, `end` or `error`, makes the phase `over`. */
  push(bytes: Uint8Array): ChatEvent[];
  /**
   * The body is over; `failure` = because of that, absent = properly. Returns the rest, with `end` or `error` unless
   * they came before. A failure after the reason to end was known costs nothing, except an abort.
   */
  close(failure?: Failure): ChatEvent[];
  readonly phase: Phase;
}

export type EndReason = Extract<ChatEvent, { type: 'end' }>['reason'];

/** Sources of one answer. The longest lists known have some twenty; more is a runaway server. */
const MAX_NAMED_SOURCES = 64;

/** What all dialects share: which events follow from text, reasoning, calls and the ways to end. */
export interface AnswerState {
  readonly phase: Phase;
  /** Which parts of an answer were read so far. */
  readonly seen: Readonly<Record<'text' | 'reasoning' | 'calls', boolean>>;
  text(content: string): ChatEvent[];
  reasoning(text: string): ChatEvent[];
  calls(fragments: readonly CallFragment[]): void;
  /** A source; none for what was named before (servers repeat their list in every chunk), and past the most there may be. */
  source(source: NamedSource): ChatEvent[];
  usage(usage: Usage): void;
  /** The server gave a reason to end; more chunks (usage) may follow. */
  reason(reason: EndReason): void;
  /** The answer is complete: everything held back, the calls, usage, and `end`; `error` if there was nothing. */
  complete(): ChatEvent[];
  /** The answer fails: text that was held back, then `error`. */
  fail(failure: Failure): ChatEvent[];
  /** The server reported an error. */
  failWith(details: ErrorDetails | undefined): ChatEvent[];
  /** The body is over before the decoder called `complete`. */
  breakOff(failure: Failure): ChatEvent[];
}

export interface AnswerContext {
  server: ServerFacts;
  model: string;
  /** Call ids already used in the conversation. */
  takenIds: readonly string[];
}

export function createAnswerState({ server, model, takenIds }: AnswerContext): AnswerState {
  const splitter = createThinkSplitter();
  const assembly = createToolCallAssembly(takenIds);
  const seen = { text: false, reasoning: false, calls: false };
  /** Numbers and addresses of the sources named so far. */
  const named = new Set<number | string>();
  let sources = 0;
  let phase: Phase = 'waiting';
  let said = false;
  /** Some of the answer itself was said, not only reasoning. */
  let begun = false;
  let known: EndReason | undefined;
  let counted: Usage | undefined;

  const advance = () => {
    if (phase === 'waiting') phase = 'answering';
  };
  const events = (pieces: ContentPiece[]): ChatEvent[] => {
    if (pieces.length > 0) said = true;
    if (pieces.some(({ kind, text }) => kind === 'text' && text.trim() !== '')) begun = true;
    return pieces.map(({ kind, text }) => ({
      type: kind === 'text' ? 'text-delta' : 'reasoning-delta',
      text,
    }));
  };
  const usageEvents = (): ChatEvent[] => (counted ? [{ type: 'usage', usage: counted }] : []);

  const fail = (failure: Failure): ChatEvent[] => {
    if (phase === 'over') return [];
    phase = 'over';
    const rest = events(splitter.end());
    const told = begun && failure.kind === 'cut' ? failureOf('cut', server, { begun }) : failure;
    return [...rest, ...usageEvents(), { type: 'error', failure: told }];
  };

  const complete = (): ChatEvent[] => {
    if (phase === 'over') return [];
    const rest = events(splitter.end());
    // Cut off by the token limit: a call whose arguments are not whole is not what the model meant.
    const dropIncomplete = known === 'length' || known === 'filtered';
    const calls = assembly.finish({ dropIncomplete });
    if (!said && calls.length === 0 && (known === undefined || isOrdinary(known)))
      return fail(failureOf('empty', server));
    phase = 'over';
    const ordinary = calls.length > 0 ? 'tool-calls' : 'stop';
    return [
      ...rest,
      ...calls.map((call): ChatEvent => ({ type: 'tool-call', call })),
      ...usageEvents(),
      { type: 'end', reason: known === undefined || isOrdinary(known) ? ordinary : known },
    ];
  };

  return {
    get phase() {
      return phase;
    },
    seen,
    text(content) {
      if (content === '') return [];
      seen.text = true;
      advance();
      return events(splitter.push(content));
    },
    reasoning(text) {
      if (text === '') return [];
      seen.reasoning = true;
      advance();
      return events([{ kind: 'reasoning', text }]);
    },
    calls(fragments) {
      if (fragments.length === 0) return;
      seen.calls = true;
      advance();
      assembly.add(fragments);
    },
    source(source) {
      const { number, url } = source;
      // A list may hold a page twice, and its numbers count both; without a number the page itself counts.
      const isKnown = number === undefined ? named.has(url) : named.has(number);
      // A numbered row without an address is told: its number must not become that of another page.
      const isNothing = number === undefined && url.trim() === '';
      if (isKnown || isNothing || phase === 'over' || sources >= MAX_NAMED_SOURCES) return [];
      named.add(url);
      if (number !== undefined) named.add(number);
      sources += 1;
      return [{ type: 'source', ...source }];
    },
    usage(usage) {
      if (Object.keys(usage).length > 0) counted = { ...counted, ...usage };
    },
    reason(reason) {
      known = reason;
      phase = 'trailer';
    },
    complete,
    fail,
    failWith: (details) =>
      fail(streamFailure(details ?? { message: '', codes: [] }, server, model)),
    breakOff: (failure) =>
      phase === 'trailer' && failure.kind !== 'aborted' ? complete() : fail(failure),
  };
}

/** Servers say `stop` although there are calls, and `tool_calls` although there are none: the calls decide. */
function isOrdinary(reason: EndReason): boolean {
  return reason === 'stop' || reason === 'tool-calls';
}
