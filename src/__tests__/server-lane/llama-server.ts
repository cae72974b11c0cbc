import { spawn, type ChildProcess } from 'node:child_process';

import type { ServerProgram } from './server-program';

/** A running server, on a free port of this machine. */
export interface LlamaServer {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  port: number;
  /** True while it works on a question. */
  isBusy(): Promise<boolean>;
  /** Ends the process at once, as a crash would. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Milliseconds until a model of 400 KB is ready. */
const START_MS = 60_000;
const ASK_MS = 5_000;
/** Characters of the log that are kept to explain a failure. */
const KEPT_LOG = 2_000;

/**
 * Starts a server and resolves when it takes questions. Rejects with the end of its log when it stops before.
 *
 * @param args the server's own arguments, the model among them
 */
export async function startLlamaServer(
  program: ServerProgram,
  args: readonly string[],
): Promise<LlamaServer> {
  const child = spawn(
    program.command,
    [
      ...program.args,
      ...['--host', '127.0.0.1', '--port', '0', '--offline', '--no-webui', '--alias', 'tiny'],
      ...['--temp', '0', '--threads', '1', '--parallel', '1', '--no-warmup'],
      ...args,
    ],
    { cwd: program.cwd, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  try {
    const port = await listening(child);
    const origin = `http://127.0.0.1:${port}`;
    return { origin, port, kill, isBusy: () => isBusy(origin) };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** The port it says it listens at. */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let log = '';
    const fail = (why: string) => {
      reject(new Error(`The server ${why}. Its log ends:\n${log}`));
    };
    const timer = setTimeout(fail, START_MS, 'was not ready in time');
    const read = (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-KEPT_LOG);
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', (error) => {
      fail(`could not be started (${error.message})`);
    });
    child.once('close', () => {
      clearTimeout(timer);
      fail('stopped');
    });
  });
}

async function isBusy(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/slots`, { signal: AbortSignal.timeout(ASK_MS) });
  return (await answer.text()).includes('"is_processing":true');
}
