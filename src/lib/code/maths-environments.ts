import type { Code, Construct, Effects, State, TokenizeContext } from 'micromark-util-types';

import { isEol } from './maths-tokens';

/**
 * `\begin{align} … \end{align}` without any delimiters around it, as models write it: a display formula.
 */

/** Environments that are maths by themselves. `tabular`, `itemize`, `figure` and their like are none: shown as written. */
const ENVIRONMENTS = new Set(
  [
    'equation align aligned alignat alignedat gather gathered multline split flalign eqnarray',
    'math displaymath cases dcases rcases drcases array subarray smallmatrix',
    'matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix',
  ]
    .join(' ')
    .split(' ')
    .flatMap((name) => [name, `${name}*`]),
);

/** UTF-16 units of the longest of these names, and one more. */
const MAX_NAME = 14;

/** Characters of one formula inside a paragraph. Bounds the cost of one that never ends. */
const MAX_FORMULA = 2000;

/** Environments in one another, and beginnings of any in one formula: what one that never ends may cost. */
const MAX_DEPTH = 4;
const MAX_BEGINNINGS = 40;

/** Counts the beginnings and ends of one environment while its characters come by. */
class Nesting {
  depth = 0;
  #beginnings = 0;
  #tail = '';
  #name = '';

  /** @returns whether the outermost environment ends with this character. */
  take(code: Code): boolean {
    this.#tail = code === null || code < 0 ? '' : this.#tail + String.fromCharCode(code);
    if (code !== 125) {
      this.#tail = this.#tail.slice(-(MAX_NAME + 8));
      return false;
    }
    const [, kind, name] = /\\(begin|end)\{([^{}]*)\}$/.exec(this.#tail) ?? [];
    this.#tail = '';
    if (kind === 'begin') this.#beginnings++;
    if (this.#name === '') {
      if (kind === 'begin') this.#name = name ?? '';
      if (this.isKnown()) this.depth = 1;
      return false;
    }
    if (name !== this.#name) return false;
    this.depth += kind === 'begin' ? 1 : -1;
    return this.depth === 0;
  }

  isTooDeep(): boolean {
    return this.depth > MAX_DEPTH || this.#beginnings > MAX_BEGINNINGS;
  }

  isNamed(): boolean {
    return this.#name !== '';
  }

  isKnown(): boolean {
    return ENVIRONMENTS.has(this.#name);
  }
}

const OPENER = '\\begin{';

/**
 * Takes `\begin{name}` of a known environment. Every character goes to `consume`; then `opened` goes on, with the nesting that
 * watches for the end.
 */
function begin(
  consume: (code: Code) => void,
  opened: (nesting: Nesting) => State,
  nok: State,
): State {
  const nesting = new Nesting();
  let length = 0;
  const step: State = (code) => {
    const expected = OPENER.charCodeAt(length);
    if (length < OPENER.length ? code !== expected : length > OPENER.length + MAX_NAME)
      return nok(code);
    if (code === null || code < 0) return nok(code);
    length++;
    consume(code);
    nesting.take(code);
    if (!nesting.isNamed()) return step;
    return nesting.isKnown() ? opened(nesting) : nok;
  };
  return step;
}

/** An environment inside a paragraph. */
export const environmentText: Construct = {
  name: 'mathEnvironment',
  tokenize(effects, ok, nok) {
    let length = 0;
    let isInData = false;
    const leave = (): void => {
      if (isInData) effects.exit('mathTextData');
      isInData = false;
    };
    const consume = (code: Code): void => {
      if (isEol(code)) {
        leave();
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        return;
      }
      if (!isInData) effects.enter('mathTextData');
      isInData = true;
      effects.consume(code);
    };
    const inside =
      (nesting: Nesting): State =>
      (code) => {
        if (code === null || ++length > MAX_FORMULA || nesting.isTooDeep()) return nok(code);
        consume(code);
        if (!nesting.take(code)) return inside(nesting);
        leave();
        effects.exit('mathText');
        return ok;
      };
    return (code) => {
      effects.enter('mathText');
      return begin(consume, inside, nok)(code);
    };
  },
};

/** What may stand behind an environment on its last line. */
const isTrailing = (code: Code): boolean =>
  code !== null && (code === 32 || code === -1 || code === -2 || [44, 46, 59].includes(code));

/**
 * An environment that begins a line and ends one. The sequences that a closed formula has two of are its beginning and its
 * end, so one that never ends, or has words behind it, is found out like an open `$$`: it does not have exactly two.
 */
export function environmentFlow(
  nonLazy: (context: TokenizeContext) => Construct,
): Construct['tokenize'] {
  return function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- micromark hands its context as `this`; the nested states need it
    const self = this;
    let isOpen = false;
    const enter = (): void => {
      if (!isOpen) effects.enter('mathFlowValue');
      isOpen = true;
    };
    const leave = (): void => {
      if (isOpen) effects.exit('mathFlowValue');
      isOpen = false;
    };
    const done: State = (code) => {
      leave();
      effects.exit('mathFlow');
      return ok(code);
    };

    /** Behind the end: punctuation only, or this is a formula in a sentence, which a second end marks as no block. */
    const tail =
      (isFirstLine: boolean): State =>
      (code) => {
        if (code === null || isEol(code)) return done(code);
        if (!isTrailing(code)) return isFirstLine ? nok(code) : givenUp(code);
        enter();
        effects.consume(code);
        return tail(isFirstLine);
      };

    const givenUp: State = (code) => {
      if (code === null || isEol(code)) return done(code);
      leave();
      effects.enter('mathFlowSequence');
      effects.consume(code);
      effects.exit('mathFlowSequence');
      return rest;
    };
    const rest: State = (code) => {
      if (code === null || isEol(code)) return done(code);
      enter();
      effects.consume(code);
      return rest;
    };

    const line =
      (nesting: Nesting, isFirstLine = false): State =>
      (code) => {
        if (code === null || (isEol(code) && self.interrupt)) return done(code);
        if (isEol(code)) {
          leave();
          nesting.take(code);
          return effects.attempt(nonLazy(self), line(nesting), done)(code);
        }
        if (!nesting.take(code)) {
          enter();
          effects.consume(code);
          return line(nesting, isFirstLine);
        }
        leave();
        // The brace that ends the environment.
        effects.enter('mathFlowSequence');
        effects.consume(code);
        effects.exit('mathFlowSequence');
        return tail(isFirstLine);
      };

    return (code) => {
      effects.enter('mathFlow');
      effects.enter('mathFlowSequence');
      return begin(
        (next) => {
          effects.consume(next);
        },
        (nesting) => {
          effects.exit('mathFlowSequence');
          return line(nesting, true);
        },
        nok,
      )(code);
    };
  };
}
