import * as z from 'zod/mini';

import { callInThread, type ThreadOutcome } from './reader-thread';

/** Milliseconds for the structured reading. Ordinary pages take 0.2 s a megabyte; only pages built to hurt come near. */
const READ_TIMEOUT_MS = 10_000;
/** Megabytes the reading may hold: a tree of the largest page that is read takes about 150. */
const MAX_HEAP_MB = 512;

const ReadingSchema = z.object({
  title: z.string(),
  text: z.string(),
  canonical: z.optional(z.string()),
  cut: z.boolean(),
  scripts: z.number(),
});

/** The readable part of an HTML page, feed or XML document; `scripts` counts its script elements, `canonical` is unchecked. */
type PageReading = z.infer<typeof ReadingSchema>;

type ReadingOutcome = { ok: true; reading: PageReading } | { ok: false; message: string };

/** What the page reader takes: HTML, XML (feeds too), or the JSON of a JSON Feed. */
type PageSyntax = 'html' | 'xml' | 'json-feed';

/** Contract: never rejects; ends within 100 ms of an abort. `syntax` is HTML unless said otherwise. */
export type PageReader = (
  source: string,
  url: string,
  signal: AbortSignal,
  syntax?: PageSyntax,
) => Promise<ReadingOutcome>;

/** The functions of `src/bundles/page.ts`. */
const STRUCTURED: Record<PageSyntax, string> = {
  html: 'readPage',
  xml: 'readXml',
  'json-feed': 'readJsonFeed',
};

/**
 * The page reader in `assets/page.js`, half a megabyte that only turns with a fetch need.
 *
 * It runs in a thread of its own, made for each page: readability has no limit that works. A page that takes longer than
 * the limit, or more memory, is read again as plain text, which is linear.
 */
export function loadPageReader(
  assetsPath: string,
  { timeoutMs = READ_TIMEOUT_MS }: { timeoutMs?: number } = {},
): PageReader {
  return async (source, url, signal, syntax = 'html') => {
    const run = (name: string, args: unknown[]): Promise<ThreadOutcome<PageReading>> =>
      callInThread(
        {
          assetsPath,
          file: 'page.js',
          name,
          args,
          schema: ReadingSchema,
          timeoutMs,
          heapMb: MAX_HEAP_MB,
        },
        signal,
      );
    const whole = await run(STRUCTURED[syntax], [source, url]);
    if (whole.ok) return { ok: true, reading: whole.reply };
    if (whole.reason === 'missing' || whole.reason === 'stopped') return whole;
    const plain = await run('readPlain', [source]);
    return plain.ok ? { ok: true, reading: plain.reply } : plain;
  };
}
