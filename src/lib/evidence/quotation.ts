import { DENSE } from '../words';

/**
 * Direct quotations in an answer: what stands between quotation marks and is long enough to be somebody's words. Marks are
 * used differently from language to language („…“, “…”, ”…”, «…», »…«), so the same character may open here and close there;
 * what stands before and behind it decides.
 */

/** Words a quotation must have. Shorter ones are names, terms and titles, and stand in many texts by chance. */
const MIN_QUOTED_WORDS = 5;

/** A mark that can open, and the marks that can close what it opened. */
type Family = Readonly<Record<string, string>>;

/** Marks of one family close each other, and no other's. */
const FAMILIES: readonly Family[] = [
  { '“': '”“', '„': '“”', '‟': '”', '”': '”' },
  { '‘': '’', '‚': '‘’', '‛': '’' },
  { '«': '»', '»': '«»' },
  { '‹': '›', '›': '‹›' },
  { '「': '」', '｢': '｣' },
  { '『': '』' },
  { '《': '》' },
  { '〝': '〟〞' },
  { '"': '"', '＂': '＂' },
  { "'": "'" },
];

const FAMILY_OF = new Map<string, number>();
for (const [number, family] of FAMILIES.entries()) {
  for (const mark of Object.entries(family).flat().join('')) FAMILY_OF.set(mark, number);
}

