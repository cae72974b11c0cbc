import type { Stretch } from './exact';
import type { Sequence } from './sequence';

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

/** Half words: a word is two, a character of a script without spaces one, as its words have two characters and more. */
const costOf = (sequence: Sequence, at: number): number => (sequence.isDense[at] === true ? 1 : 2);

/** More than any quotation may cost. */
const NEVER = 2 ** 20;

/** A source made ready for comparisons with differences. */
export class Near {
  readonly #hay: Sequence;
  readonly #stop: number;
  readonly #offsets: Int32Array;
  readonly #places: Int32Array;

  /** @param stop the word no quotation goes over */
  constructor(hay: Sequence, stop: number) {
    this.#hay = hay;
    this.#stop = stop;
    let last = 0;
    for (const word of hay.plain) if (word > last) last = word;
    this.#offsets = new Int32Array(last + 2);
    for (const word of hay.plain) this.#offsets[word + 1] = (this.#offsets[word + 1] ?? 0) + 1;
    for (let word = 1; word < this.#offsets.length; word += 1) {
      this.#offsets[word] = (this.#offsets[word] ?? 0) + (this.#offsets[word - 1] ?? 0);
    }
    const next = this.#offsets.slice();
    this.#places = new Int32Array(hay.plain.length);
    for (const [at, word] of hay.plain.entries()) {
      const slot = next[word] ?? 0;
      this.#places[slot] = at;
      next[word] = slot + 1;
    }
  }

  #placesOf(word: number): Int32Array {
    if (word + 1 >= this.#offsets.length) return new Int32Array();
    return this.#places.subarray(this.#offsets[word], this.#offsets[word + 1]);
  }

  /** Where all but few of the needle's words stand in their order, in the order of the text. */
  places(needle: Sequence): Stretch[] {
    const size = needle.plain.length;
    if (size === 0 || size > MAX_WORDS) return [];
    let whole = 0;
    for (let at = 0; at < size; at += 1) whole += costOf(needle, at);
    const least = whole < MIN_WHOLE ? 0 : 2;
    const allowed = Math.max(least, Math.floor(whole / WORDS_A_DIFFERENCE));
    const edits = needle.isDense.includes(true) ? allowed : Math.floor(allowed / 2);
    return this.#candidates(needle, edits)
      .map((from) => this.#compare(needle, from - edits, from + size + 2 * edits, allowed))
      .filter((stretch) => stretch !== undefined);
  }

  /**
   * Where the needle may begin: each of its words votes for the places it would begin at if that word stood where the text
   * has it. With at most `edits` differences, all others vote for places at most so far apart.
   */
  #candidates(needle: Sequence, edits: number): number[] {
    const size = needle.plain.length;
    const votes = new Int32Array(this.#hay.plain.length + size);
    const rarest = Array.from(needle.plain, (word, at) => ({ at, places: this.#placesOf(word) }));
    rarest.sort((a, b) => a.places.length - b.places.length);
    let voters = 0;
    let cast = 0;
    for (const { at, places } of rarest) {
      if (voters > 0 && cast + places.length > MAX_VOTES) break;
      voters += 1;
      cast += places.length;
      for (const place of places) {
        const slot = place - at + size;
        votes[slot] = (votes[slot] ?? 0) + 1;
      }
    }
    const needed = voters - edits;
    if (needed < 1) return [];

    const found: { from: number; sum: number }[] = [];
    let sum = 0;
    for (let slot = 0; slot < votes.length; slot += 1) {
      sum += (votes[slot] ?? 0) - (votes[slot - edits - 1] ?? 0);
      if (sum < needed) continue;
      const from = slot - size;
      const last = found.at(-1);
      if (last === undefined || from - last.from > edits) found.push({ from, sum });
      else if (sum > last.sum) Object.assign(last, { from, sum });
    }
    const best = found.toSorted((a, b) => b.sum - a.sum).slice(0, MAX_CANDIDATES);
    return best.map(({ from }) => from).sort((a, b) => a - b);
  }

  /** The stretch of the text between two places that differs least from the needle, if that is little enough (Sellers). */
  #compare(needle: Sequence, first: number, last: number, allowed: number): Stretch | undefined {
    const hay = this.#hay;
    const size = needle.plain.length;
    const begin = Math.max(0, first);
    // Per word of the needle: the least cost of all up to it, and where that stretch begins.
    let costs = new Int32Array(size + 1);
    let froms = new Int32Array(size + 1).fill(begin);
    for (let at = 0; at < size; at += 1) costs[at + 1] = (costs[at] ?? 0) + costOf(needle, at);
    let best: (Stretch & { cost: number }) | undefined;
    for (let place = begin; place < Math.min(last, hay.plain.length); place += 1) {
      const word = hay.plain[place];
      const added = hay.words[place] === this.#stop ? NEVER : costOf(hay, place);
      const nextCosts = new Int32Array(size + 1);
      const nextFroms = new Int32Array(size + 1);
      nextFroms[0] = place + 1;
      for (let at = 1; at <= size; at += 1) {
        const own = costOf(needle, at - 1);
        const change = word === needle.plain[at - 1] ? 0 : Math.max(own, added);
        const changed = (costs[at - 1] ?? 0) + change;
        const more = (costs[at] ?? 0) + added;
        const fewer = (nextCosts[at - 1] ?? 0) + own;
        const cost = Math.min(changed, more, fewer);
        nextCosts[at] = cost;
        nextFroms[at] =
          (cost === changed ? froms[at - 1] : cost === more ? froms[at] : nextFroms[at - 1]) ?? 0;
      }
      costs = nextCosts;
      froms = nextFroms;
      const cost = costs[size] ?? NEVER;
      if (cost <= allowed && (best === undefined || cost < best.cost)) {
        best = { from: froms[size] ?? 0, to: place, cost };
      }
    }
    return best && best.from <= best.to ? { from: best.from, to: best.to } : undefined;
  }
}
