/**
 * The value of `start`, or undefined as soon as the signal fires, whether or not the work heeds it. Rejects as the work does;
 * what a work that was left does later is ignored. Does not start when the signal has fired already.
 */
export function untilAbort<T>(
  start: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stop = () => {
      resolve(undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    start()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', stop);
      });
  });
}
