import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import * as z from 'zod/mini';

/** Runs in the thread, and loads the generated file the way a bundle under `dist/` can. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { assets, file, serve, settings } = workerData;
createRequire(assets + '/')('./' + file)[serve](parentPort, settings);
`;

const AnswerSchema = z.object({ id: z.number(), reply: z.unknown() });

/** What a thread answered, or one sentence about why there is no answer. */
export type ThreadReply<T> = { ok: true; value: T } | { ok: false; message: string };

export interface ThreadClientOptions {
  /** Folder of the generated files. */
  assetsPath: string;
  /** The generated file that the thread loads. */
  file: string;
  /** The function of it that answers: it gets the port and the settings. */
  serve: string;
  /** Megabytes of heap of the thread. */
  heapMb: number;
  /** What the file does, as the subject of a sentence: `The search`. */
  name: string;
  /** The sentence about a thread that failed: `why` is a clause without a full stop. */
  failed: (why: string) => string;
  /** What was thrown, as such a clause. */
  thrown: (error: unknown) => string;
  /** Such a clause about a thread that ended by itself. */
  endedEarly: string;
  /** Makes the settings of the next thread, and says what is done once that thread has ended. */
  begin: () => { settings: unknown; onEnded?: () => void };
  /** Tells the thread that a question is not waited for any more. */
  cancel?: (id: number) => unknown;
  /** Takes what the thread says unasked; false = it was none of that. */
  onUnasked?: (message: unknown) => boolean;
}

/** Asks a thread that the first question starts. A thread that dies is a failed answer; the next question starts another. */
export interface ThreadClient {
  /**
   * Never rejects, and ends at once when `signal` fires. An answer that does not fit the schema ends the thread, because it keeps
   * the file that it has loaded.
   *
   * @param question made with the number that its answer must have
   * @param limitMs milliseconds until the thread is given up; absent = none
   */
  ask: <T>(
    question: (id: number) => unknown,
    schema: z.ZodMiniType<T>,
    limits: { limitMs?: number | undefined; signal?: AbortSignal | undefined },
  ) => Promise<ThreadReply<T>>;
  /** Ends the thread, if there is one; what waits gets this sentence. Done when the thread has ended. */
  end: (message: string) => Promise<void>;
  /** Ends the thread for good. */
  close: () => void;
}

/** A thread and those who wait for it. */
interface Running {
  worker: Worker;
  onEnded: () => void;
  waiting: Map<number, Waiting>;
  /** Set once it is being ended; it then tells that it exits, too. */
  ended?: Promise<void>;
}

interface Waiting {
  /** Whether the reply is what was asked for. */
  take: (reply: unknown) => boolean;
  fail: (message: string) => void;
}

const STOPPED = 'The search was stopped.';

export function createThreadClient(options: ThreadClientOptions): ThreadClient {
  const { assetsPath, file, failed, thrown } = options;
  const foreign = failed(`assets/${file} does not belong to this version; reinstall Lam`);
  let running: Running | undefined;
  let isClosed = false;
  let asked = 0;

  function end(thread: Running, message: string): Promise<void> {
    if (running === thread) running = undefined;
    thread.ended ??= thread.worker.terminate().then(thread.onEnded);
    for (const { fail } of [...thread.waiting.values()]) fail(message);
    return thread.ended;
  }

  function start(): Running {
    const { settings, onEnded = () => undefined } = options.begin();
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { assets: assetsPath, file, serve: options.serve, settings },
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    const thread: Running = { worker, onEnded, waiting: new Map() };
    worker.unref(); // an idle thread keeps nothing alive
    worker.on('message', (message: unknown) => {
      if (options.onUnasked?.(message) === true) return;
      const parsed = AnswerSchema.safeParse(message);
      // An answer that nobody waits for any more is none.
      const isFit = parsed.success
        ? thread.waiting.get(parsed.data.id)?.take(parsed.data.reply) !== false
        : false;
      if (!isFit) void end(thread, foreign);
    });
    worker.on('error', (error) => void end(thread, failed(thrown(error))));
    worker.on('exit', () => void end(thread, failed(options.endedEarly)));
    return thread;
  }

  function post<T>(
    thread: Running,
    question: (id: number) => unknown,
    schema: z.ZodMiniType<T>,
    { limitMs, signal }: { limitMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<ThreadReply<T>> {
    asked += 1;
    const id = asked;
    return new Promise((resolve) => {
      const answer = (reply: ThreadReply<T>): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        thread.waiting.delete(id);
        resolve(reply);
      };
      const fail = (message: string): void => {
        answer({ ok: false, message });
      };
      const onAbort = (): void => {
        fail(STOPPED);
        if (options.cancel) thread.worker.postMessage(options.cancel(id));
      };
      const timer =
        limitMs === undefined
          ? undefined
          : setTimeout(() => void end(thread, failed('it took too long')), limitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const take = (reply: unknown): boolean => {
        const parsed = schema.safeParse(reply);
        if (parsed.success) answer({ ok: true, value: parsed.data });
        return parsed.success;
      };
      thread.waiting.set(id, { take, fail });
      thread.worker.postMessage(question(id));
    });
  }

  return {
    ask(question, schema, limits) {
      const refuse = (message: string) => Promise.resolve({ ok: false as const, message });
      if (isClosed || limits.signal?.aborted === true) return refuse(STOPPED);
      if (!existsSync(join(assetsPath, file)))
        return refuse(
          `${options.name} is missing (assets/${file}); reinstall Lam, or run npm run prepare.`,
        );
      try {
        running ??= start();
      } catch (error) {
        return refuse(failed(thrown(error)));
      }
      return post(running, question, schema, limits);
    },
    end: (message) => (running === undefined ? Promise.resolve() : end(running, message)),
    close() {
      isClosed = true;
      if (running !== undefined) void end(running, STOPPED);
    },
  };
}
