import { escapeMarkdown, type Edit, type Node } from '../../code';
import { nodes, type Pass } from './pass';

/** Cells of a table in the pane. 150 by 150 held the launcher for 6.5 s and took 1.2 GB; short rows are filled up. */
const MAX_CELLS = 400;

const TABLE = new Set(['table']);
const ROW = new Set(['tableRow', 'tableDelimiterRow']);

function tableEdits(text: string, table: Node): Edit[] {
  const rows = nodes(table, ROW);
  const columns = rows[0]?.children.length ?? 0;
  const kept = columns > MAX_CELLS ? 0 : Math.max(2, Math.floor(MAX_CELLS / columns) + 1);
  return rows.slice(kept).map(({ start, end }, i) => ({
    start,
    end,
    // A blank line ends the table; a hard break keeps each row on a line of its own.
    text: `${i === 0 && kept > 0 ? '\n' : ''}${escapeMarkdown(text.slice(start, end))}  `,
  }));
}

/** A table ends at the cell limit; its further rows follow as text. */
export const tablePass: Pass = ({ text, tree }) =>
  nodes(tree, TABLE).flatMap((table) => tableEdits(text, table));
