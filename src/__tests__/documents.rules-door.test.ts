import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { createDocuments, type Documents } from '../host/documents/documents';
import { createFolders } from '../host/documents/folders';
import {
  countsOf,
  sortedFiles,
  type DocumentFile,
  type DocumentsStatus,
} from '../host/documents/status';
import type { DocumentSearchOutcome } from '../lib/types';
import { putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const ASSETS = join(import.meta.dirname, '../../assets');

const tempFolder = tempFolders();

const opened: Documents[] = [];
afterEach(() => {
  for (const documents of opened.splice(0)) documents.close();
});

const never = (): AbortSignal => new AbortController().signal;

function open(options: Partial<Parameters<typeof createDocuments>[0]> = {}): Documents {
  const documents = createDocuments({ supportPath: tempFolder(), assetsPath: ASSETS, ...options });
  opened.push(documents);
  return documents;
}

/** A folder of this name with these files. */
function folderOf(files: Record<string, string>, name = 'notes'): string {
  const folder = join(realpathSync(tempFolder()), name);
  mkdirSync(folder);
  putFiles(folder, files);
  return folder;
}

/** The status once nothing is under way. */
async function settled(documents: Documents): Promise<DocumentsStatus> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = documents.onChange(() => {
        stop();
        resolve();
      });
    });
    const status = await documents.status();
    if (status.state === 'idle') return status;
    await changed;
  }
}

const namesOf = (outcome: DocumentSearchOutcome): string[] =>
  outcome.ok ? outcome.hits.map(({ document }) => document.name) : [outcome.message];

describe('files that are read', () => {
  it('have a size up to the limit, and the others are told', async () => {
    const MB = 1024 * 1024;
    const text = (size: number): string => `Oolong.${' '.repeat(size - 'Oolong.'.length)}`;
    const folder = folderOf({ 'most.md': text(4 * MB), 'more.md': text(4 * MB + 1) });
    const documents = open({ folder });
    const { files } = await settled(documents);
    expect(files).toMatchObject([
      { name: 'notes/most.md', state: 'indexed', size: 4 * MB },
      {
        name: 'notes/more.md',
        state: 'skipped',
        reason: 'It is larger than 4 MB, the most that Lam reads of a text file.',
        size: 4 * MB + 1,
      },
    ]);
    expect(namesOf(await documents.search('oolong', never()))).toEqual(['notes/most.md']);
  });

  it('are none of Lam’s own, where they stand in a chosen folder', async () => {
    const folder = folderOf({ 'a.md': 'Oolong.', 'lam/b.md': 'Oolong.' });
    const documents = open({ folder, supportPath: join(folder, 'lam') });
    const { files } = await settled(documents);
    expect(files.map(({ name }) => name)).toEqual(['notes/a.md']);
    expect(await documents.read('notes/lam/b.md', never())).toMatchObject({
      ok: false,
      status: 'not-found',
    });
    expect(existsSync(join(folder, 'lam/documents/index'))).toBe(true);
  });
});

