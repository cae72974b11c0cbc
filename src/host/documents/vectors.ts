import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import {
  encodeVector,
  readVectorFile,
  room,
  SHARD_VECTORS,
  writeVectorFile,
  type Codes,
} from './vector-file';

/**
 * Bytes of vectors that stay in memory between questions, some 87,000 of 768 numbers; what is beyond is read from its file
 * at each question, one file at a time. With 200,000: 64 MB of vectors, at most two shards of 3 MB, and some 40 MB of keys.
 */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Milliseconds after which what a broken-off write left behind is nobody's. */
const LEFTOVER_MS = 60 * 60_000;

/** @public */
export interface VectorEntry {
  /** Not empty. */
  key: string;
  vector: Float32Array;
}

/** A vector that is near to a query. */
interface Neighbour {
  key: string;
  /** The cosine of the angle between them, off by about 0.01 at most for real embeddings. */
  score: number;
}

type StoreOutcome =
  | { ok: true }
  /**
   * Nothing was stored: `mismatch`, the vectors have another length than those of the store; `unusable`, they are no vectors
   * or of several lengths. `disk`: they are only in memory.
   */
  | { ok: false; reason: 'mismatch' | 'unusable' | 'disk'; message: string };

/** Vectors by key. Keys are kept in files; one writer at a time is the caller's to see to. Nothing here throws. */
export interface VectorStore {
  readonly size: number;
  /** Numbers of each vector; undefined while there are none. */
  readonly dimensions: number | undefined;
  has: (key: string) => boolean;
  keys: () => IterableIterator<string>;
  /** Stores vectors, also in place of others of the same key. A shard that becomes full is written at once. */
  set: (entries: readonly VectorEntry[]) => StoreOutcome;
  /** Takes vectors out; they leave the disk with the next `flush`. Unknown keys are ignored. */
  delete: (keys: Iterable<string>) => void;
  /**
   * The vectors nearest to the query, best first, equal ones by key. Compares all of them, and lets other work go on between
   * the shards. Empty for a query of another length or of length 0, and when `signal` fires. Never rejects.
   */
  nearest: (query: Float32Array, limit: number, signal: AbortSignal) => Promise<Neighbour[]>;
  /** Writes what has changed. */
  flush: () => StoreOutcome;
  /** Removes all vectors, from the disk too. */
  clear: () => void;
}

interface Shard {
  number: number;
  /** By place; undefined where a vector was taken out. */
  keys: (string | undefined)[];
  /** Undefined while it is only in its file. May have room for more than there are keys. */
  vectors: Codes | undefined;
  isDirty: boolean;
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is looked at again at the next launch.
  }
}

const bytesOf = ({ codes, scales }: Codes): number => codes.byteLength + scales.byteLength;

/** Adds to the best so far what of a shard is nearer to the query. `best` is sorted. */
function rank(
  { keys }: Shard,
  { dimensions, scales, codes }: Codes,
  query: Codes,
  limit: number,
  best: Neighbour[],
): void {
  const asked = query.codes;
  const askedScale = query.scales[0] ?? 0;
  for (let place = 0; place < keys.length; place += 1) {
    const key = keys[place];
    const scale = scales[place] ?? 0;
    if (key === undefined || scale === 0) continue; // zeros are near to nothing
    const from = place * dimensions;
    let sum = 0; // at most 8,192 times 127 squared: below 2^31
    for (let at = 0; at < dimensions; at += 1)
      sum = (sum + Math.imul(codes[from + at] ?? 0, asked[at] ?? 0)) | 0;
    const score = sum * scale * askedScale;
    const last = best.length < limit ? undefined : best.at(-1);
    if (last !== undefined && !isBetter({ key, score }, last)) continue;
    // Moved to a later shard while earlier ones were compared.
    const double = best.findIndex((neighbour) => neighbour.key === key);
    if (double >= 0) best.splice(double, 1);
    else if (last !== undefined) best.pop();
    const worse = best.findIndex((neighbour) => isBetter({ key, score }, neighbour));
    best.splice(worse < 0 ? best.length : worse, 0, { key, score });
  }
}

const isBetter = (a: Neighbour, b: Neighbour): boolean =>
  a.score > b.score || (a.score === b.score && a.key < b.key);

/** False for what no server means: no numbers, or some that are none. */
export const isUsableVector = (vector: Float32Array): boolean =>
  vector.length > 0 && vector.every(Number.isFinite);

