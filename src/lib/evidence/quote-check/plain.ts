/**
 * The words of a Markdown text as a reader sees them, with the way back to where they stand. What two spellings of the same
 * words may differ in is made alike here; docs/evidence.md has the table.
 */

/** A text made plain. Offsets are UTF-16 units. */
export interface Plain {
  text: string;
  /**
   * Where what a unit of `text` stands for begins and ends in the original. To be asked in rising order: behind each other,
   * both are found at once.
   */
  startOf: (unit: number) => number;
  endOf: (unit: number) => number;
  /** What may be missing in a quotation (references, list numbers, link labels), by where it would stand in `text`. */
  marks: { at: number; mark: string }[];
}

/** Stands between texts that are no neighbours. A noncharacter: no text has a meaning for it. */
export const BREAK = '\uFFFF';

/** What becomes of a stretch: other text, or a mark. */
interface Change {
  /** Units of the original. */
  length: number;
  put: string;
  mark?: string;
}

/** Tries one construct at a place. */
type Rule = (text: string, at: number) => Change | undefined;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** A rule for what a sticky pattern matches. */
const rule =
  (pattern: RegExp, put: string | ((match: string) => string)): Rule =>
  (text, at) => {
    const match = matchAt(pattern, text, at)?.[0];
    if (match === undefined) return undefined;
    return { length: match.length, put: typeof put === 'string' ? put : put(match) };
  };

