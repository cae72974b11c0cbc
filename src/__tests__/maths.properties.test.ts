import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { texToUnicode } from '../lib/maths';

const TOKENS = [
  ...Array.from('abcxyz0123456789+-*/=<>()[]|!,.;:\'"`~&%$#^_{}\\ \n'),
  ...['²', 'α', '≤', '速', '\u0302', '\u202E', '\0', '😀', '\uD800'],
  ...['\\frac', '\\sqrt', '\\sum', '\\int', '\\lim', '\\sin', '\\hat', '\\vec', '\\overline'],
  ...['\\left(', '\\right)', '\\left.', '\\right|', '\\middle|', '\\big', '\\{', '\\}', '\\|'],
  ...['\\begin{pmatrix}', '\\end{pmatrix}', '\\begin{cases}', '\\end{cases}', '\\\\', '\\hline'],
  ...['\\begin{aligned}', '\\end{aligned}', '\\begin{array}{c|c}', '\\end{array}', '\\substack{'],
  ...['\\text{', '\\mathbb{', '\\mathbf', '\\operatorname{', '\\overset{', '\\underbrace{'],
  ...['\\ce{', '\\pu{', '\\color{red}', '\\boxed{', '\\not', '\\over', '\\choose', '\\tag{'],
  ...['\\alpha', '\\cdot', '\\to', '\\quad', '\\,', '\\!', '\\limits', '\\displaystyle', '\\rm'],
  ...['\\def', '\\let', '\\char', '\\verb|', '\\relax', '\\mathchoice', '\\xrightarrow[', '\\foo'],
];

const texLike = fc
  .array(fc.constantFrom(...TOKENS), { maxLength: 60 })
  .map((tokens) => tokens.join(''));

/** A formula of constructs that Unicode can say, with the letters and digits it shows, in reading order. */
interface Formula {
  tex: string;
  shown: string;
}

const letter = fc.constantFrom(
  ...Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
);
const symbol: fc.Arbitrary<Formula> = fc.oneof(
  letter.map((char) => ({ tex: char, shown: char })),
  fc.nat({ max: 1999 }).map((value) => ({ tex: String(value), shown: String(value) })),
  fc
    .tuple(fc.constantFrom('mathbb', 'mathbf', 'mathcal', 'mathfrak', 'mathrm', 'mathsf'), letter)
    .map(([font, char]) => ({ tex: `\\${font}{${char}}`, shown: char })),
  fc
    .tuple(fc.constantFrom('hat', 'bar', 'vec', 'dot', 'tilde', 'overline'), letter)
    .map(([accent, char]) => ({ tex: `\\${accent}{${char}}`, shown: char })),
  fc.constantFrom('speed', 'max', 'if so').map((words) => ({
    tex: `\\text{${words}}`,
    shown: words.replace(' ', ''),
  })),
);

function pattern(parts: readonly string[], formulas: readonly Formula[]): Formula {
  return {
    tex: parts.map((part, at) => part + (formulas[at]?.tex ?? '')).join(''),
    shown: formulas.map((formula) => formula.shown).join(''),
  };
}

const PATTERNS = [
  ['{', '}^{', '}'],
  ['{', '}_{', '}'],
  ['{', '}_{', '}^{', '}'],
  ['\\frac{', '}{', '}'],
  ['\\sqrt{', '}'],
  ['(', ')'],
  ['\\left[', '\\right]'],
  ['\\{', '\\}'],
  ['|', '|'],
  ['', ' + ', ''],
  ['', ' - ', ''],
  ['', ' ', ''],
  ['', ' = ', ''],
  ['', ', ', ''],
  ['', ' \\cdot ', ''],
  ['', ' / ', ''],
  ['-', ''],
  ['', '!'],
  ['\\sum_{', '}^{', '} ', ''],
  ['\\int_{', '}^{', '} ', '\\,', ''],
  ['\\boxed{', '}'],
  ['\\begin{pmatrix}', '&', '\\\\', '&', '\\end{pmatrix}'],
  ['\\begin{cases}', '&', '\\\\', '&', '\\end{cases}'],
  ['\\begin{aligned}', '&=', '\\\\', '&=', '\\end{aligned}'],
];

const { formula } = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    symbol,
    ...PATTERNS.map((parts) =>
      fc
        .array(tie('formula'), { minLength: parts.length - 1, maxLength: parts.length - 1 })
        .map((inner) => pattern(parts, inner)),
    ),
  ),
}));

/** Letters and digits of a text, with raised, lowered, bold and slashed ones brought back to ASCII. */
function shownIn(text: string): string {
  return text.normalize('NFKD').replace(/[^a-z0-9]/gi, '');
}

