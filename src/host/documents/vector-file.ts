import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

/** Of the files below. Also to be raised when other texts are embedded for the same blocks (prefixes, cuts). */
const VERSION = 1;

/** Vectors of one file: 3 MB at 768 numbers, written in a few milliseconds, and compared in about eight. */
export const SHARD_VECTORS = 4_096;

/** Bytes of a file that may be one of ours: full, of the longest vectors, with long keys. */
const MAX_FILE_BYTES = SHARD_VECTORS * 8_192 + 16 * 1024 * 1024;

const MAGIC = 'LAMV';
/** Magic, version, dimensions, count, bytes of the model's name, bytes of the keys: 32 bits each, little-endian. */
const HEAD_BYTES = 24;
const HASH_BYTES = 32;
const CODE_MAX = 127;

const KeysSchema = z.array(z.string());

/** Vectors as bytes: each number is a multiple of its vector's scale, which makes the length 1. */
export interface Codes {
  dimensions: number;
  scales: Float32Array;
  codes: Int8Array;
}

/** Puts a vector among the bytes. A vector of zeros, or one that is no vector, gets the scale 0. */
export function encodeVector(
  vector: Float32Array,
  { dimensions, scales, codes }: Codes,
  place: number,
): void {
  let largest = 0;
  for (const x of vector) largest = Math.max(largest, Math.abs(x));
  let squares = 0;
  // By number and not with entries(), which takes several times as long.
  for (let at = 0; at < dimensions; at += 1) {
    const code = largest === 0 ? 0 : Math.round(((vector[at] ?? 0) / largest) * CODE_MAX);
    codes[place * dimensions + at] = code;
    squares += code * code;
  }
  scales[place] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/** Room for so many vectors. */
export const room = (dimensions: number, count: number): Codes => ({
  dimensions,
  scales: new Float32Array(count),
  codes: new Int8Array(count * dimensions),
});

/** The file of a shard; see `decodeShard`. */
function encodeShard(model: string, keys: readonly string[], vectors: Codes): Buffer {
  const { dimensions } = vectors;
  const name = Buffer.from(model, 'utf8');
  const keyBytes = Buffer.from(JSON.stringify(keys), 'utf8');
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(MAGIC, 'latin1');
  const facts = [VERSION, dimensions, keys.length, name.length, keyBytes.length];
  for (const [at, fact] of facts.entries()) head.writeUInt32LE(fact, 4 + at * 4);
  const scales = Buffer.alloc(keys.length * 4);
  for (let at = 0; at < keys.length; at += 1) scales.writeFloatLE(vectors.scales[at] ?? 0, at * 4);
  const codes = Buffer.from(vectors.codes.buffer, 0, keys.length * dimensions);
  const parts = [head, name, keyBytes, scales, codes];
  return Buffer.concat([...parts, hashOf(parts)]);
}

function hashOf(parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Undefined if the bytes are not whole, or of another version or model. Never throws. */
function decodeShard(bytes: Buffer, model: string): { keys: string[]; vectors: Codes } | undefined {
  if (bytes.length < HEAD_BYTES + HASH_BYTES) return undefined;
  const fact = (at: number): number => bytes.readUInt32LE(4 + at * 4);
  const [version, dimensions, count] = [fact(0), fact(1), fact(2)];
  const keysAt = HEAD_BYTES + fact(3);
  const scalesAt = keysAt + fact(4);
  const codesAt = scalesAt + count * 4;
  const end = codesAt + count * dimensions;
  if (bytes.toString('latin1', 0, 4) !== MAGIC || version !== VERSION) return undefined;
  if (end + HASH_BYTES !== bytes.length || count > SHARD_VECTORS) return undefined;
  if (dimensions === 0) return undefined;
  if (bytes.toString('utf8', HEAD_BYTES, keysAt) !== model) return undefined;
  if (!hashOf([bytes.subarray(0, end)]).equals(bytes.subarray(end))) return undefined;
  const keys = KeysSchema.safeParse(parseJson(bytes.toString('utf8', keysAt, scalesAt))).data;
  if (keys?.length !== count || new Set(keys).size !== count) return undefined;
  const vectors = room(dimensions, count);
  for (let at = 0; at < count; at += 1) vectors.scales[at] = bytes.readFloatLE(scalesAt + at * 4);
  vectors.codes.set(new Int8Array(bytes.buffer, bytes.byteOffset + codesAt, count * dimensions));
  return { keys, vectors };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Undefined when there is none that can be used. Never throws. */
export function readVectorFile(path: string, model: string): ReturnType<typeof decodeShard> {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return undefined;
    return decodeShard(readFileSync(path), model);
  } catch {
    return undefined;
  }
}

/** Writes the whole file or nothing, and its folder if need be. Throws what the disk says. Not synced: a torn file is built anew. */
export function writeVectorFile(
  path: string,
  model: string,
  keys: readonly string[],
  vectors: Codes,
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomic.sync(path, encodeShard(model, keys, vectors), { mode: 0o600, fsync: false });
}
