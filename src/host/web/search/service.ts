import type { Fetcher } from '../http';
import { jsonReply, parseJson, requestMessage, statusMessage, textOf, type Reply } from './reply';

/** What every search service needs of its surroundings. */
export interface ServiceOptions {
  fetcher: Fetcher;
  /** Milliseconds since 1970; for dates in requests and answers. */
  now: () => number;
  /** Where the service stands, without a final slash; for tests. */
  baseUrl?: string | undefined;
}

/** A search service that speaks JSON over HTTP, as far as it goes beyond its rows. */
export interface Service {
  /** In sentences. */
  name: string;
  /** The person's key, kept out of every sentence, and the preference that holds it. */
  key?: { value: string; title: string } | undefined;
  /** What a status means to this service only (`body` = its JSON, if it is JSON); nothing = what it means everywhere. */
  explain?: (status: number, body: unknown) => string | undefined;
  /** The service's own words about a failure, where its JSON has them. */
  detail?: (body: unknown) => string | undefined;
}

interface ServiceRequest {
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON with POST; absent = GET. */
  json?: unknown;
}

/** Asks a service and reads its JSON, or says in one sentence why there is none. Never rejects. */
export async function askService(
  service: Service,
  { url, headers, json }: ServiceRequest,
  { fetcher, now }: ServiceOptions,
  signal: AbortSignal,
): Promise<Reply> {
  const { name, key } = service;
  if (key !== undefined && !isSendable(key.value))
    return fail(`the ${key.title} holds characters that no key has; copy it once more`);
  const result = await fetcher(
    {
      url: url.href,
      accept: 'application/json',
      onCap: 'fail',
      headers,
      ...(json === undefined
        ? {}
        : { body: { text: JSON.stringify(json), contentType: 'application/json' } }),
    },
    signal,
  );
  if (!result.ok) {
    const failure = fail(requestMessage(result, name, url.host));
    return result.reason === 'no-site' ? { ...failure, isNoSite: true } : failure;
  }
  if (result.status >= 200 && result.status < 300) return jsonReply(result, name);
  const body = parseJson(textOf(result));
  const own = service.explain?.(result.status, body) ?? keyMessage(result.status, service);
  if (own !== undefined) return fail(own);
  const general = statusMessage(result.status, name, result.headers['retry-after'], now());
  const secrets = [...(key === undefined ? [] : [key.value]), ...Object.values(headers ?? {})];
  const detail = result.status >= 500 ? '' : plainDetail(service.detail?.(body) ?? '', secrets);
  return fail(detail === '' ? general : `${general} (${detail})`);
}

/** Statuses of services that sell searches by key. */
function keyMessage(status: number, { name, key }: Service): string | undefined {
  if (key === undefined) return undefined;
  if (status === 401) return `${name} does not accept the ${key.title} of the preferences`;
  if (status === 403)
    return `${name} does not accept the ${key.title} of the preferences for this search`;
  return status === 402 ? usedUp(name, key.title) : undefined;
}

/** The sentence about a plan that is used up. */
export function usedUp(name: string, keyTitle: string): string {
  return `${name} says that the plan or the credits behind the ${keyTitle} are used up`;
}

/** Code points of a service's own words in a message. */
const MAX_DETAIL = 160;

function plainDetail(words: string, secrets: readonly string[]): string {
  const text = words.replace(/\s+/gu, ' ').trim();
  if (secrets.some((secret) => repeats(text, secret))) return '';
  return Array.from(text).slice(0, MAX_DETAIL).join('').replace(/\.$/u, '');
}

/** Characters that a text may have in common with a key. Servers echo keys with the middle blanked out. */
const MAX_SHARED = 5;

/** True when a text holds a part of a key. May be wrong in the safe direction: then a text is left out for nothing. */
function repeats(text: string, key: string): boolean {
  if (key.length <= MAX_SHARED) return text.includes(key);
  for (let start = 0; start + MAX_SHARED < key.length; start += 1)
    if (text.includes(key.slice(start, start + MAX_SHARED + 1))) return true;
  return false;
}

/** What a header's value may hold and a key does: visible ASCII. */
function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

function fail(message: string): Extract<Reply, { ok: false }> {
  return { ok: false, message };
}

/** Where a service stands: the address of its own, or the one a test puts in its place. */
export function serviceUrl(path: string, own: string, baseUrl: string | undefined): URL {
  return new URL(path, `${baseUrl ?? own}/`);
}
