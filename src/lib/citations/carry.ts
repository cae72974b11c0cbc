import { applyEdits, scan, type Edit } from '../code';
import { MAX_CARRIED } from '../constants';
import type { Source, Turn } from '../types';

import { analyse } from './analyse';
import { turnSources, type SourceList } from './sources';

type EarlierTurn = Pick<Turn, 'response' | 'toolCalls'> & Partial<Pick<Turn, 'carried'>>;

export interface Carried {
  /** The earlier answers as the model may read them again, oldest first. */
  responses: string[];
  /** Sources of earlier turns under this turn's numbers, in number order. */
  carried: Source[];
}

/**
 * Takes the sources that earlier answers cited into a new turn's list (most recent turns first, at most `MAX_CARRIED`)
 * and rewrites the old markers, so that every `[n]` the model reads has this turn's meaning. `turns` oldest first.
 *
 * A marker whose source did not fit is taken out; a bracketed number that never was a source becomes `(n)`. Code stays.
 */
export function carrySources(turns: readonly EarlierTurn[], list: SourceList): Carried {
  const read = turns.map((turn) => {
    const scanned = scan(turn.response);
    const sources = turnSources(turn);
    return {
      scanned,
      sources: new Map(sources.map((each) => [each.index, each])),
      analysis: analyse(scanned, sources),
    };
  });
  const carried: Source[] = [];
  for (const { analysis, sources } of [...read].reverse()) {
    for (const number of [...analysis.cited].sort((a, b) => a - b)) {
      const old = sources.get(number);
      if (!old || list.indexOf(old.url) > 0 || carried.length >= MAX_CARRIED) continue;
      const { source } = list.add(old.title, old.url, old.kind ? { kind: old.kind } : {});
      if (source) carried.push(old.status ? { ...source, status: old.status } : source);
    }
  }
  const responses = read.map(({ scanned, sources, analysis }) => {
    const renumber = (numbers: readonly number[]): string =>
      numbers
        .map((number) => list.indexOf(sources.get(number)?.url ?? ''))
        .filter((number) => number > 0)
        .map((number) => `[${String(number)}]`)
        .join('');
    const edits: Edit[] = [
      ...[...analysis.markers, ...analysis.ownLinks].map(({ start, end, numbers }) => ({
        start,
        end,
        text: renumber(numbers),
      })),
      ...analysis.unresolved.map(({ start, end }) => ({
        start,
        end,
        text: `(${scanned.text.slice(start + 1, end - 1)})`,
      })),
    ];
    return applyEdits(scanned.text, edits);
  });
  return { responses, carried };
}
