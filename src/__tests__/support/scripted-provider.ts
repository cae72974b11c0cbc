import type { ChatEvent, ChatProvider, ChatRequest, Failure, RequestedCall } from '../../lib/types';

/**
 * One thing a scripted model does: an event, waiting for a promise, `hang` (silent until the signal fires),
 * `deaf` (silent for ever), `leave` (ends without an end event), or throwing an error.
 */
type ScriptItem = ChatEvent | Promise<unknown> | 'hang' | 'deaf' | 'leave' | Error;

/** What the model does for one request: a list, or a function that makes it from the request. */
export type ScriptStep =
  readonly ScriptItem[] | ((request: ChatRequest, signal: AbortSignal) => readonly ScriptItem[]);

export interface ScriptedProvider extends ChatProvider {
  /** A copy of each request, as it was when it was made. */
  readonly requests: ChatRequest[];
  /** Throws if a step was left over or a request came that the script does not know. */
  assertComplete(): void;
}

/** A model that follows a script, one step a request. */
export function scriptedProvider(steps: readonly ScriptStep[]): ScriptedProvider {
  const requests: ChatRequest[] = [];
  let unexpected = 0;
  return {
    requests,
    stream(request, signal) {
      const step = steps[requests.length];
      requests.push(structuredClone(request));
      if (!step) {
        unexpected += 1;
        return play([failure('server-error', 'The script has no further step.')], signal);
      }
      return play(typeof step === 'function' ? step(request, signal) : step, signal);
    },
    assertComplete() {
      const left = steps.length - requests.length;
      if (unexpected > 0) throw new Error(`${unexpected} requests more than the script has steps`);
      if (left > 0) throw new Error(`${left} of ${steps.length} steps were not used`);
    },
  };
}

async function* play(
  items: readonly ScriptItem[],
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  for (const item of items) {
    if (item === 'leave') return;
    if (item === 'deaf') await new Promise(() => undefined);
    else if (item === 'hang') {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      yield failure('aborted', 'Stopped.');
      return;
    } else if (item instanceof Promise) await item;
    else if (item instanceof Error) throw item;
    else if (typeof item === 'object') yield item;
  }
}

/** The events of an answer, one delta a piece. */
export function say(...pieces: string[]): ChatEvent[] {
  return [...deltas(...pieces), { type: 'end', reason: 'stop' }];
}

/** Text without an end. */
export function deltas(...pieces: string[]): ChatEvent[] {
  return pieces.map((text) => ({ type: 'text-delta', text }));
}

/** The events of a request for tools, perhaps after some text. */
export function ask(
  calls: readonly (Omit<RequestedCall, 'id'> & { id?: string })[],
  text = '',
): ChatEvent[] {
  return [
    ...(text === '' ? [] : deltas(text)),
    ...calls.map((call, n): ChatEvent => ({ type: 'tool-call', call: { id: `id-${n}`, ...call } })),
    { type: 'end', reason: 'tool-calls' },
  ];
}

export function failure(kind: Failure['kind'], message = `It failed: ${kind}.`): ChatEvent {
  return { type: 'error', failure: { kind, message } };
}
