/** Calls `run` once after `ms` milliseconds; the function it returns cancels. */
export type After = (ms: number, run: () => void) => () => void;

/**
 * Milliseconds between two pictures of a streaming answer. The launcher ships the whole view tree for each and parses
 * the whole document again; below 60 ms frames queue up, above 120 ms the text is seen to stutter.
 */
const FRAME_MS = 80;

export interface Frames {
  /** Draws within 80 ms, together with whatever else changes until then. */
  soon(): void;
  /** Draws now. */
  now(): void;
  /** Draws nothing more. */
  stop(): void;
}

/** Calls `draw` for each change, at once or gathered. */
export function createFrames(after: After, draw: () => void): Frames {
  let cancel: (() => void) | undefined;
  let stopped = false;

  function clear() {
    cancel?.();
    cancel = undefined;
  }
  return {
    soon() {
      if (stopped || cancel !== undefined) return;
      cancel = after(FRAME_MS, () => {
        cancel = undefined;
        draw();
      });
    },
    now() {
      clear();
      if (!stopped) draw();
    },
    stop() {
      clear();
      stopped = true;
    },
  };
}
