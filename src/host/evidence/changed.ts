import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

import type { Source } from '../../lib/types';
import { withRegularFile, type OpenFile } from '../attachments/regular-file';

/** What became of a document since an answer was written from it; `unknown`: it cannot be told. */
export type FileState = 'same' | 'changed' | 'gone' | 'unknown';

/** The paths of documents, and what became of each. A path that is not in it was not asked about. */
export type FileStates = ReadonlyMap<string, FileState>;

/** Bytes of a file that is read again: as much as is read of a document for the index. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Milliseconds for all files of an answer: somebody waits for the list. */
const LIMIT_MS = 5_000;

/** Bytes that are read at once. */
const PIECE = 1024 * 1024;

/** What is known of a document, or of a page, which is passed over. */
export type Version = Pick<Source, 'kind' | 'url' | 'version'>;

interface Options {
  maxBytes?: number;
  limitMs?: number;
}

/**
 * Compares the documents behind an answer with their files, by SHA-256. Never rejects, and ends in time: what is too large, or
 * on a drive that does not answer, is `unknown`, as is what was kept without a hash.
 */
export function createChangeCheck({ maxBytes = MAX_BYTES, limitMs = LIMIT_MS }: Options = {}) {
  return async (read: readonly Version[]): Promise<FileStates> => {
    const signal = AbortSignal.timeout(limitMs);
    const states = new Map<string, FileState>();
    for (const [path, versions] of versionsOf(read))
      states.set(path, await stateOf(path, versions, { maxBytes, limitMs, signal }));
    return states;
  };
}

/** The versions that were read of each document; one that changed while it was asked about has several. */
function versionsOf(read: readonly Version[]): Map<string, Set<string>> {
  const byPath = new Map<string, Set<string>>();
  for (const { kind, url, version } of read) {
    if (kind !== 'document') continue;
    const versions = byPath.get(url) ?? new Set();
    if (version !== undefined) versions.add(version.toLowerCase());
    byPath.set(url, versions);
  }
  return byPath;
}

async function stateOf(
  path: string,
  versions: ReadonlySet<string>,
  { maxBytes, limitMs, signal }: Required<Options> & { signal: AbortSignal },
): Promise<FileState> {
  if (signal.aborted || !isAbsolute(path)) return 'unknown';
  const read = await withRegularFile(
    path,
    signal,
    async (file): Promise<FileState> => {
      if (versions.size === 0) return 'unknown'; // it is there, and nothing to compare it with
      const now = await hashOf(file, maxBytes, signal);
      if (now === undefined) return 'unknown';
      return versions.size === 1 && versions.has(now) ? 'same' : 'changed';
    },
    { limitMs },
  );
  if (typeof read === 'string') return read;
  return (await isGone(path, signal)) ? 'gone' : 'unknown';
}

/** Undefined when the file is larger than `maxBytes`. */
async function hashOf(
  { size, read }: OpenFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (size > maxBytes) return undefined;
  const hash = createHash('sha256');
  let from = 0;
  for (;;) {
    if (signal.aborted) return undefined;
    const piece = await read(from, PIECE);
    if (piece.length === 0) return hash.digest('hex');
    hash.update(piece);
    from += piece.length;
    if (from > maxBytes) return undefined; // it grows while it is read
  }
}

/** Whether nothing of that name is there any more, or something that is no file. A drive that does not answer says neither. */
function isGone(path: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      resolve(false);
    };
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    stat(path)
      .then(
        (found) => !found.isFile(),
        (error: unknown) => isNotThere(error),
      )
      .then(resolve, giveUp)
      .finally(() => {
        signal.removeEventListener('abort', giveUp);
      });
  });
}

function isNotThere(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}
