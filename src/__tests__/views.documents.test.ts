import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Folder } from '../host/documents/folders';
import {
  countsOf,
  EMPTY_STATUS,
  type Changes,
  type DocumentFile,
  type DocumentsStatus,
} from '../host/documents/status';
import { beside } from './support/document-pane';
import type { Pane } from './support/pane';
import { expectWhole } from './support/sound';
import { tempFolders } from './support/temp-folder';
import { viewPanes } from './support/view-panes';

/** The view on a desk that does what a file says; it looks again when that file is replaced. */
const COMMAND = `
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '@vicinae/api';
import { DocumentsView } from './src/views/documents-view';

const scene = join(environment.supportPath, 'scene.json');
const read = () => readFileSync(scene, 'utf8');
const note = (...words) => {
  appendFileSync(join(environment.supportPath, 'calls'), words.join(' ') + '\\n');
  const { refusal } = JSON.parse(read());
  return refusal === undefined ? { ok: true } : { ok: false, message: refusal };
};
const desk = {
  folders: () => JSON.parse(read()).folders,
  addFolder: (path) => note('add', path),
  removeFolder: (path) => note('remove', path),
  status: async () => {
    const { status } = JSON.parse(read());
    if (status === undefined) return await new Promise(() => undefined);
    return status;
  },
  refresh: async () => {
    note('refresh');
    for (;;) {
      const { look } = JSON.parse(read());
      if (look !== undefined) return look;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  isThere: (path) => !(JSON.parse(read()).gone ?? []).includes(path),
  onChange: (listener) => {
    let last = read();
    const timer = setInterval(() => {
      if (read() === last) return;
      last = read();
      listener();
    }, 20);
    return () => { clearInterval(timer); note('stopped'); };
  },
};
export default function Command() {
  return <DocumentsView documents={desk} areEmbedded={JSON.parse(read()).areEmbedded} />;
}
`;

interface Scene {
  folders?: Partial<Folder>[];
  /** Absent = it is never known. */
  status?: DocumentsStatus;
  /** What adding and removing is answered with. */
  refusal?: string;
  areEmbedded?: boolean;
  /** How a look for changes ends; absent = it goes on. */
  look?: { isDone: boolean; changes?: Changes };
  /** Paths where nothing stands any more. */
  gone?: string[];
}

const tempFolder = tempFolders();
const panes = viewPanes({
  documents: { tsx: COMMAND },
  command: { file: 'src/documents.tsx' },
});

const NOTES: Folder = { path: '/home/ada/Notes', name: 'Notes', fixed: false };
const PAPERS: Folder = { path: '/home/ada/Papers', name: 'Papers', fixed: true };

function file(name: string, overrides: Partial<DocumentFile> = {}): DocumentFile {
  return {
    name,
    path: `/home/ada/${name}`,
    state: 'indexed',
    size: 1_400,
    blocks: 12,
    ...overrides,
  };
}

function statusOf(files: DocumentFile[], more: Partial<DocumentsStatus> = {}): DocumentsStatus {
  return { ...EMPTY_STATUS, counts: countsOf(files), files, ...more };
}

const WUYI = file('Notes/tea/wuyi.md');
const PAPER = file('Papers/kiln.pdf', { size: 2_340_000, pages: 12, blocks: 320 });
const LOCKED = file('Papers/tax.pdf', {
  state: 'failed',
  reason: 'It is protected by a password.',
});
const BIG = file('Notes/dump.csv', {
  state: 'skipped',
  reason: 'It is larger than 4 MB, the most that Lam reads of a text file.',
  size: 90_000_000,
});
const READ: Scene = { folders: [NOTES, PAPERS], status: statusOf([LOCKED, WUYI, PAPER, BIG]) };

const inSupport = (name: string): string => join(panes.supportPath, name);

function stage(scene: Scene): void {
  const whole: Scene = { folders: [NOTES], status: EMPTY_STATUS, ...scene };
  // In one step: the view must not read half a file.
  writeFileSync(inSupport('scene.part'), JSON.stringify(whole));
  renameSync(inSupport('scene.part'), inSupport('scene.json'));
}

