import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, relative, sep } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import { cleanName } from './document-name';
import { errorCode, fileFailure } from '../store/failure';

/** Folders at most: each is walked through at every look. */
const MAX_FOLDERS = 50;

/** UTF-16 units of a folder's name as the model sees it. */
const MAX_NAME_UNITS = 60;

/** Said of a folder that was real when it was chosen: whoever can write beside it must not choose another one for the person. */
export const LINKED = 'It is a link to another place now: remove it and choose it again.';

/** A folder whose documents may be searched. */
export interface Folder {
  /** Absolute real path, or as it was chosen while it is not there. */
  path: string;
  /** What its documents' names begin with; each folder has another one. Foreign text. */
  name: string;
  /** Set in the preferences: it cannot be removed here. */
  fixed: boolean;
  /** One sentence. What was read of it before is found meanwhile, since a drive may come back; nothing of it can be read on. */
  problem?: string;
}

export type FolderChange = { ok: true } | { ok: false; /** One sentence. */ message: string };

const FileSchema = z.object({
  version: z.literal(1),
  folders: z.array(
    z.object({ path: z.string().check(z.minLength(1)), name: z.string().check(z.minLength(1)) }),
  ),
});
type Stored = z.infer<typeof FileSchema>['folders'];

/** The folders a person has chosen: those added here, in `<supportPath>/documents/folders.json`, and the one of the preferences. */
export interface Folders {
  /** True when there is one, whether it is there now or not. Reads one small file at most. */
  any(): boolean;
  /** Never throws. Looks at the disk: a folder that is gone says so. */
  list(): Folder[];
  /** Those of them that are looked through; one that is not there now is among them, since it may come back. One that became a link is not. */
  usable(): Folder[];
  /** @param path absolute, or beginning with `~/`; links in it are followed once, now */
  add(path: string): FolderChange;
  /** @param path as in `Folder` */
  remove(path: string): FolderChange;
  /** One sentence when the file of folders could not be read; it is kept beside the new one. */
  problem(): string | undefined;
}

/**
 * @param fixed the folder of the preferences; empty = none
 * @param mayLook whether the files of a folder may be listed and opened. Permissions do not hold for root
 */
