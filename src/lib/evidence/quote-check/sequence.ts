import { fold } from '../../words';

import type { Mark, Words } from './words';

/** Words as numbers, so that they are compared at once. Offsets are UTF-16 units. */
export interface Sequence {
  /** The same number = the same word. */
  words: Int32Array;
  /** The word together with the punctuation before it. */
  pairs: Float64Array;
  /** The same number = the same word but for accents. */
  plain: Int32Array;
  starts: number[];
  ends: number[];
  isGlued: boolean[];
  isDense: boolean[];
  isApart: boolean[];
  marks: Map<number, Mark>;
}

/** Gives out a number for each string. */
class Numbers {
  readonly #known = new Map<string, number>();

  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const next = this.#known.size + 1;
    this.#known.set(text, next);
    return next;
  }
}

/** More kinds of punctuation between two words than any text has; others would share a number with the next word. */
const PUNCTUATIONS = 2 ** 24;

/** Two words that a hyphen joins: what a word broken at a line's end may also be. `second` is the number of the second. */
export const hyphenKey = ({ words }: Words, second: number): string =>
  `${words[second - 1] ?? ''}-${words[second] ?? ''}`;

/** Turns words into numbers, the same ones for all texts it is given. */
export class Sequencer {
  readonly #words = new Numbers();
  readonly #plain = new Numbers();
  readonly #punctuation = new Numbers();
  readonly #plainOf: number[] = [];

  /** The number of a word. */
  numberOf(word: string): number {
    return this.#words.of(word);
  }

  /**
   * @param keep hyphens at a line's end that stand between these words (`hyphenKeys`) are part of a word; all others are
   * taken out, and the two halves are one word
   */
  sequence(found: Words, keep?: ReadonlySet<string>): Sequence {
    const size = found.words.length;
    const words = new Int32Array(size);
    const pairs = new Float64Array(size);
    const plain = new Int32Array(size);
    const to: Omit<Sequence, 'words' | 'pairs' | 'plain'> = {
      starts: [],
      ends: [],
      isGlued: [],
      isDense: [],
      isApart: [],
      marks: new Map(),
    };
    let next = 0;
    for (let n = 0; n < size; n += 1) {
      let word = found.words[n] ?? '';
      const first = n;
      while (keep !== undefined && found.mayJoin[n + 1] === true) {
        if (keep.has(hyphenKey(found, n + 1))) break;
        n += 1;
        word += found.words[n] ?? '';
      }
      const number = this.#words.of(word);
      const known = (this.#plainOf[number] ??= this.#plain.of(fold(word)));
      words[next] = number;
      plain[next] = known;
      pairs[next] = number * PUNCTUATIONS + this.#punctuation.of(found.before[first] ?? '');
      to.starts.push(found.starts[first] ?? 0);
      to.ends.push(found.ends[n] ?? 0);
      to.isGlued.push(
        found.isGlued[first] === true || (first > 0 && found.mayJoin[first] === true),
      );
      to.isDense.push(found.isDense[first] === true);
      to.isApart.push(found.isApart[first] === true);
      const mark = found.marks.get(first);
      if (mark !== undefined) to.marks.set(next, mark);
      next += 1;
    }
    const last = found.marks.get(size);
    if (last !== undefined) to.marks.set(next, last);
    return {
      words: words.subarray(0, next),
      pairs: pairs.subarray(0, next),
      plain: plain.subarray(0, next),
      ...to,
    };
  }
}
