import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import { TurnStateSchema } from '../../lib/schemas';

const EntrySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Number of turns that are shown; other variants are not counted. */
  turns: z.number(),
  /** State of the last turn that is shown; absent when there is none. */
  lastState: z.optional(TurnStateSchema),
  /** True = kept on top of the list; otherwise absent. */
  pinned: z.optional(z.literal(true)),
});

/** One row of the list of conversations. Times are milliseconds since the epoch. */
export type ConversationEntry = z.infer<typeof EntrySchema>;

export const CachedEntrySchema = z.object({
  entry: EntrySchema,
  /** The version of the file this was read from, see stampOf. */
  stamp: z.string(),
  /** Sentences about the damage found in that file. */
  problems: z.array(z.string()),
});

export type CachedEntry = z.infer<typeof CachedEntrySchema>;

/** Version 1 did not know what is pinned, and counted the turns of all variants. */
const IndexSchema = z.object({ version: z.literal(2), entries: z.array(z.unknown()) });

/**
 * Reads the cached rows by id. It is only a cache: missing, unreadable or of another version is the same as
 * empty, and a row counts only while the stamp of its file is the same.
 */
export function readIndex(path: string): Map<string, CachedEntry> {
  const cached = new Map<string, CachedEntry>();
  try {
    const parsed = z.safeParse(IndexSchema, JSON.parse(readFileSync(path, 'utf8')));
    for (const row of parsed.success ? parsed.data.entries : []) {
      const entry = z.safeParse(CachedEntrySchema, row);
      if (entry.success) cached.set(entry.data.entry.id, entry.data);
    }
  } catch {
    // Rebuilt from the files.
  }
  return cached;
}

/** Writes the cache; a failure only costs time at the next list. Never rejects. Not synced: a torn cache is rebuilt. */
export async function writeIndex(path: string, entries: readonly CachedEntry[]): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const text = JSON.stringify({ version: 2, entries });
    await writeFileAtomic(path, text, { mode: 0o600, fsync: false });
  } catch {
    // See above.
  }
}
