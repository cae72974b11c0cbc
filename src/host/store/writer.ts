import { renameSync } from 'node:fs';

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
  stageFile,
  stageFileSync,
  stampOf,
  type Disk,
  type StorePaths,
} from './record-file';
import { moveToTrash } from './trash';

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
const GONE = 'This conversation is no longer there: it was deleted.';
const HELD =
  'This conversation is being answered in another window of Lam. Try again when that answer has ended.';

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
  /** The version of the file this plan was made from. */
  stamp: string;
  record: DecodedRecord;
  text: string;
  damaged: boolean;
  /** What is known once it is written. */
  after: Omit<Known, 'disk'>;
  /** Ids of the turns that the caller gave. */
  given?: ReadonlySet<string>;
}

/** Works out from what the file holds now what is to be written. */
type Planner = () => Plan | Refusal;

/** Asked before anything becomes visible; its answer ends the write. */
type Cancelled = () => SaveOutcome | undefined;

export interface WriterOptions {
  paths: StorePaths;
  launchId: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Told after each write what the file holds since then, once its lock has been given back. Contract: never throws. */
  onWritten?: (id: string, disk: Disk) => void;
}

/** Reads and writes single records, comparing the file before each write. */
export interface RecordWriter {
  /** Reads the file and makes it the base of later merges. The id must be valid. */
  read(id: string): Disk;
  /** The caller goes on with this version: it becomes the base of later merges. */
  adopt(conversation: Conversation): void;
  /** Reads the file and leaves that base as it is. The id must be valid. */
  peek(id: string): Disk;
  /** Never rejects. */
  write(conversation: Conversation, cancelled: Cancelled): Promise<SaveOutcome>;
  writeSync(conversation: Conversation): SaveOutcome;
  /**
   * Changes what the file holds and nothing else; the base of later merges stays as it is, so that a caller who has the
   * conversation open does not undo the change with its next save. Never rejects; not `lost-ownership`.
   */
  update(
    id: string,
    change: (stored: Conversation) => Conversation,
    cancelled: Cancelled,
  ): Promise<SaveOutcome>;
  /** Writes a record that is not there yet; `failed` if it is. Never rejects. */
  create(
    conversation: Conversation,
    extras: DecodedRecord['extras'],
    cancelled: Cancelled,
  ): Promise<SaveOutcome>;
  /** Moves the file, its copies set aside and its attachments to the trash. Never rejects; undefined = done. */
  remove(id: string): Promise<string | undefined>;
  /** When a running turn of another launch may be taken over, in milliseconds since the epoch; undefined = now. */
  heldUntil(conversation: Conversation): number | undefined;
}

/** A sentence for a record that is left as it is. */
export function unreadableSentence(id: string, reason: string): string {
  return `The conversation in conversations/${id}.json cannot be opened: ${reason}. The file was left as it is.`;
}

