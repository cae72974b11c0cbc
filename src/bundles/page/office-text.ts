/** UTF-16 units of a document that are kept: as much as of the largest HTML page or PDF file. */
const MAX_CHARS = 2 * 1024 * 1024;
/** Tables within each other that are laid out; deeper ones are lines of the cell around them. */
const MAX_TABLES = 8;
/** Columns of a table that are kept. */
const MAX_COLUMNS = 60;
/** Levels of a list that are indented. */
const MAX_INDENT = 8;

interface Table {
  rows: string[][];
  /** Undefined between two cells. */
  cell: string[] | undefined;
  hasHead: boolean;
}

/** Collects the blocks of an office document as Markdown. */
interface OfficeText {
  paragraph: (text: string) => void;
  /** @param level from 1 */
  heading: (level: number, text: string) => void;
  /** @param depth from 0; `number` is absent for a bullet */
  item: (depth: number, number: number | undefined, text: string) => void;
  /** Goes to the end of the document, where notes stand in the order of their numbers. */
  note: (number: number, text: string) => void;
  openTable: () => void;
  openRow: () => void;
  openCell: () => void;
  /** @param columns it covers; `repeated`: its words stand in each */
  closeCell: (columns?: number, repeated?: number) => void;
  closeRow: () => void;
  /** The first row holds the names of the columns. */
  headRow: () => void;
  closeTable: () => void;
  isFull: () => boolean;
  finish: () => { text: string; cut: boolean };
}

/** Nothing here throws, and the text stops growing at its limit. */
export function officeText(): OfficeText {
  const out: string[] = [];
  const notes = new Map<number, string>();
  const tables: Table[] = [];
  let chars = 0;
  let wasItem = false;
  /** Tables that are open beyond `MAX_TABLES`. */
  let beyond = 0;

  const put = (text: string, isItem = false): void => {
    if (text === '' || chars > MAX_CHARS) return;
    chars += text.length + 2;
    place(text, isItem);
  };

  /** Without counting: of a table, the cells have been counted. */
  const place = (text: string, isItem = false): void => {
    if (text === '') return;
    const cell = tables.at(-1)?.cell;
    if (cell !== undefined) {
      cell.push(text.replace(/\s*\n\s*/g, ' '));
      return;
    }
    if (out.length > 0) out.push(isItem && wasItem ? '\n' : '\n\n');
    out.push(text);
    wasItem = isItem;
  };

  const close = (columns: number, repeated: number): void => {
    const table = tables.at(-1);
    const row = table?.rows.at(-1);
    if (table?.cell === undefined || row === undefined) return;
    const text = table.cell.join('; ').replace(/(?<!\\)\|/g, '\\|');
    table.cell = undefined;
    for (let n = 0; n < repeated && row.length < MAX_COLUMNS; n += 1) {
      chars += n === 0 ? 1 : text.length + 1;
      row.push(chars > MAX_CHARS ? '' : text);
    }
    for (let n = 1; n < columns && row.length < MAX_COLUMNS; n += 1) {
      chars += 1;
      row.push('');
    }
  };

  return {
    paragraph(text) {
      put(text);
    },
    heading(level, text) {
      const line = text.replace(/\s+/g, ' ');
      const isInTable = tables.at(-1)?.cell !== undefined;
      if (line !== '') put(isInTable ? line : `${'#'.repeat(Math.min(level, 6))} ${line}`);
    },
    item(depth, number, text) {
      if (text === '') return;
      if (tables.at(-1)?.cell !== undefined) {
        put(text);
        return;
      }
      const indent = '   '.repeat(Math.min(depth, MAX_INDENT));
      const marker = number === undefined ? '- ' : `${number}. `;
      const rest = indent + ' '.repeat(marker.length);
      put(indent + marker + text.replace(/\n/g, `\n${rest}`), true);
    },
    note(number, text) {
      const line = text.replace(/\s+/g, ' ').trim();
      if (line === '' || chars > MAX_CHARS) return;
      chars += line.length;
      notes.set(number, `[^${number}]: ${line}`);
    },
    openTable() {
      if (tables.length >= MAX_TABLES) beyond += 1;
      else tables.push({ rows: [], cell: undefined, hasHead: false });
    },
    openRow() {
      if (beyond > 0) return;
      // Empty ones take memory too.
      chars += 1;
      tables.at(-1)?.rows.push([]);
    },
    openCell() {
      const table = tables.at(-1);
      if (beyond > 0 || table === undefined) return;
      if (table.rows.length === 0) table.rows.push([]);
      table.cell = [];
    },
    closeCell(columns = 1, repeated = 1) {
      if (beyond === 0) close(columns, repeated);
    },
    closeRow() {
      if (beyond === 0) close(1, 1);
    },
    headRow() {
      const table = tables.at(-1);
      if (beyond === 0 && table !== undefined && table.rows.length <= 1) table.hasHead = true;
    },
    closeTable() {
      if (beyond > 0) {
        beyond -= 1;
        return;
      }
      close(1, 1);
      const table = tables.pop();
      if (table === undefined) return;
      const { text, isCut } = layOut(table, tables.at(-1)?.cell !== undefined);
      if (isCut) chars = MAX_CHARS + 1;
      place(text);
    },
    isFull: () => chars > MAX_CHARS,
    finish() {
      const last = [...notes].sort(([one], [other]) => one - other).map(([, note]) => note);
      const text = [out.join(''), ...last].filter((part) => part !== '').join('\n\n');
      return { text, cut: chars > MAX_CHARS };
    },
  };
}

/**
 * A table as GFM draws it; one of a single column, or one inside another, as its words. A single wide row among a million
 * narrow ones would make megabytes of bars, so rows stop at the limit of a text.
 */
function layOut({ rows, hasHead }: Table, isInner: boolean): { text: string; isCut: boolean } {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  // No spread: a call takes some hundred thousand arguments at most.
  const width = filled.reduce(
    (most, row) => Math.max(most, row.findLastIndex((cell) => cell !== '') + 1),
    0,
  );
  const words = (row: readonly string[]): string => row.filter((cell) => cell !== '').join(', ');
  if (isInner) return { text: filled.map(words).join('; '), isCut: false };
  if (width < 2) return { text: filled.map(words).join('\n\n'), isCut: false };
  // GFM wants a header row; a table without one gets an empty one rather than a first row in the wrong role.
  const all = hasHead ? filled : [[], ...filled];
  const lines: string[] = [];
  let chars = 0;
  for (const cells of all) {
    const row = Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ');
    lines.push(`| ${row} |`);
    chars += row.length;
    if (chars > 2 * MAX_CHARS) break;
  }
  const isCut = lines.length < all.length;
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return { text: lines.join('\n'), isCut };
}
