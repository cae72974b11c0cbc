import type { PagePort, SearchPort } from '../../lib/types';
import type { FilePorts } from '../attachments/port';
import { sniffHtmlCharset } from './html-charset';
import { createFetcher, userAgent } from './http';
import { createFilePorts } from './local-file';
import { loadOfficeReader } from './office-reader';
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

export interface WebPorts extends FilePorts {
  search: SearchPort;
  fetchPage: PagePort;
}

/** Search, page reading and the reading of local files: all that `assets/web.js` holds. Search and pages share one fetcher, and with it the address checks. */
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
  const loadPdf = () => loadPdfReader(assetsPath);
  return {
    search: createSearch({ ...options, fetcher, userAgent: agent }),
    fetchPage: createPagePort({
      fetcher,
      loadPageReader: () => loadPageReader(assetsPath),
      loadPdfReader: loadPdf,
      sniffHtml: sniffHtmlCharset,
    }),
    ...createFilePorts({
      loadPdfReader: loadPdf,
      loadOfficeReader: () => loadOfficeReader(assetsPath),
      sniffHtml: sniffHtmlCharset,
    }),
  };
}
