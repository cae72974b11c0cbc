import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import { blocksOf } from '../../lib/blocks';
import { storageSentence } from './disk-sentence';
import { failedRow, rowFor, type Extracted } from './extracted';
import type { FileRow } from './file-row';
import { versionOf } from './file-version';
import { holds, type Folder } from './folders';
import { createSegmentBuilder, stretchCount } from './segment';
import { FULL_SEGMENT, type Shelves } from './shelves';
import type { Changes, DocumentFile } from './status';
import { stretchesOf } from './stretches';
import type { TextStore } from './text-store';
import { takeLock, type WriterLock } from './writer-lock';

/** Milliseconds after which what was read is stored: at most that much is read again after a kill. */
const STORE_AFTER_MS = 2_000;

/** Files of a batch: many files without words make no stretches. */
const MAX_BATCH_FILES = 500;

/** Stretches of the whole index: some 400 MB of text. In memory each takes half a kilobyte. */
const MAX_STRETCHES = 500_000;

/** Entries looked at before other work may run. */
const ENTRIES_A_TICK = 200;

/** What stands below the chosen folders. */
export type Walk = (
  folders: readonly Pick<Folder, 'path' | 'name'>[],
  signal: AbortSignal,
) => AsyncIterable<
  | { kind: 'file'; path: string; name: string; size: number; mtimeMs: number }
  | { kind: 'skipped'; path: string; name: string; reason: string }
>;

/** The reading of one file; see extract.ts. */
export type ReadFile = (path: string, signal: AbortSignal) => Promise<Extracted>;

/** Where a run stands. */
export interface Progress {
  /** Files read so far in this run, and all that are to be read; absent while they are looked for. */
  done: number;
  total: number;
}

/** A file to be read, as it was seen. */
export interface Wanted {
  name: string;
  path: string;
  size: number;
  mtimeMs: number;
}

/** What a look at the folders found. */
export interface ScanResult {
  /** Files to be read. */
  wanted: ReadonlyMap<string, Wanted>;
  /** What is not read, with reasons, and not in the index either. */
  skipped: readonly DocumentFile[];
  /** Paths of the files that were seen. */
  seen: ReadonlySet<string>;
}

export interface IndexingOptions {
  shelves: Shelves;
  texts: TextStore;
  walk: Walk;
  extract: ReadFile;
  /** Of the writer's lock. */
  lockPath: string;
  /** Tells this writer from all others. */
  token: string;
  /** Milliseconds, for tests: see `STORE_AFTER_MS`. */
  storeAfterMs?: number | undefined;
}

export interface RunOptions {
  folders: readonly Pick<Folder, 'path' | 'name'>[];
  /** Reads again what is not in the index, for whatever reason. */
  retry: boolean;
  signal: AbortSignal;
  onScanned: (scan: ScanResult) => void;
  onProgress: (progress: Progress) => void;
  /** What became of a file. It is found once the batch is stored. */
  onRead: (row: FileRow) => void;
}

export interface RunOutcome {
  /** False when another writer is at work: what it has written is taken in, and the rest is to be looked at again. */
  isWhole: boolean;
  /** Another writer is at work on what is to be read. */
  isBusy?: boolean;
  /** What the look has found; absent when it was not finished. */
  changes?: Changes;
  /** Sentences. */
  problem?: string;
}

/**
 * Brings the index up to date: looks through the folders, reads what is new or has changed, one file at a time, stores it in
 * batches, and drops what is gone. Whatever a run has stored, the next one need not read again. Never rejects.
 */
