/**
 * What stands between the delimiters of a formula and is none: prices, variables, cell references, regular expressions,
 * escaped brackets, prose.
 */

/** `$5 and $`: begins with a digit and holds nothing that only a formula has. */
const isPrice = (tex: string): boolean => /^\d/.test(tex) && !/[\\^_{}=+<>]/.test(tex);

/** `$HOME/$`: capitals joined by `/` or `:` are shell variables, not a product. */
const isVariable = (tex: string): boolean =>
  /^[A-Z][A-Z\d_]*[/:]$/.test(tex) || /^[A-Z]{2,}[/:]/.test(tex);

/** `\[1\]`, `\(2, 3\)`: an escaped marker, never a formula. */
const isEscapedNumber = (tex: string): boolean => /^[\s\d,^–-]*$/.test(tex);

/** One script, or one sign: the only formulas that are written right behind a letter or digit. */
export const isGluedFormula = (tex: string): boolean =>
  /^(?:[_^](?:[\w+-]|\{[\w+,. -]{1,20}\}|\\(?:circ|prime|degree)\b))+$/.test(tex) ||
  /^\\(?:times|cdot|pm|mp|div|approx|to|rightarrow|degree|%|mu|Omega)$/.test(tex);

/** Prose between two delimiters, not a formula: it holds a link. Links that Lam writes must not make maths of what was none. */
const holdsLink = (tex: string): boolean => /\]\((?:https?:|\/|<)/i.test(tex);

/** ``$a and `$`b``: a code span begins between the two. TeX's own quotation marks come as a pair with `''`. */
const holdsCode = (tex: string): boolean =>
  tex.includes('`') && tex.replace(/``[^`']*''/g, '').includes('`');

/** Words of prose that stand between variables: `$x and y$`. */
const LINK_WORD = /\s(?:and|or|to|the|of|is|for|per|vs\.?|und|oder|et|ou)\s/i;

/** Two words or more, and nothing that is written only in a formula. */
const isProse = (tex: string): boolean =>
  !/[\\^_{}=+<>*/|]/.test(tex) &&
  (LINK_WORD.test(tex) || /[a-z]{2,}[.,;:]?\s(?:.*\s)?[a-z]{2,}/i.test(tex));

/** Chinese, Japanese or Korean words with nothing of a formula around them. */
const isCjkText = (tex: string): boolean =>
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(tex) && !/[\\^_=]/.test(tex);

/** `^a+$|^b+$`, `SUM($A`, `x^`: no formula begins or ends so. */
const isFragment = (tex: string): boolean =>
  /^(?:\|\^|[),;])/.test(tex) || (tex.length > 1 && /(?:^|[^\\a-z])[a-z\d]*[([^_]$/i.test(tex));

/**
 * `$a,$b`, `$user@$host`, `${A}/${B}`, `$a.$b`: what follows the second dollar is a name, so it opens a variable too, unless
 * something ends there that a word may follow (`$n$th`).
 */
const isBeforeName = (tex: string, next: string): boolean => {
  if (!/[a-z_{(]/i.test(next)) return false;
  if (!/[\p{L}\p{N}\p{M})\]}'!*|%]$/u.test(tex) || isCjkText(tex)) return true;
  if (/^[a-z_]\w+$/i.test(tex) || tex.startsWith(next)) return true;
  return tex.endsWith('|') && tex.split('|').length % 2 === 0;
};

/**
 * Whether what stands between two dollars is a formula. `tex` is trimmed, `isSingle` tells `$` from `$$`, `next` is the
 * character behind the closing delimiter or empty.
 */
export function isDollarFormula(tex: string, isSingle: boolean, next: string): boolean {
  if (tex === '' || holdsLink(tex) || holdsCode(tex) || isProse(tex) || isCjkText(tex))
    return false;
  return (
    !isSingle || !(isPrice(tex) || isVariable(tex) || isFragment(tex) || isBeforeName(tex, next))
  );
}

/** Whether what stands between `\(` and `\)`, or `\[` and `\]`, is a formula and not text in escaped brackets. */
export function isBracketFormula(tex: string, isSquare: boolean, next: string): boolean {
  const content = tex.trim();
  if (content === '' || isEscapedNumber(content) || holdsLink(content) || holdsCode(content))
    return false;
  if (isProse(content) || isCjkText(content)) return false;
  // `\[sic\]`, `\[x\]`, `\[…\]`, and a link or definition that was escaped.
  if (isSquare) return !/^[\p{L}\p{N}\p{M}\s.,;:!?'"’…&#@-]*$/u.test(content) && !/[(:]/.test(next);
  return !/^[a-z]{4,}[.,;:!?]?$/i.test(content) || /^[A-Z]+$/.test(content);
}
