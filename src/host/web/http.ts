import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';

import { receiveBody } from './body';
import { describeError } from './connection-error';
import { ask, reasonOf } from './http/hop';
import { refuse } from './http/reach';
import type { FetcherOptions, FetchFailure, FetchRequest } from './http/request';

export { hostAndPort } from './http/reach';
export type { FetcherOptions, FetchFailure } from './http/request';

/** Redirects followed before giving up. Five is what FETCH-like tools agree on; browsers allow 20, mostly for loops. */
const MAX_REDIRECTS = 5;
/** Listeners of one signal: each of the calls that a round may hold (32) has two. */
const MAX_LISTENERS = 64;
/** Milliseconds for all hops and the body together; also what ends a server that drips one byte at a time. */
const TOTAL_TIMEOUT_MS = 20_000;
/** Bytes of one body, on the wire and again after decompression. What the page reader can take in half a second. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Characters of an address. Longer ones carry data, not a place; most servers refuse them as well. */
const MAX_URL_CHARS = 8_000;

/** The response headers that later decisions need; nothing else of a response's head is kept. */
const KEPT_HEADERS = [
  'content-type',
  'content-language',
  'retry-after',
  'server',
  // The marks of Cloudflare, DataDome and AWS for "this is a challenge page, not the site".
  'cf-mitigated',
  'x-datadome',
  'x-amzn-waf-action',
] as const;

export type FetchResult =
  | {
      ok: true;
      status: number;
      /** The address that answered. */
      url: string;
      /** Every address asked, in order; the first is the one given, the last is `url`. */
      hops: string[];
      headers: Partial<Record<(typeof KEPT_HEADERS)[number], string>>;
      /** The declared type, lower-cased and without parameters; empty when none was declared. */
      contentType: string;
      /** The body, decompressed. */
      bytes: Uint8Array;
      /** True when the cap or a broken connection ended the body before its end. */
      cut: boolean;
    }
  | { ok: false; reason: FetchFailure; message: string };

/** Contract: never rejects; ends within 100 ms of an abort. `message` is one sentence without the query of the address. */
export type Fetcher = (request: FetchRequest, signal: AbortSignal) => Promise<FetchResult>;

/**
 * The User-Agent of Lam.
 *
 * It says what it is. The `Mozilla/5.0 (compatible; …)` frame is the convention of named non-browser clients;
 * servers that only look for "Mozilla" serve it, and it claims to be no browser.
 */
export function userAgent(version: string): string {
  return `Mozilla/5.0 (compatible; Lam/${version}; extension of the Vicinae launcher)`;
}

/**
 * An HTTP reader that cannot be talked into reading this machine or its network.
 *
 * Every hop is checked before connecting: scheme, user info, local names, port, and every address of the DNS answer;
 * the connection goes to an address that was checked. No cookies, no referrer, no connection is reused.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  return async (request, signal) => {
    const control = new AbortController();
    const timer = setTimeout(() => {
      control.abort('timed-out');
    }, options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
    const onAbort = (): void => {
      control.abort('aborted');
    };
    // All calls of a turn listen to its one signal; Node would take more than ten of them for a leak.
    setMaxListeners(MAX_LISTENERS, signal);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await follow(request, options, control.signal);
    } catch (error) {
      // Nothing below is known to throw; a promise that never rejects must not depend on that.
      return failed('network', `The request failed: ${describeError(error)}.`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      control.abort('aborted'); // closes what is left of a connection
    }
  };
}

async function follow(
  request: FetchRequest,
  options: FetcherOptions,
  signal: AbortSignal,
): Promise<FetchResult> {
  const hops: string[] = [];
  let asked = request;
  let from: URL | undefined;
  let current = parseUrl(request.url);
  if (current === undefined)
    return failed('bad-url', 'This is not an address of a web page (http:// or https://).');
  for (;;) {
    const refusal = refuse(current, options);
    if (refusal !== undefined) return failed('refused', way(from, refusal));
    hops.push(current.href);
    const hop = await ask(current, asked, options, signal);
    if (hop.kind === 'failed')
      return failed(hop.reason, hop.reason === 'refused' ? way(from, hop.message) : hop.message);
    if (hop.kind === 'response') return await read(hop.response, current, hops, request, signal);
    if (hops.length > MAX_REDIRECTS)
      return failed(
        'too-many-redirects',
        new Set(hops).size < hops.length
          ? `${current.host} redirects in a circle; it may want cookies, which Lam does not keep.`
          : `${current.host} redirected more than ${MAX_REDIRECTS} times.`,
      );
    const next = parseUrl(hop.to, current);
    if (next === undefined)
      return failed('bad-url', `${current.host} redirected to an address that cannot be read.`);
    if (next.hash === '') next.hash = current.hash;
    const going = redirected(asked, hop.status, next.origin === current.origin);
    if (going === undefined)
      return failed(
        'refused',
        `${current.host} redirected the request to ${next.origin}; it was not sent there.`,
      );
    asked = going;
    from = current;
    current = next;
  }
}

/** A refusal with the host that led there, which is the only one of the two that the reader has heard of. */
function way(from: URL | undefined, refusal: string): string {
  return from === undefined
    ? refusal
    : `${from.host} redirects elsewhere: ${refusal.charAt(0).toLowerCase()}${refusal.slice(1)}`;
}

/**
 * The request as a redirect takes it on: only 307 and 308 keep a body, the others turn POST into GET
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch). Nothing = what it carries was meant for one origin only, and without
 * it the answer would be about another request.
 */
function redirected(
  request: FetchRequest,
  status: number,
  sameOrigin: boolean,
): FetchRequest | undefined {
  if (!sameOrigin && (request.body !== undefined || request.headers !== undefined))
    return undefined;
  return status === 307 || status === 308 ? request : { ...request, body: undefined };
}

async function read(
  response: IncomingMessage,
  url: URL,
  hops: string[],
  request: FetchRequest,
  signal: AbortSignal,
): Promise<FetchResult> {
  const contentType = typeOf(response.headers['content-type'] ?? '');
  const larger = request.larger?.isType(contentType) === true ? request.larger : undefined;
  const maxBytes = larger?.maxBytes ?? request.maxBytes ?? MAX_BODY_BYTES;
  const mayBeCut = larger === undefined && request.onCap !== 'fail';
  const body = await receiveBody(response, maxBytes, signal);
  if (signal.aborted) return stopped(signal, url);
  if (!body.ok) return failed('network', `${url.host} sent a broken answer: ${body.message}.`);
  if (body.end === 'cap' && !mayBeCut)
    return failed('too-large', `The answer of ${url.host} is too large.`);
  if (body.end === 'broken' && !mayBeCut)
    return failed('network', `The connection to ${url.host} ended in the middle of the answer.`);
  const headers: Partial<Record<(typeof KEPT_HEADERS)[number], string>> = {};
  for (const name of KEPT_HEADERS) {
    const value = response.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return {
    ok: true,
    status: response.statusCode ?? 0,
    url: url.href,
    hops,
    headers,
    contentType,
    bytes: body.bytes,
    cut: body.end !== 'complete',
  };
}

/** The type of a Content-Type value, lower-cased and without parameters. */
function typeOf(value: string): string {
  const [type = ''] = value.split(';');
  return type.trim().toLowerCase();
}

function parseUrl(text: string, base?: URL): URL | undefined {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text, base?.href)) return undefined;
  return new URL(text, base?.href);
}

function failed(reason: FetchFailure, message: string): FetchResult {
  return { ok: false, reason, message };
}

function stopped(signal: AbortSignal, url: URL): FetchResult {
  return { ok: false, ...reasonOf(signal, url) };
}
