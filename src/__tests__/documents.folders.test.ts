import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createFolders, holds } from '../host/documents/folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** An empty folder of this name. */
function folder(name: string, parent = tempFolder()): string {
  const path = join(parent, name);
  mkdirSync(path, { recursive: true });
  return path;
}

const messageOf = (change: ReturnType<ReturnType<typeof createFolders>['add']>): string =>
  change.ok ? '' : change.message;

describe('chosen folders', () => {
  it('are none at first, and nothing is written', () => {
    const supportPath = tempFolder();
    const folders = createFolders(supportPath);
    expect([folders.any(), folders.list(), folders.problem()]).toEqual([false, [], undefined]);
    expect(readdirSync(supportPath)).toEqual([]);
  });

  it('are there at the next launch, by their real paths', () => {
    const supportPath = tempFolder();
    const notes = folder('notes');
    const link = join(tempFolder(), 'link');
    symlinkSync(notes, link);
    expect(createFolders(supportPath).add(link)).toEqual({ ok: true });
    const folders = createFolders(supportPath);
    expect(folders.list()).toEqual([{ path: notes, name: 'notes', fixed: false }]);
    expect(folders.any()).toBe(true);
  });

  it('have names of their own', () => {
    const folders = createFolders(tempFolder());
    for (let time = 0; time < 3; time += 1) folders.add(folder('notes'));
    expect(folders.list().map(({ name }) => name)).toEqual(['notes', 'notes (2)', 'notes (3)']);
  });

  it('keep their names when another one goes', () => {
    const folders = createFolders(tempFolder());
    const [first, second] = [folder('notes'), folder('notes')];
    folders.add(first);
    folders.add(second);
    expect(folders.remove(first)).toEqual({ ok: true });
    expect(folders.list()).toEqual([{ path: second, name: 'notes (2)', fixed: false }]);
  });

  it('with names that would break a line are named in one', () => {
    const folders = createFolders(tempFolder());
    folders.add(folder('two\nlines\u202E'));
    expect(folders.list()[0]?.name).toMatch(/^two lines~[\da-f]{16}$/);
  });

  it('that are gone say so, and stay chosen', () => {
    const folders = createFolders(tempFolder());
    const notes = folder('notes');
    folders.add(notes);
    rmSync(notes, { recursive: true });
    expect(folders.list()).toEqual([
      { path: notes, name: 'notes', fixed: false, problem: `There is no folder ${notes} now.` },
    ]);
  });

  it.each<[string, (above: string) => string]>([
    ['outside', () => folder('outside')],
    ['beside it', (above) => folder('secrets', above)],
    ['above it', (above) => above],
    ['the root', () => '/'],
    ['the system', () => '/proc'],
  ])('that became a link to %s say so, and are not used', (_what, target) => {
    const supportPath = tempFolder();
    const folders = createFolders(supportPath);
    const above = tempFolder();
    const notes = folder('notes', above);
    folders.add(notes);
    rmSync(notes, { recursive: true });
    symlinkSync(target(above), notes);
    const problem = 'It is a link to another place now: remove it and choose it again.';
    const row = { path: notes, name: 'notes', fixed: false, problem };
    for (const each of [folders, createFolders(supportPath)]) {
      expect(each.list()).toEqual([row]);
      expect(each.usable()).toEqual([]);
      expect(each.any()).toBe(true);
    }
    expect(folders.remove(notes)).toEqual({ ok: true });
  });

  it('below a folder that became a link are not used either', () => {
    const folders = createFolders(tempFolder());
    const above = tempFolder();
    const notes = folder('repo/notes', above);
    folders.add(notes);
    const other = tempFolder();
    folder('notes', other);
    rmSync(join(above, 'repo'), { recursive: true });
    symlinkSync(other, join(above, 'repo'));
    expect(folders.list()).toMatchObject([{ problem: expect.stringContaining('link') as string }]);
    expect(folders.usable()).toEqual([]);
  });

  it('whose list was changed by another hand are looked at as if they were chosen now', () => {
    const supportPath = tempFolder();
    const home = folder('documents', supportPath);
    const rows = ['/', '/proc', home].map((path) => ({ path, name: path }));
    writeFileSync(join(home, 'folders.json'), JSON.stringify({ version: 1, folders: rows }));
    const folders = createFolders(supportPath);
    expect(folders.list().map(({ problem }) => problem !== undefined)).toContain(true);
    expect(folders.usable()).toEqual([]);
  });

  it('may be the home folder', () => {
    const folders = createFolders(tempFolder());
    expect(folders.add('~')).toEqual({ ok: true });
    expect(folders.list()[0]?.path).toBe(homedir());
  });
});