export function createRecordWriter(options: WriterOptions): RecordWriter {
  const { paths, launchId, now, onWritten } = options;
  const known = new Map<string, Known>();
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

  function planSave(ours: Conversation): Plan | Refusal {
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
      stamp: disk.stamp,
      record: { conversation, problems: [], extras: extrasOf(before) },
      text: encodeConversation(conversation, before?.extras),
      damaged: (before?.problems.length ?? 0) > 0,
      after: { base: withoutOwner(ours), owning: hasRunningTurn(conversation) },
      given: new Set(ours.turns.map((turn) => turn.id)),
    };
  }

  /** What this launch last loaded or saved, and runs, stays what it was. */
  const unchanged = (id: string): Plan['after'] => {
    const { base, owning = false } = known.get(id) ?? {};
    return { base, owning };
  };

  function planUpdate(id: string, change: (stored: Conversation) => Conversation): Plan | Refusal {
    if (!isConversationId(id)) return failed(INVALID_ID);
    const disk = current(id);
    if (disk.kind === 'none') return failed(GONE);
    if (disk.kind === 'unreadable') return failed(unreadableSentence(id, disk.reason));
    const { conversation: stored, extras, problems } = disk.record;
    if (heldUntil(stored) !== undefined) return failed(HELD);
    const conversation = change(stored);
    return {
      id,
      stamp: disk.stamp,
      record: { conversation, problems: [], extras },
      text: encodeConversation(conversation, extras),
      damaged: problems.length > 0,
      after: unchanged(id),
    };
  }

  function planNew(conversation: Conversation, extras: DecodedRecord['extras']): Plan | Refusal {
    const { id } = conversation;
    if (!isConversationId(id)) return failed(INVALID_ID);
    if (current(id).kind !== 'none')
      return failed('The conversation could not be saved: there is one with this id.');
    return {
      id,
      stamp: '',
      record: { conversation, problems: [], extras },
      text: encodeConversation(conversation, extras),
      damaged: false,
      after: unchanged(id),
    };
  }

  /** Puts the staged file in place if the file is still the one the plan was made from. In one tick, under the lock. */
  function commit(made: Plan, staged: string, isHeld: IsHeld): boolean {
    const { id, record, after } = made;
    if (!isHeld() || stampOf(paths.record(id)) !== made.stamp) return false;
    if (made.damaged) setAside(paths, id, now());
    renameSync(staged, paths.record(id));
    const disk: Disk = { kind: 'record', stamp: stampOf(paths.record(id)), record };
    known.set(id, { disk, ...after });
    return true;
  }

  function outcomeOf({ given, record }: Plan): SaveOutcome {
    const { conversation } = record;
    const more = given !== undefined && conversation.turns.some((turn) => !given.has(turn.id));
    return more ? { kind: 'saved', conversation } : { kind: 'saved' };
  }

  /** Plans, stages and commits without letting go of the lock. */
  function writeHolding(plan: Planner, isHeld: IsHeld): SaveOutcome {
    const made = plan();
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
    plan: Planner,
    cancelled: Cancelled,
  ): Promise<SaveOutcome | undefined> {
    const made = plan();
    if ('kind' in made) return made;
    const staged = await stageFile(paths.record(made.id), made.text);
    let placed = false;
    try {
      const done = await withLock(paths.lock(made.id), (isHeld) => {
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

  /** The planner runs again whenever the file has changed since. */
  async function run(id: string, plan: Planner, cancelled: Cancelled): Promise<SaveOutcome> {
    try {
      for (let tries = 0; tries < OPTIMISTIC_TRIES; tries += 1) {
        const outcome = cancelled() ?? (await writePrepared(plan, cancelled));
        if (outcome !== undefined) return told(id, outcome);
      }
      const done = await withLock(
        paths.lock(id),
        (isHeld) => cancelled() ?? writeHolding(plan, isHeld),
      );
      return told(id, done?.value ?? locked);
    } catch (error) {
      return thrown(error, id);
    }
  }

  /** The outcome, once whoever keeps lists has heard of it. */
  function told(id: string, outcome: SaveOutcome): SaveOutcome {
    const disk = known.get(id)?.disk;
    if (outcome.kind === 'saved' && disk !== undefined) onWritten?.(id, disk);
    return outcome;
  }

  function writeSync(conversation: Conversation): SaveOutcome {
    const { id } = conversation;
    if (!isConversationId(id)) return failed(INVALID_ID);
    try {
      ensureFolder(paths.conversations);
      const done = withLockSync(paths.lock(id), (isHeld) =>
        writeHolding(() => planSave(conversation), isHeld),
      );
      return told(id, done?.value ?? locked);
    } catch (error) {
      return thrown(error, id);
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
      const disk = current(id);
      if (disk.kind === 'none') return undefined;
      const done = await withLock(paths.lock(id), () => {
        moveToTrash(paths, id, disk, now());
      });
      if (done !== undefined) onWritten?.(id, { kind: 'none', stamp: '' });
      return done === undefined ? locked.message : undefined;
    } catch (error) {
      return storageFailure(error, 'could not be deleted', path);
    }
  }

  function adopt(conversation: Conversation): void {
    const before = known.get(conversation.id);
    if (before !== undefined)
      known.set(conversation.id, { ...before, base: withoutOwner(conversation) });
  }

  return {
    read,
    adopt,
    peek: (id) => readRecordFile(paths.record(id), id),
    write: (conversation, cancelled) =>
      run(conversation.id, () => planSave(conversation), cancelled),
    writeSync,
    update: (id, change, cancelled) => run(id, () => planUpdate(id, change), cancelled),
    create: (conversation, extras, cancelled) =>
      run(conversation.id, () => planNew(conversation, extras), cancelled),
    remove,
    heldUntil,
  };
}

function extrasOf(record: DecodedRecord | undefined): DecodedRecord['extras'] {
  return record?.extras ?? { conversation: {}, turns: new Map() };
}
