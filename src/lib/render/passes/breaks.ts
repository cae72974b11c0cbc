import type { Edit, Scan } from '../../code';
import { lineGaps } from '../blocks/lines';
import { nodes, type Pass } from './pass';
import { isWide, widthOf } from './width';

/** Columns of a line with the next word behind it, up to which no text is wrapped: mail and source files have 60 to 80. */
const MIN_WRAPPED = 50;
/** Columns beyond which a paragraph's lines are not wrapped at all, so that each line ending is meant. */
const MAX_WRAPPED = 120;

/** How a row of something begins that is no list to a parser: a bullet of its own, `a)`, `2.` below text, a note. */
const ROW =
  /^(?:[•‣⁃◦▪▫●○■□►▶▸➤➔✓✔✗✘☐☑☒]|(?![©®™])\p{Extended_Pictographic}|\(?(?:\d{1,3}|[a-z])\)\s|\[\^[^\]\s]+\]:)/iu;

/** A number that begins a row, unless it ends a sentence: `which is\n14. The door`. */
const NUMBER = /^\d{1,3}\.\s/;
const SENTENCE_END = /[\p{Po}\p{Pe}]\s*$/u;

/** A line that ends in a break by itself, or is the first one of a callout. */
const BROKEN = /(?: {2}|\\|<br *\/?> *)$|^\[![a-z]+\]\s*$/i;

const BLOCKS = new Set(['paragraph', 'setextHeadingText']);

/** Whether the line that begins with `word` stays a line behind `line`; `longest`: columns of the widest line so far. */
function isMeant(line: string, next: string, longest: number): boolean {
  if (ROW.test(next) || longest > MAX_WRAPPED) return true;
  if (NUMBER.test(next) && SENTENCE_END.test(line)) return true;
  const word = isWide(next) ? 2 : widthOf(/^\S*/.exec(next)?.[0] ?? '');
  return widthOf(line) + 1 + word <= MIN_WRAPPED;
}

/** Whether the first word of a line, and so what becomes of the line ending before it, is not known yet. */
export const isFirstWordOpen = (line: string): boolean => !/\s/.test(line) && !isWide(line);

/** Where nothing is written: a line ending there belongs to code, a link or a tag, or to a formula with breaks of its own. */
function isWithin({ text, spans, links, formulas }: Scan): (at: number) => boolean {
  const around = formulas.map(({ start, end, display }) =>
    display ? { start: text.lastIndexOf('\n', start) - 2, end: end + 1 } : { start, end },
  );
  const places = [...spans, ...links, ...around].sort((a, b) => a.start - b.start);
  let next = 0;
  let end = 0;
  return (at) => {
    for (; (places[next]?.start ?? Infinity) < at; next++)
      end = Math.max(end, places[next]?.end ?? 0);
    return at < end;
  };
}

const TABLE = new Set(['table']);

const lineBelow = (text: string, end: number): number =>
  end + (/^\r?\n/.exec(text.slice(end, end + 2))?.[0].length ?? 0);

const lineAt = (text: string): string => (/^[^\r\n]*/.exec(text)?.[0] ?? '').trimStart();

/**
 * Line endings that a model means, in verses, addresses, dialogues, rows with bullets of their own. To a parser the
 * ending of a line is a space, because text may be wrapped; a line that had room for the next word was not.
 */
export const breakPass: Pass = (scan, { rowBelow }) => {
  const { text, tree } = scan;
  const isOpaque = isWithin(scan);
  const edits: Edit[] = [];
  /** The first rows of tables, by the start of their lines. */
  const rows = new Map(
    nodes(tree, TABLE).map(({ start, end }) => [
      text.lastIndexOf('\n', start - 1) + 1,
      text.slice(start, end),
    ]),
  );
  if (rowBelow !== undefined) rows.set(text.length, rowBelow);
  for (const block of nodes(tree, BLOCKS)) {
    let start = block.start;
    let longest = 0;
    const look = (at: number, next: string): void => {
      const line = text.slice(start, at);
      longest = Math.max(longest, widthOf(line));
      if (next !== '' && !BROKEN.test(line) && !isOpaque(at) && isMeant(line, next, longest))
        edits.push({ start: at, end: at, text: '  ' });
    };
    for (const gap of lineGaps(text, block)) {
      const ending = text.startsWith('\r\n', gap.start - 2) ? 2 : 1;
      look(gap.start - ending, lineAt(text.slice(gap.end, block.end)));
      start = gap.end;
    }
    // A row of a table was a line of this paragraph until the row below it arrived.
    const row = rows.get(lineBelow(text, block.end));
    if (row !== undefined) look(block.end, lineAt(row));
  }
  return edits;
};
