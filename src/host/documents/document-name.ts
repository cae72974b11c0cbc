import { createHash } from 'node:crypto';

/** What changes the line it stands in, or is drawn as nothing: control and format characters (direction marks among them), separators, lone surrogates, and what a name that is no UTF-8 becomes. */
const STRANGE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffd]/gu;

/** Hexadecimal digits at the end of a name that is not the file's own: no two files get the same in a lifetime. */
const HASH_DIGITS = 16;
const MARKED = /~[\da-f]{16}$/;

/**
 * A file's or folder's name as it is shown and as a model can say it: the name itself if that is one clean line. Otherwise
 * what can be read of it, and a hash of the name, so that two files never get the same one.
 */
export function cleanName(name: string): string {
  const line = name.replace(STRANGE, ' ').replace(/\s+/g, ' ').trim();
  if (line === name && !MARKED.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS);
  return `${line}~${hash}`;
}
