import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { DocumentIndex } from '../host/documents/document-index';
import type { ReadFile } from '../host/documents/indexing';
import { walk } from '../host/documents/walk';
import { takeLock } from '../host/documents/writer-lock';
import { foundNames, openIndex, plainExtractor, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const TEA = {
  'wuyi.md': '# Wuyi\n\nRock oolong from the cliffs of Fujian.\n',
  'sencha.md': '# Sencha\n\nSteamed green leaves from Shizuoka.\n',
  'old/puer.txt': 'Puer\n\nFermented cakes that age in cellars.\n',
};

/** A folder of documents, what is kept of it, and an extractor that counts. */
function shelf(files: Record<string, string> = TEA) {
  const notes = tempFolder();
  const kept = tempFolder();
  putFiles(notes, files);
  const folders = [{ path: notes, name: 'notes' }];
  const { extract, read } = plainExtractor();
  return { notes, kept, folders, extract, read, open: () => openIndex(kept, folders, { extract }) };
}

/** The files of the index, by the ending of their names. */
const filesIn = (kept: string, folder: 'index' | 'texts'): string[] =>
  readdirSync(join(kept, folder)).map((name) => join(kept, folder, name));

/** Puts the file's time back or forth by so many seconds. */
function shift(path: string, seconds: number): void {
  const { atime, mtime } = statSync(path);
  utimesSync(path, atime, new Date(mtime.getTime() + 1_000 * seconds));
}

/** A promise and what fulfils it. */
function gated(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

const readOf = (index: DocumentIndex, name: string) =>
  index.read(name, new AbortController().signal);

describe('an index', () => {
  it('reads every file once, whatever comes after', async () => {
    const { read, open } = shelf();
    const first = open();
    await first.update();
    expect(read.toSorted()).toEqual(['puer.txt', 'sencha.md', 'wuyi.md']);
    await first.update();
    const second = open();
    expect(await foundNames(second, 'oolong cliffs')).toEqual(['notes/wuyi.md']);
    expect(await foundNames(second, 'cellars')).toEqual(['notes/old/puer.txt']);
    await second.update(true);
    expect(read).toHaveLength(3);
  });

  it('writes nothing when nothing has changed', async () => {
    const { kept, open } = shelf();
    await open().update();
    const state = (): unknown[] =>
      [...filesIn(kept, 'index'), ...filesIn(kept, 'texts')].map((path) => [
        path,
        statSync(path, { bigint: true }).mtimeNs,
      ]);
    const before = state();
    const second = open();
    await second.update();
    await second.update();
    expect(state()).toEqual(before);
  });

  it('says what became of every file', async () => {
    const { notes, open } = shelf({ ...TEA, 'torn.md': 'BROKEN' });
    mkdirSync(join(notes, 'more'));
    const index = open();
    await index.update();
    const { counts, files, state, problem } = index.status();
    expect([state, problem]).toEqual(['idle', undefined]);
    expect(counts).toMatchObject({ indexed: 3, failed: 1, skipped: 0, pending: 0, blocks: 3 });
    expect(files[0]).toMatchObject({
      name: 'notes/torn.md',
      path: join(notes, 'torn.md'),
      state: 'failed',
      reason: 'It could not be read.',
    });
    // By folder, then by name.
    expect(files.slice(1).map(({ name }) => name)).toEqual([
      'notes/sencha.md',
      'notes/wuyi.md',
      'notes/old/puer.txt',
    ]);
  });

  it.each<[string, Extract<Awaited<ReturnType<ReadFile>>, { ok: false }>, string]>([
    [
      'locked',
      { ok: false, status: 'unreadable', reason: 'It is protected by a password.' },
      'skipped',
    ],
    ['too large', { ok: false, status: 'too-large', reason: 'It is larger than 4 MB.' }, 'skipped'],
    ['broken', { ok: false, status: 'unreadable', reason: 'The file is broken.' }, 'failed'],
  ])('reads what is %s again when it is asked to', async (_what, refusal, state) => {
    const { kept, folders, extract } = shelf({ 'a.md': 'Oolong.' });
    let isRefused = true;
    const index = openIndex(kept, folders, {
      extract: (path) => (isRefused ? Promise.resolve(refusal) : extract(path)),
    });
    await index.update();
    isRefused = false;
    await index.update();
    expect(index.status().files).toMatchObject([{ name: 'notes/a.md', state }]);
    await index.update(true);
    expect(index.status().files).toMatchObject([{ name: 'notes/a.md', state: 'indexed' }]);
    expect(index.changes()).toEqual({ added: 0, changed: 0, gone: 0 });
  });

  it('knows what a look has found to be new, changed and gone', async () => {
    const { notes, open } = shelf();
    const index = open();
    await index.update();
    expect(index.changes()).toEqual({ added: 3, changed: 0, gone: 0 });
    putFiles(notes, { 'a.md': 'New.', 'b.md': 'New too.', 'wuyi.md': 'Another text of it.' });
    unlinkSync(join(notes, 'sencha.md'));
    await index.update();
    expect(index.changes()).toEqual({ added: 2, changed: 1, gone: 1 });
    await index.update();
    expect(index.changes()).toEqual({ added: 0, changed: 0, gone: 0 });
  });

  it('looks once more when it is asked to while it looks', async () => {
    const { kept, folders, extract } = shelf({ 'a.md': 'Oolong.' });
    const { promise, resolve } = gated();
    let tries = 0;
    const index = openIndex(kept, folders, {
      extract: async (path) => {
        tries += 1;
        if (tries > 1) return extract(path);
        await promise;
        return { ok: false, status: 'unreadable', reason: 'The file is broken.' };
      },
    });
    const first = index.update();
    const again = index.update(true);
    resolve();
    await Promise.all([first, again]);
    expect(index.status().counts).toMatchObject({ indexed: 1, failed: 0 });
  });

  it('reads what failed again only when it is asked to, or the file has changed', async () => {
    const { notes, read, open } = shelf({ 'torn.md': 'BROKEN' });
    const index = open();
    await index.update();
    await index.update();
    expect(read).toHaveLength(1);
    await index.update(true);
    expect(read).toHaveLength(2);
    putFiles(notes, { 'torn.md': 'Mended at last.\n' });
    expect(await foundNames(index, 'mended')).toEqual(['notes/torn.md']);
  });
});

describe('a file that', () => {
  it('has changed is found by its new words only', async () => {
    const { notes, read, open } = shelf();
    const index = open();
    await index.update();
    putFiles(notes, { 'wuyi.md': '# Wuyi\n\nCharcoal roasted twice over.\n' });
    expect(await foundNames(index, 'charcoal')).toEqual(['notes/wuyi.md']);
    expect(await foundNames(index, 'cliffs')).toEqual([]);
    expect(read).toHaveLength(4);
  });

  it('has another time and the same bytes is not read again', async () => {
    const { notes, read, open } = shelf();
    await open().update();
    shift(join(notes, 'wuyi.md'), -3_600);
    await open().update();
    const third = open();
    expect(await foundNames(third, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(read).toHaveLength(3);
  });

  it('has other bytes of the same length is read again', async () => {
    const { notes, open } = shelf({ 'a.md': 'apricots\n' });
    const index = open();
    await index.update();
    const path = join(notes, 'a.md');
    writeFileSync(path, 'tangelos\n');
    shift(path, 10);
    expect(await foundNames(index, 'tangelos')).toEqual(['notes/a.md']);
  });

  it('was deleted leaves the index, and nothing of its words stays on the disk', async () => {
    const { notes, kept, open } = shelf();
    const index = open();
    await index.update();
    unlinkSync(join(notes, 'wuyi.md'));
    expect(await foundNames(index, 'oolong')).toEqual([]);
    expect(index.status().counts).toMatchObject({ indexed: 2 });
    const bytes = [...filesIn(kept, 'index'), ...filesIn(kept, 'texts')].map((path) =>
      readFileSync(path, 'latin1'),
    );
    expect(bytes).not.toHaveLength(0);
    expect(bytes.join('').toLowerCase()).not.toMatch(/oolong|wuyi|fujian/);
  });

  it('was renamed is found under its new name', async () => {
    const { notes, open } = shelf();
    const index = open();
    await index.update();
    renameSync(join(notes, 'wuyi.md'), join(notes, 'old', 'rock.md'));
    expect(await foundNames(index, 'oolong')).toEqual(['notes/old/rock.md']);
  });

  it('appears while the index is open is found', async () => {
    const { notes, read, open } = shelf();
    const index = open();
    await index.update();
    putFiles(notes, { 'new.md': 'Darjeeling of the first flush.\n' });
    expect(await foundNames(index, 'darjeeling')).toEqual(['notes/new.md']);
    expect(read).toHaveLength(4);
  });

  it('vanishes while it is looked for is no failure', async () => {
    const { kept, folders } = shelf();
    const { extract } = plainExtractor();
    const index = openIndex(kept, folders, {
      extract: (path) => {
        if (path.endsWith('wuyi.md')) rmSync(path, { force: true });
        return extract(path);
      },
    });
    await index.update();
    expect(index.status().counts).toMatchObject({ indexed: 2, failed: 0, pending: 0 });
  });
});

describe('a folder that', () => {
  it('is chosen too is read, and one that is no more leaves the index', async () => {
    const { kept, folders, open } = shelf();
    const other = tempFolder();
    putFiles(other, { 'dew.md': 'Gyokuro grows in the shade.\n' });
    const index = open();
    await index.update();
    index.setFolders([...folders, { path: other, name: 'more' }]);
    expect(await foundNames(index, 'gyokuro')).toEqual(['more/dew.md']);
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    index.setFolders([{ path: other, name: 'more' }]);
    expect(await foundNames(index, 'oolong')).toEqual([]);
    expect(filesIn(kept, 'texts')).toHaveLength(1);
  });

  it('has another name is told by it, without reading', async () => {
    const { notes, read, open } = shelf();
    await open().update();
    const index = open();
    index.setFolders([{ path: notes, name: 'notes (2)' }]);
    expect(await foundNames(index, 'oolong')).toEqual(['notes (2)/wuyi.md']);
    expect(read).toHaveLength(3);
  });

  it('is away keeps what was read of it', async () => {
    const { notes, read, open } = shelf();
    const index = open();
    await index.update();
    const away = `${notes}-away`;
    renameSync(notes, away);
    await index.update();
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    // The folder is no file: why it cannot be looked at is told of itself.
    const { counts, files, folders: told } = index.status();
    expect(counts).toMatchObject({ indexed: 3, skipped: 0 });
    expect(files).toHaveLength(3);
    expect(told).toEqual([{ path: notes, reason: 'It is not there any more.' }]);
    expect(index.changes()).toBeUndefined();
    renameSync(away, notes);
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(read).toHaveLength(3);
  });

  it('goes away while it is read leaves the rest alone', async () => {
    const { notes, kept, folders } = shelf();
    const { extract } = plainExtractor();
    const other = tempFolder();
    putFiles(other, { 'dew.md': 'Gyokuro grows in the shade.\n' });
    const index = openIndex(kept, [...folders, { path: other, name: 'more' }], {
      extract: (path) => {
        rmSync(notes, { recursive: true, force: true });
        return extract(path);
      },
    });
    expect(await foundNames(index, 'gyokuro')).toEqual(['more/dew.md']);
    expect(index.status().problem).toBeUndefined();
  });
});

describe('damage', () => {
  const cases: [string, (bytes: Buffer) => Buffer][] = [
    ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['other bytes', (bytes) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte)))],
    ['something else', () => Buffer.from('{"version":1}')],
  ];

  it.each(cases)('of a part of the index (%s) costs its files one reading', async (_what, harm) => {
    const { notes, kept, read, open } = shelf();
    await open().update();
    putFiles(notes, { 'new.md': 'Darjeeling of the first flush.\n' });
    await open().update();
    const [older = '', newer = ''] = filesIn(kept, 'index');
    expect([older, newer].map((path) => /(\d)-\w+\.segment$/.exec(path)?.[1])).toEqual(['1', '2']);
    writeFileSync(older, harm(readFileSync(older)));
    read.length = 0;
    const index = open();
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(await foundNames(index, 'darjeeling')).toEqual(['notes/new.md']);
    expect(read.toSorted()).toEqual(['puer.txt', 'sencha.md', 'wuyi.md']);
    expect(filesIn(kept, 'index')).not.toContain(older);
    read.length = 0;
    await open().update();
    expect(read).toEqual([]);
  });

  it.each(cases)('of a kept text (%s) costs this file one reading', async (_what, harm) => {
    const { kept, read, open } = shelf();
    await open().update();
    for (const path of filesIn(kept, 'texts')) {
      const bytes = readFileSync(path);
      if (bytes.includes('oolong')) writeFileSync(path, harm(bytes));
    }
    read.length = 0;
    const index = open();
    expect(await foundNames(index, 'cellars')).toEqual(['notes/old/puer.txt']);
    expect(await foundNames(index, 'oolong')).toEqual([]);
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(read).toEqual(['wuyi.md']);
  });

  it('of all kept texts leaves files to be read, and they are', async () => {
    const { kept, read, open } = shelf();
    await open().update();
    for (const path of filesIn(kept, 'texts')) unlinkSync(path);
    read.length = 0;
    const taken = takeLock(join(kept, 'writer.lock'), 'another');
    if (taken.kind !== 'held') throw new Error(taken.kind);
    const index = open();
    await index.update();
    expect(index.status().counts).toMatchObject({ indexed: 0, pending: 3 });
    taken.lock.release();
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(index.status().counts).toMatchObject({ indexed: 3, pending: 0 });
    expect(read).toHaveLength(3);
    await index.close();
  });

  it('of files that are not its own is left behind', async () => {
    const { kept, open } = shelf();
    putFiles(kept, { 'index/stray.tmp': 'x', 'index/9-00000000.segment': 'x', 'texts/stray': 'x' });
    const index = open();
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(filesIn(kept, 'index').join()).not.toMatch(/stray|00000000/);
    expect(filesIn(kept, 'texts').join()).not.toContain('stray');
  });
});

describe('a disk that takes nothing', () => {
  it.each<[string, (kept: string) => void]>([
    [
      'a file where the index belongs',
      (kept) => {
        writeFileSync(join(kept, 'index'), '');
      },
    ],
    [
      'a file where the texts belong',
      (kept) => {
        writeFileSync(join(kept, 'texts'), '');
      },
    ],
  ])('(%s) is a problem in words, and what was read is found', async (_what, harm) => {
    const { kept, open } = shelf();
    harm(kept);
    const index = open();
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(index.status().problem).toMatch(
      /^What is read of your documents cannot be kept in .*: a file stands where Lam needs a folder; move it away\.$/,
    );
    const outcome = await readOf(index, 'notes/sencha.md');
    expect(outcome).toMatchObject({ ok: true, document: { title: '# Sencha' } });
  });

  it('at all is no different, and is used once it takes something', async () => {
    const { kept, read, folders, extract } = shelf();
    const file = join(kept, 'file');
    writeFileSync(file, '');
    const index = openIndex(join(file, 'documents'), folders, { extract });
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(index.status().problem).toBeDefined();
    unlinkSync(file);
    await index.update();
    expect(index.status().problem).toBeUndefined();
    read.length = 0;
    await openIndex(join(file, 'documents'), folders, { extract }).update();
    expect(read).toEqual([]);
  });
});

it('keeps the texts once the disk takes them, for a later launch to find', async () => {
  const { kept, read, open } = shelf();
  writeFileSync(join(kept, 'texts'), '');
  const index = open();
  await index.update();
  expect(index.status().problem).toBeDefined();
  unlinkSync(join(kept, 'texts'));
  await index.update();
  expect(index.status().problem).toBeUndefined();
  expect(filesIn(kept, 'texts')).toHaveLength(3);
  const later = open();
  for (const word of ['oolong', 'steamed', 'cellars'])
    expect(await foundNames(later, word)).toHaveLength(1);
  expect(read).toHaveLength(3);
});

it('does not look again at once while another launch writes', async () => {
  const { kept, folders } = shelf();
  const taken = takeLock(join(kept, 'writer.lock'), 'another');
  if (taken.kind !== 'held') throw new Error(taken.kind);
  let looks = 0;
  const index = openIndex(kept, folders, {
    freshMs: 60_000,
    walk: (...given) => {
      looks += 1;
      return walk(...given);
    },
  });
  await index.update();
  await index.update();
  expect(looks).toBe(1);
  await index.update(true);
  expect(looks).toBe(2);
  await index.close();
  taken.lock.release();
});

describe('while the files are read', () => {
  it('what is there is found, and the rest is told', async () => {
    const { kept, folders } = shelf();
    const { extract } = plainExtractor();
    const gate = gated();
    const reached = gated();
    const index = openIndex(kept, folders, {
      patienceMs: 0,
      extract: async (path) => {
        if (path.endsWith('wuyi.md')) {
          reached.resolve();
          await gate.promise;
        }
        return extract(path);
      },
    });
    const search = () => index.search('leaves', new AbortController().signal);
    expect(await search()).toMatchObject({ ok: true, hits: [], files: { pending: 1 } });
    await reached.promise;
    expect(await search()).toMatchObject({ ok: true, files: { pending: 3 } });
    // What is read counts as read before it is stored.
    expect(index.status()).toMatchObject({
      state: 'indexing',
      progress: { what: 'reading', done: 2, total: 3 },
      counts: { indexed: 2, pending: 1 },
    });
    gate.resolve();
    await index.update();
    expect(await search()).toMatchObject({ ok: true, files: { indexed: 3, pending: 0 } });
    expect(index.status().state).toBe('idle');
  });

  it('it ends on demand and keeps what was read', async () => {
    const { kept, folders, read, open } = shelf();
    const { extract } = plainExtractor();
    const index = openIndex(kept, folders, {
      extract: async (path, signal) => {
        if (path.endsWith('wuyi.md'))
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve, { once: true });
          });
        return extract(path);
      },
    });
    const update = index.update();
    while ((index.status().progress?.done ?? 0) < 2) await new Promise(setImmediate);
    await index.close();
    await update;
    const next = open();
    expect(await foundNames(next, 'oolong')).toEqual(['notes/wuyi.md']);
    expect(read).toEqual(['wuyi.md']);
  });
});

