import type {
  Code,
  Construct,
  Extension,
  State,
  TokenizeContext,
  Tokenizer,
} from 'micromark-util-types';

import { environmentFlow, environmentText } from './maths-environments';
import { tokenizeChemistry, tokenizeCutOff } from './maths-loose';
import { isBracketFormula, isDollarFormula, isGluedFormula } from './maths-lookalikes';
import { consumeTex, isEol } from './maths-tokens';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    mathText: 'mathText';
    mathTextData: 'mathTextData';
    mathTextSequence: 'mathTextSequence';
    mathFlow: 'mathFlow';
    mathFlowSequence: 'mathFlowSequence';
    mathFlowValue: 'mathFlowValue';
  }
}

/**
 * Maths as micromark constructs, so that formulas are claimed by the same left-to-right scan that claims code spans:
 * a formula inside code is code, a backtick inside a formula is TeX.
 *
 * What counts as maths is decided here, and what only looks like it in `maths-lookalikes.ts`, once, for every pass.
 */

/** Characters of one formula. Bounds the cost of an opener that never closes: each is scanned at most this far. */
const MAX_FORMULA = 2000;

const DOLLAR = 36;
const BACKSLASH = 92;

const isSpace = (code: Code): boolean =>
  code !== null && (code === 32 || code === -1 || code === -2);
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57;
const isAsciiAlphanumeric = (code: Code): boolean =>
  isDigit(code) || (code !== null && ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)));

const charOf = (code: Code): string => (code === null || code < 0 ? '' : String.fromCharCode(code));

/**
 * `$x$` on one line and `$$x$$` over several.
 *
 * Before the opening `$` no ASCII letter, digit or `$`; after it no white space; before the closing `$` no white space
 * or backslash; after it no digit or `$`. A script or sign may be glued to its word: `CO$_2$`, `5$\times$3`.
 */
function tokenizeDollar(
  this: TokenizeContext,
  effects: Parameters<Tokenizer>[0],
  ok: State,
  nok: State,
): State {
  const before = this.previous;
  let size = 0;
  let closing = 0;
  let length = 0;
  let escaped = false;
  let last: Code = null;
  let tex = '';

  const open: State = (code) => {
    if (code === DOLLAR) {
      if (++size > 2) return nok(code);
      effects.consume(code);
      return open;
    }
    effects.exit('mathTextSequence');
    if (code === null || (size === 1 && (isSpace(code) || isEol(code)))) return nok(code);
    return inside(code);
  };

  const inside: State = (code) => {
    if (code === null || ++length > MAX_FORMULA || (size === 1 && isEol(code))) return nok(code);
    if (code === DOLLAR && !escaped) {
      // A second dollar that cannot close: two prices or variables, and the formula may begin at the second.
      if (size === 1 && isSpace(last)) return nok(code);
      closing = 0;
      effects.enter('mathTextSequence');
      return close(code);
    }
    consumeTex(effects, code);
    escaped = code === BACKSLASH && !escaped;
    last = code;
    tex += code > 0 ? String.fromCharCode(code) : ' ';
    return inside;
  };

  const close: State = (code) => {
    if (code === DOLLAR && closing < size) {
      effects.consume(code);
      closing++;
      return close;
    }
    effects.exit('mathTextSequence');
    const content = tex.trim();
    const isGlued = isAsciiAlphanumeric(before) || (size === 1 && isDigit(code));
    if (isGlued && !(size === 1 && isGluedFormula(tex))) return nok(code);
    if (closing === size && content !== '' && code !== DOLLAR) {
      if (!isGlued && !isDollarFormula(content, size === 1, charOf(code))) return nok(code);
      effects.exit('mathText');
      return ok(code);
    }
    // A lone dollar inside a display formula, or one that cannot close: no formula starts at this opener.
    return size === 2 && closing === 1 ? inside(code) : nok(code);
  };

  return (code) => {
    if (before === DOLLAR) return nok(code);
    effects.enter('mathText');
    effects.enter('mathTextSequence');
    return open(code);
  };
}

/** `\(x\)` and `\[x\]`, over several lines too. */
function tokenizeBackslash(
  this: TokenizeContext,
  effects: Parameters<Tokenizer>[0],
  ok: State,
  nok: State,
): State {
  let closer = 0;
  let length = 0;
  let tex = '';

  const opener: State = (code) => {
    if (code !== 40 && code !== 91) return nok(code);
    closer = code === 40 ? 41 : 93;
    effects.consume(code);
    effects.exit('mathTextSequence');
    return inside;
  };

  const inside: State = (code) => {
    if (code === null || ++length > MAX_FORMULA) return nok(code);
    if (code === BACKSLASH) {
      effects.enter('mathTextSequence');
      effects.consume(code);
      return afterBackslash;
    }
    consumeTex(effects, code);
    tex += code > 0 ? String.fromCharCode(code) : ' ';
    return inside;
  };

  const afterBackslash: State = (code) => {
    // A second opener: the first was an escaped bracket, and the closer ahead belongs to an escaped marker or a link label.
    if (code === (closer === 41 ? 40 : 91)) return nok(code);
    if (code === closer) {
      effects.consume(code);
      effects.exit('mathTextSequence');
      return (next) => {
        if (!isBracketFormula(tex, closer === 93, charOf(next))) return nok(next);
        effects.exit('mathText');
        return ok(next);
      };
    }
    effects.exit('mathTextSequence');
    tex += '\\';
    // The escaped character belongs to the formula whatever it is: `\\` must not hide a closer behind it.
    if (code === null || isEol(code)) return inside(code);
    consumeTex(effects, code);
    tex += code > 0 ? String.fromCharCode(code) : ' ';
    length++;
    return inside;
  };

  return (code) => {
    effects.enter('mathText');
    effects.enter('mathTextSequence');
    effects.consume(code);
    return opener;
  };
}

