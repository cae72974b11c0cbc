import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import { errorCode } from '../store/failure';
import {
  ensureFolder,
  isConversationId,
  readRecordFile,
  stampOf,
  storePaths,
  sweepLeftovers,
} from '../store/record-file';
import { entryOf } from './entry';
import { pack, SHARD_DOCS, unpack, type Entry, type Shard } from './shard';
import { readShard, writeShard } from './shard-file';
import { createVocabulary, type Vocabulary } from './vocabulary';

/** Milliseconds after which a change of a folder has another time than the one before: the clock of a file system ticks every 4 to 10 ms. */
const SETTLE_MS = 50;

/** Files looked at before other work may run. */
const FILES_A_TICK = 500;

/** A shard and its file `<number>.json`. */
interface Shelf {
  number: number;
  shard: Shard;
  /** Whether the file says the same. */
  isStored: boolean;
}

/** The full-text index of all conversations, in memory and below `<supportPath>/search`. */
export interface LibraryIndex {
  readonly vocabulary: Vocabulary;
  /** What is there; it changes while `update` runs, between ticks. */
  shards(): Shard[];
  /** True when nothing was stored or removed since the last whole update. */
  isCurrent(): boolean;
  /**
   * Takes in what is new or has changed and drops what is gone, here and in the files. Never rejects.
   *
   * @returns a sentence when the conversations cannot be listed
   */
  update(): Promise<string | undefined>;
}

export function createIndex(supportPath: string): LibraryIndex {
  const paths = storePaths(supportPath);
  const folder = join(supportPath, 'search');
  const vocabulary = createVocabulary();
  const pathOf = (number: number) => join(folder, `${number}.json`);
  let shelves: Shelf[] = [];
  let isLoaded = false;
  let updatedFor: string | undefined;

  const folderStamp = (): string => {
    try {
      return stampOf(paths.conversations);
    } catch {
      return '';
    }
  };

  /** Undefined when the folder has just been changed: the next change may have the same time. */
  const settledStamp = (): string | undefined =>
    Math.abs(Date.now() - modifiedAt(paths.conversations)) > SETTLE_MS ? folderStamp() : undefined;

  /** Numbers of the shards on disk, the one written last first: it holds what is likely to be asked for. */
  function storedNumbers(): number[] {
    try {
      const found = readdirSync(folder).flatMap(
        (name) => /^(\d{1,6})\.json$/.exec(name)?.[1] ?? [],
      );
      return newestLast(found.map(Number), pathOf).toReversed();
    } catch {
      return []; // no index yet
    }
  }

  /** The shelf without what is gone, has changed, or is on another shelf already; `open` keeps what no shelf has yet. */
  function settle(shelf: Shelf, open: Map<string, string>): Shelf {
    const { shard } = shelf;
    const kept = new Set(
      shard.docs.filter(({ id, stamp }) => open.get(id) === stamp && open.delete(id)),
    );
    if (kept.size === shard.docs.length) return shelf;
    const left = pack(unpack(shard).filter(({ doc }) => kept.has(doc)));
    return { ...shelf, shard: left, isStored: false };
  }

  async function settleAll(open: Map<string, string>): Promise<void> {
    if (isLoaded) {
      shelves = shelves.map((shelf) => settle(shelf, open));
      return;
    }
    for (const number of storedNumbers()) {
      await nextTick();
      const shard = readShard(pathOf(number), vocabulary);
      // One that cannot be used is written over, or removed, by `storeAll`.
      const empty = { number, shard: pack([]), isStored: false };
      shelves.push(shard === undefined ? empty : settle({ number, shard, isStored: true }, open));
    }
    isLoaded = true;
  }

  /** Reads conversations until the shelf is full or none is left. */
  async function fill(shelf: Shelf, ids: string[]): Promise<Shelf> {
    const entries: Entry[] = unpack(shelf.shard);
    while (entries.length < SHARD_DOCS && ids.length > 0) {
      const id = ids.pop() ?? '';
      await nextTick();
      const disk = readRecordFile(paths.record(id), id);
      if (disk.kind === 'record')
        entries.push(entryOf(disk.record.conversation, disk.stamp, vocabulary));
      // One that cannot be read has no words, and is not read again before it changes.
      if (disk.kind === 'unreadable') {
        const doc = { id, stamp: disk.stamp, updatedAt: 0, length: 0 };
        entries.push({ doc, counts: new Map() });
      }
    }
    return { ...shelf, shard: pack(entries), isStored: false };
  }

  /** @param ids in the order in which they are taken from the end */
  async function addAll(ids: string[]): Promise<void> {
    // One that was emptied comes last, so that its file can go.
    const hasDocs = ({ shard }: Shelf): boolean => shard.docs.length > 0;
    shelves = [...shelves.filter(hasDocs), ...shelves.filter((shelf) => !hasDocs(shelf))];
    for (let place = 0; ids.length > 0; place += 1) {
      const number = 1 + Math.max(0, ...shelves.map((shelf) => shelf.number));
      const shelf = shelves[place] ?? { number, shard: pack([]), isStored: false };
      if (shelf.shard.docs.length >= SHARD_DOCS) continue;
      shelves[place] = await fill(shelf, ids);
      storeAll();
    }
  }

  function storeAll(): void {
    try {
      ensureFolder(folder);
    } catch {
      return; // found from memory, and read again at the next launch
    }
    for (const shelf of shelves) {
      if (shelf.isStored) continue;
      shelf.isStored = true;
      if (shelf.shard.docs.length > 0) writeShard(pathOf(shelf.number), shelf.shard, vocabulary);
      else removeFile(pathOf(shelf.number));
    }
    shelves = shelves.filter(({ shard }) => shard.docs.length > 0);
  }

  async function update(): Promise<string | undefined> {
    const stamp = settledStamp();
    const found = await scan(paths.conversations);
    if (typeof found === 'string') return found;
    sweepLeftovers(folder, /^\d{1,6}\.json\../);
    await settleAll(found);
    await addAll(newestLast([...found.keys()], (id) => paths.record(id)));
    storeAll();
    updatedFor = stamp;
    return undefined;
  }

  return {
    vocabulary,
    shards: () => shelves.map(({ shard }) => shard),
    isCurrent: () => updatedFor !== undefined && updatedFor === folderStamp(),
    update,
  };
}

/** All conversations' files: stamps by id; a sentence when they cannot be listed. */
async function scan(folder: string): Promise<Map<string, string> | string> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT'
      ? new Map()
      : `The stored conversations cannot be searched (${folder}): ${code}.`;
  }
  const found = new Map<string, string>();
  for (const [number, name] of names.entries()) {
    if (number % FILES_A_TICK === 0) await nextTick();
    const id = name.slice(0, -'.json'.length);
    if (!name.endsWith('.json') || !isConversationId(id)) continue;
    try {
      const stamp = stampOf(join(folder, name));
      if (stamp !== '') found.set(id, stamp);
    } catch {
      // It cannot even be looked at: nothing of it is searched.
    }
  }
  return found;
}

function newestLast<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const times = new Map(items.map((item) => [item, modifiedAt(pathOf(item))]));
  return items.toSorted((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
}

/** Milliseconds since the epoch; 0 when there is no such file, or none that can be looked at. */
function modifiedAt(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or its contents are dropped again at the next update.
  }
}
