import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type * as z from 'zod/mini';

export interface ThreadCall<Reply> {
  /** Folder of the generated files. */
  assetsPath: string;
  /** A file in it. */
  file: 'page.js' | 'pdf.js';
  /** One of its functions, which may be asynchronous. */
  name: string;
  /** What it is called with; copied into the thread. */
  args: unknown[];
  /** The reply is data from outside until it fits. */
  schema: z.ZodMiniType<Reply>;
  timeoutMs: number;
  heapMb: number;
}

export type ThreadOutcome<Reply> =
  | { ok: true; reply: Reply }
  | {
      ok: false;
      reason: 'missing' | 'stopped' | 'too-costly' | 'failed';
      /** One sentence. */
      message: string;
    };

/** Runs in the thread: loads the generated file the way a bundle under `dist/` can, and answers once. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { assets, file, name, args } = workerData;
Promise.resolve(createRequire(assets + '/')('./' + file)[name](...args)).then((reply) => parentPort.postMessage(reply));
`;

/** What V8 says when a thread reaches its heap limit (`resourceLimits` in the documentation of worker_threads). */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Calls one function of a generated file in a thread of its own, made for this call: foreign documents can cost minutes or
 * gigabytes, and code that runs cannot be aborted in any other way.
 *
 * Never rejects. Ends within 100 ms of an abort, and after `timeoutMs`. `too-costly`: the time or the memory was not enough.
 */
export function callInThread<Reply>(
  { assetsPath, file, name, args, schema, timeoutMs, heapMb }: ThreadCall<Reply>,
  signal: AbortSignal,
): Promise<ThreadOutcome<Reply>> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ ok: false, reason: 'stopped', message: 'The reading was stopped.' });
      return;
    }
    if (!existsSync(join(assetsPath, file))) {
      resolve({
        ok: false,
        reason: 'missing',
        message: `The page reader is missing (assets/${file}); reinstall Lam, or run npm run prepare.`,
      });
      return;
    }
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { assets: assetsPath, file, name, args },
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // A document is data: nothing in the thread needs the person's environment or the launcher's flags.
      env: {},
      execArgv: [],
      // What a library prints about a document is not for the launcher's log.
      stdout: true,
      stderr: true,
    });
    const settle = (outcome: ThreadOutcome<Reply>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      resolve(outcome);
    };
    const fail = (reason: 'too-costly' | 'failed', why: string): void => {
      settle({ ok: false, reason, message: `The page could not be read: ${why}.` });
    };
    const timer = setTimeout(() => {
      fail('too-costly', 'it is too complicated');
    }, timeoutMs);
    const onAbort = (): void => {
      settle({ ok: false, reason: 'stopped', message: 'The reading was stopped.' });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', (message: unknown) => {
      const parsed = schema.safeParse(message);
      if (parsed.success) settle({ ok: true, reply: parsed.data });
      else fail('failed', `assets/${file} does not belong to this version`);
    });
    worker.on('error', (error) => {
      if (error instanceof Error && 'code' in error && error.code === OUT_OF_MEMORY)
        fail('too-costly', 'it is too complicated');
      else fail('failed', error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => {
      fail('failed', 'its reading ended early');
    });
  });
}
