import { ACCENTS } from './maths/accents';
import { LAYOUTS } from './maths/layouts';
import { Speaker } from './maths/speaker';
import { SYMBOLS } from './maths/symbols';
import { TABLES } from './maths/tables';
import { parseTex } from './maths/tree';

const SAYINGS = new Map([...SYMBOLS, ...LAYOUTS, ...ACCENTS, ...TABLES]);

/** UTF-16 units of one formula. The longest display in a paper is a fifth of it; the parser takes 0.2 s at worst. */
const MAX_TEX_CHARS = 10_000;

/** A macro that repeats its argument doubles with every level, so a few characters could fill the memory: none are taken. */
const DEFINES =
  /\\(?:[egx]?def|(?:future)?let|(?:re)?newcommand|providecommand|global|csname)(?![a-z])/i;

/** Braces within braces. Formulas of people and models need under twenty; the chemistry parser reads each level anew. */
const MAX_BRACES = 100;

/** What would break the line, or is no character to draw. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** TeX reads an unescaped percent sign as a comment; behind a digit the writer meant per cent. */
const PERCENT = /(?<=\d\s?)%/g;

function braceDepth(tex: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of tex.matchAll(/\\[\s\S]|[{}]/g)) {
    if (token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === '}') depth -= 1;
  }
  return deepest;
}

/**
 * TeX (without delimiters) as one line of plain Unicode text: `x^2` is `x²`, `\frac{a}{b}` is `a/b`.
 *
 * `display` is true for `$$…$$` and `\[…\]`, where a `\tag` is allowed. Gives `undefined` when the
 * formula cannot be said so without losing meaning: unknown commands, TeX that does not parse, drawings,
 * definitions of macros, more than 10,000 characters, commands nested a hundred deep. Never throws. The text is not
 * escaped: it may hold `*`, `_`, `|`, `<` and `\`, which mean something to Markdown.
 *
 * Scripts are raised or lowered where Unicode has every character (`xⁿ⁺¹`), else written `^(…)` and
 * `_(…)`; brackets are added only where a slash, root or script would otherwise take in more or less.
 */
export function texToUnicode(tex: string, display: boolean): string | undefined {
  if (tex.length > MAX_TEX_CHARS || DEFINES.test(tex) || braceDepth(tex) > MAX_BRACES)
    return undefined;
  try {
    // Some environments are for display only. In one line of text it makes no difference, so they pass.
    const nodes = parseTex(tex.replace(PERCENT, '\\%'), display || tex.includes('\\begin'));
    const { text } = new Speaker(SAYINGS).line(nodes);
    return text === '' || CONTROLS.test(text) ? undefined : text;
  } catch {
    // Unsayable, temml's ParseError, its TypeError on a dangling `^`, or a RangeError from nesting beyond the stack.
    return undefined;
  }
}