const markRule =
  (pattern: RegExp): Rule =>
  (text, at) => {
    const match = matchAt(pattern, text, at)?.[0];
    if (match === undefined) return undefined;
    // `[[1]](#note)`, `【1†L3】` and the plain `[1]` are the same reference.
    const mark = match.replace(/(?:\(#|†).*$/, '').replace(/[\s[\]【】\\^]/g, '');
    return { length: match.length, put: '', mark };
  };

/**
 * Rules, underlines and the row below a table's head; the marks of a document's pages. Not fences: what stands behind one may be a
 * language or a word.
 */
const LINES_WITHOUT_WORDS = [
  /[ \t]{0,200}(?:[-=|:*_][ \t]{0,200}){3,}(?=\n|$)/y,
  /— page \d{1,9} of \d{1,9} —(?=\n|$)/y,
];
const LINE_START = /[ \t>]{0,200}(?:#{1,6}[ \t]+)?/y;
const ITEM_START = /(?:[-*+•‣◦\uF0A7\uF0B7]|(\d{1,3}[.)]))[ \t]+(?:\[[ x]\][ \t]+)?/iy;

/** `- 5`, `+ $3`: an item, or a figure with its sign. */
const SIGNED = /[-+*][ \t]+[\p{Sc}.]?\p{Nd}/uy;

/** What a line ends with whose next one may be a list: the end of a sentence or of a table's row. */
const MAY_END = /(?:^|[.!?:;。！？：；|])["'”’»)*_`\]]*$/;

/** Units of a line's end that are looked at. */
const LINE_END = 40;

/** Whether the line behind the one at a place begins with a bullet or number. */
function isItemBehind(text: string, at: number): boolean {
  const end = text.indexOf('\n', at);
  // A line that long is no item of a short list.
  if (end < 0 || end - at > 1_000) return false;
  const start = end + 1 + (matchAt(LINE_START, text, end + 1)?.[0].length ?? 0);
  return matchAt(ITEM_START, text, start) !== null;
}

/**
 * Whether a bullet or number may begin an item. A dash, a sign or the end of a figure may be wrapped to the beginning of a line:
 * behind half a sentence it is no list, and neither is a single line with a signed figure behind a line of words.
 */
function mayBeItem(text: string, at: number, bullet: number): boolean {
  const before = text.slice(Math.max(0, at - LINE_END), Math.max(0, at - 1)).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const isBlank = at < 2 || /\n[ \t>]*\n$/.test(text.slice(Math.max(0, at - LINE_END), at));
  if (isBlank) return true;
  if (!MAY_END.test(line)) return false;
  return matchAt(SIGNED, text, bullet) === null || isItemBehind(text, bullet);
}

/** `> 5`, `>= 5`: greater, if the line before is neither blank nor a block quote. */
const GREATER = /[ \t]{0,200}>[=>]?[ \t]*[-+±.\p{Sc}]?\p{Nd}/uy;
const isGreater = (text: string, at: number): boolean =>
  at > 1 &&
  matchAt(GREATER, text, at) !== null &&
  !/^[ \t]*(?:>|$)/.test(text.slice(text.lastIndexOf('\n', at - 2) + 1, at - 1).slice(0, 200));

/** What stands at the beginning of a line that is no word of it; `isItem` whether it begins or goes on with a list. */
function lineStart(text: string, at: number, wasItem: boolean): Change & { isItem: boolean } {
  for (const pattern of LINES_WITHOUT_WORDS) {
    const whole = matchAt(pattern, text, at)?.[0];
    if (whole !== undefined) return { length: whole.length, put: '', isItem: false };
  }
  if (isGreater(text, at)) return { length: 0, put: '', isItem: false };
  const length = matchAt(LINE_START, text, at)?.[0].length ?? 0;
  const start = matchAt(ITEM_START, text, at + length);
  const item = start !== null && (wasItem || mayBeItem(text, at, at + length)) ? start : null;
  if (item === null) return { length, put: '', isItem: wasItem && text.charAt(at) !== '\n' };
  const change = { length: length + item[0].length, put: '', isItem: true };
  return item[1] === undefined ? change : { ...change, mark: item[1] };
}

const GAP = /\[ ?(?:…+|\.{3,}) ?\]|\( ?(?:…+|\.{3,}) ?\)|…+|\.{3,}|\. \. \./y;
const gap = rule(GAP, '…');

const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
const isWordChar = (char: string): boolean => LETTER_OR_DIGIT.test(char);

/** `*` between digits or spaces is a sign, `_` inside a word is part of it. Else both are emphasis. */
const stars: Rule = (text, at) => {
  const length = matchAt(/\*+/y, text, at)?.[0].length ?? 1;
  const around = text.charAt(at - 1) + text.charAt(at + length);
  return /^[\d ][\d ]$/.test(around) ? undefined : { length, put: '' };
};
const underscores: Rule = (text, at) => {
  const length = matchAt(/_+/y, text, at)?.[0].length ?? 1;
  const before = text.charAt(text.charAt(at - 1) === '\\' ? at - 2 : at - 1);
  const isInside = isWordChar(before) && isWordChar(text.charAt(at + length));
  return isInside ? undefined : { length, put: '' };
};

/** `tea[a] grows`: a letter in brackets right behind a word is a note. */
const NOTE_LETTER = /\[[a-z]\](?![\p{L}\p{N}(])/uy;
const noteLetter: Rule = (text, at) =>
  at > 0 && !/[\s([]/.test(text.charAt(at - 1)) ? markRule(NOTE_LETTER)(text, at) : undefined;

/** `[t]he`: a letter that the person who quotes has changed. */
const CHANGED_LETTERS = /\[(\p{L}{1,3})\](?=\p{L})/uy;
const changedLetters: Rule = (text, at) => {
  const letters = matchAt(CHANGED_LETTERS, text, at)?.[1];
  if (letters === undefined || isWordChar(text.charAt(at - 1))) return undefined;
  return { length: letters.length + 2, put: letters };
};

/** `[1]`, `[1, 2]`, `[3–5]`, `[^1]`, `\[1\]`, and these as links within the page. `[10,000]` is a number. */
const REFERENCE =
  /\\?\[(?!\d{1,3}[,，]\d{3})(?:\\?\[)?\^?\d{1,3}(?:[,，、\-–] ?\^?\d{1,3}){0,20}(?:\\?\])?\\?\](?:\(#[^()\s]{0,300}\)|(?!\())/y;

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
};

/** The constructs, by the characters that may begin them; the first that fits counts. */
const RULES = new Map<string, readonly Rule[]>();
const startWith = (chars: string, ...rules: Rule[]): void => {
  for (const char of chars) RULES.set(char, rules);
};

startWith('.…', gap);
startWith('(', gap);
startWith('[', gap, markRule(REFERENCE), noteLetter, changedLetters, rule(/\[/y, ' '));
startWith('!', rule(/!\[/y, ' '));
startWith(
  ']',
  // A target has a sign that no word has: `](not)` is words.
  rule(
    /\](?=\([^()\s]{0,300}(?:[/#:]|\.\w))\((?:[^()\\\s]|\\.|\([^()\s]{0,200}\)){0,2000}(?: +"[^"\n]{0,300}")?\)/y,
    '',
  ),
  markRule(/\]\[\d{0,3}\]/y),
  rule(/\]/y, ' '),
);
startWith('\\', markRule(REFERENCE), rule(/\\(?=[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~])/y, ''));
startWith(
  '&',
  rule(/&(?:amp|lt|gt|quot|apos|nbsp|#39);/y, (entity) => ENTITIES[entity] ?? "'"),
);
startWith('_', underscores);
startWith('*', stars);
startWith('~', rule(/~{2,}/y, ''));
startWith('〜', rule(/〜/y, '~'));
startWith('`', rule(/`+/y, ''));
startWith('|', rule(/\|/y, ' '));
startWith('<', rule(/<br ?\/?>/iy, ' '));
startWith('【', markRule(/【\d{1,3}(?:†[^】\n]{0,40})?】/y));
startWith('-', rule(/-{2,}/y, '—'));
startWith('―⸺⸻', rule(/./y, '—'));
startWith('\u2010\u2011\u2012–\u2212\u05BE\uFE63\uFF0D', rule(/./y, '-'));
startWith('‘’ʼ‛＇´׳', rule(/./y, "'"));
startWith('、،﹐､︐︑', rule(/./y, ','));
startWith('。।॥۔｡︒', rule(/./y, '.'));
startWith('؛', rule(/./y, ';'));
startWith('؟', rule(/./y, '?'));

/** Soft hyphens, zero-width characters, direction and variation marks; and the bar that makes Arabic words longer. */
const UNSEEN = '\\p{Default_Ignorable_Code_Point}\\u0640';
const isUnseen = new RegExp(`^[${UNSEEN}]`, 'u');

/**
 * Ligatures, forms for width and position, letterlike and mathematical letters. Not powers, indices, fractions and numbers in
 * circles, which are other characters and not other spellings: x² is not x2.
 */
const COMPATIBLE =
  '\u0132\u0133\u017F\u01C4-\u01CC\u01F1-\u01F3\u2103\u2109\u2116\u2160-\u217F\u212A\u212B\u3300-\u33FF\uF900-\uFAFF\uFB00-\uFB4F\uFB50-\uFDFF\uFE13-\uFE19\uFE50-\uFE6B\uFE70-\uFEFC\uFF01-\uFFEE\\u{1D400}-\\u{1D7FF}\\u{2F800}-\\u{2FA1D}';

/** Everything that is not simply copied. */
const SPECIAL = new RegExp(
  `[\\n\\0-\\x08\\x0E-\\x1F\\x7F-\\x9F${[...RULES.keys()].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}${UNSEEN}${COMPATIBLE}]`,
  'gu',
);

const spellings = new Map<string, string>();

/** Every other special character: unseen, a control, or another form of a character. */
function spelling(char: string): string {
  const known = spellings.get(char);
  if (known !== undefined) return known;
  const same = isUnseen.test(char) ? '' : char.normalize('NFKC');
  const plain = /^[\0-\x1F\x7F-\x9F]/.test(same) ? ' ' : same; // eslint-disable-line no-control-regex -- what is taken out
  spellings.set(char, plain);
  return plain;
}

/** The way back from a text made of stretches, each copied or put in the place of another. */
class Way {
  readonly #ats: number[] = [];
  readonly #froms: number[] = [];
  /** Units that a stretch stands for; 0 = it was copied. */
  readonly #lengths: number[] = [];
  #now = 0;

  add(at: number, from: number, length: number): void {
    this.#ats.push(at);
    this.#froms.push(from);
    this.#lengths.push(length);
  }

  #find(unit: number): number {
    while ((this.#ats[this.#now + 1] ?? Infinity) <= unit) this.#now += 1;
    return this.#froms[this.#now] ?? 0;
  }

  startOf(unit: number): number {
    const from = this.#find(unit);
    return this.#lengths[this.#now] === 0 ? from + unit - (this.#ats[this.#now] ?? 0) : from;
  }

  endOf(unit: number): number {
    const from = this.#find(unit);
    const length = this.#lengths[this.#now] ?? 0;
    return length === 0 ? from + unit - (this.#ats[this.#now] ?? 0) + 1 : from + length;
  }
}

/** Makes a text plain. Total, linear. */
export function plainText(text: string): Plain {
  const way = new Way();
  const marks: Plain['marks'] = [];
  let plain = '';
  let done = 0;
  const copyTo = (end: number): void => {
    if (end <= done) return;
    way.add(plain.length, done, 0);
    plain += text.slice(done, end);
    done = end;
  };
  const apply = ({ length, put, mark }: Change): void => {
    if (mark !== undefined) marks.push({ at: plain.length, mark });
    if (put !== '') way.add(plain.length, done, length);
    plain += put;
    done += length;
  };
  const change = (char: string): Change | undefined => {
    const rules = RULES.get(char);
    if (rules === undefined) return { length: char.length, put: spelling(char) };
    for (const attempt of rules) {
      const found = attempt(text, done);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  let isItem = false;
  const begin = (): void => {
    const start = lineStart(text, done, isItem);
    isItem = start.isItem;
    apply(start);
  };
  begin();
  for (;;) {
    SPECIAL.lastIndex = done;
    const found = SPECIAL.exec(text);
    if (found === null) break;
    const [char] = found;
    copyTo(found.index);
    const own = char === '\n' ? { length: 1, put: '\n' } : change(char);
    if (own === undefined) copyTo(done + char.length);
    else apply(own);
    if (char === '\n') begin();
  }
  copyTo(text.length);
  return {
    text: plain,
    startOf: (unit) => way.startOf(unit),
    endOf: (unit) => way.endOf(unit),
    marks,
  };
}
