import * as z from 'zod/mini';

const SystemErrorSchema = z.object({ code: z.string() });

/** What a person can do about an error of the file system, by its code (errno(3)). */
const ADVICE: Record<string, string> = {
  ENOSPC: 'the disk is full: free some space, then try again',
  EDQUOT: 'your disk quota is used up: free some space, then try again',
  EFBIG: 'the file would be larger than the system allows',
  EACCES: 'Lam has no permission there: check the permissions of this folder',
  EPERM: 'Lam has no permission there: check the permissions of this folder',
  EROFS: 'the disk is read-only: mount it writable, then try again',
  ENOTDIR: 'a file stands where Lam needs a folder: move it away, then try again',
  EEXIST: 'a file stands where Lam needs a folder: move it away, then try again',
  EISDIR: 'a folder stands where Lam needs a file: move it away, then try again',
  EMFILE: 'too many files are open: close some programs, then try again',
  ENFILE: 'too many files are open: close some programs, then try again',
  EIO: 'the disk reported an error: check it, and copy your conversation somewhere safe',
};

/** A file system error's code, or '' for anything else that was thrown. */
export function errorCode(error: unknown): string {
  const parsed = z.safeParse(SystemErrorSchema, error);
  return parsed.success ? parsed.data.code : '';
}

/**
 * Turns what the file system threw into one sentence a person can act on.
 *
 * @param action what failed, as in "could not be saved"
 * @param path the file or folder it was about; the only data of the record that appears in the sentence
 */
export function storageFailure(error: unknown, action: string, path: string): string {
  return sentence('The conversation', error, action, path);
}

/** As storageFailure, about a file of the person's: one that is exported or imported. */
export function fileFailure(error: unknown, action: string, path: string): string {
  return sentence('The file', error, action, path);
}

function sentence(what: string, error: unknown, action: string, path: string): string {
  const code = errorCode(error);
  const advice = ADVICE[code] ?? `the system reported ${code === '' ? 'an unknown error' : code}`;
  return `${what} ${action} (${path}): ${advice}.`;
}

/** Thrown when a written file is shorter than what was written: the disk filled up in the middle of the write. */
export class ShortWriteError extends Error {
  readonly code = 'ENOSPC';
}
