import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Conversation } from '../lib/types';
import { makeConversation, makeTurn } from './support/builders';
import { checkShortcuts, openPane, type OpenPaneOptions, type Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { buildShelf } from './support/shelf/build';
import { CALLS_FILE, release, SCENARIO_FILE, type Scenario } from './support/shelf/scenario';

let bundleDir: string;
let supportPath: string;
const panes: Pane[] = [];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'lam-shelf-'));
  await buildShelf(bundleDir);
});
afterAll(() => {
  rmSync(bundleDir, { recursive: true, force: true });
});
beforeEach(() => {
  supportPath = mkdtempSync(join(tmpdir(), 'lam-support-'));
});
afterEach(async () => {
  await Promise.all(panes.splice(0).map((pane) => pane.kill()));
  rmSync(supportPath, { recursive: true, force: true });
});

/** Noon so many calendar days ago, in milliseconds since the epoch. */
function daysAgo(days: number): number {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day.setHours(12, 0, 0, 0);
}

const talk = (id: string, overrides: Partial<Conversation> = {}): Conversation =>
  makeConversation({
    id,
    title: `About ${id}`,
    updatedAt: Date.now() - 3_600_000,
    turns: [
      makeTurn({ id: `${id}-1`, question: `What is ${id}?`, response: `${id} is this [1].` }),
      makeTurn({ id: `${id}-2`, question: `And why ${id}?`, response: `Because of **${id}**.` }),
    ],
    ...overrides,
  });

/** Opens the list on these conversations, and waits until all of them are known. */
async function open(
  scenario: Partial<Scenario> & { conversations: Conversation[] },
  options: Partial<OpenPaneOptions> = {},
): Promise<Pane> {
  writeFileSync(join(supportPath, SCENARIO_FILE), JSON.stringify(scenario));
  const pane = await openPane({
    bundleDir,
    command: 'command',
    supportPath,
    unloadGraceMs: 200,
    ...options,
  });
  panes.push(pane);
  if (scenario.holdsList !== true)
    await pane.waitFor(() => !pane.list().isLoading, { label: 'the list' });
  return pane;
}

const titles = (pane: Pane) => pane.list().items.map(({ title }) => title);
const rows = (pane: Pane) => pane.list().items.map(({ section, title }) => [section, title]);
const shown = (pane: Pane) => drawPane(pane.list().selected?.detail ?? '').text;
const actions = (pane: Pane) => pane.actions().map(({ title }) => title);

/** What the shelf was asked to change, one line a call. */
function calls(name: string): string[] {
  const path = join(supportPath, CALLS_FILE);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.split(' ')[0] === name);
}

