import { BREAK, plainText } from './plain';
import type { Vocabulary } from './vocabulary';

/** References, list numbers and labels before a word. */
export interface Mark {
  text: string;
  /** Whether it can be nothing but a reference: `[1]`, right behind the end of a sentence. */
  isReference: boolean;
}

/** Of a word: it hangs on the one before it, so that no quotation begins or ends between the two. */
export const GLUED = 1;
/** It is one of a script without spaces. */
export const IN_RUN = 2;
/** Only a hyphen at a line's end stands between it and the one before it: they may be one. */
export const MAY_JOIN = 4;
/** A sentence, a part of one with a semicolon, or a paragraph ends before it. */
export const APART = 8;
/** An ellipsis stands before it. */
export const BEHIND_GAP = 16;

/** The words of a text, in order, as parallel lists. Offsets are UTF-16 units of the text they were read from. */
export interface Words {
  /**
   * Numbers of the words without the differences that do not count. Of scripts without spaces each character is one; so is a sign
   * (`%`, `+`).
   */
  words: Int32Array;
  /**
   * Number of the punctuation before each word that is part of what is said: commas, stops, dashes, brackets; not
   * quotation marks.
   */
  before: Int32Array;
  starts: Int32Array;
  ends: Int32Array;
  /** `GLUED`, `IN_RUN`, `MAY_JOIN`, `APART` and `BEHIND_GAP` of each. */
  flags: Int32Array;
  /** What may be missing before the word; before the number of words: behind the last one. */
  marks: Map<number, Mark>;
}

/** What a character is to the reading of words. */
const SPACE = 1;
const LETTER = 2;
const DIGIT = 3;
/** A letter of a script without spaces. */
const DENSE = 4;
/** An accent or vowel sign. */
const MARK = 5;
/** Says something and is no letter: `%`, `+`, `€`, `&`, `°`, and whatever else is of no other kind. */
const SIGN = 6;
/** Punctuation of any script. */
const COUNTED = 7;
/** Quotation marks, and brackets that are used as such. */
const OTHER = 8;

const QUOTATION = '"\'`´‘’‚‛“”„‟«»‹›「」『』｢｣《》〈〉〝〞〟׳״';

/** Punctuation in Unicode, and part of a figure or name all the same. */
const PER_CENT = '%‰‱٪؉؊';
const SIGNS = `${PER_CENT}&#@§/\\\\*′″‴⁗_${BREAK}`;

/** A figure and these are one, also with a space between them. */
const IS_PER_CENT = new RegExp(`^[${PER_CENT}]$`);

/** What may be the first part of a figure whose next part stands behind a blank. */
const FIGURE = /^-?\p{Nd}+$/u;

/** A group of thousands, with decimals; before it stand one to three digits. */
const GROUP = /^\p{Nd}{3}(?:[.,٫]\p{Nd}+)?$/u;
const BEFORE_GROUP = /^-?\p{Nd}{1,3}$/u;

/** The fraction of a mixed number: `1 1/2`, `1 ½`. */
const FRACTION = /^(?:\p{Nd}{1,3}\/\p{Nd}{1,3}|[\u00BC-\u00BE\u2150-\u215E])$/u;

const RANGE = /^[ \t\u00A0\u2009\u202F]*-[ \t\u00A0\u2009\u202F]*$/;
const ONE_BLANK = /^[ \t\u00A0\u2009\u202F]$/;

/** Units between two parts of a figure: a dash with a blank on either side. */
const MAX_WITHIN_FIGURE = 3;

/**
 * Whether a word is part of the figure before it, so that neither is the whole of it: `10 000`, `1 1/2`, `10 – 20`. Rather once too
 * often: then a quotation is called close.
 */
function goesOn(figure: string, between: string, word: string): boolean {
  if (!FIGURE.test(figure)) return false;
  if (ONE_BLANK.test(between))
    return FRACTION.test(word) || (GROUP.test(word) && BEFORE_GROUP.test(figure));
  return RANGE.test(between) && /^\p{Nd}/u.test(word);
}

/** What stands before a decimal point without a zero: `.5 mg`; 0 is the beginning of the text. */
const BEFORE_POINT: ReadonlySet<number> = new Set([0, SPACE, SIGN, OTHER]);