export interface VectorStoreOptions {
  /** The name of the model that made the vectors. Files that name another are removed. */
  model: string;
  /** Bytes that stay in memory instead of `MAX_KEPT_BYTES`. */
  keptBytes?: number;
}

/**
 * Opens the vectors below a folder, which is made when the first file is written. Reads every file once (150 MB, of 200,000
 * vectors, take under a second), and removes those that are damaged or of another model or version: their vectors are
 * missing then (`has`), and are made again.
 */
export function createVectorStore(
  folder: string,
  { model, keptBytes = MAX_KEPT_BYTES }: VectorStoreOptions,
): VectorStore {
  const shards = new Map<number, Shard>();
  /** By key: the number of its shard times `SHARD_VECTORS`, and its place there. */
  const places = new Map<string, number>();
  let dimensions: number | undefined;
  let last = 0;
  const pathOf = (number: number): string => join(folder, `${number}.vec`);

  function open(): void {
    const names = namesIn(folder);
    const numbers = names.map((name) => Number(/^([1-9]\d{0,8})\.vec$/.exec(name)?.[1] ?? 0));
    for (const number of numbers.filter((one) => one > 0).sort((a, b) => a - b)) adopt(number);
    for (const name of names) removeLeftover(join(folder, name));
    keepWithinBounds();
  }

  function adopt(number: number): void {
    const decoded = readVectorFile(pathOf(number), model);
    if (
      decoded === undefined ||
      decoded.vectors.dimensions !== (dimensions ?? decoded.vectors.dimensions)
    ) {
      remove(pathOf(number));
      return;
    }
    dimensions = decoded.vectors.dimensions;
    last = Math.max(last, number);
    const shard: Shard = { number, keys: decoded.keys, vectors: decoded.vectors, isDirty: false };
    shards.set(number, shard);
    for (const [place, key] of decoded.keys.entries()) {
      takeOut(key);
      places.set(key, number * SHARD_VECTORS + place);
    }
    keepWithinBounds();
  }

  /** Lets go of vectors that are in their file too, those of the newest shards first. */
  function keepWithinBounds(): void {
    let kept = 0;
    for (const shard of shards.values()) {
      if (shard.vectors === undefined) continue;
      kept += bytesOf(shard.vectors);
      if (kept <= keptBytes || shard.isDirty) continue;
      kept -= bytesOf(shard.vectors);
      shard.vectors = undefined;
    }
  }

  /** The vectors of a shard, from its file if need be. One that is gone or was changed by somebody else is given up. */
  function vectorsOf(shard: Shard): Codes | undefined {
    if (shard.vectors !== undefined) return shard.vectors;
    const decoded = readVectorFile(pathOf(shard.number), model);
    const isSame =
      decoded?.keys.length === shard.keys.length &&
      decoded.vectors.dimensions === dimensions &&
      shard.keys.every((key, place) => key === undefined || key === decoded.keys[place]);
    if (isSame) return decoded.vectors;
    shards.delete(shard.number);
    for (const key of shard.keys) if (key !== undefined) places.delete(key);
    return undefined;
  }

  function takeOut(key: string): void {
    const at = places.get(key);
    if (at === undefined) return;
    places.delete(key);
    const shard = shards.get(Math.floor(at / SHARD_VECTORS));
    if (shard === undefined) return;
    shard.keys[at % SHARD_VECTORS] = undefined;
    shard.isDirty = true;
  }

  /** A shard with room for one more, and its vectors with room for all. */
  function roomyShard(length: number): { shard: Shard; vectors: Codes } {
    for (const shard of shards.values()) {
      if (shard.keys.length >= SHARD_VECTORS) continue;
      const before = vectorsOf(shard);
      if (before === undefined) continue;
      if (before.scales.length === SHARD_VECTORS) return { shard, vectors: before };
      const vectors = room(length, SHARD_VECTORS);
      vectors.scales.set(before.scales);
      vectors.codes.set(before.codes);
      shard.vectors = vectors;
      return { shard, vectors };
    }
    last += 1;
    const vectors = room(length, SHARD_VECTORS);
    const shard: Shard = { number: last, keys: [], vectors, isDirty: true };
    shards.set(last, shard);
    return { shard, vectors };
  }

  /** Writes the living vectors of a shard, and leaves it without gaps. */
  function write(shard: Shard): StoreOutcome {
    const before = vectorsOf(shard);
    if (before === undefined) return { ok: true };
    const living = [...shard.keys.entries()].filter(
      (entry): entry is [number, string] => entry[1] !== undefined,
    );
    if (living.length === 0) {
      remove(pathOf(shard.number));
      shards.delete(shard.number);
      return { ok: true };
    }
    if (living.length < shard.keys.length) {
      const length = before.dimensions;
      const vectors = room(length, living.length);
      for (const [to, [from]] of living.entries()) {
        vectors.scales[to] = before.scales[from] ?? 0;
        vectors.codes.set(before.codes.subarray(from * length, (from + 1) * length), to * length);
      }
      shard.keys = living.map(([, key]) => key);
      shard.vectors = vectors;
      for (const [to, [, key]] of living.entries())
        places.set(key, shard.number * SHARD_VECTORS + to);
    }
    try {
      const keys = living.map(([, key]) => key);
      writeVectorFile(pathOf(shard.number), model, keys, shard.vectors ?? before);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      return {
        ok: false,
        reason: 'disk',
        message: `The embeddings could not be written to ${folder} (${code}). Make room on the disk, or empty Embedding Model in Lam's preferences.`,
      };
    }
    shard.isDirty = false;
    return { ok: true };
  }

  open();

  return {
    get size() {
      return places.size;
    },
    get dimensions() {
      return places.size === 0 ? undefined : dimensions;
    },
    has: (key) => places.has(key),
    keys: () => places.keys(),
    set(entries) {
      const length = entries[0]?.vector.length ?? 0;
      const refuse = (reason: 'mismatch' | 'unusable', why: string): StoreOutcome => ({
        ok: false,
        reason,
        message: `The embedding model "${model}" ${why}. Choose another one.`,
      });
      if (!entries.every(({ vector }) => isUsableVector(vector)))
        return refuse('unusable', 'gave a vector of no use');
      if (entries.some(({ vector }) => vector.length !== length))
        return refuse('unusable', 'gave vectors of several lengths at once');
      if (entries.length > 0 && length !== (dimensions ?? length))
        return refuse('mismatch', `gave now ${dimensions ?? 0} and now ${length} numbers`);
      if (entries.length > 0) dimensions = length;
      let outcome: StoreOutcome = { ok: true };
      for (const { key, vector } of entries) {
        takeOut(key);
        const { shard, vectors } = roomyShard(length);
        const place = shard.keys.length;
        encodeVector(vector, vectors, place);
        shard.keys.push(key);
        shard.isDirty = true;
        places.set(key, shard.number * SHARD_VECTORS + place);
        if (shard.keys.length < SHARD_VECTORS) continue;
        const written = write(shard);
        if (!written.ok) outcome = written;
        keepWithinBounds();
      }
      return outcome;
    },
    delete(keys) {
      for (const key of keys) takeOut(key);
    },
    async nearest(query, limit, signal) {
      const isComparable = query.length === dimensions && isUsableVector(query);
      if (limit < 1 || !isComparable || query.every((x) => x === 0)) return [];
      const asked = room(query.length, 1);
      encodeVector(query, asked, 0);
      const best: Neighbour[] = [];
      for (const shard of [...shards.values()]) {
        await nextTick();
        if (signal.aborted) return [];
        const vectors = shards.has(shard.number) ? vectorsOf(shard) : undefined;
        if (vectors?.dimensions === query.length) rank(shard, vectors, asked, limit, best);
      }
      return best.filter(({ key }) => places.has(key));
    },
    flush() {
      let outcome: StoreOutcome = { ok: true };
      for (const shard of [...shards.values()].filter(({ isDirty }) => isDirty)) {
        const written = write(shard);
        if (!written.ok) outcome = written;
        keepWithinBounds();
      }
      return outcome;
    },
    clear() {
      for (const number of shards.keys()) remove(pathOf(number));
      shards.clear();
      places.clear();
      dimensions = undefined;
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeLeftover(path: string): void {
  try {
    const isPart = /\d\.vec\.\d+$/.test(path); // as write-file-atomic names what it has not finished
    if (isPart && Date.now() - statSync(path).mtimeMs > LEFTOVER_MS) remove(path);
  } catch {
    // Somebody else was faster.
  }
}
