import type { ClaimTerms, Measure } from './closeness';

/** UTF-16 units of a table whose rows are told apart: two blocks are shorter. */
const MAX_UNITS = 4_000;

/** Rows that a sentence is about at most, and what each further one must add to the closeness. */
const MAX_ROWS = 3;
const MIN_GAIN = 0.1;

/** How much closer the closest row must be than any that is not chosen with it. */
const MARGIN = 0.01;

interface Row {
  start: number;
  end: number;
}

const ROW = /^\s*\|/;
const DELIMITER = /^[\s|:-]*$/;

/** Where rows begin and end in a text that is all table; its head apart. */
function rowsOf(text: string): { head?: Row; rows: Row[] } | undefined {
  if (text.length > MAX_UNITS || !ROW.test(text)) return undefined;
  const rows: Row[] = [];
  let head: Row | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const row = { start: at, end: at + line.length };
    at = row.end + 1;
    if (line.trim() === '') continue;
    if (!ROW.test(line)) return undefined;
    if (!DELIMITER.test(line)) rows.push(row);
    else if (!head) head = rows.pop();
  }
  return { rows, ...(head ? { head } : {}) };
}

/**
 * The rows of a table that are closest to a sentence, from the first to the last; the head counts with each of them. Nothing where the
 * text is no table, or no row is closer than the others, or all are chosen: then it is the table that is meant.
 */
export function closestRows(text: string, claim: ClaimTerms, measure: Measure): Row | undefined {
  const table = rowsOf(text);
  if (!table || table.rows.length < 2) return undefined;
  const look = ({ start, end }: Row) => measure.look(text.slice(start, end));
  const head = table.head ? [look(table.head)] : [];
  const score = (profiles: readonly ReturnType<typeof look>[]): number =>
    measure.closeness(claim, [...head, ...profiles]).score;
  const rows = table.rows
    .map((row) => ({ row, profile: look(row) }))
    .map((each) => ({ ...each, score: score([each.profile]) }))
    .sort((one, other) => other.score - one.score);
  const [best, ...others] = rows;
  if (!best) return undefined;
  const chosen = [best];
  for (const each of others) {
    if (chosen.length === MAX_ROWS) break;
    const profiles = chosen.map(({ profile }) => profile);
    if (score([...profiles, each.profile]) >= score(profiles) + MIN_GAIN) chosen.push(each);
  }
  const rival = others.find((each) => !chosen.includes(each));
  if (!rival || best.score < rival.score + MARGIN) return undefined;
  return {
    start: Math.min(...chosen.map(({ row }) => row.start)),
    end: Math.max(...chosen.map(({ row }) => row.end)),
  };
}

/** The rows of a table that hold a stretch of it; nothing where the text is no table. */
export function rowsAround(text: string, at: number, end: number): Row | undefined {
  const rows = rowsOf(text)?.rows.filter((row) => row.start < end && row.end > at) ?? [];
  const [first] = rows;
  const last = rows.at(-1);
  return first && last ? { start: first.start, end: last.end } : undefined;
}
