import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

export type Body =
  | {
      ok: true;
      bytes: Uint8Array;
      /** `cap`: the byte cap was reached; `broken`: the connection or the compressed data ended early. */
      end: 'complete' | 'cap' | 'broken';
    }
  | { ok: false; message: string };

/** Codings one body may be wrapped in. Nobody sends more than one; each further one multiplies a bomb. */
const MAX_CODINGS = 2;

/**
 * Reads a response to its end, decompressed.
 *
 * `maxBytes` holds for what comes over the wire and again for what comes out of each decompressor; at the cap the
 * connection is closed and what came is handed over. Never rejects. When `signal` fires, ends at once (the caller
 * tells an abort from an end by the signal).
 */
export function receiveBody(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let wire = 0;
    let size = 0;
    let stages: Transform[] | undefined;
    let ended = false;

    const finish = (body: Body): void => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', onAbort);
      response.destroy();
      stages?.forEach((stage) => stage.destroy());
      resolve(body);
    };
    const fail = (message: string): void => {
      finish({ ok: false, message });
    };
    const deliver = (end: 'complete' | 'cap' | 'broken'): void => {
      if (end === 'broken' && size === 0) fail('the connection was cut');
      else finish({ ok: true, bytes: Buffer.concat(chunks, size), end });
    };
    const onAbort = (): void => {
      fail('stopped');
    };
    const keep = (chunk: Buffer): void => {
      if (ended) return;
      const room = maxBytes - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, room);
      if (chunk.length > room) deliver('cap');
    };

    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const codings = (response.headers['content-encoding'] ?? '')
      .split(',')
      .map((coding) => coding.trim().toLowerCase())
      .filter((coding) => coding !== '' && coding !== 'identity');
    if (codings.length > MAX_CODINGS) {
      fail('it is compressed too many times');
      return;
    }
    const unknown = codings.find((coding) => !CODINGS.has(coding));
    if (unknown !== undefined) {
      fail(`it is compressed as "${unknown.slice(0, 40)}"`);
      return;
    }

    let broken = false;
    const start = (first: Buffer): void => {
      stages = codings.reverse().map((coding) => decompressor(coding, first));
      stages.forEach((stage, index) => {
        let out = 0;
        const next = stages?.[index + 1];
        stage.on('error', () => {
          if (size > 0) deliver('broken');
          else fail('its compression is broken');
        });
        stage.on('data', (chunk: Buffer) => {
          out += chunk.length;
          if (next === undefined) keep(chunk);
          else if (out > maxBytes) deliver('cap');
          else next.write(chunk);
        });
        stage.on('end', () => {
          if (next === undefined) deliver(broken ? 'broken' : 'complete');
          else next.end();
        });
      });
    };
    response.on('data', (chunk: Buffer) => {
      if (ended) return;
      if (codings.length === 0) {
        keep(chunk);
        return;
      }
      if (stages === undefined) start(chunk);
      wire += chunk.length;
      if (wire > maxBytes) {
        deliver('cap');
        return;
      }
      const [stage] = stages ?? [];
      if (stage?.write(chunk) === false) {
        response.pause();
        stage.once('drain', () => response.resume());
      }
    });
    const onEnd = (): void => {
      if (ended) return;
      broken = !response.complete;
      // What a decompressor still holds is worth having: it ends by itself once its input does.
      if (stages === undefined) deliver(broken ? 'broken' : 'complete');
      else stages[0]?.end();
    };
    response.on('end', onEnd);
    response.on('close', onEnd);
    response.on('error', onEnd); // also hears the late errors of a socket that was closed on purpose
  });
}

const CODINGS = new Set(['gzip', 'x-gzip', 'br', 'deflate']);

function decompressor(coding: string, first: Buffer): Transform {
  // Z_SYNC_FLUSH: a stream that lacks its last bytes still gives what it holds, as browsers do.
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  if (coding === 'br')
    return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
  if (coding !== 'deflate') return zlib.createGunzip(lenient);
  // "deflate" means zlib-wrapped data (RFC 9110 section 8.4.1.2), but some servers send it bare: the first byte of a wrapper ends in 8.
  return ((first[0] ?? 0) & 0x0f) === 8
    ? zlib.createInflate(lenient)
    : zlib.createInflateRaw(lenient);
}
