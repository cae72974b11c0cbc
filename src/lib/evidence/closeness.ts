import { DENSE } from '../words';

import { HEAD_UNITS, HEADS, readTerms } from './terms';

/**
 * How close a passage is to a sentence: the share of the sentence's weight that is found in the passage. It knows words, not
 * what they say; "is" and "is not" are equally close, so it is never called proof. docs/evidence.md measures it.
 *
 * Every word (or pair of characters) of the sentence weighs as much as it tells passages apart: more, the fewer of all
 * passages that the turn was shown have it, and more, the longer it is, which in a turn of one page is all that tells "the" from a name.
 * Another form of a word counts for a part. Figures weigh more, and one that the passage does not have takes from what is
 * found, because a sentence with another figure says something else.
 */

/** A passage is shown from this closeness on. In the labelled set (docs/evidence.md) wrong ones reach 0.31, right ones begin at 0.41. */
export const CLOSE = 0.4;

/** From this closeness on it does not matter that another passage is as close: a page that says a thing twice is no riddle. */
export const CLEARLY_CLOSE = 0.62;

/** Below it the passage must be this much closer than any other of its source, or the words are those of the topic only. */
export const MARGIN = 0.06;

/** Words or figures of a sentence that must be found: one alone is chance. */
export const MIN_FOUND = 2;

/** What a second block must add before a passage is made of two. */
export const MIN_GAIN = 0.12;

/** What another form of a word counts for: `steeped` for `steeps`. */
const FORM = 0.7;

/** Letters that two forms of a word begin with at least (their heads are the same), and the part of the longer one that these are. */
const STEM_UNITS = HEAD_UNITS;
const STEM_SHARE = 0.6;

/** Letters from which a word has its full weight, and the least part of it for a shorter one. */
const FULL_UNITS = 6;
const LEAST_PART = 0.25;

/** Words of all sentences that begin alike and are compared with a word: no language has more, data has. */
const MAX_FORMS = 40;

/** Terms of a sentence that are compared: beyond that it is no sentence. */
const MAX_TERMS = 200;

const FIGURE_WEIGHT = 1.5;

/** What is left of the closeness when all figures of the sentence are missing. */
const WITHOUT_FIGURES = 0.65;

/** Weight of a word that stands in every passage, before its length counts. */
const LEAST_RARITY = 0.3;

/** Words of a passage from which on it has many by chance, and how many more take a tenth of its closeness. */
const LONG_WORDS = 150;
const WORDS_PER_TENTH = 150;
const LEAST_LONG = 0.8;

/** A term of the sentences, by number. */
type TermId = number;

/** A sentence as it is compared: its terms, each once. */
export interface ClaimTerms {
  words: TermId[];
  figures: TermId[];
}

/** What a piece of a source has of the terms of all sentences. */
export interface Profile {
  ids: readonly TermId[];
  /** How well it has each of them: 1, or `FORM`. */
  parts: readonly number[];
  /** Number of its words. */
  length: number;
  /** How well it has a term: 0 if it has not. */
  partOf: (id: TermId) => number;
}

/** Compares sentences with pieces of sources. First all sentences are learned, then pieces are read. */
export interface Measure {
  learn: (text: string) => ClaimTerms;
  /** A piece of a source that counts for what is rare. */
  read: (text: string) => Profile;
  /** A part of such a piece. */
  look: (text: string) => Profile;
  /** How close the pieces together are to a sentence, 0 to 1, and how many of its terms they have. */
  closeness: (claim: ClaimTerms, pieces: readonly Profile[]) => Closeness;
  /** How close each piece of a source is. */
  eachCloseness: (claim: ClaimTerms, postings: Postings) => Closeness[];
}

interface Closeness {
  score: number;
  found: number;
}

/**
 * The pieces of one source by the terms they have, so that a sentence is compared only with what has its terms: those of term `t` are
 * `numbers[starts[t]]` to `numbers[starts[t + 1] - 1]`. In typed arrays, because a page in Chinese has as many as it has characters.
 */
export interface Postings {
  /** Words of each piece. */
  lengths: number[];
  starts: Uint32Array;
  /** Number of a piece, and at the same place how well it has the term. */
  numbers: Uint32Array;
  parts: Float64Array;
}

