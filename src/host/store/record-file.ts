import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { BigIntStats } from 'node:fs';

import writeFileAtomic from 'write-file-atomic';

import { spokenTitle } from './damage';
import { decodeConversation, type DecodedRecord } from './decode';
import { errorCode, ShortWriteError } from './failure';

/** Bytes of a record that is still read. A long conversation with its pages is below 5 MB; beyond this, parsing would stall the window. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Milliseconds after which a left-over temporary file is removed: long past any write that could still be using it. */
const LEFTOVER_AGE_MS = 60 * 60_000;

/** Conversations are private: nobody but their owner may read them. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** What stands at a record's path. `stamp` identifies this very version of the file; '' when there is none. */
export type Disk =
  | { kind: 'none'; stamp: '' }
  | { kind: 'unreadable'; stamp: string; /** As in "it is empty". */ reason: string }
  | { kind: 'record'; stamp: string; record: DecodedRecord };

/** Where everything of the store lies. */
export interface StorePaths {
  conversations: string;
  setAside: string;
  index: string;
  trash: string;
  /** @param id a valid id, see isConversationId */
  record(id: string): string;
  /** @param id a valid id */
  lock(id: string): string;
  /** Folder of the conversation's own copies of images. @param id a valid id */
  attachments(id: string): string;
}

export function storePaths(supportPath: string): StorePaths {
  const conversations = join(supportPath, 'conversations');
  const record = (id: string) => join(conversations, `${id}.json`);
  return {
    conversations,
    setAside: join(supportPath, 'set-aside'),
    index: join(supportPath, 'index.json'),
    trash: join(supportPath, 'trash'),
    record,
    lock: (id) => `${record(id)}.lock`,
    attachments: (id) => join(supportPath, 'attachments', id),
  };
}

/** Ids become file names, so they hold nothing a path could be made of. */
export function isConversationId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const stampFrom = (stats: BigIntStats) => `${stats.mtimeNs}-${stats.size}-${stats.ino}`;

/**
 * Identifies one version of a file by time, size and inode: every save renames a new inode into place, so two
 * versions never share a stamp.
 *
 * @returns '' when there is no file
 */
export function stampOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : stampFrom(stats);
}

/** Text of the bytes, and whether every one of them was UTF-8. */
function decodeText(bytes: Buffer): { text: string; whole: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), whole: true };
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes), whole: false };
  }
}

function decodeBytes(bytes: Buffer, id: string, stats: BigIntStats): Disk {
  const stamp = stampFrom(stats);
  const unreadable = (reason: string): Disk => ({ kind: 'unreadable', stamp, reason });
  if (bytes.length === 0) return unreadable('it is empty');
  const { text, whole } = decodeText(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('it is not JSON');
  }
  const outcome = decodeConversation(value, id, Number(stats.mtimeMs));
  if (!outcome.ok) return unreadable(outcome.reason);
  const { conversation, extras } = outcome;
  const problems = [...outcome.problems];
  if (!whole) {
    problems.push(
      `Some characters in “${spokenTitle(conversation.title)}” could not be read; the original is kept (copied to set-aside before anything is saved).`,
    );
  }
  return { kind: 'record', stamp, record: { conversation, problems, extras } };
}

/**
 * Reads a record, whatever stands at its path; never throws. Symbolic links, folders, pipes and files over
 * MAX_FILE_BYTES are not read.
 */
export function readRecordFile(path: string, id: string): Disk {
  let stamp = '?'; // never equal to a real stamp: nothing is committed over what could not even be looked at
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return { kind: 'none', stamp: '' };
    stamp = stampFrom(found);
    if (!found.isFile()) return { kind: 'unreadable', stamp, reason: 'it is not a regular file' };
    // Without O_NONBLOCK, opening a pipe put there between the two calls would wait for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(path, flags);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      if (!stats.isFile()) return { kind: 'unreadable', stamp, reason: 'it is not a regular file' };
      if (stats.size > BigInt(MAX_FILE_BYTES)) {
        return { kind: 'unreadable', stamp, reason: 'it is larger than 64 MB' };
      }
      return decodeBytes(readFileSync(descriptor), id, stats);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'none', stamp: '' };
    const code = errorCode(error);
    const denied = code === 'EACCES' || code === 'EPERM';
    const reason = denied
      ? 'Lam has no permission to read it'
      : `reading it failed (${code === '' ? 'unknown error' : code})`;
    return { kind: 'unreadable', stamp, reason };
  }
}

/** Makes a folder that only its owner can enter; one that exists is closed to others if the system lets us. */
export function ensureFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  try {
    if ((statSync(path).mode & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE);
  } catch {
    // A folder on a file system without modes, or of another user: writing will tell whether it matters.
  }
}

const stagedName = (path: string) => `${path}.${randomBytes(6).toString('hex')}.staged`;

/**
 * write-file-atomic 7.0.1 calls write(2) once and does not look at how much was written: on a full disk, or at a file size
 * limit, it renames a truncated file into place and reports success (seen with `ulimit -f`). So nothing
 * is put in place before its length was checked.
 */
function checkLength(staged: string, text: string): void {
  const { size } = statSync(staged);
  if (size === Buffer.byteLength(text)) return;
  discard(staged);
  throw new ShortWriteError(`wrote ${size} of ${Buffer.byteLength(text)} bytes`);
}

/**
 * Writes a complete, synced file beside `path`, ready to be renamed into place.
 *
 * @returns the path of the staged file
 * @throws file system errors; nothing is left behind then
 */
export async function stageFile(path: string, text: string): Promise<string> {
  ensureFolder(dirname(path));
  const staged = stagedName(path);
  await writeFileAtomic(staged, text, { mode: FILE_MODE, fsync: true });
  checkLength(staged, text);
  return staged;
}

/** As stageFile, blocking. */
export function stageFileSync(path: string, text: string): string {
  ensureFolder(dirname(path));
  const staged = stagedName(path);
  writeFileAtomic.sync(staged, text, { mode: FILE_MODE, fsync: true });
  checkLength(staged, text);
  return staged;
}

/** Removes a staged file that will not be used; never throws. */
export function discard(staged: string): void {
  try {
    unlinkSync(staged);
  } catch {
    // Swept when it is old.
  }
}

/** Removes what a killed writer left in a folder: files that match and are older than an hour. Never throws. */
export function sweepLeftovers(folder: string, pattern: RegExp): void {
  try {
    for (const name of readdirSync(folder).filter((entry) => pattern.test(entry))) {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() && Date.now() - stats.mtimeMs > LEFTOVER_AGE_MS) discard(path);
    }
  } catch {
    // No folder yet, or one that may not be listed: nothing to sweep.
  }
}

/**
 * Copies a damaged record, byte for byte, before it is written over for the first time.
 *
 * @throws file system errors: then the record must not be written over
 */
export function setAside(paths: StorePaths, id: string, now: number): void {
  ensureFolder(paths.setAside);
  for (let timestamp = Math.trunc(now); ; timestamp += 1) {
    const target = join(paths.setAside, `${id}.${timestamp}.json`);
    try {
      copyFileSync(paths.record(id), target, constants.COPYFILE_EXCL);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw error;
    }
    const descriptor = openSync(target, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    chmodSync(target, FILE_MODE);
    return;
  }
}

/** The copies that setAside made of one conversation. */
export function setAsideCopies(paths: StorePaths, id: string): string[] {
  try {
    return readdirSync(paths.setAside)
      .filter((name) => name.startsWith(`${id}.`) && /^\d+\.json$/.test(name.slice(id.length + 1)))
      .map((name) => join(paths.setAside, name));
  } catch {
    return [];
  }
}
