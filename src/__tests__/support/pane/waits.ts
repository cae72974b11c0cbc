/** How a wait is described and bounded. */
export interface WaitOptions {
  /** What is waited for, for the error. */
  label?: string;
  /** Milliseconds; a guard against hanging, not a speed limit. */
  timeoutMs?: number;
}

/** What is left of a type when a condition on the value held. */
export type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Milliseconds between looks when nothing happens in the pane: a predicate may depend on a file or a server. */
const POLL_MS = 50;

/** Conditions that are looked at again whenever something happens. */
export class Waits {
  readonly #checks = new Set<() => void>();
  readonly #failure: () => Error | undefined;
  readonly #describe: () => string;

  /** `failure` ends every wait with its error; `describe` is printed when a wait times out. */
  constructor(failure: () => Error | undefined, describe: () => string) {
    this.#failure = failure;
    this.#describe = describe;
  }

  changed(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Resolves with the predicate's first truthy value. A predicate that throws counts as "not yet". */
  for<T>(
    predicate: () => T,
    { label = predicate.toString(), timeoutMs = 10_000 }: WaitOptions,
  ): Promise<Truthy<T>> {
    return new Promise((resolve, reject) => {
      let thrown: unknown;
      const finish = (): void => {
        this.#checks.delete(check);
        clearTimeout(timeout);
        clearInterval(poll);
      };
      const check = (): void => {
        const failure = this.#failure();
        if (failure) {
          finish();
          reject(new Error(`While waiting for ${label}: ${failure.message}`, { cause: failure }));
          return;
        }
        try {
          const value = predicate();
          if (isTruthy(value)) {
            finish();
            resolve(value);
          }
        } catch (error) {
          thrown = error;
        }
      };
      const timeout = setTimeout(() => {
        finish();
        const why = thrown instanceof Error ? `\nThe condition threw: ${thrown.message}` : '';
        const text = `Waited ${timeoutMs} ms for ${label}.${why}\nThe pane shows:\n${this.#describe()}`;
        reject(new Error(text));
      }, timeoutMs);
      const poll = setInterval(check, POLL_MS);
      this.#checks.add(check);
      check();
    });
  }
}

function isTruthy<T>(value: T): value is Truthy<T> {
  return Boolean(value);
}
