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

/** Pieces one body may come in. Two megabytes take some hundred; a million chunks of one byte take seconds to be parsed. */
const MAX_PIECES = 50_000;

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
    // One buffer that grows: a body in chunks of one byte would take a hundred times its size as a list of chunks.
    let kept = Buffer.alloc(0);
    let wire = 0;
    let size = 0;
    let pieces = 0;
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
      else finish({ ok: true, bytes: kept.subarray(0, size), end });
    };
    const onAbort = (): void => {
      fail('stopped');
    };
    const keep = (chunk: Buffer): void => {
      if (ended) return;
      const room = maxBytes - size;
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
      if (size + part.length > kept.length) kept = grown(kept, size + part.length, maxBytes);
      part.copy(kept, size);
      size += part.length;
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
      // Only what looks like the name of a coding: this sentence is read by the model as Lam's own.
      const name = /^[\w.-]{1,20}$/.test(unknown) ? `as "${unknown}"` : 'in a way without a name';
      fail(`it is compressed ${name}`);
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
      pieces += 1;
      if (codings.length === 0) {
        keep(chunk);
        if (pieces > MAX_PIECES) deliver('cap');
        return;
      }
      if (stages === undefined) start(chunk);
      wire += chunk.length;
      if (wire > maxBytes || pieces > MAX_PIECES) {
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

/** Bytes a body is given room for at first: most pages fit. */
const FIRST_ROOM = 64 * 1024;

/** A copy with room for `needed` bytes and as many again, at most `maxBytes`. */
function grown(buffer: Buffer, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(FIRST_ROOM, needed * 2)));
  buffer.copy(larger);
  return larger;
}

const CODINGS = new Set(['gzip', 'x-gzip', 'br', 'deflate']);

function decompressor(coding: string, first: Buffer): Transform {
  // A stream that ends too soon is an error here; what it held by then has been given out already.
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding !== 'deflate') return zlib.createGunzip();
  // "deflate" means zlib-wrapped data (RFC 9110 section 8.4.1.2), but some servers send it bare: the first byte of a wrapper ends in 8.
  return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
}
