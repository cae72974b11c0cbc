import { ACCENTS } from './maths/accents';
import { LAYOUTS } from './maths/layouts';
import { Speaker } from './maths/speaker';
import { SYMBOLS } from './maths/symbols';
import { TABLES } from './maths/tables';
import { displayLines } from './maths/lines';
import { parseTex, type TexNode } from './maths/tree';

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

/** Environments that temml lacks, as ones it has. */
function withKnownEnvironments(tex: string): string {
  if (!/\\begin\{(?:eqnarray|flalign|math|displaymath)\*?\}/.test(tex)) return tex;
  return tex
    .replace(/\\begin\{eqnarray\*?\}([\s\S]*?)\\end\{eqnarray\*?\}/g, (_all, rows: string) => {
      // Its three columns are two of `align`: the relation stands alone in the middle.
      const joined = rows.replace(/&((?:[^&\\]|\\[a-z]+){0,40})&/gi, '&$1');
      return `\\begin{align*}${joined}\\end{align*}`;
    })
    .replace(/\\(begin|end)\{flalign\*?\}/g, '\\$1{align*}')
    .replace(/\\begin\{(?:display)?math\}/g, '{')
    .replace(/\\end\{(?:display)?math\}/g, '}');
}

/** The tree of a formula that may be parsed at all. Throws what the parser throws. */
function parsed(tex: string, display: boolean): readonly TexNode[] | undefined {
  if (tex.length > MAX_TEX_CHARS || DEFINES.test(tex) || braceDepth(tex) > MAX_BRACES)
    return undefined;
  // Some environments are for display only. In one line of text it makes no difference, so they pass.
  const known = withKnownEnvironments(tex).replace(PERCENT, '\\%');
  return parseTex(known, display || known.includes('\\begin'));
}

const isDrawable = (text: string): boolean => text !== '' && !CONTROLS.test(text);

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
  try {
    const nodes = parsed(tex, display);
    if (nodes === undefined) return undefined;
    const { text } = new Speaker(SAYINGS).line(nodes);
    return isDrawable(text) ? text : undefined;
  } catch {
    // Unsayable, temml's ParseError, its TypeError on a dangling `^`, or a RangeError from nesting beyond the stack.
    return undefined;
  }
}

/**
 * A display formula as `texToUnicode` says it, but in several lines where it is drawn so: a line for each row of aligned
 * equations (one that goes on with the row before begins with an em space) and for each case of a case distinction. At
 * least one line; `undefined` as there.
 */
export function texToLines(tex: string): string[] | undefined {
  try {
    const nodes = parsed(tex, true);
    if (nodes === undefined) return undefined;
    const lines = displayLines(nodes, new Speaker(SAYINGS)).filter((line) => line !== '');
    return lines.length > 0 && lines.every(isDrawable) ? lines : undefined;
  } catch {
    return undefined; // as above
  }
}
