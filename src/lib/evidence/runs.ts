/** A stretch of a source's text, as a record holds it. */
export interface Row {
  text: string;
  /** The result it stands in, and where. */
  result: string;
  at: number;
  atEnd: number;
  /** Where it begins in the readable text of its source; absent for the lines of a search row. */
  start?: number;
  block?: string;
  number?: number;
  page?: number;
  version?: string;
}

/** A block of a source, or the part of it that was shown. */
export interface Piece {
  text: string;
  /** What stands between the piece before it and this one: white space. '' for the first of a run. */
  gap: string;
  start?: number;
  block?: string;
  number?: number;
  page?: number;
  version?: string;
}

/** Pieces that follow each other in their source. The lines of a search row are a run of one piece. */
export interface Run {
  pieces: Piece[];
}

/** Rows with the same offsets and other words: the page changed while it was read. Each state of it is read by itself. */
const MAX_EDITIONS = 4;

/**
 * UTF-16 units between two blocks that still follow each other, where the blocks have no numbers: two blank lines, and the
 * mark of a page.
 */
const MAX_GAP = 60;

type PlacedRow = Row & { start: number };
const isPlaced = (row: Row): row is PlacedRow => row.start !== undefined;
const endOf = (row: { start: number; text: string }): number => row.start + row.text.length;

/** The rows of one source as runs: in the order of its text, the same stretch once. Lines of search rows come last. */
export function joinRows(rows: readonly Row[]): Run[] {
  const runs: Run[] = [];
  const versions = new Map<string | undefined, PlacedRow[]>();
  for (const row of rows.filter(isPlaced)) {
    const of = versions.get(row.version);
    if (of) of.push(row);
    else versions.set(row.version, [row]);
  }
  for (const of of versions.values()) {
    let left: PlacedRow[] = of.sort((one, other) => one.start - other.start);
    for (let edition = 0; edition < MAX_EDITIONS && left.length > 0; edition += 1) {
      const { kept, others } = withoutRepeats(left);
      runs.push(...follow(kept));
      left = others;
    }
  }
  const seen = new Set<string>();
  for (const row of rows) {
    if (isPlaced(row) || seen.has(row.text)) continue;
    seen.add(row.text);
    runs.push({ pieces: [pieceOf(row, '')] });
  }
  return runs;
}

/** Takes out what an earlier row has shown already; `others` are the rows that say something else at the same place. */
function withoutRepeats(rows: readonly PlacedRow[]): { kept: PlacedRow[]; others: PlacedRow[] } {
  const kept: PlacedRow[] = [];
  const others: PlacedRow[] = [];
  for (const row of rows) {
    const last = kept.at(-1);
    if (!last || row.start >= endOf(last)) {
      kept.push(row);
      continue;
    }
    const shared = Math.min(endOf(last), endOf(row)) - row.start;
    const from = row.start - last.start;
    if (last.text.slice(from, from + shared) !== row.text.slice(0, shared)) {
      others.push(row);
      continue;
    }
    if (shared < row.text.length)
      kept.push({
        ...row,
        start: row.start + shared,
        at: row.at + shared,
        text: row.text.slice(shared),
      });
  }
  return { kept, others };
}

const pieceOf = ({ text, start, block, number, page, version }: Row, gap: string): Piece => ({
  text,
  gap,
  ...(start === undefined ? {} : { start }),
  ...(block === undefined ? {} : { block }),
  ...(number === undefined ? {} : { number }),
  ...(page === undefined ? {} : { page }),
  ...(version === undefined ? {} : { version }),
});

/** Rows in order as runs; parts of one block become one piece. */
function follow(rows: readonly PlacedRow[]): Run[] {
  const runs: Run[] = [];
  let before: PlacedRow | undefined;
  for (const row of rows) {
    const run = runs.at(-1);
    const piece = run?.pieces.at(-1);
    if (!before || !run || !piece || !follows(before, row)) {
      runs.push({ pieces: [pieceOf(row, '')] });
    } else {
      const gap = gapOf(before, row);
      // Inside a block offsets must stay right: as many blanks as there are characters of white space.
      const inside = ' '.repeat(row.start - endOf(before));
      if (row.block !== undefined && row.block === before.block)
        piece.text += (gap.length === inside.length ? gap : inside) + row.text;
      else run.pieces.push(pieceOf(row, gap));
    }
    before = row;
  }
  return runs;
}

function follows(before: PlacedRow, row: PlacedRow): boolean {
  const gap = row.start - endOf(before);
  if (before.block !== undefined && before.block === row.block) return gap <= MAX_GAP;
  if (before.number !== undefined && row.number !== undefined)
    return row.number === before.number + 1;
  return gap <= MAX_GAP;
}

/**
 * What stands between two rows: white space, as the result has it where both stand in one. What else is there is the mark of
 * a page, which is not the source's.
 */
function gapOf(before: PlacedRow, row: PlacedRow): string {
  const gap = row.start - endOf(before);
  if (gap === 0) return '';
  if (row.result === before.result && row.at - before.atEnd === gap) {
    const between = row.result.slice(before.atEnd, row.at);
    if (between.trim() === '') return between;
  }
  return gap === 1 && before.page === row.page ? '\n' : '\n\n';
}