describe('a folder that is not taken', () => {
  const parent = (): string => folder('outer');
  it.each<[string, () => string, RegExp]>([
    ['relative', () => 'notes', /^“notes” is not the full path of a folder\.$/],
    ['missing', () => join(parent(), 'none'), /^There is no folder \/.*none now\.$/],
    ['the root', () => '/', /^The whole file system is too much/],
    ['of the system', () => '/proc/self', /^\/proc\/\d+ holds no documents/],
    ['empty', () => '', /is not the full path/],
  ])('%s', (_what, path, message) => {
    const supportPath = tempFolder();
    const folders = createFolders(supportPath);
    expect(messageOf(folders.add(path()))).toMatch(message);
    expect(readdirSync(supportPath)).toEqual([]);
  });

  it('is a file', () => {
    const path = join(tempFolder(), 'a.md');
    writeFileSync(path, '');
    expect(messageOf(createFolders(tempFolder()).add(path))).toBe(`${path} is not a folder.`);
  });

  it('is chosen already, in one that is, or around one', () => {
    const folders = createFolders(tempFolder());
    const outer = folder('outer');
    const middle = folder('middle', outer);
    const inner = folder('inner', middle);
    folders.add(middle);
    expect(messageOf(folders.add(middle))).toBe(`${middle} is chosen already.`);
    expect(messageOf(folders.add(inner))).toBe(
      `${inner} is inside ${middle}, which is chosen already.`,
    );
    expect(messageOf(folders.add(outer))).toBe(
      `${outer} holds ${middle}, which is chosen already: remove that one first.`,
    );
    expect(folders.add(folder('middle-2', outer))).toEqual({ ok: true });
  });

  it('is Lam’s own', () => {
    const supportPath = tempFolder();
    const own = folder('documents', supportPath);
    expect(messageOf(createFolders(supportPath).add(own))).toMatch(/where Lam keeps its own files/);
  });
});

// Permissions do not hold for root, whom the tests may run as: the check is handed in.
describe('a folder without permission', () => {
  const sentence = (path: string) =>
    `Lam may not look into ${path}: change the permissions of the folder.`;

  it('is not taken', () => {
    const supportPath = tempFolder();
    const path = folder('notes');
    const folders = createFolders(supportPath, '', (each) => each !== path);
    expect(messageOf(folders.add(path))).toBe(sentence(path));
    expect(readdirSync(supportPath)).toEqual([]);
    expect(folders.add(folder('other'))).toEqual({ ok: true });
  });

  it('that lost it later says so, keeps what was read of it, and may get it back', () => {
    let isOpen = true;
    const path = folder('notes');
    const folders = createFolders(tempFolder(), '', () => isOpen);
    folders.add(path);
    isOpen = false;
    const row = { path, name: 'notes', fixed: false, problem: sentence(path) };
    expect([folders.list(), folders.usable()]).toEqual([[row], [row]]);
    isOpen = true;
    expect(folders.list()[0]?.problem).toBeUndefined();
  });

  it('that became a link is a link first', () => {
    let isOpen = true;
    const path = folder('notes');
    const folders = createFolders(tempFolder(), '', () => isOpen);
    folders.add(path);
    rmSync(path, { recursive: true });
    symlinkSync(folder('secrets'), path);
    isOpen = false;
    expect(folders.list()[0]?.problem).toMatch(/^It is a link to another place now/);
    expect(folders.usable()).toEqual([]);
  });

  it('says so in the preferences too', () => {
    const path = folder('notes');
    expect(createFolders(tempFolder(), path, () => false).list()).toMatchObject([
      { path, fixed: true, problem: sentence(path) },
    ]);
  });
});

