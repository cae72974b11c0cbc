import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import { TEXTS_PER_REQUEST, type Embedder } from './embedding';
import { createVectorStore, type VectorEntry, type VectorStore } from './vectors';
import { takeLock } from './writer-lock';

/** Milliseconds a question waits for its vector: a small model needs a tenth of that, unless it must be loaded first. */
const QUERY_MS = 4_000;

/** Stretches that are near to a question. */
const MAX_NEAR = 50;

/** Requests after which the vectors are written: at most so many are asked for again after a kill. */
const REQUESTS_A_FLUSH = 16;

/** Requests that fail one after the other before the rest is left for the next run. */
const MAX_FAILURES = 3;

/** A stretch to be compared by meaning. The key is made of the file's content and the place in it. */
export interface Meant {
  key: string;
  text: string;
}

export interface Semantic {
  /** Keys of stretches, nearest first; none when the server does not answer in time. Never rejects. */
  nearest(query: string, signal: AbortSignal): Promise<string[]>;
  /**
   * Asks for the vectors that are missing, and drops those that belong to nothing. Never rejects; another launch that does the
   * same is left to it, and what it has stored is taken in the next time.
   *
   * @param keys of all stretches
   * @param texts those whose key `isMissing`, one after the other
   * @returns false when another launch is at it, or it was not finished
   */
  update(
    keys: ReadonlySet<string>,
    texts: (isMissing: (key: string) => boolean) => Iterable<Meant>,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Stretches whose vectors are there, and all; absent when nothing is under way. */
  progress(): { done: number; total: number } | undefined;
  /** One sentence about the last failure. */
  problem(): string | undefined;
}

export interface SemanticOptions {
  /** Where the index is kept. */
  folder: string;
  /** Tells this writer from all others. */
  token: string;
  /** Name of the embedding model. */
  model: string;
  embed: Embedder;
  onChange: () => void;
}

/** Vectors of all stretches, asked of a model server: finds by meaning, where words find by spelling. */
export function createSemantic(options: SemanticOptions): Semantic {
  const { folder, token, model, embed, onChange } = options;
  let opened: VectorStore | undefined;
  let problem: string | undefined;
  let progress: { done: number; total: number } | undefined;

  const vectorFolder = join(folder, 'vectors');
  /** Of the files when this launch last read or wrote them. */
  let known = '';

  function store(): VectorStore {
    if (opened !== undefined) return opened;
    known = stateOf(vectorFolder);
    opened = createVectorStore(vectorFolder, { model });
    return opened;
  }

  async function nearest(query: string, signal: AbortSignal): Promise<string[]> {
    if (store().size === 0) return [];
    const limit = AbortSignal.any([signal, AbortSignal.timeout(QUERY_MS)]);
    const asked = await embed([query], limit, 'query');
    if (signal.aborted) return [];
    if (!asked.ok) {
      problem = byWordsAlone(
        limit.aborted
          ? `The embedding model gave no answer within ${QUERY_MS / 1_000} s.`
          : asked.message,
      );
      return [];
    }
    problem = undefined;
    const [vector] = asked.vectors;
    if (vector === undefined) return [];
    const found = await store().nearest(vector, MAX_NEAR, signal);
    return found.map(({ key }) => key);
  }

  async function fill(
    keys: ReadonlySet<string>,
    texts: (isMissing: (key: string) => boolean) => Iterable<Meant>,
    { signal, mayWrite }: { signal: AbortSignal; mayWrite: () => boolean },
  ): Promise<boolean> {
    // Another launch may have written since: what was read before would be written over it.
    if (stateOf(vectorFolder) !== known) opened = undefined;
    const vectors = store();
    const gone = [...vectors.keys()].filter((key) => !keys.has(key));
    if (gone.length > 0) {
      vectors.delete(gone);
      vectors.flush();
    }
    let batch: Meant[] = [];
    let requests = 0;
    const state = { failures: 0, isWhole: true, isRenewed: false, isOver: false };
    const put = (entries: VectorEntry[]): ReturnType<VectorStore['set']> => {
      const kept = vectors.set(entries);
      if (kept.ok || kept.reason !== 'mismatch') return kept;
      // The server has another model under this name. If it changes in the middle of a run, there is no use in going on.
      state.isOver = state.isRenewed;
      if (state.isOver) return kept;
      state.isRenewed = true;
      vectors.clear();
      const renewed = vectors.set(entries);
      state.isOver = !renewed.ok && renewed.reason === 'mismatch';
      return renewed;
    };
    const send = async (): Promise<void> => {
      const sent = batch;
      batch = [];
      const answer = await embed(
        sent.map(({ text }) => text),
        signal,
      );
      state.isOver = signal.aborted || !mayWrite();
      if (state.isOver) return;
      if (!answer.ok) {
        state.failures += 1;
        state.isWhole = false;
        state.isOver = state.failures >= MAX_FAILURES;
        problem = byWordsAlone(answer.message);
        return;
      }
      state.failures = 0;
      const kept = put(
        answer.vectors.flatMap((vector, place) => {
          const key = sent[place]?.key;
          return key === undefined ? [] : [{ key, vector }];
        }),
      );
      requests += 1;
      const written = kept.ok && requests % REQUESTS_A_FLUSH === 0 ? vectors.flush() : kept;
      problem = written.ok ? undefined : byWordsAlone(written.message);
      progress = { done: vectors.size, total: keys.size };
      onChange();
    };
    const askForMissing = async (): Promise<void> => {
      for (const text of texts((key) => !vectors.has(key))) {
        batch.push(text);
        if (batch.length < TEXTS_PER_REQUEST) continue;
        await send();
        await nextTick();
        state.isOver ||= signal.aborted;
        if (state.isOver) return;
      }
      if (batch.length > 0) await send();
    };
    await askForMissing();
    // Those that were passed over because they were there.
    if (state.isRenewed && !state.isOver) await askForMissing();
    if (mayWrite()) {
      vectors.flush();
      known = stateOf(vectorFolder);
    } else opened = undefined; // what is in memory was never written, and somebody else writes
    return state.isWhole && !state.isOver && !signal.aborted;
  }

  return {
    nearest: (query, signal) => nearest(query, signal).catch(() => []),
    async update(keys, texts, signal) {
      const taken = takeLock(join(folder, 'vectors.lock'), token);
      if (taken.kind !== 'held') return false;
      const before = problem;
      try {
        return await fill(keys, texts, { signal, mayWrite: () => taken.lock.isHeld() });
      } catch (error) {
        problem = byWordsAlone(error instanceof Error ? error.message : String(error));
        return false;
      } finally {
        taken.lock.release();
        if (progress !== undefined || problem !== before) {
          progress = undefined;
          onChange();
        }
      }
    },
    progress: () => progress,
    problem: () => problem,
  };
}

const byWordsAlone = (why: string): string =>
  `No embeddings: documents are found by words only. ${why} To go on without them, empty Embedding Model in the preferences.`;

/** Another text for other files: names, sizes and times. */
function stateOf(folder: string): string {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return `${name} ${size} ${mtimeMs}`;
      })
      .join('\n');
  } catch {
    return ''; // none yet, or one is gone at this moment
  }
}
