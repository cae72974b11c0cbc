import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';

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

/** The readable part of an HTML page; `scripts` counts its script elements, `canonical` is unchecked. */
export type PageReading = z.infer<typeof ReadingSchema>;

type ReadingOutcome = { ok: true; reading: PageReading } | { ok: false; message: string };

/** Contract: never rejects; ends within 100 ms of an abort. */
export type PageReader = (
  html: string,
  url: string,
  signal: AbortSignal,
) => Promise<ReadingOutcome>;

/** Runs in the thread: loads the generated file the way a bundle under `dist/` can, and answers once. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const page = createRequire(workerData.assets + '/')('./page.js');
parentPort.postMessage(workerData.plain ? page.readPlain(workerData.html) : page.readPage(workerData.html, workerData.url));
`;

/**
 * The page reader in `assets/page.js`, half a megabyte that only turns with a fetch need.
 *
 * It runs in a thread of its own, made for each page: readability has no limit that works, so a hostile page can cost
 * minutes, and code that runs cannot be aborted in any other way. A page that takes longer than the limit, or more
 * memory, is read again as plain text, which is linear.
 */
export function loadPageReader(
  assetsPath: string,
  { timeoutMs = READ_TIMEOUT_MS }: { timeoutMs?: number } = {},
): PageReader {
  return async (html, url, signal) => {
    if (!existsSync(join(assetsPath, 'page.js')))
      return {
        ok: false,
        message:
          'The page reader is missing (assets/page.js); reinstall Lam, or run npm run prepare.',
      };
    const whole = await run({ assets: assetsPath, html, url, plain: false }, timeoutMs, signal);
    if (whole.ok || signal.aborted) return whole;
    return await run({ assets: assetsPath, html, url, plain: true }, timeoutMs, signal);
  };
}

function run(
  data: { assets: string; html: string; url: string; plain: boolean },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ReadingOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ ok: false, message: 'The reading was stopped.' });
      return;
    }
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      // A page is data: nothing in the thread needs the person's environment or the launcher's flags.
      env: {},
      execArgv: [],
    });
    const settle = (outcome: ReadingOutcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      resolve(outcome);
    };
    const fail = (reason: string): void => {
      settle({ ok: false, message: `The page could not be read: ${reason}.` });
    };
    const timer = setTimeout(() => {
      fail('it is too complicated');
    }, timeoutMs);
    const onAbort = (): void => {
      settle({ ok: false, message: 'The reading was stopped.' });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', (message: unknown) => {
      const parsed = ReadingSchema.safeParse(message);
      if (parsed.success) settle({ ok: true, reading: parsed.data });
      else fail('assets/page.js is not the page reader of this version');
    });
    worker.on('error', (error) => {
      fail(error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => {
      fail('its reading ended early');
    });
  });
}
