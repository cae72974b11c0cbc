import type { Vocabulary } from './vocabulary';

/** Conversations of a shard: a place fits in a byte, and one that changed costs a file of half a megabyte. */
export const SHARD_DOCS = 256;

/** The bit of a count that says the term is in the title; the other seven count it in the text. */
export const IN_TITLE = 0x80;
const MAX_COUNT = 0x7f;

/** A conversation as the index knows it. */
export interface IndexedDoc {
  id: string;
  /** The version of the file that was read, see `stampOf`. */
  stamp: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** Terms of its text, with repetitions. */
  length: number;
}

/** One conversation with its terms. */
export interface Entry {
  doc: IndexedDoc;
  /** By number of the term: how often it is in the text, at most 127, and `IN_TITLE`. */
  counts: ReadonlyMap<number, number>;
}

/** The terms of up to `SHARD_DOCS` conversations, by term. Never changed once made. */
export interface Shard {
  docs: readonly IndexedDoc[];
  /** Numbers of terms, rising. */
  terms: Uint32Array;
  /** By place in `terms`, where its postings begin; one more at the end. */
  starts: Uint32Array;
  /** By posting: the place in `docs`. */
  places: Uint8Array;
  /** By posting: the count of `Entry`. */
  counts: Uint8Array;
}

/** Adds one to a count of an entry. */
export function counted(count: number | undefined): number {
  if (count === undefined) return 1;
  return (count & MAX_COUNT) === MAX_COUNT ? count : count + 1;
}

/** @param entries at most `SHARD_DOCS` */
export function pack(entries: readonly Entry[]): Shard {
  const size = entries.reduce((sum, { counts }) => sum + counts.size, 0);
  // Term, place and count in one number each, which sorts natively; 2^53 leaves room for 2^37 terms.
  const postings = new Float64Array(size);
  let next = 0;
  for (const [place, { counts }] of entries.entries()) {
    for (const [term, count] of counts) {
      postings[next] = (term * 256 + place) * 256 + count;
      next += 1;
    }
  }
  postings.sort();
  const terms: number[] = [];
  const starts: number[] = [];
  const places = new Uint8Array(size);
  const counts = new Uint8Array(size);
  let last = -1;
  for (let at = 0; at < size; at += 1) {
    const posting = postings[at] ?? 0;
    const term = Math.floor(posting / 65_536);
    const rest = posting % 65_536;
    if (term !== last) {
      last = term;
      terms.push(term);
      starts.push(at);
    }
    places[at] = rest >> 8;
    counts[at] = rest & 0xff;
  }
  starts.push(size);
  const docs = entries.map(({ doc }) => doc);
  return { docs, terms: Uint32Array.from(terms), starts: Uint32Array.from(starts), places, counts };
}

/** What `pack` was given. */
export function unpack(shard: Shard): Entry[] {
  const entries = shard.docs.map((doc) => ({ doc, counts: new Map<number, number>() }));
  for (let index = 0; index < shard.terms.length; index += 1) {
    const term = shard.terms[index] ?? 0;
    const end = shard.starts[index + 1] ?? 0;
    for (let at = shard.starts[index] ?? 0; at < end; at += 1) {
      entries[shard.places[at] ?? 0]?.counts.set(term, shard.counts[at] ?? 0);
    }
  }
  return entries;
}

/** Where the postings of a term are: the place in `terms`; -1 when no conversation of the shard has it. */
export function placeOf({ terms }: Shard, term: number): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = terms[middle] ?? 0;
    if (found === term) return middle;
    if (found < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The terms of a shard as words, in its order. */
export const wordsOf = ({ terms }: Shard, vocabulary: Vocabulary): string[] =>
  Array.from(terms, (term) => vocabulary.termOf(term));
