import type { QueryTerm } from './query';
import {
  IN_HEADING,
  lowerBound,
  placeOf,
  stretchCount,
  STRETCH_FIELDS,
  termAt,
  type Segment,
} from './segment';
import { apart } from './word-distance';

/** Okapi BM25 with the usual constants: how soon repetition stops to count, and how much a long text is held against it. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.5;

/** What a word of a heading above or of the title counts; in the text the most is `SATURATION + 1`. */
const HEADING_SCORE = 0.5;

/** UTF-16 units from which on a word may be misspelt, and twice. In three letters nearly every word is one letter away from another. */
const MIN_FUZZY_UNITS = 4;
const MIN_TWICE_UNITS = 8;

/** UTF-16 units a longer word may have more, where the word itself is nowhere: endings. */
const MAX_ENDING = 4;

/** What a term that is not quite the word counts, against the word itself. */
const ENDING_WEIGHT = 0.7;
const FUZZY_WEIGHT = 0.5;

/** Other spellings of one word that are looked for, the nearest ones. */
const MAX_SPELLINGS = 40;

/** Stretches whose score is below this share of the best one's say something else: "of" and "the" are in all of them. */
const MIN_SHARE = 0.25;

/** A segment, and which of its files may be found, by place. */
export interface Searched {
  segment: Segment;
  isLive: (file: number) => boolean;
}

/** A stretch that was found. */
export interface Found {
  /** Place of the segment in the list that was searched, and of the stretch in it. */
  segment: number;
  place: number;
  score: number;
}

/** A term that is looked for, and what it counts. */
interface Meaning {
  term: string;
  weight: number;
}

/**
 * The stretches that say most of the question: each of its words adds, and the rarer it is the more. Words that are nowhere
 * are looked for with other endings and spellings. Best first; of two that are equally good the earlier one.
 *
 * @param limit how many at most
 */
export function rankStretches(
  searched: readonly Searched[],
  terms: readonly QueryTerm[],
  limit: number,
): Found[] {
  let total = 0;
  let length = 0;
  for (const { segment } of searched) {
    total += stretchCount(segment);
    length += lengthOf(segment);
  }
  if (total === 0) return [];
  const average = length / total + 1;
  const looked = terms.flatMap((term) => lookUp(searched, term, total));
  const found: Found[] = [];
  let least = 0;
  for (const [number, { segment, isLive }] of searched.entries()) {
    const scores = scoresOf(segment, number, looked, average);
    for (let place = 0; place < scores.length; place += 1) {
      const score = scores[place] ?? 0;
      if (score <= least || !isLive(segment.stretches[place * STRETCH_FIELDS] ?? 0)) continue;
      found.push({ segment: number, place, score });
      if (found.length < 8 * limit) continue;
      found.sort(bestFirst).splice(limit);
      least = found.at(-1)?.score ?? 0;
    }
  }
  found.sort(bestFirst).splice(limit);
  const enough = MIN_SHARE * (found[0]?.score ?? 0);
  return found.filter(({ score }) => score >= enough);
}

function bestFirst(one: Found, other: Found): number {
  return other.score - one.score || one.segment - other.segment || one.place - other.place;
}

/** Terms of all its stretches; counted once for each segment. */
function lengthOf(segment: Segment): number {
  const known = lengths.get(segment);
  if (known !== undefined) return known;
  let sum = 0;
  for (let at = STRETCH_FIELDS - 1; at < segment.stretches.length; at += STRETCH_FIELDS)
    sum += segment.stretches[at] ?? 0;
  lengths.set(segment, sum);
  return sum;
}
const lengths = new WeakMap<Segment, number>();

/** A term by segment: the place it has there or -1, and what it counts. */
interface LookedUp {
  places: number[];
  weight: number;
}

function lookUp(
  searched: readonly Searched[],
  { term, isSpelled }: QueryTerm,
  total: number,
): LookedUp[] {
  const exact = inAll(searched, { term, weight: 1 }, total);
  if (exact !== undefined) return [exact];
  if (!isSpelled || term.length < MIN_FUZZY_UNITS) return [];
  return otherSpellings(searched, term).flatMap((meaning) => inAll(searched, meaning, total) ?? []);
}

/** Undefined when the term is nowhere. */
function inAll(
  searched: readonly Searched[],
  { term, weight }: Meaning,
  total: number,
): LookedUp | undefined {
  let count = 0;
  const places = searched.map(({ segment }) => {
    const place = placeOf(segment, term);
    if (place >= 0) count += (segment.starts[place + 1] ?? 0) - (segment.starts[place] ?? 0);
    return place;
  });
  if (count === 0) return undefined;
  return { places, weight: weight * Math.log(1 + (total - count + 0.5) / (count + 0.5)) };
}

/** Terms that begin with the same letter (a slip there is rare, and it bounds what is looked at), or with the first two swapped. */
function otherSpellings(searched: readonly Searched[], term: string): Meaning[] {
  const most = term.length < MIN_TWICE_UNITS ? 1 : 2;
  const [first = '', second = ''] = term;
  const weights = new Map<string, number>();
  for (const begin of new Set([first, second])) {
    for (const { segment } of searched) {
      for (let place = lowerBound(segment, begin); place < segment.ends.length; place += 1) {
        const other = termAt(segment, place);
        if (!other.startsWith(begin)) break;
        const more = other.length - term.length;
        if (more > MAX_ENDING || more < -most || weights.has(other)) continue;
        if (more > 0 && other.startsWith(term)) weights.set(other, ENDING_WEIGHT);
        else if (Math.abs(more) <= most && apart(term, other, most) <= most)
          weights.set(other, FUZZY_WEIGHT);
      }
    }
  }
  return [...weights]
    .map(([found, weight]) => ({
      term: found,
      weight: (weight * term.length) / (term.length + Math.abs(found.length - term.length)),
    }))
    .sort((one, other) => other.weight - one.weight || (one.term < other.term ? -1 : 1))
    .slice(0, MAX_SPELLINGS);
}

/** By place the score of each stretch. */
function scoresOf(
  segment: Segment,
  number: number,
  terms: readonly LookedUp[],
  average: number,
): Float64Array {
  const scores = new Float64Array(stretchCount(segment));
  for (const { places, weight } of terms) {
    const term = places[number] ?? -1;
    if (term < 0) continue;
    const end = segment.starts[term + 1] ?? 0;
    for (let at = segment.starts[term] ?? 0; at < end; at += 1) {
      const place = segment.places[at] ?? 0;
      const count = segment.counts[at] ?? 0;
      const times = count & ~IN_HEADING;
      const length = segment.stretches[place * STRETCH_FIELDS + STRETCH_FIELDS - 1] ?? 0;
      const slowness = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average);
      const text = (times * (SATURATION + 1)) / (times + slowness);
      const heading = (count & IN_HEADING) === 0 ? 0 : HEADING_SCORE;
      scores[place] = (scores[place] ?? 0) + weight * (text + heading);
    }
  }
  return scores;
}
