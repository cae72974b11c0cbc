/** A point where a scripted answer waits until the test lets it go on. */
export interface Gate {
  /** Resolves when an answer has arrived at the gate (also if it is open already). */
  readonly reached: Promise<void>;
  /** Lets every answer through, now and later. */
  open(): void;
  /** Called by the server. */
  pass(): Promise<void>;
}

/** Makes a closed gate. */
export function createGate(): Gate {
  let arrive = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open() {
      open();
    },
    pass() {
      arrive();
      return opened;
    },
  };
}
