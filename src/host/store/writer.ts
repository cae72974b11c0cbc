import { renameSync, unlinkSync } from 'node:fs';

import type { Conversation } from '../../lib/types';
import { encodeConversation, type DecodedRecord } from './decode';
import { errorCode, storageFailure } from './failure';
import { withLock, withLockSync, type IsHeld } from './lock';
import { hasRunningTurn, interruptRunning, mergeConversations, withoutOwner } from './merge';
import {
  discard,
  ensureFolder,
  isConversationId,
  readRecordFile,
  setAside,
  setAsideCopies,
  stageFile,
  stageFileSync,
  stampOf,
  type Disk,
  type StorePaths,
} from './record-file';

/**
 * Milliseconds without a save after which a running turn may be taken over: three missed saves
 * (an owner saves every 2 s), so that one slow disk sync does not look like a death.
 */
const TAKEOVER_AFTER_MS = 6_000;

/** Tries to write a file that was prepared without holding the lock, before preparing it under the lock. */
const OPTIMISTIC_TRIES = 3;

/** What became of a save. */
export type SaveOutcome =
  /** `conversation` is there when the file also holds turns of another launch that were not given. */
  | { kind: 'saved'; conversation?: Conversation }
  /** Another launch is answering in it, took it over, or deleted it. Nothing was written; stop, and load it again. */
  | { kind: 'lost-ownership' }
  /** Nothing was written. One sentence a person can act on. */
  | { kind: 'failed'; message: string }
  /** The store is closed. Nothing was written. */
  | { kind: 'closed' };

const INVALID_ID = 'The conversation could not be saved: its id is not valid.';

type Refusal = Exclude<SaveOutcome, { kind: 'saved' }>;

/** What this launch knows about one record. */
interface Known {
  /** What the file held when it was last read or written here. */
  disk: Disk;
  /** What the caller last loaded or saved: the base of the merge. */
  base: Conversation | undefined;
  /** Whether the last write here left a running turn, so the file must still name this launch as its owner. */
  owning: boolean;
}

interface Plan {
  id: string;
  ours: Conversation;
  /** The version of the file this plan was made from. */
  stamp: string;
  record: DecodedRecord;
  text: string;
  damaged: boolean;
}

