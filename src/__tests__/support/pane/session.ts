import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';

import { buildSync } from 'esbuild';

import { FromWorkerSchema, type FromWorker, type Launch, type ToWorker } from './protocol';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROJECT_DIR = join(HERE, '../../../..');

/** Heap of a command in the launcher, megabytes. */
const HEAP_MB = 1000;

let workerSource: string | undefined;

/** The worker's code. Written in TypeScript, so it is bundled once per process; it runs from memory and leaves no file behind. */
function workerCode(): string {
  workerSource ??= buildSync({
    entryPoints: [join(HERE, 'worker/entry.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    write: false,
  }).outputFiles[0]?.text;
  if (workerSource === undefined) throw new Error('esbuild gave no code for the pane worker.');
  return workerSource;
}

export interface SessionEvents {
  frame: (json: string, eventCount: number) => void;
  request: (endpoint: string, data: unknown) => Promise<unknown>;
  /** The thread ended by itself: an uncaught error, an unhandled rejection, or process.exit. */
  crash: (error: Error) => void;
  output: (text: string) => void;
}

/**
 * One launch of a command: a fresh worker thread, and the messages to and from it. After `unload` begins everything the
 * command sends is dropped, its requests never settle, and the thread ends after the grace time at the latest.
 */
export class Session {
  readonly #worker: Worker;
  readonly #port;
  readonly #events: SessionEvents;
  readonly #calls = new Map<number, () => void>();
  #callCount = 0;
  #state: 'running' | 'unloading' | 'ended' = 'running';
  #unmounted: () => void = () => undefined;
  /** Resolves when the thread is gone. */
  readonly ended: Promise<void>;

  constructor(
    launch: Omit<Launch, 'projectDir'>,
    env: Record<string, string | undefined>,
    events: SessionEvents,
  ) {
    this.#events = events;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const data: Launch = { projectDir: PROJECT_DIR, ...launch };
    this.#worker = new Worker(workerCode(), {
      eval: true,
      workerData: { launch: data, port: port2 },
      transferList: [port2],
      env: { ...process.env, ...env },
      execArgv: [], // the test runner's loaders are none of the command's business
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      stdout: true,
      stderr: true,
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        events.output(text);
      });
    }
    port1.on('message', (raw: unknown) => {
      this.#receive(FromWorkerSchema.parse(raw));
    });
    this.#worker.on('error', (error) => {
      this.#crash(error instanceof Error ? error : new Error(String(error)));
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#crash(new Error(`The command ended its own thread with exit code ${code}.`));
        this.#state = 'ended';
        port1.close();
        this.#releaseCalls();
        this.#unmounted();
        resolve();
      });
    });
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  /** Calls a handler; resolves when it ran and what it changed at once has been drawn, or when the command is gone. */
  activate(handler: string, args: unknown[], eventCount?: number): Promise<void> {
    return this.#call((call) => ({ type: 'activate', call, handler, args, eventCount }));
  }

  popView(): Promise<void> {
    return this.#call((call) => ({ type: 'pop-view', call }));
  }

  /** Begins the unload; resolves once effect cleanups have run. The thread lives on for up to `graceMs`. */
  unload(graceMs: number): Promise<void> {
    if (this.#state !== 'running') return Promise.resolve();
    this.#state = 'unloading';
    const unmounted = new Promise<void>((resolve) => {
      this.#unmounted = resolve;
    });
    this.#post({ type: 'unload' });
    this.#releaseCalls();
    const timer = setTimeout(() => void this.#worker.terminate(), graceMs);
    void this.ended.then(() => {
      clearTimeout(timer);
    });
    return unmounted;
  }

  /** Ends the thread at once, without cleanups. */
  async kill(): Promise<void> {
    if (this.#state === 'running') this.#state = 'unloading';
    await this.#worker.terminate();
    await this.ended;
  }

  #receive(message: FromWorker): void {
    if (message.type === 'unmounted') this.#unmounted();
    if (!this.running) return; // dropped
    switch (message.type) {
      case 'frame':
        this.#events.frame(message.json, message.eventCount);
        return;
      case 'handled': {
        const done = this.#calls.get(message.call);
        this.#calls.delete(message.call);
        done?.();
        return;
      }
      case 'request':
        void this.#answer(message.id, message.endpoint, message.data);
        return;
      case 'unmounted':
        return;
    }
  }

  async #answer(id: number, endpoint: string, data: unknown): Promise<void> {
    let answer: ToWorker;
    try {
      answer = { type: 'response', id, value: await this.#events.request(endpoint, data) };
    } catch (error) {
      answer = { type: 'failure', id, message: `${endpoint}: ${String(error)}` };
    }
    if (this.running) this.#post(answer);
  }

  #call(message: (call: number) => ToWorker): Promise<void> {
    if (!this.running) return Promise.reject(new Error('The command is not running any more.'));
    const call = ++this.#callCount;
    return new Promise((resolve) => {
      this.#calls.set(call, resolve);
      this.#post(message(call));
    });
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  #crash(error: Error): void {
    if (!this.running) return;
    this.#state = 'ended';
    this.#events.crash(error);
    this.#releaseCalls();
  }

  #releaseCalls(): void {
    for (const done of this.#calls.values()) done();
    this.#calls.clear();
  }
}
