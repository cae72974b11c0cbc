import { createHash } from 'node:crypto';

import * as z from 'zod/mini';

import { FileRowSchema } from './file-row';
import { MAX_STRETCHES, STRETCH_FIELDS, type Segment } from './segment';

/** A later version of the words, the blocks or of this file gets another number: the old index is then built anew. */
const VERSION = 1;

/** The first four bytes; read as a number it also tells that the bytes of numbers are in this machine's order. */
const MAGIC = 0x4c_61_6d_44;

/** Magic and version, length of the head, and eight bytes of the sum of all that follows. */
const PREFIX = 20;

const HeadSchema = z.object({
  files: z.array(FileRowSchema),
  /** Numbers in each list. */
  sizes: z.object({
    stretches: z.int().check(z.nonnegative()),
    letters: z.int().check(z.nonnegative()),
    terms: z.int().check(z.nonnegative()),
    postings: z.int().check(z.nonnegative()),
  }),
});

const sumOf = (head: Uint8Array, body: Uint8Array): Buffer =>
  createHash('sha256').update(head).update(body).digest().subarray(0, 8);

const padded = (length: number): number => Math.ceil(length / 4) * 4;

const bytesOf = (list: Uint32Array | Uint16Array | Uint8Array): Buffer =>
  Buffer.from(list.buffer, list.byteOffset, list.byteLength);

/** All numbers as they lie in memory, each list beginning at a multiple of four bytes. */
export function encodeSegment(segment: Segment): Buffer {
  const { files, stretches, letters, ends, starts, places, counts } = segment;
  const sizes = {
    stretches: stretches.length,
    letters: letters.length,
    terms: ends.length,
    postings: places.length,
  };
  const head = Buffer.from(JSON.stringify({ files, sizes }));
  const parts = [head, bytesOf(stretches), bytesOf(ends), bytesOf(starts), bytesOf(places)];
  parts.push(bytesOf(counts), bytesOf(letters));
  const body = Buffer.alloc(parts.reduce((sum, part) => sum + padded(part.length), 0));
  let at = 0;
  for (const part of parts) {
    part.copy(body, at);
    at += padded(part.length);
  }
  const prefix = Buffer.alloc(PREFIX);
  const numbers = new Uint32Array([MAGIC, VERSION, head.length]);
  bytesOf(numbers).copy(prefix);
  sumOf(bytesOf(numbers), body).copy(prefix, 12);
  return Buffer.concat([prefix, body]);
}

/** Undefined when the bytes are not a whole segment of this version. Never throws. */
export function decodeSegment(given: Uint8Array): Segment | undefined {
  if (given.length < PREFIX) return undefined;
  // A copy where the bytes do not begin at a multiple of four, as numbers must.
  const bytes = given.byteOffset % 4 === 0 ? given : Uint8Array.from(given);
  const [magic, version, headLength = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 3);
  if (magic !== MAGIC || version !== VERSION) return undefined;
  const body = bytes.subarray(PREFIX);
  const sum = sumOf(bytes.subarray(0, 12), body);
  if (!sum.equals(bytes.subarray(12, PREFIX)) || headLength > body.length) return undefined;
  const head = headOf(body.subarray(0, headLength));
  if (head === undefined) return undefined;
  const { sizes } = head;
  let at = PREFIX + padded(headLength);
  const take = (length: number): { buffer: ArrayBufferLike; offset: number } => {
    const offset = bytes.byteOffset + at;
    at += padded(length);
    return { buffer: bytes.buffer, offset };
  };
  const total =
    padded(4 * sizes.stretches) +
    padded(4 * sizes.terms) +
    padded(4 * (sizes.terms + 1)) +
    padded(2 * sizes.postings) +
    padded(sizes.postings) +
    padded(sizes.letters);
  if (at + total !== bytes.length) return undefined;
  const numbers = (count: number): Uint32Array => {
    const { buffer, offset } = take(4 * count);
    return new Uint32Array(buffer, offset, count);
  };
  const stretches = numbers(sizes.stretches);
  const ends = numbers(sizes.terms);
  const starts = numbers(sizes.terms + 1);
  const placesAt = take(2 * sizes.postings);
  const places = new Uint16Array(placesAt.buffer, placesAt.offset, sizes.postings);
  const countsAt = take(sizes.postings);
  const counts = new Uint8Array(countsAt.buffer, countsAt.offset, sizes.postings);
  const lettersAt = take(sizes.letters);
  const letters = Buffer.from(lettersAt.buffer, lettersAt.offset, sizes.letters);
  const segment = { files: head.files, stretches, letters, ends, starts, places, counts };
  return isSound(segment) ? segment : undefined;
}

function headOf(bytes: Uint8Array): z.infer<typeof HeadSchema> | undefined {
  try {
    const parsed = z.safeParse(HeadSchema, JSON.parse(Buffer.from(bytes).toString()));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** True when every number that is a place is one. */
function isSound({ files, stretches, ends, starts, places }: Segment): boolean {
  const count = stretches.length / STRETCH_FIELDS;
  if (!Number.isInteger(count) || count > MAX_STRETCHES) return false;
  for (let at = 0; at < stretches.length; at += STRETCH_FIELDS)
    if ((stretches[at] ?? 0) >= files.length) return false;
  for (const place of places) if (place >= count) return false;
  for (let term = 0; term < ends.length; term += 1) {
    if ((starts[term] ?? 0) > (starts[term + 1] ?? 0)) return false;
    if (term > 0 && (ends[term - 1] ?? 0) > (ends[term] ?? 0)) return false;
  }
  return starts.at(-1) === places.length;
}
