import { randomUUID } from 'node:crypto';
import { chmodSync, constants, copyFileSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Conversation } from '../../lib/types';
import { errorCode, storageFailure } from './failure';
import { createLanes } from './lanes';
import { createLists, type Lists } from './listing';
import { hasRunningTurn, interruptRunning, withoutOwner } from './merge';
import {
  ensureFolder,
  isConversationId,
  readRecordFile,
  storePaths,
  type Disk,
  type StorePaths,
} from './record-file';
import { cleanTitle, copyTitle } from './titles';
import { createTransfer, type Transfer } from './transfer';
import {
  conversationIdOf,
  listTrash,
  purgeFromTrash,
  restoreFromTrash,
  type TrashListing,
} from './trash';
import { createRecordWriter, unreadableSentence, type SaveOutcome } from './writer';

export type { Listing, StoreProblem } from './listing';
export type { SaveOutcome } from './writer';

type LoadOutcome =
  | {
      ok: true;
      conversation: Conversation;
      /** Sentences about what could not be read. */ problems: string[];
    }
  | { ok: false; message: string };

type ClaimOutcome =
  /** This launch may write. `interrupted` are the ids of the turns that another launch left running. */
  | { kind: 'claimed'; conversation: Conversation; interrupted: string[]; problems: string[] }
  /** Another launch is answering. Try again at `until` (milliseconds since the epoch), or when its file changes. */
  | { kind: 'held'; until: number; conversation: Conversation }
  | { kind: 'failed'; message: string }
  | { kind: 'closed' };

type Undone = { kind: 'failed'; message: string } | { kind: 'closed' };

export type DeleteOutcome = { kind: 'deleted' } | Undone;

/** What became of a change that is not a save. */
type ChangeOutcome = { kind: 'done' } | Undone;

/** As ChangeOutcome, with the title as it was stored. */
type RenameOutcome = { kind: 'done'; title: string } | Undone;

/** As ChangeOutcome, of several conversations: `count` were done, also when it failed for others. */
type CountOutcome = ChangeOutcome & { count: number };

/** The stored conversations of one launch. Nothing here throws or rejects. */
export interface ConversationStore extends Pick<Lists, 'list' | 'recent'>, Transfer {
  /** Reads a conversation to go on with it: what the file holds now is the base of later saves. */
  load(id: string): Promise<LoadOutcome>;
  /** Reads a conversation to show it. Of one that is open, the next save still keeps what others added meanwhile. */
  peek(id: string): Promise<LoadOutcome>;
  /**
   * Saves; the store sets `owner`. Whoever runs a turn saves at least every 2 s: each save is also its heartbeat. Saves of one conversation run one after the other, and of those that wait
   * only the latest is written. The answer is that of the write that included this save, or a later one.
   */
  save(conversation: Conversation): Promise<SaveOutcome>;
  /** Saves before it returns, in place of every save that still waits. For unloading; blocks up to 4 s if another process holds the file. */
  saveSync(conversation: Conversation): SaveOutcome;
  /**
   * The caller goes on with the conversation that a save answered with: from now on its turns are known, and leaving one out
   * means that it was removed.
   */
  adopt(conversation: Conversation): void;
  /** Ends the turns that a dead launch left running; answers `held` while their owner is alive. */
  claim(id: string): Promise<ClaimOutcome>;
  /** Gives this launch's running turns up: they are stored as interrupted, for another launch to go on from. */
  release(id: string): Promise<SaveOutcome>;
  /**
   * Gives the conversation a title of the person's: one line, at most 80 characters. Its time stays as it is, here and in
   * the next two, so that it does not move in the list.
   */
  rename(id: string, title: string): Promise<RenameOutcome>;
  setPinned(id: string, pinned: boolean): Promise<ChangeOutcome>;
  /** A copy under a new id, with its attachments; what is running in it is interrupted. */
  duplicate(id: string, newId: string): Promise<ChangeOutcome>;
  /**
   * Moves the conversation to the trash, readable or not, with the copies set aside and its attachments. A launch that still
   * has it open cannot bring its turns back.
   */
  delete(id: string): Promise<DeleteOutcome>;
  deleteAll(ids: readonly string[]): Promise<CountOutcome>;
  /** What was deleted in the last 30 days; older ones are removed on the way. */
  listTrash(): Promise<TrashListing>;
  /** Puts a conversation back as it was. @param trashId its `id` in the trash, here and in `purge` */
  restore(trashId: string): Promise<ChangeOutcome>;
  /** Removes a conversation from the trash, for good. */
  purge(trashId: string): Promise<ChangeOutcome>;
  emptyTrash(): Promise<CountOutcome>;
  /** Absolute path of the folder for a conversation's own files; it may not be there yet. @param id a valid id */
  attachmentsFolder(id: string): string;
  /** From now on nothing is written, also by saves already under way. */
  close(): void;
}

