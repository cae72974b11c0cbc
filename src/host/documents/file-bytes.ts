import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import type { SourceStatus } from '../../lib/types';
import { withinTime } from './time-limit';

/** Milliseconds for one file: a drive that sleeps wakes in five seconds, 64 MB of a slow one take twenty. */
const LIMIT_MS = 30_000;

/** Bytes at each end that tell what a file is: names in an office file stand in front of its parts and in its directory. */
const SAMPLE_BYTES = 64 * 1024;

/** Bytes of one read: small enough to stop between two. */
const PIECE = 1024 * 1024;

/** How often a file that changes while it is read is begun again. */
const MAX_TRIES = 2;

const STOPPED = 'The reading was stopped.';
/** Said of files and folders alike. */
export const TOO_LATE = 'It could not be read in time; check that its drive is connected.';

/** Why a document is not read. `reason`: one sentence for the person, `It is …`. */
export interface Refusal {
  ok: false;
  status: Exclude<SourceStatus, 'hit' | 'read' | 'part'>;
  reason: string;
  size?: number;
  mtimeMs?: number;
}

/** What was found at the beginning and the end of a file. */
export interface FileEnds {
  /** The first bytes, and the last ones where there are more. */
  ends: Uint8Array;
  head: Uint8Array;
}

export interface FileBytes<Kind> {
  ok: true;
  kind: Kind;
  bytes: Uint8Array;
  /** SHA-256 of the bytes, in hex. */
  version: string;
  size: number;
  mtimeMs: number;
}

/**
 * The bytes of a regular file, as it stood at one moment: one that changes meanwhile is begun again, and refused if that does
 * not help. Never rejects and never hangs: links, devices and pipes are not opened; ends within 100 ms of an abort.
 *
 * @param path a real path: one on which a link stands by now is refused
 * @param judge says from its ends what the file is and how many bytes it may have, or why it is not read
 */
export async function readFileBytes<Kind>(
  path: string,
  judge: (ends: FileEnds) => { ok: true; kind: Kind; most: number; tooLarge: string } | Refusal,
  signal: AbortSignal,
): Promise<FileBytes<Kind> | Refusal> {
  try {
    for (let tries = 1; ; tries += 1) {
      const timed = await withinTime((isLeft) => readOnce(path, judge, isLeft), signal, LIMIT_MS);
      if (!timed.ok) return refused('timed-out', timed.isStopped ? STOPPED : TOO_LATE);
      const outcome = timed.value;
      if (outcome !== 'changed') return outcome;
      if (tries >= MAX_TRIES) return refused('unreadable', 'It changed while it was read.');
    }
  } catch (error) {
    return refusalFor(error);
  }
}

export function refused(status: Refusal['status'], reason: string): Refusal {
  return { ok: false, status, reason };
}

async function readOnce<Kind>(
  path: string,
  judge: (ends: FileEnds) => { ok: true; kind: Kind; most: number; tooLarge: string } | Refusal,
  isLeft: () => boolean,
): Promise<FileBytes<Kind> | Refusal | 'changed'> {
  // Opening a device may already do something.
  const before = await lstat(path);
  if (before.isSymbolicLink()) throw new FollowedLink();
  if (before.isDirectory()) return refused('unreadable', 'It is a folder.');
  if (!before.isFile()) return refused('unreadable', 'It is a device or a pipe, not a file.');
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (!found.isFile()) return refused('unreadable', 'It is not a file that can be read.');
    if ((await realpath(path)) !== path) throw new FollowedLink();
    if (!(await isOpenAt(handle, path))) return 'changed';
    const { size, mtimeMs } = found;
    const facts = { size, mtimeMs };
    // What it has beyond that size shows in the look afterwards.
    const head = await readFrom(handle, 0, Math.min(size, SAMPLE_BYTES), isLeft);
    if (head.length === 0) return { ...refused('unreadable', 'It is empty.'), ...facts };
    const tail = await readFrom(
      handle,
      Math.max(head.length, size - SAMPLE_BYTES),
      Math.min(SAMPLE_BYTES, size - head.length),
      isLeft,
    );
    const ends = tail.length === 0 ? head : Buffer.concat([head, tail]);
    const judged = judge({ ends, head });
    if (!judged.ok) return { ...judged, ...facts };
    if (size > judged.most) return { ...refused('too-large', judged.tooLarge), ...facts };
    const hash = createHash('sha256');
    const bytes = size <= SAMPLE_BYTES ? head : await readFrom(handle, 0, size, isLeft, hash);
    if (bytes === head) hash.update(head);
    const after = await handle.stat();
    if (after.size !== bytes.length || after.mtimeMs !== mtimeMs) return 'changed';
    return { ok: true, kind: judged.kind, bytes, version: hash.digest('hex'), ...facts };
  } finally {
    await handle.close();
  }
}

/** Where Linux shows what a process has opened, each by its number (proc(5)). */
const OPENED = '/proc/self/fd';

/**
 * Whether what was opened is the file at a real path. Asking for the path's real one is not enough: a folder on the way may
 * be a link while it is opened, and none again a moment later. Linux says what the opened file itself is called; elsewhere
 * the same file must stand there still. Rejects when nothing stands there.
 *
 * @param opened as on Linux; for tests
 */
export async function isOpenAt(
  handle: FileHandle,
  path: string,
  opened = OPENED,
): Promise<boolean> {
  try {
    return (await readlink(join(opened, String(handle.fd)))) === path;
  } catch {
    const [own, there] = await Promise.all([handle.stat(), lstat(path)]);
    return own.dev === there.dev && own.ino === there.ino;
  }
}

async function readFrom(
  handle: FileHandle,
  from: number,
  most: number,
  isLeft: () => boolean,
  hash?: ReturnType<typeof createHash>,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  while (size < most && !isLeft()) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, most - size));
    const { bytesRead } = await handle.read(piece, 0, piece.length, from + size);
    if (bytesRead === 0) break;
    const read = piece.subarray(0, bytesRead);
    hash?.update(read);
    pieces.push(read);
    size += bytesRead;
  }
  return Buffer.concat(pieces);
}

/** Something on the way is a link, and may lead anywhere. */
export class FollowedLink extends Error {
  readonly code = 'ELOOP';
}

/** What the system says about a file or a folder, in one sentence. */
export function refusalFor(error: unknown): Refusal {
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refused('not-found', 'It is not there any more.');
    case 'EACCES':
    case 'EPERM':
      return refused('refused', 'Lam has no permission to read it.');
    case 'ELOOP':
      return refused('refused', 'It is a link, which Lam does not follow.');
    case 'ENAMETOOLONG':
      return refused('unreadable', 'Its path is too long.');
    default:
      return refused('unreadable', `It could not be read (${code}).`);
  }
}
