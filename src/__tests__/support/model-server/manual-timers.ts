import type { Timers } from '../../../host/providers/timers';

/** Timers that run when the test says so. */
export interface ManualTimers extends Timers {
  /** Milliseconds of the timers that are set. */
  pending(): number[];
  /** Resolves as soon as a timer of so many milliseconds is set, and then runs it. */
  fire(ms: number): Promise<void>;
}

/** @param now what the clock says, in milliseconds since the epoch. */
export function createManualTimers(now = 0): ManualTimers {
  const timers = new Set<{ ms: number; run: () => void }>();
  let waiting: { ms: number; resolve: () => void }[] = [];
  const fireNow = (ms: number): boolean => {
    const timer = [...timers].find((candidate) => candidate.ms === ms);
    if (!timer) return false;
    timers.delete(timer);
    timer.run();
    return true;
  };
  return {
    now: () => now,
    after(ms, run) {
      const timer = { ms, run };
      timers.add(timer);
      const woken = waiting.filter((waiter) => waiter.ms === ms);
      waiting = waiting.filter((waiter) => waiter.ms !== ms);
      for (const { resolve } of woken) resolve();
      return () => {
        timers.delete(timer);
      };
    },
    pending: () => [...timers].map(({ ms }) => ms),
    async fire(ms) {
      while (!fireNow(ms))
        await new Promise<void>((resolve) => {
          waiting.push({ ms, resolve });
        });
    },
  };
}
