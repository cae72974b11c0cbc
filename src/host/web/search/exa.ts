import * as z from 'zod/mini';

import type { SearchFreshness, SearchHit, SearchPort } from '../../../lib/types';
import type { Locale } from './language';
import { MAX_HITS, readRows, toHit } from './rows';
import { askService, serviceUrl, type Service, type ServiceOptions } from './service';

const NAME = 'Exa';
const KEY_TITLE = 'Exa Key';

const DAY_MS = 24 * 60 * 60_000;
/** Exa knows dates only. A month and a year at their longest, so that nothing of them is missed. */
const AGE_DAYS: Record<SearchFreshness, number> = { day: 1, week: 7, month: 31, year: 366 };

/** https://exa.ai/docs/reference/search */
const ReplySchema = z.object({ results: z.array(z.unknown()) });

const RowSchema = z.object({
  title: z.nullish(z.string()),
  url: z.nullish(z.string()),
  publishedDate: z.nullish(z.string()),
  highlights: z.nullish(z.array(z.string())),
  text: z.nullish(z.string()),
});

/** https://exa.ai/docs/reference/error-codes */
const ErrorSchema = z.object({ error: z.string() });

export interface ExaOptions extends ServiceOptions {
  key: string;
  locale: Locale;
}

/** Web search with a key of Exa. */
export function createExaSearch(options: ExaOptions): SearchPort {
  const service: Service = {
    name: NAME,
    key: { value: options.key, title: KEY_TITLE },
    detail: (body) => ErrorSchema.safeParse(body).data?.error,
  };
  return async (query, signal, asked = {}) => {
    const { site, freshness, count } = asked;
    const url = serviceUrl('search', 'https://api.exa.ai', options.baseUrl);
    const json = {
      query,
      numResults: count ?? MAX_HITS,
      includeDomains: site === undefined ? undefined : [site],
      startPublishedDate:
        freshness === undefined
          ? undefined
          : new Date(options.now() - AGE_DAYS[freshness] * DAY_MS).toISOString(),
      userLocation: options.locale.region,
      // Without contents a row is a title and an address.
      contents: { highlights: true },
    };
    const headers = { 'x-api-key': options.key };
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
  const { title, url, publishedDate, highlights, text } = parsed.data;
  const found = highlights?.join(' … ') ?? '';
  return toHit(title ?? '', url ?? '', found === '' ? (text ?? '') : found, publishedDate);
}
