/**
 * The words of a page as a browser finds them, from the Markdown that was made of it: one line for each line of Markdown,
 * because what is looked for must stand in one block. The Markdown is Lam's own: words are not escaped in it, so a sign that has no partner
 * in its line is a word's.
 */

/** Fences of code, rules and the line under a table's head: nothing a page shows. */
const NO_WORDS = /^(?:`{3}|~{3}|[-*_=|:\s]+$)/;

/** What a line begins with: quotes, bullets, numbers, headings. A browser's search does not see the bullet or number of a list. */
const LEAD = /^\s*(?:>\s?)*\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(?:\[[ x]\]\s+)?(?:#{1,6}\s+)?/i;

const IMAGE = /!\[[^\][\n]{0,300}\]\([^()\s]{0,2000}(?:\s"[^"\n]{0,300}")?\)/g;
const LINK = /\[([^\][\n]{0,1000})\]\([^()\s]{0,2000}(?:\s"[^"\n]{0,300}")?\)/g;

/** Signs around words. */
const SIGNS: readonly RegExp[] = [
  /`+/g,
  /(?<!\*)\*+(?=[^\s*])|(?<=[^\s*])\*+(?!\*)/g,
  /(?<![\p{L}\p{N}_])_+(?=[^\s_])|(?<=[^\s_])_+(?![\p{L}\p{N}_])/gu,
  /~{2,}/g,
];

/** What ends a stretch of words that a browser finds: signs that are not known to stand on the page, and parts left out. */
const BREAK = '\uFFFC';

const ANY_SIGN = /[[*_`~]/;
const ANY_LEAD = /^[\s>*+\-\d#[]/;

function plainLine(raw: string): string {
  const line = ANY_LEAD.test(raw) ? raw.replace(LEAD, '') : raw;
  // Most lines hold none, and all that was shown of a cited page is read.
  if (!ANY_SIGN.test(line)) return withOneBlank(line);
  let plain = line.replace(IMAGE, BREAK).replace(LINK, '$1');
  for (const sign of SIGNS) {
    if ((plain.match(sign)?.length ?? 0) % 2 === 0) plain = plain.replace(sign, '');
  }
  return withOneBlank(plain);
}

/** White space that is not one blank. */
const OTHER_SPACE = /[^\S ]| {2}/;

const withOneBlank = (text: string): string =>
  (OTHER_SPACE.test(text) ? text.replace(/\s+/gu, ' ') : text).trim();

/** A line of a page, or a cell of a table of it. */
export interface PlainLine {
  text: string;
  isCell: boolean;
}

/** Undefined for the text of a code block, whose signs are its own. */
export function plainLines(markdown: string): PlainLine[] {
  return markdown.split('\n').flatMap((line): PlainLine[] => {
    if (NO_WORDS.test(line.trimStart())) return [];
    const isRow = /^\s*\|/.test(line);
    const parts = isRow ? line.split('|') : [line];
    return parts
      .map((part) => ({ text: plainLine(part), isCell: isRow }))
      .filter(({ text }) => text !== '');
  });
}

/** The stretches of a line that a browser finds as they are. */
export function cleanStretches(line: string): string[] {
  return line
    .split(/[\uFFFC\uFFFD|<>[\]\\`\p{Cc}\p{Surrogate}]/u)
    .filter((stretch) => /[\p{L}\p{N}]/u.test(stretch));
}
