import { isOpenable, type SourceList } from '../citations';
import type { DocumentRef, Source } from '../types';

/**
 * Gives a file of the person's its number.
 *
 * @returns `numbered`: the file in the list; absent if the pane could not open it, so that it cannot be cited (`index` is 0
 *   then). `added`: the entry to store, when the file, or this version of it, is new to the list
 */
export function numberDocument(
  { title, path, version }: Pick<DocumentRef, 'title' | 'path'> & Partial<DocumentRef>,
  sources: SourceList,
): { index: number; numbered?: Source | undefined; added?: Source | undefined } {
  // The list trims addresses, and a trimmed path names another file.
  if (path !== path.trim() || !isOpenable({ url: path, kind: 'document' })) return { index: 0 };
  const { index, source } = sources.add(title, path, { kind: 'document', version });
  return {
    index,
    numbered: sources.all().find((other) => other.index === index),
    added: source,
  };
}
