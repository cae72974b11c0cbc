import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { link, open, rename, stat, unlink, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { ExportPort } from './session/ports';
import { errorCode, fileFailure } from './store/failure';

/** Bytes of a file that is imported. Ten thousand conversations with their pages are about 200 MB. */
const MAX_IMPORT_BYTES = 512 * 1024 * 1024;

/** Files of one name that are numbered before Lam gives up. */
const MAX_NUMBER = 999;

/**
 * The folder for downloads: the one in `user-dirs.dirs` (freedesktop.org, xdg-user-dirs), else `Downloads` in the home
 * folder, else the home folder itself.
 *
 * @param home the home folder
 * @param configHome `$XDG_CONFIG_HOME`, or the folder that stands for it
 *
 * @public
 */
export function downloadFolder(home: string, configHome: string): string {
  const folders = [setFolder(home, configHome), join(home, 'Downloads')];
  return folders.find((folder) => folder !== undefined && existsSync(folder)) ?? home;
}

function setFolder(home: string, configHome: string): string | undefined {
  try {
    const text = readFileSync(join(configHome, 'user-dirs.dirs'), 'utf8');
    const value = /^\s*XDG_DOWNLOAD_DIR="([^"\n]*)"/mu.exec(text)?.[1];
    if (value === undefined) return undefined;
    const path = value.replace(/^\$HOME(?=\/|$)/u, home);
    return path.startsWith('/') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** In a worker `homedir` does not heed the environment it was started with. */
const home = (): string => process.env.HOME ?? homedir();

/** A file name out of a title: what no file system takes, and what hides a file or looks like a path, becomes a space. */
export function fileNameOf(title: string): string {
  const name = title
    // eslint-disable-next-line no-control-regex -- control characters are what must go
    .replace(/[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/^[.\s]+|[.\s]+$/gu, '');
  let short = '';
  for (const point of name) {
    if (Buffer.byteLength(short + point) > MAX_NAME_BYTES) break;
    short += point;
  }
  short = short.trimEnd();
  return short === '' ? 'Conversation' : short;
}

/** Bytes of a file name without its ending and number; file systems take 255. */
const MAX_NAME_BYTES = 180;

/** Writes into the folder for downloads, and reads what is imported. */
export function createExports(
  folder: () => string = () =>
    downloadFolder(home(), process.env.XDG_CONFIG_HOME ?? join(home(), '.config')),
): ExportPort {
  return {
    async write(name, chunks) {
      const target = folder();
      const unfinished = join(target, `.lam-${randomBytes(6).toString('hex')}.part`);
      try {
        const file = await open(unfinished, 'wx', 0o600);
        try {
          for await (const chunk of chunks) await file.writeFile(chunk);
          await file.sync();
        } finally {
          await file.close();
        }
        return { ok: true, path: await placed(unfinished, target, name) };
      } catch (error) {
        await unlink(unfinished).catch(() => undefined);
        return {
          ok: false,
          message: fileFailure(error, 'could not be written', join(target, name)),
        };
      }
    },
    async read(path) {
      try {
        const stats = await stat(path);
        if (!stats.isFile()) return { ok: false, message: `${path} is not a file.` };
        if (stats.size > MAX_IMPORT_BYTES)
          return {
            ok: false,
            message: `${path} is larger than 512 MB, which is more than Lam reads.`,
          };
        return { ok: true, text: await readFile(path, 'utf8') };
      } catch (error) {
        return { ok: false, message: fileFailure(error, 'could not be read', path) };
      }
    },
  };
}

/** Puts the written file under its name, or under a numbered one where there is such a file. Nothing is written over. */
async function placed(unfinished: string, folder: string, name: string): Promise<string> {
  const dot = name.lastIndexOf('.');
  for (let number = 1; number <= MAX_NUMBER; number += 1) {
    const numbered = number === 1 ? name : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
    const path = join(folder, numbered);
    try {
      await link(unfinished, path);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') continue;
      // File systems without hard links (exFAT, some network shares).
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if (existsSync(path)) continue;
      await rename(unfinished, path);
      return path;
    }
    await unlink(unfinished);
    return path;
  }
  throw new Error(`there are ${MAX_NUMBER} files of this name`);
}
