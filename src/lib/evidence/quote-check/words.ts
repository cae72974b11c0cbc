import { BREAK, plainText } from './plain';

/** References, list numbers and labels before a word. */
export interface Mark {
  text: string;
  /** Whether it can be nothing but a reference: `[1]`, right behind the end of a sentence. */
  isReference: boolean;
}

/** The words of a text, in order, as parallel lists. Offsets are UTF-16 units of the text they were read from. */
export interface Words {
  /** Without the differences that do not count. Of scripts without spaces each character is one; so is a sign (`%`, `+`). */
  words: string[];
  /** Punctuation before each word that is part of what is said: commas, stops, dashes, brackets; not quotation marks. */
  before: string[];
  starts: number[];
  ends: number[];
  /** Whether the word hangs on the one before it, so that no quotation begins or ends between the two. */
  isGlued: boolean[];
  /** Words of a script without spaces. */
  isDense: boolean[];
  /** Whether only a hyphen at a line's end stands between the word and the one before it: they may be one. */
  mayJoin: boolean[];
  /** Whether a sentence, a part of one with a semicolon, or a paragraph ends before the word. */
  isApart: boolean[];
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

// eslint-disable-next-line no-control-regex -- the range of ASCII, which needs no folding but that of case
const ASCII = /^[\x00-\x7F]*$/;

/** Case does not count; a letter and its accent are one character or two. */
const sameCase = (word: string): string =>
  ASCII.test(word)
    ? word.toLowerCase()
    : word
        .normalize('NFC')
        .toLowerCase()
        .replaceAll('i\u0307', 'i') // İ
        .replaceAll('ς', 'σ');

const CASELESS_OR_LOWER = /^[\p{Ll}\p{Lo}]/u;
const ENDS_IN_LETTER = /\p{L}\p{M}*$/u;

const SENTENCE_END = /[.!?]["'”’»)]?$/;

/** Reads the words of a text. Total, linear. */
export function wordsOf(original: string): Words {
  const { text, startOf, endOf, marks } = plainText(original);
  const found: Words = {
    words: [],
    before: [],
    starts: [],
    ends: [],
    isGlued: [],
    isDense: [],
    mayJoin: [],
    isApart: [],
    marks: new Map(),
  };
  let end = 0; // of the word before
  let last = 0; // class of the word before
  let isCounted = false; // punctuation since then
  let nextMark = 0;

  const takeMarks = (start: number): void => {
    let mark = '';
    let isReference = true;
    for (let next = marks[nextMark]; next !== undefined; next = marks[nextMark]) {
      const { at, mark: own } = next;
      if (at > start) break;
      nextMark += 1;
      mark += `${own} `;
      if (!/^\d{1,3}$/.test(own) || !SENTENCE_END.test(text.slice(Math.max(0, at - 2), at)))
        isReference = false;
    }
    if (mark !== '') found.marks.set(found.words.length, { text: mark, isReference });
  };

  const take = (start: number, kind: number, to: number): void => {
    const number = found.words.length;
    const word = text.slice(start, to);
    const between = isCounted ? text.slice(end, start) : '';
    const isTight = end === start && number > 0;
    takeMarks(start);
    found.words.push(kind === DENSE && word.length === 1 ? word : sameCase(word));
    found.before.push(between === '' ? '' : punctuation(between));
    found.starts.push(startOf(start));
    found.ends.push(endOf(to - 1));
    found.isDense.push(kind === DENSE);
    found.isApart.push(
      word === BREAK ||
        /[.!?;]/.test(found.before[number] ?? '') ||
        /\n\s*\n/.test(text.slice(end, start)),
    );
    found.isGlued.push(
      between === '-' ||
        (isTight && (kind === SIGN || last === SIGN) && kind !== DENSE && last !== DENSE) ||
        (IS_PER_CENT.test(word) && /\p{Nd}[ \t\u00A0\u202F]?$/u.test(text.slice(end - 1, start))),
    );
    found.mayJoin.push(
      between.length > 1 &&
        /^-[ \t]*(?:\n[ \t]*)?$/.test(between) &&
        kind !== DENSE &&
        CASELESS_OR_LOWER.test(word) &&
        ENDS_IN_LETTER.test(found.words[number - 1] ?? ''),
    );
    end = to;
    last = kind;
    isCounted = false;
  };

  for (let at = 0; at < text.length;) {
    const kind = classAt(text, at);
    const isMinus =
      text.charAt(at) === '-' &&
      classAt(text, at + 1) === DIGIT &&
      !(at > 0 && (isWord(classAt(text, at - 1)) || text.charAt(at - 1) === ')'));
    if (kind === DENSE) {
      let to = at + sizeAt(text, at);
      while (classAt(text, to) === MARK) to += sizeAt(text, to);
      take(at, kind, to);
      at = to;
    } else if (isWord(kind) || isMinus) {
      const to = endOfWord(text, isMinus ? at + 1 : at);
      take(at, LETTER, to);
      at = to;
    } else if (kind === SIGN) {
      const to = at + sizeAt(text, at);
      take(at, kind, to);
      at = to;
    } else {
      if (kind === COUNTED) isCounted = true;
      at += sizeAt(text, at);
    }
  }
  takeMarks(Infinity);
  return found;
}
