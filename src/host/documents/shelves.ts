import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import writeFileAtomic from 'write-file-atomic';

import type { FileRow } from './file-row';
import { createSegmentBuilder, stretchCount, type Segment } from './segment';
import { decodeSegment, encodeSegment } from './segment-file';

/** Stretches from which on a segment is full; one with a large document has more. A change costs a file of some 3 MB. */
export const FULL_SEGMENT = 4_096;

/** Segments below a quarter of that are put together when there are this many. */
const MANY_SMALL = 8;

const NAME = /^(\d{1,9})-[0-9a-f]{8}\.segment$/;

/** A segment with its file, and what has changed since it was made. */
export interface Shelf {
  number: number;
  /** Of its file. */
  name: string;
  segment: Segment;
  /** Its files as they are known by now. */
  rows: FileRow[];
  /** By place in `rows`: 0 when the file is gone, or a newer segment has it. */
  live: Uint8Array;
  /** False when its file, if there is one, says something else. */
  isStored: boolean;
}

/** Where a file's row is. */
interface Shelved {
  shelf: Shelf;
  place: number;
}

/** All segments, in memory and as files. A file that two of them have belongs to the one with the higher number. */
export interface Shelves {
  all(): readonly Shelf[];
  find(path: string): Shelved | undefined;
  /** Paths of all files that are known, whether they could be read or not. */
  paths(): IterableIterator<string>;
  rows(): Generator<FileRow>;
  /** Takes in what others have written, and drops what they have removed. */
  sync(): Promise<void>;
  /** @returns what the file system threw, if it could not be stored: it is in memory all the same */
  add(segment: Segment, store: boolean): unknown;
  drop(path: string): void;
  /** The same content, of another time. */
  replaceRow(row: FileRow): void;
  /** True when something was dropped or could not be stored, or files are damaged or left over. */
  isUntidy(): boolean;
  /**
   * Writes anew what has changed rows or dropped ones, puts small segments together, and removes files that are no use. Only
   * for the one who writes.
   *
   * @param mayWrite asked before each write
   * @returns what the file system threw
   */
  tidy(mayWrite: () => boolean): Promise<unknown>;
}

