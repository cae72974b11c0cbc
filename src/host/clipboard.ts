import { Clipboard } from '@vicinae/api';

import { notify } from './toast';

/** A text with its formatting, and without: the program it is pasted into takes the one it knows. */
export interface RichText {
  html: string;
  text: string;
}

/**
 * Puts text on the clipboard, leaves the window open and says so. (The launcher's own copy action closes the window.) Rich text
 * goes there in one call with its plain form: a second call would replace the first.
 *
 * @param what what was copied, as the start of a sentence: "Answer".
 * @param how the second line of what is said
 */
export async function copyText(
  content: string | RichText,
  what: string,
  how = 'as Markdown',
): Promise<void> {
  await Clipboard.copy(content);
  notify({ style: 'success', title: `${what} copied`, message: how });
}
