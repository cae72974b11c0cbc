import type { Folder } from '../../host/documents/folders';
import type { DocumentFile, DocumentsStatus, DocumentState } from '../../host/documents/status';
import { plain, type PlainText } from '../../lib/render';

/** Files of a section that are drawn. Each frame ships all of them, and nobody reads further down: typing finds the rest. */
const MAX_ROWS = 100;

/** One group of files, as far as it is drawn. */
export interface FileSection {
  /** Stays the same while the title counts. */
  id: string;
  title: PlainText;
  files: readonly DocumentFile[];
  /** Says that there are more than are drawn; absent when there are not. */
  more?: PlainText;
}

/** The folders whose name or path has every word. */
export function foldersWith(folders: readonly Folder[], words: readonly string[]): Folder[] {
  return folders.filter(({ name, path }) => hasAll(`${name} ${path}`, words));
}

/**
 * The files with every word in their names: those that could not be read, which somebody may want to put right, then what is
 * or will be found, and in the end what is left out on purpose, which may be much.
 *
 * @param words in lower case; none = all files
 */
export function fileSections(status: DocumentsStatus, words: readonly string[]): FileSection[] {
  const found = status.files.filter(({ name }) => hasAll(name, words));
  const countOf = (state: DocumentState): number =>
    words.length === 0 ? status.counts[state] : found.filter((file) => file.state === state).length;
  const [failed, skipped, indexed] = [countOf('failed'), countOf('skipped'), countOf('indexed')];
  const all = indexed + countOf('pending');
  const of = (...states: DocumentState[]) => found.filter(({ state }) => states.includes(state));
  const read = indexed === all ? number(all) : plain`${number(indexed)} of ${number(all)} read`;
  return [
    section('failed', plain`Could Not Be Read (${number(failed)})`, of('failed'), failed),
    section('files', plain`Files (${read})`, of('pending', 'indexed'), all),
    section('skipped', plain`Left Out (${number(skipped)})`, of('skipped'), skipped),
  ].filter(({ files }) => files.length > 0);
}

function section(
  id: string,
  title: PlainText,
  found: readonly DocumentFile[],
  count: number,
): FileSection {
  const files = found.slice(0, MAX_ROWS);
  const hidden = count - files.length;
  if (hidden <= 0) return { id, title, files };
  const listed = found.length - files.length;
  const more = plain`${number(hidden)} more`;
  if (listed === hidden) return { id, title, files, more: plain`${more}: type to find` };
  return {
    id,
    title,
    files,
    more:
      listed === 0
        ? plain`${more} that are not listed`
        : plain`${more}: typing finds ${number(listed)} of them`,
  };
}

/** How many files a status counts and does not list: their names are not known here. */
export function unlistedIn({ files, counts }: DocumentsStatus): number {
  const { indexed, skipped, failed, pending } = counts;
  return Math.max(0, indexed + skipped + failed + pending - files.length);
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** `2,000` */
export const number = (count: number): string => count.toLocaleString('en');

/** `640 KB`, in steps of a thousand, as file managers count. */
export function sizeOf(bytes: number): PlainText {
  if (bytes < 1_000) return plain`${bytes} B`;
  if (bytes < 1_000_000) return plain`${Math.round(bytes / 1_000)} KB`;
  return plain`${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** How many files of a folder are read, and are to be read; in the end those that are found. */
export interface FolderCount {
  read: number;
  all: number;
}

/**
 * Counts the files of a folder; undefined when none is known yet, or when the status does not list all files, and there are other
 * folders that the rest may be in.
 */
export function countIn(
  { name }: Folder,
  status: DocumentsStatus,
  isOnly: boolean,
): FolderCount | undefined {
  const { files, counts, state: doing } = status;
  if (unlistedIn(status) > 0)
    return isOnly && counts.pending === 0
      ? { read: counts.indexed, all: counts.indexed }
      : undefined;
  const own = files.filter((file) => file.name.startsWith(`${name}/`));
  const count = (state: DocumentState): number => own.filter((file) => file.state === state).length;
  const [found, waiting] = [count('indexed'), count('pending')];
  if (waiting === 0)
    return found === 0 && doing === 'indexing' ? undefined : { read: found, all: found };
  // What was not to be read at all, such as a link, has no size. The rest makes up what the title counts.
  const all = own.filter(({ size }) => size !== undefined).length;
  return { read: all - waiting, all };
}
