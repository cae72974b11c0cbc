import { existsSync } from 'node:fs';

import { open } from '@vicinae/api';

import { notify } from './toast';

/**
 * Opens an address or a local file with the default application. The caller has checked that it may be opened. A file that is
 * gone is told in a toast: the launcher does nothing then, without a word.
 *
 * @param isThere whether something stands at an absolute path now
 */
export async function openTarget(
  target: string,
  isThere: (path: string) => boolean = existsSync,
): Promise<void> {
  if (target.startsWith('/') && !isThere(target))
    notify({ style: 'failure', title: 'It is not there any more' });
  else await open(target);
}
