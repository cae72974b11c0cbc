import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import type { Conversation } from '../../lib/types';
import type { DecodedRecord } from './decode';
import { errorCode } from './failure';
import { readIndex, writeIndex, type CachedEntry, type ConversationEntry } from './index-cache';
import { hasRunningTurn, interruptRunning } from './merge';
import {
  isConversationId,
  readRecordFile,
  stampOf,
  storePaths,
  sweepLeftovers,
} from './record-file';
import { createRecordWriter, unreadableSentence, type SaveOutcome } from './writer';

export type { ConversationEntry } from './index-cache';
export type { SaveOutcome } from './writer';

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

export type DeleteOutcome =
  { kind: 'deleted' } | { kind: 'failed'; message: string } | { kind: 'closed' };

/** The stored conversations of one launch. Nothing here throws or rejects. */
export interface ConversationStore {
  /** All conversations, newest first, and what could not be read. */
  list(): Promise<{ entries: ConversationEntry[]; problems: StoreProblem[] }>;
  /** Id of the conversation that was changed last; undefined when there is none. */
  latest(): Promise<string | undefined>;
  load(id: string): Promise<LoadOutcome>;
  /**
   * Saves; the store sets `owner`. Whoever runs a turn saves at least every 2 s: each save is also its heartbeat. Saves of one conversation run one after the other, and of those that wait
   * only the latest is written. The answer is that of the write that included this save, or a later one.
   */
  save(conversation: Conversation): Promise<SaveOutcome>;
  /** Saves before it returns, in place of every save that still waits. For unloading; blocks up to 4 s if another process holds the file. */
  saveSync(conversation: Conversation): SaveOutcome;
  /** Ends the turns that a dead launch left running; answers `held` while their owner is alive. */
  claim(id: string): Promise<ClaimOutcome>;
  /** Gives this launch's running turns up: they are stored as interrupted, for another launch to go on from. */
  release(id: string): Promise<SaveOutcome>;
  /** Deletes the conversation, readable or not, with the copies set aside. A launch that still has it open cannot bring its turns back. */
  delete(id: string): Promise<DeleteOutcome>;
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
}

/** The writes of one conversation, in order. */
interface Lane {
  tail: Promise<unknown>;
  /** The save at the end of the lane that has not begun: a later one replaces what it will write. */
  waiting: { next: { conversation: Conversation }; outcome: Promise<SaveOutcome> } | undefined;
  /** Grows with every saveSync; saves that were asked for before it must not be written after it. */
  era: number;
  lastSync: SaveOutcome;
}

const CLOSED = { kind: 'closed' } as const;
const INVALID_ID = 'There is no such conversation: its id is not valid.';

/** Temporary, lock and staged files of records: `<id>.json.<anything>`. */
const LEFTOVER = /^[\w-]{1,64}\.json\../;

/**
 * Opens the store: one JSON file a conversation under `<supportPath>/conversations`. See docs/storage.md for
 * what is promised. Nothing is read or written until a method is called.
 */
