import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Builds the fixture extension into `outDir` with the options of `vici build`, so that the host's tests need no product. */
export async function buildFixture(outDir: string): Promise<void> {
  await build({
    bundle: true,
    entryPoints: ['tour', 'broken', 'controls'].map((command) =>
      join(HERE, 'src', `${command}.tsx`),
    ),
    external: ['react', '@vicinae/api', '@raycast/api'],
    format: 'cjs',
    outdir: outDir,
    platform: 'node',
    minify: true,
    jsx: 'automatic',
  });
  mkdirSync(join(outDir, 'assets'), { recursive: true });
  cpSync(join(HERE, 'package.json'), join(outDir, 'package.json'));
}
