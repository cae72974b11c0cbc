/**
 * Two hashes of 32 bits in the manner of FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), with different beginnings:
 * together 53 bits, what a number holds. Among a million blocks two have the same one once in ten thousand documents, and
 * then they are told apart like repetitions.
 */
const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;
const OTHER_BASIS = 0x9e3779b9;
const OTHER_PRIME = 0x85ebca6b;

const HIGH_BITS = 0x1fffff;

const isBlank = (unit: number): boolean =>
  unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0 || unit === 0x3000;

/**
 * A name for the words of `text` from `start` to `end`, in base36. White space counts as one blank, and not at all around
 * them: a line that is wrapped elsewhere, or indented, is the same block.
 */
export function wordsHash(text: string, start: number, end: number): string {
  let one = BASIS;
  let other = OTHER_BASIS;
  const add = (unit: number): void => {
    one = Math.imul(one ^ unit, PRIME);
    other = Math.imul(other ^ unit, OTHER_PRIME);
    other ^= other >>> 15;
  };
  let isGap = false;
  let isBegun = false;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (isBlank(unit)) {
      isGap = isBegun;
      continue;
    }
    if (isGap) add(32);
    isGap = false;
    isBegun = true;
    add(unit);
  }
  return ((other & HIGH_BITS) * 0x1_0000_0000 + (one >>> 0)).toString(36);
}
