import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build, type BuildOptions } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

import { openPane, type OpenPaneOptions, type Pane } from './pane';

/** What is bundled: a file of the sources, or a text in TSX that imports from the root of the project. */
export type BundleSource = { file: string } | { tsx: string };

export interface ViewPanes {
  /** The extension's folder: empty when a test begins. */
  readonly supportPath: string;
  /** Opens a command; it ends with the test. */
  open: (command: string, options?: Partial<OpenPaneOptions>) => Promise<Pane>;
}

/**
 * Panes for commands that are built once for the tests of the file that calls this, from what is in the sources now and
 * without `vici build`.
 *
 * @param sources the commands by their names
 * @param assets generated files of them by their names under `assets/`; none = there are none
 */
export function viewPanes(
  sources: Record<string, BundleSource>,
  assets: Record<string, string> = {},
): ViewPanes {
  let bundleDir: string;
  let supportPath: string;
  const panes: Pane[] = [];

  beforeAll(async () => {
    bundleDir = mkdtempSync(join(tmpdir(), 'lam-views-'));
    for (const [name, source] of Object.entries(sources))
      await bundle(source, join(bundleDir, `${name}.js`), { external: ['react', '@vicinae/api'] });
    // As .ci/build-assets.mjs does it.
    for (const [name, file] of Object.entries(assets))
      await bundle({ file }, join(bundleDir, 'assets', name), {
        mainFields: ['module', 'main'],
        conditions: ['import'],
      });
    const commands = Object.keys(sources).map((name) => ({ name, mode: 'view' }));
    const manifest = { name: 'lam', author: 'lam', commands };
    writeFileSync(join(bundleDir, 'package.json'), JSON.stringify(manifest));
  });
  afterAll(() => {
    rmSync(bundleDir, { recursive: true, force: true });
  });
  beforeEach(() => {
    supportPath = mkdtempSync(join(tmpdir(), 'lam-support-'));
  });
  afterEach(async () => {
    await Promise.all(panes.splice(0).map((pane) => pane.kill()));
    rmSync(supportPath, { recursive: true, force: true });
  });

  return {
    get supportPath() {
      return supportPath;
    },
    async open(command, options = {}) {
      const pane = await openPane({
        bundleDir,
        command,
        supportPath,
        unloadGraceMs: 200,
        ...options,
      });
      panes.push(pane);
      return pane;
    },
  };
}

async function bundle(source: BundleSource, outfile: string, options: BuildOptions): Promise<void> {
  const entry: BuildOptions =
    'file' in source
      ? { entryPoints: [source.file] }
      : {
          stdin: {
            contents: source.tsx,
            loader: 'tsx',
            resolveDir: process.cwd(),
            sourcefile: 'command.tsx',
          },
        };
  await build({
    ...entry,
    ...options,
    bundle: true,
    outfile,
    format: 'cjs',
    platform: 'node',
    jsx: 'automatic',
  });
}
