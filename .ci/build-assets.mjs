// Builds src/bundles/<name>.ts into assets/<name>.js: the parts only some turns need, loaded on first use.
// Runs as npm's `prepare`, so a plain `npm ci` before `vici build` is enough.
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const names = readdirSync(join(root, 'src/bundles'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
const output = (name) => join(root, 'assets', `${name}.js`);

let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  // `npm ci --omit=dev`: fine as long as the files are there from an earlier build.
  const absent = names.filter((name) => !existsSync(output(name)));
  if (absent.length > 0) {
    console.error(
      `build-assets: esbuild is not installed, and ${absent.map((name) => `assets/${name}.js`).join(', ')} must be built. Run npm ci with devDependencies.`,
    );
    process.exit(1);
  }
  console.warn('build-assets: esbuild is not installed; the files already under assets/ are kept.');
  process.exit(0);
}

// linkedom asks for the optional package `canvas`; its own shim is built in, so nothing is looked up at run time.
const linkedom = dirname(
  createRequire(join(root, 'package.json')).resolve('linkedom/package.json'),
);

const { outputFiles } = await esbuild.build({
  absWorkingDir: root,
  entryPoints: names.map((name) => `src/bundles/${name}.ts`),
  outdir: 'assets',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  mainFields: ['module', 'main'],
  conditions: ['import'],
  alias: { canvas: join(linkedom, 'commonjs/canvas-shim.cjs') },
  legalComments: 'eof',
  logLevel: 'warning',
  write: false,
});

for (const { path, contents } of outputFiles) {
  // Whole or not at all: a test that runs meanwhile may be loading the file.
  const unfinished = `${path}.${process.pid}.part`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}

for (const name of names)
  console.log(`assets/${name}.js ${Math.round(statSync(output(name)).size / 1000)} KB`);
