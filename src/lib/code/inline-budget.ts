/**
 * What the inline parse of a text may cost.
 *
 * The parser resolves emphasis and brackets in time quadratic in their number within one block: 16,000 repeats of `*_`
 * take 7 s, of `[1](` 2.5 s. Text that people or models write is nowhere near the limits; text made to hang a reader is
 * left as written.
 */

/** UTF-16 units of one block (a paragraph, a heading, a table cell). */
const MAX_BLOCK = 64 * 1024;

/** Delimiters in one block. A long paragraph with a marker after every sentence has a tenth of it. */
const MAX_DELIMITERS = 2000;

/** Sum of the squares of the delimiters of all blocks: about five blocks at the limit, a second of work. */
const MAX_SQUARES = 5 * MAX_DELIMITERS ** 2;

/** Blocks with fewer delimiters are always parsed: together they are linear in the length of the text. */
const CHEAP = 64;

export interface InlineBudget {
  /**
   * Whether a block of `length` UTF-16 units may be parsed. `block` is its identity: asking twice costs once. Its text is
   * asked for only where the length does not decide.
   */
  admits(block: object, length: number, text: () => string): boolean;
}

const DELIMITERS = new Set(Array.from('*_~[]`<$', (char) => char.charCodeAt(0)));

function countDelimiters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (DELIMITERS.has(text.charCodeAt(at))) count++;
  return count;
}

export function createInlineBudget(): InlineBudget {
  const admitted = new WeakSet();
  let squares = 0;
  return {
    admits(block, length, text) {
      if (length <= CHEAP || admitted.has(block)) return true;
      if (length > MAX_BLOCK) return false;
      const delimiters = countDelimiters(text());
      if (delimiters > MAX_DELIMITERS) return false;
      if (delimiters > CHEAP) {
        if (squares + delimiters ** 2 > MAX_SQUARES) return false;
        squares += delimiters ** 2;
      }
      admitted.add(block);
      return true;
    },
  };
}
