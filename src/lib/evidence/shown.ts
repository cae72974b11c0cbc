import { numberedSources, pageKey } from '../citations';
import type { Shown, Source, ToolCallRecord, Turn } from '../types';

import { joinRows, type Row, type Run } from './runs';

/** What the passages of a turn are found in. */
export type EvidenceTurn = Pick<Turn, 'response' | 'toolCalls' | 'carried'> &
  Partial<Pick<Turn, 'question'>>;

/** A source and all that the model was shown of it. */
export interface SourceText {
  source: Source;
  runs: Run[];
}

/**
 * Rows of all sources of a turn that are looked at. A turn reads at most 8 x 8 results of 20,000 characters; with blocks of
 * a hundred characters these are 12,800 rows.
 */
const MAX_ROWS = 20_000;

/** UTF-16 units of all texts of a turn that are looked at: twice what a turn can read. */
const MAX_UNITS = 2_500_000;

/** Earlier turns that are searched for the text of a source they handed on, latest first. */
const MAX_EARLIER = 200;

/** What tells a source from others: the path of a document, the key of an address. */
export const sourceId = ({ kind, url }: Pick<Source, 'kind' | 'url'>): string =>
  kind === 'document' ? url : pageKey(url);

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0;

/** A row of a record as the text of its source; nothing of a row that does not fit its record. */
function rowOf(
  shown: Shown,
  { result }: ToolCallRecord,
  version: string | undefined,
): Row | undefined {
  const { at, length, start, block, number, page } = shown;
  if (!isCount(at) || !isCount(length) || length === 0 || at + length > result.length)
    return undefined;
  const text = shown.original ?? result.slice(at, at + length);
  if (text.trim() === '') return undefined;
  return {
    text,
    result,
    at,
    atEnd: at + length,
    ...(isCount(start) && Number.isSafeInteger(start + text.length) ? { start } : {}),
    ...(block === undefined ? {} : { block }),
    ...(isCount(number) && number > 0 ? { number } : {}),
    ...(isCount(page) && page > 0 ? { page } : {}),
    ...(version === undefined ? {} : { version }),
  };
}

/**
 * What the model was shown of each of these numbers, in order and the same stretch once. Of a carried source also what
 * earlier turns were shown of the same page, the latest turn first. A number that is no source of the turn has no entry;
 * one of whose text nothing was kept has one without runs.
 */
export function shownOf(
  turn: EvidenceTurn,
  earlier: readonly EvidenceTurn[],
  numbers: ReadonlySet<number>,
): Map<number, SourceText> {
  const sources = numberedSources(turn).filter(({ index }) => numbers.has(index));
  const rows = new Map<number, Row[]>(sources.map(({ index }) => [index, []]));
  const budget = { rows: MAX_ROWS, units: MAX_UNITS };
  collect(turn, new Map(sources.map((source) => [source.index, [source]])), rows, budget);

  const carried = new Set((turn.carried ?? []).map(({ index }) => index));
  const wanted = new Map<string, Source>();
  for (const source of sources) {
    if (carried.has(source.index) && sourceId(source) !== '') wanted.set(sourceId(source), source);
  }
  if (wanted.size > 0) {
    for (const before of earlier.slice(-MAX_EARLIER).reverse()) {
      const same = new Map<number, Source[]>();
      for (const old of numberedSources(before)) {
        const now = wanted.get(sourceId(old));
        if (now) same.set(old.index, [now, old]);
      }
      if (same.size > 0) collect(before, same, rows, budget);
    }
  }
  return new Map(
    sources.map((source) => [
      source.index,
      { source, runs: joinRows(rows.get(source.index) ?? []) },
    ]),
  );
}

/** `same`: by the number in that turn's records, the source as this turn numbers it, and as that turn knew it. */
function collect(
  turn: EvidenceTurn,
  same: ReadonlyMap<number, readonly Source[]>,
  rows: ReadonlyMap<number, Row[]>,
  budget: { rows: number; units: number },
): void {
  /** A file that was read twice and changed in between: each record names the version that it was shown. */
  const versions = new Map<number, string>();
  for (const { index, version } of turn.carried ?? [])
    if (version !== undefined) versions.set(index, version);
  for (const record of turn.toolCalls) {
    for (const { index, version } of record.sources ?? [])
      if (version !== undefined) versions.set(index, version);
    for (const shown of record.shown ?? []) {
      if (budget.rows <= 0 || budget.units <= 0) return;
      const known = same.get(shown.index);
      const [now, old = now] = known ?? [];
      if (!now || !old) continue;
      budget.rows -= 1;
      const row = rowOf(shown, record, versions.get(shown.index) ?? old.version);
      if (!row) continue;
      budget.units -= row.text.length;
      rows.get(now.index)?.push(row);
    }
  }
}
