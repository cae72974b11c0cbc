import * as z from 'zod/mini';

import type { SearchHit, SearchOptions, SearchOutcome, SearchPort } from '../../../lib/types';
import { createFetcher, hostAndPort, type Fetcher } from '../http';
import { queryWithSite } from './query';
import { readRows, toHit } from './rows';
import { askService, type Service } from './service';

/** SearXNG's JSON format (searx/webutils.py, get_json_response). Rows are checked one by one. */
const ReplySchema = z.object({
  results: z.array(z.unknown()),
  /** Pairs of engine name and reason. */
  unresponsive_engines: z.optional(z.array(z.unknown())),
});

const RowSchema = z.object({
  title: z.string(),
  url: z.nullish(z.string()),
  content: z.nullish(z.string()),
  publishedDate: z.nullish(z.string()),
});

export interface SearxngOptions {
  /** The address in the preferences; with or without scheme, path and final `/search`. */
  baseUrl: string;
  userAgent: string;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Asked for in place of the server's own setting; a language tag. */
  language?: string | undefined;
  /** What the server is told of the person's languages, as an Accept-Language value. */
  acceptLanguage?: string | undefined;
  /** Replaces the HTTP path in tests. Default: a fetcher that also reads this server on a private address, and nothing else there. */
  fetcher?: Fetcher;
}

/** Web search through a SearXNG server of the person's choice. */
export function createSearxngSearch(options: SearxngOptions): SearchPort {
  const base = parseBase(options.baseUrl);
  if (base === undefined) {
    const message = 'the SearXNG Address is not an http address';
    return () => Promise.resolve({ ok: false, message });
  }
  const name = `SearXNG at ${base.host}`;
  const { userAgent, acceptLanguage, now } = options;
  const fetcher =
    options.fetcher ??
    createFetcher({
      userAgent,
      trusted: [hostAndPort(base)],
      ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    });
  const explain: Service['explain'] = (status) =>
    status === 403
      ? `${name} does not allow JSON; enable \`json\` under search.formats in its settings.yml`
      : undefined;
  return async (query, signal, asked = {}) => {
    const url = new URL('search', base);
    const parameters = {
      q: queryWithSite(query, asked, { chars: Infinity }),
      format: 'json',
      ...(options.language === undefined ? {} : { language: options.language }),
      ...(asked.freshness === undefined ? {} : { time_range: asked.freshness }),
    };
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
    const reply = await askService({ name, explain }, { url }, { fetcher, now }, signal);
    return reply.ok ? readReply(reply.value, name, asked) : reply;
  };
}

function readReply(value: unknown, service: string, options: SearchOptions): SearchOutcome {
  const reply = ReplySchema.safeParse(value);
  if (!reply.success) return { ok: false, message: `${service} sent no list of results` };
  const { results, unresponsive_engines: unresponsive = [] } = reply.data;
  // With every engine blocked, SearXNG answers 200 and an empty list: that is a failure, not "nothing found".
  if (results.length === 0 && unresponsive.length > 0)
    return {
      ok: false,
      message: `the engines behind ${service} did not answer (${engineList(unresponsive)})`,
    };
  return readRows(results, readRow, { service, options });
}

function readRow(row: unknown): SearchHit | undefined {
  const parsed = RowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { title, url, content, publishedDate } = parsed.data;
  return toHit(title, url ?? '', content ?? '', publishedDate);
}

function engineList(rows: unknown[]): string {
  const names = rows.flatMap((row) => {
    const parsed = z.array(z.string()).safeParse(row);
    const words = parsed.success ? parsed.data.slice(0, 2).map((word) => word.slice(0, 60)) : [];
    return words.length === 0 ? [] : [words.join(': ')];
  });
  return names.slice(0, 4).join(', ') || `${rows.length} engines`;
}

function parseBase(text: string): URL | undefined {
  const trimmed = text.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (trimmed === '' || !URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.search = '';
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/(?:search\/?)?$/, '')}/`;
  return url;
}
