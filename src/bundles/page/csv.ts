import { moreOf } from './count';

/** Rows of a table that are kept, its header aside; further ones are counted. 50 parts of a tool result at most. */
const MAX_ROWS = 5_000;
/** Columns that are kept. Sheets with more are data for programs. */
const MAX_COLUMNS = 60;
/** UTF-16 units of one cell. */
const MAX_CELL_CHARS = 1_000;
/** Lines that are looked at to find out what separates the columns. */
const SAMPLE_LINES = 20;

const SEPARATORS = [',', ';', '\t', '|'];

/**
 * A table of comma-, semicolon-, tab- or bar-separated values as a Markdown table, its first row as the header. Quotes work
 * as in RFC 4180; a quote that is never closed ends with its line. Text in which no such table can be found comes back as
 * it is. `cut` when rows, columns or cells were left out, which the text says where it is rows or columns.
 */
export function layOutCsv(text: string): { text: string; cut: boolean } {
  const separator = separatorOf(text);
  if (separator === undefined) return { text, cut: false };
  const rows: string[][] = [];
  let more = 0;
  for (const row of csvRows(text, separator)) {
    if (row.every((cell) => cell.trim() === '')) continue;
    if (rows.length <= MAX_ROWS) rows.push(row);
    else more += 1;
  }
  const widest = Math.max(0, ...rows.map((row) => row.length));
  if (rows.length < 2 || widest < 2) return { text, cut: false };
  const width = Math.min(widest, MAX_COLUMNS);
  let cut = more > 0 || widest > width;
  const lines = rows.map((row) => {
    const cells = Array.from({ length: width }, (_, column) => {
      const cell = cellText(row[column] ?? '');
      if (cell.length <= MAX_CELL_CHARS) return cell;
      cut = true;
      return `${cell.slice(0, MAX_CELL_CHARS).replace(/\p{Surrogate}$|\\$/u, '')}…`;
    });
    return `| ${cells.join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  if (more > 0) lines.push('', moreOf(more, 'row'));
  if (widest > width) lines.push('', moreOf(widest - width, 'column'));
  return { text: lines.join('\n'), cut };
}

function cellText(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim().replace(/\|/g, '\\|');
}

/** The separator that cuts the first lines into the same number of cells, more than one; the most cells win. */
function separatorOf(text: string): string | undefined {
  const sample = text.slice(0, 64 * 1024);
  let best: { separator: string; width: number } | undefined;
  for (const separator of SEPARATORS) {
    const widths: number[] = [];
    for (const row of csvRows(sample, separator)) {
      if (row.length > 1 || row[0] !== '') widths.push(row.length);
      if (widths.length >= SAMPLE_LINES) break;
    }
    const [width = 0] = widths;
    // Real files have a torn row now and then; prose with commas has a different number in each.
    const even = widths.filter((other) => other === width).length;
    if (width < 2 || even < widths.length * 0.8) continue;
    if (best === undefined || width > best.width) best = { separator, width };
  }
  return best?.separator;
}

/** Rows of cells, one at a time, by RFC 4180 and for any separator of one character. */
function* csvRows(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quoted(text, at) : undefined;
    let end = cell?.end ?? at;
    if (cell === undefined)
      while (end < text.length && text[end] !== separator && !isLineEnd(text[end])) end += 1;
    row.push(cell?.value ?? text.slice(at, end));
    if (text[end] === separator) {
      at = end + 1;
      if (at === text.length) row.push('');
      continue;
    }
    yield row;
    row = [];
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  if (row.length > 0) yield row;
}

/** UTF-16 units of a quoted cell; a quote that goes on for longer was never closed. */
const MAX_QUOTED = 32 * 1024;

/** A quoted cell from its first quote on: `"a ""b"" c"`. Nothing when it is not closed before a separator or line end. */
function quoted(text: string, start: number): { value: string; end: number } | undefined {
  let value = '';
  let from = start + 1;
  for (;;) {
    const close = text.indexOf('"', from);
    if (close === -1 || close - start > MAX_QUOTED) return undefined;
    value += text.slice(from, close);
    if (text[close + 1] === '"') {
      value += '"';
      from = close + 2;
      continue;
    }
    // Words behind the closing quote belong to the cell, as spreadsheets read them.
    let end = close + 1;
    while (end < text.length && !/[,;\t|\r\n]/.test(text[end] ?? '')) end += 1;
    return { value: value + text.slice(close + 1, end), end };
  }
}

function isLineEnd(char: string | undefined): boolean {
  return char === '\n' || char === '\r';
}