export interface WriterOptions {
  paths: StorePaths;
  launchId: string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Reads and writes single records, comparing the file before each write. */
export interface RecordWriter {
  /** Reads the file and makes it the base of later merges. The id must be valid. */
  read(id: string): Disk;
  /** `cancelled` is asked before anything becomes visible; its answer ends the write. Never rejects. */
  write(conversation: Conversation, cancelled: () => SaveOutcome | undefined): Promise<SaveOutcome>;
  writeSync(conversation: Conversation): SaveOutcome;
  /** Removes the file and the copies set aside. Never rejects; undefined = done. */
  remove(id: string): Promise<string | undefined>;
  /** When a running turn of another launch may be taken over, in milliseconds since the epoch; undefined = now. */
  heldUntil(conversation: Conversation): number | undefined;
}

/** A sentence for a record that is left as it is. */
export function unreadableSentence(id: string, reason: string): string {
  return `The conversation in conversations/${id}.json cannot be opened: ${reason}. The file was left as it is.`;
}

export function createRecordWriter({ paths, launchId, now }: WriterOptions): RecordWriter {
  const known = new Map<string, Known>();
  const lockPath = (id: string) => `${paths.record(id)}.lock`;
  const failed = (message: string): { kind: 'failed'; message: string } => ({
    kind: 'failed',
    message,
  });
  const thrown = (error: unknown, id: string) =>
    errorCode(error) === '' && error instanceof Error
      ? failed(
          `The conversation could not be saved: it holds a value that cannot be stored (${error.name}).`,
        )
      : failed(storageFailure(error, 'could not be saved', paths.record(id)));
  const locked = failed(
    'The conversation is busy: an earlier start of Lam has been writing it for too long. Try again when that one has ended.',
  );

  function heldUntil(conversation: Conversation): number | undefined {
    const { owner } = conversation;
    if (owner === undefined || owner.launchId === launchId) return undefined;
    if (!hasRunningTurn(conversation)) return undefined;
    // The distance, not the age: a heartbeat from the future (the clock was set back) would hold for ever.
    const alive = Math.abs(now() - owner.heartbeatAt) < TAKEOVER_AFTER_MS;
    return alive ? owner.heartbeatAt + TAKEOVER_AFTER_MS : undefined;
  }

  /** What the file holds now; read again only if it is another version than the one last seen. */
  function current(id: string): Disk {
    const seen = known.get(id)?.disk;
    return seen?.stamp === stampOf(paths.record(id)) ? seen : readRecordFile(paths.record(id), id);
  }

  function plan(ours: Conversation): Plan | Refusal {
    const { id } = ours;
    if (!isConversationId(id)) return failed(INVALID_ID);
    const disk = current(id);
    if (disk.kind === 'unreadable') return failed(unreadableSentence(id, disk.reason));
    const before = disk.kind === 'record' ? disk.record : undefined;
    const { base, owning = false } = known.get(id) ?? {};
    const isOwner = before?.conversation.owner?.launchId === launchId;
    if (owning && !isOwner) return { kind: 'lost-ownership' };
    if (before !== undefined && heldUntil(before.conversation) !== undefined) {
      return { kind: 'lost-ownership' };
    }
    const settled =
      before === undefined || isOwner
        ? before?.conversation
        : interruptRunning(before.conversation, before.conversation.owner?.heartbeatAt ?? now());
    const merged = mergeConversations(ours, settled, base);
    // Deleted by another launch, and nothing new to keep: a deleted conversation does not come back.
    if (settled === undefined && base !== undefined && merged.turns.length === 0) {
      return { kind: 'lost-ownership' };
    }
    const conversation = hasRunningTurn(merged)
      ? { ...merged, owner: { launchId, heartbeatAt: now() } }
      : merged;
    return {
      id,
      ours: withoutOwner(ours),
      stamp: disk.stamp,
      record: { conversation, problems: [], extras: extrasOf(before) },
      text: encodeConversation(conversation, before?.extras),
      damaged: (before?.problems.length ?? 0) > 0,
    };
  }

  /** Puts the staged file in place if the file is still the one the plan was made from. In one tick, under the lock. */
  function commit(made: Plan, staged: string, isHeld: IsHeld): boolean {
    const { id, ours, record } = made;
    if (!isHeld() || stampOf(paths.record(id)) !== made.stamp) return false;
    if (made.damaged) setAside(paths, id, now());
    renameSync(staged, paths.record(id));
    const disk: Disk = { kind: 'record', stamp: stampOf(paths.record(id)), record };
    known.set(id, { disk, base: ours, owning: hasRunningTurn(record.conversation) });
    return true;
  }

  function outcomeOf({ ours, record }: Plan): SaveOutcome {
    const given = new Set(ours.turns.map((turn) => turn.id));
    const more = record.conversation.turns.some((turn) => !given.has(turn.id));
    return more ? { kind: 'saved', conversation: record.conversation } : { kind: 'saved' };
  }

  /** Plans, stages and commits without letting go of the lock. */
  function writeHolding(conversation: Conversation, isHeld: IsHeld): SaveOutcome {
    const made = plan(conversation);
    if ('kind' in made) return made;
    const staged = stageFileSync(paths.record(made.id), made.text);
    let placed = false;
    try {
      placed = commit(made, staged, isHeld);
    } finally {
      if (!placed) discard(staged);
    }
    return placed ? outcomeOf(made) : locked;
  }

  /** Stages without the lock, so that the sync to disk does not block the thread; undefined = the file changed meanwhile. */
  async function writePrepared(
    conversation: Conversation,
    cancelled: () => SaveOutcome | undefined,
  ): Promise<SaveOutcome | undefined> {
    const made = plan(conversation);
    if ('kind' in made) return made;
    const staged = await stageFile(paths.record(made.id), made.text);
    let placed = false;
    try {
      const done = await withLock(lockPath(made.id), (isHeld) => {
        const instead = cancelled();
        if (instead !== undefined) return instead;
        placed = commit(made, staged, isHeld);
        return placed ? outcomeOf(made) : undefined;
      });
      return done === undefined ? locked : done.value;
    } finally {
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- assigned in the section above
      if (!placed) discard(staged);
    }
  }

  async function write(
    conversation: Conversation,
    cancelled: () => SaveOutcome | undefined,
  ): Promise<SaveOutcome> {
    try {
      for (let tries = 0; tries < OPTIMISTIC_TRIES; tries += 1) {
        const outcome = cancelled() ?? (await writePrepared(conversation, cancelled));
        if (outcome !== undefined) return outcome;
      }
      const done = await withLock(
        lockPath(conversation.id),
        (isHeld) => cancelled() ?? writeHolding(conversation, isHeld),
      );
      return done?.value ?? locked;
    } catch (error) {
      return thrown(error, conversation.id);
    }
  }

  function writeSync(conversation: Conversation): SaveOutcome {
    if (!isConversationId(conversation.id)) return failed(INVALID_ID);
    try {
      ensureFolder(paths.conversations);
      const done = withLockSync(lockPath(conversation.id), (isHeld) =>
        writeHolding(conversation, isHeld),
      );
      return done?.value ?? locked;
    } catch (error) {
      return thrown(error, conversation.id);
    }
  }

  function read(id: string): Disk {
    const disk = readRecordFile(paths.record(id), id);
    const stored = disk.kind === 'record' ? disk.record.conversation : undefined;
    const owning =
      stored !== undefined && stored.owner?.launchId === launchId && hasRunningTurn(stored);
    // A deleted conversation keeps its base, so that a later save of it does not bring its turns back.
    known.set(id, { disk, base: stored ?? known.get(id)?.base, owning });
    return disk;
  }

  async function remove(id: string): Promise<string | undefined> {
    const path = paths.record(id);
    try {
      ensureFolder(paths.conversations);
      const done = await withLock(lockPath(id), () => {
        if (stampOf(path) !== '') unlinkSync(path);
        for (const copy of setAsideCopies(paths, id)) unlinkSync(copy);
      });
      return done === undefined ? locked.message : undefined;
    } catch (error) {
      return storageFailure(error, 'could not be deleted', path);
    }
  }

  return { read, write, writeSync, remove, heldUntil };
}

function extrasOf(record: DecodedRecord | undefined): DecodedRecord['extras'] {
  return record?.extras ?? { conversation: {}, turns: new Map() };
}
