import type { Budget } from './budget';
import type { Hay } from './hay';
import { occurrencesIn, occurrencesOf } from './occurrences';
import { BREAK } from './plain';
import { pairAt, sequenceOf, type Part, type Sequence } from './sequence';
import { Vocabulary } from './vocabulary';
import { MAY_JOIN, wordsOf, type Words } from './words';

/** Steps that it costs to put a word of the text in a row once more. */
const ROW_STEPS = 8;

/**
 * A text that is read once, for any number of quotations. A word that is broken at a line's end is one word in it; where a
 * quotation has it with a hyphen, only the words around such a place are put in a row once more.
 */
export class Haystack {
  readonly read: Words;
  readonly #text: string;
  readonly #vocabulary = new Vocabulary();
  readonly #stop = this.#vocabulary.of(BREAK);
  /** By the two halves: the places of the second ones. */
  readonly #broken = new Map<number, number[]>();
  #whole: Hay | undefined;

  constructor(text: string) {
    this.#text = text;
    this.read = wordsOf(text, this.#vocabulary);
    for (let at = 1; at < this.read.words.length; at += 1) {
      if (((this.read.flags[at] ?? 0) & MAY_JOIN) === 0) continue;
      const pair = pairAt(this.read, at);
      const known = this.#broken.get(pair);
      if (known) known.push(at);
      else this.#broken.set(pair, [at]);
    }
  }

  /** A quotation in the words of this text. */
  needle(quotation: string): Sequence {
    const read = wordsOf(quotation, this.#vocabulary);
    const all = [{ from: 0, to: read.words.length }];
    return sequenceOf(read, this.#vocabulary, () => true, all, this.#stop);
  }

  #base(): Hay {
    if (this.#whole) return this.#whole;
    const all = [{ from: 0, to: this.read.words.length }];
    const sequence = sequenceOf(this.read, this.#vocabulary, () => false, all, this.#stop);
    const occurrences = occurrencesIn(sequence.plain);
    this.#whole = { sequence, occurrences, text: this.#text, stop: this.#stop };
    return this.#whole;
  }

  /**
   * What a quotation is looked for in: the text, and what stands around the hyphens of the quotation that are at a line's end
   * here, with these kept. Undefined if the budget does not suffice.
   *
   * @param reach words to either side that count
   */
  for(needle: Sequence, reach: number, budget: Budget): Hay[] | undefined {
    const whole = this.#base();
    const kept = new Set<number>();
    for (let at = 1; at < needle.words.length; at += 1) {
      const pair = pairAt(needle.read, at);
      if (this.#broken.has(pair)) kept.add(pair);
    }
    if (kept.size === 0) return [whole];
    const seconds = [...kept].flatMap((pair) => this.#broken.get(pair) ?? []);
    const most = Math.min(this.read.words.length, 2 * seconds.length * (reach + 1));
    if (!budget.spend(ROW_STEPS * most + needle.words.length)) return undefined;
    const parts = this.#around(seconds, reach);
    const sequence = sequenceOf(
      this.read,
      this.#vocabulary,
      (second) => kept.has(pairAt(this.read, second)),
      parts,
      this.#stop,
    );
    const occurrences = occurrencesOf(needle.plain, sequence.plain);
    return [whole, { sequence, occurrences, text: this.#text, stop: this.#stop }];
  }

  /** The words around some places, in order and without overlap; no part begins or ends inside a broken word. */
  #around(places: number[], reach: number): Part[] {
    const { flags, words } = this.read;
    const isInside = (at: number): boolean => ((flags[at] ?? 0) & MAY_JOIN) !== 0;
    const parts: { from: number; to: number }[] = [];
    for (const place of places.sort((one, other) => one - other)) {
      const last = parts.at(-1);
      const end = Math.min(words.length, place + reach + 1);
      if (last && place - reach <= last.to) last.to = Math.max(last.to, end);
      else parts.push({ from: Math.max(0, place - reach), to: end });
    }
    for (const [n, part] of parts.entries()) {
      while (part.from > (parts[n - 1]?.to ?? 0) && isInside(part.from)) part.from -= 1;
      const limit = parts[n + 1]?.from ?? words.length;
      while (part.to < limit && isInside(part.to)) part.to += 1;
    }
    return parts;
  }
}
