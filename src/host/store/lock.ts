import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { errorCode } from './failure';

/**
 * Milliseconds after which a lock file belongs to nobody. A holder works for milliseconds; five seconds
 * outlast a slow fsync and still end before a killed owner's heartbeat does (TAKEOVER_AFTER_MS), so
 * whoever may take a conversation over can also write it.
 */
const LOCK_STALE_MS = 5_000;

/** Milliseconds between two tries at a lock that somebody holds. */
const LOCK_RETRY_MS = 20;

/** Milliseconds an asynchronous writer waits: longer than a lock can be stale. */
const LOCK_WAIT_MS = LOCK_STALE_MS + 1_000;

/** Milliseconds a synchronous writer waits: the launcher ends a worker 5 s after unloading it. */
const LOCK_WAIT_SYNC_MS = 4_000;

/** Says whether the lock is still ours; false once somebody broke it because it had grown old. */
export type IsHeld = () => boolean;

const lookAt = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false });

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/**
 * Takes a lock that has grown old out of the way. Renaming first makes sure that only one of several
 * breakers wins; if what was renamed turns out to be a fresh lock, it is linked back.
 */
function breakStale(path: string): void {
  const seen = lookAt(path);
  if (seen === undefined) return;
  // The distance, not the age: a lock from the future (the clock was set back) is nobody's either.
  if (Math.abs(Date.now() - Number(seen.mtimeMs)) <= LOCK_STALE_MS) return;
  const aside = `${path}.${randomBytes(6).toString('hex')}.broken`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const taken = lookAt(aside);
  if (taken?.ino !== seen.ino || taken.mtimeNs !== seen.mtimeNs) {
    try {
      linkSync(aside, path);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  removeIfThere(aside);
}

interface FileLock {
  isHeld: IsHeld;
  /** Never throws, and leaves another holder's lock alone. */
  release: () => void;
}

/** Tries once to make the lock file (O_EXCL); undefined while somebody else holds it. */
function tryLock(path: string): FileLock | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    breakStale(path);
    return undefined;
  }
  // Open until the release: the inode of an open file is not given to another one, as that of a removed file is at once.
  const own = fstatSync(descriptor, { bigint: true }).ino;
  const isHeld = () => lookAt(path)?.ino === own;
  return {
    isHeld,
    release() {
      try {
        if (isHeld()) unlinkSync(path);
        closeSync(descriptor);
      } catch {
        // It grows old and is broken by the next writer.
      }
    },
  };
}

/** What `section` returned; undefined when it did not run because somebody else holds the lock. */
function tryWithLock<T>(path: string, section: (isHeld: IsHeld) => T): { value: T } | undefined {
  const lock = tryLock(path);
  if (lock === undefined) return undefined;
  try {
    return { value: section(lock.isHeld) };
  } finally {
    lock.release();
  }
}

/**
 * Runs `section` while holding the lock file at `path`, waiting up to 6 s without blocking. The section is
 * synchronous, so no lock is ever held across a tick: a blocking writer of this thread cannot
 * meet a lock that only this thread could give back.
 *
 * @returns undefined when the lock did not come free in time
 * @throws file system errors, and what `section` throws
 */
export async function withLock<T>(
  path: string,
  section: (isHeld: IsHeld) => T,
): Promise<{ value: T } | undefined> {
  for (let waited = 0; waited <= LOCK_WAIT_MS; waited += LOCK_RETRY_MS) {
    const done = tryWithLock(path, section);
    if (done !== undefined) return done;
    await delay(LOCK_RETRY_MS);
  }
  return undefined;
}

/** As withLock, blocking the thread for up to 4 s. */
export function withLockSync<T>(
  path: string,
  section: (isHeld: IsHeld) => T,
): { value: T } | undefined {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited <= LOCK_WAIT_SYNC_MS; waited += LOCK_RETRY_MS) {
    const done = tryWithLock(path, section);
    if (done !== undefined) return done;
    Atomics.wait(sleeper, 0, 0, LOCK_RETRY_MS);
  }
  return undefined;
}
