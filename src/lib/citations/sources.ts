import type { Source } from '../types';

import { MAX_NUMBER } from './marker';
import { pageKey } from './page-key';

/** What a tool call gets for a page: its number, and the entry to store the first time the page is seen. */
interface Registration {
  /** One-based; 0 when there is no usable address (print no marker). */
  index: number;
  /** Also when a document is there in another version than before. */
  source?: Source;
}

interface AddOptions {
  /** Addresses that the page was seen to answer under: a request for `url` was redirected there. */
  redirects?: readonly string[];
  /** The address the page itself claims (`rel=canonical`), if whoever read it has found that it may. */
  canonical?: string;
  kind?: 'web' | 'document' | undefined;
  /** Of a local document, see `Source`. Another one than before replaces it: the file was read anew. */
  version?: string | undefined;
  /** See `Source`. */
  date?: string | undefined;
}

/** The sources of one turn. Made by the agent loop, handed to every tool call; numbers are never reused. */
export interface SourceList {
  add(title: string, url: string, options?: AddOptions): Registration;
  /** The number a page already has, or 0. */
  indexOf(url: string): number;
  /** All sources so far, in number order. */
  all(): Source[];
}

/**
 * Makes a list for one turn. `seed`: sources whose numbers are already in use in this turn (carried, or of a turn that is
 * resumed). `spent`: numbers that are given to no page, see `spentNumbers`.
 */
export function createSourceList(
  seed: readonly Source[] = [],
  spent: ReadonlySet<number> = new Set(),
): SourceList {
  const byIndex = new Map<number, Source>();
  /** By the addresses that pages were found, asked for or redirected to. */
  const seen = new Map<string, number>();
  /** By the addresses that pages claim for themselves. */
  const claimed = new Map<string, number>();
  const keep = (keys: Map<string, number>, url: string, index: number): void => {
    const key = pageKey(url);
    if (key !== '' && !keys.has(key)) keys.set(key, index);
  };
  const indexOf = (url: string): number => {
    const key = pageKey(url);
    return seen.get(key) ?? claimed.get(key) ?? 0;
  };
  /**
   * A page's own number comes before that of the page it was redirected to. A claim is the weakest: it joins a page to
   * one that was seen under the claimed address, never to one that only claims the same.
   */
  const known = (url: string, { redirects = [], canonical }: AddOptions): number =>
    [url, ...redirects].map(indexOf).find((index) => index > 0) ??
    (canonical === undefined ? undefined : seen.get(pageKey(canonical))) ??
    0;
  for (const source of seed) {
    if (byIndex.has(source.index)) continue;
    byIndex.set(source.index, source);
    keep(seen, source.url, source.index);
  }
  // Only a damaged record holds a number that no marker can have; counting on from it would make every new page uncitable.
  let last = 0;
  for (const index of byIndex.keys())
    if (Number.isInteger(index) && index <= MAX_NUMBER) last = Math.max(last, index);
  const nextNumber = (): number => {
    do last += 1;
    while (byIndex.has(last) || spent.has(last));
    return last;
  };

  return {
    add(title, url, options = {}) {
      const address = url.trim();
      if (address === '') return { index: 0 };
      const old = known(address, options);
      const index = old > 0 ? old : nextNumber();
      for (const each of [address, ...(options.redirects ?? [])]) keep(seen, each, index);
      if (options.canonical !== undefined) keep(claimed, options.canonical, index);
      const { kind, version, date } = options;
      const before = byIndex.get(index);
      if (before && (version === undefined || version === before.version)) return { index };
      const source: Source = before
        ? { ...before, version }
        : { index, title: title.trim() || address, url: address };
      if (!before) {
        if (kind === 'document') source.kind = kind;
        if (version !== undefined) source.version = version;
        if (date !== undefined && date !== '') source.date = date;
      }
      byIndex.set(index, source);
      return { index, source };
    },
    indexOf,
    all: () => [...byIndex.values()].sort((a, b) => a.index - b.index),
  };
}
