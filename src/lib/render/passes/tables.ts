import { applyEdits, type Edit, type Node, type Scan } from '../../code';
import { nodes, type PassContext } from './pass';
import { widthOf } from './width';

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

interface Place {
  start: number;
  end: number;
}

/** Where the text of a cell stands; `undefined` for an empty one. */
type Cell = Place | undefined;

interface Row {
  start: number;
  end: number;
  cells: Cell[];
  /** Code with pipes that were meant as its own, see `splitCode`. */
  codes: Place[];
}

function contentOf({ text }: Scan, cell: Node): Cell {
  const content = cell.children.find(({ type }) => type === 'tableContent');
  return content && text.slice(content.start, content.end).trim() !== ''
    ? { start: content.start, end: content.end }
    : undefined;
}

/**
 * Code of a row that its own pipes cut into cells (`` `a|b` ``): to a parser a pipe in code needs a backslash, which models
 * forget. Found only where the row has as many cells too many.
 */
function splitCode({ text }: Scan, row: Node, surplus: number): Place[] {
  const written = text.slice(row.start, row.end);
  // A number in brackets was counted as a citation by now, and a backslash before a backtick escapes it or not.
  if (/\[\^?\d|\\`/.test(written)) return [];
  const codes: Place[] = [];
  let rest = '';
  let at = 0;
  let opening: RegExpMatchArray | undefined;
  for (const run of written.matchAll(/`+/g)) {
    if (opening?.[0] !== run[0]) {
      opening ??= run;
      continue;
    }
    const start = opening.index ?? 0;
    const end = run.index + run[0].length;
    opening = undefined;
    if (!written.slice(start, end).includes('|')) continue;
    codes.push({ start: row.start + start, end: row.start + end });
    rest += written.slice(at, start);
    at = end;
  }
  rest += written.slice(at);
  const pipes = codes.map(
    ({ start, end }) => text.slice(start, end).match(/(?<!\\)\|/g)?.length ?? 0,
  );
  // What stands beside was read with the code cut in two: where it could be code, a tag or a formula, it may be none now.
  const isSure = !/[`<$]/.test(rest) && pipes.reduce((sum, each) => sum + each, 0) === surplus;
  return isSure ? codes : [];
}

function rowsOf(scan: Scan, table: Node): Row[] {
  let columns = 0;
  return nodes(table, ROW).map((row): Row => {
    const parts = nodes(row, CELL);
    columns ||= parts.length;
    const surplus = parts.length - columns;
    const codes = surplus > 0 ? splitCode(scan, row, surplus) : [];
    const cells: Cell[] = [];
    for (const part of parts) {
      const content = contentOf(scan, part);
      const last = cells.at(-1);
      if (!codes.some((code) => code.start < part.start && part.start < code.end))
        cells.push(content);
      else if (last && content) last.end = content.end;
    }
    return { start: row.start, end: row.end, cells, codes };
  });
}

/**
 * How many rows of a table are drawn as one; the others follow as text.
 *
 * While a table arrives its form is decided by its header and its first row, so that nothing shown is taken back. Once it is
 * complete, another row that is too wide or one cell too many makes text of all of it.
 */
function drawnRows({ text }: Scan, rows: readonly Row[], isArriving: boolean): number {
  const width = ({ start, end }: Row): number => widthOf(text.slice(start, end));
  const [header, ...body] = rows;
  const columns = header?.cells.length ?? 0;
  if (!header || columns > MAX_COLUMNS || width(header) > MAX_ROW_WIDTH) return 0;
  const fitting = Math.floor(MAX_CELLS / columns);
  const decisive = isArriving ? body.slice(0, 1) : body;
  const isWide = decisive.some((row) => width(row) > MAX_ROW_WIDTH);
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

/** Cells beyond the header's columns are dropped by the parser: they become text of the last cell (`a || b`). */
function surplusEdits(scan: Scan, table: Node, rows: readonly Row[]): Edit[] {
  const columns = rows[0]?.cells.length ?? 0;
  const isFull = ({ start, end }: Node): boolean =>
    scan.text.slice(start, end).replaceAll('|', '').trim() !== '';
  return nodes(table, ROW)
    .slice(0, rows.length)
    .filter((_, i) => rows[i]?.codes.length === 0)
    .flatMap((row) => {
      const surplus = nodes(row, CELL).slice(columns);
      return surplus.slice(0, surplus.findLastIndex(isFull) + 1);
    })
    .map(({ start }) => ({ start, end: start, text: '\\' }));
}

/** Code that was cut into cells, in one piece: in a table its pipes have backslashes. */
const codeEdits = ({ text }: Scan, rows: readonly Row[], isTable: boolean): Edit[] =>
  rows.flatMap(({ codes }) =>
    codes.map(({ start, end }) => {
      const code = text.slice(start, end).replaceAll('\\|', '|');
      return { start, end, text: isTable ? code.replaceAll('|', '\\|') : code };
    }),
  );

/**
 * The rows but for lines of text at the end, right below the table: to a parser each is a row of one cell, to who wrote it
 * the next paragraph.
 */
function withoutProse(text: string, rows: readonly Row[]): Row[] {
  const isRow = ({ start, end }: Row, i: number): boolean =>
    i === 0 || rows[0]?.cells.length === 1 || text.slice(start, end).includes('|');
  return rows.slice(0, rows.findLastIndex(isRow) + 1);
}

/** Where the line above the one that holds `at` ends. */
function endAbove(text: string, at: number): number {
  const newline = text.lastIndexOf('\n', at - 1);
  return text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** A blank line before each of these lines below a table. */
const proseEdits = (text: string, lines: readonly Row[]): Edit[] =>
  lines.map(({ start, end }) => ({
    start: endAbove(text, start),
    end: start + text.slice(start, end).search(/\S|$/),
    text: '\n\n',
  }));

const isBlankAbove = (above: string): boolean => /(?:^|\n)[ \t>]*\n[ \t>]*$|^[ \t]*$/.test(above);

/** What becomes of tables, and code in them whose inside is nobody else's. */
interface TableEdits {
  edits: Edit[];
  codes: Edit[];
}

function tableEdits(scan: Scan, table: Node, context: PassContext, render: RenderPart): TableEdits {
  const { text, tree } = scan;
  const all = rowsOf(scan, table);
  const isTop = tree.children.includes(table);
  const rows = isTop ? withoutProse(text, all) : all;
  const prose = all.slice(rows.length);
  const tableEnd = prose[0] ? endAbove(text, prose[0].start) : table.end;
  if (context.isOpen && all.length < 3 && !/[\r\n]/.test(text.slice(all[1]?.end ?? text.length)))
    return { edits: [{ start: table.start, end: table.end, text: '' }], codes: [] };
  const drawn = drawnRows(scan, rows, context.isArriving ?? false);
  const [header] = rows;
  if (!header) return { edits: [], codes: [] };
  const isUnderlined = /^\r?\n(?![ \t]*\r?\n)/.test(text.slice(table.end, table.end + 200));
  const below =
    isTop && !context.isOpen && isUnderlined
      ? [{ start: table.end, end: table.end, text: '\n' }]
      : [];
  const kept = [
    ...surplusEdits(scan, table, rows.slice(0, drawn)),
    ...proseEdits(text, prose),
    ...(prose.length > 0 ? below : []),
  ];
  const codes = [
    ...codeEdits(scan, rows.slice(0, drawn), true),
    ...codeEdits(scan, rows.slice(drawn), false),
  ];
  if (drawn >= rows.length) return { edits: kept, codes };
  const body = rows.slice(Math.max(1, drawn));
  const out = new TableText(scan, header, body.length, render);
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
  if (end < tableEnd) out.edits.push({ start: end, end: tableEnd, text: '' });
  if (prose.length === 0) out.edits.push(...below);
  return { edits: [...kept, ...out.edits], codes };
}

/**
 * Tables that the pane draws badly, or freezes on, as text: one block a row, each value behind the name of its column.
 * `others`: what every other pass does to the text, for the names that are written again.
 */
export function tablePass(
  scan: Scan,
  context: PassContext,
  others: readonly (readonly Edit[])[],
): TableEdits {
  const render: RenderPart = ({ start, end }) =>
    applyEdits(
      scan.text.slice(start, end),
      ...others.map((edits) =>
        edits
          .filter((edit) => edit.start >= start && edit.end <= end)
          .map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
      ),
    );
  const tables = nodes(scan.tree, TABLE).map((table) => tableEdits(scan, table, context, render));
  return {
    edits: tables.flatMap(({ edits }) => edits),
    codes: tables.flatMap(({ codes }) => codes),
  };
}
