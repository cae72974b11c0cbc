import type { FileRow } from './file-row';
import type { Folder } from './folders';
import type { Progress, RunOutcome, ScanResult } from './indexing';
import type { Semantic } from './semantic';
import type { Shelves } from './shelves';
import { countsOf, sortedFiles, type DocumentFile, type DocumentsStatus } from './status';

/** What the index is doing, and what it knows besides its rows. */
interface Moment {
  folders: readonly Pick<Folder, 'path' | 'name'>[];
  /** Of the last look at the folders. */
  found: ScanResult | undefined;
  progress: Progress | undefined;
  last: RunOutcome | undefined;
  /** Another launch reads. */
  isElsewhere: boolean;
  isRunning: boolean;
  /** What this run has read and not stored yet, by path. */
  justRead: ReadonlyMap<string, FileRow>;
  /** Paths of files whose kept text is missing or damaged. */
  broken: ReadonlySet<string>;
}

export interface ListingOptions {
  shelves: Pick<Shelves, 'find' | 'rows'>;
  semantic: Pick<Semantic, 'progress' | 'problem'> | undefined;
  /** Undefined for what is in none of the folders any more. */
  nameOf: (path: string) => string | undefined;
  now: () => Moment;
}

/** The files below the chosen folders with what became of each, and the status made of them. */
export interface Listing {
  /** Files that are to be read and have not been yet. */
  pending: () => DocumentFile[];
  status: () => DocumentsStatus;
  /** True for a chosen folder itself. */
  isChosen: (file: DocumentFile) => boolean;
}

export function createListing({ shelves, semantic, nameOf, now }: ListingOptions): Listing {
  function rowOf(path: string): FileRow | undefined {
    const shelved = shelves.find(path);
    return shelved?.shelf.rows[shelved.place];
  }

  function pending(): DocumentFile[] {
    const { found, last, isRunning, broken } = now();
    const waiting: DocumentFile[] = [];
    for (const { path, name, size, mtimeMs } of found?.wanted.values() ?? []) {
      const row = rowOf(path);
      if (row?.size === size && row.mtimeMs === mtimeMs && !broken.has(path)) continue;
      if (!isRunning && last?.isWhole === true) continue; // vanished meanwhile
      waiting.push({ name, path, state: 'pending', size });
    }
    for (const path of broken) {
      const row = rowOf(path);
      const name = nameOf(path);
      if (row === undefined || name === undefined || found?.wanted.has(path) === true) continue;
      waiting.push({ name, path, state: 'pending', size: row.size });
    }
    return waiting;
  }

  function filesNow(): DocumentFile[] {
    const { found, justRead } = now();
    const waiting = pending();
    const isWaiting = new Set(waiting.map(({ path }) => path));
    const files = waiting.map((file) => {
      const row = justRead.get(file.path);
      return row === undefined ? file : fileOf(row, file.name);
    });
    for (const file of found?.skipped ?? []) if (!isChosen(file)) files.push(file);
    for (const row of shelves.rows()) {
      const name = nameOf(row.path);
      if (name === undefined || isWaiting.has(row.path)) continue;
      files.push(fileOf(row, name));
    }
    return files;
  }

  const isChosen = (file: DocumentFile): boolean =>
    now().folders.some(({ path }) => path === file.path);

  /** How far another launch has come, as far as it has stored it. */
  function progressElsewhere(files: readonly DocumentFile[], left: number): Progress | undefined {
    if (!now().isElsewhere || left === 0) return undefined;
    // What was not to be read at all, such as a link, has no size.
    const total = files.filter(({ size }) => size !== undefined).length;
    return { done: total - left, total };
  }

  function status(): DocumentsStatus {
    const { found, last, progress, isRunning } = now();
    const files = filesNow();
    const counts = countsOf(files);
    const reading = progress ?? progressElsewhere(files, counts.pending);
    const comparing = semantic?.progress();
    const isLooking = isRunning && (found === undefined || counts.pending > 0);
    const isWorking = isLooking || reading !== undefined || comparing !== undefined;
    const own = (found?.skipped ?? []).filter(isChosen);
    const embeddingProblem = semantic?.problem();
    return {
      state: isWorking ? 'indexing' : 'idle',
      ...(reading === undefined ? {} : { progress: { what: 'reading', ...reading } }),
      ...(reading !== undefined || comparing === undefined || isLooking
        ? {}
        : { progress: { what: 'comparing', ...comparing } }),
      counts,
      files: sortedFiles(files),
      ...(own.length === 0
        ? {}
        : { folders: own.map(({ path, reason = '' }) => ({ path, reason })) }),
      ...(last?.problem === undefined ? {} : { problem: last.problem }),
      ...(embeddingProblem === undefined ? {} : { embeddingProblem }),
    };
  }

  return { pending, status, isChosen };
}

/** A row of the index as the status lists it. */
function fileOf({ path, state, reason, size, pages, blocks }: FileRow, name: string): DocumentFile {
  return {
    name,
    path,
    state,
    size,
    ...(reason === undefined ? {} : { reason }),
    ...(pages === undefined ? {} : { pages }),
    ...(state === 'indexed' ? { blocks } : {}),
  };
}
