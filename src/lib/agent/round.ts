import { untilAbort } from '../tools';
import type {
  ChatEvent,
  ChatProvider,
  ChatRequest,
  Failure,
  NamedSource,
  RequestedCall,
  Usage,
} from '../types';

/** What one request to the model came to. `text` is everything it wrote, `calls` everything it asked for before that. */
export interface Round {
  text: string;
  calls: RequestedCall[];
  ending:
    | { kind: 'ended'; reason: Extract<ChatEvent, { type: 'end' }>['reason'] }
    | { kind: 'failed'; failure: Failure }
    /** The signal fired. */
    | { kind: 'aborted' };
}

export interface RoundListener {
  text(chunk: string): void;
  reasoning(chunk: string): void;
  /** A page that the server itself names as a source of its answer. */
  source(source: NamedSource): void;
  /** At most once a round, at its end. */
  usage(usage: Usage): void;
}

/**
 * One request to the model. Never rejects and ends as soon as the signal fires, also with a provider that throws, ignores the
 * signal or ends without saying so.
 */
export async function runRound(
  provider: ChatProvider,
  request: ChatRequest,
  signal: AbortSignal,
  listener: RoundListener,
): Promise<Round> {
  const round: Round = { text: '', calls: [], ending: { kind: 'aborted' } };
  let usage: Usage | undefined;
  if (signal.aborted) return round;
  let iterator: AsyncIterator<ChatEvent> | undefined;
  try {
    const events = provider.stream(request, signal)[Symbol.asyncIterator]();
    iterator = events;
    for (;;) {
      const next = await untilAbort(() => events.next(), signal);
      if (next === undefined) break;
      if (next.done === true) {
        round.ending = { kind: 'failed', failure: BROKEN_OFF };
        break;
      }
      const ending = take(next.value, round, listener);
      if (next.value.type === 'usage') usage = next.value.usage;
      if (ending) {
        round.ending = ending;
        break;
      }
    }
  } catch {
    round.ending = { kind: 'failed', failure: BROKEN_OFF };
  }
  leave(iterator);
  if (usage) listener.usage(usage);
  return round;
}

const BROKEN_OFF: Failure = {
  kind: 'cut',
  message: 'The model server’s answer broke off without an end; ask again or continue it.',
};

function take(
  event: ChatEvent,
  round: Round,
  listener: RoundListener,
): Round['ending'] | undefined {
  switch (event.type) {
    case 'text-delta':
      round.text += event.text;
      listener.text(event.text);
      return undefined;
    case 'reasoning-delta':
      listener.reasoning(event.text);
      return undefined;
    case 'tool-call':
      round.calls.push(event.call);
      return undefined;
    case 'source':
      listener.source(event);
      return undefined;
    case 'usage':
      return undefined;
    case 'end':
      return { kind: 'ended', reason: event.reason };
    case 'error':
      return { kind: 'failed', failure: event.failure };
  }
}

/** Tells the provider that nobody listens any more, and does not wait for it. */
function leave(iterator: AsyncIterator<ChatEvent> | undefined): void {
  try {
    iterator?.return?.().catch(() => undefined);
  } catch {
    // A provider that cannot be left properly has nothing more to say either.
  }
}
