import type { Budget } from './budget';
import type { Hay } from './hay';
import { costAt, stretchOf, type Sequence, type Stretch } from './sequence';

/** One word in this many may differ, and one of five. Two in eight would let a sentence with another verb and object pass. */
const WORDS_A_DIFFERENCE = 8;

/** Half words from which on one word may differ: a direct quotation has five words. */
const MIN_WHOLE = 10;

/** Words of a piece that is compared with differences. A longer one is a page, and is only looked for word for word. */
const MAX_WORDS = 1_000;

/** Occurrences of a quotation's words that are counted, rarest words first. */
const MAX_VOTES = 200_000;

/** Places that are compared word by word. */
const MAX_CANDIDATES = 24;

/** More than any quotation may cost. */
const NEVER = 2 ** 20;

/** Words that vote for a place beside those that may be missing there. The rarest are taken, which stand together by chance nowhere. */
const VOTERS = 12;

/** Words that votes are put in order among, as steps: where fewer are cast they are sorted, else the whole text is gone over. */
const SORT_STEPS = 16;

/** How many words of a quotation may differ, and how many half words of it these may be. */
function tolerance(needle: Sequence): { allowed: number; edits: number; costs: Int32Array } {
  const costs = Int32Array.from(needle.plain, (_, at) => costAt(needle, at));
  const whole = costs.reduce((sum, cost) => sum + cost, 0);
  const least = whole < MIN_WHOLE ? 0 : 2;
  const allowed = Math.max(least, Math.floor(whole / WORDS_A_DIFFERENCE));
  return { allowed, edits: costs.includes(1) ? allowed : Math.floor(allowed / 2), costs };
}

/** Words around a place that a quotation which has it may reach to. */
export const reachOf = (needle: Sequence): number =>
  needle.plain.length + 2 * tolerance(needle).edits + 1;

/**
 * Where all but few of the needle's words stand in their order, in the order of the text.
 *
 * @returns undefined if the budget does not suffice
 */
export function nearPlaces(needle: Sequence, hay: Hay, budget: Budget): Stretch[] | undefined {
  const size = needle.plain.length;
  if (size === 0 || size > MAX_WORDS) return [];
  const { allowed, edits, costs } = tolerance(needle);
  const candidates = candidatesOf(needle, hay, edits, budget);
  if (candidates === undefined) return undefined;
  if (!budget.spend(candidates.length * size * (size + 3 * edits))) return undefined;
  return candidates
    .map((from) => compare({ needle, costs, allowed }, hay, from - edits, from + size + 2 * edits))
    .filter((stretch) => stretch !== undefined);
}

/**
 * Where the needle may begin: each of its words votes for the places it would begin at if that word stood where the text
 * has it. With at most `edits` differences, all others vote for places at most so far apart.
 */
function candidatesOf(
  needle: Sequence,
  hay: Hay,
  edits: number,
  budget: Budget,
): number[] | undefined {
  const size = needle.plain.length;
  const rarest = Array.from(needle.plain, (word, at) => ({ at, places: hay.occurrences(word) }));
  rarest.sort((a, b) => a.places.length - b.places.length);
  let voters = 0;
  let cast = 0;
  for (const { places } of rarest) {
    const isEnough = voters >= edits + VOTERS;
    if (voters > 0 && (isEnough || cast + places.length > MAX_VOTES)) break;
    voters += 1;
    cast += places.length;
  }
  const needed = voters - edits;
  if (needed < 1) return [];
  if (!budget.spend(size + Math.min(cast * SORT_STEPS, cast + hay.sequence.words.length)))
    return undefined;
  // A word that votes stands so many words before the slot.
  const slots = new Int32Array(cast);
  let next = 0;
  for (const { at, places } of rarest.slice(0, voters)) {
    for (let n = 0; n < places.length; n += 1) slots[next++] = (places[n] ?? 0) - at + size;
  }
  const inOrder =
    cast * SORT_STEPS < hay.sequence.words.length
      ? slots.sort()
      : counted(slots, hay.sequence.words.length + size + 1);
  return bestOf(inOrder, edits, needed).map((slot) => slot - size);
}

/** The same numbers in order, by counting them. */
function counted(slots: Int32Array, size: number): Int32Array {
  const counts = new Int32Array(size);
  for (let n = 0; n < slots.length; n += 1) {
    const slot = slots[n] ?? 0;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  let next = 0;
  for (let slot = 0; slot < size; slot += 1) {
    for (let n = counts[slot] ?? 0; n > 0; n -= 1) slots[next++] = slot;
  }
  return slots;
}

/** The slots, in order, that have most votes in the `edits` before them and their own. */
function bestOf(slots: Int32Array, edits: number, needed: number): number[] {
  const found: { slot: number; sum: number }[] = [];
  let first = 0;
  for (let n = 0; n < slots.length; n += 1) {
    const slot = slots[n] ?? 0;
    while ((slots[first] ?? 0) < slot - edits) first += 1;
    const sum = n - first + 1;
    if (sum < needed || slots[n + 1] === slot) continue;
    const last = found.at(-1);
    if (last === undefined || slot - last.slot > edits) found.push({ slot, sum });
    else if (sum > last.sum) Object.assign(last, { slot, sum });
  }
  const best = found.toSorted((a, b) => b.sum - a.sum).slice(0, MAX_CANDIDATES);
  return best.map(({ slot }) => slot).sort((a, b) => a - b);
}

/** The stretch of the text between two places that differs least from the needle, if that is little enough (Sellers). */
function compare(
  { needle, costs: own, allowed }: { needle: Sequence; costs: Int32Array; allowed: number },
  { sequence: hay, stop }: Hay,
  first: number,
  last: number,
): Stretch | undefined {
  const size = needle.plain.length;
  const begin = Math.max(0, first);
  // Per word of the needle: the least cost of all up to it, and where that stretch begins.
  let costs = new Int32Array(size + 1);
  let froms = new Int32Array(size + 1).fill(begin);
  let nextCosts = new Int32Array(size + 1);
  let nextFroms = new Int32Array(size + 1);
  for (let at = 0; at < size; at += 1) costs[at + 1] = (costs[at] ?? 0) + (own[at] ?? 0);
  let best: { from: number; to: number; cost: number } | undefined;
  for (let place = begin; place < Math.min(last, hay.plain.length); place += 1) {
    const word = hay.plain[place];
    const added = hay.words[place] === stop ? NEVER : costAt(hay, place);
    nextCosts[0] = 0;
    nextFroms[0] = place + 1;
    for (let at = 1; at <= size; at += 1) {
      const cost = own[at - 1] ?? 0;
      const change = word === needle.plain[at - 1] ? 0 : Math.max(cost, added);
      const changed = (costs[at - 1] ?? 0) + change;
      const more = (costs[at] ?? 0) + added;
      const fewer = (nextCosts[at - 1] ?? 0) + cost;
      const least = Math.min(changed, more, fewer);
      nextCosts[at] = least;
      nextFroms[at] =
        (least === changed ? froms[at - 1] : least === more ? froms[at] : nextFroms[at - 1]) ?? 0;
    }
    [costs, nextCosts] = [nextCosts, costs];
    [froms, nextFroms] = [nextFroms, froms];
    const cost = costs[size] ?? NEVER;
    if (cost <= allowed && (best === undefined || cost < best.cost))
      best = { from: froms[size] ?? 0, to: place, cost };
  }
  return best && best.from <= best.to ? stretchOf(hay, best.from, best.to) : undefined;
}
