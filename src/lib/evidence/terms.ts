import { DENSE, fold, MAX_WORD_UNITS } from '../words';

import { takeFigures } from './figures';

const IS_DENSE = new RegExp(`[${DENSE}]`, 'u');
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** What a UTF-16 unit is; 0 = not asked yet. */
const GAP = 1;
const SPACED = 2;
const PACKED = 3;

const classOf = (char: string): number =>
  IS_DENSE.test(char) ? PACKED : LETTER.test(char) ? SPACED : GAP;

/** By unit, filled as units are met: a source has 20,000 of them, and they are few different ones. */
const classes = /* @__PURE__ */ new Uint8Array(0x1_0000);

/** UTF-16 units of a word that its head is made of: two forms of a word begin with as many like ones at least. */
export const HEAD_UNITS = 5;

/** Heads there are. Of the words of a long answer few share one by chance: they are some thousands. */
export const HEADS = 0x2_0000;

/** A number below `HEADS` for how a term begins: the forms of a word have the same one, and few other words. */
function headOf(text: string, start: number, end: number): number {
  let head = 0;
  const stop = Math.min(end, start + HEAD_UNITS);
  for (let at = start; at < stop; at += 1) head = (Math.imul(head, 31) + text.charCodeAt(at)) | 0;
  return Math.imul(head, 0x9e37_79b1) >>> 15;
}

/** What is told of a term of a folded text: its head, and where it begins and ends. */
type OnTerm = (head: number, folded: string, start: number, end: number) => void;

/**
 * Tells every word, and of scripts without spaces every pair of characters (`RUNS` of `lib/words`), in order, if its head is wanted. An
 * alone standing character is a term too. The loop is hand-made because all that a turn was shown goes through it.
 *
 * @returns how many terms there are, told or not
 */
function eachTerm(
  folded: string,
  onTerm: OnTerm,
  isWanted: Readonly<Record<number, number>> | undefined,
): number {
  let start = 0;
  let kind = GAP;
  let count = 0;
  /** Where the character before begins, in a run of packed ones. */
  let before = -1;
  const tell = (from: number, end: number): void => {
    count += 1;
    const head = headOf(folded, from, end);
    if (isWanted === undefined || isWanted[head] !== 0) onTerm(head, folded, from, end);
  };
  const close = (end: number): void => {
    if (kind === SPACED) tell(start, Math.min(end, start + MAX_WORD_UNITS));
    else if (kind === PACKED && before === start) tell(start, end);
  };
  for (let at = 0; at < folded.length;) {
    const unit = folded.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit <= 0xdbff && at + 1 < folded.length;
    const next = isPair ? at + 2 : at + 1;
    const now = isPair
      ? classOf(folded.slice(at, next))
      : (classes[unit] ||= classOf(folded.charAt(at)));
    if (now !== kind) {
      close(at);
      kind = now;
      start = at;
    } else if (kind === PACKED) tell(before, next);
    before = at;
    at = next;
  }
  close(folded.length);
  return count;
}

/** Letters that are the same when they are folded, but for their case, and signs that are no letters before and after. */
const PLAIN =
  /^[\0-\x7F\u0400-\u0406\u0408-\u045F\u2010-\u2015\u2018-\u201E\u2026\u3001-\u3003\u3008-\u3011\u4E00-\u9FFF\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F«»]*$/;

/** Cyrillic letters with marks of their own. */
const MARKED = /[\u0439\u0450\u0451\u0453\u045C-\u045E]/gi;

/** `fold` for the texts that have nothing to fold but case, which most are: all that a turn was shown goes through it. */
const folded = (text: string): string =>
  PLAIN.test(text) ? text.replace(MARKED, fold).toLowerCase() : fold(text);

/**
 * The figures of a text (see `takeFigures`), and how many other terms it has. These, without case, accents and width, are
 * told one by one.
 *
 * @param isWanted by head: terms with a 0 there are only counted; all are told if it is not given
 */
export function readTerms(
  text: string,
  onTerm: OnTerm,
  isWanted?: Readonly<Record<number, number>>,
): { figures: string[]; count: number } {
  const { figures, rest } = takeFigures(text);
  return { figures, count: eachTerm(folded(rest), onTerm, isWanted) };
}
