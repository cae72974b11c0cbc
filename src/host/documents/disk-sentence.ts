import { dirname } from 'node:path';

import { errorCode } from '../store/failure';

/** What a person can do about it, by the code of the error (errno(3)). */
const ADVICE: Record<string, string> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'your disk quota is used up; free some space',
  EACCES: 'Lam has no permission there; check the permissions of this folder',
  EPERM: 'Lam has no permission there; check the permissions of this folder',
  EROFS: 'the disk is read-only; mount it writable',
  ENOTDIR: 'a file stands where Lam needs a folder; move it away',
  EEXIST: 'a file stands where Lam needs a folder; move it away',
};

/** One sentence about an index that is only in memory. */
export function storageSentence(error: unknown, path: string): string {
  const code = errorCode(error);
  const said = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  const why = ADVICE[code] ?? (code === '' ? said : `the system reported ${code}`);
  return `What is read of your documents cannot be kept in ${dirname(path)}, and is read again at the next launch: ${why}.`;
}
