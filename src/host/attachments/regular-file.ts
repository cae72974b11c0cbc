import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';

/** Milliseconds for one look at a file: a drive that sleeps wakes in five; one that is gone would never answer. */
const LIMIT_MS = 10_000;

/** A file that is open. It is closed when `work` is done. */
export interface OpenFile {
  /** Bytes as the system counts them; 0 for some whose content is made when it is read. */
  size: number;
  /** Bytes from `from` on, at most `most`; fewer at the end of the file. */
  read: (from: number, most: number) => Promise<Uint8Array>;
}

type Failed = { ok: false; message: string };

/** A file name on one line, for a sentence. */
export function fileName(path: string): string {
  const name = basename(path)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .trim();
  const signs = Array.from(name);
  if (name === '') return 'The file';
  return signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME).join('')}…` : name;
}

/** Code points: file systems allow 255 bytes, a sentence in a form has room for less. */
const MAX_NAME = 120;

/**
 * Opens a regular file and works with it. Symbolic links are followed unless `isOwn`. Never rejects and never hangs: what is
 * no file is not opened, a pipe put there meanwhile is opened without waiting, and a work that takes too long is left.
 *
 * @param isOwn a file that Lam has made: a link in its place is somebody else's doing
 * @returns what `work` gives; a failure with a sentence if there is nothing to read
 */
export async function withRegularFile<T>(
  path: string,
  signal: AbortSignal,
  work: (file: OpenFile) => Promise<T>,
  { isOwn = false, limitMs = LIMIT_MS }: { isOwn?: boolean; limitMs?: number } = {},
): Promise<T | Failed> {
  const name = fileName(path);
  if (!isAbsolute(path)) return failed(`${name} has no full path; choose it again.`);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const done = await untilFired(openAndWork(path, name, isOwn, work), limit);
    if (done !== undefined) return done;
    return failed(
      signal.aborted
        ? `The reading of ${name} was stopped.`
        : `${name} could not be read in time; check that its drive is connected.`,
    );
  } catch (error) {
    return failed(sentenceFor(error, name));
  }
}

/** `untilAbort` stands behind the door of `lib/tools`, with more than all this; `assets/web.js` would hold all of it. */
function untilFired<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      resolve(undefined);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}

function failed(message: string): Failed {
  return { ok: false, message };
}

async function openAndWork<T>(
  path: string,
  name: string,
  isOwn: boolean,
  work: (file: OpenFile) => Promise<T>,
): Promise<T | Failed> {
  // Opening a device may already do something.
  const before = await stat(path);
  if (before.isDirectory()) return failed(`${name} is a folder; attach the files in it.`);
  if (!before.isFile())
    return failed(`${name} is a device or a pipe, not a file that can be read.`);
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (isOwn ? O_NOFOLLOW : 0));
  try {
    const found = await handle.stat();
    if (!found.isFile()) return failed(`${name} is not a file that can be read.`);
    return await work({ size: found.size, read: (from, most) => readFrom(handle, from, most) });
  } finally {
    await handle.close();
  }
}

/** Bytes of one read: small enough to stop between two. */
const PIECE = 1024 * 1024;

async function readFrom(handle: FileHandle, from: number, most: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  while (size < most) {
    const piece = Buffer.alloc(Math.min(PIECE, most - size));
    const { bytesRead } = await handle.read(piece, 0, piece.length, from + size);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    size += bytesRead;
  }
  return Buffer.concat(pieces);
}

function sentenceFor(error: unknown, name: string): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${name} is not there any more.`;
    case 'EACCES':
    case 'EPERM':
      return `Lam has no permission to read ${name}.`;
    case 'ELOOP':
      return `${name} is a link that leads nowhere.`;
    default:
      return `${name} could not be read (${code}).`;
  }
}