describe('any string', () => {
  it('gives one line of text or nothing, the same each time, and never throws', () => {
    fc.assert(
      fc.property(texLike, fc.boolean(), (tex, display) => {
        const text = texToUnicode(tex, display);
        expect(texToUnicode(tex, display)).toBe(text);
        if (text === undefined) return;
        expect(text).not.toBe('');
        expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(text).toBe(text.trim());
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes arbitrary Unicode too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (tex) => {
        expect(['string', 'undefined']).toContain(typeof texToUnicode(tex, true));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('formulas of known constructs', () => {
  it('keep every letter and digit, in order', () => {
    fc.assert(
      fc.property(formula, ({ tex, shown }) => {
        expect(shownIn(texToUnicode(tex, true) ?? `nothing for ${tex}`)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it('open and close brackets in pairs', () => {
    fc.assert(
      fc.property(formula, ({ tex }) => {
        const text = (texToUnicode(tex, true) ?? ')').normalize('NFKC');
        let depth = 0;
        for (const char of text) {
          if ('([{'.includes(char)) depth += 1;
          if (')]}'.includes(char)) depth -= 1;
          expect(depth).toBeGreaterThanOrEqual(0);
        }
        expect(depth).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never let a slash, root or script take in a neighbour', () => {
    const plain = letter.filter((char) => char !== 'd'); // dy/dx is read as one thing
    fc.assert(
      fc.property(plain, plain, plain, (a, b, c) => {
        expect(texToUnicode(`\\frac{${a}}{${b}} ${c}`, true)).toBe(`(${a}/${b})${c}`);
        expect(texToUnicode(`\\frac{${a}}{${b}${c}}`, true)).toBe(`${a}/(${b}${c})`);
        expect(texToUnicode(`\\frac{${a}+${b}}{${c}}`, true)).toBe(`(${a} + ${b})/${c}`);
        expect(texToUnicode(`\\sqrt{${a}}${b}`, true)).toBe(`√${a} ${b}`);
        expect(texToUnicode(`\\sqrt{${a}${b}}`, true)).toBe(`√(${a}${b})`);
        expect(texToUnicode(`${a}^{${b}/${c}}`, true)).toBe(`${a}^(${b}/${c})`);
      }),
      { numRuns: 300 },
    );
  });

  it('have the value of what was drawn', () => {
    fc.assert(
      fc.property(sum, ({ tex, value }) => {
        fc.pre(value.below !== 0n);
        const read = valueOf(texToUnicode(tex, true) ?? '');
        expect(read.above * value.below).toBe(value.above * read.below);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** An exact fraction; `below` is 0 once something was divided by nothing. */
interface Ratio {
  above: bigint;
  below: bigint;
}

const whole = (value: number): Ratio => ({ above: BigInt(value), below: 1n });
const plus = (a: Ratio, b: Ratio): Ratio => ({
  above: a.above * b.below + b.above * a.below,
  below: a.below * b.below,
});
const minus = (a: Ratio, b: Ratio): Ratio => plus(a, { above: -b.above, below: b.below });
const times = (a: Ratio, b: Ratio): Ratio => ({
  above: a.above * b.above,
  below: a.below * b.below,
});
const over = (a: Ratio, b: Ratio): Ratio => ({
  above: a.above * b.below,
  below: a.below * b.above * (b.below === 0n ? 0n : 1n),
});

/** A sum of numbers, and what it comes to. */
interface Sum {
  tex: string;
  value: Ratio;
}

const { sum } = fc.letrec<{ sum: Sum; factor: Sum }>((tie) => {
  const two = (from: 'sum' | 'factor', join: (a: Sum, b: Sum) => Sum): fc.Arbitrary<Sum> =>
    fc.tuple(tie(from), tie(from)).map(([a, b]) => join(a, b));
  const number = fc
    .integer({ min: 2, max: 40 })
    .map((value) => ({ tex: String(value), value: whole(value) }));
  const bounds = { maxDepth: 6, depthSize: 'medium' } as const;
  return {
    factor: fc.oneof(
      bounds,
      number,
      two('sum', (a, b) => ({ tex: `\\frac{${a.tex}}{${b.tex}}`, value: over(a.value, b.value) })),
      tie('sum').map((a) => ({ tex: `(${a.tex})`, value: a.value })),
      tie('sum').map((a) => ({
        tex: `\\left(${a.tex}\\right)^2`,
        value: times(a.value, a.value),
      })),
      fc
        .tuple(tie('factor'), tie('sum'))
        .map(([a, b]) => ({ tex: `${a.tex}(${b.tex})`, value: times(a.value, b.value) })),
      two('factor', (a, b) => ({
        tex: `${a.tex} \\cdot ${b.tex}`,
        value: times(a.value, b.value),
      })),
    ),
    sum: fc.oneof(
      bounds,
      tie('factor'),
      two('factor', (a, b) => ({ tex: `${a.tex} + ${b.tex}`, value: plus(a.value, b.value) })),
      two('factor', (a, b) => ({ tex: `${a.tex} - ${b.tex}`, value: minus(a.value, b.value) })),
    ),
  };
});

/** Reads a line as a person does: powers, factors that touch, dots and slashes from left to right, sums. */
function valueOf(text: string): Ratio {
  const tokens = text.match(/\d+|[^\d\s]/gu) ?? [];
  let at = 0;
  const unit = (): Ratio => {
    const token = tokens[at++] ?? '';
    let value: Ratio;
    if (token === '(') {
      value = total();
      at += 1;
    } else {
      const [above, below] = token.normalize('NFKD').split('\u2044').map(Number);
      value = over(whole(above ?? 0), whole(below ?? 1));
    }
    for (; tokens[at] === '²'; at += 1) value = times(value, value);
    return value;
  };
  const glued = (): Ratio => {
    let value = unit();
    while (/^[^)+−⋅/]/.test(tokens[at] ?? '')) value = times(value, unit());
    return value;
  };
  const product = (): Ratio => {
    let value = glued();
    while (tokens[at] === '⋅' || tokens[at] === '/')
      value = tokens[at++] === '⋅' ? times(value, glued()) : over(value, glued());
    return value;
  };
  const total = (): Ratio => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '−')
      value = tokens[at++] === '+' ? plus(value, product()) : minus(value, product());
    return value;
  };
  return total();
}
