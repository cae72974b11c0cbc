import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type BuildOptions } from 'esbuild';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** A part of a bundle: a package, or a folder of the project. */
export interface Share {
  name: string;
  bytes: number;
}

/** Bytes of a built file. */
export const sizeOf = (bundleDir: string, file: string): number =>
  statSync(join(bundleDir, file)).size;

/** What a bundle of `entry` is made of, largest first. Built again in memory, because `vici build` keeps no account of it. */
export async function composition(
  entry: string,
  more: Pick<BuildOptions, 'mainFields'> = {},
): Promise<Share[]> {
  const { metafile } = await build({
    absWorkingDir: PROJECT_DIR,
    entryPoints: [entry],
    bundle: true,
    external: ['react', '@vicinae/api', '@raycast/api', 'canvas'],
    format: 'cjs',
    platform: 'node',
    minify: true,
    outdir: 'unwritten',
    write: false,
    metafile: true,
    ...more,
  });
  const bytes = new Map<string, number>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const name = ownerOf(path);
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
    }
  }
  return [...bytes]
    .map(([name, size]) => ({ name, bytes: size }))
    .sort((one, other) => other.bytes - one.bytes);
}

/** `node_modules/a/b.js` belongs to the package `a`, `src/lib/maths/tree.ts` to `src/lib`. */
function ownerOf(path: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return inPackage ?? path.split('/').slice(0, 2).join('/');
}
