import { UNSPACED } from '../words';

import { cleanStretches, plainLines, type PlainLine } from './plain-lines';

/**
 * Text directives of the WICG Text Fragments draft (https://wicg.github.io/scroll-to-text-fragment/):
 * `text=[prefix-,]start[,end][,-suffix]`. A browser finds whole words, in one block for each part.
 */

/** UTF-16 units of a passage that is looked for as it is; of a longer one only the first and last words are, or the address would be a page long. */
const MAX_EXACT_UNITS = 300;

/** Words of `start` and `end`, and the units that they are at least together: words of Chinese are short. */
const RANGE_WORDS = 5;
const RANGE_UNITS = 12;

/** Words of a prefix or suffix. */
const CONTEXT_WORDS = 3;

/** Words and units a directive has at least; less stands anywhere. */
const MIN_WORDS = 2;
const MIN_UNITS = 4;

const segmenter = /* @__PURE__ */ new Intl.Segmenter(undefined, { granularity: 'word' });

/** UTF-16 units at either end of a text in which its first and last words are: room for a dozen words. */
const END_UNITS = 120;

/** The same in scripts without spaces, where finding words is dear and five of them are ten characters. */
const PACKED_END_UNITS = 48;

const endUnits = (text: string): number => (PACKED.test(text) ? PACKED_END_UNITS : END_UNITS);

interface Word {
  start: number;
  end: number;
}

/** Scripts without spaces, whose words only the segmenter knows. */
const PACKED = new RegExp(`[${UNSPACED}]`, 'u');
const SPACED_WORD = /[\p{L}\p{M}\p{N}_]+(?:['’.,:·][\p{L}\p{M}\p{N}_]+)*/gu;

/** Ends of texts whose words are known: the same ones are asked for several times, and segmenting is dear. */
const known = new Map<string, Word[]>();
const MAX_KNOWN = 32;

function wordsIn(text: string): Word[] {
  const before = known.get(text);
  if (before) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const words = findWords(text);
  known.set(text, words);
  return words;
}

function findWords(text: string): Word[] {
  if (!PACKED.test(text))
    return Array.from(text.matchAll(SPACED_WORD), ({ 0: word, index }) => ({
      start: index,
      end: index + word.length,
    }));
  return Array.from(segmenter.segment(text))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ start: index, end: index + segment.length }));
}

/** The words at the beginning of a text. */
function headWords(text: string): Word[] {
  const units = endUnits(text);
  if (text.length <= units) return wordsIn(text);
  return wordsIn(text.slice(0, units)).filter(({ end }) => end < units);
}

/** The words at the end of a text. */
function tailWords(text: string): Word[] {
  const from = text.length - endUnits(text);
  if (from <= 0) return wordsIn(text);
  return wordsIn(text.slice(from))
    .filter(({ start }) => start > 0)
    .map(({ start, end }) => ({ start: from + start, end: from + end }));
}

/** So many letters in a row of a script without spaces are two words at least, so that nobody has to find them. */
const MANY_PACKED = new RegExp(`[${UNSPACED}]{16}`, 'u');
const FIRST_LETTER = /[\p{L}\p{N}]/u;
const LAST_LETTER = /[\p{L}\p{M}\p{N}](?=[^\p{L}\p{M}\p{N}]*$)/u;

/** From the first word to the last, without the signs around them, and how many there are, as far as it matters. */
function bare(text: string): { text: string; words: number } {
  if (MANY_PACKED.test(text)) {
    const from = Math.max(0, text.length - END_UNITS);
    const last = LAST_LETTER.exec(text.slice(from));
    const end = last ? from + last.index + last[0].length : text.length;
    return { text: text.slice(text.search(FIRST_LETTER), end), words: MIN_WORDS };
  }
  const words = headWords(text);
  return { text: text.slice(words[0]?.start, tailWords(text).at(-1)?.end), words: words.length };
}

const isEnough = ({ text, words }: { text: string; words: number }): boolean =>
  words >= MIN_WORDS && text.length >= MIN_UNITS;

/** The first words of a text, `least` of them at least. */
function firstWords(text: string, least: number): string {
  const words = headWords(text);
  const from = words[0]?.start ?? 0;
  const last =
    words.find(({ end }, n) => n + 1 >= least && end - from >= RANGE_UNITS) ?? words.at(-1);
  return text.slice(from, last?.end);
}

