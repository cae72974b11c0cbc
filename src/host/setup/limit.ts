import type { After } from '../session/frames';

/** How something with a limit ended. `stopped` is the caller's signal. */
type Ending<T> =
  | { kind: 'done'; value: T }
  | { kind: 'late' }
  | { kind: 'stopped' }
  | { kind: 'threw'; message: string };

/**
 * Runs something for at most `ms` milliseconds. Its own signal fires when it is late and when the caller stops; the result
 * does not wait for it to obey. Never rejects.
 */
export async function withLimit<T>(
  { ms, after, signal }: { ms: number; after: After; signal: AbortSignal },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<Ending<T>> {
  const own = new AbortController();
  let cancel: (() => void) | undefined;
  let stop: (() => void) | undefined;
  const cut = new Promise<Ending<T>>((resolve) => {
    stop = () => {
      resolve({ kind: 'stopped' });
    };
    signal.addEventListener('abort', stop, { once: true });
    cancel = after(ms, () => {
      resolve({ kind: 'late' });
    });
    if (signal.aborted) stop();
  });
  const whole = async (): Promise<Ending<T>> => {
    try {
      return { kind: 'done', value: await run(own.signal) };
    } catch (error) {
      return { kind: 'threw', message: error instanceof Error ? error.message : String(error) };
    }
  };
  try {
    return await Promise.race([cut, whole()]);
  } finally {
    cancel?.();
    if (stop) signal.removeEventListener('abort', stop);
    own.abort();
  }
}
