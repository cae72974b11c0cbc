import SearchableMap from 'minisearch/SearchableMap';

import type { QueryWord } from '../../lib/words';

/** UTF-16 units from which on a word may be misspelt. In three letters nearly every word is one letter away from another. */
const MIN_FUZZY_UNITS = 4;

/** UTF-16 units from which on a word may be misspelt twice. */
const MIN_TWICE_UNITS = 8;

/** Terms that one word may mean, the nearest ones. Only the first letter or two of a word have more, and then more letters follow. */
const MAX_MEANINGS = 500;

/** What a term that is not quite the word counts, against the word itself: minisearch's proportions. */
const PREFIX_WEIGHT = 0.75;
const FUZZY_WEIGHT = 0.45;

/** The terms of all conversations, numbered, and which of them a word of a query may mean. */
export interface Vocabulary {
  numberOf(term: string): number;
  /** @param number one that `numberOf` gave */
  termOf(number: number): string;
  /** Terms the word may mean: their numbers, and what each counts, at most 1. */
  meanings(word: QueryWord): ReadonlyMap<number, number>;
  size(): number;
}

export function createVocabulary(): Vocabulary {
  // minisearch's radix tree: it finds by prefix and by distance. Its index as a whole keeps a Map entry for each word of each
  // conversation, some 90 KB a conversation (measured); the postings of `shard.ts` take two bytes each.
  const tree = new SearchableMap<number>();
  /** The same, for exact words: ten times faster, and each word of each conversation is looked up. */
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  /** Of the words asked last, which stay the same while the next is typed. */
  const asked = new Map<string, ReadonlyMap<number, number>>();

  function numberOf(term: string): number {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    const number = terms.push(term) - 1;
    numbers.set(term, number);
    tree.set(term, number);
    asked.clear();
    return number;
  }

  function meaningsOf({ term, isSpelled, isOpen }: QueryWord): Map<number, number> {
    const found = new Map<number, number>();
    const add = (number: number, weight: number): void => {
      if (weight > (found.get(number) ?? 0)) found.set(number, weight);
    };
    const addLonger = (start: string, most: number): void => {
      for (const [longer, number] of tree.atPrefix(start)) {
        const more = longer.length - start.length;
        add(number, (most * start.length) / (start.length + 0.3 * more));
      }
    };
    const exact = numbers.get(term);
    if (exact !== undefined) add(exact, 1);
    if (isOpen) addLonger(term, PREFIX_WEIGHT);
    if (!isSpelled || term.length < MIN_FUZZY_UNITS) return nearest(found);
    const distance = term.length < MIN_TWICE_UNITS ? 1 : 2;
    for (const [, [number, apart]] of tree.fuzzyGet(term, distance))
      add(number, (FUZZY_WEIGHT * term.length) / (term.length + apart));
    // Two letters the wrong way round are the commonest slip, and two changes to the tree.
    for (const swapped of swapsOf(term)) {
      const number = numbers.get(swapped);
      if (number !== undefined) add(number, FUZZY_WEIGHT);
      if (isOpen) addLonger(swapped, FUZZY_WEIGHT * PREFIX_WEIGHT);
    }
    return nearest(found);
  }

  function meanings(word: QueryWord): ReadonlyMap<number, number> {
    const key = `${word.term} ${String(word.isOpen)}`;
    const known = asked.get(key) ?? meaningsOf(word);
    asked.delete(key);
    asked.set(key, known);
    const [oldest] = asked.keys();
    if (asked.size > 20 && oldest !== undefined) asked.delete(oldest);
    return known;
  }

  return {
    numberOf,
    termOf: (number) => terms[number] ?? '',
    meanings,
    size: () => terms.length,
  };
}

function nearest(found: Map<number, number>): Map<number, number> {
  if (found.size <= MAX_MEANINGS) return found;
  const sorted = [...found].sort(([, one], [, other]) => other - one);
  return new Map(sorted.slice(0, MAX_MEANINGS));
}

function swapsOf(term: string): string[] {
  const swaps: string[] = [];
  for (let place = 1; place < term.length; place += 1) {
    const before = term.charAt(place - 1);
    const letter = term.charAt(place);
    if (before !== letter)
      swaps.push(term.slice(0, place - 1) + letter + before + term.slice(place + 1));
  }
  return swaps;
}
