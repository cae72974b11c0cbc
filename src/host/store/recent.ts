import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import { CachedEntrySchema, type CachedEntry, type ConversationEntry } from './index-cache';

/** Rows beside the pinned ones: some twelve windows full, and a file that is read and written in a millisecond. */
const MAX_ROWS = 100;

const RecentSchema = z.object({
  version: z.literal(1),
  /** Stamp of the folder of conversations when no newer conversation was missing here; see `stampOf`. */
  folder: z.string(),
  rows: z.array(CachedEntrySchema),
});

/** The newest rows of the list and all pinned ones, newest first. */
export type RecentRows = Omit<z.infer<typeof RecentSchema>, 'version'>;

/** Newest first. Ties are broken by id, so that the order is the same at every launch. */
export function newestFirst(one: ConversationEntry, other: ConversationEntry): number {
  return (
    other.updatedAt - one.updatedAt ||
    other.createdAt - one.createdAt ||
    (one.id < other.id ? -1 : 1)
  );
}

/** Of rows in any order those that `recent.json` holds, newest first. */
export function recentOf(rows: readonly CachedEntry[]): CachedEntry[] {
  const sorted = rows.toSorted((one, other) => newestFirst(one.entry, other.entry));
  return sorted.filter(({ entry }, place) => place < MAX_ROWS || entry.pinned === true);
}

/** Undefined when there is none, or none that can be read: like the index, it is only a cache. */
export function readRecent(path: string): RecentRows | undefined {
  try {
    const parsed = z.safeParse(RecentSchema, JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes before it returns, so that the row of the last save at an unload is there, too. Never throws, not synced. */
export function writeRecent(path: string, { folder, rows }: RecentRows): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const text = JSON.stringify({ version: 1, folder, rows });
    writeFileAtomic.sync(path, text, { mode: 0o600, fsync: false });
  } catch {
    // The old one is out of date then, which its stamps tell.
  }
}