export function createConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { supportPath, launchId, now } = options;
  const paths = storePaths(supportPath);
  const writer = createRecordWriter({ paths, launchId, now });
  const lanes = new Map<string, Lane>();
  let closed = false;
  let swept = false;

  function laneOf(id: string): Lane {
    const lane = lanes.get(id) ?? {
      tail: Promise.resolve(),
      waiting: undefined,
      era: 0,
      lastSync: CLOSED,
    };
    lanes.set(id, lane);
    return lane;
  }

  /** Runs after everything already asked for this conversation. `job` must not reject. */
  function inLane<T>(id: string, job: () => T | Promise<T>): Promise<T> {
    const lane = laneOf(id);
    lane.waiting = undefined;
    const result = lane.tail.then(job);
    lane.tail = result;
    return result;
  }

  function saveFrom(lane: Lane, era: number, conversation: Conversation): Promise<SaveOutcome> {
    return writer.write(conversation, () => {
      if (lane.era !== era) return lane.lastSync;
      return closed ? CLOSED : undefined;
    });
  }

  function save(conversation: Conversation): Promise<SaveOutcome> {
    const lane = laneOf(conversation.id);
    if (lane.waiting !== undefined) {
      lane.waiting.next.conversation = conversation;
      return lane.waiting.outcome;
    }
    const { era } = lane;
    const next = { conversation };
    const outcome = lane.tail.then(() => {
      if (lane.waiting?.next === next) lane.waiting = undefined;
      return saveFrom(lane, era, next.conversation);
    });
    lane.waiting = { next, outcome };
    lane.tail = outcome;
    return outcome;
  }

  function saveSync(conversation: Conversation): SaveOutcome {
    if (closed) return CLOSED;
    const lane = laneOf(conversation.id);
    lane.era += 1;
    lane.waiting = undefined;
    lane.lastSync = writer.writeSync(conversation);
    return lane.lastSync;
  }

  function read(id: string): LoadOutcome {
    if (!isConversationId(id)) return { ok: false, message: INVALID_ID };
    const disk = writer.read(id);
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
    writer.write(conversation, () => (closed ? CLOSED : undefined));

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
    if (!isConversationId(id)) return { kind: 'failed', message: INVALID_ID };
    return inLane(id, async () => {
      const message = await writer.remove(id);
      return message === undefined ? { kind: 'deleted' } : { kind: 'failed', message };
    });
  }

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

  async function list(): Promise<{ entries: ConversationEntry[]; problems: StoreProblem[] }> {
    const problems: StoreProblem[] = [];
    const cached = readIndex(paths.index);
    const rows: CachedEntry[] = [];
    let changed = false;
    for (const name of names(problems)) {
      const id = name.slice(0, -'.json'.length);
      if (!isConversationId(id)) {
        const problem = `“${name}” in the folder conversations is not a file of Lam; it was left as it is.`;
        problems.push({ id, problem, kind: 'unreadable', path: join(paths.conversations, name) });
        continue;
      }
      const row = cached.get(id);
      if (row !== undefined && row.stamp === safeStamp(paths.record(id))) {
        rows.push(row);
        continue;
      }
      changed = true;
      await nextTick(); // a first list reads every file: let the window draw in between
      const disk = readRecordFile(paths.record(id), id);
      if (disk.kind === 'record') rows.push(rowOf(disk.record, disk.stamp));
      if (disk.kind === 'unreadable') {
        const problem = unreadableSentence(id, disk.reason);
        const { reason } = disk;
        problems.push({ id, problem, kind: 'unreadable', path: paths.record(id), reason });
      }
    }
    if ((changed || rows.length !== cached.size) && !closed) await writeIndex(paths.index, rows);
    if (!swept && !closed) {
      swept = true;
      sweepLeftovers(paths.conversations, LEFTOVER);
      sweepLeftovers(supportPath, /^index\.json\.\d+$/);
    }
    for (const { entry, problems: sentences } of rows) {
      problems.push(
        ...sentences.map((problem) => ({ id: entry.id, problem, kind: 'damaged' as const })),
      );
    }
    return { entries: rows.map((row) => row.entry).sort(newestFirst), problems };
  }

  return {
    list,
    latest: async () => (await list()).entries[0]?.id,
    load: (id) => inLane(id, () => read(id)),
    save,
    saveSync,
    claim: (id) => inLane(id, () => claimNow(id)),
    release: (id) => inLane(id, () => releaseNow(id)),
    delete: remove,
    close() {
      closed = true;
    },
  };
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
  const { id, title, createdAt, updatedAt, turns } = conversation;
  const lastState = turns.at(-1)?.state;
  return {
    entry: { id, title, createdAt, updatedAt, turns: turns.length, lastState },
    stamp,
    problems,
  };
}

/** Ties are broken by id, so that the order is the same at every launch. */
function newestFirst(one: ConversationEntry, other: ConversationEntry): number {
  return (
    other.updatedAt - one.updatedAt ||
    other.createdAt - one.createdAt ||
    (one.id < other.id ? -1 : 1)
  );
}
