import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import type { Timers } from './timers';

/**
 * Milliseconds for name look-up, TCP and TLS together. A server that runs answers within one; ten allow for a VPN waking up.
 *
 * @internal Exported for tests.
 */
export const CONNECT_MS = 10_000;

/**
 * Milliseconds for one address of a host that has several (IPv6, IPv4). Node's own 250 make connections over slow
 * links fail with ETIMEDOUT although the host is there.
 */
const ADDRESS_ATTEMPT_MS = 2_500;

/** Bytes of an error answer's body that are read. The sentence in it is short; a web page need not be read to its end. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * Milliseconds for reading an error answer's body.
 *
 * @internal Exported for tests.
 */
export const ERROR_BODY_MS = 5_000;

/** Why there was no answer, or why it ended before its end. */
export type Problem =
  | { type: 'refused' | 'dns' | 'not-http' | 'unusable-key' | 'cut' | 'aborted' }
  | { type: 'unreachable' | 'tls' | 'certificate'; detail: string }
  | { type: 'connect-timeout' | 'silent'; ms: number };

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
}

export interface ExchangeOptions {
  signal: AbortSignal;
  timers: Timers;
  /** Milliseconds without a byte before the exchange is given up; asked again before each wait. */
  idleMs: () => number;
  /** Resolves names; default: the system's resolver. */
  lookup?: LookupFunction;
}

/** An answer whose headers have arrived. Whoever gets one must call `close`. */
export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  /** The body, decompressed. Ends after the last byte; what ended it is `problem()`. Never throws. */
  body: AsyncIterable<Uint8Array>;
  /** Undefined after a proper end. */
  problem(): Problem | undefined;
  /** Ends the exchange and closes its socket. */
  close(): void;
}

export type ExchangeOutcome = { ok: true; answer: Answer } | { ok: false; problem: Problem };

/**
 * One HTTP exchange on a socket of its own. Never rejects. An abort resolves at once and destroys the socket, whether it
 * comes during the name look-up, before the headers or while the body is silent.
 *
 * On node:http and not on fetch: the time limits of fetch (300 s for headers and between bytes) cannot be set without
 * another copy of undici, and it would follow redirects with the key in its hand.
 */
export function exchange(
  { method, url, headers, body }: ExchangeRequest,
  { signal, timers, idleMs, lookup }: ExchangeOptions,
): Promise<ExchangeOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ ok: false, problem: { type: 'aborted' } });
      return;
    }
    let ended: Problem | undefined;
    let stopTimer = () => {};

    const finish = (problem: Problem) => {
      ended ??= problem;
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      request?.destroy();
      resolve({ ok: false, problem: ended });
    };
    const onAbort = () => {
      finish({ type: 'aborted' });
    };
    const pause = () => {
      stopTimer();
    };
    const watch = () => {
      stopTimer();
      const ms = idleMs();
      stopTimer = timers.after(ms, () => {
        finish({ type: 'silent', ms });
      });
    };

    const secure = url.startsWith('https:');
    const options: RequestOptions & { autoSelectFamilyAttemptTimeout: number } = {
      method,
      headers: {
        'accept-encoding': 'identity',
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      // No pool: a kept-alive socket that the server has just closed looks like a cut answer.
      agent: false,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      ...(lookup ? { lookup } : {}),
    };
    let request: ReturnType<typeof requestHttp> | undefined;
    try {
      request = (secure ? requestHttps : requestHttp)(url, options);
    } catch (error) {
      // Only a header that cannot be sent throws here, and only the key comes from a person.
      finish(codeOf(error) === 'ERR_INVALID_CHAR' ? { type: 'unusable-key' } : problemOf(error));
      return;
    }

    signal.addEventListener('abort', onAbort, { once: true });
    stopTimer = timers.after(CONNECT_MS, () => {
      finish({ type: 'connect-timeout', ms: CONNECT_MS });
    });
    request.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', watch);
    });
    request.on('error', (error) => {
      finish(problemOf(error));
    });
    request.on('response', (response) => {
      watch();
      response.on('error', () => {}); // reported by whoever reads the body; without readers it is of no interest
      const stream = decompressed(response);
      resolve({
        ok: true,
        answer: {
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: bytesOf(stream, { pause, resume: watch }, (problem) => (ended ??= problem)),
          problem: () => ended,
          close() {
            finish({ type: 'aborted' });
          },
        },
      });
    });
    request.end(body);
  });
}

/** The clock stands still while the reader is busy with a chunk: a slow reader is not a silent server. */
async function* bytesOf(
  stream: Readable,
  clock: { pause: () => void; resume: () => void },
  end: (problem: Problem) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) {
      clock.pause();
      if (chunk instanceof Uint8Array) yield chunk;
      clock.resume();
    }
    clock.pause();
  } catch {
    // Destroyed by us (then the reason is already known), or by the other side.
    end({ type: 'cut' });
  }
}

/** We ask for no compression; a proxy may compress all the same. */
function decompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined;
  if (!decoder) return response;
  // Errors of either side surface in whoever reads the decoder.
  pipeline(response, decoder, () => {});
  return decoder;
}

export interface BodyText {
  text: string;
  /** Why the text may be incomplete; absent after a proper end and when `maxBytes` were read. */
  problem?: Problem;
}

/** Reads a body that is not a stream as text, up to `maxBytes` and `ms` milliseconds, and closes the answer. Never rejects. */
export async function readBody(
  answer: Answer,
  timers: Timers,
  { maxBytes = MAX_ERROR_BODY_BYTES, ms = ERROR_BODY_MS } = {},
): Promise<BodyText> {
  const reading = { late: false };
  const stopTimer = timers.after(ms, () => {
    reading.late = true;
    answer.close();
  });
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes >= maxBytes) break;
  }
  stopTimer();
  const problem: Problem | undefined = reading.late ? { type: 'silent', ms } : answer.problem();
  answer.close();
  text += decoder.decode();
  return problem ? { text, problem } : { text };
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EACCES',
  'EADDRNOTAVAIL',
]);

/** Codes of OpenSSL's certificate checks, as Node reports them. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH/;

function problemOf(error: unknown): Problem {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return { type: 'refused' };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') return { type: 'dns' };
  if (code === 'ETIMEDOUT' || UNREACHABLE.has(code)) return { type: 'unreachable', detail: code };
  if (code.startsWith('HPE_')) return { type: 'not-http' };
  if (CERTIFICATE.test(code)) return { type: 'certificate', detail: code };
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return { type: 'tls', detail: code };
  // ECONNRESET and "socket hang up": it was there, and went away without an answer.
  return { type: 'cut' };
}

/** The system's code. Of a host with several addresses, Node joins the errors of all attempts: the first that says refused wins. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const codes = error.errors.map(codeOf);
    return codes.find((code) => code === 'ECONNREFUSED') ?? codes[0] ?? '';
  }
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}