describe('the folder of the preferences', () => {
  it.each(['relative', 'src', './src', '~other/notes'])(
    'is not used if it is no full path: %s',
    (path) => {
      const folders = createFolders(tempFolder(), path);
      expect(folders.list()).toMatchObject([
        { path, problem: `“${path}” is not the full path of a folder.` },
      ]);
      expect(folders.usable()).toEqual([]);
    },
  );

  it('comes first, and cannot be removed', () => {
    const notes = folder('notes');
    const folders = createFolders(tempFolder(), notes);
    folders.add(folder('notes'));
    expect(folders.any()).toBe(true);
    expect(folders.list().map(({ name, fixed }) => [name, fixed])).toEqual([
      ['notes', true],
      ['notes (2)', false],
    ]);
    expect(folders.remove(notes)).toEqual({
      ok: false,
      message: `${notes} is set in the preferences of Lam: remove it there.`,
    });
  });

  it('takes those in it in, also when they were chosen before', () => {
    const supportPath = tempFolder();
    const outer = folder('outer');
    createFolders(supportPath).add(folder('inner', outer));
    expect(
      createFolders(supportPath, outer)
        .list()
        .map(({ path }) => path),
    ).toEqual([outer]);
  });

  it.each<[string, (supportPath: string) => string, boolean]>([
    ['a folder', () => folder('notes'), true],
    ['the root', () => '/', false],
    ['the system', () => '/proc', false],
    ['what is Lam’s', (supportPath) => folder('documents', supportPath), false],
  ])('may be a link to %s as far as that may be chosen', (_what, target, isUsable) => {
    const supportPath = tempFolder();
    const real = target(supportPath);
    const link = join(tempFolder(), 'link');
    symlinkSync(real, link);
    const folders = createFolders(supportPath, link);
    expect(folders.list()).toMatchObject([{ path: real, fixed: true }]);
    expect(folders.list()[0]?.problem === undefined).toBe(isUsable);
    expect(folders.usable().map(({ path }) => path)).toEqual(isUsable ? [real] : []);
  });

  it('says when it cannot be used', () => {
    const root = createFolders(tempFolder(), '/');
    expect(root.list()).toMatchObject([
      { path: '/', fixed: true, problem: expect.stringContaining('too much') as string },
    ]);
    expect(root.usable()).toEqual([]);
    expect(createFolders(tempFolder(), '/none/there').list()).toMatchObject([
      { path: '/none/there', problem: 'There is no folder /none/there now.' },
    ]);
  });
});

describe('the file of folders', () => {
  it.each([
    ['no JSON', '{"version":1,"fol'],
    ['of another version', '{"version":2,"folders":[]}'],
    ['with rows of another kind', '{"version":1,"folders":[{"path":7}]}'],
    ['empty', ''],
  ])('that is %s is kept aside, and that is said', (_what, text) => {
    const supportPath = tempFolder();
    const home = folder('documents', supportPath);
    writeFileSync(join(home, 'folders.json'), text);
    const folders = createFolders(supportPath);
    expect(folders.list()).toEqual([]);
    const [aside = ''] = readdirSync(home);
    expect(aside).toMatch(/^folders\.damaged-.*\.json$/);
    expect(readFileSync(join(home, aside), 'utf8')).toBe(text);
    expect(folders.problem()).toContain(join(home, aside));
    expect(folders.add(folder('notes'))).toEqual({ ok: true });
    expect(existsSync(join(home, 'folders.json'))).toBe(true);
  });

  it('that cannot be written is a sentence', () => {
    const supportPath = tempFolder();
    writeFileSync(join(supportPath, 'documents'), ''); // a file where the folder belongs
    expect(messageOf(createFolders(supportPath).add(folder('notes')))).toMatch(
      /^The file of chosen folders could not be saved \(.*\): a file stands where Lam needs a folder/,
    );
  });
});

describe('holds', () => {
  it.each<[string, string, boolean]>([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/a', '/a/..b', true],
    ['/', '/a', true],
  ])('%s, %s', (outer, inner, isHeld) => {
    expect(holds(outer, inner)).toBe(isHeld);
  });
});
