import { createHash } from 'node:crypto';

import * as z from 'zod/mini';

import { SHARD_DOCS, wordsOf, type Shard } from './shard';
import type { Vocabulary } from './vocabulary';

/** A later version of the words or of this file gets another number: the old index is then built anew. */
const VERSION = 1;

const BodySchema = z.object({
  version: z.literal(VERSION),
  docs: z
    .array(
      z.object({ id: z.string(), stamp: z.string(), updatedAt: z.number(), length: z.number() }),
    )
    .check(z.maxLength(SHARD_DOCS)),
  /** The terms, one a line. */
  terms: z.string(),
  /** In base64: by term the number of its postings, two bytes each, little end first. */
  sizes: z.string(),
  places: z.string(),
  counts: z.string(),
});

/** More than a shard can have terms: 256 conversations of 20,000 each. */
const PLACES = 2 ** 23;

/** Sixteen hexadecimal digits: enough to tell a torn file; it is no protection against a person. */
const sumOf = (body: string): string =>
  createHash('sha256').update(body).digest('hex').slice(0, 16);

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** A line with the sum of the rest, and the rest. */
export function encodeShard(shard: Shard, vocabulary: Vocabulary): string {
  const sizes = Buffer.alloc(2 * shard.terms.length);
  for (let place = 0; place < shard.terms.length; place += 1) {
    sizes.writeUInt16LE((shard.starts[place + 1] ?? 0) - (shard.starts[place] ?? 0), 2 * place);
  }
  const body = JSON.stringify({
    version: VERSION,
    docs: shard.docs,
    terms: wordsOf(shard, vocabulary).join('\n'),
    sizes: base64(sizes),
    places: base64(shard.places),
    counts: base64(shard.counts),
  });
  return `${sumOf(body)}\n${body}`;
}

/** Undefined when the text is not a whole shard of this version. */
export function decodeShard(text: string, vocabulary: Vocabulary): Shard | undefined {
  const line = text.indexOf('\n');
  const body = text.slice(line + 1);
  if (line < 0 || text.slice(0, line) !== sumOf(body)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const parsed = z.safeParse(BodySchema, value);
  if (!parsed.success) return undefined;
  const { docs, ...lists } = parsed.data;
  const words = lists.terms === '' ? [] : lists.terms.split('\n');
  const sizes = Buffer.from(lists.sizes, 'base64');
  const places = new Uint8Array(Buffer.from(lists.places, 'base64'));
  const counts = new Uint8Array(Buffer.from(lists.counts, 'base64'));
  if (sizes.length !== 2 * words.length || places.length !== counts.length) return undefined;
  for (let at = 0; at < places.length; at += 1)
    if ((places[at] ?? 0) >= docs.length) return undefined;
  const starts = [0];
  for (let place = 0; place < words.length; place += 1)
    starts.push((starts[place] ?? 0) + sizes.readUInt16LE(2 * place));
  if (starts.at(-1) !== places.length) return undefined;
  return renumbered({ docs, words, starts, places, counts }, vocabulary);
}

/** The numbers of terms are those of this process: the postings are put in their order. Undefined when a term is there twice. */
function renumbered(
  given: Pick<Shard, 'docs' | 'places' | 'counts'> & { words: string[]; starts: number[] },
  vocabulary: Vocabulary,
): Shard | undefined {
  // Number and place in one value each, which sorts natively.
  const order = new Float64Array(given.words.length);
  for (let place = 0; place < order.length; place += 1)
    order[place] = vocabulary.numberOf(given.words[place] ?? '') * PLACES + place;
  order.sort();
  const terms = new Uint32Array(order.length);
  const starts = new Uint32Array(order.length + 1);
  const places = new Uint8Array(given.places.length);
  const counts = new Uint8Array(given.counts.length);
  let at = 0;
  for (let place = 0; place < order.length; place += 1) {
    const value = order[place] ?? 0;
    const term = Math.floor(value / PLACES);
    if (place > 0 && term === terms[place - 1]) return undefined;
    terms[place] = term;
    const end = given.starts[(value % PLACES) + 1] ?? 0;
    for (let from = given.starts[value % PLACES] ?? 0; from < end; from += 1) {
      places[at] = given.places[from] ?? 0;
      counts[at] = given.counts[from] ?? 0;
      at += 1;
    }
    starts[place + 1] = at;
  }
  return { docs: given.docs, terms, starts, places, counts };
}
