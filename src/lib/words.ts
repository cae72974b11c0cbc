/**
 * What counts as a word, for what is stored and for what is asked alike. Case, accents and the width of characters are
 * gone from a word. Scripts without spaces, and Korean, whose particles hang on the word, are taken apart into single
 * characters and pairs, so that 北京 is found inside a longer run without a dictionary.
 */

/** UTF-16 units of a word that count: beyond that it is no word but data, such as a key or an image in base64. */
export const MAX_WORD_UNITS = 40;

/** UTF-16 units of a query; a longer one is pasted text. */
const MAX_QUERY_UNITS = 400;

/** Words of a query that count; each further one could only lose a result. */
const MAX_QUERY_WORDS = 12;

/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs. Not those of Japanese: か and が are two letters. */
const MARKS =
  /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u064B-\u065F\u0670]/g;

/** Letters that Unicode does not take apart, as they are typed where they are not on the keyboard. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

// eslint-disable-next-line no-control-regex -- the range of ASCII, which needs no folding but that of case
const ASCII = /^[\x00-\x7F]*$/;

/** The text without case, accents and width. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase() // after it: 𝕬 has no lower case, A has
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıς]/g, (letter) => PLAIN[letter] ?? letter);
}

/** Characters of scripts whose words have no spaces between them, as the inside of a class of a regular expression (flag `u`). */
export const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー';

/** The same, and Korean: what is taken apart into characters and pairs. */
export const DENSE = `${UNSPACED}\\p{Script=Hangul}`;

/** Group 1: a run of a script without spaces. Otherwise a word. */
const RUNS = new RegExp(`([${DENSE}]+)|(?:(?![${DENSE}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** A stretch of letters and digits. */
interface Run {
  text: string;
  /** Where it stands in the text it was found in, in UTF-16 units. */
  at: number;
  /** Of a script that is taken apart into characters and pairs. */
  isDense: boolean;
}

/** The words and runs of a text, in order. */
export function* runsOf(text: string): Generator<Run> {
  for (const match of text.matchAll(RUNS)) {
    yield { text: match[0], at: match.index, isDense: match[1] !== undefined };
  }
}

const pairsOf = (points: readonly string[]): string[] =>
  points.slice(1).map((point, place) => `${points[place] ?? ''}${point}`);

/** Every term a text is found by, in order and with repetitions. */
export function* termsOf(text: string): Generator<string> {
  for (const run of runsOf(fold(text))) {
    if (!run.isDense) {
      yield run.text.slice(0, MAX_WORD_UNITS);
      continue;
    }
    let before = '';
    for (const point of run.text) {
      yield point;
      if (before !== '') yield before + point;
      before = point;
    }
  }
}

/** One term of a query. */
export interface QueryWord {
  term: string;
  /** Whether other spellings may be meant: not for numbers, and not for characters and pairs. */
  isSpelled: boolean;
  /** Whether it may still be going on: the last word, with nothing behind it. */
  isOpen: boolean;
}

/** The terms of a query, each once; none when there is no letter or digit in it. */
export function queryWords(query: string): QueryWord[] {
  const text = fold(query.slice(0, MAX_QUERY_UNITS));
  const words = new Map<string, QueryWord>();
  for (const { text: run, at, isDense } of runsOf(text)) {
    const points = isDense ? Array.from(run) : [];
    const terms = isDense && points.length > 1 ? pairsOf(points) : [run.slice(0, MAX_WORD_UNITS)];
    const isOpen = !isDense && at + run.length === text.length;
    const isSpelled = !isDense && !/\p{N}/u.test(run);
    for (const term of terms) words.set(term, { term, isSpelled, isOpen });
  }
  return [...words.values()].slice(0, MAX_QUERY_WORDS);
}
