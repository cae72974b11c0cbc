import type { State, TokenizeContext, Tokenizer } from 'micromark-util-types';

import { consumeTex, isEol } from './maths-tokens';

/** Formulas without both their delimiters: chemistry that stands in the text, and what an answer breaks off in. */

const DOLLAR = 36;

/** Characters of a bare `\ce{…}`; a long reaction has under two hundred. */
const MAX_CHEMISTRY = 300;

/** `\ce{H2O}` and `\pu{5 kg}` without delimiters, on one line: what mhchem reads is nothing else. */
export function tokenizeChemistry(
  this: TokenizeContext,
  effects: Parameters<Tokenizer>[0],
  ok: State,
  nok: State,
): State {
  let tex = '';
  let depth = 0;
  let escaped = false;
  const inside: State = (code) => {
    if (code === null || isEol(code) || tex.length >= MAX_CHEMISTRY) return nok(code);
    const char = code < 0 ? ' ' : String.fromCharCode(code);
    // A code span begins or a formula does: the brace ahead may belong to it.
    if (char === '`' || char === '$') return nok(code);
    tex += char;
    effects.consume(code);
    if (tex.length < 4) return /^\\(?:c|ce|p|pu)?$/.test(tex) ? inside : nok;
    if (tex.length === 4 && char !== '{') return nok;
    if (!escaped && char === '{') depth++;
    if (!escaped && char === '}') depth--;
    escaped = char === '\\' && !escaped;
    // One in another is none: each beginning would be looked at to the end of all.
    if (tex.length > 4 && /\\(?:ce|pu)\{$/.test(tex.slice(-4))) return nok;
    if (depth > 0) return inside;
    effects.exit('mathTextData');
    effects.exit('mathText');
    return tex.slice(4, -1).trim() === '' ? nok : ok;
  };
  return (code) => {
    effects.enter('mathText');
    effects.enter('mathTextData');
    return inside(code);
  };
}

/** Characters of a display formula that was cut off. Under what streaming holds back behind an open `$$`. */
const MAX_CUT_OFF = 1900;

/** Whether TeX has a brace or an environment that does not end: it is no prose, and nothing would draw it but code. */
function isHalf(tex: string): boolean {
  const count = (pattern: RegExp): number => tex.match(pattern)?.length ?? 0;
  if (!/\\[a-z]{2,}/i.test(tex)) return false;
  const braces = count(/(?<!\\)\{/g) - count(/(?<!\\)\}/g);
  return braces > 0 || count(/\\begin\{/g) > count(/\\end\{/g);
}

/**
 * A paragraph that begins with a `$$` line and has no second `$$`: the answer was cut off in a display formula. The dollars stay as
 * written, the TeX below them is a formula to the paragraph's end.
 */
export function tokenizeCutOff(
  this: TokenizeContext,
  effects: Parameters<Tokenizer>[0],
  ok: State,
  nok: State,
): State {
  const isFirst = this.previous === null;
  let tex = '';
  const inside: State = (code) => {
    if (code === null) {
      // A link or code span in it stays one.
      if (!isHalf(tex) || /`|\$\$|\]\(/.test(tex)) return nok(code);
      effects.exit('mathText');
      return ok(code);
    }
    if (tex.length >= MAX_CUT_OFF) return nok(code);
    consumeTex(effects, code);
    tex += code > 0 ? String.fromCharCode(code) : ' ';
    return inside;
  };
  const newline: State = (code) => {
    effects.exit('data');
    if (!isEol(code)) return nok(code);
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return (next) => {
      effects.enter('mathText');
      return inside(next);
    };
  };
  return (code) => {
    if (!isFirst) return nok(code);
    effects.enter('data');
    effects.consume(code);
    return (next) => {
      if (next !== DOLLAR) return nok(next);
      effects.consume(next);
      return newline;
    };
  };
}