export interface ConversationStoreOptions {
  /** The extension's support folder; everything is stored below it. */
  supportPath: string;
  /** Different for every launch of a command. */
  launchId: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** A new id each time; letters, digits, `-` and `_`. For imported conversations; absent = random UUIDs. */
  makeId?: () => string;
}

const CLOSED = { kind: 'closed' } as const;
const INVALID_ID = 'There is no such conversation: its id is not valid.';
const failed = (message: string) => ({ kind: 'failed', message }) as const;

/**
 * Opens the store: one JSON file a conversation under `<supportPath>/conversations`. See docs/storage.md for
 * what is promised. Nothing is read or written until a method is called.
 */
export function createConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { supportPath, launchId, now, makeId = randomUUID } = options;
  const paths = storePaths(supportPath);
  let closed = false;
  const isClosed = () => closed;
  const lists = createLists({ paths, supportPath, isClosed, now });
  const onWritten = (id: string, disk: Disk) => {
    lists.noteSaved(id, disk);
  };
  const writer = createRecordWriter({ paths, launchId, now, onWritten });
  const lanes = createLanes(writer, isClosed);
  const unlessClosed = () => (closed ? CLOSED : undefined);

  function read(id: string, look: 'read' | 'peek' = 'read'): LoadOutcome {
    if (!isConversationId(id)) return { ok: false, message: INVALID_ID };
    const disk = writer[look](id);
    if (disk.kind === 'record') {
      const { conversation, problems } = disk.record;
      return { ok: true, conversation, problems };
    }
    if (disk.kind === 'unreadable') {
      return { ok: false, message: unreadableSentence(id, disk.reason) };
    }
    return { ok: false, message: 'This conversation is no longer there: it was deleted.' };
  }

  const writeUnlessClosed = (conversation: Conversation) =>
    writer.write(conversation, unlessClosed);

  /** Within the lane, from reading to writing, so that no save of this launch comes between. */
  async function claimNow(id: string): Promise<ClaimOutcome> {
    if (closed) return CLOSED;
    const loaded = read(id);
    if (!loaded.ok) return { kind: 'failed', message: loaded.message };
    const { conversation, problems } = loaded;
    const until = writer.heldUntil(conversation);
    if (until !== undefined) return { kind: 'held', until, conversation };
    const running = conversation.turns.filter((turn) => turn.state === 'running');
    if (running.length === 0 || conversation.owner?.launchId === launchId) {
      return { kind: 'claimed', conversation, interrupted: [], problems };
    }
    const outcome = await writeUnlessClosed(conversation); // the writer ends what a dead owner left running
    if (outcome.kind === 'lost-ownership') return claimNow(id); // it was alive after all, or another launch was faster
    if (outcome.kind !== 'saved') return outcome;
    const taken = read(id);
    if (!taken.ok) return { kind: 'failed', message: taken.message };
    const interrupted = running.map((turn) => turn.id);
    return { kind: 'claimed', conversation: taken.conversation, interrupted, problems };
  }

  async function releaseNow(id: string): Promise<SaveOutcome> {
    if (closed) return CLOSED;
    const loaded = read(id);
    if (!loaded.ok) return { kind: 'failed', message: loaded.message };
    const { conversation } = loaded;
    if (!hasRunningTurn(conversation)) return { kind: 'saved' };
    if (conversation.owner?.launchId !== launchId) return { kind: 'lost-ownership' };
    return writeUnlessClosed(interruptRunning(conversation, now()));
  }

  async function remove(id: string): Promise<DeleteOutcome> {
    if (closed) return CLOSED;
    if (!isConversationId(id)) return failed(INVALID_ID);
    return lanes.inLane(id, async () => {
      if (closed) return CLOSED;
      const message = await writer.remove(id);
      return message === undefined ? { kind: 'deleted' } : failed(message);
    });
  }

  function change(
    id: string,
    make: (stored: Conversation) => Conversation,
  ): Promise<ChangeOutcome> {
    return lanes.inLane(id, async () => changed(await writer.update(id, make, unlessClosed)));
  }

  async function rename(id: string, text: string): Promise<RenameOutcome> {
    const title = cleanTitle(text);
    if (title === '') return failed('A title needs at least one character.');
    const outcome = await change(id, (stored) => ({ ...stored, title, titledBy: 'person' }));
    return outcome.kind === 'done' ? { ...outcome, title } : outcome;
  }

  async function copyNow(id: string, newId: string): Promise<ChangeOutcome> {
    if (closed) return CLOSED;
    if (!isConversationId(id) || !isConversationId(newId)) return failed(INVALID_ID);
    const disk = writer.peek(id);
    if (disk.kind !== 'record') {
      const loaded = read(id, 'peek');
      return failed(loaded.ok ? INVALID_ID : loaded.message);
    }
    const { conversation, extras } = disk.record;
    const copy: Conversation = {
      ...withoutOwner(interruptRunning(conversation, conversation.owner?.heartbeatAt ?? now())),
      id: newId,
      title: copyTitle(conversation.title),
      titledBy: 'person', // or a title by a model would take the "(copy)" away again
      createdAt: now(),
      updatedAt: now(),
    };
    delete copy.pinned;
    try {
      // First: a record must not name files that are not there yet.
      copyAttachments(paths, id, newId);
    } catch (error) {
      return failed(storageFailure(error, 'could not be duplicated', paths.attachments(newId)));
    }
    return changed(await writer.create(copy, extras, unlessClosed));
  }

  /** One after the other; goes on after a failure, whose sentence it keeps. */
  async function each(
    ids: readonly string[],
    job: (id: string) => Promise<ChangeOutcome | DeleteOutcome>,
  ): Promise<CountOutcome> {
    let count = 0;
    let message: string | undefined;
    for (const id of ids) {
      const outcome = await job(id);
      if (outcome.kind === 'closed') return { kind: 'closed', count };
      if (outcome.kind === 'failed') message ??= outcome.message;
      else count += 1;
    }
    return message === undefined ? { kind: 'done', count } : { ...failed(message), count };
  }

  async function restore(trashId: string): Promise<ChangeOutcome> {
    if (closed) return CLOSED;
    const outcome = await restoreFromTrash(paths, trashId);
    const id = conversationIdOf(trashId);
    if (outcome.kind === 'done' && id !== undefined)
      onWritten(id, readRecordFile(paths.record(id), id));
    return outcome;
  }

  const purge = async (trashId: string): Promise<ChangeOutcome> =>
    closed ? CLOSED : purgeFromTrash(paths, trashId);

  async function emptyTrash(): Promise<CountOutcome> {
    if (closed) return { ...CLOSED, count: 0 };
    const { entries, problem } = await listTrash(paths, now());
    if (problem !== undefined) return { ...failed(problem), count: 0 };
    return each(
      entries.map(({ id }) => id),
      purge,
    );
  }

  return {
    adopt(conversation) {
      writer.adopt(conversation);
    },
    list: () => lists.list(),
    recent: () => lists.recent(),
    load: (id) => lanes.inLane(id, () => read(id)),
    peek: (id) => lanes.inLane(id, () => read(id, 'peek')),
    save: (conversation) => lanes.save(conversation),
    saveSync: (conversation) => lanes.saveSync(conversation),
    claim: (id) => lanes.inLane(id, () => claimNow(id)),
    release: (id) => lanes.inLane(id, () => releaseNow(id)),
    rename,
    setPinned: (id, pinned) => change(id, (stored) => pinnedOrNot(stored, pinned)),
    duplicate: (id, newId) => lanes.inLane(id, () => copyNow(id, newId)),
    delete: remove,
    deleteAll: (ids) => each(ids, remove),
    listTrash: async () => (closed ? { entries: [] } : listTrash(paths, now())),
    restore,
    purge,
    emptyTrash,
    attachmentsFolder: (id) => paths.attachments(id),
    ...createTransfer({ paths, writer, makeId, now, isClosed }),
    close() {
      closed = true;
    },
  };
}

/** The outcome of a write that is no save. */
function changed(outcome: SaveOutcome): ChangeOutcome {
  switch (outcome.kind) {
    case 'saved':
      return { kind: 'done' };
    case 'lost-ownership':
      return failed('The conversation was changed elsewhere meanwhile. Try again.');
    case 'failed':
    case 'closed':
      return outcome;
  }
}

function pinnedOrNot(conversation: Conversation, pinned: boolean): Conversation {
  const next: Conversation = { ...conversation, pinned };
  if (!pinned) delete next.pinned;
  return next;
}

/**
 * Copies the files of one conversation for another.
 *
 * @throws file system errors
 */
function copyAttachments(paths: StorePaths, from: string, to: string): void {
  let names: string[];
  try {
    names = readdirSync(paths.attachments(from));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  ensureFolder(paths.attachments(to));
  for (const name of names) {
    const [source, target] = [from, to].map((id) => join(paths.attachments(id), name));
    if (source === undefined || target === undefined || !lstatSync(source).isFile()) continue;
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    chmodSync(target, 0o600);
  }
}