export function createFolders(supportPath: string, fixed = '', mayLook = isAllowed): Folders {
  const home = join(supportPath, 'documents');
  const file = join(home, 'folders.json');
  let problem: string | undefined;

  function stored(): Stored {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        problem = fileFailure(error, 'of chosen folders could not be read', file);
      return [];
    }
    const parsed = z.safeParse(FileSchema, jsonOf(text));
    if (parsed.success) return parsed.data.folders;
    setAside();
    return [];
  }

  function setAside(): void {
    const aside = join(home, `folders.damaged-${Date.now().toString(36)}.json`);
    try {
      renameSync(file, aside);
      problem = `The list of chosen folders was damaged and is kept as ${aside}: choose the folders again.`;
    } catch (error) {
      problem = fileFailure(error, 'of chosen folders is damaged and could not be moved', file);
    }
  }

  /** The folders as they stand now, and which of them may be looked through. */
  function looked(): { all: Folder[]; usable: Folder[] } {
    const all: Folder[] = [];
    const usable: Folder[] = [];
    const put = (folder: Omit<Folder, 'problem'>, found: Looked): void => {
      const { path } = folder;
      const isLinked = found.path !== undefined && found.path !== path;
      const refused = isLinked ? LINKED : refusal(path, supportPath);
      const problem = refused ?? found.problem;
      const row = { ...folder, ...(problem === undefined ? {} : { problem }) };
      all.push(row);
      if (refused === undefined) usable.push(row);
    };
    const fixedPath = expanded(fixed);
    if (fixedPath !== '') {
      const found = lookAt(fixedPath, mayLook);
      const path = found.path ?? fixedPath;
      put({ path, name: freeName(path, all), fixed: true }, found);
    }
    for (const { path, name } of stored()) {
      // What the preferences name as well, or hold, is there already.
      if (all.some((other) => holds(other.path, path))) continue;
      const own = all.some((other) => other.name === name) ? freeName(path, all) : name;
      put({ path, name: own, fixed: false }, lookAt(path, mayLook));
    }
    return { all, usable };
  }

  const list = (): Folder[] => looked().all;

  function save(folders: Stored): FolderChange {
    try {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`;
      writeFileAtomic.sync(file, text, { mode: 0o600 });
      return { ok: true };
    } catch (error) {
      return {
        ok: false,
        message: fileFailure(error, 'of chosen folders could not be saved', file),
      };
    }
  }

  function add(path: string): FolderChange {
    const wanted = expanded(path);
    if (!isAbsolute(wanted)) return { ok: false, message: notFull(path) };
    const found = lookAt(wanted, mayLook);
    if (found.problem !== undefined) return { ok: false, message: found.problem };
    const real = found.path;
    const refused = refusal(real, supportPath);
    if (refused !== undefined) return { ok: false, message: refused };
    const all = list();
    const same = all.find((folder) => folder.path === real);
    if (same !== undefined) return { ok: false, message: `${real} is chosen already.` };
    const outer = all.find((folder) => holds(folder.path, real));
    if (outer !== undefined)
      return { ok: false, message: `${real} is inside ${outer.path}, which is chosen already.` };
    const inner = all.find((folder) => holds(real, folder.path));
    if (inner !== undefined) {
      const message = `${real} holds ${inner.path}, which is chosen already: remove that one first.`;
      return { ok: false, message };
    }
    if (all.length >= MAX_FOLDERS)
      return { ok: false, message: `At most ${MAX_FOLDERS} folders can be chosen.` };
    return save([...stored(), { path: real, name: freeName(real, all) }]);
  }

  function remove(path: string): FolderChange {
    const before = stored();
    const left = before.filter((folder) => folder.path !== path);
    if (left.length < before.length) return save(left);
    const message = list().some((folder) => folder.path === path)
      ? `${path} is set in the preferences of Lam: remove it there.`
      : `${path} is not among the chosen folders.`;
    return { ok: false, message };
  }

  const any = (): boolean => expanded(fixed) !== '' || stored().length > 0;

  const usable = (): Folder[] => looked().usable;

  return { any, list, usable, add, remove, problem: () => problem };
}

/** True when `inner` is `outer` or lies below it. */
export function holds(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expanded(path: string): string {
  const trimmed = path.trim();
  return trimmed === '~' || trimmed.startsWith('~/') ? join(homedir(), trimmed.slice(1)) : trimmed;
}

/** The real path of a folder, as far as it is known, and one sentence where it cannot be looked through. */
type Looked = { path: string; problem?: undefined } | { path?: string; problem: string };

function lookAt(path: string, mayLook: (path: string) => boolean): Looked {
  // What a relative path names depends on where the launcher was started.
  if (!isAbsolute(path)) return { problem: notFull(path) };
  try {
    const real = realpathSync(path);
    if (!statSync(real).isDirectory()) return { problem: `${path} is not a folder.` };
    return mayLook(real) ? { path: real } : { path: real, problem: forbidden(path) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { problem: `There is no folder ${path} now.` };
    if (code === 'EACCES' || code === 'EPERM') return { problem: forbidden(path) };
    return { problem: `The folder ${path} cannot be looked into: ${code}.` };
  }
}

const notFull = (path: string): string => `“${path}” is not the full path of a folder.`;

const forbidden = (path: string): string =>
  `Lam may not look into ${path}: change the permissions of the folder.`;

/** Listing a folder needs the right to read it; opening what is in it, the right to enter it. */
function isAllowed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Why a folder is not taken. The home folder is: many people keep everything there, and what is hidden is left out. */
function refusal(real: string, supportPath: string): string | undefined {
  if (!isAbsolute(real)) return notFull(real);
  if (real === sep)
    return 'The whole file system is too much to look through: choose a folder in it.';
  if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(real))
    return `${real} holds no documents, but what the system shows of itself: choose another folder.`;
  if (holds(realOr(supportPath), real))
    return `${real} is where Lam keeps its own files: choose another folder.`;
  return undefined;
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The folder's own name, as it can be shown, with a number if another one has it: `notes`, `notes (2)`. */
function freeName(path: string, taken: readonly Folder[]): string {
  const own = cleanName(basename(path).slice(0, MAX_NAME_UNITS)) || 'folder';
  const isTaken = (name: string) => taken.some((folder) => folder.name === name);
  let name = own;
  for (let number = 2; isTaken(name); number += 1) name = `${own} (${number})`;
  return name;
}
