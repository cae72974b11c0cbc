import * as z from 'zod/mini';

import { callInThread, type ThreadCaller, type ThreadOutcome } from './reader-thread';

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

/** What the page reader takes: HTML, XML (feeds too), the JSON of a JSON Feed, other JSON, its beginning, or a table. */
export type PageSyntax = 'html' | 'xml' | 'json-feed' | 'json' | 'torn-json' | 'csv';

/** Contract: never rejects; ends within 100 ms of an abort. `syntax` is HTML unless said otherwise. */
export type PageReader = (
  source: string,
  url: string,
  signal: AbortSignal,
  syntax?: PageSyntax,
) => Promise<ReadingOutcome>;

/** The functions of `src/bundles/page.ts`, and what they are called with. */
const STRUCTURED: Record<PageSyntax, (source: string, url: string) => [string, ...unknown[]]> = {
  html: (source, url) => ['readPage', source, url],
  xml: (source, url) => ['readXml', source, url],
  'json-feed': (source, url) => ['readJsonFeed', source, url],
  json: (source) => ['readJson', source, false],
  'torn-json': (source) => ['readJson', source, true],
  csv: (source) => ['readCsv', source],
};

/** Without their layout, these are text as it is: `<` is no tag in them. */
const PLAIN: ReadonlySet<PageSyntax> = new Set(['json', 'torn-json', 'csv']);

/**
 * The page reader in `assets/page.js`, half a megabyte that only turns with a fetch need.
 *
 * It runs in a thread of its own, made for each page: readability has no limit that works. A page that takes longer than
 * the limit, or more memory, is read again as plain text, which is linear. JSON and tables are laid out there too: what
 * stands still while it happens is then not the window.
 */
export function loadPageReader(
  assetsPath: string,
  {
    timeoutMs = READ_TIMEOUT_MS,
    call = callInThread,
  }: { timeoutMs?: number; call?: ThreadCaller } = {},
): PageReader {
  return async (source, url, signal, syntax = 'html') => {
    const run = ([name, ...args]: [string, ...unknown[]]): Promise<ThreadOutcome<PageReading>> =>
      call(
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
    const whole = await run(STRUCTURED[syntax](source, url));
    if (whole.ok) return { ok: true, reading: whole.reply };
    if (whole.reason === 'missing' || whole.reason === 'stopped') return whole;
    if (PLAIN.has(syntax))
      return {
        ok: true,
        reading: { title: '', text: source, cut: syntax === 'torn-json', scripts: 0 },
      };
    const plain = await run(['readPlain', source]);
    return plain.ok ? { ok: true, reading: plain.reply } : plain;
  };
}
