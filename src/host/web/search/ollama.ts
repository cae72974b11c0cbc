import * as z from 'zod/mini';

import type { SearchHit, SearchPort } from '../../../lib/types';
import { MAX_HITS, readRows, toHit } from './rows';
import { askService, serviceUrl, type Service, type ServiceOptions } from './service';

/** https://docs.ollama.com/capabilities/web-search */
const ReplySchema = z.object({ results: z.array(z.unknown()) });

const RowSchema = z.object({
  title: z.nullish(z.string()),
  url: z.nullish(z.string()),
  content: z.nullish(z.string()),
});

const ErrorSchema = z.object({ error: z.string() });

const detail: Service['detail'] = (body) => ErrorSchema.safeParse(body).data?.error;

/** Ollama's search finds neither within a site nor by date. */
const LACKS = ['site', 'freshness'] as const;

export interface OllamaSearchOptions extends ServiceOptions {
  key: string;
  /** The preference that holds the key. */
  keyTitle: string;
}

/** Web search at ollama.com with a key of an Ollama account. */
export function createOllamaSearch(options: OllamaSearchOptions): SearchPort {
  const key = { value: options.key, title: options.keyTitle };
  return portOf(
    { name: 'Ollama', key, detail },
    serviceUrl('api/web_search', 'https://ollama.com', options.baseUrl),
    { Authorization: `Bearer ${options.key}` },
    options,
  );
}

export interface LocalOllamaOptions extends Omit<ServiceOptions, 'baseUrl'> {
  /** Base address of the Ollama server, without a final slash. `fetcher` must be allowed to ask it. */
  baseUrl: string;
  /** The API Key of the preferences as it is sent, if there is one. */
  apiKey?: string;
  /** The value of its Authorization header, if it wants one. */
  authorization?: string | undefined;
}

/**
 * Web search through an Ollama server, which signs the question with the account that is signed in there and passes it on
 * to ollama.com (ollama/ollama, server/cloud_proxy.go).
 */
export function createLocalOllamaSearch(options: LocalOllamaOptions): SearchPort {
  const { apiKey = '', authorization, baseUrl } = options;
  const key = apiKey === '' ? undefined : { value: apiKey, title: 'API Key' };
  const url = serviceUrl('api/experimental/web_search', baseUrl, undefined);
  const name = `Ollama at ${url.host}`;
  const explain: Service['explain'] = (status) => {
    if (status === 401)
      return key === undefined
        ? `${name} is not signed in; run \`ollama signin\` there`
        : `${name} does not accept the ${key.title} of the preferences, or is not signed in (\`ollama signin\`)`;
    if (status === 403) return `${name} has its cloud features turned off`;
    return status === 404 || status === 405 || status === 501
      ? `${name} cannot search the web; a newer Ollama can`
      : undefined;
  };
  const headers: Record<string, string> =
    authorization === undefined ? {} : { Authorization: authorization };
  return portOf({ name, key, explain, detail }, url, headers, options);
}

function portOf(
  service: Service,
  url: URL,
  headers: Record<string, string>,
  options: ServiceOptions,
): SearchPort {
  const { name } = service;
  return async (query, signal, asked = {}) => {
    const json = { query, max_results: asked.count ?? MAX_HITS };
    const reply = await askService(service, { url, headers, json }, options, signal);
    if (!reply.ok) return reply;
    const parsed = ReplySchema.safeParse(reply.value);
    if (!parsed.success) return { ok: false, message: `${name} sent no list of results` };
    const rows = { service: name, options: asked, lacks: LACKS };
    return readRows(parsed.data.results, readRow, rows);
  };
}

function readRow(row: unknown): SearchHit | undefined {
  const parsed = RowSchema.safeParse(row);
  if (!parsed.success) return undefined;
  const { title, url, content } = parsed.data;
  return toHit(title ?? '', url ?? '', content ?? '');
}
