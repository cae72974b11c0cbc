import { Clipboard } from '@vicinae/api';

import { notify } from './toast';

/**
 * Puts text on the clipboard, leaves the window open and says so. (The launcher's own copy action closes the window.)
 *
 * @param what what was copied, as the start of a sentence: "Answer".
 * @param how the second line of what is said
 */
export async function copyText(text: string, what: string, how = 'as Markdown'): Promise<void> {
  await Clipboard.copy(text);
  notify({ style: 'success', title: `${what} copied`, message: how });
}
