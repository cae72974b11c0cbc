import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import * as z from 'zod/mini';

const FILE = 'library.js';

/** Milliseconds of one answer. The slowest single step, reading a record of 64 MB, takes some two seconds. */
const MAX_ANSWER_MS = 15_000;

/** Megabytes of heap of the thread: several times what ten thousand conversations need (docs/performance.md). */
const HEAP_MB = 512;

const HitSchema = z.object({
  /** Of the conversation. */
  id: z.string(),
  /** The higher the better; only to be compared within one answer. */
  score: z.number(),
  /** Where in the conversation; absent when only its title was hit, and for hits far down. */
  snippet: z.optional(
    z.object({
      turnId: z.string(),
      part: z.enum(['question', 'answer']),
      /** One line around the first of the words; foreign text. */
      text: z.string(),
    }),
  ),
});

/** A conversation that was found. */
export type LibraryHit = z.infer<typeof HitSchema>;

const ReplySchema = z.union([
  z.object({
    ok: z.literal(true),
    /** Best first, at most a hundred. */
    hits: z.array(HitSchema),
    /**
     * False while the index is still being read or brought up to date: ask again, then there is more. Such an answer takes a
     * tenth of a second, so asking again at once is no burden.
     */
    complete: z.boolean(),
  }),
  /** One sentence. */
  z.object({ ok: z.literal(false), message: z.string() }),
]);

export type LibraryOutcome = z.infer<typeof ReplySchema>;

const AnswerSchema = z.object({ id: z.number(), reply: ReplySchema });

/** Full-text search in the stored conversations. */
export interface Library {
  /**
   * Finds conversations by words of their titles, questions and answers: all words, the last one as it is being typed, accents
   * and small slips aside. Without a word nothing is found, but the index is brought up to date: what was deleted leaves it.
   *
   * Never rejects, and ends at once when `signal` fires.
   */
  search(query: string, signal?: AbortSignal): Promise<LibraryOutcome>;
  /**
   * Brings an index that is there up to date, in its thread, so that nothing of what was removed stays in it. Without an index
   * it does nothing: there is nothing to remove. Never throws.
   */
  refresh(): void;
  /** Ends the thread; what still waits is answered with a failure. */
  close(): void;
}

export interface LibraryOptions {
  /** The extension's support folder. */
  supportPath: string;
  /** Folder of the generated files. */
  assetsPath: string;
}

/** Runs in the thread, and loads the generated file the way a bundle under `dist/` can. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { assets, file, supportPath } = workerData;
createRequire(assets + '/')('./' + file).serveLibrary(parentPort, supportPath);
`;

/** A thread and those who wait for it. */
interface Running {
  worker: Worker;
  waiting: Map<number, (reply: LibraryOutcome) => void>;
}

const failed = (message: string): LibraryOutcome => ({ ok: false, message });
const STOPPED = failed('The search was stopped.');

/**
 * The search runs in a thread of its own, which the first one starts: it reads every conversation once, and holds an index
 * that no other part of a launch needs. A thread that dies is a failed answer; the next search starts another.
 */
export function createLibrary({ supportPath, assetsPath }: LibraryOptions): Library {
  let running: Running | undefined;
  let closed = false;
  let asked = 0;

  function end(thread: Running, reply: LibraryOutcome): void {
    if (running === thread) running = undefined;
    void thread.worker.terminate();
    for (const answer of thread.waiting.values()) answer(reply);
    thread.waiting.clear();
  }

  function start(): Running {
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { assets: assetsPath, file: FILE, supportPath },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    const thread: Running = { worker, waiting: new Map() };
    worker.unref(); // an idle search keeps nothing alive
    const fail = (why: string): void => {
      end(thread, failed(`The conversations could not be searched: ${why}.`));
    };
    worker.on('message', (message: unknown) => {
      const parsed = AnswerSchema.safeParse(message);
      if (parsed.success) thread.waiting.get(parsed.data.id)?.(parsed.data.reply);
      else fail(`assets/${FILE} does not belong to this version; reinstall Lam`);
    });
    worker.on('error', (error) => {
      fail(error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error));
    });
    worker.on('exit', () => {
      fail('the search ended early');
    });
    return thread;
  }

  function search(query: string, signal?: AbortSignal): Promise<LibraryOutcome> {
    if (closed || signal?.aborted === true) return Promise.resolve(STOPPED);
    if (!existsSync(join(assetsPath, FILE))) {
      const missing = `The search is missing (assets/${FILE}); reinstall Lam, or run npm run prepare.`;
      return Promise.resolve(failed(missing));
    }
    const thread = (running ??= start());
    asked += 1;
    const id = asked;
    return new Promise((resolve) => {
      const answer = (reply: LibraryOutcome): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        thread.waiting.delete(id);
        resolve(reply);
      };
      const onAbort = (): void => {
        answer(STOPPED);
      };
      const timer = setTimeout(() => {
        end(thread, failed('The conversations could not be searched: it took too long.'));
      }, MAX_ANSWER_MS);
      signal?.addEventListener('abort', onAbort, { once: true });
      thread.waiting.set(id, answer);
      thread.worker.postMessage({ id, query });
    });
  }

  return {
    search,
    refresh() {
      if (existsSync(join(supportPath, 'search'))) void search('');
    },
    close() {
      closed = true;
      if (running !== undefined) end(running, STOPPED);
    },
  };
}
