import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const COMMAND = fileURLToPath(new URL('empty-command.tsx', import.meta.url));

/**
 * Builds an extension with one command (`empty`) that draws an empty list, with the options of `vici build`, and calls
 * `run` with its folder. The folder is removed afterwards.
 */
export async function withEmptyExtension<T>(run: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'lam-bench-empty-'));
  try {
    await build({
      bundle: true,
      entryPoints: [COMMAND],
      external: ['react', '@vicinae/api', '@raycast/api'],
      format: 'cjs',
      outfile: join(dir, 'empty.js'),
      platform: 'node',
      minify: true,
      jsx: 'automatic',
    });
    const manifest = {
      name: 'empty',
      author: 'nobody',
      commands: [{ name: 'empty', mode: 'view' }],
    };
    writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
    return await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