function expectSound(pane: Pane): void {
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('the list', () => {
  it('has pinned ones on top, the others by age, and the selected one beside it', async () => {
    const pane = await open({
      conversations: [
        talk('old', { updatedAt: daysAgo(90) }),
        talk('month', { updatedAt: daysAgo(20) }),
        talk('week', { updatedAt: daysAgo(4) }),
        talk('dear', { updatedAt: daysAgo(200), pinned: true }),
        talk('late', { updatedAt: daysAgo(1) }),
        talk('new', { updatedAt: Date.now() }),
      ],
    });
    expect(rows(pane)).toEqual([
      ['Pinned', 'About dear'],
      ['Today', 'About new'],
      ['Yesterday', 'About late'],
      ['Last 7 Days', 'About week'],
      ['Last 30 Days', 'About month'],
      ['Older', 'About old'],
    ]);
    await pane.waitFor(() => shown(pane) !== '');
    expect(shown(pane)).toMatch(
      /^About dear\n\n2 questions · [^\n]* 20\d\d\n.*And why dear\?.*Because of dear\.\n/s,
    );
    expect(pane.list().items.filter(({ detail }) => detail !== undefined)).toHaveLength(1);
    await pane.select('late');
    await pane.waitFor(() => shown(pane).includes('Because of late.'));
    expect(pane.list().items.filter(({ detail }) => detail !== undefined)).toHaveLength(1);
    expectSound(pane);
  });

  it('shows the newest ones before all have been listed, and keeps the selection then', async () => {
    const conversations = Array.from({ length: 130 }, (_, place) =>
      talk(`c${place}`, { updatedAt: Date.now() - place * 1000 }),
    );
    const pane = await open({
      conversations,
      recent: conversations.slice(0, 110).map(({ id }) => id),
      holdsList: true,
    });
    await pane.waitFor(() => titles(pane).length === 100);
    await pane.select('c7');
    await pane.waitFor(() => shown(pane).includes('c7'));
    expect(titles(pane)).not.toContain('30 more: type to find');
    release(supportPath);
    await pane.waitFor(() => titles(pane).at(-1) === '30 more: type to find');
    expect(titles(pane)).toHaveLength(101);
    expect(pane.list().selected?.id).toBe('c7');
    expect(shown(pane)).toContain('Because of c7.');
    await pane.select(100);
    expect(actions(pane)[0]).toBe('New Conversation');
    expectSound(pane);
  });

  it('carries full panels only where they are needed, and is read again when it is back', async () => {
    const pane = await open({ conversations: [talk('a'), talk('b'), talk('c')] });
    expect(JSON.stringify(pane.root()).match(/"Rename…"/g)).toHaveLength(1);
    await pane.select('b');
    expect(actions(pane)).toContain('Rename…');
    const before = calls('listConversations').length;
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    await pane.back();
    await pane.waitFor(() => calls('listConversations').length === before + 1);
    expect(pane.list().selected?.id).toBe('b');
  });

  it('reads no record of a row that was only passed by', async () => {
    const pane = await open({ conversations: ['a', 'b', 'c', 'd'].map((id) => talk(id)) });
    await Promise.all([1, 2, 3].map((place) => pane.select(place)));
    await pane.waitFor(() => shown(pane).includes('Because of'));
    expect(calls('readConversation').length).toBeLessThan(4);
  });

  it('is not empty while it is being read, and says so when it is', async () => {
    const pane = await open({ conversations: [], holdsList: true });
    expect(pane.list()).toMatchObject({ isLoading: true, isShowingDetail: false });
    release(supportPath);
    await pane.waitFor(() => !pane.list().isLoading);
    expect(pane.text()).toBe(
      [
        '= Conversations',
        '> (Search titles, questions and answers…)',
        'No conversations yet',
        'What you ask Lam is kept here, on this machine only.',
        '[↵ (plus) New Conversation] [2 more]',
      ].join('\n'),
    );
    expect(actions(pane)).toEqual(['New Conversation', 'Trash…', 'Import…']);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    expect(calls('newConversation')).toHaveLength(1);
  });

  it('shows what could not be read, and lets it be deleted if it is a conversation', async () => {
    const pane = await open({
      conversations: [talk('a')],
      problems: [
        {
          id: 'torn',
          kind: 'unreadable',
          problem: 'The conversation in conversations/torn.json cannot be opened: it is not JSON.',
          path: '/x/torn.json',
          reason: 'it is not JSON',
        },
        { id: 'x', kind: 'unreadable', problem: '“x y” is not a file of Lam.', path: '/x/x y' },
        { id: 'a', kind: 'damaged', problem: 'One answer could not be read.' },
      ],
    });
    expect(rows(pane).slice(1)).toEqual([
      ['Could Not Be Read', 'Damaged file: not JSON'],
      ['Could Not Be Read', 'Not a file of Lam'],
    ]);
    await pane.select(1);
    await pane.waitFor(() => shown(pane).includes('torn.json cannot be opened'));
    expect(actions(pane).slice(0, 2)).toEqual(['Copy File Path', 'Delete']);
    expect(pane.panel().split('\n').slice(0, 3)).toEqual([
      '  Copy File Path  return',
      '',
      '  Delete  ctrl+x',
    ]);
    await pane.enter();
    await pane.waitFor(() => pane.clipboard?.text === '/x/torn.json');
    await pane.shortcut('ctrl+x');
    await pane.waitFor(() => calls('deleteConversation').length === 1);
    expect(calls('deleteConversation')).toEqual(['deleteConversation torn']);
    await pane.select(2);
    expect(actions(pane).slice(0, 2)).toEqual(['Copy File Path', 'New Conversation']);
    expectSound(pane);
  });

  it('cannot be harmed by a title or an answer', async () => {
    const bad = '<img src="http://tracker.example/x.png">';
    const turn = makeTurn({ question: bad, response: `![x](http://tracker.example/y.png) ${bad}` });
    const pane = await open({ conversations: [talk('a', { title: bad, turns: [turn] })] });
    await pane.waitFor(() => shown(pane) !== '');
    await pane.action('Rename…');
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.form().fields[0]?.value).toBe(bad);
    expectSound(pane);
  });
});

