import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';

import { errorCode } from '../store/failure';

interface ThreadPlace {
  /** Folder of the generated files. */
  assetsPath: string;
  /** A file in it. */
  file: 'page.js' | 'pdf.js';
  heapMb: number;
}

interface ThreadCall<Reply> extends ThreadPlace {
  /** One of its functions, which may be asynchronous. */
  name: string;
  /** What it is called with; copied into the thread. */
  args: unknown[];
  /** The reply is data from outside until it fits. */
  schema: z.ZodMiniType<Reply>;
  timeoutMs: number;
}

export type ThreadOutcome<Reply> =
  | { ok: true; reply: Reply }
  | {
      ok: false;
      reason: 'missing' | 'stopped' | 'too-costly' | 'failed';
      /** One sentence. */
      message: string;
      /** True when it was the time or the memory of the process: another try would cost as much. */
      isLate?: true;
    };

/** Runs in the thread: loads the generated file the way a bundle under `dist/` can, and answers one call after another. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { assets, file } = workerData;
const functions = createRequire(assets + '/')('./' + file);
parentPort.on('message', async ({ name, args }) => {
  parentPort.postMessage({ reply: await functions[name](...args) });
});
`;

/** What V8 says when a thread reaches its heap limit (`resourceLimits` in the documentation of worker_threads). */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Bytes by which the process may grow while a document is read. A heap limit counts no array buffers, and a PDF file of a
 * few bytes can have them grow to gigabytes.
 */
const MAX_GROWTH = 1024 ** 3;
/** Milliseconds between two looks at that: such a file takes some 100 MB a second. */
const LOOK_MS = 250;

/** Bytes that the process takes of the memory. */
type TakenMemory = () => number;

/** Milliseconds that a thread waits for the next document: between two of them lies the writing of an index at most. */
const IDLE_MS = 10_000;
/** Documents that one thread reads: what a library may keep of each stays bounded. */
const MAX_USES = 100;

/** Calls a function of a generated file in a thread; see `callInThread` for the contract. */
export type ThreadCaller = <Reply>(
  call: ThreadCall<Reply>,
  signal: AbortSignal,
) => Promise<ThreadOutcome<Reply>>;

/**
 * Calls one function of a generated file in a thread of its own, made for this call: foreign documents can cost minutes or
 * gigabytes, and code that runs cannot be aborted in any other way.
 *
 * Never rejects. Ends within 100 ms of an abort, and after `timeoutMs`. `too-costly`: the time or the memory was not enough.
 * Memory is that of the whole process, so that one such document may end another one that is read meanwhile.
 */
export const callInThread: ThreadCaller = (call, signal) =>
  begin(call, signal, { start: () => startThread(call), done: stop });

/**
 * As `callInThread`, for many documents after each other: a thread that has read one well reads the next, since starting it
 * and loading its file takes longer than a usual document. What fails in a thread that was used before is tried again in a
 * new one, so that no document suffers for another. Threads that wait keep nothing alive, and end by themselves.
 */
