import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Embedder, EmbeddingOutcome } from './embedding';
import { embedMissing, type MeantTexts } from './embedding-run';
import { createVectorStore, isUsableVector, type VectorStore } from './vectors';
import { takeLock } from './writer-lock';

/** Milliseconds a question waits for its vector: a small model needs a tenth of that, unless it must be loaded first. */
const QUERY_MS = 4_000;

/** Stretches that are near to a question. */
const MAX_NEAR = 50;

export interface Semantic {
  /**
   * Keys of stretches, nearest first; none when the server does not answer in time, or with a vector that cannot be compared
   * with the stored ones. Never rejects.
   */
  nearest(query: string, signal: AbortSignal): Promise<string[]>;
  /**
   * Asks for the vectors that are missing, and drops those that belong to nothing or to another model. Never rejects; another
   * launch that does the same is left to it, and what it has stored is taken in the next time.
   *
   * @param keys of all stretches
   * @param texts of those stretches
   * @returns false when another launch is at it, or it was not finished
   */
  update(keys: ReadonlySet<string>, texts: MeantTexts, signal: AbortSignal): Promise<boolean>;
  /** True when a question has shown that the stored vectors are perhaps of another model: an update looks into it. */
  isStale(): boolean;
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

interface UpdateRights {
  signal: AbortSignal;
  mayWrite: () => boolean;
}

/** Vectors of all stretches, asked of a model server: finds by meaning, where words find by spelling. */
export function createSemantic(options: SemanticOptions): Semantic {
  const { folder, token, embed, onChange } = options;
  const model = options.model.trim(); // as it is asked for
  let opened: VectorStore | undefined;
  let progress: { done: number; total: number } | undefined;
  /** Of the last question and of the last update: one that works says nothing about the other. */
  const problems: { query?: string | undefined; update?: string | undefined } = {};
  /** Numbers of a question's vector that are not those of the stored ones, until an update has looked into it. */
  let otherLength: number | undefined;
  /** Those that only questions have, as an update has seen: the stored vectors are right. */
  let queryOnlyLength: number | undefined;
  let isUpdating = false;

  const vectorFolder = join(folder, 'vectors');
  /** Of the files when this launch last read or wrote them. */
  let known = '';

  const problem = (): string | undefined => {
    const why = problems.update ?? problems.query;
    return why === undefined ? undefined : byWordsAlone(why);
  };

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
    const before = problem();
    const vector = comparable(asked, limit.aborted);
    if (problem() !== before) onChange();
    if (vector === undefined) return [];
    const found = await store().nearest(vector, MAX_NEAR, signal);
    return found.map(({ key }) => key);
  }

  /** The vector of a question, if it can be compared with the stored ones; otherwise `problems.query` says why not. */
  function comparable(asked: EmbeddingOutcome, isLate: boolean): Float32Array | undefined {
    problems.query = undefined;
    if (!asked.ok) {
      problems.query = isLate
        ? `The embedding model gave no answer within ${QUERY_MS / 1_000} s.`
        : asked.message;
      return undefined;
    }
    const [vector] = asked.vectors;
    if (vector === undefined || !isUsableVector(vector) || vector.every((x) => x === 0)) {
      problems.query = ofNoUse(model);
      return undefined;
    }
    const { length } = vector;
    // Another launch may have made them anew.
    if (length !== store().dimensions && !isUpdating && stateOf(vectorFolder) !== known)
      opened = undefined;
    const { dimensions } = store();
    if (dimensions === undefined || length === dimensions) {
      otherLength = undefined;
      return vector;
    }
    if (length !== queryOnlyLength) otherLength = length;
    problems.query =
      length === queryOnlyLength
        ? differently(model, length, dimensions)
        : `The embedding model "${model}" gives ${length} numbers now and gave ${dimensions} before: all documents are compared anew.`;
    return undefined;
  }

  /**
   * Drops all vectors if a text has another length than they have, as a question had. Only a text can tell: of a model that
   * treats the two differently, all would be made anew again and again.
   *
   * @returns false when the server did not tell
   */
  async function checkLength(
    vectors: VectorStore,
    texts: MeantTexts,
    { signal, mayWrite }: UpdateRights,
  ): Promise<boolean> {
    const { dimensions } = vectors;
    if (otherLength === undefined || dimensions === undefined || dimensions === otherLength)
      return true;
    for (const { text } of texts(() => true)) {
      const answer = await embed([text], signal);
      if (signal.aborted || !mayWrite()) return false;
      const vector = answer.ok ? answer.vectors[0] : undefined;
      if (vector === undefined || !isUsableVector(vector)) {
        problems.update = answer.ok ? ofNoUse(model) : answer.message;
        return false;
      }
      if (vector.length === dimensions) {
        queryOnlyLength = otherLength;
        problems.query = differently(model, otherLength, dimensions);
      } else {
        vectors.clear();
        problems.query = undefined;
      }
      otherLength = undefined;
      break;
    }
    return true;
  }

  async function update(
    keys: ReadonlySet<string>,
    texts: MeantTexts,
    rights: UpdateRights,
  ): Promise<boolean> {
    const { signal, mayWrite } = rights;
    // Another launch may have written since: what was read before would be written over it.
    if (stateOf(vectorFolder) !== known) opened = undefined;
    const vectors = store();
    const gone = [...vectors.keys()].filter((key) => !keys.has(key));
    if (gone.length > 0) {
      vectors.delete(gone);
      vectors.flush();
    }
    if (!(await checkLength(vectors, texts, rights))) return false;
    let failure: string | undefined;
    const tell = (): void => {
      progress = { done: vectors.size, total: keys.size };
      onChange();
    };
    // Before the first answer too, which may take minutes. Not after a failure: whoever asks at each change would never end.
    const isWell = problems.update === undefined;
    const isWhole = await embedMissing({
      vectors,
      texts,
      embed(...asked) {
        if (isWell && progress === undefined) tell();
        return embed(...asked);
      },
      signal,
      mayWrite,
      onAnswer(why) {
        const isNews = why === undefined || why !== problems.update;
        problems.update = failure = why;
        if (isNews) tell();
      },
    });
    if (!mayWrite()) {
      opened = undefined; // what is in memory was never written, and somebody else writes
      return false;
    }
    const written = vectors.flush();
    if (!signal.aborted) problems.update = written.ok ? failure : written.message;
    if (otherLength !== undefined && otherLength === vectors.dimensions) {
      otherLength = undefined;
      problems.query = undefined;
    }
    known = stateOf(vectorFolder);
    return isWhole;
  }

  return {
    nearest: (query, signal) => nearest(query, signal).catch(() => []),
    async update(keys, texts, signal) {
      const taken = takeLock(join(folder, 'vectors.lock'), token);
      if (taken.kind !== 'held') return false;
      const before = problem();
      isUpdating = true;
      try {
        const mayWrite = (): boolean => taken.lock.isHeld();
        const isWhole = await update(keys, texts, { signal, mayWrite });
        return isWhole && problems.update === undefined;
      } catch (error) {
        problems.update = error instanceof Error ? error.message : String(error);
        return false;
      } finally {
        isUpdating = false;
        taken.lock.release();
        if (progress !== undefined || problem() !== before) {
          progress = undefined;
          onChange();
        }
      }
    },
    isStale: () => otherLength !== undefined,
    progress: () => progress,
    problem,
  };
}

const ofNoUse = (model: string): string =>
  `The embedding model "${model}" gave a vector of no use. Choose another one.`;

const differently = (model: string, query: number, text: number): string =>
  `The embedding model "${model}" gives ${query} numbers for a question and ${text} for a text, which cannot be compared. Choose another one.`;

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
