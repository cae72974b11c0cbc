import { isOpenable, type SourceList } from '../citations';
import { MAX_TITLE_CHARS } from '../constants';
import type { DocumentRef, Source } from '../types';
import { cleanLine } from './untrusted';

/**
 * Gives a file of the person's its number. A title that another source shows already gets behind it what tells the two apart; a
 * file that has a number keeps its title.
 *
 * @returns `numbered`: the file in the list; absent if the pane could not open it, so that it cannot be cited (`index` is 0
 *   then). `added`: the entry to store, when the file, or this version of it, is new to the list
 */
export function numberDocument(
  { title, path, version, name }: Pick<DocumentRef, 'title' | 'path'> & Partial<DocumentRef>,
  sources: SourceList,
): { index: number; numbered?: Source | undefined; added?: Source | undefined } {
  // The list trims addresses, and a trimmed path names another file.
  if (path !== path.trim() || !isOpenable({ url: path, kind: 'document' })) return { index: 0 };
  const { index, source } = sources.add(ownTitle(title, { path, name }, sources), path, {
    kind: 'document',
    version,
  });
  return {
    index,
    numbered: sources.all().find((other) => other.index === index),
    added: source,
  };
}

/** Code points of a way behind a title; its end is what tells files apart. */
const MAX_WAY_CHARS = 60;

/** As the list under an answer shows it: two titles that differ behind that look the same. */
const shown = (title: string): string => cleanLine(title, MAX_TITLE_CHARS);

/**
 * The title, or `Overview (b/README.md)`: as much of the end of the document's name as no other source with that title has. The
 * name begins with the chosen folder's, so nothing above that is told. What has no name, as an attached file, is counted.
 */
function ownTitle(
  title: string,
  { path, name }: { path: string; name: string | undefined },
  sources: SourceList,
): string {
  const all = sources.all();
  const taken = new Set(all.map((source) => shown(source.title)));
  if (sources.indexOf(path) > 0 || !taken.has(shown(title))) return title;
  const alike = all.filter((source) => shown(source.title) === shown(title));
  const steps = name?.split('/') ?? [];
  for (let count = 1; count <= steps.length; count += 1) {
    const way = steps.slice(-count).join('/');
    const isShared = way === title || alike.some(({ url }) => url.endsWith(`/${way}`));
    const told = withWay(title, way);
    if (!isShared && !taken.has(told)) return told;
  }
  let number = 2;
  while (taken.has(withWay(title, `${number}`))) number += 1;
  return withWay(title, `${number}`);
}

/** No longer than what is shown of a title, so that its end is. */
function withWay(title: string, way: string): string {
  const points = Array.from(cleanLine(way, way.length));
  const end =
    points.length > MAX_WAY_CHARS
      ? `…${points.slice(1 - MAX_WAY_CHARS).join('')}`
      : points.join('');
  const room = MAX_TITLE_CHARS - Array.from(end).length - 3;
  return shown(`${cleanLine(title, room)} (${end})`);
}
