import * as z from 'zod/mini';

import type { SearchHit, SearchOutcome, SearchPort } from '../../../lib/types';
import { createFetcher, hostAndPort, type Fetcher } from '../http';
import { jsonReply, requestMessage, statusMessage } from './reply';
import { toHit, toOutcome } from './rows';

/** The preference by the name it has in the manifest. */
const REMEDY = "Check the SearXNG Address in Lam's preferences.";

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
});

export interface SearxngOptions {
  /** The address in the preferences; with or without scheme, path and final `/search`. */
  baseUrl: string;
  userAgent: string;
  /** Replaces the HTTP path in tests. Default: a fetcher that also reads this server on a private address, and nothing else there. */
  fetcher?: Fetcher;
}

/** Web search through a SearXNG server of the person's choice. */
export function createSearxngSearch(options: SearxngOptions): SearchPort {
  const base = parseBase(options.baseUrl);
  if (base === undefined) {
    const message = 'the SearXNG Address is not an http address';
    return Object.assign(() => Promise.resolve({ ok: false as const, message }), {
      remedy: REMEDY,
    });
  }
  const service = `SearXNG at ${base.host}`;
  const fetcher =
    options.fetcher ??
    createFetcher({ userAgent: options.userAgent, trusted: [hostAndPort(base)] });
  const search = async (query: string, signal: AbortSignal): Promise<SearchOutcome> => {
    const url = new URL('search', base);
    url.searchParams.set('q', query);
    url.searchParams.set('format', 'json');
    const result = await fetcher(
      { url: url.href, accept: 'application/json', onCap: 'fail' },
      signal,
    );
    if (!result.ok) return { ok: false, message: requestMessage(result, service, base.host) };
    if (result.status === 403)
      return {
        ok: false,
        message: `${service} does not allow JSON; enable \`json\` under search.formats in its settings.yml`,
      };
    if (result.status < 200 || result.status >= 300)
      return { ok: false, message: statusMessage(result.status, service) };
    const reply = jsonReply(result, service);
    return reply.ok ? readReply(reply.value, service) : reply;
  };
  return Object.assign(search, { remedy: REMEDY });
}

function readReply(value: unknown, service: string): SearchOutcome {
  const reply = ReplySchema.safeParse(value);
  if (!reply.success) return { ok: false, message: `${service} sent no list of results` };
  const { results, unresponsive_engines: unresponsive = [] } = reply.data;
  const hits = results.flatMap((row): SearchHit[] => {
    const parsed = RowSchema.safeParse(row);
    if (!parsed.success) return [];
    const { title, url, content } = parsed.data;
    return [toHit(title, url ?? '', content ?? '')];
  });
  const outcome = toOutcome(hits);
  if (!outcome.ok || outcome.hits.length > 0) return outcome;
  if (results.length > 0)
    return { ok: false, message: `${service} sent results that cannot be read` };
  // With every engine blocked, SearXNG answers 200 and an empty list: that is a failure, not "nothing found".
  if (unresponsive.length > 0)
    return {
      ok: false,
      message: `the engines behind ${service} did not answer (${engineList(unresponsive)})`,
    };
  return outcome;
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
