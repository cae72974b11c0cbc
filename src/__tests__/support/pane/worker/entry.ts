import { pathToFileURL } from 'node:url';
import { MessagePort, workerData } from 'node:worker_threads';

import * as z from 'zod/mini';

import { LaunchSchema, ToWorkerSchema, type FromWorker } from '../protocol';
import { installApi } from './api-double';
import { loadModules } from './modules';
import { createRenderer } from './renderer';

/** Milliseconds a handler's promise and requests are waited for before its call counts as handled: enough for a copy and a toast, not for an answer. */
const HANDLER_WAIT_MS = 50;

const { launch, port } = z
  .object({ launch: LaunchSchema, port: z.instanceof(MessagePort) })
  .parse(workerData);
const post = (message: FromWorker): void => {
  port.postMessage(message);
};
const rethrow = (error: unknown): void => {
  setImmediate(() => {
    throw error; // uncaught, as in the launcher: the thread dies and the parent learns why
  });
};

// Read by the package when it is imported, so it has to stand before.
Object.assign(globalThis, {
  vicinae: { environ: launch.environ, preferences: launch.preferences },
});
const modules = loadModules(launch);
const api = installApi(modules, (request) => {
  post({ type: 'request', ...request });
});

let seenEvents = 0;
let committedEvents = 0;
let unloading = false;

const renderer = createRenderer(modules.react, {
  postFrame: (json) => {
    if (!unloading) post({ type: 'frame', json, eventCount: committedEvents });
  },
  onCommit: () => {
    committedEvents = seenEvents;
  },
  onError: rethrow,
});

async function handled(call: number, result: unknown): Promise<void> {
  let late = false;
  const deadline = new Promise<void>((wake) => {
    setTimeout(() => {
      late = true;
      wake();
    }, HANDLER_WAIT_MS);
  });
  if (result instanceof Promise) {
    // No catch: a rejection stays unhandled and ends the command, as in the launcher.
    await Promise.race([
      deadline,
      new Promise<void>(
        (wake) =>
          void result.then(() => {
            wake();
          }),
      ),
    ]);
  }
  do {
    await Promise.race([deadline, api.idle()]);
    await renderer.idle();
  } while (api.busy() && !isLate());
  post({ type: 'handled', call });

  function isLate(): boolean {
    return late;
  }
}

port.on('message', (raw: unknown) => {
  const message = ToWorkerSchema.parse(raw);
  switch (message.type) {
    case 'response':
      api.settle(message.id, { value: message.value });
      return;
    case 'failure':
      api.settle(message.id, { message: message.message });
      return;
    case 'activate':
      if (message.eventCount !== undefined) seenEvents = message.eventCount;
      void handled(message.call, renderer.handler(message.handler)?.(...message.args));
      return;
    case 'pop-view':
      api.popView();
      void handled(message.call, undefined);
      return;
    case 'unload':
      unloading = true;
      api.close();
      renderer.unmount();
      post({ type: 'unmounted' });
      return;
  }
});

async function start(): Promise<void> {
  const loaded: unknown = await import(pathToFileURL(launch.bundlePath).href);
  const Command = defaultExport(defaultExport(loaded)); // the bundle is CommonJS: module.exports.default
  if (typeof Command !== 'function')
    throw new Error(`${launch.bundlePath} has no component as its default export.`);
  const { createElement } = modules.react;
  renderer.render(
    createElement(modules.api.NavigationProvider, {
      root: createElement(Command, launch.launchProps),
    }),
  );
}

function defaultExport(module: unknown): unknown {
  const isObject = typeof module === 'object' && module !== null;
  return isObject && 'default' in module ? module.default : undefined;
}

void start();
