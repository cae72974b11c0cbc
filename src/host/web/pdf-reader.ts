import * as z from 'zod/mini';

import { callInThread, type ThreadCaller } from './reader-thread';

/** Milliseconds after which the reading stops with the pages it has. A page of text takes 5 to 50. */
const SOFT_TIMEOUT_MS = 10_000;
/** Milliseconds after which it is stopped: one page that takes this long was built to. */
const HARD_TIMEOUT_MS = 15_000;
/** Megabytes the reading may hold; the largest file that is read is 16. */
const MAX_HEAP_MB = 768;

const ReadingSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read'),
    title: z.string(),
    pages: z.array(z.string()),
    total: z.number(),
    cut: z.boolean(),
  }),
  z.object({ kind: z.literal('password') }),
  z.object({ kind: z.literal('broken'), reason: z.string() }),
]);

/** What became of a PDF file; `pages[0]` is page 1, an empty text is a page without a text layer. */
export type PdfReading = z.infer<typeof ReadingSchema>;

/** Contract: never rejects; ends within 100 ms of an abort. */
export type PdfReader = (
  bytes: Uint8Array,
  signal: AbortSignal,
) => Promise<{ ok: true; reading: PdfReading } | { ok: false; message: string }>;

/** The PDF reader in `assets/pdf.js`, 1.6 MB that only turns with a PDF file need. It runs in a thread of its own. */
export function loadPdfReader(
  assetsPath: string,
  {
    softMs = SOFT_TIMEOUT_MS,
    hardMs = HARD_TIMEOUT_MS,
    call = callInThread,
  }: { softMs?: number; hardMs?: number; call?: ThreadCaller } = {},
): PdfReader {
  return async (bytes, signal) => {
    const outcome = await call(
      {
        assetsPath,
        file: 'pdf.js',
        name: 'readPdf',
        args: [bytes, softMs],
        schema: ReadingSchema,
        timeoutMs: hardMs,
        heapMb: MAX_HEAP_MB,
      },
      signal,
    );
    return outcome.ok ? { ok: true, reading: outcome.reply } : outcome;
  };
}
