import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createExports, downloadFolder, fileNameOf } from '../host/exports';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

describe('the folder for downloads', () => {
  it.each<[string, string | undefined, string[], string]>([
    [
      'the one that is set',
      'XDG_DOWNLOAD_DIR="$HOME/Geladen"\n',
      ['Geladen', 'Downloads'],
      'Geladen',
    ],
    ['Downloads, when none is set', '# nothing\n', ['Downloads'], 'Downloads'],
    ['Downloads, without settings', undefined, ['Downloads'], 'Downloads'],
    [
      'Downloads, when the set one is gone',
      'XDG_DOWNLOAD_DIR="$HOME/Gone"\n',
      ['Downloads'],
      'Downloads',
    ],
    [
      'Downloads, when the set one is no path',
      'XDG_DOWNLOAD_DIR="Geladen"\n',
      ['Geladen', 'Downloads'],
      'Downloads',
    ],
    ['home, without any', undefined, [], ''],
  ])('%s', (_name, settings, folders, expected) => {
    const home = tempFolder();
    for (const folder of folders) mkdirSync(join(home, folder));
    mkdirSync(join(home, '.config'));
    if (settings !== undefined) writeFileSync(join(home, '.config', 'user-dirs.dirs'), settings);
    expect(downloadFolder(home, join(home, '.config'))).toBe(join(home, expected));
  });
});

describe('file names', () => {
  it.each([
    ['How do tides work?', 'How do tides work'],
    ['../../etc/passwd', 'etc passwd'],
    ['.hidden', 'hidden'],
    ['a\u0000b\nc\u202ed', 'a b c d'],
    ['  ', 'Conversation'],
    ['???', 'Conversation'],
    ['潮汐'.repeat(60), '潮汐'.repeat(30)],
  ])('%j becomes %j', (title, name) => {
    expect(fileNameOf(title)).toBe(name);
  });

  it('no title leads out of the folder, hides the file or is too long for a file system', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const name = fileNameOf(title);
        expect(name).toMatch(/^[^/\\\0.][^/\\\0]*$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
      }),
    );
  });
});

describe('writing', () => {
  it('writes in pieces, for the owner only, and over nothing that is there', async () => {
    const folder = tempFolder();
    const exports = createExports(() => folder);
    const paths = [];
    for (const text of ['one', 'two', 'three']) {
      const written = await exports.write('Tea.md', [text, '!']);
      paths.push(written.ok ? written.path : written.message);
    }
    expect(paths).toEqual(['Tea.md', 'Tea (2).md', 'Tea (3).md'].map((name) => join(folder, name)));
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['one!', 'two!', 'three!']);
    expect(statSync(join(folder, 'Tea.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('leaves nothing behind when the source breaks', async () => {
    const folder = tempFolder();
    const broken = (async function* () {
      yield 'half';
      await Promise.resolve();
      throw new Error('broken');
    })();
    const written = await createExports(() => folder).write('Tea.md', broken);
    expect(written).toMatchObject({ ok: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what to do when it cannot', async () => {
    const folder = join(tempFolder(), 'gone');
    const written = await createExports(() => folder).write('Tea.md', ['x']);
    expect(written).toMatchObject({
      ok: false,
      message: expect.stringContaining('Tea.md') as string,
    });
  });
});

describe('reading', () => {
  it('gives the text of a file, and a sentence for anything else', async () => {
    const folder = tempFolder();
    const exports = createExports(() => folder);
    const file = join(folder, 'in.json');
    writeFileSync(file, '{"a":"ü"}');
    expect(await exports.read(file)).toEqual({ ok: true, text: '{"a":"ü"}' });
    expect(await exports.read(folder)).toEqual({ ok: false, message: `${folder} is not a file.` });
    const gone = await exports.read(join(folder, 'gone'));
    expect(gone).toMatchObject({ ok: false, message: expect.stringContaining('gone') as string });
  });
});
