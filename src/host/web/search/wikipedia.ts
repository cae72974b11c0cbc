import * as z from 'zod/mini';

import type { SearchHit, SearchOutcome, SearchPort, SearchScope } from '../../../lib/types';
import type { Fetcher } from '../http';
import { wikipediaLanguage } from './language';
import { jsonReply, requestMessage, statusMessage } from './reply';
import { MAX_HITS, snippetText, toHit, toOutcome } from './rows';

const SERVICE: SearchScope = 'Wikipedia';
const REMEDY = "Check the network, or set a SearXNG Address in Lam's preferences.";
/** Characters of a query; CirrusSearch refuses longer ones with an error (https://www.mediawiki.org/wiki/Help:CirrusSearch). */
const MAX_QUERY_CHARS = 300;

/** https://www.mediawiki.org/wiki/API:Search; failures come with HTTP 200 and an `error` object. */
const ReplySchema = z.object({
  error: z.optional(z.object({ info: z.optional(z.string()) })),
  query: z.optional(z.object({ search: z.array(z.unknown()) })),
});

const RowSchema = z.object({
  title: z.string().check(z.minLength(1)),
  snippet: z.optional(z.string()),
});

export interface WikipediaOptions {
  fetcher: Fetcher;
  /** A language tag as the system has it (`de`, `de_DE`, `pt-BR`); English when it is none. */
  language: string;
  /** Where the wiki stands, without a final slash; for tests. */
  baseUrl?: string;
}

/** Search without a key: Wikipedia's own, in the person's language. Each hit says where it is from. */
export function createWikipediaSearch(options: WikipediaOptions): SearchPort {
  const base = options.baseUrl ?? `https://${wikipediaLanguage(options.language)}.wikipedia.org`;
  const search = async (query: string, signal: AbortSignal): Promise<SearchOutcome> => {
    const url = new URL(`${base}/w/api.php`);
    const parameters = {
      action: 'query',
      list: 'search',
      srsearch: Array.from(query.trim()).slice(0, MAX_QUERY_CHARS).join(''),
      srlimit: String(MAX_HITS),
      srprop: 'snippet',
      format: 'json',
      formatversion: '2',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const result = await options.fetcher(
      { url: url.href, accept: 'application/json', onCap: 'fail' },
      signal,
    );
    if (!result.ok) return { ok: false, message: requestMessage(result, SERVICE, url.host) };
    if (result.status < 200 || result.status >= 300)
      return { ok: false, message: statusMessage(result.status, SERVICE) };
    const reply = jsonReply(result, SERVICE);
    return reply.ok ? readReply(reply.value, base) : reply;
  };
  return Object.assign(search, { scope: SERVICE, remedy: REMEDY });
}

function readReply(value: unknown, base: string): SearchOutcome {
  const reply = ReplySchema.safeParse(value);
  if (!reply.success || (reply.data.query === undefined && reply.data.error === undefined))
    return { ok: false, message: `${SERVICE} sent no list of results` };
  if (reply.data.error !== undefined) {
    const info = reply.data.error.info?.replace(/\s+/g, ' ').slice(0, 160) ?? 'no reason given';
    return { ok: false, message: `${SERVICE} answered with an error (${info})` };
  }
  const rows = reply.data.query?.search ?? [];
  const hits = rows.flatMap((row): SearchHit[] => {
    const parsed = RowSchema.safeParse(row);
    if (!parsed.success) return [];
    const { title, snippet = '' } = parsed.data;
    return [toHit(title, articleUrl(base, title), `From Wikipedia: ${snippetText(snippet)}`)];
  });
  if (rows.length > 0 && hits.length === 0)
    return { ok: false, message: `${SERVICE} sent results that cannot be read` };
  return toOutcome(hits);
}

/** The address of an article: blanks are underscores, and `:`, `/` and the like stay readable as MediaWiki writes them. */
function articleUrl(base: string, title: string): string {
  const path = encodeURIComponent(title.replaceAll(' ', '_')).replace(
    /%(?:3A|2F|2C|3B|40)/g,
    decodeURIComponent,
  );
  return `${base}/wiki/${path}`;
}
