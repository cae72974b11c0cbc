import { applyEdits, type Edit, type Node, type Scan } from '../../code';
import { nodes, type PassContext } from './pass';

/** Cells of a table in the pane. 150 by 150 held the launcher for 6.5 s and took 1.2 GB; short rows are filled up. */
const MAX_CELLS = 400;

/** Beyond these the columns of a table in the pane (about 500 px) are a few letters wide. */
const MAX_COLUMNS = 6;
const MAX_ROW_WIDTH = 80;

/** UTF-16 units that the column names may take once they stand before every value. */
const MAX_LABELS = 64 * 1024;

const TABLE = new Set(['table']);
const ROW = new Set(['tableRow']);
const CELL = new Set(['tableHeader', 'tableData']);

/** Letters that take two columns: Chinese, Japanese, Korean, and their full-width signs. */
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]/g;

/** Where the text of a cell stands; `undefined` for an empty one. */
type Cell = { start: number; end: number } | undefined;

interface Row {
  start: number;
  end: number;
  cells: Cell[];
}

function rowsOf({ text }: Scan, table: Node): Row[] {
  return nodes(table, ROW).map((row) => ({
    start: row.start,
    end: row.end,
    cells: nodes(row, CELL).map((cell): Cell => {
      const content = cell.children.find(({ type }) => type === 'tableContent');
      return content && text.slice(content.start, content.end).trim() !== ''
        ? { start: content.start, end: content.end }
        : undefined;
    }),
  }));
}

/** Columns that a row takes on the screen, about: without addresses and marks. */
const widthOf = (text: string, { start, end }: Row): number => {
  const words = text
    .slice(start, end)
    .replace(/\]\([^()\s]*\)/g, '')
    .replace(/[\\*`[\]|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length + (words.match(WIDE)?.length ?? 0);
};

/**
 * How many rows of a table are drawn as one; the others follow as text.
 *
 * While a table arrives its form is decided by its header and its first row, so that nothing shown is taken back. Once it is
 * complete, another row that is too wide or one cell too many makes text of all of it.
 */
function drawnRows({ text }: Scan, rows: readonly Row[], isArriving: boolean): number {
  const [header, ...body] = rows;
  const columns = header?.cells.length ?? 0;
  if (!header || columns > MAX_COLUMNS || widthOf(text, header) > MAX_ROW_WIDTH) return 0;
  const fitting = Math.floor(MAX_CELLS / columns);
  const decisive = isArriving ? body.slice(0, 1) : body;
  const isWide = decisive.some((row) => widthOf(text, row) > MAX_ROW_WIDTH);
  if (isArriving) return isWide ? 0 : fitting;
  return isWide || rows.length > fitting ? 0 : rows.length;
}

/** Renders a part of the text with the edits of the other passes. */
type RenderPart = (part: { start: number; end: number }) => string;

class TableText {
  readonly edits: Edit[] = [];
  readonly #scan: Scan;
  readonly #labels: string[];

  constructor(scan: Scan, header: Row, bodyRows: number, render: RenderPart) {
    this.#scan = scan;
    const size = header.end - header.start;
    this.#labels =
      bodyRows === 0 || size * bodyRows > MAX_LABELS
        ? []
        : header.cells.map((cell) => (cell ? render(cell) : ''));
  }

  get hasLabels(): boolean {
    return this.#labels.length > 0;
  }

  /** One row as lines of its own, each `column: value`; or as one line, where the names would fill the answer. */
  row({ start, end, cells }: Row, from: number, lead: string): void {
    let at = from;
    let separator = lead;
    for (const [i, cell] of cells.entries()) {
      if (!cell) continue;
      const isSurplus = this.hasLabels && i >= this.#labels.length;
      const before = isSurplus ? ' \\| ' : separator + this.#label(i);
      this.edits.push({ start: at, end: cell.start, text: before });
      this.#unescapePipes(cell);
      at = cell.end;
      separator = this.hasLabels ? '  \n' : ' \\| ';
    }
    if (at === from) this.edits.push({ start: at, end: Math.max(at, start), text: '' });
    if (end > at) this.edits.push({ start: Math.max(at, start), end, text: '' });
  }

  #label(column: number): string {
    if (!this.hasLabels) return column === 0 ? '• ' : '';
    const label = this.#labels[column] ?? '';
    // A mark at the start of a line would act there; behind a bullet it does not.
    if (label === '') return '• ';
    return /[*_`]/.test(label) ? `${label}: ` : `**${label}:** `;
  }

  /** A pipe in code is escaped in a table only. */
  #unescapePipes(cell: { start: number; end: number }): void {
    const { text, spans } = this.#scan;
    for (const span of spans) {
      if (span.start < cell.start || span.end > cell.end || text[span.start] !== '`') continue;
      for (const match of text.slice(span.start, span.end).matchAll(/\\\|/g)) {
        const at = span.start + match.index;
        this.edits.push({ start: at, end: at + 1, text: '' });
      }
    }
  }
}