describe('the search', () => {
  const conversations = [
    talk('tea', { updatedAt: daysAgo(3) }),
    talk('coffee', { pinned: true, updatedAt: daysAgo(2) }),
    talk('milk', { updatedAt: daysAgo(1) }),
  ];
  const hit = (id: string, turnId?: string) => ({
    id,
    score: 1,
    ...(turnId === undefined ? {} : { snippet: { turnId, part: 'answer' as const, text: '…' } }),
  });

  it('shows what was found, best first, at the place where it was found', async () => {
    const pane = await open({
      conversations,
      replies: {
        te: [{ ok: true, hits: [hit('milk'), hit('tea', 'tea-1'), hit('gone')], complete: true }],
      },
    });
    await pane.type('te');
    await pane.waitFor(() => rows(pane)[0]?.[0] === 'Found');
    expect(rows(pane)).toEqual([
      ['Found', 'About milk'],
      ['Found', 'About tea'],
    ]);
    await pane.select('tea');
    await pane.waitFor(() => shown(pane).includes('tea is this'));
    expect(shown(pane)).toContain('· question 1:');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    expect(calls('openConversation')).toEqual(['openConversation tea']);
    await pane.back();
    await pane.waitFor(() => pane.depth === 1);
    expect([pane.list().searchText, titles(pane)]).toEqual(['te', ['About milk', 'About tea']]);
    await pane.type('  ');
    await pane.waitFor(() => rows(pane)[0]?.[0] === 'Pinned');
    expectSound(pane);
  });

  it('says so when nothing was found', async () => {
    const pane = await open({ conversations });
    await pane.type('xyz');
    await pane.waitFor(() => pane.list().emptyView && !pane.list().isLoading);
    expect(pane.list().emptyView).toEqual({
      title: 'Nothing found',
      description: 'No title, question or answer has “xyz” in it.',
    });
    expect(pane.list().isShowingDetail).toBe(false);
    expectSound(pane);
  });

  it('does not say that nothing was found while it still searches', async () => {
    const pane = await open({
      conversations,
      replies: { x: [{ ok: true, hits: [], complete: false }] },
    });
    await pane.type('x');
    await pane.waitFor(() => pane.list().emptyView?.title === 'Searching…');
    expect(pane.list()).toMatchObject({ isLoading: true, items: [] });
  });

  it('goes on while the index is not complete', async () => {
    const pane = await open({
      conversations,
      replies: {
        m: [
          { ok: true, hits: [hit('milk')], complete: false },
          { ok: true, hits: [hit('milk'), hit('coffee')], complete: true },
        ],
      },
    });
    await pane.type('m');
    await pane.waitFor(() => titles(pane).length === 2);
    await pane.waitFor(() => !pane.list().isLoading);
    expect(titles(pane)).toEqual(['About milk', 'About coffee']);
    expect(calls('searchConversations')).toHaveLength(2);
  });

  it('looks at the titles when it fails, and says why', async () => {
    const pane = await open({
      conversations,
      replies: {
        tea: [{ ok: false, message: 'The conversations could not be searched: no file.' }],
      },
    });
    await pane.type('tea');
    await pane.waitFor(() => titles(pane).includes('Only titles searched'));
    expect(rows(pane)).toEqual([
      ['Found', 'About tea'],
      [undefined, 'Only titles searched'],
    ]);
    await pane.select(1);
    await pane.waitFor(() => shown(pane).includes('could not be searched: no file.'));
    expectSound(pane);
  });
});