async function open(scene: Scene): Promise<Pane> {
  stage(scene);
  const pane = await panes.open('documents');
  if ((scene.folders ?? [NOTES]).length > 0 && scene.status?.state !== 'indexing')
    await pane.waitFor(() => !pane.list().isLoading, { label: 'the status' });
  return pane;
}

function calls(): string[] {
  const path = inSupport('calls');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

const titles = (pane: Pane) => pane.actions().map(({ title }) => title);
const rows = (pane: Pane) => pane.list().items.map(({ title }) => title);
const facts = (pane: Pane) =>
  pane.list().items.map(({ title, accessories }) => [title, accessories[0]?.text]);
const sections = (pane: Pane) => [...new Set(pane.list().items.map(({ section }) => section))];
describe('documents', () => {
  it('says what choosing a folder means before there is one', async () => {
    const pane = await open({ folders: [] });
    const { emptyView, isLoading } = pane.list();
    expect(emptyView?.title).toBe('Choose a folder to ask about');
    expect(emptyView?.description).toContain('on this machine');
    expect(emptyView?.description).toContain('is shown passages that fit your question');
    expect(isLoading).toBe(false);
    expect(titles(pane)).toEqual(['Add Folder…']);
    expectWhole(pane);
  });

  it('says that all text is sent when documents are found by meaning', async () => {
    const pane = await open({ folders: [], areEmbedded: true });
    const words = 'the text of all documents goes to your model server once';
    expect(pane.list().emptyView?.description).toContain(words);
    await pane.enter();
    await pane.waitFor(() => pane.top().type === 'form');
    expect(pane.form().descriptions[0]?.text).toContain(words);
  });

  it('has the folders, what could not be read, the files, and what is left out', async () => {
    const pane = await open(READ);
    expect(sections(pane)).toEqual([
      'Folders',
      'Could Not Be Read (1)',
      'Files (2)',
      'Left Out (1)',
    ]);
    expect(facts(pane)).toEqual([
      ['Notes', '1 file'],
      ['Papers', 'from the preferences · 1 file'],
      ['tax.pdf', 'protected by a password'],
      ['wuyi.md', '1 KB'],
      ['kiln.pdf', '12 pages'],
      ['dump.csv', 'larger than 4 MB'],
    ]);
    expect(pane.list().items.map(({ subtitle }) => subtitle)).toEqual([
      '/home/ada/Notes',
      '/home/ada/Papers',
      'Papers',
      'Notes/tea',
      'Papers',
      'Notes',
    ]);
    expect(pane.list().items.map(({ icon }) => icon)).toEqual([
      'folder',
      'folder',
      'x-mark-circle',
      'text',
      'text',
      'stop',
    ]);
    expectWhole(pane);
  });

  it('shows the reason beside the selected row when asked to', async () => {
    const pane = await open(READ);
    expect(pane.list().isShowingDetail).toBe(false);
    await pane.select(2);
    await pane.action('Show Details');
    await pane.waitFor(() => pane.list().isShowingDetail);
    expect(beside(pane)).toContain('Could not be read');
    expect(beside(pane)).toContain('It is protected by a password.');
    expect(beside(pane)).toContain('/home/ada/Papers/tax.pdf');
    // The name needs the room in a narrow row.
    expect(facts(pane)).toEqual([
      ['Notes', '1 file'],
      ['Papers', '1 file'],
      ['tax.pdf', undefined],
      ['wuyi.md', '1 KB'],
      ['kiln.pdf', '12 pages'],
      ['dump.csv', undefined],
    ]);
    await pane.select(4);
    await pane.waitFor(() => beside(pane).includes('320 passages'));
    expect(beside(pane)).toContain('2.3 MB · 12 pages · 320 passages');
    expect(pane.list().items.filter((item) => item.detail !== undefined)).toHaveLength(1);
    await pane.select(1);
    await pane.waitFor(() => beside(pane).includes('preferences of Lam'));
    expectWhole(pane);
    await pane.action('Hide Details');
    await pane.waitFor(() => !pane.list().isShowingDetail);
  });

  it('tells how far it has come, and keeps the selection', async () => {
    const pane = await open({
      folders: [NOTES],
      status: statusOf([file('Notes/b.md', { state: 'pending' }), WUYI], {
        state: 'indexing',
        progress: { what: 'reading', done: 120, total: 2000 },
      }),
    });
    await pane.waitFor(
      () => pane.list().navigationTitle === 'Documents: reading 120 of 2,000 files…',
    );
    expect(pane.list().isLoading).toBe(true);
    expect(sections(pane)).toEqual(['Folders', 'Files (1 of 2 read)']);
    expect(facts(pane).slice(0, 2)).toEqual([
      ['Notes', '1 of 2 files'],
      ['b.md', 'waiting'],
    ]);
    await pane.select(2);
    stage({ folders: [NOTES], status: statusOf([file('Notes/b.md'), WUYI]) });
    await pane.waitFor(() => !pane.list().isLoading);
    expect(pane.list().navigationTitle).toBe('Documents');
    expect(sections(pane)).toEqual(['Folders', 'Files (2)']);
    expect(pane.list().selected?.title).toBe('wuyi.md');
    expectWhole(pane);
  });

  it.each<[string, DocumentsStatus, string]>([
    [
      'read here or by another launch',
      statusOf([], { state: 'indexing', progress: { what: 'reading', done: 370, total: 1_501 } }),
      'Documents: reading 370 of 1,501 files…',
    ],
    [
      'compared by meaning',
      statusOf([], {
        state: 'indexing',
        progress: { what: 'comparing', done: 300, total: 12_000 },
      }),
      'Documents: comparing by meaning 300 of 12,000 passages…',
    ],
  ])('tells what is %s', async (_what, status, title) => {
    const pane = await open({ status });
    await pane.waitFor(() => pane.list().navigationTitle === title);
    expect(pane.list().isLoading).toBe(true);
  });

  it('counts in a folder what the title counts, and in the end what is found', async () => {
    const link = file('Notes/l.md', { state: 'skipped', reason: 'It is a link.' });
    delete link.size;
    const torn = file('Notes/torn.md', { state: 'failed', reason: 'It is torn.' });
    const late = file('Notes/late.md', { state: 'pending' });
    const pane = await open({
      status: statusOf([torn, late, WUYI, BIG, link], {
        state: 'indexing',
        progress: { what: 'reading', done: 3, total: 4 },
      }),
    });
    await pane.waitFor(() => pane.list().navigationTitle === 'Documents: reading 3 of 4 files…');
    expect(facts(pane)[0]).toEqual(['Notes', '3 of 4 files']);
    stage({ status: statusOf([torn, file('Notes/late.md'), WUYI, BIG, link]) });
    await pane.waitFor(() => facts(pane)[0]?.[1] === '2 files');
  });

  it('says that files are looked for before they are counted', async () => {
    const pane = await open({ status: { ...EMPTY_STATUS, state: 'indexing' } });
    await pane.waitFor(() => pane.list().navigationTitle === 'Documents: looking for files…');
    expect(facts(pane)).toEqual([['Notes', undefined]]);
  });

  it('shows the folders at once, while nothing is known of the files', async () => {
    stage({});
    writeFileSync(inSupport('scene.json'), JSON.stringify({ folders: [NOTES] }));
    const pane = await panes.open('documents');
    expect(facts(pane)).toEqual([['Notes', undefined]]);
    expect(pane.list().isLoading).toBe(true);
  });

  it('says what is wrong with a folder, and with the index', async () => {
    const pane = await open({
      folders: [{ ...NOTES, problem: 'There is no folder /home/ada/Notes now.' }],
      status: statusOf([], { problem: 'The disk is full: 12 files wait for room.' }),
      gone: [NOTES.path],
    });
    expect(facts(pane)).toEqual([
      ['The disk is full: 12 files wait for room.', undefined],
      ['Notes', 'not there'],
    ]);
    expect(pane.list().items.map(({ icon }) => icon)).toEqual(['warning', 'warning']);
    await pane.select(1);
    await pane.action('Show Details');
    await pane.waitFor(() => beside(pane).includes('There is no folder /home/ada/Notes now.'));
    expect(beside(pane)).not.toContain('found');
    expectWhole(pane);
  });

  it('does not say of a folder that it is gone when something stands there', async () => {
    const problem = 'It is a link to another place now: remove it and choose it again.';
    const pane = await open({ folders: [{ ...NOTES, problem }] });
    expect(facts(pane)).toEqual([['Notes', 'cannot be used']]);
    expect(pane.list().items[0]?.accessories[0]?.tooltip).toBe(problem);
    await pane.action('Show Details');
    await pane.waitFor(() => beside(pane).includes(problem));
    expectWhole(pane);
  });

  it.each<[reason: string, words: string]>([
    ['It is an image.', 'an image'],
    ['It is empty.', 'empty'],
    ['It is a link, which Lam does not follow.', 'a link'],
    ['It is a link, a device or a pipe, not a file.', 'a link'],
    [
      'It is a PowerPoint presentation, which Lam does not read; save it as PDF or text.',
      'a PowerPoint presentation',
    ],
    ['It is larger than 64 MB, the most that Lam reads of a PDF file.', 'larger than 64 MB'],
    ['It is protected against copying (DRM).', 'protected against copying (DRM)'],
    ['It could not be read: its text is missing.', 'its text is missing'],
    ['It could not be read (EACCES).', 'could not be read (EACCES)'],
    [
      'It could not be read in time; check that its drive is connected.',
      'could not be read in time',
    ],
    ['It has no text.', 'has no text'],
    ['The PDF file is broken and could not be read.', 'broken'],
    [
      'The PDF file (3 pages) has no text layer that Lam can read: most likely it is scanned, pictures of pages.',
      'has no text layer',
    ],
    ['The index is full: choose fewer folders.', 'The index is full'],
    ['Its name is not written in UTF-8.', 'Its name is not written in UTF-8'],
    ['.', '.'],
    ['no sentence', 'no sentence'],
    [`It is ${'very '.repeat(40)}long.`, `${'very '.repeat(8).slice(0, 39)}…`],
  ])('says the reason %s in a few words, and all of it under the pointer', async (...row) => {
    const [reason, words] = row;
    const pane = await open({
      status: statusOf([file('Notes/a.txt', { state: 'failed', reason })]),
    });
    const [accessory] = pane.list().items[1]?.accessories ?? [];
    expect(accessory?.text).toBe(words);
    expect(accessory?.tooltip).toBe(reason);
    expectWhole(pane);
  });

  it('says of a file that only its beginning is read', async () => {
    const reason = 'Only its beginning is read: it is very long.';
    const pane = await open({
      status: statusOf([file('Notes/long.pdf', { pages: 1_200, reason })]),
    });
    expect(facts(pane)[1]).toEqual(['long.pdf', 'not all of it']);
    await pane.action('Show Details');
    await pane.select(1);
    await pane.waitFor(() => beside(pane).includes(reason));
    expect(beside(pane)).toContain('1,200 pages');
  });

  it('says that what was read of a missing folder is found and cannot be opened', async () => {
    const pane = await open({
      folders: [{ ...NOTES, problem: 'There is no folder /home/ada/Notes now.' }],
      status: statusOf([WUYI]),
      gone: [NOTES.path],
    });
    await pane.action('Show Details');
    await pane.waitFor(() =>
      beside(pane).includes(
        'What was read of it before is still found, but cannot be opened: 1 file.',
      ),
    );
    expect(beside(pane)).not.toContain('1 file can be found');
  });

  it('says what of a folder is not looked at, and what never is', async () => {
    const reason = 'Lam reads 50,000 files at most, and there are more; choose a smaller folder.';
    const pane = await open({
      folders: [NOTES, { ...NOTES, path: '/home/ada/More', name: 'More' }],
      status: statusOf([WUYI], { folders: [{ path: NOTES.path, reason }] }),
    });
    expect(facts(pane).slice(0, 2)).toEqual([
      ['Notes', 'not all of it · 1 file'],
      ['More', '0 files'],
    ]);
    await pane.action('Show Details');
    await pane.waitFor(() => beside(pane).includes(reason));
    expect(beside(pane)).toContain('1 file can be found.');
    expect(beside(pane)).toContain('Hidden files, and what a .gitignore leaves out, are not read.');
    await pane.select(1);
    await pane.waitFor(() => beside(pane).includes('Nothing in it can be read.'));
    expectWhole(pane);
  });

  it('lets nothing in a name act', async () => {
    const names = [
      'Notes/<img src=http://a.example/x>.md',
      'Notes/two\nlines\u202Efdp.md',
      'Notes/# *x* [l](y).md',
    ];
    const pane = await open({
      folders: [{ ...NOTES, name: '<b>Notes', path: '/home/<img src=http://b.example>' }],
      status: statusOf(
        names.map((name) =>
          file(name, { state: 'failed', reason: '<img src=http://c.example> `x`' }),
        ),
      ),
    });
    await pane.action('Show Details');
    for (const place of [0, 1, 2, 3]) await pane.select(place);
    await pane.waitFor(() => beside(pane).includes('# *x* [l](y).md'));
    expect(rows(pane)[2]).toBe('two linesfdp.md');
    expectWhole(pane);
  });

  it('finds folders and files by their names', async () => {
    const pane = await open(READ);
    await pane.type('papers PDF');
    await pane.waitFor(() => rows(pane).length === 2);
    expect(sections(pane)).toEqual(['Could Not Be Read (1)', 'Files (1)']);
    await pane.type('nothing like that');
    await pane.waitFor(() => pane.list().emptyView !== undefined);
    expect(pane.list().emptyView).toEqual({
      title: 'Nothing found',
      description:
        'No folder or file has “nothing like that” in its name. What is in them is found in Chat with Lam.',
    });
    expect(titles(pane)).toEqual(['Add Folder…', 'Look for Changes']);
  });

  const MANY = Array.from({ length: 130 }, (_, place) => file(`Notes/n${place + 100}.md`));

  it('draws a hundred files, and says how many more there are', async () => {
    const pane = await open({ status: statusOf(MANY) });
    expect(rows(pane)).toHaveLength(102);
    expect(rows(pane).at(-1)).toBe('30 more: type to find');
    expect(facts(pane)[0]).toEqual(['Notes', '130 files']);
    await pane.type('n229');
    await pane.waitFor(() => rows(pane).length === 1);
    expect(rows(pane)).toEqual(['n229.md']);
  });

  it('promises to find only what is listed', async () => {
    const status = statusOf(MANY);
    const scene: Scene = { status: { ...status, counts: { ...status.counts, indexed: 5_000 } } };
    const pane = await open(scene);
    expect(rows(pane)).toHaveLength(102);
    expect(rows(pane).at(-1)).toBe('4,900 more: typing finds 30 of them');
    expect(sections(pane)).toEqual(['Folders', 'Files (5,000)']);
    // All of them are in the only folder.
    expect(facts(pane)[0]).toEqual(['Notes', '5,000 files']);
    await pane.type('n229');
    await pane.waitFor(() => rows(pane).length === 2);
    expect(rows(pane)).toEqual(['n229.md', '4,870 more files; the chat finds what is in them']);
    await pane.type('n777');
    await pane.waitFor(() => pane.list().emptyView !== undefined);
    expect(pane.list().emptyView?.description).toBe(
      'No folder or file listed here has “n777” in its name; 4,870 more files are not listed. What is in them is found in Chat with Lam.',
    );
    expectWhole(pane);
  });

  it('does not guess which folder the files are in that are not listed', async () => {
    const some = statusOf(MANY.slice(0, 40));
    const pane = await open({
      folders: [NOTES, PAPERS],
      status: { ...some, counts: { ...some.counts, indexed: 5_000 } },
    });
    expect(facts(pane).slice(0, 2)).toEqual([
      ['Notes', undefined],
      ['Papers', 'from the preferences'],
    ]);
    expect(rows(pane).at(-1)).toBe('4,960 more that are not listed');
  });
});

describe('what can be done', () => {
  it('opens files and folders, and copies their paths', async () => {
    const pane = await open(READ);
    expect(titles(pane)).toEqual([
      'Open Folder',
      'Show Details',
      'Copy Path',
      'Remove Folder…',
      'Add Folder…',
      'Look for Changes',
    ]);
    await pane.enter();
    await pane.waitFor(() => pane.opened.length === 1);
    await pane.select(3);
    await pane.enter();
    await pane.waitFor(() => pane.opened.length === 2);
    expect(pane.opened).toEqual(['/home/ada/Notes', '/home/ada/Notes/tea/wuyi.md']);
    await pane.action('Copy Path');
    await pane.waitFor(() => pane.toast?.title === 'Path copied');
    expect(pane.clipboard?.text).toBe('/home/ada/Notes/tea/wuyi.md');
    expectWhole(pane);
  });

  it('opens nothing whose path the launcher cannot be handed', async () => {
    const pane = await open({ status: statusOf([file('Notes/a\nb.md')]) });
    await pane.select(1);
    await pane.waitFor(() => titles(pane).includes('Show Details'));
    expect(titles(pane)).not.toContain('Open File');
    expectWhole(pane);
  });

  it.each<[string, Scene['look'], string]>([
    [
      'nothing',
      { isDone: true, changes: { added: 0, changed: 0, gone: 0 } },
      'Nothing has changed',
    ],
    [
      'all kinds',
      { isDone: true, changes: { added: 1_200, changed: 1, gone: 3 } },
      '1,200 new, 1 changed, 3 gone',
    ],
    ['one kind', { isDone: true, changes: { added: 0, changed: 2, gone: 0 } }, '2 changed'],
    ['what nobody counted', { isDone: true }, 'Looked through'],
  ])('looks for changes and says how that ended: %s', async (_what, look, title) => {
    const pane = await open(READ);
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => pane.list().navigationTitle === 'Documents: looking for changes…');
    expect(pane.list().isLoading).toBe(true);
    await pane.shortcut('ctrl+r');
    stage({ ...READ, ...(look === undefined ? {} : { look }) });
    await pane.waitFor(() => pane.toast?.title === title);
    await pane.waitFor(() => !pane.list().isLoading);
    expect(pane.list().navigationTitle).toBe('Documents');
    expect(calls()).toEqual(['refresh']);
  });

  it('says nothing of an end when looking for changes fails, but why in the list', async () => {
    const pane = await open(READ);
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => calls().includes('refresh'));
    stage({ ...READ, look: { isDone: false }, status: statusOf([], { problem: 'It broke.' }) });
    await pane.waitFor(() => rows(pane)[0] === 'It broke.');
    await pane.waitFor(() => !pane.list().isLoading);
    expect(pane.toast).toBeNull();
  });

  it('opens nothing that is not there any more', async () => {
    const away = { ...NOTES, problem: 'There is no folder /home/ada/Notes now.' };
    const pane = await open({ folders: [away], status: statusOf([WUYI]), gone: [WUYI.path] });
    expect(titles(pane)).not.toContain('Open Folder');
    await pane.select(1);
    await pane.action('Open File');
    await pane.waitFor(() => pane.toast?.title === 'It is not there any more');
    expect(pane.opened).toEqual([]);
    expectWhole(pane);
  });

  it('leads to the preferences from a sentence about embeddings, and from no other', async () => {
    const embeddingProblem = 'No embeddings: documents are found by words only.';
    const pane = await open({
      status: statusOf([], { problem: 'The disk is full.', embeddingProblem }),
    });
    expect(rows(pane)).toEqual(['The disk is full.', embeddingProblem, 'Notes']);
    expect(titles(pane)).not.toContain('Preferences');
    await pane.select(1);
    await pane.waitFor(() => titles(pane).includes('Preferences'));
    await pane.action('Preferences');
    await pane.waitFor(() => pane.preferencesOpened === 1);
    expectWhole(pane);
  });

  it('removes a folder when that is confirmed', async () => {
    const pane = await open(READ);
    await pane.action('Remove Folder…');
    await pane.answerAlert(false);
    expect(calls()).toEqual([]);
    await pane.action('Remove Folder…');
    await pane.answerAlert(true);
    await pane.waitFor(() => calls().includes('remove /home/ada/Notes'));
    await pane.waitFor(() => pane.toast?.title === 'Folder removed');
    expect(pane.alerts[0]).toMatchObject({ title: 'Remove “Notes” from Lam?' });
    expect(pane.alerts[0]?.message).toContain('The files stay where they are');
  });

  it('says why a folder was not removed', async () => {
    const pane = await open({ ...READ, refusal: 'The list of folders could not be saved.' });
    await pane.action('Remove Folder…');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.toast?.title === 'Not removed');
    expect(pane.toast?.message).toBe('The list of folders could not be saved.');
  });

  it('leads to the preferences for the folder that is set there', async () => {
    const pane = await open(READ);
    await pane.select(1);
    await pane.waitFor(() => titles(pane).includes('Change Folder in Preferences'));
    expect(titles(pane)).not.toContain('Remove Folder…');
    await pane.action('Change Folder in Preferences');
    await pane.waitFor(() => pane.preferencesOpened === 1);
    expectWhole(pane);
  });

  it('ends with the view', async () => {
    const pane = await open(READ);
    await pane.unload();
    expect(calls()).toEqual(['stopped']);
  });
});