const CLASSES: readonly (readonly [RegExp, number])[] = [
  [/\s/, SPACE],
  [
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u,
    DENSE,
  ],
  [/\p{Nd}/u, DIGIT],
  [/\p{M}/u, MARK],
  [/[\p{L}\p{N}]/u, LETTER],
  [new RegExp(`[${QUOTATION}]`), OTHER],
  [new RegExp(`[${SIGNS}]`), SIGN],
  [/\p{P}/u, COUNTED],
];

const classes = new Uint8Array(0x10000);

/** The class of the character at a place; 0 at the end of the text. */
function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return 0;
  const known = classes[code] ?? 0;
  if (known > 0) return known;
  const char = String.fromCodePoint(text.codePointAt(at) ?? code);
  const found = CLASSES.find(([pattern]) => pattern.test(char))?.[1] ?? SIGN;
  if (char.length === 1) classes[code] = found;
  return found;
}

const sizeAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const isWord = (kind: number): boolean => kind === LETTER || kind === DIGIT || kind === MARK;

/** Whether a character inside a word is part of it: an apostrophe, an underscore, the separator of a number or a time. */
function joins(text: string, at: number, before: number): boolean {
  if (classAt(text, at) === SPACE) return false;
  const char = text.charAt(at);
  const behind = classAt(text, at + 1);
  // `·` stands in Catalan words.
  if ("'_·‧".includes(char)) return isWord(behind);
  return before === DIGIT && behind === DIGIT && '.,:/٫٬'.includes(char);
}

/** Where the word that begins at a place ends. */
function endOfWord(text: string, start: number): number {
  let at = start;
  let before = 0;
  for (;;) {
    const kind = classAt(text, at);
    if (isWord(kind)) {
      at += sizeAt(text, at);
      before = kind;
    } else if (kind !== 0 && before !== 0 && joins(text, at, before)) at += 1;
    else return at;
  }
}

/** Punctuation that counts, of whatever length: a hyphen and a minus are dashes here. */
const punctuation = (between: string): string =>
  Array.from(between)
    .filter((char) => classAt(char, 0) === COUNTED)
    .map((char) => (char === '—' ? '-' : char))
    .filter((char, n, all) => char !== all[n - 1])
    .join('');

const CASELESS_OR_LOWER = /^[\p{Ll}\p{Lo}]/u;
const ENDS_IN_LETTER = /\p{L}\p{M}*$/u;

const SENTENCE_END = /[.!?]["'”’»)]?$/;

const HYPHENATED = /^-[ \t]*(?:\n[ \t]*)?$/;
const BLANK_LINE = /\n\s*\n/;
const LINE_FEED = 10;

/** A list of numbers that grows. */
class Ints {
  #data = new Int32Array(1_024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#data.length) {
      const more = new Int32Array(2 * this.length);
      more.set(this.#data);
      this.#data = more;
    }
    this.#data[this.length] = number;
    this.length += 1;
  }

  all(): Int32Array {
    return this.#data.subarray(0, this.length);
  }
}

