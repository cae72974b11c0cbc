import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Builds the command of this folder into `outDir`, with the options of `vici build`. */
export async function buildShelf(outDir: string): Promise<void> {
  await build({
    bundle: true,
    entryPoints: [join(HERE, 'command.tsx')],
    external: ['react', '@vicinae/api'],
    format: 'cjs',
    outdir: outDir,
    platform: 'node',
    minify: true,
    jsx: 'automatic',
  });
  mkdirSync(join(outDir, 'assets'), { recursive: true });
  cpSync(join(HERE, 'package.json'), join(outDir, 'package.json'));
}
