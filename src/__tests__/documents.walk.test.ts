import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cleanName } from '../host/documents/document-name';
import { readPath, within } from '../host/documents/read-path';
import { walk, type ChosenFolder, type WalkEntry } from '../host/documents/walk';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const live = (): AbortSignal => new AbortController().signal;
/** Of every POSIX system; Node has no call for it. */
const MAKE_PIPE = 'mkfifo';

/** A folder with these files in it: paths to texts. */
function folderOf(files: Record<string, string>): string {
  const root = realpathSync(tempFolder());
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

async function walked(
  folders: readonly ChosenFolder[],
  signal: AbortSignal = live(),
  without?: string,
): Promise<WalkEntry[]> {
  const entries: WalkEntry[] = [];
  for await (const entry of walk(folders, signal, { without })) entries.push(entry);
  return entries;
}

/** The names of the files, and `name: reason` of what was skipped. */
async function rows(root: string): Promise<string[]> {
  const entries = await walked([{ path: root, name: 'N' }]);
  return entries.map((entry) =>
    entry.kind === 'file' ? entry.name : `${entry.name}: ${entry.reason}`,
  );
}

const LINK = 'It is a link, which Lam does not follow.';

describe('what is found', () => {
  it('is every file with its facts, in one order', async () => {
    const root = folderOf({ 'b.md': 'four', 'a/z.txt': 'x', 'a/B.txt': '', 'Ä.md': 'umlaut' });
    const entries = await walked([{ path: root, name: 'Notes' }]);
    expect(entries.map(({ name }) => name)).toEqual([
      'Notes/a/B.txt',
      'Notes/a/z.txt',
      'Notes/b.md',
      'Notes/Ä.md',
    ]);
    expect(entries[2]).toMatchObject({ kind: 'file', path: join(root, 'b.md'), size: 4 });
    expect(entries[2]).toHaveProperty('mtimeMs', expect.any(Number));
  });

  it.each<[name: string, files: Record<string, string>, rows: string[]]>([
    ['nothing in an empty folder', {}, []],
    [
      'nothing hidden, of packages or of version control',
      {
        '.env': 'KEY',
        '.git/config': '',
        'node_modules/a/readme.md': '',
        'CVS/Root': '',
        'a/.hidden/b.md': '',
        'a/b.md': '',
      },
      ['N/a/b.md'],
    ],
    [
      'nothing that .gitignore names, at each level',
      {
        '.gitignore': '*.log\nbuild/\n/only-here.md\n!keep.log\n',
        'a.log': '',
        'keep.log': '',
        'only-here.md': '',
        'x/only-here.md': '',
        'x/build/out.md': '',
        'x/.gitignore': 'b.md\n!c.log',
        'x/a.md': '',
        'x/b.md': '',
        'x/c.log': '',
        'y/b.md': '',
      },
      ['N/keep.log', 'N/x/a.md', 'N/x/c.log', 'N/x/only-here.md', 'N/y/b.md'],
    ],
    [
      'nothing that .ignore names, which has the last word',
      { '.gitignore': 'a.md\nb.md', '.ignore': '!a.md\nc.md', 'a.md': '', 'b.md': '', 'c.md': '' },
      ['N/a.md'],
    ],
    [
      'files whose case differs from the rule',
      { '.gitignore': 'readme.md', 'README.md': '', 'readme.md': '' },
      ['N/README.md'],
    ],
    ['a folder whose name is a rule file', { '.gitignore/x': '', 'a.md': '' }, ['N/a.md']],
    [
      'files beside a rule that would take forever',
      { '.gitignore': `${'*a'.repeat(40)}b\nb.md`, [`${'a'.repeat(200)}.md`]: '', 'b.md': '' },
      [`N/${'a'.repeat(200)}.md`],
    ],
  ])('%s', async (_name, files, expected) => {
    expect(await rows(folderOf(files))).toEqual(expected);
  });

  const long = 'a'.repeat(250);
  it.each<[name: string, rules: string[], left: string[]]>([
    ['stars at the ends and one place within', ['*a*b*', '*.x', 'c*'], ['N/zz']],
    [
      'stars at two places within',
      ['a*b*c', '/*a*b*c*', 'x/a*b*c', '!a*b*c'],
      ['N/abc', 'N/c', 'N/zz'],
    ],
    [
      'a rule longer than any name',
      [`${'z'.repeat(1_000)}*`, '\\z'.repeat(501)],
      ['N/abc', 'N/c', 'N/zz'],
    ],
    [
      'more rules than there is room for',
      [...Array<string>(2_000).fill('q'), 'c'],
      ['N/abc', 'N/c', 'N/zz'],
    ],
    [
      'as many as there is room for',
      ['# said', '', ...Array<string>(1_999).fill('q'), 'c'],
      ['N/abc', 'N/zz'],
    ],
    [
      'more with many stars than there is room for',
      [...Array<string>(200).fill('*q*'), '*b*', 'c'],
      ['N/abc', 'N/zz'],
    ],
  ])('keeps to what can be tried on every name: %s', async (_name, rules, left) => {
    const files = { '.gitignore': rules.join('\n'), abc: '', c: '', zz: '' };
    expect(await rows(folderOf(files))).toEqual(left);
  });

  it('has room for so many rules over all levels', async () => {
    const filled = Array<string>(1_999).fill('q').join('\n');
    const files = {
      '.gitignore': filled,
      'x/.gitignore': 'a.md\nb.md',
      'x/a.md': '',
      'x/b.md': '',
      'y/.ignore': 'b.md',
      'y/b.md': '',
    };
    expect(await rows(folderOf(files))).toEqual(['N/x/b.md']);
  });

  it('is found beside thousands of rules that were made to take long', async () => {
    const made = (make: (n: number) => string) =>
      Array.from({ length: 2_000 }, (_, n) => make(n)).join('\n');
    const files = {
      'one/.gitignore': made((n) => `*a*a*a${n}b`),
      'two/.gitignore': made((n) => `*a*a${n}b`),
      'three/.gitignore': made((n) => `?*?*?${n}b`),
      'four/.gitignore': `a${' '.repeat(100_000)}b\n${'\\ '.repeat(50_000)}`,
    };
    const root = folderOf(files);
    for (const folder of ['one', 'two', 'three', 'four'])
      writeFileSync(join(root, folder, long), '');
    expect(await rows(root)).toEqual(
      ['four', 'one', 'three', 'two'].map((folder) => `N/${folder}/${long}`),
    );
  });

  it('ignores a rule file of gigabytes', async () => {
    const root = folderOf({ 'a.md': '', '.gitignore': '*' });
    truncateSync(join(root, '.gitignore'), 2 ** 32);
    expect(await rows(root)).toEqual(['N/a.md']);
  });
});

describe('what is skipped with a reason', () => {
  it('links, wherever they lead', async () => {
    const outside = folderOf({ 'secret.md': 'no' });
    const root = folderOf({ 'a.md': '', 'sub/b.md': '' });
    symlinkSync(join(outside, 'secret.md'), join(root, 'file'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync('..', join(root, 'sub', 'loop'));
    symlinkSync('self', join(root, 'self'));
    symlinkSync('nowhere', join(root, 'dangling'));
    expect(await rows(root)).toEqual([
      'N/a.md',
      `N/dangling: ${LINK}`,
      `N/file: ${LINK}`,
      `N/folder: ${LINK}`,
      `N/self: ${LINK}`,
      'N/sub/b.md',
      `N/sub/loop: ${LINK}`,
    ]);
  });

  it('pipes and sockets', async () => {
    const root = folderOf({ 'a.md': '' });
    execFileSync(MAKE_PIPE, [join(root, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    try {
      const device = 'It is a device or a pipe, not a file.';
      expect(await rows(root)).toEqual(['N/a.md', `N/pipe: ${device}`, `N/socket: ${device}`]);
    } finally {
      server.close();
    }
  });

  it('a chosen folder that is gone or is none, while the others are read', async () => {
    const root = folderOf({ 'a.md': '', 'file.md': '' });
    const entries = await walked([
      { path: join(root, 'gone'), name: 'Gone' },
      { path: join(root, 'file.md'), name: 'File' },
      { path: root, name: 'Here' },
    ]);
    expect(entries.map(({ name }) => name)).toEqual(['Gone', 'File', 'Here/a.md', 'Here/file.md']);
    expect(entries[0]).toMatchObject({ kind: 'skipped', reason: 'It is not there any more.' });
    expect(entries[1]).toMatchObject({ kind: 'skipped', reason: 'It is not there any more.' });
  });

  it('folders deeper than any person makes them', async () => {
    const root = folderOf({ [`${'d/'.repeat(60)}deep.md`]: '', 'a.md': '' });
    const found = await rows(root);
    expect(found).toHaveLength(2);
    expect(found[0]).toBe('N/a.md');
    expect(found[1]).toMatch(/^N(?:\/d){41}: It stands in more than 40 folders\.$/);
  });

  it('what no encoding of names explains', async () => {
    const root = folderOf({ 'a.md': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff, 0xfe])]), 'x');
    const found = await rows(root);
    expect(found[0]).toBe('N/a.md');
    expect(found[1]).toMatch(/^N\/b~[\da-f]{16}: Its name is not written in UTF-8\.$/);
  });
});

describe('a limit of files', () => {
  it('is said once, and ends the walk', async () => {
    const root = folderOf({ 'a/1.md': '', 'a/2.md': '', 'a/3.md': '', 'b/4.md': '' });
    const entries: WalkEntry[] = [];
    const other = folderOf({ '5.md': '' });
    const folders = [
      { path: root, name: 'N' },
      { path: other, name: 'O' },
    ];
    for await (const entry of walk(folders, live(), { maxFiles: 2 })) entries.push(entry);
    const reason = 'Lam reads 2 files at most, and there are more; choose a smaller folder.';
    expect(entries).toMatchObject([
      { kind: 'file', name: 'N/a/1.md' },
      { kind: 'file', name: 'N/a/2.md' },
      { kind: 'skipped', name: 'N/a', reason },
      { kind: 'skipped', name: 'O', reason },
    ]);
  });
});

describe('a folder that changes meanwhile', () => {
  it('is read as far as it is there', async () => {
    const root = folderOf({ 'a/1.md': '', 'b/2.md': '', 'c/3.md': '' });
    const entries: WalkEntry[] = [];
    for await (const entry of walk([{ path: root, name: 'N' }], live())) {
      entries.push(entry);
      if (entry.name === 'N/a/1.md') rmSync(join(root, 'b'), { recursive: true });
    }
    expect(entries).toMatchObject([
      { kind: 'file', name: 'N/a/1.md' },
      { kind: 'skipped', name: 'N/b', reason: 'It is not there any more.' },
      { kind: 'file', name: 'N/c/3.md' },
    ]);
  });

  it('that vanishes as a whole ends the walk', async () => {
    const root = folderOf({ 'a/1.md': '', 'b/2.md': '' });
    const entries: WalkEntry[] = [];
    for await (const entry of walk([{ path: root, name: 'N' }], live())) {
      entries.push(entry);
      rmSync(root, { recursive: true, force: true });
    }
    expect(entries.map(({ name }) => name)).toEqual(['N/a/1.md', 'N/b']);
  });

  it('whose place a link takes is not followed', async () => {
    const outside = folderOf({ 'secret.md': '' });
    const root = folderOf({ 'a.md': '', 'b/2.md': '' });
    const found: string[] = [];
    for await (const entry of walk([{ path: root, name: 'N' }], live())) {
      found.push(entry.name);
      if (entry.name !== 'N/a.md') continue;
      renameSync(join(root, 'b'), join(root, '.b'));
      symlinkSync(outside, join(root, 'b'));
    }
    expect(found).toEqual(['N/a.md', 'N/b']);
  });
});

describe('an end', () => {
  it('comes with the signal', async () => {
    const root = folderOf(
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.md`, ''])),
    );
    const stop = new AbortController();
    const entries: WalkEntry[] = [];
    for await (const entry of walk([{ path: root, name: 'N' }], stop.signal)) {
      entries.push(entry);
      if (entries.length === 10) stop.abort();
    }
    expect(entries).toHaveLength(10);
    expect(await walked([{ path: root, name: 'N' }], AbortSignal.abort())).toEqual([]);
  });
});

describe('folders within and beside each other', () => {
  it('each file comes once, under the nearest folder', async () => {
    const root = folderOf({ 'a.md': '', 'in/b.md': '', '.kept/c.md': '' });
    const folders = [
      { path: root, name: 'All' },
      { path: join(root, 'in'), name: 'In' },
      { path: join(root, '.kept'), name: 'Kept' },
      { path: root, name: 'Again' },
    ];
    const entries = await walked(folders);
    expect(entries).toMatchObject([
      { kind: 'skipped', name: 'Again', reason: 'It was chosen twice.' },
      { kind: 'file', name: 'All/a.md' },
      { kind: 'file', name: 'In/b.md' },
      { kind: 'file', name: 'Kept/c.md' },
    ]);
    for (const { path, name, kind } of entries)
      if (kind === 'file') expect(await within(folders, path)).toEqual({ ok: true, path, name });
  });

  it('a chosen folder that became a link is not followed', async () => {
    const outside = folderOf({ 'secret.md': '', 'sub/deep.md': '' });
    const above = realpathSync(tempFolder());
    symlinkSync(outside, join(above, 'notes'));
    const folders = [
      { path: join(above, 'notes'), name: 'Notes' },
      { path: join(above, 'notes', 'sub'), name: 'Sub' },
    ];
    const reason = 'It is a link to another place now: remove it and choose it again.';
    expect(await walked(folders)).toEqual(
      folders.map((folder) => ({ kind: 'skipped', ...folder, reason })),
    );
    for (const name of ['Notes/secret.md', 'Notes/none.md', 'Notes/SECRET.md', 'Sub/deep.md'])
      expect(await readPath(folders, name)).toEqual({
        ok: false,
        status: 'not-found',
        reason: `There is no document "${name}".`,
      });
    for (const path of [join(outside, 'secret.md'), join(above, 'notes', 'secret.md')])
      expect(await within(folders, path)).toMatchObject({ ok: false, status: 'not-found' });
  });

  it('what is Lam’s own is left out, however its path is given', async () => {
    const root = folderOf({ 'a.md': '', 'lam/documents/texts/b.md': '', 'lam2/c.md': '' });
    const own = join(root, 'lam');
    const link = join(tempFolder(), 'link');
    symlinkSync(own, link);
    const folders = [{ path: root, name: 'N' }];
    const inside = [{ path: join(own, 'documents'), name: 'D' }];
    for (const without of [own, link]) {
      const names = (await walked(folders, live(), without)).map(({ name }) => name);
      expect(names).toEqual(['N/a.md', 'N/lam2/c.md']);
      expect(await walked(inside, live(), without)).toEqual([]);
      const missing = { ok: false, status: 'not-found' };
      const name = 'N/lam/documents/texts/b.md';
      expect(await readPath(folders, name, { without })).toMatchObject(missing);
      expect(await readPath(inside, 'D/texts/b.md', { without })).toMatchObject(missing);
      const path = join(own, 'documents/texts/b.md');
      expect(await within(folders, path, { without })).toMatchObject(missing);
      expect(await readPath(folders, 'N/lam2/c.md', { without })).toMatchObject({ ok: true });
    }
  });
});

describe('names', () => {
  it.each([
    ['ordinary', 'Tea notes.md', /^Tea notes\.md$/],
    ['of another script', '茶 и туман.md', /^茶 и туман\.md$/],
    ['with a line break', 'a\nb.md', /^a b\.md~[\da-f]{16}$/],
    ['that runs backwards', 'a\u202egpj.md', /^a gpj\.md~[\da-f]{16}$/],
    ['with blanks around', ' a  b ', /^a b~[\da-f]{16}$/],
    ['nothing to see', '\u200b', /^~[\da-f]{16}$/],
    ['that pass for a cleaned one', 'a~0123456789abcdef', /^a~0123456789abcdef~[\da-f]{16}$/],
  ])('%s', (_name, name, expected) => {
    expect(cleanName(name)).toMatch(expected);
  });

  it('are one line, and no two files share one', () => {
    const name = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\u202e', '~', '0', 'é') });
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
        const cleaned = names.map(cleanName);
        expect(new Set(cleaned).size).toBe(names.length);
        for (const each of cleaned) expect(each).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('a name that a model gives', () => {
  const chosen = (): { root: string; folders: ChosenFolder[] } => {
    const above = folderOf({
      'notes/tea/wuyi.md': '',
      'notes/Über Nebel.md': '',
      'notes/a\nb\u202e.md': '',
      'notes/.env': 'KEY',
      'notes/.gitignore': 'private/',
      'notes/private/x.md': '',
      'notes/twin.md': '',
      'notes/Twin.md': '',
      'notes2/other.md': '',
      'outside.md': '',
    });
    const root = join(above, 'notes');
    symlinkSync(join(above, 'outside.md'), join(root, 'out.md'));
    symlinkSync('..', join(root, 'up'));
    symlinkSync('tea/wuyi.md', join(root, 'inner.md'));
    symlinkSync('.env', join(root, 'innocent.md'));
    symlinkSync('loop', join(root, 'loop'));
    return { root, folders: [{ path: root, name: 'Notes' }] };
  };

  it.each([
    ['as it is', 'Notes/tea/wuyi.md', 'tea/wuyi.md'],
    ['with slashes too many', 'Notes//tea/./wuyi.md', 'tea/wuyi.md'],
    ['in another case', 'Notes/Tea/WUYI.md', 'tea/wuyi.md'],
    ['in decomposed letters', 'Notes/U\u0308ber Nebel.md', 'Über Nebel.md'],
    ['in the case that is on the disk', 'Notes/Twin.md', 'Twin.md'],
    ['of a link that stays inside', 'Notes/inner.md', 'tea/wuyi.md'],
  ])('%s', async (_name, name, below) => {
    const { root, folders } = chosen();
    expect(await readPath(folders, name)).toEqual({
      ok: true,
      path: join(root, below),
      name: `Notes/${below}`,
    });
  });

  it('is what a walk calls each file, however it is called on the disk', async () => {
    const { folders } = chosen();
    for (const entry of await walked(folders))
      if (entry.kind === 'file')
        expect(await readPath(folders, entry.name)).toEqual({
          ok: true,
          path: entry.path,
          name: entry.name,
        });
  });

  it.each([
    ['out of the folder', 'Notes/../outside.md', 'refused'],
    ['out of it and in again', 'Notes/../notes/tea/wuyi.md', 'refused'],
    ['an absolute path', '/etc/passwd', 'refused'],
    ['a home folder', '~/x.md', 'refused'],
    ['a file address', 'file:///etc/passwd', 'refused'],
    ['a NUL', 'Notes/tea\0/wuyi.md', 'refused'],
    ['a link out', 'Notes/out.md', 'not-found'],
    ['a way through a link out', 'Notes/up/outside.md', 'not-found'],
    ['a link to what is hidden', 'Notes/innocent.md', 'refused'],
    ['a link in a circle', 'Notes/loop', 'not-found'],
    ['hidden', 'Notes/.env', 'refused'],
    ['left out by a rule', 'Notes/private/x.md', 'refused'],
    ['the folder itself', 'Notes', 'refused'],
    ['the folder itself, with a slash', 'Notes/', 'refused'],
    ['nothing', '', 'not-found'],
    ['a folder that only looks alike', 'Notes2/other.md', 'not-found'],
    ['another folder', 'Mail/a.md', 'not-found'],
    ['no such file', 'Notes/tea/none.md', 'not-found'],
    ['one of two', 'Notes/tWin.md', 'not-found'],
    ['a file as a folder', 'Notes/twin.md/x', 'not-found'],
  ])('%s is refused with a sentence', async (_name, name, status) => {
    const { root, folders } = chosen();
    const found = await readPath(folders, name);
    expect(found).toMatchObject({ ok: false, status });
    if (found.ok) return;
    expect(found.reason).toMatch(/^[^\n\0]+\.$/);
    expect(found.reason).not.toContain(dirname(root));
  });

  it('tells the same of what stands outside and of what stands nowhere', async () => {
    const { folders } = chosen();
    const names = ['out.md', 'up/outside.md', 'up/OUTSIDE.md', 'up/none.md', 'up', 'loop', 'none'];
    for (const name of names.map((below) => `Notes/${below}`))
      expect(await readPath(folders, name)).toEqual({
        ok: false,
        status: 'not-found',
        reason: `There is no document "${name}".`,
      });
  });

  it('never leads out, whatever it is made of', async () => {
    const { root, folders } = chosen();
    const piece = fc.constantFrom('Notes', '..', '.', '', '/', 'up', 'tea', '\0', 'out.md', '.env');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const found = await readPath(folders, pieces.join('/'));
        if (found.ok) expect(found.path.startsWith(`${root}/`)).toBe(true);
        else expect(found.reason).not.toBe('');
      }),
    );
  });
});

describe('an absolute path', () => {
  it.each([
    ['of a neighbour that begins alike', 'notes2/other.md', 'not-found'],
    ['of a file above', 'outside.md', 'not-found'],
    ['of the folder itself', 'notes', 'not-found'],
    ['of nothing', 'notes/none.md', 'not-found'],
  ])('%s', async (_name, below, status) => {
    const above = folderOf({ 'notes/a.md': '', 'notes2/other.md': '', 'outside.md': '' });
    const folders = [{ path: join(above, 'notes'), name: 'Notes' }];
    expect(await within(folders, join(above, below))).toMatchObject({ ok: false, status });
    expect(await within(folders, join(above, 'notes/a.md'))).toMatchObject({ name: 'Notes/a.md' });
    expect(await within(folders, 'notes/a.md')).toMatchObject({ ok: false, status: 'refused' });
    expect(await within([], join(above, 'notes/a.md'))).toMatchObject({ ok: false });
  });
});