export function postingsOf(profiles: readonly Profile[]): Postings {
  let last = -1;
  let total = 0;
  for (const { ids } of profiles) {
    for (const id of ids) last = Math.max(last, id);
    total += ids.length;
  }
  const starts = new Uint32Array(last + 2);
  for (const { ids } of profiles) for (const id of ids) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
  for (let id = 0; id <= last; id += 1) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
  const next = starts.slice();
  const numbers = new Uint32Array(total);
  const parts = new Float64Array(total);
  for (const [n, profile] of profiles.entries()) {
    for (const [place, id] of profile.ids.entries()) {
      const at = next[id] ?? 0;
      next[id] = at + 1;
      numbers[at] = n;
      parts[at] = profile.parts[place] ?? 0;
    }
  }
  return { lengths: profiles.map(({ length }) => length), starts, numbers, parts };
}

interface Term {
  text: string;
  isFigure: boolean;
  /** Pieces that have it. */
  pieces: number;
}

/** Collects the terms of one piece after the other. By number of a term, so that nothing is made anew for each word. */
function createCollector() {
  const pieceOf: number[] = [];
  const best: number[] = [];
  let piece = 0;
  let ids: TermId[] = [];
  return {
    begin: (): void => {
      piece += 1;
      ids = [];
    },
    add: (id: TermId, part: number): void => {
      if (pieceOf[id] !== piece) {
        pieceOf[id] = piece;
        best[id] = part;
        ids.push(id);
      } else if (part > (best[id] ?? 0)) best[id] = part;
    },
    profile: (length: number): Profile => {
      const own = ids;
      const parts = own.map((id) => best[id] ?? 0);
      let byId: Map<TermId, number> | undefined;
      return {
        ids: own,
        parts,
        length,
        partOf: (id) => {
          byId ??= new Map(own.map((each, n) => [each, parts[n] ?? 0]));
          return byId.get(id) ?? 0;
        },
      };
    },
  };
}

