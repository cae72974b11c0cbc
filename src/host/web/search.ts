import type { SearchPort } from '../../lib/types';
import type { Fetcher } from './http';
import { createSearxngSearch } from './search/searxng';
import { createWikipediaSearch } from './search/wikipedia';

export interface SearchOptions {
  /** The SearXNG address of the preferences; absent or blank = search Wikipedia. */
  searxngUrl?: string;
  /** For Wikipedia; SearXNG has a fetcher of its own, because its address may be private. */
  fetcher: Fetcher;
  userAgent: string;
  /** The person's language as the system has it; picks the Wikipedia. */
  language: string;
}

/** The search that the preferences ask for. Its `scope` tells whether it is the web or Wikipedia only. */
export function createSearch({
  searxngUrl,
  fetcher,
  userAgent,
  language,
}: SearchOptions): SearchPort {
  return searxngUrl === undefined || searxngUrl.trim() === ''
    ? createWikipediaSearch({ fetcher, language })
    : createSearxngSearch({ baseUrl: searxngUrl, userAgent });
}
