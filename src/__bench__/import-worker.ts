import { parentPort, workerData } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';

import * as z from 'zod/mini';

import { loadModules } from '../__tests__/support/pane/worker/modules';
import { LaunchSchema } from '../__tests__/support/pane/protocol';

/**
 * Runs in a fresh worker: loads React and the API as the launcher's host does, then times nothing but the import of the
 * command's bundle, in milliseconds.
 */
const { launch } = z.object({ launch: LaunchSchema }).parse(workerData);
Object.assign(globalThis, {
  vicinae: { environ: launch.environ, preferences: launch.preferences },
});
loadModules(launch);

async function time(): Promise<void> {
  const url = pathToFileURL(launch.bundlePath).href;
  const before = performance.now();
  await import(url);
  parentPort?.postMessage(performance.now() - before);
}

void time();
