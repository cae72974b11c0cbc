import * as z from 'zod/mini';

import type { SearchHit, SearchPort } from '../../../lib/types';
import { MAX_HITS, readRows, toHit } from './rows';
import { askService, serviceUrl, usedUp, type Service, type ServiceOptions } from './service';

const NAME = 'Tavily';
const KEY_TITLE = 'Tavily Key';

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const ReplySchema = z.object({ results: z.array(z.unknown()) });

const RowSchema = z.object({
  title: z.nullish(z.string()),
  url: z.nullish(z.string()),
  content: z.nullish(z.string()),
  published_date: z.nullish(z.string()),
});

const ErrorSchema = z.object({
  detail: z.union([
    z.string(),
    z.pipe(
      z.object({ error: z.string() }),
      z.transform(({ error }) => error),
    ),
  ]),
});

export interface TavilyOptions extends ServiceOptions {
  key: string;
}

/** Web search with a key of Tavily. It has no parameter for the language. */
export function createTavilySearch(options: TavilyOptions): SearchPort {
  const service: Service = {
    name: NAME,
    key: { value: options.key, title: KEY_TITLE },
    // Tavily's own codes: 432 the limit of the key or its plan, 433 that of pay-as-you-go.
    explain: (status) => (status === 432 || status === 433 ? usedUp(NAME, KEY_TITLE) : undefined),
    detail: (body) => ErrorSchema.safeParse(body).data?.detail,
  };
  return async (query, signal, asked = {}) => {
    const url = serviceUrl('search', 'https://api.tavily.com', options.baseUrl);
    const json = {
      query,
      max_results: asked.count ?? MAX_HITS,
      include_domains: asked.site === undefined ? undefined : [asked.site],
      time_range: asked.freshness,
    };
    const headers = { Authorization: `Bearer ${options.key}` };
    const reply = await askService(service, { url, headers, json }, options, signal);
    if (!reply.ok) return reply;
    const parsed = ReplySchema.safeParse(reply.value);
    if (!parsed.success) return { ok: false, message: `${NAME} sent no list of results` };
    return readRows(parsed.data.results, readRow, { service: NAME, options: asked });
  };
}

function readRow(row: unknown): SearchHit | undefined {
  const parsed = RowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { title, url, content, published_date } = parsed.data;
  return toHit(title ?? '', url ?? '', content ?? '', published_date);
}
