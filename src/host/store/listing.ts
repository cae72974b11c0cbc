import { lstatSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import { lastOf, threadOf } from '../../lib/thread';
import type { DecodedRecord } from './decode';
import { errorCode } from './failure';
import { readIndex, writeIndex, type CachedEntry, type ConversationEntry } from './index-cache';
import { newestFirst, readRecent, recentOf, writeRecent } from './recent';
import {
  isConversationId,
  readRecordFile,
  stampOf,
  sweepLeftovers,
  type Disk,
  type StorePaths,
} from './record-file';
import { sweepTrash } from './trash';
import { unreadableSentence } from './writer';

/** Something about a stored conversation that a person should know. */
export interface StoreProblem {
  /** Id of the conversation; '' when it is about the whole store. */
  id: string;
  /** One sentence. */
  problem: string;
  /** `damaged`: it opens, without some parts. `unreadable`: it does not open, and its file is never written. */
  kind: 'damaged' | 'unreadable';
  /** Of what is unreadable: its absolute path. */
  path?: string;
  /** Of a conversation that is unreadable: why, as in "it is not JSON". Absent for what is not a conversation's file. */
  reason?: string;
}

/** Conversations, newest first, and what could not be read. */
export interface Listing {
  entries: ConversationEntry[];
  problems: StoreProblem[];
}

/** The lists of the store. Nothing here throws or rejects. */
export interface Lists {
  /** All conversations. Reads only the files that changed since the last list; looks at each of them. */
  list(): Promise<Listing>;
  /**
   * The newest hundred and all pinned ones, for the first frame: takes the same time however many conversations there are. Where
   * it cannot be told that none is missing (after a kill in the middle of a save, after a deletion, before the first
   * list), all of them, as from `list`.
   */
  recent(): Promise<Listing>;
  /**
   * Takes what was just written into `recent.json`, before it returns. To be called after every write of this launch, with
   * what its file holds since then (`none`: it was removed), once its lock has been given back.
   */
  noteSaved(id: string, disk: Disk): void;
}

/** Temporary, lock and staged files of records: `<id>.json.<anything>`. */
const LEFTOVER = /^[\w-]{1,64}\.json\../;

/** Files looked at before the window may draw: about a millisecond's worth. */
const FILES_A_TICK = 200;

/** Milliseconds after which a change of the folder has another time than the one before: the clock of a file system ticks every 4 to 10 ms. */
const SETTLE_MS = 50;

export interface ListingOptions {
  paths: StorePaths;
  supportPath: string;
  isClosed: () => boolean;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Makes the lists of one launch. Nothing is read or written until one is asked for. */
export function createLists(options: ListingOptions): Lists {
  const { paths, supportPath, isClosed, now } = options;
  const recentPath = join(supportPath, 'recent.json');
  let swept = false;
  let trashSwept = false;
  /** Whether this launch has seen that recent.json missed nothing newer; only then may it say so of what it writes. */
  let isTrusted = false;
  let settling: NodeJS.Timeout | undefined;

  function names(problems: StoreProblem[]): string[] {
    try {
      return readdirSync(paths.conversations).filter((name) => name.endsWith('.json'));
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT') {
        const problem = `The stored conversations cannot be listed (${paths.conversations}): ${code}.`;
        problems.push({ id: '', problem, kind: 'unreadable', path: paths.conversations });
      }
      return [];
    }
  }

  /** Reads one record anew; undefined when there is no row to be made of it. */
  function freshRow(id: string, problems: StoreProblem[]): CachedEntry | undefined {
    const disk = readRecordFile(paths.record(id), id);
    if (disk.kind === 'unreadable') {
      const problem = unreadableSentence(id, disk.reason);
      const { reason } = disk;
      problems.push({ id, problem, kind: 'unreadable', path: paths.record(id), reason });
    }
    return disk.kind === 'record' ? rowOf(disk.record, disk.stamp) : undefined;
  }

  /** Once a launch, and before the folder is looked at: what is removed changes its stamp. */
  function sweep(): void {
    if (swept || isClosed()) return;
    swept = true;
    sweepLeftovers(paths.conversations, LEFTOVER);
    sweepLeftovers(supportPath, /^(?:index|recent)\.json\.\d+$/);
    sweepOldTrash();
  }

  /** Once a launch, also of one that never lists everything. */
  function sweepOldTrash(): void {
    if (trashSwept || isClosed()) return;
    trashSwept = true;
    void sweepTrash(supportPath, now()); // nobody waits for it, and it never rejects
  }

  async function list(): Promise<Listing> {
    sweep();
    const problems: StoreProblem[] = [];
    const folder = safeStamp(paths.conversations);
    const cached = readIndex(paths.index);
    const rows: CachedEntry[] = [];
    let changed = false;
    let looked = 0;
    for (const name of names(problems)) {
      const id = name.slice(0, -'.json'.length);
      if (!isConversationId(id)) {
        const problem = `“${name}” in the folder conversations is not a file of Lam; it was left as it is.`;
        problems.push({ id, problem, kind: 'unreadable', path: join(paths.conversations, name) });
        continue;
      }
      looked += 1;
      if (looked % FILES_A_TICK === 0) await nextTick();
      const row = cached.get(id);
      if (row !== undefined && row.stamp === safeStamp(paths.record(id))) {
        rows.push(row);
        continue;
      }
      changed = true;
      await nextTick(); // a first list reads every file: let the window draw in between
      const fresh = freshRow(id, problems);
      if (fresh !== undefined) rows.push(fresh);
    }
    if ((changed || rows.length !== cached.size) && !isClosed())
      await writeIndex(paths.index, rows);
    // A save meanwhile has changed the folder's stamp: then what is written here says of itself that it is not current.
    if (!isClosed()) keepRecent(folder, recentOf(rows));
    return listingOf(rows, problems);
  }

  /** Whether recent.json is younger than the last change of the folder: a change within one tick of the clock leaves no trace. */
  function isSettled(): boolean {
    try {
      const [written, changed] = [recentPath, paths.conversations].map(
        (path) => lstatSync(path, { bigint: true }).mtimeNs,
      );
      return written !== undefined && changed !== undefined && written > changed;
    } catch {
      return false;
    }
  }

  /** Makes recent.json younger than the folder once the clock has moved on; a launch that is killed before lets the next one list. */
  function settleLater(folder: string): void {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (isClosed() || folder !== safeStamp(paths.conversations)) return;
      try {
        utimesSync(recentPath, new Date(), new Date());
      } catch {
        // Then the next launch lists.
      }
    }, SETTLE_MS);
    settling.unref();
  }

  function keepRecent(folder: string, rows: CachedEntry[]): void {
    const known = readRecent(recentPath);
    const isKnown =
      isSettled() &&
      known?.folder === folder &&
      known.rows.length === rows.length &&
      rows.every(({ stamp }, place) => known.rows[place]?.stamp === stamp);
    isTrusted = folder === safeStamp(paths.conversations);
    if (isKnown || (known === undefined && rows.length === 0)) return;
    writeRecent(recentPath, { folder, rows });
    if (isTrusted) settleLater(folder);
  }

  async function recent(): Promise<Listing> {
    sweepOldTrash();
    const known = readRecent(recentPath);
    const isCurrent = known?.folder === safeStamp(paths.conversations) && isSettled();
    if (!isCurrent) return list();
    isTrusted = true;
    const problems: StoreProblem[] = [];
    const rows: CachedEntry[] = [];
    for (const row of known.rows) {
      const { id } = row.entry;
      if (!isConversationId(id)) continue;
      if (row.stamp === safeStamp(paths.record(id))) {
        rows.push(row);
        continue;
      }
      await nextTick();
      const fresh = freshRow(id, problems);
      if (fresh !== undefined) rows.push(fresh);
    }
    return listingOf(rows, problems);
  }

  function noteSaved(id: string, disk: Disk): void {
    if (isClosed()) return;
    const known = readRecent(recentPath);
    if (known === undefined) return; // the first list makes it
    const others = known.rows.filter(({ entry }) => entry.id !== id);
    if (disk.kind !== 'record') {
      // What moved up from below is not known here: the stamp stays that of before, and only `list` makes it current.
      isTrusted = false;
      writeRecent(recentPath, { folder: known.folder, rows: others });
      return;
    }
    const rows = recentOf([...others, rowOf(disk.record, disk.stamp)]);
    const folder = isTrusted ? safeStamp(paths.conversations) : known.folder;
    writeRecent(recentPath, { folder, rows });
    if (isTrusted) settleLater(folder);
  }

  return { list, recent, noteSaved };
}

function listingOf(rows: readonly CachedEntry[], problems: StoreProblem[]): Listing {
  for (const { entry, problems: sentences } of rows) {
    problems.push(
      ...sentences.map((problem) => ({ id: entry.id, problem, kind: 'damaged' as const })),
    );
  }
  return { entries: rows.map((row) => row.entry).sort(newestFirst), problems };
}

/** The stamp, or '' where not even that can be read: then the row is read again and says why. */
function safeStamp(path: string): string {
  try {
    return stampOf(path);
  } catch {
    return '';
  }
}

function rowOf({ conversation, problems }: DecodedRecord, stamp: string): CachedEntry {
  const { id, title, createdAt, updatedAt, pinned } = conversation;
  const lastState = lastOf(conversation)?.state;
  return {
    entry: {
      id,
      title,
      createdAt,
      updatedAt,
      turns: threadOf(conversation).length,
      lastState,
      ...(pinned === true ? { pinned } : {}),
    },
    stamp,
    problems,
  };
}
