/**
 * What the block parse of a text may cost.
 *
 * The parser's time is linear in the lines of most texts, but with a constant that an answer of short lines feels: a
 * megabyte of `a` and line ends takes it 10 s, of list items half a minute. Headings that are underlined and runs of
 * definitions cost it more than linear time. Text that people or models write has a line for every thirty characters or
 * more; of a text made to hang a reader, the lines past the budget are left as written.
 */

/**
 * Units of one text. Measured, spending them takes 0.4 to 1.9 times what the parser needs for a megabyte of ordinary
 * paragraphs. Those have a third of the units; a mixed answer (lists, tables, code) may be 700 KB long.
 */
const MAX_COST = 50_000;

/** Added to the one unit of every line. Measured against a line of plain text. */
const BLOCK = 2;
const CONTAINER = 4;
const CELL = 1;
const HEADING = 3;
const DEFINITION = 6;
const UNDERLINE = 20;

/** UTF-16 units of a prefix that count: a hundred list items, each two. */
const MAX_INDENT = 200;

/** What no text exceeds (`a` and `=` on lines of their own have 5.5): most answers need no counting. */
const MAX_COST_PER_CHARACTER = 6;

/** White space and the markers of lists and quotes that a line begins with. */
const PREFIX = /(?:[ \t>]|[-+*](?=[ \t\r\n]|$)|\d{1,9}[.)](?=[ \t\r\n]|$))*/y;
const MARKER = /[>\-+*]|\d+/g;
const LABEL = /\[[^\]\r\n]{0,999}\]:/y;
const RULE = /[ \t]*(?:=+|-+)[ \t]*(?=\r|\n|$)/y;
const LINE_END = /\r\n?|\n/g;

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

function countPipes(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('|', start); at >= 0 && at < end; at = text.indexOf('|', at + 1))
    count++;
  return count;
}

function costOf(text: string, start: number, isBelowText: boolean): number {
  const prefix = matchAt(PREFIX, text, start) ?? '';
  const content = start + prefix.length;
  let cost = 1;
  if (prefix !== '') {
    cost += CONTAINER * (prefix.match(MARKER)?.length ?? 0);
    cost += Math.min(prefix.length, MAX_INDENT) / 8;
  }
  if (text[content] === '#') cost += HEADING;
  if (text[content] === '[' && matchAt(LABEL, text, content) !== undefined) cost += DEFINITION;
  if (isBelowText && matchAt(RULE, text, start) !== undefined) cost += UNDERLINE;
  return cost;
}

/** The start of the first line of `text` that the budget does not reach; the length of the text where it reaches all. */
export function affordableLength(text: string): number {
  if (text.length * MAX_COST_PER_CHARACTER < MAX_COST) return text.length;
  const hasPipes = text.includes('|');
  let cost = 0;
  let start = 0;
  let isBelowText = false;
  while (start < text.length) {
    LINE_END.lastIndex = start;
    const ending = LINE_END.exec(text);
    const end = ending?.index ?? text.length;
    cost += costOf(text, start, isBelowText);
    if (hasPipes) cost += CELL * countPipes(text, start, end);
    if (!isBelowText && end > start) cost += BLOCK;
    if (cost > MAX_COST) return start;
    isBelowText = end > start;
    start = ending ? LINE_END.lastIndex : text.length;
  }
  return text.length;
}
