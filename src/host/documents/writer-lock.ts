import {
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { errorCode } from '../store/failure';

/** Milliseconds between two signs of life of the one who writes. */
const HEARTBEAT_MS = 1_000;

/** Milliseconds without a sign of life after which a lock belongs to nobody: indexing one large text keeps the thread busy for a second or two. */
const STALE_MS = 8_000;

/** The right to write the index. */
export interface WriterLock {
  /** False once somebody broke it because it had grown old. */
  isHeld(): boolean;
  /** Never throws, and leaves another holder's lock alone. */
  release(): void;
}

export type LockOutcome =
  { kind: 'held'; lock: WriterLock } | { kind: 'busy' } | { kind: 'failed'; error: unknown };

/**
 * Tries once to become the one writer; never throws, never waits.
 *
 * @param token tells this holder from all others; without line ends
 */
export function takeLock(path: string, token: string): LockOutcome {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    breakStale(path);
    writeFileSync(path, `${process.pid}\n${token}`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? { kind: 'busy' } : { kind: 'failed', error };
  }
  const isHeld = (): boolean => holderOf(path)?.token === token;
  const beat = setInterval(() => {
    try {
      const now = new Date();
      if (isHeld()) utimesSync(path, now, now);
    } catch {
      // It is gone; `isHeld` says so before the next write.
    }
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    kind: 'held',
    lock: {
      isHeld,
      release() {
        clearInterval(beat);
        releaseLock(path, token);
      },
    },
  };
}

/** Removes the lock of a holder that has ended without doing so, and no other. Never throws. */
export function releaseLock(path: string, token: string): void {
  try {
    if (holderOf(path)?.token === token) unlinkSync(path);
  } catch {
    // It grows old and is broken by the next writer.
  }
}

function holderOf(path: string): { pid: number; token: string } | undefined {
  try {
    const [pid = '', token = ''] = readFileSync(path, 'utf8').split('\n');
    return { pid: Number(pid), token };
  } catch {
    return undefined;
  }
}

/** Takes a lock out of the way whose holder is dead or silent. Of several breakers only one moves it. */
function breakStale(path: string): void {
  const seen = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (seen === undefined) return;
  // The distance, not the age: a lock from the future (the clock was set back) is nobody's either.
  const isSilent = Math.abs(Date.now() - Number(seen.mtimeMs)) > STALE_MS;
  if (!isSilent && isAlive(holderOf(path)?.pid ?? 0)) return;
  const aside = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.broken`;
  renameIfThere(path, aside);
  const taken = statSync(aside, { bigint: true, throwIfNoEntry: false });
  if (taken === undefined) return;
  // A fresh lock was moved: its holder sees that it has lost it before its next write, and writes nothing more.
  unlinkSync(aside);
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** A process of another person is alive, too (EPERM); so is a holder that has not written its number yet. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
