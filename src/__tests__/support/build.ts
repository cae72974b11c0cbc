import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the built extension; `await buildBundle()` gives the same one. */
    bundleDir: string;
  }
}

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE_DIR = join(PROJECT_DIR, 'node_modules/.cache/lam-bundle');
/** Makes the files under assets/ that are generated from src. */
const BUILD_ASSETS = '.ci/build-assets.mjs';
/** What the build reads. */
const INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  BUILD_ASSETS,
  'assets',
  'src',
];
/** Folders under src that are in no bundle. */
const OUTSIDE = new Set(['__tests__', '__demo__', '__bench__']);
/** Builds of other states that are kept, newest first: somebody may be testing with one. */
const KEPT = 3;
const POLL_MS = 200;

/** For vitest's `globalSetup`: builds before the first test and provides `bundleDir`. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('bundleDir', await buildBundle());
}

/**
 * Builds the generated assets and then, with `vici build`, the extension, and resolves with the folder: `<command>.js`, `package.json`, `assets/`. A build of
 * the same sources is used again, and processes that ask at the same time share one build. Rejects with the
 * output of the build when it fails.
 */
export async function buildBundle(): Promise<string> {
  const outDir = join(CACHE_DIR, sourceHash());
  const lock = `${outDir}.lock`;
  mkdirSync(CACHE_DIR, { recursive: true });
  while (!existsSync(outDir)) {
    if (!takeLock(lock)) {
      await delay(POLL_MS);
      continue;
    }
    try {
      await build(outDir);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
    prune(outDir);
  }
  return outDir;
}

async function build(outDir: string): Promise<void> {
  const unfinished = `${outDir}.${process.pid}.part`;
  try {
    await promisify(execFile)(process.execPath, [BUILD_ASSETS], { cwd: PROJECT_DIR });
    await promisify(execFile)(
      join(PROJECT_DIR, 'node_modules/.bin/vici'),
      ['build', '-o', unfinished],
      { cwd: PROJECT_DIR, maxBuffer: 16 * 1024 * 1024 },
    );
    renameSync(unfinished, outDir); // whole or not at all: another process may be looking
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`The build failed:\n${outputOf(error)}`, { cause: error });
  }
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stdout = 'stdout' in error ? String(error.stdout) : '';
  const stderr = 'stderr' in error ? String(error.stderr) : '';
  return `${stdout}\n${stderr}`.trim() || error.message;
}

/** One process builds; a lock whose owner died is taken over. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    mkdirSync(join(lock, String(process.pid)));
    return true;
  } catch {
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isAbandoned(lock: string): boolean {
  try {
    const [owner] = readdirSync(lock);
    if (owner === undefined) return Date.now() - statSync(lock).mtimeMs > 10 * POLL_MS;
    process.kill(Number(owner), 0); // only asks whether it lives
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const input of INPUTS) hashPath(hash, input);
  return hash.digest('hex').slice(0, 16);
}

function hashPath(hash: ReturnType<typeof createHash>, path: string): void {
  const full = join(PROJECT_DIR, path);
  if (!existsSync(full)) return;
  if (!statSync(full).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
    return;
  }
  for (const name of readdirSync(full).sort())
    if (!isLeftOut(path, name)) hashPath(hash, join(path, name));
}

/** Neither tests nor what is generated: a change of either is no other extension. */
function isLeftOut(folder: string, name: string): boolean {
  return (
    (folder === 'src' && OUTSIDE.has(name)) || (folder === 'assets' && !/\.(?:png|svg)$/.test(name))
  );
}

function prune(outDir: string): void {
  const builds = readdirSync(CACHE_DIR)
    .filter((name) => !name.includes('.'))
    .map((name) => join(CACHE_DIR, name))
    .filter((dir) => dir !== outDir)
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const old of builds.slice(KEPT)) rmSync(old, { recursive: true, force: true });
}