describe('adding a folder', () => {
  async function form(scene: Scene = {}): Promise<Pane> {
    const pane = await open({ folders: [], ...scene });
    await pane.enter();
    await pane.waitFor(() => pane.top().type === 'form');
    return pane;
  }

  it('says what it means, and takes a folder that was chosen', async () => {
    const pane = await form();
    expect(pane.form().descriptions[0]?.text).toContain('can read on in these files');
    expect(pane.form().fields.map(({ title }) => title)).toEqual(['Folder', 'Or Its Path']);
    expectWhole(pane);
    await pane.fill('folder', ['/home/ada/Notes']);
    stage({ folders: [NOTES], status: statusOf([WUYI]) });
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1);
    expect(rows(pane)[0]).toBe('Notes');
    await pane.waitFor(() => rows(pane).length === 2);
    expect(calls()).toEqual(['add /home/ada/Notes']);
    expect(pane.toast).toMatchObject({
      title: 'Folder added',
      message: 'Looking for documents in it; the list says what is found',
    });
  });

  it('takes a path that was typed, before the folder that was chosen', async () => {
    const pane = await form();
    await pane.fill('folder', ['/home/ada']);
    await pane.fill('path', ' ~/Notes ');
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1);
    expect(calls()).toEqual(['add ~/Notes']);
  });

  it('asks for one', async () => {
    const pane = await form();
    await pane.submit();
    await pane.waitFor(() => pane.form().fields[0]?.error !== undefined);
    expect(pane.form().fields[0]?.error).toBe('Choose a folder, or type its path below.');
    await pane.fill('path', '/home/ada/Notes');
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1);
  });

  it('says why a folder is not taken, and asks again', async () => {
    const pane = await form({ refusal: 'There is no folder /nowhere/<img src=x> now.' });
    await pane.fill('path', '/nowhere');
    await pane.submit();
    await pane.waitFor(() => pane.form().fields[1]?.error !== undefined);
    expect(pane.form().fields[0]?.error).toBeUndefined();
    expect(pane.form().fields[1]?.error).toBe('There is no folder /nowhere/‹img src=x› now.');
    expectWhole(pane);
    stage({ folders: [] });
    await pane.fill('path', '/home/ada/Notes');
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1);
    expect(calls()).toEqual(['add /nowhere', 'add /home/ada/Notes']);
  });
});