/** A line ending behind which the container goes on. */
const nonLazy = (self: TokenizeContext): Construct => ({
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      if (code === null) return nok(code);
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      return (next) => (self.parser.lazy[self.now().line] ? nok(next) : ok(next));
    };
  },
});

/** A display formula whose delimiters stand on lines of their own: `$$`, or `\[` and `\]`. */
function tokenizeFlow(
  this: TokenizeContext,
  effects: Parameters<Tokenizer>[0],
  ok: State,
  nok: State,
): State {
  // eslint-disable-next-line @typescript-eslint/no-this-alias -- micromark hands its context as `this`; the nested states need it
  const self = this;
  let second = 0;
  let first = 0;

  /** After the two characters of a delimiter: only white space up to the line end. */
  const rest =
    (done: State, fail: State): State =>
    (code) => {
      if (code === null || isEol(code)) return done(code);
      if (!isSpace(code)) return fail(code);
      effects.enter('whitespace');
      effects.consume(code);
      effects.exit('whitespace');
      return rest(done, fail);
    };

  const closer: Construct = {
    partial: true,
    tokenize(lineEffects, lineOk, lineNok) {
      const spaces: State = (code) => {
        if (isSpace(code)) {
          lineEffects.enter('linePrefix');
          lineEffects.consume(code);
          lineEffects.exit('linePrefix');
          return spaces;
        }
        if (code !== first) return lineNok(code);
        lineEffects.enter('mathFlowSequence');
        lineEffects.consume(code);
        return (next) => {
          if (next !== (second === 91 ? 93 : second)) return lineNok(next);
          lineEffects.consume(next);
          lineEffects.exit('mathFlowSequence');
          return tail;
        };
      };
      const tail: State = (code) => {
        if (code === null || isEol(code)) return lineOk(code);
        if (!isSpace(code)) return lineNok(code);
        lineEffects.enter('whitespace');
        lineEffects.consume(code);
        lineEffects.exit('whitespace');
        return tail;
      };
      return spaces;
    },
  };

  const done: State = (code) => {
    effects.exit('mathFlow');
    return ok(code);
  };

  /** At a line end: the next line closes the formula, goes on with it, or is outside of the container. */
  const lineEnd: State = (code) =>
    code === null
      ? done(code)
      : effects.attempt(nonLazy(self), effects.attempt(closer, done, line), done)(code);

  const line: State = (code) => {
    if (code === null || isEol(code)) return lineEnd(code);
    effects.enter('mathFlowValue');
    return value(code);
  };

  const value: State = (code) => {
    if (code === null || isEol(code)) {
      effects.exit('mathFlowValue');
      return lineEnd(code);
    }
    effects.consume(code);
    return value;
  };

  return (code) => {
    first = code ?? 0;
    effects.enter('mathFlow');
    effects.enter('mathFlowSequence');
    effects.consume(code);
    return (next) => {
      if (next === null || (first === DOLLAR ? next !== DOLLAR : next !== 91)) return nok(next);
      second = next;
      effects.consume(next);
      effects.exit('mathFlowSequence');
      return rest(
        (end) => (self.interrupt ? ok(end) : end === null ? nok(end) : lineEnd(end)),
        nok,
      );
    };
  };
}

/** The micromark extension. With `flow` false only inline formulas are claimed. */
export function mathsSyntax(flow: boolean): Extension {
  const text = (name: string, tokenize: Tokenizer): Construct => ({ name, tokenize });
  const block: Construct = { name: 'mathFlow', concrete: true, tokenize: tokenizeFlow };
  const environment: Construct = {
    name: 'mathEnvironmentFlow',
    concrete: true,
    tokenize: environmentFlow(nonLazy),
  };
  return {
    text: {
      [DOLLAR]: [text('mathDollar', tokenizeDollar), text('mathCutOff', tokenizeCutOff)],
      [BACKSLASH]: [
        text('mathBackslash', tokenizeBackslash),
        text('mathChemistry', tokenizeChemistry),
        environmentText,
      ],
    },
    ...(flow ? { flow: { [DOLLAR]: block, [BACKSLASH]: [block, environment] } } : {}),
  };
}