describe('a document', () => {
  it('is read from what is kept, with its blocks and pages', async () => {
    const { notes, read, open } = shelf({ 'two.txt': 'First page.\f Second page.' });
    const index = open();
    await index.update();
    const outcome = await readOf(index, 'notes/two.txt');
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.document).toMatchObject({ name: 'notes/two.txt', path: join(notes, 'two.txt') });
    expect(outcome.pages).toEqual({ total: 2, starts: [0, 30] });
    expect(
      outcome.blocks.map(({ start, end, page }) => [outcome.text.slice(start, end), page]),
    ).toEqual([
      ['First page.', 1],
      ['Second page.', 2],
    ]);
    expect(read).toHaveLength(1);
  });

  it('that has changed a moment ago is read as it is now', async () => {
    const { notes, open, kept, folders, extract } = shelf();
    await open().update();
    const index = openIndex(kept, folders, { extract, freshMs: 60_000 });
    await index.update();
    putFiles(notes, { 'wuyi.md': 'Other words than before.\n' });
    expect(await readOf(index, 'notes/wuyi.md')).toMatchObject({
      ok: true,
      text: 'Other words than before.\n',
    });
  });

  it('that is gone, locked or outside is a sentence', async () => {
    const { notes, open } = shelf({ ...TEA, 'torn.md': 'BROKEN' });
    const index = open();
    await index.update();
    unlinkSync(join(notes, 'wuyi.md'));
    expect(await readOf(index, 'notes/wuyi.md')).toMatchObject({ ok: false, status: 'not-found' });
    expect(await readOf(index, 'notes/torn.md')).toMatchObject({
      ok: false,
      status: 'unreadable',
      message: 'It could not be read.',
    });
    expect(await readOf(index, '/etc/hostname')).toMatchObject({ ok: false, status: 'refused' });
    expect(await readOf(index, 'notes/../x.md')).toMatchObject({ ok: false, status: 'refused' });
  });
});

it('keeps its files to its owner', async () => {
  const { kept, open } = shelf();
  await open().update();
  for (const path of [...filesIn(kept, 'index'), ...filesIn(kept, 'texts')])
    expect(statSync(path).mode & 0o077).toBe(0);
  for (const name of ['index', 'texts']) expect(statSync(join(kept, name)).mode & 0o077).toBe(0);
});
