import type { Source, SourceStatus, ToolCallRecord, Turn } from '../types';

import { pageKey } from './page-key';

/** What a tool call gets for a page: its number, and the entry to store the first time the page is seen. */
interface Registration {
  /** One-based; 0 when there is no usable address (print no marker). */
  index: number;
  source?: Source;
}

interface AddOptions {
  /** Other addresses that were seen to lead to the same page (a redirect target, a canonical address). */
  aliases?: readonly string[];
  kind?: 'web' | 'document';
}

/** The sources of one turn. Made by the agent loop, handed to every tool call; numbers are never reused. */
export interface SourceList {
  add(title: string, url: string, options?: AddOptions): Registration;
  /** The number a page already has, or 0. */
  indexOf(url: string): number;
  /** All sources so far, in number order. */
  all(): Source[];
}

/** Makes a list for one turn. `seed`: sources whose numbers are already in use in this turn (carried, or of a turn that is resumed). */
export function createSourceList(seed: readonly Source[] = []): SourceList {
  const byIndex = new Map<number, Source>();
  const byKey = new Map<string, number>();
  const claim = (url: string, index: number): void => {
    const key = pageKey(url);
    // An alias that another page already owns keeps pointing to the older number.
    if (key !== '' && !byKey.has(key)) byKey.set(key, index);
  };
  for (const source of seed) {
    if (byIndex.has(source.index)) continue;
    byIndex.set(source.index, source);
    claim(source.url, source.index);
  }
  let last = Math.max(0, ...byIndex.keys());

  return {
    add(title, url, options = {}) {
      const address = url.trim();
      if (address === '') return { index: 0 };
      const known = [address, ...(options.aliases ?? [])]
        .map((each) => byKey.get(pageKey(each)))
        .filter((index) => index !== undefined);
      if (known.length > 0) {
        const index = Math.min(...known);
        for (const each of [address, ...(options.aliases ?? [])]) claim(each, index);
        return { index };
      }
      const index = ++last;
      const source: Source = { index, title: title.trim() || address, url: address };
      if (options.kind === 'document') source.kind = 'document';
      byIndex.set(index, source);
      for (const each of [address, ...(options.aliases ?? [])]) claim(each, index);
      return { index, source };
    },
    indexOf: (url) => byKey.get(pageKey(url)) ?? 0,
    all: () => [...byIndex.values()].sort((a, b) => a.index - b.index),
  };
}

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
 * best that any call reached.
 *
 * @public
 */
export function collectSources(calls: readonly ToolCallRecord[]): Source[] {
  const byIndex = new Map<number, Source>();
  for (const call of calls) {
    for (const source of call.sources ?? []) {
      if (!byIndex.has(source.index)) byIndex.set(source.index, source);
    }
  }
  return withStatuses([...byIndex.values()], calls);
}

function withStatuses(sources: readonly Source[], calls: readonly ToolCallRecord[]): Source[] {
  const best = new Map<number, SourceStatus>();
  for (const { index, status } of calls.flatMap((call) => call.statuses ?? [])) {
    const before = best.get(index);
    if (before === undefined || RANK[status] > RANK[before]) best.set(index, status);
  }
  return sources
    .map((source) => {
      const status = best.get(source.index);
      return status === undefined ? source : { ...source, status };
    })
    .sort((a, b) => a.index - b.index);
}

/** Everything a turn's numbers can mean: what it carried over from earlier turns, then what its calls found. */
export function turnSources(
  turn: Pick<Turn, 'toolCalls'> & Partial<Pick<Turn, 'carried'>>,
): Source[] {
  const byIndex = new Map<number, Source>();
  for (const source of [...(turn.carried ?? []), ...collectSources(turn.toolCalls)]) {
    if (!byIndex.has(source.index)) byIndex.set(source.index, source);
  }
  return withStatuses([...byIndex.values()], turn.toolCalls);
}
