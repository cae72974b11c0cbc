import { setImmediate as nextTick } from 'node:timers/promises';

import { TEXTS_PER_REQUEST, type Embedder } from './embedding';
import type { VectorEntry, VectorStore } from './vectors';

/** Requests after which the vectors are written: at most so many are asked for again after a kill. */
const REQUESTS_A_FLUSH = 16;

/** Requests that fail one after the other before the rest is left for the next run. */
const MAX_FAILURES = 3;

/** A stretch to be compared by meaning. The key is made of the file's content and the place in it. */
export interface Meant {
  key: string;
  text: string;
}

/** The stretches for whose key the function says true, one after the other. */
export type MeantTexts = (isWanted: (key: string) => boolean) => Iterable<Meant>;

export interface EmbeddingRun {
  vectors: VectorStore;
  texts: MeantTexts;
  embed: Embedder;
  signal: AbortSignal;
  /** False once another launch writes the vectors. */
  mayWrite: () => boolean;
  /** Told after each request, with a sentence when it was of no use. */
  onAnswer: (failure: string | undefined) => void;
}

/**
 * Asks for the vectors that a store has not, and puts them there. A server that by now has another model under this name
 * gives vectors of another length: then all that are stored are dropped, and asked for anew. If that happens once more in
 * one run, there is no use in going on. Rejects only with what `embed` or `texts` throw.
 *
 * @returns false when some are missing still
 */
export async function embedMissing(run: EmbeddingRun): Promise<boolean> {
  const { vectors, texts, embed, signal, mayWrite, onAnswer } = run;
  let requests = 0;
  const state = { failures: 0, isWhole: true, isRenewed: false, isOver: false };

  function fail(why: string): void {
    state.failures += 1;
    state.isWhole = false;
    state.isOver ||= state.failures >= MAX_FAILURES;
    onAnswer(why);
  }

  function put(entries: readonly VectorEntry[]): ReturnType<VectorStore['set']> {
    const kept = vectors.set(entries);
    if (kept.ok || kept.reason !== 'mismatch') return kept;
    state.isOver = state.isRenewed;
    if (state.isOver) return kept;
    state.isRenewed = true;
    vectors.clear();
    return vectors.set(entries);
  }

  async function send(batch: readonly Meant[]): Promise<void> {
    const answer = await embed(
      batch.map(({ text }) => text),
      signal,
    );
    state.isOver = signal.aborted || !mayWrite();
    if (state.isOver) return;
    if (!answer.ok) {
      fail(answer.message);
      return;
    }
    const kept = put(
      batch.map(({ key }, place) => ({
        key,
        vector: answer.vectors[place] ?? new Float32Array(0),
      })),
    );
    if (!kept.ok && kept.reason !== 'disk') {
      fail(kept.message);
      return;
    }
    state.failures = 0;
    requests += 1;
    const written = kept.ok && requests % REQUESTS_A_FLUSH === 0 ? vectors.flush() : kept;
    onAnswer(written.ok ? undefined : written.message);
  }

  async function askForMissing(): Promise<void> {
    let batch: Meant[] = [];
    for (const text of texts((key) => !vectors.has(key))) {
      batch.push(text);
      if (batch.length < TEXTS_PER_REQUEST) continue;
      await send(batch);
      batch = [];
      await nextTick();
      state.isOver ||= signal.aborted;
      if (state.isOver) return;
    }
    if (batch.length > 0) await send(batch);
  }

  await askForMissing();
  // Those that were passed over because they were there.
  if (state.isRenewed && !state.isOver) await askForMissing();
  return state.isWhole && !state.isOver && !signal.aborted;
}