describe('one conversation', () => {
  it('offers everything that can be done with it', async () => {
    const pane = await open({ conversations: [talk('a')] });
    expect(pane.panel()).toBe(
      [
        '  Open  return',
        '  Copy Conversation as Markdown  ctrl+return',
        '',
        '  Rename…  ctrl+e',
        '  Pin on Top  ctrl+shift+p',
        '  Duplicate  ctrl+d',
        '  Export ▸  ctrl+s',
        '    As Markdown, to Read',
        '    As JSON, to Import Again',
        '  Delete  ctrl+x',
        '',
        '  New Conversation  ctrl+n',
        '  Trash…',
        '  Import…',
        '  Export All as JSON',
        '  Delete All…  ctrl+shift+x',
      ].join('\n'),
    );
    expectSound(pane);
  });

  it('is copied', async () => {
    const pane = await open({ conversations: [talk('a')] });
    await pane.shortcut('ctrl+shift+c');
    await pane.waitFor(() => pane.clipboard);
    expect(pane.clipboard?.text).toMatch(/> What is a\?.*> And why a\?/s);
    expect(pane.toast).toMatchObject({ title: 'Conversation copied' });
  });

  it('is renamed', async () => {
    const pane = await open({ conversations: [talk('a')] });
    await pane.shortcut('ctrl+e');
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.text()).toBe(
      ['= Rename Conversation', 'Title: About a', '[↵ (pencil) Rename] [0 more]'].join('\n'),
    );
    await pane.fill('title', '  ');
    await pane.submit();
    await pane.waitFor(() => pane.form().fields[0]?.error === 'Type a title');
    await pane.fill('title', 'Better');
    await pane.waitFor(() => pane.form().fields[0]?.error === undefined);
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1 && titles(pane)[0] === 'Better');
    await pane.waitFor(() => shown(pane).startsWith('Better'));
    expect(calls('renameConversation')).toEqual(['renameConversation a Better']);
    expect(pane.toast).toMatchObject({ title: 'Conversation renamed' });
  });

  it('stays as it is called when that fails', async () => {
    const pane = await open({
      conversations: [talk('a')],
      failures: { renameConversation: 'It is being answered by another start of Lam.' },
    });
    await pane.shortcut('ctrl+e');
    await pane.waitFor(() => pane.depth === 2);
    await pane.fill('title', 'Better');
    await pane.submit();
    await pane.waitFor(() => pane.toast?.title === 'Not renamed');
    expect(pane.toast?.message).toBe('It is being answered by another start of Lam.');
    expect(pane.depth).toBe(2);
  });

  it('is pinned and unpinned', async () => {
    const pane = await open({ conversations: [talk('a'), talk('b', { updatedAt: daysAgo(9) })] });
    await pane.select('b');
    await pane.shortcut('ctrl+shift+p');
    await pane.waitFor(() => rows(pane)[0]?.[0] === 'Pinned');
    expect(titles(pane)).toEqual(['About b', 'About a']);
    await pane.select('b');
    expect(actions(pane)).toContain('Unpin');
    await pane.shortcut('ctrl+shift+p');
    await pane.waitFor(() => titles(pane)[0] === 'About a');
    expect(calls('pinConversation')).toEqual(['pinConversation b true', 'pinConversation b false']);
  });

  it('is duplicated', async () => {
    const pane = await open({ conversations: [talk('a')] });
    await pane.shortcut('ctrl+d');
    await pane.waitFor(() => titles(pane).length === 2);
    expect(titles(pane)).toContain('About a (copy)');
  });

  it.each([
    ['As Markdown, to Read', 'markdown'],
    ['As JSON, to Import Again', 'json'],
  ])('is exported: %s', async (title, format) => {
    const pane = await open({ conversations: [talk('a')] });
    expect(actions(pane)).not.toContain('Copy Path of Exported File');
    await pane.action(`Export/${title}`);
    const path = `/home/ada/Downloads/a.${format}`;
    await pane.waitFor(() => pane.toast?.title === 'Exported');
    expect(pane.toast?.message).toBe(path);
    await pane.shortcut('ctrl+shift+,');
    await pane.waitFor(() => pane.clipboard?.text === path);
    expectSound(pane);
  });

  it('is deleted at once, and said to be in the trash', async () => {
    const pane = await open({ conversations: [talk('a'), talk('b', { updatedAt: daysAgo(9) })] });
    await pane.shortcut('ctrl+x');
    await pane.waitFor(() => titles(pane).length === 1);
    expect(pane.toast).toEqual({
      title: 'Conversation deleted',
      message: 'In the trash for 30 days',
      style: 'success',
    });
    expect(pane.alerts).toEqual([]);
    await pane.waitFor(() => shown(pane).includes('Because of b.'));
  });

  it('is still there when it cannot be deleted', async () => {
    const pane = await open({
      conversations: [talk('a')],
      failures: { deleteConversation: 'It is still being answered. Stop it first.' },
    });
    await pane.shortcut('ctrl+x');
    await pane.waitFor(() => pane.toast?.title === 'Not deleted');
    expect(titles(pane)).toEqual(['About a']);
  });
});

