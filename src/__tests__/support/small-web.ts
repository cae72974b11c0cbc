import type { PageOutcome, PagePort, SearchHit, SearchOutcome, SearchPort } from '../../lib/types';

/** What a web in memory holds; addresses and queries it does not know are "not found" and "no results". */
export interface SmallWeb {
  searches?: Record<string, SearchHit[] | SearchOutcome>;
  pages?: Record<
    string,
    { title: string; text: string; url?: string; canonical?: string; cut?: boolean } | PageOutcome
  >;
}

/** The search and page ports over a web in memory. */
export function smallWeb({ searches = {}, pages = {} }: SmallWeb): {
  search: SearchPort;
  fetchPage: PagePort;
} {
  return {
    search: (query) => {
      const found = searches[query] ?? [];
      return Promise.resolve(Array.isArray(found) ? { ok: true, hits: found } : found);
    },
    fetchPage: (url) => {
      const page = pages[url];
      if (page === undefined)
        return Promise.resolve({
          ok: false,
          status: 'not-found',
          message: 'The server has no such page (404).',
        });
      return Promise.resolve('ok' in page ? page : { ok: true, page: { url, ...page } });
    },
  };
}

/** `word-1`, `word-2`, …: a boundary that a test can foretell. */
export function boundaries(word = 'quartz'): () => string {
  let n = 0;
  return () => `${word}-${++n}`;
}
