import {
  cpSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { foundNames, openIndex, plainExtractor, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

type Options = NonNullable<Parameters<typeof openIndex>[2]>;
type Walk = NonNullable<Options['walk']>;

const TEA = {
  'old/deep/puer.txt': 'Puer\n\nFermented cakes that age in cellars.\n',
  'old/sencha.md': '# Sencha\n\nSteamed green leaves from Shizuoka.\n',
  'wuyi.md': '# Wuyi\n\nRock oolong from the cliffs of Fujian.\n',
};

/** A folder of documents, what is kept of it, and an extractor that counts. */
function shelf(files: Record<string, string> = TEA) {
  const notes = tempFolder();
  const kept = tempFolder();
  putFiles(notes, files);
  const folders = [{ path: notes, name: 'notes' }];
  const { extract, read } = plainExtractor();
  const open = (options: Options = {}) => openIndex(kept, folders, { extract, ...options });
  return { notes, kept, extract, read, open };
}

/** As another launch holds the right to write. */
function lockFor(kept: string): void {
  writeFileSync(join(kept, 'writer.lock'), `${process.pid}\nanother`);
}
function unlock(kept: string): void {
  unlinkSync(join(kept, 'writer.lock'));
}

/** The text of every passage that is found. */
async function passages(index: ReturnType<typeof openIndex>, query: string): Promise<string[]> {
  const outcome = await index.search(query, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.hits.flatMap(({ passages: found }) => found.map(({ text }) => text));
}

/** Sees these files of a folder, and says of the places that they could not be looked into. */
function seeing(notes: string, files: readonly string[], closed: readonly string[]): Walk {
  return async function* () {
    await Promise.resolve();
    for (const name of files) {
      const path = join(notes, name);
      const { size, mtimeMs } = statSync(path);
      yield { kind: 'file', path, name: `notes/${name}`, size, mtimeMs };
    }
    for (const name of closed)
      yield { kind: 'skipped', path: join(notes, name), name, reason: 'It is locked.' };
  };
}

describe('passages', () => {
  it('are those of the file as it was read last', async () => {
    const { notes, open } = shelf({ 'a.md': 'Oolong grows here.\n' });
    const index = open();
    expect(await passages(index, 'oolong')).toEqual(['Oolong grows here.']);
    putFiles(notes, { 'a.md': 'By now oolong is not grown any more.\n' });
    expect(await passages(index, 'oolong')).toEqual(['By now oolong is not grown any more.']);
  });

  it('are none where the kept text is of another version than the index', async () => {
    const { notes, kept, open } = shelf({ 'a.md': 'Oolong grows here.\n' });
    await open().update();
    const before = tempFolder();
    cpSync(join(kept, 'index'), before, { recursive: true });
    putFiles(notes, { 'a.md': 'Sencha.\n\nOolong.\n' });
    await open().update();
    // Killed after the text was written and before the index was.
    rmSync(join(kept, 'index'), { recursive: true });
    cpSync(before, join(kept, 'index'), { recursive: true });
    lockFor(kept);
    const index = open();
    expect(await passages(index, 'oolong')).toEqual([]);
    expect(index.status().counts).toMatchObject({ indexed: 0, pending: 1 });
    await index.close();
    unlock(kept);
    expect(await passages(open(), 'oolong')).toEqual(['Sencha.\n\nOolong.']);
  });

  it('are none while the file is read that is another one by now', async () => {
    const { notes, kept, extract, open } = shelf({
      'a.md': 'Oolong grows here.\n',
      'b.md': 'Tea.\n',
    });
    writeFileSync(join(kept, 'texts'), 'no folder');
    let isHeld = false;
    let end: () => void = () => undefined;
    let reached: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      end = resolve;
    });
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const index = open({
      patienceMs: 0,
      extract: async (path) => {
        if (isHeld && path.endsWith('b.md')) {
          reached();
          await hold;
        }
        return extract(path);
      },
    });
    await index.update();
    putFiles(notes, { 'a.md': 'Sencha.\n\nMatcha.\n', 'b.md': 'Other tea.\n' });
    isHeld = true;
    const update = index.update();
    await isReached;
    // The new text is in memory, its place in the index is not.
    expect(await passages(index, 'oolong')).toEqual([]);
    end();
    await update;
    await index.update();
    expect(await passages(index, 'matcha')).toEqual(['Sencha.\n\nMatcha.']);
    await index.close();
  });

  const large = (number: number): string => `Oolong of number${number}.\n${' '.repeat(3_000_000)}`;

  it('of the documents that were found last are there without their files', async () => {
    const numbers = [0, 1, 2];
    const { kept, open } = shelf(
      Object.fromEntries(numbers.map((number) => [`${number}.md`, large(number)])),
    );
    const index = open();
    const found = (number: number) => foundNames(index, `number${number}`);
    // Two of them fit; the one that was not asked for the longest goes.
    for (const number of [0, 1, 0, 2]) expect(await found(number)).toEqual([`notes/${number}.md`]);
    rmSync(join(kept, 'texts'), { recursive: true });
    lockFor(kept);
    expect(await found(0)).toEqual(['notes/0.md']);
    expect(await found(2)).toEqual(['notes/2.md']);
    expect(await found(1)).toEqual([]);
    await index.close();
  });

  it('that cannot be written are held up to a limit, the newest ones', async () => {
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    const { kept, open } = shelf(
      Object.fromEntries(numbers.map((number) => [`${10 + number}.md`, large(number)])),
    );
    writeFileSync(join(kept, 'texts'), 'no folder');
    const index = open({ freshMs: 60_000 });
    expect(await foundNames(index, 'number11')).toEqual(['notes/21.md']);
    expect(await foundNames(index, 'number2')).toEqual(['notes/12.md']);
    expect(await foundNames(index, 'number1')).toEqual([]);
    await index.close();
  }, 60_000);
});

it('a file of the same time and another size is read again', async () => {
  const { notes, open } = shelf({ 'a.md': 'Oolong grows here.\n' });
  const index = open();
  await index.update();
  const path = join(notes, 'a.md');
  const { atime, mtime } = statSync(path);
  utimesSync(path, atime, mtime); // to the millisecond, as it is put back below
  await index.update();
  writeFileSync(path, 'By now it is sencha that grows here.\n');
  utimesSync(path, atime, mtime);
  expect(await foundNames(index, 'sencha')).toEqual(['notes/a.md']);
  expect(await foundNames(index, 'oolong')).toEqual([]);
});

it('a file that vanishes while it is read again is not found by its old words', async () => {
  const { notes, open, extract } = shelf();
  await open().update();
  putFiles(notes, { 'wuyi.md': '# Wuyi\n\nCharcoal roasted twice over.\n' });
  const index = open({
    extract: (path) => {
      rmSync(path);
      return extract(path);
    },
  });
  expect(await foundNames(index, 'oolong charcoal')).toEqual([]);
  expect(index.status().counts).toMatchObject({ indexed: 2, failed: 0, pending: 0 });
});

it('a file of which only the beginning is read says so, now and later', async () => {
  const { open, extract } = shelf({ 'a.md': 'Oolong grows here.\n' });
  const cut: NonNullable<Options['extract']> = async (path) => {
    const read = await extract(path);
    return read.ok ? { ...read, cut: true } : read;
  };
  for (const index of [open({ extract: cut }), open()]) {
    await index.update();
    expect(index.status().files).toMatchObject([
      { state: 'indexed', reason: 'Only its beginning is read: it is very long.' },
    ]);
    const outcome = await index.read('notes/a.md', new AbortController().signal);
    expect(outcome).toMatchObject({ ok: true, cut: true });
  }
});

describe('a file with another time and the same bytes', () => {
  it('is read from what is kept, at later launches too', async () => {
    const { notes, kept, read, open } = shelf();
    await open().update();
    const path = join(notes, 'wuyi.md');
    utimesSync(path, new Date(), new Date('2020-02-02T02:02:02Z'));
    const index = open();
    await index.update();
    expect(index.changes()).toEqual({ added: 0, changed: 1, gone: 0 });
    expect(await index.read('notes/wuyi.md', new AbortController().signal)).toMatchObject({
      ok: true,
      text: TEA['wuyi.md'],
    });
    expect(read).toHaveLength(3);
    // Nothing is left to be found out, though nobody may write now.
    lockFor(kept);
    const later = open();
    await later.update();
    expect(later.status()).toMatchObject({ state: 'idle', counts: { indexed: 3, pending: 0 } });
    expect(later.changes()).toEqual({ added: 0, changed: 0, gone: 0 });
  });
});

describe('a folder that could not be looked into', () => {
  it.each<[string, string[], string[], string[]]>([
    ['the chosen one', [], [''], ['old/deep/puer.txt', 'old/sencha.md', 'wuyi.md']],
    ['one in it', ['wuyi.md'], ['old'], ['old/deep/puer.txt', 'old/sencha.md', 'wuyi.md']],
    ['one further down', ['wuyi.md'], ['old/deep'], ['old/deep/puer.txt', 'wuyi.md']],
    ['one whose name begins alike', ['wuyi.md'], ['ol'], ['wuyi.md']],
    ['none', ['wuyi.md'], [], ['wuyi.md']],
  ])('keeps what was read of it: %s', async (_what, files, closed, left) => {
    const { notes, open } = shelf();
    await open().update();
    const index = open({ walk: seeing(notes, files, closed) });
    await index.update();
    const indexed = index.status().files.filter(({ state }) => state === 'indexed');
    expect(indexed.map(({ path }) => path).toSorted()).toEqual(
      left.map((name) => join(notes, name)),
    );
    expect(await foundNames(index, 'cellars')).toEqual(
      left.includes('old/deep/puer.txt') ? ['notes/old/deep/puer.txt'] : [],
    );
  });

  it('is not opened either, but what is kept of it is found', async () => {
    const { notes, read, open } = shelf();
    await open().update();
    rmSync(notes, { recursive: true });
    const index = open();
    expect(await passages(index, 'oolong')).toEqual([TEA['wuyi.md'].trim()]);
    expect(await index.read('notes/wuyi.md', new AbortController().signal)).toMatchObject({
      ok: false,
      status: 'not-found',
    });
    expect(read).toHaveLength(3);
  });

  it('because it went away while it was looked through keeps it too', async () => {
    const { notes, open } = shelf();
    await open().update();
    const walk: Walk = async function* (...given) {
      yield* seeing(notes, ['wuyi.md'], [])(...given);
      rmSync(notes, { recursive: true });
    };
    const index = open({ walk });
    expect(await foundNames(index, 'cellars')).toEqual(['notes/old/deep/puer.txt']);
    expect(index.status().counts).toMatchObject({ indexed: 3 });
  });

  it('is not one in which a file became a link', async () => {
    const { notes, open } = shelf();
    const index = open();
    await index.update();
    const other = tempFolder();
    putFiles(other, { 'secret.md': 'The number of my account.' });
    unlinkSync(join(notes, 'wuyi.md'));
    symlinkSync(join(other, 'secret.md'), join(notes, 'wuyi.md'));
    expect(await foundNames(index, 'oolong account')).toEqual([]);
    expect(index.status().counts).toMatchObject({ indexed: 2, skipped: 1 });
  });
});

it('an answer is given after three seconds from what there is, when a file takes longer', async () => {
  const { open, extract } = shelf();
  let end: () => void = () => undefined;
  const hangs = new Promise<void>((resolve) => {
    end = resolve;
  });
  const index = open({
    patienceMs: undefined,
    storeAfterMs: 0,
    extract: async (path) => {
      if (path.endsWith('wuyi.md')) await hangs;
      return extract(path);
    },
  });
  const outcome = await index.search('cellars oolong', new AbortController().signal);
  expect(outcome).toMatchObject({
    ok: true,
    hits: [{ document: { name: 'notes/old/deep/puer.txt' } }],
    files: { indexed: 2, pending: 1 },
  });
  end();
  await index.close();
});
