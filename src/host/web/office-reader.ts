import * as z from 'zod/mini';

import { callInThread, type ThreadCaller } from './reader-thread';

/** Milliseconds for one document. A novel takes 0.3 s; only documents built to hurt come near. */
const TIMEOUT_MS = 20_000;
/** Megabytes the reading may hold: the unpacked parts (64 at most) as bytes, then as text of twice the size. */
const MAX_HEAP_MB = 512;

const ReadingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('read'), title: z.string(), text: z.string(), cut: z.boolean() }),
  z.object({ kind: z.enum(['protected', 'too-large']), message: z.string() }),
  z.object({ kind: z.literal('broken'), reason: z.string() }),
]);

/**
 * What became of an office document; see `src/bundles/page/office.ts`.
 *
 * @public
 */
export type OfficeReading = z.infer<typeof ReadingSchema>;

/** Contract: never rejects; ends within 100 ms of an abort. */
export type OfficeReader = (
  bytes: Uint8Array,
  kind: 'docx' | 'odt' | 'epub',
  signal: AbortSignal,
) => Promise<{ ok: true; reading: OfficeReading } | { ok: false; message: string }>;

/** The reader of DOCX, ODT and EPUB files in `assets/page.js`. It runs in a thread of its own. */
export function loadOfficeReader(
  assetsPath: string,
  { timeoutMs = TIMEOUT_MS, call = callInThread }: { timeoutMs?: number; call?: ThreadCaller } = {},
): OfficeReader {
  return async (bytes, kind, signal) => {
    const outcome = await call(
      {
        assetsPath,
        file: 'page.js',
        name: 'readOffice',
        args: [bytes, kind],
        schema: ReadingSchema,
        timeoutMs,
        heapMb: MAX_HEAP_MB,
      },
      signal,
    );
    return outcome.ok ? { ok: true, reading: outcome.reply } : outcome;
  };
}
