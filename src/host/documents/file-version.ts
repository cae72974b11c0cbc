import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

import { isOpenAt } from './file-bytes';

/** Bytes of one read. */
const PIECE = 1024 * 1024;

/**
 * SHA-256 of a regular file, in hex, and its time in milliseconds since the epoch. Undefined when it cannot be read, is no
 * regular file, a link stands on its path, or `signal` fires. Never rejects.
 *
 * @param path a real path
 */
export async function versionOf(
  path: string,
  signal: AbortSignal,
): Promise<{ version: string; size: number; mtimeMs: number } | undefined> {
  try {
    // Neither a link nor a pipe that was put there meanwhile.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(path, flags);
    try {
      const before = await file.stat();
      if (!before.isFile()) return undefined;
      if ((await realpath(path)) !== path || !(await isOpenAt(file, path))) return undefined;
      const hash = createHash('sha256');
      const buffer = Buffer.alloc(Math.min(PIECE, before.size + 1));
      for (;;) {
        const { bytesRead } = await file.read(buffer);
        if (bytesRead === 0) break;
        if (signal.aborted) return undefined;
        hash.update(buffer.subarray(0, bytesRead));
      }
      const { size, mtimeMs } = await file.stat();
      const isSettled = size === before.size && mtimeMs === before.mtimeMs;
      return isSettled ? { version: hash.digest('hex'), size, mtimeMs } : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
