import * as z from 'zod/mini';

import type { SearchHit, SearchOptions, SearchOutcome, SearchPort } from '../../../lib/types';
import { wikipediaLanguage } from './language';
import { queryWithSite } from './query';
import { MAX_HITS, readRows, snippetText, toHit } from './rows';
import { askService, type ServiceOptions } from './service';

const SERVICE = 'Wikipedia';
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

export interface WikipediaOptions extends ServiceOptions {
  /** A language tag as the system has it (`de`, `de_DE`, `pt-BR`); English when it is none. */
  language: string;
}

/**
 * Search without a key: Wikipedia's own, in the person's language, or in English if there is none in that language. Each hit
 * says where it is from.
 */
export function createWikipediaSearch(options: WikipediaOptions): SearchPort {
  let base = options.baseUrl ?? baseOf(wikipediaLanguage(options.language));
  const ask = (at: string, query: string, signal: AbortSignal, asked: SearchOptions) => {
    const url = new URL(`${at}/w/api.php`);
    const parameters = {
      action: 'query',
      list: 'search',
      srsearch: queryWithSite(query, {}, { chars: MAX_QUERY_CHARS }),
      srlimit: String(asked.count ?? MAX_HITS),
      srprop: 'snippet',
      format: 'json',
      formatversion: '2',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return askService({ name: SERVICE }, { url }, options, signal);
  };
  return async (query, signal, asked = {}) => {
    const own = base;
    const first = await ask(own, query, signal, asked);
    if (first.ok) return readReply(first.value, own, asked);
    const english = baseOf('en');
    const hasOther = first.isNoSite === true && options.baseUrl === undefined && own !== english;
    if (!hasOther) return { ok: false, message: first.message };
    const second = await ask(english, query, signal, asked);
    // Without a network no name is found, and the first sentence is the better one.
    if (!second.ok) return { ok: false, message: (signal.aborted ? second : first).message };
    base = english;
    return readReply(second.value, english, asked);
  };
}

function baseOf(language: string): string {
  return `https://${language}.wikipedia.org`;
}

function readReply(value: unknown, base: string, options: SearchOptions): SearchOutcome {
  const reply = ReplySchema.safeParse(value);
  if (!reply.success || (reply.data.query === undefined && reply.data.error === undefined))
    return { ok: false, message: `${SERVICE} sent no list of results` };
  if (reply.data.error !== undefined) {
    const info = reply.data.error.info?.replace(/\s+/g, ' ').slice(0, 160) ?? 'no reason given';
    return { ok: false, message: `${SERVICE} answered with an error (${info})` };
  }
  return readRows(reply.data.query?.search ?? [], (row) => readRow(row, base), {
    service: SERVICE,
    options,
    lacks: isWithin(base, options.site) ? ['freshness'] : ['site', 'freshness'],
  });
}

function readRow(row: unknown, base: string): SearchHit | undefined {
  const parsed = RowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { title, snippet = '' } = parsed.data;
  return toHit(title, articleUrl(base, title), `From Wikipedia: ${snippetText(snippet)}`);
}

/** True when a site is this Wikipedia or all of them: then every hit is from there anyway. */
function isWithin(base: string, site: string | undefined): boolean {
  const { hostname } = new URL(base);
  return site !== undefined && (hostname === site || hostname.endsWith(`.${site}`));
}

/** The address of an article: blanks are underscores, and `:`, `/` and the like stay readable as MediaWiki writes them. */
function articleUrl(base: string, title: string): string {
  const path = encodeURIComponent(title.replaceAll(' ', '_')).replace(
    /%(?:3A|2F|2C|3B|40)/g,
    decodeURIComponent,
  );
  return `${base}/wiki/${path}`;
}
