import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import * as z from 'zod/mini';

import { errorCode, storageFailure } from './failure';
import { withLock } from './lock';
import {
  ensureFolder,
  isConversationId,
  readRecordFile,
  setAsideCopies,
  storePaths,
  type Disk,
  type StorePaths,
} from './record-file';

/** Milliseconds that a deleted conversation is kept: long enough to miss it. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Milliseconds after which a folder without a record is a left-over, not a deletion under way. */
const LEFTOVER_AGE_MS = 60 * 60_000;

/** Folders looked at before the window may draw. */
const FOLDERS_A_TICK = 100;

/** Folders that are being removed: whatever is in them is gone for good. */
const REMOVED = /^\.removed-/;

const FactsSchema = z.object({
  version: z.literal(1),
  /** Milliseconds since the epoch. */
  deletedAt: z.number(),
  title: z.string(),
  /** Number of exchanges, variants among them. */
  turns: z.number(),
  /** Number of its own copies of images. */
  files: z.number(),
  /** Why it cannot be opened, as in "it is not JSON"; absent when it can. */
  reason: z.optional(z.string()),
});

type Facts = z.infer<typeof FactsSchema>;

/** A deleted conversation that can still be restored. */
export interface TrashEntry extends Omit<Facts, 'version'> {
  /** Names it in the trash: the conversation's id, or `<id>.2` and so on for one that was deleted again. */
  id: string;
  /** When it is removed for good, in milliseconds since the epoch. */
  removedAt: number;
}

/** The trash, what was deleted last first. */
export interface TrashListing {
  entries: TrashEntry[];
  /** One sentence; present when the trash cannot be read. */
  problem?: string;
}

/** What became of an operation on the trash. */
type TrashOutcome = { kind: 'done' } | { kind: 'failed'; message: string };

const NOT_THERE = 'This conversation is no longer in the trash.';
const BUSY = 'The conversation is busy: another start of Lam is writing it. Try again.';

