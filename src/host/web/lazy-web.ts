import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';

import type { PagePort, SearchPort } from '../../lib/types';
import type { FilePorts } from '../attachments/port';
import { chooseSearch } from './search/choice';
import type { WebOptions, WebPorts } from './web-ports';

export { ollamaServer } from './search/ollama-server';
export { chooseSearch } from './search/choice';
export type { WebOptions, WebPorts } from './web-ports';

const FILE = 'web.js';
/** UTF-16 units of what Node says about a file it cannot load: a notice has room for 200 of the whole sentence, and what to do comes last. */
const MAX_REASON = 100;

const isFunction = (value: unknown): boolean => typeof value === 'function';

const ModuleSchema = z.object({
  createWebPorts: z.custom<(options: WebOptions) => unknown>(isFunction),
});
const PortsSchema = z.object({
  search: z.custom<SearchPort>(isFunction),
  fetchPage: z.custom<PagePort>(isFunction),
  readFile: z.custom<FilePorts['readFile']>(isFunction),
  checkFile: z.custom<FilePorts['checkFile']>(isFunction),
});

/** `message`: the bare reason, without a full stop. */
type Loaded = { ok: true; ports: WebPorts } | { ok: false; message: string };

/**
 * Search, page reading and the reading of local files from `assets/web.js`, a tenth of a megabyte that only a turn with one
 * of them needs: the file is loaded with the first. What the window says of a search beforehand is known without it.
 *
 * A file that is missing, broken or of another version breaks no contract: each call is then a failure that says what to do,
 * and the next one looks again.
 */
export function lazyWeb(options: WebOptions): WebPorts {
  const { scope, remedy } = chooseSearch(options.settings, options.ollama);
  let ports: WebPorts | undefined;
  let isBroken = false;
  const web = (): Loaded => {
    if (ports !== undefined) return { ok: true, ports };
    const loaded = load(options);
    isBroken = !loaded.ok;
    if (loaded.ok) ({ ports } = loaded);
    return loaded;
  };
  const search: SearchPort = async (query, signal, asked) => {
    const loaded = web();
    return loaded.ok ? await loaded.ports.search(query, signal, asked) : loaded;
  };
  const fetchPage: PagePort = async (url, signal) => {
    const loaded = web();
    return loaded.ok
      ? await loaded.ports.fetchPage(url, signal)
      : { ok: false, status: 'unreadable', message: `${loaded.message}.` };
  };
  // Without the file no preference helps, and its failure says what does. Enumerable, like what others copy from a port.
  Object.defineProperty(search, 'remedy', {
    get: () => (isBroken ? undefined : remedy),
    enumerable: true,
  });
  return {
    search: scope === undefined ? search : Object.assign(search, { scope }),
    fetchPage,
    readFile: async (path, signal) => {
      const loaded = web();
      return loaded.ok ? await loaded.ports.readFile(path, signal) : asSentence(loaded);
    },
    checkFile: async (path, signal) => {
      const loaded = web();
      return loaded.ok ? await loaded.ports.checkFile(path, signal) : asSentence(loaded);
    },
  };
}

function asSentence({ message }: { message: string }): { ok: false; message: string } {
  return { ok: false, message: `${message}.` };
}

function load(options: WebOptions): Loaded {
  const { assetsPath } = options;
  if (!existsSync(join(assetsPath, FILE))) return unusable('are missing', '');
  try {
    // The path is made at run time, so that the bundler leaves the file where it is.
    const found: unknown = createRequire(`${assetsPath}/`)(`./${FILE}`);
    const module = ModuleSchema.safeParse(found);
    const made = module.success
      ? PortsSchema.safeParse(module.data.createWebPorts(options))
      : module;
    return made.success
      ? { ok: true, ports: made.data }
      : unusable('do not belong to this version', '');
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return unusable('cannot be loaded', said.split('\n', 1)[0]?.slice(0, MAX_REASON) ?? '');
  }
}

function unusable(what: string, reason: string): Loaded {
  const named = reason === '' ? `assets/${FILE}` : `assets/${FILE}: ${reason}`;
  return {
    ok: false,
    message: `Lam's web tools ${what} (${named}); reinstall Lam, or run npm run prepare`,
  };
}