describe('all conversations', () => {
  const conversations = [talk('a'), talk('b')];

  it('are deleted only after a yes', async () => {
    const pane = await open({ conversations });
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(false);
    expect(pane.alerts[0]).toMatchObject({
      title: 'Delete all conversations?',
      message: 'All 2 go to the trash and can be restored for 30 days.',
      primary: 'Delete All',
    });
    expect(calls('deleteAllConversations')).toEqual([]);
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.list().emptyView?.title === 'No conversations yet');
    expect(pane.toast).toMatchObject({
      title: '2 conversations deleted',
      message: 'In the trash for 30 days',
    });
  });

  it('stay where one could not be deleted', async () => {
    const pane = await open(
      { conversations, failures: { deleteAllConversations: 'It is still being answered.' } },
      { alertAnswer: true },
    );
    await pane.shortcut('ctrl+shift+x');
    await pane.waitFor(() => pane.toast?.title === '1 conversation deleted, not all');
    await pane.waitFor(() => titles(pane).length === 1);
  });

  it('are exported, or it is said why not', async () => {
    const pane = await open({ conversations });
    await pane.action('Export All as JSON');
    await pane.waitFor(() => pane.toast?.message === '/home/ada/Downloads/all.json');
    await pane.kill();
    const other = await open({
      conversations,
      failures: { exportAllConversations: 'The disk is full.' },
    });
    await other.action('Export All as JSON');
    await other.waitFor(() => other.toast?.title === 'Not exported');
    expect(other.toast?.message).toBe('The disk is full.');
  });

  it('are imported from a file', async () => {
    const pane = await open({ conversations, imports: { imported: 3, problems: [] } });
    await pane.action('Import…');
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.text()).toBe(
      [
        '= Import Conversations',
        'Takes conversations from a JSON file that Lam exported. What you have here stays as it is.',
        'File: (choose a file)',
        '[↵ (upload) Import] [0 more]',
      ].join('\n'),
    );
    await pane.submit();
    await pane.waitFor(() => pane.form().fields[0]?.error === 'Choose a file');
    await pane.fill('file', ['/home/ada/all.json']);
    await pane.waitFor(() => pane.form().fields[0]?.error === undefined);
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1);
    expect(calls('importConversations')).toEqual(['importConversations /home/ada/all.json']);
    expect(pane.toast).toMatchObject({ title: '3 conversations imported', style: 'success' });
  });

  it.each([
    [0, 'Nothing was imported'],
    [1, '1 conversation imported'],
  ])('are imported: %d, and the form says what was left out', async (imported, title) => {
    const problems = Array.from({ length: 10 }, (_, n) => `Conversation ${n} has <no> turns.`);
    const pane = await open({ conversations, imports: { imported, problems } });
    await pane.action('Import…');
    await pane.waitFor(() => pane.depth === 2);
    await pane.fill('file', ['/home/ada/all.json']);
    await pane.submit();
    await pane.waitFor(() => pane.toast?.title === title);
    const told = pane.form().descriptions.slice(1);
    expect(told[0]).toEqual({ title: 'Left Out', text: 'Conversation 0 has ‹no› turns.' });
    expect(told.map(({ text }) => text).at(-1)).toBe('and 2 more');
    expect(pane.depth).toBe(2);
  });
});