/** @param folder it is made with the first segment */
export function createShelves(folder: string): Shelves {
  let shelves: Shelf[] = [];
  let current = new Map<string, Shelved>();
  /** Files in the folder that are no whole segments. */
  let useless: string[] = [];

  const byNumber = (one: Shelf, other: Shelf): number =>
    one.number - other.number || (one.name < other.name ? -1 : 1);

  function names(): string[] {
    try {
      return readdirSync(folder);
    } catch {
      return []; // no index yet, or none that can be read
    }
  }

  function load(name: string): Shelf | undefined {
    try {
      const segment = decodeSegment(readFileSync(join(folder, name)));
      return segment === undefined ? undefined : shelfOf(name, segment, true);
    } catch {
      return undefined;
    }
  }

  /** Decides anew which segment has which file: the newest one. */
  function settle(): void {
    shelves.sort(byNumber);
    current = new Map();
    for (const shelf of shelves.toReversed()) {
      for (const [place, { path }] of shelf.rows.entries()) {
        const isNewest = shelf.live[place] === 1 && !current.has(path);
        if (isNewest) current.set(path, { shelf, place });
        else shelf.live[place] = 0;
      }
    }
  }

  async function sync(): Promise<void> {
    const there = new Set(names());
    useless = [...there].filter((name) => !NAME.test(name));
    let changed = false;
    for (const name of there) {
      if (!NAME.test(name) || shelves.some((shelf) => shelf.name === name)) continue;
      await nextTick();
      const shelf = load(name);
      changed ||= shelf !== undefined;
      if (shelf !== undefined) shelves.push(shelf);
      else if (statOf(join(folder, name))) useless.push(name);
    }
    const kept = shelves.filter(({ name, isStored }) => there.has(name) || !isStored);
    changed ||= kept.length < shelves.length;
    shelves = kept;
    if (changed) settle();
  }

  function write(shelf: Shelf): unknown {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Whole or not at all. Not synced: a torn segment is known by its sum, and its files are read anew.
      const bytes = encodeSegment({ ...shelf.segment, files: shelf.rows });
      writeFileAtomic.sync(join(folder, shelf.name), bytes, { mode: 0o600, fsync: false });
      shelf.isStored = true;
      return undefined;
    } catch (error) {
      return error;
    }
  }

  function add(segment: Segment, store: boolean): unknown {
    const number = 1 + Math.max(0, ...shelves.map((shelf) => shelf.number));
    const name = `${number}-${randomBytes(4).toString('hex')}.segment`;
    const shelf = shelfOf(name, segment, false);
    shelves.push(shelf);
    for (const [place, { path }] of shelf.rows.entries()) {
      const older = current.get(path);
      if (older !== undefined) older.shelf.live[older.place] = 0;
      current.set(path, { shelf, place });
    }
    return store ? write(shelf) : undefined;
  }

  function remove(names: ReadonlySet<string>): void {
    shelves = shelves.filter(({ name }) => !names.has(name));
    for (const name of names) {
      try {
        unlinkSync(join(folder, name));
      } catch {
        // Gone already, or removed at the next run.
      }
    }
  }

  const isWorn = ({ live, isStored }: Shelf): boolean => !isStored || live.includes(0);

  async function tidy(mayWrite: () => boolean): Promise<unknown> {
    const small = shelves.filter(({ segment }) => stretchCount(segment) < FULL_SEGMENT / 4);
    const together = new Set(small.length >= MANY_SMALL ? small : []);
    const worn = shelves.filter((shelf) => isWorn(shelf) || together.has(shelf));
    let builder = createSegmentBuilder();
    let taken = new Set<string>();
    const flush = (): unknown => {
      if (taken.size === 0) return undefined;
      if (!mayWrite()) return undefined;
      const error = builder.fileCount() > 0 ? add(builder.build(), true) : undefined;
      // Where the new one could not be stored, the old files stay: they are right but for what is gone.
      if (error === undefined) remove(taken);
      else shelves = shelves.filter(({ name }) => !taken.has(name));
      builder = createSegmentBuilder();
      taken = new Set();
      return error;
    };
    for (const shelf of worn) {
      await nextTick();
      if (builder.stretchCount() + stretchCount(shelf.segment) > FULL_SEGMENT) {
        const error = flush();
        if (error !== undefined) return error;
      }
      builder.addFrom(shelf.segment, (place) =>
        shelf.live[place] === 1 ? shelf.rows[place] : undefined,
      );
      taken.add(shelf.name);
    }
    const error = flush();
    if (error !== undefined) return error;
    if (mayWrite()) remove(new Set(useless));
    useless = [];
    return undefined;
  }

  return {
    all: () => shelves,
    find: (path) => current.get(path),
    paths: () => current.keys(),
    *rows() {
      for (const { shelf, place } of current.values()) {
        const row = shelf.rows[place];
        if (row !== undefined) yield row;
      }
    },
    sync,
    add,
    drop(path) {
      const found = current.get(path);
      if (found !== undefined) found.shelf.live[found.place] = 0;
      current.delete(path);
    },
    replaceRow(row) {
      const found = current.get(row.path);
      if (found === undefined) return;
      found.shelf.rows[found.place] = row;
      found.shelf.isStored = false;
    },
    isUntidy: () => useless.length > 0 || shelves.some(isWorn),
    tidy,
  };
}

function shelfOf(name: string, segment: Segment, isStored: boolean): Shelf {
  const rows = [...segment.files];
  const live = new Uint8Array(rows.length).fill(1);
  return { number: Number(NAME.exec(name)?.[1] ?? 0), name, segment, rows, live, isStored };
}

const statOf = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
