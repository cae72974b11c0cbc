import { mkdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import { errorCode } from './failure';

/** Milliseconds from the first key that is not stored yet to its save: well within half a second of the last key. */
const DRAFT_DELAY_MS = 300;

const DraftSchema = z.object({ version: z.literal(1), text: z.string() });

/** Calls `run` once after `ms` milliseconds; the function it returns cancels. */
type After = (ms: number, run: () => void) => () => void;

/** What was typed into a command's search bar and not yet asked. Nothing here throws. */
export interface DraftStore {
  /** The text of the last launch; '' when there is none or it cannot be read. */
  load(): string;
  /** Call at every key; empty text removes the file. */
  set(text: string): void;
  /** Writes now what still waits, for unloading. */
  saveSync(): void;
  /** Forgets the text at once, for the moment it was asked. */
  clear(): void;
  /** Writes what still waits; after that nothing. */
  close(): void;
}

export interface DraftStoreOptions {
  supportPath: string;
  /** The command's name in the manifest; each has its own draft. */
  command: string;
  after: After;
}

/**
 * Opens a command's draft. It is written without blocking on the disk (no fsync): a killed process loses at
 * most DRAFT_DELAY_MS of typing, a power cut may lose the draft.
 */
export function createDraftStore({ supportPath, command, after }: DraftStoreOptions): DraftStore {
  const folder = join(supportPath, 'drafts');
  const path = join(folder, `${command.replace(/[^\w-]/g, '_')}.json`);
  let waiting: string | undefined;
  let stored: string | undefined;
  let cancel: (() => void) | undefined;
  let closed = false;

  function saveSync(): void {
    cancel?.();
    cancel = undefined;
    const text = waiting;
    waiting = undefined;
    if (closed || text === undefined || text === stored) return;
    try {
      if (text === '') {
        unlinkSync(path);
      } else {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const content = `${JSON.stringify({ version: 1, text })}\n`;
        writeFileAtomic.sync(path, content, { mode: 0o600, fsync: false });
      }
      stored = text;
    } catch (error) {
      // A draft that cannot be kept is no reason to disturb the typing; saving the conversation reports the disk.
      stored = text === '' && errorCode(error) === 'ENOENT' ? '' : undefined;
    }
  }

  function set(text: string): void {
    if (closed) return;
    waiting = text;
    // Not restarted by later keys: somebody who types without a pause is saved on the way.
    cancel ??= after(DRAFT_DELAY_MS, saveSync);
  }

  return {
    load() {
      try {
        const parsed = z.safeParse(DraftSchema, JSON.parse(readFileSync(path, 'utf8')));
        stored = parsed.success ? parsed.data.text : undefined;
      } catch {
        stored = undefined;
      }
      return stored ?? '';
    },
    set,
    saveSync,
    clear() {
      set('');
      saveSync();
    },
    close() {
      saveSync();
      closed = true;
    },
  };
}