describe('the trash', () => {
  const day = 24 * 3_600_000;
  const gone = (id: string, left: number, reason?: string) => ({
    id,
    title: `About ${id}`,
    turns: 1,
    deletedAt: Date.now() - (30 - left) * day,
    removedAt: Date.now() + left * day - 3_600_000,
    ...(reason === undefined ? {} : { reason }),
  });
  async function openTrash(
    scenario: Partial<Scenario>,
    options: Partial<OpenPaneOptions> = {},
  ): Promise<Pane> {
    const pane = await open({ conversations: [talk('a')], ...scenario }, options);
    await pane.action('Trash…');
    await pane.waitFor(() => pane.depth === 2 && !pane.list().isLoading);
    return pane;
  }

  it('shows what can be brought back, and for how long', async () => {
    const pane = await openTrash({ trash: [gone('tea', 29), gone('milk', 1, 'it is not JSON')] });
    expect(pane.text()).toBe(
      [
        '= Trash',
        '> (Find a deleted conversation…)',
        '▸ [speech-bubble] About tea · 1 question · 29 d left',
        '  [warning] About milk · last day',
        '[↵ (undo) Restore] [2 more]',
      ].join('\n'),
    );
    await pane.type('MILK');
    await pane.waitFor(() => titles(pane).length === 1);
    await pane.type('beer');
    await pane.waitFor(() => pane.list().emptyView?.title === 'Nothing found');
    expectSound(pane);
  });

  it('gives one back; the list is read again', async () => {
    const pane = await openTrash({ trash: [gone('tea', 29), gone('milk', 3)] });
    await pane.enter();
    await pane.waitFor(() => titles(pane).length === 1);
    expect(calls('restoreConversation')).toEqual(['restoreConversation tea']);
    expect(pane.toast).toMatchObject({ title: 'Conversation restored' });
    await pane.back();
    await pane.waitFor(() => titles(pane)[0] === 'About a');
  });

  it.each([
    [
      'ctrl+x',
      'Delete this conversation for good?',
      '“About tea” cannot be brought back.',
      'purgeConversation tea',
      1,
    ],
    [
      'ctrl+shift+x',
      'Empty the trash?',
      '2 conversations cannot be brought back.',
      'emptyTrash',
      0,
    ],
  ])('%s removes for good, after a yes', async (keys, title, message, call, left) => {
    const pane = await openTrash({ trash: [gone('tea', 29), gone('milk', 3)] });
    const [name = ''] = call.split(' ');
    await pane.shortcut(keys);
    await pane.answerAlert(false);
    expect(pane.alerts[0]).toMatchObject({ title, message });
    expect(calls(name)).toEqual([]);
    await pane.shortcut(keys);
    await pane.answerAlert(true);
    await pane.waitFor(() => titles(pane).length === left);
    expect(calls(name)).toEqual([call]);
    if (left === 0)
      expect(pane.list().emptyView).toEqual({
        title: 'The trash is empty',
        description: 'Deleted conversations stay here for 30 days.',
      });
  });

  it('says why something stays, or why it cannot be read', async () => {
    const pane = await openTrash({
      trash: [gone('tea', 29)],
      failures: { restoreConversation: 'A conversation with this id is there again.' },
    });
    await pane.enter();
    await pane.waitFor(() => pane.toast?.title === 'Not restored');
    expect(titles(pane)).toEqual(['About tea']);
    await pane.kill();
    const other = await openTrash({
      failures: { listTrash: 'The trash cannot be listed: EACCES.' },
    });
    expect(other.list().emptyView).toEqual({
      title: 'The trash cannot be read',
      description: 'The trash cannot be listed: EACCES.',
    });
  });
});
