import { fold } from '../words';

import { takeFigures } from './figures';

/** UTF-16 units of a word that count: beyond that it is no word but data. */
const MAX_WORD_UNITS = 40;

const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** What a UTF-16 unit is; 0 = not asked yet. */
const GAP = 1;
const SPACED = 2;
const PACKED = 3;

const classOf = (char: string): number =>
  DENSE.test(char) ? PACKED : LETTER.test(char) ? SPACED : GAP;

/** By unit, filled as units are met: a source has 20,000 of them, and they are few different ones. */
const classes = /* @__PURE__ */ new Uint8Array(0x1_0000);

/** What is told of each term of a folded text: where it begins and ends. */
type OnTerm = (folded: string, start: number, end: number) => void;

/**
 * Tells every word, and of scripts without spaces every pair of characters (`RUNS` of `lib/words`), in order. An alone
 * standing character is a term too. The loop is hand-made because all that a turn was shown goes through it.
 */
function eachTerm(folded: string, onTerm: OnTerm): void {
  let start = 0;
  let kind = GAP;
  /** Where the character before begins, in a run of packed ones. */
  let before = -1;
  const close = (end: number): void => {
    if (kind === SPACED) onTerm(folded, start, Math.min(end, start + MAX_WORD_UNITS));
    else if (kind === PACKED && before === start) onTerm(folded, start, end);
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
    } else if (kind === PACKED) onTerm(folded, before, next);
    before = at;
    at = next;
  }
  close(folded.length);
}

/** Letters that are the same when they are folded, but for their case, and signs that are no letters before and after. */
const PLAIN =
  /^[\0-\x7F\u0400-\u0406\u0408-\u045F\u2010-\u2015\u2018-\u201E\u2026\u3001-\u3003\u3008-\u3011\u4E00-\u9FFF\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F«»]*$/;

/** Cyrillic letters with marks of their own. */
const MARKED = /[\u0439\u0450\u0451\u0453\u045C-\u045E]/gi;

/** `fold` for the texts that have nothing to fold but case, which most are: all that a turn was shown goes through it. */
const folded = (text: string): string =>
  PLAIN.test(text) ? text.replace(MARKED, fold).toLowerCase() : fold(text);

/** The figures of a text (see `takeFigures`); its other terms, without case, accents and width, are told one by one. */
export function readTerms(text: string, onTerm: OnTerm): { figures: string[] } {
  const { figures, rest } = takeFigures(text);
  eachTerm(folded(rest), onTerm);
  return { figures };
}
