import { cleanTitle, isOpenable } from '../citations';
import { MAX_TITLE_CHARS } from '../constants';
import type { Source } from '../types';

/**
 * Whether the address of a source may be handed on: it leads there on any machine. The path of a local document does not,
 * and the folders in it say who someone is.
 */
export const isForOthers = (source: Source): boolean =>
  source.kind !== 'document' && isOpenable(source);

/** The name of a local document, without the folders above it. @param max code points */
export const fileName = (path: string, max: number = MAX_TITLE_CHARS): string =>
  cleanTitle(path.slice(path.lastIndexOf('/') + 1), max);

/** What a source is called where its path is not told: its title, else its address or the name of its file. */
export function sourceName({ title, url, kind }: Source): string {
  const name = cleanTitle(title);
  if (kind !== 'document') return name || cleanTitle(url);
  return name === '' || title.trim() === url ? fileName(url) || 'Document' : name;
}
