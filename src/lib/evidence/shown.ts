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
  /** Whether every record that has words of it also tells which: records of a time when no texts were kept do not. */
  isKept: boolean;
  /** Whether more was shown of it than is looked at. */
  isCut: boolean;
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

/** What the records of a source tell of the texts of it that they hold. */
interface Holders {
  /** Records that name it. */
  count: number;
  /** Those of them that hold words of it and do not tell which. */
  silent: number;
}

/** Statuses of a source that a call came to without a word of it. */
export const WITHOUT_WORDS: ReadonlySet<string> = new Set([
  'blocked',
  'needs-browser',
  'not-found',
  'refused',
  'too-large',
  'timed-out',
  'unreadable',
]);

/** What has been collected of the sources of a turn, by their numbers there. */
interface Collected {
  rows: ReadonlyMap<number, Row[]>;
  holders: ReadonlyMap<number, Holders>;
  /** Numbers of which rows were left out. */
  cut: Set<number>;
  budget: { rows: number; units: number };
}

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
  const into: Collected = {
    rows: new Map(sources.map(({ index }) => [index, []])),
    holders: new Map(sources.map(({ index }) => [index, { count: 0, silent: 0 }])),
    cut: new Set(),
    budget: { rows: MAX_ROWS, units: MAX_UNITS },
  };
  collect(turn, new Map(sources.map((source) => [source.index, [source]])), into);

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
      if (same.size > 0) collect(before, same, into);
    }
  }
  return new Map(
    sources.map((source): [number, SourceText] => {
      const { count, silent } = into.holders.get(source.index) ?? { count: 0, silent: 0 };
      const runs = joinRows(into.rows.get(source.index) ?? []);
      const isKept = count > 0 && silent === 0;
      return [source.index, { source, runs, isKept, isCut: into.cut.has(source.index) }];
    }),
  );
}

/** `same`: by the number in that turn's records, the source as this turn numbers it, and as that turn knew it. */
function collect(
  turn: EvidenceTurn,
  same: ReadonlyMap<number, readonly Source[]>,
  { rows, holders, cut, budget }: Collected,
): void {
  /** A file that was read twice and changed in between: each record names the version that it was shown. */
  const versions = new Map<number, string>();
  for (const { index, version } of turn.carried ?? [])
    if (version !== undefined) versions.set(index, version);
  for (const record of turn.toolCalls) {
    for (const { index, version } of record.sources ?? [])
      if (version !== undefined) versions.set(index, version);
    for (const [index, isSilent] of namedIn(record)) {
      const holder = holders.get(same.get(index)?.[0]?.index ?? 0);
      if (!holder) continue;
      holder.count += 1;
      if (isSilent) holder.silent += 1;
    }
    for (const shown of record.shown ?? []) {
      const known = same.get(shown.index);
      const [now, old = now] = known ?? [];
      if (!now || !old) continue;
      if (budget.rows <= 0 || budget.units <= 0) {
        cut.add(now.index);
        continue;
      }
      budget.rows -= 1;
      const row = rowOf(shown, record, versions.get(shown.index) ?? old.version);
      if (!row) continue;
      budget.units -= row.text.length;
      rows.get(now.index)?.push(row);
    }
  }
}

/** The numbers a record names, each with whether it has words of that source and does not tell which. */
function namedIn({ sources = [], statuses = [], shown }: ToolCallRecord): Map<number, boolean> {
  const named = new Map<number, boolean>();
  for (const { index, status } of [...sources, ...statuses])
    named.set(index, shown === undefined && !WITHOUT_WORDS.has(status ?? ''));
  return named;
}