const MARK = /["'‘’‚‛“”„‟«»‹›「」｢｣『』《》〝〞〟＂]/g;

/** Marks that open in one language and close in another, or are apostrophes elsewhere. */
const TWO_FACED = '“”‘’»›"＂\'';

const SPACED = new RegExp(`(?![${DENSE}])[\\p{L}\\p{M}\\p{N}]`, 'u');

/** What a mark is ended by: a blank line, or the beginning of a list item, a heading or a row. */
const BREAK = /\n(?=[ \t>]*(?:\n|[-*+|#] |#{2,6} |\d{1,3}[.)] ))/g;

/** Words that begin with an apostrophe. */
const ELIDED = /^(?:\d\ds?|tis|twas|em|til|cause|n)(?![\p{L}\p{N}])/iu;

interface Mark {
  char: string;
  at: number;
  /** The characters beside it, '' at the ends. */
  before: string;
  behind: string;
}

const spaced = new Map<string, boolean>();

/** Whether it is a letter or digit of a script that has spaces. */
function isSpaced(char: string): boolean {
  const known = spaced.get(char);
  if (known !== undefined) return known;
  const found = SPACED.test(char);
  spaced.set(char, found);
  return found;
}

const isSpace = (char: string): boolean => char.trim() === '';

function canOpen({ char, before, behind }: Mark): boolean {
  if (!TWO_FACED.includes(char) || (char === '“' && isSpace(before))) return true;
  return !isSpace(behind) && !isSpaced(before);
}

function canClose({ char, before, behind }: Mark): boolean {
  if (!TWO_FACED.includes(char)) return true;
  if (char === '»' || char === '›' || char === '”') return true;
  return !isSpace(before) && !(isSpaced(before) && isSpaced(behind));
}

/** The same mark can do both: between a space and a letter it opens. */
const looksOpening = ({ before, behind }: Mark): boolean =>
  (isSpace(before) || /[([{—–]/.test(before)) && !isSpace(behind) && !/[.,;:!?)\]}]/.test(behind);

/** In French a space stands before what closes: these close what these opened, whatever is beside them. */
const CERTAIN = ['«»', '‹›', '“”'];

/** `dogs’ bowls`, `goin’ home`: it may be an apostrophe if a better mark follows. */
const mayBeApostrophe = (mark: Mark, text: string): boolean =>
  (mark.char === '’' || mark.char === "'") &&
  /[snxz]/i.test(mark.before) &&
  /^[ \t\n]\p{L}/u.test(text.slice(mark.at + 1, mark.at + 4));

const isApostrophe = ({ char, at, before, behind }: Mark, text: string): boolean =>
  "'‘’‛".includes(char) &&
  ((isSpaced(before) && isSpaced(behind)) ||
    (isSpace(before) && ELIDED.test(text.slice(at + 1, at + 8))));

/** The outermost pairs of one family in one paragraph, as the places of their marks. */
function pairsOf(marks: readonly Mark[], family: Family, text: string): [number, number][] {
  const own = marks.filter((mark) => !isApostrophe(mark, text));
  const isOpener = (mark: Mark): boolean => mark.char in family && canOpen(mark);
  // From the end: whether a clear closing mark comes before the next opening one.
  const isClearAhead: boolean[] = [];
  let isClear = false;
  for (const mark of own.toReversed()) {
    isClearAhead.push(isClear);
    if (isOpener(mark) && looksOpening(mark)) isClear = false;
    else if (canClose(mark) && !mayBeApostrophe(mark, text)) isClear = true;
  }
  isClearAhead.reverse();

  const open: Mark[] = [];
  const pairs: [number, number][] = [];
  for (const [n, mark] of own.entries()) {
    const top = open.at(-1);
    const closes =
      top !== undefined &&
      (family[top.char] ?? '').includes(mark.char) &&
      (CERTAIN.includes(top.char + mark.char) ||
        (canClose(mark) &&
          !(isOpener(mark) && looksOpening(mark)) &&
          !(mayBeApostrophe(mark, text) && isClearAhead[n] === true)));
    if (closes) {
      open.pop();
      pairs.push([top.at, mark.at]);
    } else if (isOpener(mark)) {
      // Straight marks do not nest: an opening one behind an open one means that the first was none.
      if (top?.char === mark.char && (mark.char === '"' || mark.char === "'")) open.pop();
      open.push(mark);
    }
  }
  return pairs;
}

let segmenter: Intl.Segmenter | undefined;

/** Whether a text has as many words as a direct quotation must have. */
export function hasQuotedWords(text: string): boolean {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) {
    if (isWordLike === true) words += 1;
    if (words >= MIN_QUOTED_WORDS) return true;
  }
  return false;
}

/**
 * Finds the direct quotations of five words or more, in any language's quotation marks. Of nested ones the outer counts.
 * Apostrophes are no marks, and nothing is quoted across a blank line. Total, and linear in the length of the text.
 *
 * @param text an answer's Markdown or one sentence of it; code and link targets are the caller's to mask
 * @returns the words inside the marks, without the white space there, in order and without overlap; UTF-16 units of `text`
 */
export function quotationsOf(text: string): { start: number; end: number }[] {
  const pairs = paragraphsOf(text).flatMap((families) =>
    families.flatMap((marks, number) => pairsOf(marks, FAMILIES[number] ?? {}, text)),
  );
  pairs.sort(([a], [b]) => a - b);
  const found: { start: number; end: number }[] = [];
  let last = -1;
  for (const [open, close] of pairs) {
    if (open <= last) continue;
    const inner = text.slice(open + 1, close);
    const start = open + 1 + (inner.length - inner.trimStart().length);
    const end = start + inner.trim().replace(/\\$/, '').length;
    if (end - start < MIN_QUOTED_WORDS || !hasQuotedWords(text.slice(start, end))) continue;
    found.push({ start, end });
    last = close;
  }
  return found;
}

/** The marks of each paragraph that has any, by family. */
function paragraphsOf(text: string): Mark[][][] {
  const breaks = [...text.matchAll(BREAK)].map(({ index }) => index);
  const paragraphs: Mark[][][] = [];
  let next = 0;
  let families: Mark[][] | undefined;
  for (const { 0: char, index } of text.matchAll(MARK)) {
    while ((breaks[next] ?? Infinity) < index) {
      next += 1;
      families = undefined;
    }
    if (families === undefined) {
      families = FAMILIES.map(() => []);
      paragraphs.push(families);
    }
    // Half a character outside the basic plane is neither space nor letter, which such a neighbour seldom is.
    const before = text.charAt(index - 1);
    const behind = text.charAt(index + 1);
    families[FAMILY_OF.get(char) ?? 0]?.push({ char, at: index, before, behind });
  }
  return paragraphs;
}
