import { readTerms } from './terms';

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

/** Letters that two forms of a word begin with at least, and the part of the longer one that these are. */
const STEM_UNITS = 5;
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

/** What a piece of a source has of the terms of all sentences, and how well: 1, or `FORM`. */
export interface Profile {
  found: ReadonlyMap<TermId, number>;
  /** Number of its words. */
  length: number;
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

/** The pieces of one source by the terms they have, so that a sentence is compared only with what has its terms. */
export interface Postings {
  /** Words of each piece. */
  lengths: number[];
  pieces: ReadonlyMap<TermId, { n: number; part: number }[]>;
}

export function postingsOf(profiles: readonly Profile[]): Postings {
  const pieces = new Map<TermId, { n: number; part: number }[]>();
  for (const [n, { found }] of profiles.entries()) {
    for (const [id, part] of found) {
      const own = pieces.get(id);
      if (own) own.push({ n, part });
      else pieces.set(id, [{ n, part }]);
    }
  }
  return { lengths: profiles.map(({ length }) => length), pieces };
}

interface Term {
  text: string;
  isFigure: boolean;
  /** Pieces that have it. */
  pieces: number;
}

export function createMeasure(): Measure {
  const ids = new Map<string, TermId>();
  const terms: Term[] = [];
  /** By how they begin: 1 + number of the bucket. Most words of a source have none, and are passed by unread. */
  const heads = new Uint16Array(0x1_0000);
  const buckets: TermId[][] = [];
  const weights: number[] = [];
  const totals = new Map<ClaimTerms, number>();
  let pieces = 0;

  const idOf = (text: string, isFigure: boolean): TermId => {
    // A figure and a word never share a term, whatever they are spelled like.
    const key = isFigure ? `#${text}` : text;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = terms.push({ text, isFigure, pieces: 0 }) - 1;
    ids.set(key, id);
    if (isFigure) return id;
    const head = headOf(text, 0, text.length);
    const bucket = buckets[(heads[head] ?? 0) - 1];
    if (!bucket) heads[head] = buckets.push([id]);
    else if (bucket.length < MAX_FORMS) bucket.push(id);
    return id;
  };

  const learn = (text: string): ClaimTerms => {
    const words = new Set<TermId>();
    const { figures } = readTerms(text, (folded, start, end) => {
      if (words.size < MAX_TERMS) words.add(idOf(folded.slice(start, end), false));
    });
    const numbers = figures.slice(0, MAX_TERMS).map((figure) => idOf(figure, true));
    return { words: [...words], figures: [...new Set(numbers)] };
  };

  const look = (text: string): Profile => {
    const found = new Map<TermId, number>();
    let length = 0;
    const { figures } = readTerms(text, (folded, start, end) => {
      length += 1;
      const bucket = buckets[(heads[headOf(folded, start, end)] ?? 0) - 1];
      if (!bucket) return;
      for (const id of bucket) {
        const term = terms[id]?.text ?? '';
        if (term.length === end - start && folded.startsWith(term, start)) found.set(id, 1);
        else if (isForm(term, folded, start, end) && !found.has(id)) found.set(id, FORM);
      }
      if (bucket.length < MAX_FORMS) return;
      const other = ids.get(folded.slice(start, end));
      if (other !== undefined) found.set(other, 1);
    });
    for (const figure of figures) {
      const id = ids.get(`#${figure}`);
      if (id !== undefined) found.set(id, 1);
    }
    return { found, length };
  };

  const read = (text: string): Profile => {
    const profile = look(text);
    for (const id of profile.found.keys()) {
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
      let part = first?.found.get(id) ?? 0;
      for (const profile of others) part = Math.max(part, profile.found.get(id) ?? 0);
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

  const eachCloseness: Measure['eachCloseness'] = (claim, { lengths, pieces: having }) => {
    const has = new Float64Array(lengths.length);
    const words = new Uint16Array(lengths.length);
    const figures = new Uint16Array(lengths.length);
    const add = (ids: readonly TermId[], counts: Uint16Array): void => {
      for (const id of ids) {
        const weight = weightOf(id);
        for (const { n, part } of having.get(id) ?? []) {
          has[n] = (has[n] ?? 0) + weight * part;
          counts[n] = (counts[n] ?? 0) + 1;
        }
      }
    };
    add(claim.words, words);
    add(claim.figures, figures);
    return lengths.map((length, n) => {
      const [weight = 0, numbers = 0] = [has[n], figures[n]];
      const found = (words[n] ?? 0) + numbers;
      return { score: found === 0 ? 0 : scoreOf(claim, weight, numbers, length), found };
    });
  };

  return { learn, read, look, closeness, eachCloseness };
}

/** A number for how a word begins: words with one stem have the same one, and few others. */
function headOf(text: string, start: number, end: number): number {
  let head = 0;
  const stop = Math.min(end, start + STEM_UNITS);
  for (let at = start; at < stop; at += 1) head = (Math.imul(head, 31) + text.charCodeAt(at)) | 0;
  return Math.imul(head, 0x9e37_79b1) >>> 16;
}

/** How much a term tells passages apart. */
function weightIn({ text, isFigure, pieces }: Term, all: number): number {
  const having = Math.max(1, pieces);
  const rarity = LEAST_RARITY + Math.log(1 + (all - having + 0.5) / (having + 0.5));
  if (isFigure) return rarity * FIGURE_WEIGHT;
  // A pair of characters of a script without spaces is a word, or most of one.
  const part = isDense(text) ? 1 : Math.max(LEAST_PART, Math.min(1, text.length / FULL_UNITS));
  return rarity * part;
}

const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const isDense = (text: string): boolean => DENSE.test(text);

/** Whether a term and the word at a place begin alike for most of their length. */
function isForm(term: string, text: string, start: number, end: number): boolean {
  const shorter = Math.min(term.length, end - start);
  if (shorter < STEM_UNITS) return false;
  let shared = 0;
  while (shared < shorter && term.charCodeAt(shared) === text.charCodeAt(start + shared))
    shared += 1;
  return shared >= STEM_UNITS && shared >= Math.max(term.length, end - start) * STEM_SHARE;
}