export function createMeasure(): Measure {
  const ids = new Map<string, TermId>();
  const terms: Term[] = [];
  /** By how they begin: 1 + number of the bucket. Most words of a source have none, and are passed by unread. */
  const heads = new Uint32Array(HEADS);
  const buckets: TermId[][] = [];
  const weights: number[] = [];
  const totals = new Map<ClaimTerms, number>();
  let pieces = 0;

  /** The term of a text, with `isNew` where it was none before. A figure and a word never share one. */
  const termOf = (text: string, isFigure: boolean): { id: TermId; isNew: boolean } => {
    const key = isFigure ? `#${text}` : text;
    const known = ids.get(key);
    if (known !== undefined) return { id: known, isNew: false };
    const id = terms.push({ text, isFigure, pieces: 0 }) - 1;
    ids.set(key, id);
    return { id, isNew: true };
  };

  const learn = (text: string): ClaimTerms => {
    const words = new Set<TermId>();
    const { figures } = readTerms(text, (head, folded, start, end) => {
      if (words.size >= MAX_TERMS) return;
      const { id, isNew } = termOf(folded.slice(start, end), false);
      words.add(id);
      if (!isNew) return;
      const bucket = buckets[(heads[head] ?? 0) - 1];
      if (!bucket) heads[head] = buckets.push([id]);
      else if (bucket.length < MAX_FORMS) bucket.push(id);
    });
    const numbers = figures.slice(0, MAX_TERMS).map((figure) => termOf(figure, true).id);
    return { words: [...words], figures: [...new Set(numbers)] };
  };

  const collector = createCollector();

  const look = (text: string): Profile => {
    collector.begin();
    const onTerm = (head: number, folded: string, start: number, end: number): void => {
      const bucket = buckets[(heads[head] ?? 0) - 1];
      if (!bucket) return;
      for (const id of bucket) {
        const term = terms[id]?.text ?? '';
        if (term.length === end - start && folded.startsWith(term, start)) collector.add(id, 1);
        else if (isForm(term, folded, start, end)) collector.add(id, FORM);
      }
      if (bucket.length < MAX_FORMS) return;
      const other = ids.get(folded.slice(start, end));
      if (other !== undefined) collector.add(other, 1);
    };
    const { figures, count } = readTerms(text, onTerm, heads);
    for (const figure of figures) {
      const id = ids.get(`#${figure}`);
      if (id !== undefined) collector.add(id, 1);
    }
    return collector.profile(count);
  };

  const read = (text: string): Profile => {
    const profile = look(text);
    for (const id of profile.ids) {
      const term = terms[id];
      if (term) term.pieces += 1;
    }
    pieces += 1;
    weights.length = 0;
    totals.clear();
    return profile;
  };

  const weightOf = (id: TermId): number => {
    const term = terms[id];
    return term ? (weights[id] ??= weightIn(term, pieces)) : 0;
  };

  const totalOf = (claim: ClaimTerms): number => {
    const known = totals.get(claim);
    if (known !== undefined) return known;
    let total = 0;
    for (const id of claim.words) total += weightOf(id);
    for (const id of claim.figures) total += weightOf(id);
    totals.set(claim, total);
    return total;
  };

  /** Adds up the weights of the terms that are found. */
  const sum = (ids: readonly TermId[], profiles: readonly Profile[]) => {
    const [first] = profiles;
    const others = profiles.length > 1 ? profiles.slice(1) : [];
    let has = 0;
    let found = 0;
    for (const id of ids) {
      let part = first?.partOf(id) ?? 0;
      for (const profile of others) part = Math.max(part, profile.partOf(id));
      if (part === 0) continue;
      has += weightOf(id) * part;
      found += 1;
    }
    return { has, found };
  };

  const scoreOf = (claim: ClaimTerms, has: number, figures: number, length: number): number => {
    const missing = 1 - figures / Math.max(1, claim.figures.length);
    const kept = claim.figures.length === 0 ? 1 : 1 - (1 - WITHOUT_FIGURES) * missing;
    const long = Math.max(0, length - LONG_WORDS) / WORDS_PER_TENTH / 10;
    return (has / totalOf(claim)) * kept * Math.max(LEAST_LONG, 1 - long);
  };

  const closeness: Measure['closeness'] = (claim, profiles) => {
    const words = sum(claim.words, profiles);
    const figures = sum(claim.figures, profiles);
    const found = words.found + figures.found;
    if (found === 0) return { score: 0, found };
    let length = 0;
    for (const profile of profiles) length += profile.length;
    return { score: scoreOf(claim, words.has + figures.has, figures.found, length), found };
  };

  const eachCloseness: Measure['eachCloseness'] = (claim, { lengths, starts, numbers, parts }) => {
    const has = new Float64Array(lengths.length);
    const words = new Uint16Array(lengths.length);
    const figures = new Uint16Array(lengths.length);
    const add = (ids: readonly TermId[], counts: Uint16Array): void => {
      for (const id of ids) {
        const weight = weightOf(id);
        const end = starts[id + 1] ?? 0;
        for (let at = starts[id] ?? end; at < end; at += 1) {
          const n = numbers[at] ?? 0;
          has[n] = (has[n] ?? 0) + weight * (parts[at] ?? 0);
          counts[n] = (counts[n] ?? 0) + 1;
        }
      }
    };
    add(claim.words, words);
    add(claim.figures, figures);
    return lengths.map((length, n) => {
      const [weight = 0, counted = 0] = [has[n], figures[n]];
      const found = (words[n] ?? 0) + counted;
      return { score: found === 0 ? 0 : scoreOf(claim, weight, counted, length), found };
    });
  };

  return { learn, read, look, closeness, eachCloseness };
}

/** How much a term tells passages apart. */
function weightIn({ text, isFigure, pieces }: Term, all: number): number {
  const having = Math.max(1, pieces);
  const rarity = LEAST_RARITY + Math.log(1 + (all - having + 0.5) / (having + 0.5));
  if (isFigure) return rarity * FIGURE_WEIGHT;
  // A pair of characters of a script without spaces is a word, or most of one.
  const part = IS_DENSE.test(text)
    ? 1
    : Math.max(LEAST_PART, Math.min(1, text.length / FULL_UNITS));
  return rarity * part;
}

const IS_DENSE = new RegExp(`[${DENSE}]`, 'u');

/** Whether a term and the word at a place begin alike for most of their length. */
function isForm(term: string, text: string, start: number, end: number): boolean {
  const shorter = Math.min(term.length, end - start);
  if (shorter < STEM_UNITS) return false;
  let shared = 0;
  while (shared < shorter && term.charCodeAt(shared) === text.charCodeAt(start + shared))
    shared += 1;
  return shared >= STEM_UNITS && shared >= Math.max(term.length, end - start) * STEM_SHARE;
}