describe('the command', () => {
  const launch = (preferences: Record<string, unknown>): Promise<Pane> =>
    panes.open('command', { preferences });

  it('writes nothing before a folder is chosen', async () => {
    const pane = await launch({});
    await pane.settled();
    expect(pane.list().emptyView?.description).toContain('can read on in these files');
    await pane.unload();
    expect(readdirSync(panes.supportPath)).toEqual([]);
  });

  it('knows the folder of the preferences, and what is sent for an embedding model', async () => {
    const folder = inSupport('Notes');
    const pane = await launch({ documents: folder, embeddingModel: 'nomic-embed-text' });
    await pane.waitFor(() => facts(pane).some(([title]) => title === 'Notes'));
    expect(facts(pane).at(-1)).toEqual(['Notes', 'not there']);
    await pane.action('Add Folder…');
    await pane.waitFor(() => pane.top().type === 'form');
    expect(pane.form().descriptions[0]?.text).toContain('goes to your model server once');
    await pane.fill('path', inSupport('None'));
    await pane.submit();
    await pane.waitFor(() => pane.form().fields[1]?.error !== undefined);
    expect(pane.form().fields[1]?.error).toBe(`There is no folder ${panes.supportPath}/None now.`);
  });

  it('says what to do when the part that reads documents is missing', async () => {
    const folder = tempFolder();
    const pane = await launch({ documents: folder });
    await pane.waitFor(() => pane.list().items[0]?.icon === 'warning');
    expect(rows(pane)[0]).toContain('assets/documents.js');
  });
});