function lastWords(text: string, least: number): string {
  const words = tailWords(text);
  const to = words.at(-1)?.end ?? text.length;
  const first =
    words.findLast(({ start }, n) => words.length - n >= least && to - start >= RANGE_UNITS) ??
    words[0];
  return text.slice(first?.start, to);
}

/** Percent-encoded, with the signs that mean something in a directive, and those that end a link in Markdown or in a mail. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[-!'()*~_]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** What stands around the quote, to tell it from others like it. */
interface Surroundings {
  /** The text of the source before and behind the quote, as far as it was shown. */
  before: string;
  behind: string;
  /** True when the passage goes on behind the quote, so that its last word may be half of one. */
  isCut: boolean;
  /** How often words stand in all that was shown of the source. */
  count: (words: string) => number;
}

/**
 * The text directive for a quote of a page, or undefined where a browser would hardly find it: code, nothing but signs, a row of
 * a table without a cell that says enough. Never throws.
 */
export function fragmentOf(quote: string, surroundings: Surroundings): string | undefined {
  if (/^\s*(?:`{3,}|~{3,})/m.test(quote) || /^(?: {4}|\t)/.test(quote)) return undefined;
  const lines = plainLines(surroundings.isCut ? quote.replace(/[^\s。、，！？]*$/u, '') : quote);
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) return undefined;
  if (first.isCell || last.isCell) return cellDirective(lines, surroundings);
  if (lines.length === 1) {
    const [only, ...others] = cleanStretches(first.text);
    if (only !== undefined && others.length === 0 && only.length <= MAX_EXACT_UNITS)
      return exactDirective(only, surroundings);
  }
  return rangeDirective(first.text, last.text, lines.length === 1, surroundings);
}

function exactDirective(
  stretch: string,
  { before, behind, count }: Surroundings,
): string | undefined {
  const exact = bare(stretch);
  if (!isEnough(exact)) return undefined;
  if (count(exact.text) < 2) return `text=${encoded(exact.text)}`;
  const prefix = contextOf(plainLines(before).at(-1)?.text, lastWords);
  if (prefix !== '') return `text=${encoded(prefix)}-,${encoded(exact.text)}`;
  const suffix = contextOf(plainLines(behind)[0]?.text, firstWords);
  return `text=${encoded(exact.text)}${suffix === '' ? '' : `,-${encoded(suffix)}`}`;
}

/** The words of a neighbouring line that stand right beside the quote; '' where signs stand between. */
function contextOf(
  line: string | undefined,
  words: (text: string, least: number) => string,
): string {
  if (line === undefined) return '';
  const stretches = cleanStretches(line);
  return stretches.length === 1 ? words(stretches[0] ?? '', CONTEXT_WORDS) : '';
}

function rangeDirective(
  first: string,
  last: string,
  isOneLine: boolean,
  surroundings: Surroundings,
): string | undefined {
  const from = cleanStretches(first).find((stretch) => isEnough(bare(stretch)));
  const to = cleanStretches(last).findLast((stretch) => isEnough(bare(stretch)));
  if (from === undefined || to === undefined) return undefined;
  const start = firstWords(from, RANGE_WORDS);
  const end = lastWords(to, RANGE_WORDS);
  const isApart = !isOneLine || first.indexOf(start) + start.length <= first.lastIndexOf(end);
  if (!isApart) return exactDirective(from, surroundings);
  if (surroundings.count(start) < 2) return `text=${encoded(start)},${encoded(end)}`;
  const prefix = contextOf(plainLines(surroundings.before).at(-1)?.text, lastWords);
  return `text=${prefix === '' ? '' : `${encoded(prefix)}-,`}${encoded(start)},${encoded(end)}`;
}

/** One cell only: browsers find nothing across cells. The first that says most. */
function cellDirective(lines: readonly PlainLine[], { count }: Surroundings): string | undefined {
  let best: string | undefined;
  for (const { text, isCell } of lines) {
    const [only, ...others] = cleanStretches(text);
    if (!isCell || only === undefined || others.length > 0 || only.length > MAX_EXACT_UNITS)
      continue;
    const cell = bare(only);
    if (isEnough(cell) && cell.text.length > (best?.length ?? 0) && count(cell.text) < 2)
      best = cell.text;
  }
  return best === undefined ? undefined : `text=${encoded(best)}`;
}
