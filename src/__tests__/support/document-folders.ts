import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import {
  createDocumentIndex,
  type DocumentIndex,
  type DocumentIndexOptions,
} from '../../host/documents/document-index';
import { readPath } from '../../host/documents/read-path';
import { walk } from '../../host/documents/walk';

type Extracted = Awaited<ReturnType<DocumentIndexOptions['extract']>>;
type ChosenFolders = Parameters<DocumentIndex['setFolders']>[0];

/** Writes files below a folder, by their paths in it. */
export function putFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Reads text files only; the first line is the title, and form feeds part the pages. `read` are the names, in order. */
export function plainExtractor(): {
  extract: (path: string) => Promise<Extracted>;
  read: string[];
} {
  const read: string[] = [];
  const extract = (path: string): Promise<Extracted> => {
    read.push(basename(path));
    return Promise.resolve(extracted(path));
  };
  return { extract, read };
}

function extracted(path: string): Extracted {
  try {
    const { size, mtimeMs } = statSync(path);
    const bytes = readFileSync(path);
    const version = createHash('sha256').update(bytes).digest('hex');
    const given = bytes.toString();
    if (given.startsWith('BROKEN'))
      return { ok: false, status: 'unreadable', reason: 'It could not be read.', size, mtimeMs };
    const [title = ''] = given.split(/[\n\f]/, 1);
    return { ok: true, title, ...pagesOf(given), version, size, mtimeMs };
  } catch {
    return { ok: false, status: 'not-found', reason: 'It is not there any more.' };
  }
}

function pagesOf(given: string): { text: string; pages?: { total: number; starts: number[] } } {
  const parts = given.split('\f');
  if (parts.length === 1) return { text: given };
  const starts: number[] = [];
  let text = '';
  for (const [index, part] of parts.entries()) {
    starts.push(text.length);
    text += `— page ${index + 1} of ${parts.length} —\n\n${part.trim()}\n\n`;
  }
  return { text: text.trimEnd(), pages: { total: parts.length, starts } };
}

/** An index over real folders that always looks again, and never answers before it is whole. */
export function openIndex(
  folder: string,
  folders: ChosenFolders,
  options: Partial<DocumentIndexOptions> = {},
): DocumentIndex {
  const index = createDocumentIndex({
    folder,
    token: 'test',
    walk,
    readPath,
    extract: plainExtractor().extract,
    freshMs: 0,
    patienceMs: 10_000,
    ...options,
  });
  index.setFolders(folders);
  return index;
}

/** Names of the documents that an index finds. */
export async function foundNames(index: DocumentIndex, query: string): Promise<string[]> {
  const outcome = await index.search(query, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.hits.map(({ document }) => document.name);
}
