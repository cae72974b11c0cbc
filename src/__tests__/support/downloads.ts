import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder that Lam exports to. */
export interface Downloads {
  /** The path of a file in it. */
  path: (name: string) => string;
  /** Names of the files in it; one that is still being written is hidden. */
  names: () => string[];
  text: (name: string) => string;
}

/** Makes the folder for downloads of a home folder in which nothing says where it is. */
export function makeDownloads(home: string): Downloads {
  const path = (name: string): string => join(home, 'Downloads', name);
  mkdirSync(path(''));
  return {
    path,
    names: () =>
      readdirSync(path(''))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    text: (name) => readFileSync(path(name), 'utf8'),
  };
}
