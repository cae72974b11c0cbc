import type { FileRow } from './file-row';

/** The bit of a count that says the term is in a heading above, or in the title; the other seven count it in the text. */
export const IN_HEADING = 0x80;
const MAX_COUNT = 0x7f;

/** Stretches of a segment: a place fits in two bytes. */
export const MAX_STRETCHES = 0xffff;

/** Numbers a stretch has in `Segment.stretches`: place of its file, where it starts and ends, its length in terms. */
export const STRETCH_FIELDS = 4;

/** A stretch of a document that is found as one: a block, or a run of small neighbouring ones. Offsets in the readable text. */
export interface Stretch {
  start: number;
  end: number;
  /** Terms with repetitions. */
  length: number;
  /** By term, how often it is there, at most 127, and `IN_HEADING`. */
  counts: ReadonlyMap<string, number>;
}

/**
 * A part of the index: some files with their stretches, and which terms those have. Never changed once made. A segment
 * knows its terms itself, so that it can be read, dropped and made anew without its neighbours; terms are bytes and numbers
 * in one buffer each, because a string and a Map entry for every one of half a million cost five times as much.
 */
export interface Segment {
  files: readonly FileRow[];
  /** `STRETCH_FIELDS` numbers each. */
  stretches: Uint32Array;
  /** All terms in UTF-8, sorted by their UTF-16 units, one behind the other. */
  letters: Buffer;
  /** By term, where it ends in `letters`. */
  ends: Uint32Array;
  /** By term, where its postings begin; one more at the end. */
  starts: Uint32Array;
  /** By posting: the place of the stretch. */
  places: Uint16Array;
  /** By posting: the count of `Stretch`. */
  counts: Uint8Array;
}

export const stretchCount = ({ stretches }: Segment): number => stretches.length / STRETCH_FIELDS;

/** Adds one to a count of a stretch. */
export function counted(count: number | undefined): number {
  if (count === undefined) return 1;
  return (count & MAX_COUNT) === MAX_COUNT ? count : count + 1;
}

/** The n-th term of a segment. */
export function termAt({ letters, ends }: Segment, place: number): string {
  return letters.toString('utf8', place === 0 ? 0 : ends[place - 1], ends[place]);
}

/** Place of the first term that is not before this one; the number of terms when all are. */
export function lowerBound(segment: Segment, term: string): number {
  let low = 0;
  let high = segment.ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (termAt(segment, middle) < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Place of a term; -1 when no stretch has it. */
export function placeOf(segment: Segment, term: string): number {
  const place = lowerBound(segment, term);
  return place < segment.ends.length && termAt(segment, place) === term ? place : -1;
}

/** Collects files for a segment. */
export interface SegmentBuilder {
  addFile(row: FileRow, stretches: readonly Stretch[]): void;
  /** Takes over those files of a segment, under these rows; others are left out. */
  addFrom(segment: Segment, rowOf: (place: number) => FileRow | undefined): void;
  fileCount(): number;
  stretchCount(): number;
  build(): Segment;
}

export function createSegmentBuilder(): SegmentBuilder {
  const files: FileRow[] = [];
  const stretches: number[] = [];
  /** Terms by the order in which they came. */
  const numbers = new Map<string, number>();
  /** By posting, in the order of the stretches: the number of its term, and place * 256 + count. */
  const postingTerms: number[] = [];
  const postings: number[] = [];

  function addPosting(term: string, place: number, count: number): void {
    let number = numbers.get(term);
    if (number === undefined) numbers.set(term, (number = numbers.size));
    postingTerms.push(number);
    postings.push(place * 256 + count);
  }

  const nextPlace = (): number => stretches.length / STRETCH_FIELDS;

  return {
    addFile(row, made) {
      files.push(row);
      for (const { start, end, length, counts } of made) {
        const place = nextPlace();
        stretches.push(files.length - 1, start, end, length);
        for (const [term, count] of counts) addPosting(term, place, count);
      }
    },
    addFrom(segment, rowOf) {
      const newFiles = segment.files.map((_file, place) => {
        const row = rowOf(place);
        return row === undefined ? -1 : files.push(row) - 1;
      });
      const newPlaces = new Int32Array(stretchCount(segment)).fill(-1);
      for (let place = 0; place < newPlaces.length; place += 1) {
        const [file = 0, start = 0, end = 0, length = 0] = segment.stretches.subarray(
          place * STRETCH_FIELDS,
          (place + 1) * STRETCH_FIELDS,
        );
        const newFile = newFiles[file] ?? -1;
        if (newFile < 0) continue;
        newPlaces[place] = nextPlace();
        stretches.push(newFile, start, end, length);
      }
      for (let term = 0; term < segment.ends.length; term += 1) {
        let word: string | undefined;
        const end = segment.starts[term + 1] ?? 0;
        for (let at = segment.starts[term] ?? 0; at < end; at += 1) {
          const place = newPlaces[segment.places[at] ?? 0] ?? -1;
          if (place >= 0)
            addPosting((word ??= termAt(segment, term)), place, segment.counts[at] ?? 0);
        }
      }
    },
    fileCount: () => files.length,
    stretchCount: nextPlace,
    build() {
      const terms = [...numbers.keys()].sort();
      const ends = new Uint32Array(terms.length);
      const starts = new Uint32Array(terms.length + 1);
      const places = new Uint16Array(postings.length);
      const counts = new Uint8Array(postings.length);
      const letters = Buffer.alloc(terms.reduce((sum, term) => sum + Buffer.byteLength(term), 0));
      const sizes = new Uint32Array(terms.length);
      for (const number of postingTerms) sizes[number] = (sizes[number] ?? 0) + 1;
      /** By number of the term, where its next posting goes. */
      const next = new Uint32Array(terms.length);
      let end = 0;
      for (const [rank, term] of terms.entries()) {
        ends[rank] = end += letters.write(term, end);
        const number = numbers.get(term) ?? 0;
        const start = starts[rank] ?? 0;
        next[number] = start;
        starts[rank + 1] = start + (sizes[number] ?? 0);
      }
      for (const [at, number] of postingTerms.entries()) {
        const place = next[number] ?? 0;
        const posting = postings[at] ?? 0;
        next[number] = place + 1;
        places[place] = posting >>> 8;
        counts[place] = posting & 0xff;
      }
      return {
        files: [...files],
        stretches: Uint32Array.from(stretches),
        letters,
        ends,
        starts,
        places,
        counts,
      };
    },
  };
}
