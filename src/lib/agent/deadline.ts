import type { AgentPorts } from './options';

/** One signal for the two things that can end a turn's work: the person, and time. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time was up (false while neither has happened, or when the person was first). */
  expired(): boolean;
  /** Must be called when the work is over: the timer and the listener would outlive it. */
  dispose(): void;
}

/** `person` is passed on; after `ms` milliseconds the signal fires by itself. */
export function createDeadline(
  person: AbortSignal,
  after: AgentPorts['after'],
  ms: number,
): Deadline {
  const controller = new AbortController();
  let expired = false;
  const stop = () => {
    controller.abort();
  };
  const cancel = after(ms, () => {
    if (controller.signal.aborted) return;
    expired = true;
    controller.abort();
  });
  person.addEventListener('abort', stop, { once: true });
  if (person.aborted) stop();
  return {
    signal: controller.signal,
    expired: () => expired,
    dispose() {
      cancel();
      person.removeEventListener('abort', stop);
    },
  };
}