export function createIndexing({
  shelves,
  texts,
  walk,
  extract,
  lockPath,
  token,
  storeAfterMs = STORE_AFTER_MS,
}: IndexingOptions) {
  /** Files whose kept text is missing or damaged. */
  const broken = new Set<string>();
  let isSwept = false;
  /** False when texts may be missing: at the first look, and after a run that could not write all of them. */
  let areTextsThere = false;

  async function scan({ folders, retry, signal }: RunOptions): Promise<ScanResult | undefined> {
    const wanted = new Map<string, Wanted>();
    const skipped: DocumentFile[] = [];
    const seen = new Set<string>();
    let count = 0;
    if (!areTextsThere) {
      for (const path of texts.missing(indexedPaths())) broken.add(path);
      areTextsThere = true;
    }
    for await (const entry of walk(folders, signal)) {
      if (signal.aborted) return undefined;
      count += 1;
      if (count % ENTRIES_A_TICK === 0) await nextTick();
      const { path, name } = entry;
      if (entry.kind === 'skipped') {
        skipped.push({ name, path, state: 'skipped', reason: entry.reason });
        continue;
      }
      if (seen.has(path)) continue;
      seen.add(path);
      const { size, mtimeMs } = entry;
      const row = rowOf(path);
      const isSame =
        row?.size === size &&
        row.mtimeMs === mtimeMs &&
        !broken.has(path) &&
        !(retry && row.state !== 'indexed');
      if (!isSame) wanted.set(path, { name, path, size, mtimeMs });
    }
    return signal.aborted ? undefined : { wanted, skipped, seen };
  }

  function rowOf(path: string): FileRow | undefined {
    const found = shelves.find(path);
    return found?.shelf.rows[found.place];
  }

  /** What the index has and the folders do not. Of a folder that is not there now, or could not be looked into, nothing is gone. */
  function goneFrom({ seen, skipped }: ScanResult, { folders }: RunOptions): string[] {
    const away = folders.filter(({ path }) => !isFolder(path));
    const unseen = new Set(skipped.map(({ path }) => path));
    return [...shelves.paths()].filter((path) => {
      if (seen.has(path)) return false;
      const folder = folders.find((each) => holds(each.path, path));
      return folder === undefined || !(away.includes(folder) || isBelow(path, folder.path, unseen));
    });
  }

  function changesOf({ wanted }: ScanResult, gone: readonly string[]): Changes {
    let [added, changed] = [0, 0];
    for (const { path, size, mtimeMs } of wanted.values()) {
      const row = rowOf(path);
      if (row === undefined) added += 1;
      else if (row.size !== size || row.mtimeMs !== mtimeMs) changed += 1;
    }
    return { added, changed, gone: gone.length };
  }

  async function run(options: RunOptions): Promise<RunOutcome> {
    await shelves.sync();
    const found = await scan(options);
    if (found === undefined) return { isWhole: false };
    options.onScanned(found);
    const gone = goneFrom(found, options);
    const changes = changesOf(found, gone);
    // Whoever may write next removes their texts: they are in no later look.
    if (gone.length > 0) isSwept = false;
    const isTidy = isSwept && !shelves.isUntidy() && !texts.isHolding();
    if (found.wanted.size === 0 && isTidy) return { isWhole: true, changes };
    const taken = takeLock(lockPath, token);
    if (taken.kind === 'busy') {
      for (const path of gone) shelves.drop(path);
      const isWhole = found.wanted.size === 0;
      return { isWhole, isBusy: !isWhole, changes };
    }
    const lock = taken.kind === 'held' ? taken.lock : undefined;
    try {
      const failure = await write(found.wanted, gone, lock, options);
      const problem = taken.kind === 'failed' ? taken.error : failure;
      const isLost = lock?.isHeld() === false;
      const isWhole = !options.signal.aborted && !isLost;
      if (isLost || failure !== undefined) areTextsThere = false;
      const outcome = { isWhole, isBusy: isLost, changes };
      return problem === undefined
        ? outcome
        : { ...outcome, problem: storageSentence(problem, lockPath) };
    } finally {
      lock?.release();
    }
  }

  /** @returns what the file system threw */
  async function write(
    wanted: ReadonlyMap<string, Wanted>,
    gone: readonly string[],
    lock: WriterLock | undefined,
    options: RunOptions,
  ): Promise<unknown> {
    const { signal } = options;
    const mayWrite = (): boolean => lock?.isHeld() === true;
    const isLost = (): boolean => lock?.isHeld() === false;
    if (lock !== undefined) await shelves.sync(); // what another one has written since
    for (const path of gone) shelves.drop(path);
    if (mayWrite() && !isSwept) sweep();
    const unheld = mayWrite() ? storeHeld() : undefined;
    const failure = (await readAll(wanted, { mayWrite, isLost }, options)) ?? unheld;
    if (signal.aborted || lock === undefined || !mayWrite()) return failure;
    const untidied = await shelves.tidy(mayWrite);
    isSwept = true;
    return failure ?? untidied;
  }

  /** Texts of files that are gone must not stay behind. */
  function sweep(): void {
    texts.keepOnly(indexedPaths());
  }

  const storeHeld = (): unknown =>
    texts.storeHeld((path, version) => rowOf(path)?.version === version);

  function* indexedPaths(): Generator<string> {
    for (const { path, state } of shelves.rows()) if (state === 'indexed') yield path;
  }

  async function readAll(
    wanted: ReadonlyMap<string, Wanted>,
    { mayWrite, isLost }: { mayWrite: () => boolean; isLost: () => boolean },
    { signal, onProgress, onRead }: RunOptions,
  ): Promise<unknown> {
    let builder = createSegmentBuilder();
    let storedAt = performance.now();
    let failure: unknown;
    let done = 0;
    let stretches = shelves.all().reduce((sum, { segment }) => sum + stretchCount(segment), 0);

    const store = (): void => {
      if (builder.fileCount() > 0) failure = shelves.add(builder.build(), mayWrite()) ?? failure;
      builder = createSegmentBuilder();
      storedAt = performance.now();
    };

    const add = (row: FileRow, made: Parameters<typeof builder.addFile>[1] = []): void => {
      builder.addFile(row, made);
      onRead(row);
    };

    for (const [path, file] of wanted) {
      onProgress({ done, total: wanted.size });
      done += 1;
      await nextTick();
      if (signal.aborted) break;
      if (await isUnchanged(file, signal)) continue;
      const read = await extract(path, signal);
      // Whoever has the lock by now reads the rest: a row whose text nobody may write would say too much.
      if (isAborted(signal) || isLost()) break;
      if (!read.ok) {
        const row = failedRow(file, read);
        if (row === undefined) shelves.drop(path);
        else add(row);
      } else if (stretches >= MAX_STRETCHES) {
        const reason = 'The index is full: choose fewer folders.';
        add({ ...rowFor(path, read), state: 'failed', reason, version: '' });
      } else {
        const { title, text, pages, cut, version } = read;
        const blocks = blocksOf({ text, ...(pages === undefined ? {} : { pages }) });
        const made = stretchesOf(text, blocks, { title, path });
        stretches += made.length;
        failure = texts.put({ path, version, text, pages, cut, blocks }, mayWrite()) ?? failure;
        add({ ...rowFor(path, read), blocks: made.length }, made);
      }
      broken.delete(path);
      const isFull =
        builder.stretchCount() >= FULL_SEGMENT || builder.fileCount() >= MAX_BATCH_FILES;
      if (isFull || performance.now() - storedAt > storeAfterMs) store();
    }
    store();
    onProgress({ done, total: wanted.size });
    return failure;
  }

  /** True when another writer has read it meanwhile, or only its time is another one. */
  async function isUnchanged(
    { path, size, mtimeMs }: Wanted,
    signal: AbortSignal,
  ): Promise<boolean> {
    const row = rowOf(path);
    if (row?.state !== 'indexed' || row.size !== size) return false;
    if (broken.has(path) && texts.get(path, row.version) === undefined) return false;
    broken.delete(path);
    if (row.mtimeMs === mtimeMs) return true;
    const now = await versionOf(path, signal);
    if (now?.version !== row.version) return false;
    if (now.mtimeMs !== row.mtimeMs) shelves.replaceRow({ ...row, mtimeMs: now.mtimeMs });
    return true;
  }

  return {
    run: (options: RunOptions): Promise<RunOutcome> =>
      run(options).catch((error: unknown) => ({
        isWhole: false,
        problem: storageSentence(error, lockPath),
      })),
    /** Has the file read again: what is kept of it is missing or damaged. */
    repair: (path: string) => broken.add(path),
    /** Paths of the files to be read again for that. */
    broken: (): ReadonlySet<string> => broken,
  };
}

/** A signal may fire at any await, which the compiler does not know. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** True when one of these stands between the folder and the path. */
function isBelow(path: string, folder: string, places: ReadonlySet<string>): boolean {
  for (let above = dirname(path); holds(folder, above); above = dirname(above)) {
    if (places.has(above)) return true;
    if (above === folder) return false;
  }
  return false;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
