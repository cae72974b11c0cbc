import * as http from 'node:http';
import * as https from 'node:https';

import { literalAddress } from '../addresses';
import { explainConnection } from '../connection-error';
import { checkedLookup } from './reach';
import type { FetcherOptions, FetchFailure, FetchRequest } from './request';

/** Bytes of response headers. Node's default is 16 KB; some sites send that much in cookies and policies alone. */
const MAX_HEADER_BYTES = 32 * 1024;
/** Interim answers (1xx) before the real one. Servers send one or two (103 Early Hints); each is parsed and costs time. */
const MAX_INTERIM_ANSWERS = 16;
/** Milliseconds until the headers of one hop: a site slower than this is down for a person who waits. */
const HEADER_TIMEOUT_MS = 10_000;

/** The way one hop ended before a body: where to go next, or a failure, or the response to read. */
type Hop =
  | { kind: 'failed'; reason: FetchFailure; message: string }
  | { kind: 'redirect'; to: string; status: number }
  | { kind: 'response'; response: http.IncomingMessage };

/** One request, up to its headers. Ends at once when `signal` fires. */
export function ask(
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

/** Node decodes headers as latin1; addresses in a Location are UTF-8 in practice, as in browsers. */
function utf8Header(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

export function reasonOf(signal: AbortSignal, url: URL): { reason: FetchFailure; message: string } {
  return signal.reason === 'timed-out'
    ? { reason: 'timed-out', message: `${url.host} took too long.` }
    : { reason: 'aborted', message: 'The request was stopped.' };
}

function ignore(): void {
  // The connection is being closed on purpose.
}
