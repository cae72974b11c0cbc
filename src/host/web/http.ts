import * as dns from 'node:dns';
import { setMaxListeners } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';

import {
  isBadPort,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
  literalAddress,
} from './addresses';
import { receiveBody } from './body';
import {
  describeError,
  explainConnection,
  privateAddress,
  RefusedAddressError,
} from './connection-error';

/** Redirects followed before giving up. Five is what FETCH-like tools agree on; browsers allow 20, mostly for loops. */
const MAX_REDIRECTS = 5;
/** Bytes of response headers. Node's default is 16 KB; some sites send that much in cookies and policies alone. */
const MAX_HEADER_BYTES = 32 * 1024;
/** Interim answers (1xx) before the real one. Servers send one or two (103 Early Hints); each is parsed and costs time. */
const MAX_INTERIM_ANSWERS = 16;
/** Listeners of one signal: each of the calls that a round may hold (32) has two. */
const MAX_LISTENERS = 64;
/** Milliseconds until the headers of one hop: a site slower than this is down for a person who waits. */
const HEADER_TIMEOUT_MS = 10_000;
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

interface FetchRequest {
  url: string;
  /** The Accept header. */
  accept?: string;
  /** Byte cap, on the wire and after decompression. Default MAX_BODY_BYTES. */
  maxBytes?: number;
  /** A declared type whose body may be larger; one beyond this cap fails with `too-large`. */
  larger?: { isType: (contentType: string) => boolean; maxBytes: number };
  /** What to do at the cap: hand over what came (`cut: true`, the default) or fail with `too-large`. */
  onCap?: 'cut' | 'fail';
  /** Further headers, such as one with a key. A request that has them is not redirected to another origin. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST; without a body it is GET. A request that has one is not redirected to another origin. */
  body?: { text: string; contentType: string } | undefined;
}

export type FetchFailure =
  | 'refused' // private or reserved address, local name, user info, other scheme
  | 'timed-out'
  | 'too-large'
  | 'bad-url'
  | 'no-site' // DNS knows no such name
  | 'network' // DNS, connection, broken HTTP or compression
  | 'tls'
  | 'too-many-redirects'
  | 'aborted';

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

export interface FetcherOptions {
  /** Sent with every request; see `userAgent`. */
  userAgent: string;
  /** Languages a reader prefers, as an Accept-Language value. */
  acceptLanguage?: string;
  /** Which addresses may be connected to. Default: only public ones. */
  allowAddress?: (ip: string) => boolean;
  /**
   * For tests: `host:port` pairs (`127.0.0.1:8080`) that may be read although they are loopback.
   * Exact, so a redirect from one of them to another port of this machine is still refused.
   */
  allowLoopback?: readonly string[];
  /** The `host:port` of a server the person typed into the preferences: read wherever it is. Exact as well. */
  trusted?: readonly string[];
  /** Name resolution; default `dns.lookup` with all answers. */
  resolve?: (hostname: string) => Promise<{ address: string; family: number }[]>;
  /** For tests: certificates in PEM that are trusted instead of the system's. */
  ca?: string;
  headerTimeoutMs?: number;
  totalTimeoutMs?: number;
}

/**
 * The User-Agent of Lam.
 *
 * It says what it is. The `Mozilla/5.0 (compatible; …)` frame is the convention of named non-browser clients;
 * servers that only look for "Mozilla" serve it, and it claims to be no browser.
 */
export function userAgent(version: string): string {
  return `Mozilla/5.0 (compatible; Lam/${version}; extension of the Vicinae launcher)`;
}

/** The way one hop ended before a body: where to go next, or a failure, or the response to read. */
type Hop =
  | { kind: 'failed'; reason: FetchFailure; message: string }
  | { kind: 'redirect'; to: string; status: number }
  | { kind: 'response'; response: http.IncomingMessage };

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
  response: http.IncomingMessage,
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

