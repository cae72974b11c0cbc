import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { buildSync } from 'esbuild';
import * as z from 'zod/mini';

import { launchOf } from '../__tests__/support/pane/launch';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
const WORKER = fileURLToPath(new URL('import-worker.ts', import.meta.url));

/** A built command. */
export interface Built {
  dir: string;
  command: string;
}

/**
 * Milliseconds that `import()` of each command's bundle takes in a fresh worker with React and the API loaded, as in
 * the launcher: `runs` times for each, the commands taking turns so that a busy machine slows all of them alike.
 */
export async function coldImports(commands: readonly Built[], runs: number): Promise<number[][]> {
  const code = buildSync({
    entryPoints: [WORKER],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    write: false,
  }).outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild gave no code for the import worker.');
  const times = commands.map((): number[] => []);
  for (let run = 0; run < runs; run++) {
    for (const [i, command] of commands.entries()) times[i]?.push(await importOnce(code, command));
  }
  return times;
}

async function importOnce(code: string, { dir, command }: Built): Promise<number> {
  const launch = launchOf({ bundleDir: dir, command, supportPath: dir });
  const worker = new Worker(code, {
    eval: true,
    workerData: { launch: { projectDir: PROJECT_DIR, ...launch } },
    execArgv: [],
  });
  try {
    const messages: unknown = await once(worker, 'message'); // rejects when the worker dies
    return z.tuple([z.number()]).parse(messages)[0];
  } finally {
    await worker.terminate();
  }
}