describe('chosen folders', () => {
  it('are fifty at most', () => {
    const folders = createFolders(tempFolder());
    const above = realpathSync(tempFolder());
    const add = (name: string) => {
      mkdirSync(join(above, name));
      return folders.add(join(above, name));
    };
    for (let number = 1; number <= 50; number += 1) expect(add(`${number}`)).toEqual({ ok: true });
    expect(add('51')).toEqual({ ok: false, message: 'At most 50 folders can be chosen.' });
    expect(folders.remove(join(above, '7'))).toEqual({ ok: true });
    expect(folders.add(join(above, '51'))).toEqual({ ok: true });
    expect(folders.list()).toHaveLength(50);
  });

  it('have names of at most sixty units, and each another one', () => {
    const folders = createFolders(tempFolder());
    const long = 'n'.repeat(200);
    folders.add(folderOf({}, `${long}1`));
    folders.add(folderOf({}, `${long}2`));
    expect(folders.list().map(({ name }) => name)).toEqual([
      'n'.repeat(60),
      `${'n'.repeat(60)} (2)`,
    ]);
  });

  it('keep their own name beside that of the preferences', () => {
    const supportPath = tempFolder();
    const own = folderOf({});
    createFolders(supportPath).add(own);
    const fixed = folderOf({});
    const folders = createFolders(supportPath, fixed).list();
    expect(folders.map(({ path, name }) => [path, name])).toEqual([
      [fixed, 'notes'],
      [own, 'notes (2)'],
    ]);
  });

  it.each<[string, (folder: string) => string]>([
    ['a slash at the end', (folder) => `${folder}/`],
    ['dots', (folder) => `${folder}/../notes/.`],
    ['blanks around', (folder) => `  ${folder}\n`],
    [
      'a link',
      (folder) => {
        const link = join(tempFolder(), 'link');
        symlinkSync(folder, link);
        return link;
      },
    ],
  ])('are the same folder when they are named with %s', (_what, other) => {
    const supportPath = tempFolder();
    const folder = folderOf({});
    const folders = createFolders(supportPath);
    expect(folders.add(other(folder))).toEqual({ ok: true });
    expect(folders.list()).toEqual([{ path: folder, name: 'notes', fixed: false }]);
    expect(folders.add(folder)).toEqual({ ok: false, message: `${folder} is chosen already.` });
    const stored = JSON.parse(
      readFileSync(join(supportPath, 'documents/folders.json'), 'utf8'),
    ) as unknown;
    expect(stored).toEqual({ version: 1, folders: [{ path: folder, name: 'notes' }] });
  });

  it('that are none are told when they are to be removed', () => {
    expect(createFolders(tempFolder()).remove('/home/nobody')).toEqual({
      ok: false,
      message: '/home/nobody is not among the chosen folders.',
    });
  });

  it.each(['/proc', '/sys', '/dev', '/sys/kernel'])('are not of the system: %s', (path) => {
    expect(createFolders(tempFolder()).add(path)).toEqual({
      ok: false,
      message: `${path} holds no documents, but what the system shows of itself: choose another folder.`,
    });
  });
});

describe('the files of a status', () => {
  const file = (name: string, state: DocumentFile['state'], more = {}): DocumentFile => ({
    name,
    path: `/home/reader/${name}`,
    state,
    ...more,
  });

  it('come by what became of them, by folder and by name', () => {
    const files = [
      file('N/b/a.md', 'indexed'),
      file('N/z.md', 'skipped'),
      file('N/c.md', 'indexed'),
      file('N/y.md', 'pending'),
      file('N/a.md', 'indexed'),
      file('N/x.md', 'failed'),
      file('M/z.md', 'indexed'),
    ];
    expect(sortedFiles(files).map(({ name }) => name)).toEqual([
      'N/x.md',
      'N/y.md',
      'M/z.md',
      'N/a.md',
      'N/c.md',
      'N/b/a.md',
      'N/z.md',
    ]);
  });

  it('are 2,000 at most, those with problems among them', () => {
    const many = Array.from({ length: 3_000 }, (_, n) => file(`N/${n}.md`, 'indexed'));
    const sorted = sortedFiles([...many, file('N/broken.md', 'failed')]);
    expect(sorted).toHaveLength(2_000);
    expect(sorted[0]?.name).toBe('N/broken.md');
  });

  it('are counted, and only what is indexed has passages and bytes', () => {
    const counts = countsOf([
      file('N/a.md', 'indexed', { size: 7, blocks: 2 }),
      file('N/b.md', 'indexed', { size: 5, blocks: 1 }),
      file('N/c.md', 'skipped', { size: 1_000 }),
      file('N/d.md', 'failed', { size: 1_000 }),
      file('N/e.md', 'pending', { size: 1_000 }),
      file('N/f.md', 'pending'),
    ]);
    expect(counts).toEqual({ indexed: 2, skipped: 1, failed: 1, pending: 2, blocks: 3, bytes: 12 });
  });
});
