import type { Stretch } from './sequence';
import { IN_RUN, MAY_JOIN, type Words } from './words';

/** UTF-16 units of the source that an ellipsis may stand for: a long paragraph. */
const MAX_GAP = 1_000;

/** Earlier pieces that are tried before each. */
const MAX_STEPS = 50;

/**
 * Half words an ellipsis must stand for, or none at all, for a quotation to be exact: one or two words are where a "not" would
 * be hidden.
 */
const MIN_GAP = 6;

const isShort = ({ flags }: Words, from: number, to: number): boolean => {
  let weight = 0;
  for (let at = from; at < to && weight < MIN_GAP; at += 1) {
    const own = flags[at] ?? 0;
    // The second half of a word that is broken at a line's end is no word of its own.
    if ((own & MAY_JOIN) === 0) weight += (own & IN_RUN) === 0 ? 2 : 1;
  }
  return weight > 0 && weight < MIN_GAP;
};

/**
 * The pieces of a quotation in their order, with a gap between each two.
 *
 * @param pieces where each piece stands, in the order of the text
 * @param textAt number of the text a unit belongs to: a gap does not leave it
 * @param isStrict gaps of one or two words do not count
 */
export function chain(
  pieces: readonly (readonly Stretch[])[],
  hay: Words,
  textAt: (unit: number) => number,
  isStrict: boolean,
): Stretch | undefined {
  let reached: readonly Stretch[] = pieces[0] ?? [];
  for (const piece of pieces.slice(1)) {
    const next: Stretch[] = [];
    let count = 0;
    for (const { from, to } of piece) {
      while (count < reached.length && (reached[count]?.to ?? 0) < from) count += 1;
      for (let n = count - 1; n >= Math.max(0, count - MAX_STEPS); n -= 1) {
        const before = reached[n];
        if (before === undefined) break;
        const end = hay.ends[before.to] ?? 0;
        const start = hay.starts[from] ?? 0;
        if (start - end > MAX_GAP) break;
        if (textAt(end - 1) !== textAt(start)) break;
        if (isStrict && isShort(hay, before.to + 1, from)) continue;
        next.push({ from: before.from, to });
        break;
      }
    }
    reached = next;
  }
  return reached[0];
}
