import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, vi } from 'vitest';

import { ConversationSchema } from '../../lib/schemas';
import type { Conversation, Turn } from '../../lib/types';

/** Every file below a folder: path from it, and content byte for byte (latin1). */
export function filesIn(folder: string, below = ''): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = join(below, name);
    try {
      if (lstatSync(join(folder, path)).isDirectory()) Object.assign(files, filesIn(folder, path));
      else files[path] = readFileSync(join(folder, path), 'latin1');
    } catch (error) {
      // A file that is being put in place may have gone since the folder was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return files;
}

/** Puts a file into the store as it is, and gives its path. */
export function putRecord(supportPath: string, name: string, content: string): string {
  const folder = join(supportPath, 'conversations');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Stores a conversation; `updatedAt` is now unless it is given, so that the next launch goes on with it. */
export function putConversation(
  supportPath: string,
  conversation: Conversation,
  updatedAt = Date.now(),
): string {
  const { id } = conversation;
  return putRecord(supportPath, `${id}.json`, JSON.stringify({ ...conversation, updatedAt }));
}

/** The stored conversations, strictly read: a record that Lam wrote must fit its own schema. */
export function storedConversations(supportPath: string): Conversation[] {
  const folder = join(supportPath, 'conversations');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ConversationSchema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/** The one stored conversation; throws when there are none or more. */
export function storedConversation(supportPath: string): Conversation {
  const [only, ...more] = storedConversations(supportPath);
  if (only === undefined || more.length > 0)
    throw new Error(`There are ${more.length + (only === undefined ? 0 : 1)} conversations.`);
  return only;
}

/**
 * Waits until the one stored conversation holds these exchanges and no others: the screen is ahead of the disk by one
 * write, and an exchange that is "done" there may be the one before it was continued. Fails with what is there.
 */
export const untilTurnsStored = (
  supportPath: string,
  turns: readonly Partial<Turn>[],
): Promise<void> =>
  vi.waitFor(
    () => {
      expect(storedConversation(supportPath).turns).toMatchObject([...turns]);
    },
    { timeout: 30_000, interval: 20 },
  );
