import * as z from 'zod/mini';

import type { SearchFreshness, SearchHit, SearchPort } from '../../../lib/types';
import { braveLocale, type Locale } from './language';
import { queryWithSite } from './query';
import { decodeEntities, MAX_HITS, readRows, toHit } from './rows';
import { askService, serviceUrl, usedUp, type Service, type ServiceOptions } from './service';

const NAME = 'Brave';
const KEY_TITLE = 'Brave Key';
/** What Brave takes of a query; more is answered with HTTP 422. */
const LIMITS = { chars: 400, words: 50 };

const FRESHNESS: Record<SearchFreshness, string> = {
  day: 'pd',
  week: 'pw',
  month: 'pm',
  year: 'py',
};

/**
 * https://api-dashboard.search.brave.com/documentation (Web Search). Without a result for the web, `web` is missing from a
 * reply of type `search`.
 */
const ReplySchema = z.union([
  z.object({ web: z.object({ results: z.array(z.unknown()) }) }),
  z.object({ type: z.literal('search'), web: z.nullish(z.undefined()) }),
]);

const RowSchema = z.object({
  title: z.string(),
  url: z.nullish(z.string()),
  description: z.nullish(z.string()),
  /** ISO, without a zone. */
  page_age: z.nullish(z.string()),
  /** `2 days ago`. */
  age: z.nullish(z.string()),
});

const ErrorSchema = z.object({
  error: z.object({
    code: z.optional(z.string()),
    detail: z.optional(z.string()),
    meta: z.optional(
      z.object({ quota_limit: z.optional(z.number()), quota_current: z.optional(z.number()) }),
    ),
  }),
});

export interface BraveOptions extends ServiceOptions {
  key: string;
  locale: Locale;
}

/** Web search with a key of the Brave Search API. */
export function createBraveSearch(options: BraveOptions): SearchPort {
  const service: Service = {
    name: NAME,
    key: { value: options.key, title: KEY_TITLE },
    explain,
    detail: (body) => ErrorSchema.safeParse(body).data?.error.detail,
  };
  return async (query, signal, asked = {}) => {
    const url = serviceUrl('res/v1/web/search', 'https://api.search.brave.com', options.baseUrl);
    const parameters = {
      q: queryWithSite(query, asked, LIMITS),
      count: String(asked.count ?? MAX_HITS),
      ...braveLocale(options.locale),
      result_filter: 'web',
      text_decorations: 'false',
      ...(asked.freshness === undefined ? {} : { freshness: FRESHNESS[asked.freshness] }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const headers = { 'X-Subscription-Token': options.key };
    const reply = await askService(service, { url, headers }, options, signal);
    if (!reply.ok) return reply;
    const parsed = ReplySchema.safeParse(reply.value);
    if (!parsed.success) return { ok: false, message: `${NAME} sent no list of results` };
    return readRows(parsed.data.web?.results ?? [], readRow, { service: NAME, options: asked });
  };
}

function readRow(row: unknown): SearchHit | undefined {
  const parsed = RowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { title, url, description, page_age, age } = parsed.data;
  return toHit(plain(title), url ?? '', plain(description ?? ''), page_age ?? age);
}

/** Brave's texts are HTML in which only the marking of found words is a tag. */
function plain(text: string): string {
  return decodeEntities(text.replace(/<\/?strong>/gi, ''));
}

/** A wrong key is HTTP 422 here; HTTP 429 is both "too fast" and "month used up". */
function explain(status: number, body: unknown): string | undefined {
  const error = ErrorSchema.safeParse(body).data?.error;
  if (error?.code?.startsWith('SUBSCRIPTION_TOKEN_') === true)
    return `${NAME} does not accept the ${KEY_TITLE} of the preferences`;
  const { quota_limit: limit = 0, quota_current: current = 0 } = error?.meta ?? {};
  if (status === 429 && (error?.code === 'QUOTA_LIMITED' || (limit > 0 && current >= limit)))
    return usedUp(NAME, KEY_TITLE);
  return undefined;
}
