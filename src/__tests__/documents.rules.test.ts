import { cpSync, existsSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
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

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Names and times of all that is kept, and of the folder itself, in which a lock leaves its mark. */
const stateOf = (kept: string): unknown[] =>
  ['', ...readdirSync(kept, { recursive: true, encoding: 'utf8' })]
    .sort()
    .map((name) => [name, statSync(join(kept, name), { bigint: true }).mtimeNs]);

/** As another launch holds the right to write. */
function lockFor(kept: string): void {
  writeFileSync(join(kept, 'writer.lock'), `${process.pid}\nanother`);
}
function unlock(kept: string): void {
  unlinkSync(join(kept, 'writer.lock'));
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

describe('a look that finds nothing new', () => {
  it('takes no lock, writes nothing and reads no kept text', async () => {
    const { kept, read, open } = shelf();
    await open().update();
    const texts = join(kept, 'texts');
    for (const name of readdirSync(texts)) writeFileSync(join(texts, name), 'not looked at');
    const index = open();
    await index.update();
    const before = stateOf(kept);
    await index.update();
    expect(stateOf(kept)).toEqual(before);
    expect(read).toHaveLength(3);
    expect(index.status().counts).toMatchObject({ indexed: 3, pending: 0 });
  });

  it('because another launch has done all of it writes nothing either', async () => {
    const { notes, kept, read, open } = shelf();
    const one = open();
    await one.update();
    unlinkSync(join(notes, 'wuyi.md'));
    putFiles(notes, { 'new.md': 'Darjeeling of the first flush.\n' });
    await open({ token: 'another' }).update();
    const before = stateOf(kept);
    expect(await foundNames(one, 'darjeeling oolong')).toEqual(['notes/new.md']);
    expect(stateOf(kept)).toEqual(before);
    expect(read).toHaveLength(4);
  });
});

describe('a launch beside another', () => {
  it('writes nothing after it has lost the right to', async () => {
    const { kept, extract, open } = shelf();
    let count = 0;
    const index = open({
      storeAfterMs: 0,
      extract: (path) => {
        count += 1;
        if (count === 2) lockFor(kept);
        return extract(path);
      },
    });
    await index.update();
    // One file was read and stored before, none after.
    expect(namesIn(join(kept, 'index'))).toHaveLength(1);
    expect(namesIn(join(kept, 'texts'))).toHaveLength(1);
    expect(index.status().counts).toMatchObject({ indexed: 1, pending: 2 });
    unlock(kept);
    await index.close();
  });

  it('does not write what it still had to write when it loses the right', async () => {
    const { kept, extract, open } = shelf();
    const index = open({
      extract: (path) => {
        if (path.endsWith('wuyi.md')) lockFor(kept);
        return extract(path);
      },
    });
    await index.update();
    // Two files are in memory only: a later launch reads them.
    expect(namesIn(join(kept, 'index'))).toEqual([]);
    unlock(kept);
    await index.close();
  });

  it('reads nothing that the other one has read while it looked', async () => {
    const { notes, open, read } = shelf();
    const other = open({ token: 'another' });
    const walk: Walk = async function* (...given) {
      await other.update();
      yield* seeing(notes, Object.keys(TEA), [])(...given);
    };
    const { extract, read: readAgain } = plainExtractor();
    const index = open({ walk, extract });
    await index.update();
    expect(read).toHaveLength(3);
    expect(readAgain).toEqual([]);
    expect(await foundNames(index, 'oolong')).toEqual(['notes/wuyi.md']);
  });

  it('does not find a file that is gone, whoever writes', async () => {
    const { notes, kept, open } = shelf();
    const index = open();
    await index.update();
    unlinkSync(join(notes, 'wuyi.md'));
    lockFor(kept);
    expect(await foundNames(index, 'oolong')).toEqual([]);
    unlock(kept);
    expect(await foundNames(open(), 'oolong')).toEqual([]);
  });
});

describe('parts of the index', () => {
  it('that an end left behind give way to newer ones, without reading', async () => {
    const { notes, kept, read, open } = shelf();
    await open().update();
    const before = tempFolder();
    cpSync(join(kept, 'index'), before, { recursive: true });
    putFiles(notes, { 'wuyi.md': '# Wuyi\n\nCharcoal roasted twice over.\n' });
    await open().update();
    cpSync(before, join(kept, 'index'), { recursive: true });
    read.length = 0;
    const index = open();
    expect(await foundNames(index, 'charcoal')).toEqual(['notes/wuyi.md']);
    expect(await foundNames(index, 'cliffs')).toEqual([]);
    expect(await foundNames(index, 'shizuoka')).toEqual(['notes/old/sencha.md']);
    expect(read).toEqual([]);
    const [old = ''] = readdirSync(before);
    expect(readdirSync(join(kept, 'index'))).not.toContain(old);
  });

  it('that are small are put together before there are many', async () => {
    const { notes, kept, read, open } = shelf({});
    const days = Array.from({ length: 20 }, (_, day) => day);
    for (const day of days) {
      putFiles(notes, { [`${day}.md`]: `Oolong of day${day}.\n` });
      await open().update();
      expect(readdirSync(join(kept, 'index')).length).toBeLessThanOrEqual(8);
    }
    const index = open();
    for (const day of days)
      expect(await foundNames(index, `day${day}`)).toEqual([`notes/${day}.md`]);
    expect(read).toHaveLength(20);
  });

  it('that are full are not', async () => {
    const pages = (word: string, count: number): string =>
      Array.from({ length: count }, () => word).join('\f');
    const { notes, kept, read, open } = shelf({
      '1a.txt': pages('oolong', 4_090),
      '1b.txt': pages('sencha', 10),
      '2a.txt': pages('gyokuro', 4_090),
      '2b.txt': pages('matcha', 10),
    });
    await open().update();
    expect(readdirSync(join(kept, 'index'))).toHaveLength(2);
    for (const name of ['1b.txt', '2b.txt']) unlinkSync(join(notes, name));
    const index = open();
    expect(await foundNames(index, 'sencha matcha')).toEqual([]);
    expect(readdirSync(join(kept, 'index'))).toHaveLength(2);
    const later = open();
    expect(await foundNames(later, 'oolong')).toEqual(['notes/1a.txt']);
    expect(await foundNames(later, 'gyokuro')).toEqual(['notes/2a.txt']);
    expect(read).toHaveLength(4);
  });
});