/** The conversation's id in a name of the trash; undefined for anything that is none. */
export function conversationIdOf(name: string): string | undefined {
  const id = name.replace(/\.\d{1,9}$/, '');
  return isConversationId(id) ? id : undefined;
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Nothing there, or a file in its place: it holds no names.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Moves the files of one folder into another; one that is there already stays as it is. */
function moveFiles(from: string, to: string): void {
  const names = namesIn(from);
  if (names.length > 0) ensureFolder(to);
  for (const name of names)
    if (!isThere(join(to, name))) renameSync(join(from, name), join(to, name));
}

/** A new folder in the trash, named after the conversation. */
function newFolder(paths: StorePaths, id: string): string {
  ensureFolder(paths.trash);
  for (let number = 1; ; number += 1) {
    const path = join(paths.trash, number === 1 ? id : `${id}.${number}`);
    try {
      mkdirSync(path, { mode: 0o700 });
      return path;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Moves what belongs to the conversation beside its record. What cannot be moved stays where it is, for the next look at the trash. */
function gather(paths: StorePaths, folder: string, id: string): void {
  try {
    const copies = setAsideCopies(paths, id);
    if (copies.length > 0) ensureFolder(join(folder, 'set-aside'));
    for (const copy of copies) renameSync(copy, join(folder, 'set-aside', basename(copy)));
    moveFiles(paths.attachments(id), join(folder, 'attachments'));
    rmSync(paths.attachments(id), { recursive: true, force: true });
  } catch {
    // See above.
  }
}

function factsOf(folder: string, disk: Disk, deletedAt: number): Facts {
  const files = namesIn(join(folder, 'attachments')).length;
  const about =
    disk.kind === 'record'
      ? { title: disk.record.conversation.title, turns: disk.record.conversation.turns.length }
      : { title: 'Unreadable conversation', turns: 0 };
  const reason = disk.kind === 'unreadable' ? disk.reason : undefined;
  return { version: 1, deletedAt, ...about, files, reason };
}

/** Written last: a folder without it was left by a kill in the middle of a deletion. */
function writeFacts(folder: string, facts: Facts): void {
  try {
    writeFileSync(join(folder, 'trash.json'), `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  } catch {
    // They are worked out again from the record.
  }
}

function readFacts(folder: string): Facts | undefined {
  try {
    const text = readFileSync(join(folder, 'trash.json'), 'utf8');
    const parsed = z.safeParse(FactsSchema, JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a record, whatever stands at its path, to the trash; with one rename it is gone from the list. To be called under the lock
 * of the record.
 *
 * @param disk what the record held when it was last looked at, for its title
 * @param now milliseconds since the epoch
 * @throws file system errors: then the record is where it was
 */
export function moveToTrash(paths: StorePaths, id: string, disk: Disk, now: number): void {
  const folder = newFolder(paths, id);
  try {
    renameSync(paths.record(id), join(folder, 'record.json'));
  } catch (error) {
    rmdirSync(folder);
    if (errorCode(error) === 'ENOENT') return; // somebody else was faster
    throw error;
  }
  gather(paths, folder, id);
  writeFacts(folder, factsOf(folder, disk, now));
}

/** What is known of a folder whose facts were not written. */
function workedOut(folder: string, id: string): Facts {
  const disk = readRecordFile(join(folder, 'record.json'), id);
  return factsOf(folder, disk, lstatSync(folder).mtimeMs);
}

/** Finishes what a kill in the middle of a deletion or a restoration left undone. To be called under the lock of the record. */
function settle(paths: StorePaths, name: string, id: string): void {
  const folder = join(paths.trash, name);
  if (!isThere(join(folder, 'record.json'))) return;
  // What stands beside a conversation that is there again may be that one's.
  if (!isThere(paths.record(id))) gather(paths, folder, id);
  if (readFacts(folder) === undefined) writeFacts(folder, workedOut(folder, id));
}

/** Takes a folder out of the trash with one rename, so that a kill leaves none that is half removed. */
function takeOut(paths: StorePaths, name: string): void {
  const aside = join(paths.trash, `.removed-${name}-${randomBytes(6).toString('hex')}`);
  renameSync(join(paths.trash, name), aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Removes one folder of the trash with all that belongs to it. */
async function remove(paths: StorePaths, name: string, id: string): Promise<TrashOutcome> {
  try {
    ensureFolder(paths.conversations); // where the lock is
    const done = await withLock(paths.lock(id), () => {
      if (!isThere(join(paths.trash, name))) return NOT_THERE;
      settle(paths, name, id);
      takeOut(paths, name);
      return undefined;
    });
    const message = done === undefined ? BUSY : done.value;
    return message === undefined ? { kind: 'done' } : { kind: 'failed', message };
  } catch (error) {
    const message = storageFailure(error, 'could not be removed', join(paths.trash, name));
    return { kind: 'failed', message };
  }
}

/** Looks at one folder of the trash, finishing and removing what is due; undefined = there is nothing to restore in it. */
async function look(paths: StorePaths, name: string, now: number): Promise<TrashEntry | undefined> {
  const folder = join(paths.trash, name);
  if (REMOVED.test(name)) rmSync(folder, { recursive: true, force: true });
  const id = conversationIdOf(name);
  if (id === undefined) return undefined;
  if (!isThere(join(folder, 'record.json'))) {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    const isOld = stats?.isDirectory() === true && Date.now() - stats.mtimeMs > LEFTOVER_AGE_MS;
    if (isOld) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  if (readFacts(folder) === undefined) {
    ensureFolder(paths.conversations);
    await withLock(paths.lock(id), () => {
      settle(paths, name, id);
    });
  }
  const facts = readFacts(folder) ?? workedOut(folder, id);
  const { deletedAt, title, turns, files, reason } = facts;
  const removedAt = deletedAt + KEPT_MS;
  if (removedAt > now) return { id: name, title, turns, files, deletedAt, removedAt, reason };
  await remove(paths, name, id);
  return undefined;
}

/**
 * What is in the trash. Whatever has been there for 30 days is removed on the way. Never rejects.
 *
 * @param now milliseconds since the epoch
 */
export async function listTrash(paths: StorePaths, now: number): Promise<TrashListing> {
  const entries: TrashEntry[] = [];
  try {
    for (const [position, name] of namesIn(paths.trash).entries()) {
      if (position % FOLDERS_A_TICK === 0) await nextTick();
      try {
        const entry = await look(paths, name, now);
        if (entry !== undefined) entries.push(entry);
      } catch {
        // A folder that cannot be read or removed must not hide the others.
      }
    }
  } catch (error) {
    const code = errorCode(error);
    return { entries, problem: `The trash cannot be read (${paths.trash}): ${code}.` };
  }
  entries.sort((one, other) => other.deletedAt - one.deletedAt || (one.id < other.id ? -1 : 1));
  return { entries };
}

/**
 * Removes what has been in the trash for 30 days, and attachments of that age which belong to no conversation (a question that
 * was never asked); finishes what a kill left undone. Once a launch. Never rejects.
 *
 * @param now milliseconds since the epoch
 */
export async function sweepTrash(supportPath: string, now: number): Promise<void> {
  const paths = storePaths(supportPath);
  await listTrash(paths, now);
  try {
    const folder = join(supportPath, 'attachments');
    const trashed = trashedIds(paths);
    for (const [position, id] of namesIn(folder).entries()) {
      if (position % FOLDERS_A_TICK === 0) await nextTick();
      if (!isConversationId(id) || trashed.has(id) || isThere(paths.record(id))) continue;
      if (now - lstatSync(join(folder, id)).mtimeMs < KEPT_MS) continue;
      ensureFolder(paths.conversations);
      await withLock(paths.lock(id), () => {
        if (!isThere(paths.record(id))) rmSync(join(folder, id), { recursive: true, force: true });
      });
    }
  } catch {
    // Tried again at the next launch.
  }
}

/**
 * Puts a deleted conversation back as it was, byte for byte; its record comes last, so it is never in the list without what belongs to it.
 *
 * @param name its id in the trash
 */
export async function restoreFromTrash(paths: StorePaths, name: string): Promise<TrashOutcome> {
  const id = conversationIdOf(name);
  if (id === undefined) return { kind: 'failed', message: NOT_THERE };
  const folder = join(paths.trash, name);
  try {
    ensureFolder(paths.conversations);
    const done = await withLock(paths.lock(id), () => {
      if (!isThere(join(folder, 'record.json'))) return NOT_THERE;
      if (isThere(paths.record(id))) {
        return 'This conversation was not restored: one with the same id is there again. Delete that one first.';
      }
      moveFiles(join(folder, 'set-aside'), paths.setAside);
      moveFiles(join(folder, 'attachments'), paths.attachments(id));
      renameSync(join(folder, 'record.json'), paths.record(id));
      takeOut(paths, name);
      return undefined;
    });
    const message = done === undefined ? BUSY : done.value;
    return message === undefined ? { kind: 'done' } : { kind: 'failed', message };
  } catch (error) {
    return { kind: 'failed', message: storageFailure(error, 'could not be restored', folder) };
  }
}

/** Removes a deleted conversation for good. @param name its id in the trash */
export async function purgeFromTrash(paths: StorePaths, name: string): Promise<TrashOutcome> {
  const id = conversationIdOf(name);
  if (id === undefined) return { kind: 'failed', message: NOT_THERE };
  return remove(paths, name, id);
}

/** Ids of conversations in the trash: a new conversation must not take one, or it could not be restored. */
export function trashedIds(paths: StorePaths): Set<string> {
  try {
    return new Set(namesIn(paths.trash).flatMap((name) => conversationIdOf(name) ?? []));
  } catch {
    return new Set();
  }
}