/** Reads the words of a text. Total, linear. */
export function wordsOf(original: string, vocabulary: Vocabulary): Words {
  const { text, startOf, endOf, marks: plainMarks } = plainText(original);
  const [words, before, starts, ends] = [new Ints(), new Ints(), new Ints(), new Ints()];
  const allFlags = new Ints();
  const marks = new Map<number, Mark>();
  const punctuations = new Map<string, { number: number; flags: number }>();
  let end = 0; // of the word before
  let last = 0; // class of the word before
  let lastNumber = 0; // number of the word before
  let isBehindDigit = false; // the word before ends in one
  let isCounted = false; // punctuation since then
  let lines = 0; // line feeds since then
  let nextMark = 0;

  const takeMarks = (start: number): void => {
    let mark = '';
    let isReference = true;
    for (let next = plainMarks[nextMark]; next !== undefined; next = plainMarks[nextMark]) {
      const { at, mark: own } = next;
      if (at > start) break;
      nextMark += 1;
      mark += `${own} `;
      if (!/^\d{1,3}$/.test(own) || !SENTENCE_END.test(text.slice(Math.max(0, at - 2), at)))
        isReference = false;
    }
    if (mark !== '') marks.set(words.length, { text: mark, isReference });
  };

  const signsOf = (between: string): { number: number; flags: number } => {
    const known = punctuations.get(between);
    if (known !== undefined) return known;
    const signs = punctuation(between);
    const flags = (/[.!?;]/.test(signs) ? APART : 0) | (signs.includes('…') ? BEHIND_GAP : 0);
    const found = { number: vocabulary.ofPunctuation(signs), flags };
    punctuations.set(between, found);
    return found;
  };

  /** What a hyphen at the end of a line, or one with a blank, makes of the words around it. */
  const mayJoin = (between: string, start: number, to: number): boolean =>
    between.length > 1 &&
    HYPHENATED.test(between) &&
    CASELESS_OR_LOWER.test(text.slice(start, to)) &&
    ENDS_IN_LETTER.test(vocabulary.textOf(lastNumber));

  const take = (start: number, kind: number, to: number): void => {
    takeMarks(start);
    const isDense = kind === DENSE;
    const number =
      isDense && to - start === 1
        ? vocabulary.ofUnit(text, start)
        : vocabulary.ofWritten(text.slice(start, to));
    let signs = 0;
    let flags = isDense ? IN_RUN : 0;
    if (isCounted) {
      const between = text.slice(end, start);
      const found = signsOf(between);
      signs = found.number;
      flags |= found.flags;
      if (between === '-') flags |= GLUED;
      else if (!isDense && between.startsWith('-') && mayJoin(between, start, to))
        flags |= MAY_JOIN;
    }
    if (isBehindDigit && start > end && start - end <= MAX_WITHIN_FIGURE) {
      const between = text.slice(end, start);
      if (goesOn(vocabulary.textOf(lastNumber), between, text.slice(start, to))) flags |= GLUED;
    }
    if (lines > 1 && BLANK_LINE.test(text.slice(end, start))) flags |= APART;
    if (kind === SIGN) {
      const word = text.slice(start, to);
      if (word === BREAK) flags |= APART;
      const isBehindFigure =
        start - end < 2 && /^\p{Nd}[ \t\u00A0\u202F]?$/u.test(text.slice(end - 1, start));
      if (isBehindFigure && IS_PER_CENT.test(word)) flags |= GLUED;
    }
    const isTight = end === start && words.length > 0;
    if (isTight && (kind === SIGN || last === SIGN) && !isDense && last !== DENSE) flags |= GLUED;
    words.push(number);
    before.push(signs);
    starts.push(startOf(start));
    ends.push(endOf(to - 1));
    allFlags.push(flags);
    end = to;
    isBehindDigit = classAt(text, to - 1) === DIGIT;
    last = kind;
    lastNumber = number;
    isCounted = false;
    lines = 0;
  };

  for (let at = 0; at < text.length;) {
    const kind = classAt(text, at);
    const isMinus =
      kind === COUNTED &&
      text.charAt(at) === '-' &&
      classAt(text, at + 1) === DIGIT &&
      !(at > 0 && (isWord(classAt(text, at - 1)) || text.charAt(at - 1) === ')'));
    const isPoint =
      kind === COUNTED &&
      '.,٫'.includes(text.charAt(at)) &&
      classAt(text, at + 1) === DIGIT &&
      (BEFORE_POINT.has(classAt(text, at - 1)) || '([{'.includes(text.charAt(at - 1)));
    if (kind === DENSE) {
      let to = at + sizeAt(text, at);
      while (classAt(text, to) === MARK) to += sizeAt(text, to);
      take(at, kind, to);
      at = to;
    } else if (isWord(kind) || isMinus || isPoint) {
      const to = endOfWord(text, isMinus || isPoint ? at + 1 : at);
      take(at, LETTER, to);
      at = to;
    } else if (kind === SIGN) {
      const to = at + sizeAt(text, at);
      take(at, kind, to);
      at = to;
    } else {
      if (kind === COUNTED) isCounted = true;
      else if (text.charCodeAt(at) === LINE_FEED) lines += 1;
      at += sizeAt(text, at);
    }
  }
  takeMarks(Infinity);
  return {
    words: words.all(),
    before: before.all(),
    starts: starts.all(),
    ends: ends.all(),
    flags: allFlags.all(),
    marks,
  };
}