/** Cells beyond the header's columns are dropped by the parser: they become text of the last cell (`a || b` in code). */
function surplusEdits(scan: Scan, table: Node, columns: number, drawn: number): Edit[] {
  return nodes(table, ROW)
    .slice(1, drawn)
    .flatMap((row) =>
      nodes(row, CELL)
        .slice(columns)
        .filter(({ start, end }) => scan.text.slice(start, end).replaceAll('|', '').trim() !== '')
        .map(({ start }) => ({ start, end: start, text: '\\' })),
    );
}

const isBlankAbove = (above: string): boolean => /(?:^|\n)[ \t>]*\n[ \t>]*$|^[ \t]*$/.test(above);

function tableEdits(scan: Scan, table: Node, context: PassContext, render: RenderPart): Edit[] {
  const { text, tree } = scan;
  const rows = rowsOf(scan, table);
  if (context.isOpen && rows.length < 3 && !/[\r\n]/.test(text.slice(rows[1]?.end ?? text.length)))
    return [{ start: table.start, end: table.end, text: '' }];
  const drawn = drawnRows(scan, rows, context.isArriving ?? false);
  const [header] = rows;
  if (!header) return [];
  const kept = surplusEdits(scan, table, header.cells.length, drawn);
  if (drawn >= rows.length) return kept;
  const body = rows.slice(Math.max(1, drawn));
  const out = new TableText(scan, header, body.length, render);
  const isTop = tree.children.includes(table);
  const above = (context.before ?? '') + text.slice(Math.max(0, table.start - 200), table.start);
  let end = rows[drawn - 1]?.end ?? table.start;
  let lead = drawn > 0 ? '\n\n' : isTop && !isBlankAbove(above) ? '\n' : '';
  // Where its names stand before every value, the header row itself is not needed.
  const isHeaderShown = drawn === 0 && !out.hasLabels;
  for (const row of isHeaderShown ? [header, ...body] : body) {
    out.row(row, end, lead);
    end = row.end;
    lead = out.hasLabels ? '\n\n' : '  \n';
  }
  // The delimiter row of a table that holds nothing else.
  if (end < table.end) out.edits.push({ start: end, end: table.end, text: '' });
  const isUnderlined = /^\r?\n(?![ \t]*\r?\n)/.test(text.slice(table.end, table.end + 200));
  if (isTop && !context.isOpen && isUnderlined)
    out.edits.push({ start: table.end, end: table.end, text: '\n' });
  return [...kept, ...out.edits];
}

/**
 * Tables that the pane draws badly, or freezes on, as text: one block a row, each value behind the name of its column.
 * `others`: what every other pass does to the text, for the names that are written again.
 */
export function tablePass(
  scan: Scan,
  context: PassContext,
  others: readonly (readonly Edit[])[],
): Edit[] {
  const render: RenderPart = ({ start, end }) =>
    applyEdits(
      scan.text.slice(start, end),
      ...others.map((edits) =>
        edits
          .filter((edit) => edit.start >= start && edit.end <= end)
          .map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
      ),
    );
  return nodes(scan.tree, TABLE).flatMap((table) => tableEdits(scan, table, context, render));
}