export function keptThreads({
  idleMs = IDLE_MS,
  memory,
}: { idleMs?: number; memory?: TakenMemory } = {}): ThreadCaller {
  const idle = new Map<string, { worker: Worker; timer: NodeJS.Timeout; end: () => void }>();
  const uses = new WeakMap<Worker, number>();
  const take = (key: string): Worker | undefined => {
    const found = idle.get(key);
    if (found === undefined) return undefined;
    idle.delete(key);
    clearTimeout(found.timer);
    found.worker.off('error', found.end).off('exit', found.end).ref();
    return found.worker;
  };
  const keep = (key: string, worker: Worker): void => {
    const count = (uses.get(worker) ?? 0) + 1;
    uses.set(worker, count);
    if (count >= MAX_USES || idle.has(key)) {
      stop(worker);
      return;
    }
    const end = (): void => {
      if (idle.get(key)?.worker === worker) idle.delete(key);
      stop(worker);
    };
    worker.on('error', end).on('exit', end).unref();
    idle.set(key, { worker, timer: setTimeout(end, idleMs).unref(), end });
  };
  return async (call, signal) => {
    const key = `${call.file} ${call.heapMb} ${call.assetsPath}`;
    const taken: { worker?: Worker | undefined } = {};
    const done = (worker: Worker, isWell: boolean): void => {
      if (isWell) keep(key, worker);
      else stop(worker);
    };
    const start = (): Worker => {
      taken.worker = take(key);
      return taken.worker ?? startThread(call);
    };
    const outcome = await begin(call, signal, { start, done, memory });
    if (
      taken.worker === undefined ||
      outcome.ok ||
      outcome.reason === 'stopped' ||
      outcome.isLate === true
    )
      return outcome;
    return begin(call, signal, { start: () => startThread(call), done, memory });
  };
}

/** What was thrown, without its message, which may have whole paths in it: a model gets to read it. */
function thrown(error: unknown): string {
  const code = errorCode(error);
  return code === '' ? 'its reader broke' : `the system reported ${code}`;
}

function ignored(): void {
  // The outcome is known already.
}

function stop(worker: Worker): void {
  void worker.terminate();
}

function startThread({ assetsPath, file, heapMb }: ThreadPlace): Worker {
  return new Worker(THREAD, {
    eval: true,
    workerData: { assets: assetsPath, file },
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // A document is data: nothing in the thread needs the person's environment or the launcher's flags.
    env: {},
    execArgv: [],
    // What a library prints about a document is not for the launcher's log.
    stdout: true,
    stderr: true,
  });
}

/** @param done gets the thread back; `isWell` = it has answered */
function begin<Reply>(
  { assetsPath, file, name, args, schema, timeoutMs }: ThreadCall<Reply>,
  signal: AbortSignal,
  {
    start,
    done,
    memory = () => process.memoryUsage.rss(),
  }: {
    start: () => Worker;
    done: (worker: Worker, isWell: boolean) => void;
    memory?: TakenMemory | undefined;
  },
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
    const before = memory();
    const worker = start();
    const settle = (outcome: ThreadOutcome<Reply>): void => {
      clearTimeout(timer);
      clearInterval(look);
      signal.removeEventListener('abort', onAbort);
      // Without a listener, an error that comes while it ends would be nobody's, and end the process.
      worker
        .off('message', onMessage)
        .off('error', onError)
        .off('exit', onExit)
        .once('error', ignored);
      done(worker, outcome.ok);
      resolve(outcome);
    };
    const fail = (reason: 'too-costly' | 'failed', why: string, isLate?: true): void => {
      const message = `The page could not be read: ${why}.`;
      settle({ ok: false, reason, message, ...(isLate === undefined ? {} : { isLate }) });
    };
    const timer = setTimeout(() => {
      fail('too-costly', 'it is too complicated', true);
    }, timeoutMs);
    const look = setInterval(() => {
      if (memory() - before > MAX_GROWTH) fail('too-costly', 'it is too complicated', true);
    }, LOOK_MS);
    const onAbort = (): void => {
      settle({ ok: false, reason: 'stopped', message: 'The reading was stopped.' });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const onMessage = (message: unknown): void => {
      const parsed = z.object({ reply: schema }).safeParse(message);
      if (parsed.success) settle({ ok: true, reply: parsed.data.reply });
      else fail('failed', `assets/${file} does not belong to this version`);
    };
    const onError = (error: unknown): void => {
      if (error instanceof Error && 'code' in error && error.code === OUT_OF_MEMORY)
        fail('too-costly', 'it is too complicated');
      else fail('failed', thrown(error));
    };
    const onExit = (): void => {
      fail('failed', 'its reading ended early');
    };
    worker.off('error', ignored);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage({ name, args });
  });
}
