import type { Vocabulary } from './vocabulary';
import { IN_RUN, MAY_JOIN, type Mark, type Words } from './words';

/**
 * Words in a row as they are compared: those of a text, or of stretches of it, with the words joined that are broken at a
 * line's end.
 */
export interface Sequence {
  /** What it was made of. */
  read: Words;
  /** The same number = the same word. */
  words: Int32Array;
  /** The punctuation before each. */
  before: Int32Array;
  /** The same number = the same word but for accents. */
  plain: Int32Array;
  /** Where each begins in `read`, and behind the last one where that ends. */
  firsts: Int32Array;
  /** Whether what stands behind the last word belongs to it. */
  isWhole: boolean;
}

/** Two words that a hyphen joins, as one number. */
const PAIR = 2 ** 26;

/** Two words side by side: what a word broken at a line's end may also be. `second` is the place of the second. */
export const pairAt = ({ words }: Words, second: number): number =>
  (words[second - 1] ?? 0) * PAIR + (words[second] ?? 0);

/** A part of the words of a text; `to` is the first behind it. */
export interface Part {
  from: number;
  to: number;
}

const joins = ({ flags }: Words, second: number, keeps: (second: number) => boolean): boolean =>
  ((flags[second] ?? 0) & MAY_JOIN) !== 0 && !keeps(second);

/**
 * @param keeps whether the hyphen before a word, which only a line's end makes doubtful, is part of what is said: without it the
 * two halves are one word
 * @param parts in order, without overlap
 * @param stop stands between two parts
 */
export function sequenceOf(
  read: Words,
  vocabulary: Vocabulary,
  keeps: (second: number) => boolean,
  parts: readonly Part[],
  stop: number,
): Sequence {
  const size = parts.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const words = new Int32Array(size);
  const before = new Int32Array(size);
  const plain = new Int32Array(size);
  const firsts = new Int32Array(size + 1);
  let next = 0;
  let end = 0;
  const push = (word: number, signs: number, first: number): void => {
    words[next] = word;
    before[next] = signs;
    plain[next] = vocabulary.plainOf(word);
    firsts[next] = first;
    next += 1;
  };
  for (const { from, to } of parts) {
    if (next > 0) push(stop, 0, end);
    for (let n = from; n < to; n += 1) {
      const first = n;
      let word = read.words[n] ?? 0;
      if (n + 1 < to && joins(read, n + 1, keeps)) {
        let text = vocabulary.textOf(word);
        while (n + 1 < to && joins(read, n + 1, keeps)) {
          n += 1;
          text += vocabulary.textOf(read.words[n] ?? 0);
        }
        word = vocabulary.of(text);
      }
      push(word, read.before[first] ?? 0, first);
    }
    end = to;
  }
  firsts[next] = end;
  return {
    read,
    words: words.subarray(0, next),
    before: before.subarray(0, next),
    plain: plain.subarray(0, next),
    firsts: firsts.subarray(0, next + 1),
    isWhole: true,
  };
}

/** A part of a sequence. What stands behind its last word belongs to it only where the sequence ends. */
export function partOf(sequence: Sequence, { from, to }: Part): Sequence {
  return {
    read: sequence.read,
    words: sequence.words.subarray(from, to),
    before: sequence.before.subarray(from, to),
    plain: sequence.plain.subarray(from, to),
    firsts: sequence.firsts.subarray(from, to + 1),
    isWhole: to === sequence.words.length,
  };
}

/** What may be missing before a word of a sequence, or behind its last one. */
export const markAt = ({ read, firsts }: Sequence, at: number): Mark | undefined =>
  read.marks.get(firsts[at] ?? -1);

/** Flags of the word in its text. */
export const flagsAt = ({ read, firsts }: Sequence, at: number): number =>
  read.flags[firsts[at] ?? -1] ?? 0;

/** A word is two half words, a character of a script without spaces one, as its words have two characters and more. */
export const costAt = (sequence: Sequence, at: number): number =>
  (flagsAt(sequence, at) & IN_RUN) === 0 ? 2 : 1;

/** Half words of a sequence. */
export function weightOf(sequence: Sequence): number {
  let weight = 0;
  for (let at = 0; at < sequence.words.length; at += 1) weight += costAt(sequence, at);
  return weight;
}

/** Words of a text in a row, as places in what was read of it; `to` is the last one. */
export interface Stretch {
  from: number;
  to: number;
}

export const stretchOf = ({ firsts }: Sequence, from: number, to: number): Stretch => ({
  from: firsts[from] ?? 0,
  to: (firsts[to + 1] ?? 1) - 1,
});
