import type { Edit, Scan } from '../../code';
import { lineGaps } from '../blocks/lines';
import { columnsOf, isBroken, isMeant } from './line-ending';
import { nodes, type Pass } from './pass';

const BLOCKS = new Set(['paragraph', 'setextHeadingText']);

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

/** Line endings that a model means become breaks. See `isMeant`. */
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
    let isProven = false;
    const look = (at: number, next: string): void => {
      const line = text.slice(start, at);
      longest = Math.max(longest, columnsOf(line));
      if (next === '' || isBroken(line) || isOpaque(at)) return;
      isProven = isMeant({ line, longest, isProven }, next);
      if (isProven) edits.push({ start: at, end: at, text: '  ' });
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
