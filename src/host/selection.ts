import { getSelectedText } from '@vicinae/api';

/** The text that is selected anywhere on the screen; undefined if there is none, or the system does not say. Never rejects. */
export async function selectedText(): Promise<string | undefined> {
  try {
    const text = await getSelectedText();
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** White space as the pane breaks it: a selection of several blocks is joined by blank lines. */
const words = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();

/**
 * What is quoted of a text: the part that is selected in the window, or all of it. A selection somewhere else has nothing to
 * do with it.
 */
export async function selectedPart(text: string): Promise<string> {
  const selected = await selectedText();
  if (selected === undefined) return text;
  const wanted = words(selected);
  return wanted !== '' && words(text).includes(wanted) ? selected : text;
}