/** One request, up to its headers. Ends at once when `signal` fires. */
function ask(
  url: URL,
  request: FetchRequest,
  options: FetcherOptions,
  signal: AbortSignal,
): Promise<Hop> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ kind: 'failed', ...reasonOf(signal, url) });
      return;
    }
    const outgoing = (url.protocol === 'https:' ? https : http).request({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: request.body === undefined ? 'GET' : 'POST',
      headers: {
        'User-Agent': options.userAgent,
        Accept: request.accept ?? '*/*',
        'Accept-Language': options.acceptLanguage ?? 'en;q=0.8, *;q=0.5',
        'Accept-Encoding': 'gzip, deflate, br',
        ...(request.body === undefined ? {} : { 'Content-Type': request.body.contentType }),
        ...request.headers,
      },
      agent: false, // one connection a request: nothing of one page's session reaches the next
      maxHeaderSize: MAX_HEADER_BYTES,
      ...tlsOptions(url, options),
      lookup: checkedLookup(url, options),
    });
    const headerTimer = setTimeout(() => {
      settle({
        kind: 'failed',
        reason: 'timed-out',
        message: `${url.host} did not answer in time.`,
      });
      outgoing.destroy();
    }, options.headerTimeoutMs ?? HEADER_TIMEOUT_MS);
    const onAbort = (): void => {
      settle({ kind: 'failed', ...reasonOf(signal, url) });
      outgoing.destroy();
    };
    const settle = (hop: Hop): void => {
      clearTimeout(headerTimer);
      // The body goes on listening to the same signal, so only the head's listener is taken off.
      signal.removeEventListener('abort', onAbort);
      resolve(hop);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim <= MAX_INTERIM_ANSWERS) return;
      settle({
        kind: 'failed',
        reason: 'network',
        message: `${url.host} sent interim answers without an end.`,
      });
      outgoing.destroy();
    });
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const location = response.headers.location;
      if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
        settle({ kind: 'redirect', to: utf8Header(location), status });
        response.on('error', ignore);
        outgoing.destroy();
        return;
      }
      settle({ kind: 'response', response });
    });
    // Stays on after the head: a socket error during the body arrives here as well, and unheard it would end the process.
    outgoing.on('error', (error) => {
      settle({ kind: 'failed', ...explainConnection(error, url) });
    });
    outgoing.on('upgrade', (_response, socket) => {
      settle({
        kind: 'failed',
        reason: 'network',
        message: `${url.host} answered with another protocol.`,
      });
      socket.destroy();
    });
    outgoing.end(request.body?.text);
  });
}

/** A trailing dot names the same host, but is not part of the name that TLS asks for (RFC 6066 section 3). */
function tlsOptions({ hostname }: URL, { ca }: FetcherOptions): https.RequestOptions {
  const named = hostname.endsWith('.') && literalAddress(hostname) === undefined;
  return {
    ...(named ? { servername: hostname.replace(/\.+$/, '') } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** The `lookup` hook of a connection: resolves, checks every answer, and hands on only what was checked. */
function checkedLookup(
  url: URL,
  options: FetcherOptions,
): NonNullable<http.RequestOptions['lookup']> {
  return (hostname, lookupOptions, callback) => {
    const resolve = options.resolve ?? resolveAll;
    resolve(hostname).then(
      (answers) => {
        const [first] = answers;
        const bad = answers.find(({ address }) => !mayConnect(address, url, options));
        if (bad !== undefined)
          callback(new RefusedAddressError(`${hostname} is at ${bad.address}`), '', 0);
        else if (first === undefined)
          callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        else if (lookupOptions.all === true) callback(null, answers);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '', 0);
      },
    );
  };
}

function resolveAll(hostname: string): Promise<dns.LookupAddress[]> {
  return dns.promises.lookup(hostname, { all: true });
}

function mayConnect(address: string, url: URL, options: FetcherOptions): boolean {
  if ((options.allowAddress ?? isPublicAddress)(address)) return true;
  const place = hostAndPort(url);
  if (options.trusted?.includes(place) === true) return true;
  return options.allowLoopback?.includes(place) === true && isLoopbackAddress(address);
}

/** Why an address may not even be asked for; nothing when it may. */
function refuse(url: URL, options: FetcherOptions): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `Only http and https addresses are read, not ${url.protocol} addresses.`;
  if (url.username !== '' || url.password !== '')
    return `The address of ${url.host} carries a user name or password; that is not sent.`;
  const place = hostAndPort(url);
  const trusted = options.trusted?.includes(place) === true;
  const literal = literalAddress(url.hostname);
  if (literal !== undefined && !mayConnect(literal, url, options)) return privateAddress(url.host);
  const exempt = trusted || options.allowLoopback?.includes(place) === true;
  if (isLocalName(url.hostname) && !exempt) return privateAddress(url.host);
  if (isBadPort(Number(url.port || '80')) && !trusted)
    return `Port ${url.port} of ${url.hostname} belongs to another service than the web and is not asked.`;
  return undefined;
}

/** `host:port` with the port always written, as `allowLoopback` and `trusted` want it. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}

function parseUrl(text: string, base?: URL): URL | undefined {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text, base?.href)) return undefined;
  return new URL(text, base?.href);
}

/** Node decodes headers as latin1; addresses in a Location are UTF-8 in practice, as in browsers. */
function utf8Header(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function failed(reason: FetchFailure, message: string): FetchResult {
  return { ok: false, reason, message };
}

function stopped(signal: AbortSignal, url: URL): FetchResult {
  return { ok: false, ...reasonOf(signal, url) };
}

function reasonOf(signal: AbortSignal, url: URL): { reason: FetchFailure; message: string } {
  return signal.reason === 'timed-out'
    ? { reason: 'timed-out', message: `${url.host} took too long.` }
    : { reason: 'aborted', message: 'The request was stopped.' };
}

function ignore(): void {
  // The connection is being closed on purpose.
}
