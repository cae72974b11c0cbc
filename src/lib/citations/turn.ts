import type { Source, SourceStatus, ToolCallRecord, Turn } from '../types';

import { citedIndices } from './link';
import { findCandidates } from './marker';

/** Read states only rise: a page that was read stays read when a later search finds it again. */
const RANK: Record<SourceStatus, number> = {
  hit: 0,
  refused: 1,
  'not-found': 1,
  'timed-out': 1,
  'too-large': 1,
  unreadable: 1,
  blocked: 1,
  'needs-browser': 1,
  part: 2,
  read: 3,
};

/**
 * The sources of a turn's records in number order: the first record of a number names the page, its read state is the
 * best that any call reached, the version of a document that which was read last.
 *
 * @public
 */
export function collectSources(calls: readonly ToolCallRecord[]): Source[] {
  return withStatuses(firstOfEach(calls.flatMap(({ sources = [] }) => sources)), calls);
}

/** The first source of each number, in the last version that there is of it. */
function firstOfEach(sources: readonly Source[]): Source[] {
  const byIndex = new Map<number, Source>();
  for (const source of sources) {
    const before = byIndex.get(source.index);
    if (!before) byIndex.set(source.index, source);
    else if (source.version !== undefined && source.url === before.url)
      byIndex.set(source.index, { ...before, version: source.version });
  }
  return [...byIndex.values()];
}

function withStatuses(sources: readonly Source[], calls: readonly ToolCallRecord[]): Source[] {
  const best = new Map<number, SourceStatus>();
  const raise = (index: number, status: SourceStatus): void => {
    const before = best.get(index);
    if (before === undefined || RANK[status] > RANK[before]) best.set(index, status);
  };
  // A carried page that was read in an earlier turn is no mere hit because this turn's search finds it again.
  for (const { index, status } of sources) if (status !== undefined) raise(index, status);
  for (const call of calls)
    for (const { index, status } of call.statuses ?? []) raise(index, status);
  return sources
    .map((source) => {
      const status = best.get(source.index);
      return status === undefined ? source : { ...source, status };
    })
    .sort((a, b) => a.index - b.index);
}

/** What the sources of a turn are read from. */
type SourcedTurn = Pick<Turn, 'toolCalls'> & Partial<Pick<Turn, 'carried'>>;

/**
 * Everything a turn's numbers can mean: what it was offered of earlier turns, then what its calls found. For the model and
 * for an answer that is still written; a reader sees `turnSources`.
 */
export function numberedSources(turn: SourcedTurn): Source[] {
  const sources = firstOfEach([...(turn.carried ?? []), ...collectSources(turn.toolCalls)]);
  return withStatuses(sources, turn.toolCalls);
}

/** How a numbered page begins in what the model reads (`sourceHead` of `lib/tools`); page text cannot begin a line like this. */
const HEAD = /^\[([1-9]\d{0,3})\] /gm;

/**
 * Every number that the texts of a turn name, whether its source is known or not. A source that could not be read from the
 * disk, or was never stored (records from before sources), still has its number in the results that the model reads again
 * when the turn is continued, and one the model made up stands in the answer: a new page under it would make the number
 * mean two.
 */
export function spentNumbers({
  response,
  toolCalls,
}: Pick<Turn, 'response' | 'toolCalls'>): Set<number> {
  const spent = new Set(findCandidates(response).flatMap(({ numbers }) => numbers));
  for (const { result, statuses = [] } of toolCalls) {
    for (const [, number] of result.matchAll(HEAD)) spent.add(Number(number));
    for (const { index } of statuses) spent.add(index);
  }
  return spent;
}

/**
 * The carried sources that belong to the answer: those it cites. A turn that is not done keeps all it was offered, because
 * the model goes on with their numbers when it is continued. Never throws.
 */
export function citedCarried(turn: SourcedTurn & Pick<Turn, 'response'>): Source[] {
  const { carried = [] } = turn;
  if (carried.length === 0) return [];
  try {
    const cited = citedIndices(turn.response, numberedSources(turn));
    return carried.filter(({ index }) => cited.has(index));
  } catch {
    // Rather a source too many than an answer without its sources.
    return carried;
  }
}

/** The sources a reader is shown and offered: the cited ones of earlier turns, and all that the turn's calls found. */
export function turnSources(
  turn: SourcedTurn & Pick<Turn, 'response'> & Partial<Pick<Turn, 'state' | 'cut'>>,
): Source[] {
  // A turn that is done, and can not go on, holds the cited ones only.
  const isWhole = turn.state === 'done' && turn.cut !== true;
  return numberedSources(isWhole ? turn : { ...turn, carried: citedCarried(turn) });
}
