import type { PagePort, SearchPort } from '../../lib/types';
import { sniffHtmlCharset } from './html-charset';
import { createFetcher, userAgent } from './http';
import { createPagePort } from './page';
import { loadPageReader } from './page-reader';
import { loadPdfReader } from './pdf-reader';
import { createSearch, type CreateSearchOptions } from './search';

export interface WebOptions extends Omit<CreateSearchOptions, 'fetcher' | 'userAgent'> {
  /** Lam's version, for the User-Agent header. */
  version: string;
  /** Folder of the generated files. */
  assetsPath: string;
  /** `host:port` pairs that may be read although they are on this machine; for tests. */
  allowLoopback: readonly string[];
}

export interface WebPorts {
  search: SearchPort;
  fetchPage: PagePort;
}

/** Search and page reading: all that `assets/web.js` holds. They share one fetcher, and with it the address checks. */
export function createWebPorts({
  version,
  assetsPath,
  allowLoopback,
  ...options
}: WebOptions): WebPorts {
  const agent = userAgent(version);
  const fetcher = createFetcher({
    userAgent: agent,
    acceptLanguage: options.systemLanguage,
    allowLoopback,
  });
  return {
    search: createSearch({ ...options, fetcher, userAgent: agent }),
    fetchPage: createPagePort({
      fetcher,
      loadPageReader: () => loadPageReader(assetsPath),
      loadPdfReader: () => loadPdfReader(assetsPath),
      sniffHtml: sniffHtmlCharset,
    }),
  };
}
