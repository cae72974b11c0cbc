import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inject } from 'vitest';

/** A copy of the built bundle of which a test may spoil the generated files, by their names under `assets/`. */
export interface BundleCopy {
  bundleDir: string;
  remove: (file: string) => void;
  /** Leaves the beginning of it. */
  cut: (file: string) => void;
  replace: (file: string, text: string) => void;
  /** Puts the file back as `npm run prepare` does, whole or not at all. */
  repair: (file: string) => void;
}

/** Bytes that are left of a file that is cut off: less than half of the smallest, so that it ends in the middle of its code. */
const CUT_BYTES = 20_000;

/** @param bundleDir an empty folder */
export function copyBundle(bundleDir: string): BundleCopy {
  const built = inject('bundleDir');
  cpSync(built, bundleDir, { recursive: true });
  const asset = (file: string): string => join(bundleDir, 'assets', file);
  return {
    bundleDir,
    remove(file) {
      rmSync(asset(file));
    },
    cut(file) {
      writeFileSync(asset(file), readFileSync(asset(file)).subarray(0, CUT_BYTES));
    },
    replace(file, text) {
      writeFileSync(asset(file), text);
    },
    repair(file) {
      cpSync(join(built, 'assets', file), `${asset(file)}.part`);
      renameSync(`${asset(file)}.part`, asset(file));
    },
  };
}
