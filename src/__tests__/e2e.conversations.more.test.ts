import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Conversation } from '../lib/types';
import { copyBundle } from './support/bundle-copy';
import { ask, drawn, questions, shown, untilTurn } from './support/chat-pane';
import {
  importFile,
  openList,
  rows,
  talk,
  titles,
  untilDepth,
  untilTitles,
  untilToast,
} from './support/conversation-list';
import { createGate } from './support/model-server';
import { expectSound } from './support/sound';
import { stages } from './support/stages';
import { filesIn, putConversation, storedConversations } from './support/store-files';
import { tempFolders } from './support/temp-folder';

// Cleaned up in reverse order: the stages must end before their folders go.
const tempFolder = tempFolders();
const stage = stages();

const DAY = 24 * 60 * 60_000;

/** One question with two versions of its answer and what followed the first; the second is shown. */
const forked = (id: string): Conversation => ({
  ...talk(
    id,
    'Drinks',
    { question: 'What is best?', response: 'Sencha.', parent: '' },
    { question: 'How long?', response: 'Steeped for ninety seconds.', parent: `${id}-0` },
    { question: 'What is best?', response: 'Cocoa.', parent: '' },
  ),
  head: `${id}-2`,
});

const byId = (supportPath: string): Conversation[] =>
  storedConversations(supportPath).sort((a, b) => (a.id < b.id ? -1 : 1));
/** Everything but the ids. */
const byTitle = (supportPath: string): Conversation[] =>
  storedConversations(supportPath)
    .map((conversation) => ({ ...conversation, id: '' }))
    .sort((a, b) => (a.title < b.title ? -1 : 1));

describe('an export', () => {
  it('of one conversation brings title, versions, times and pin to another machine', async () => {
    const here = await stage();
    const conversation: Conversation = {
      ...forked('a'),
      title: 'Drinks: tea/cocoa?',
      titledBy: 'person',
      pinned: true,
    };
    putConversation(here.supportPath, conversation, Date.now() - 3 * DAY);
    putConversation(here.supportPath, talk('b', 'Not this one'));
    const pane = await openList(here);
    await pane.select('a');
    expect(pane.actions().find(({ title }) => title === 'Export')?.shortcut).toBe('ctrl+s');
    await pane.action('Export/As JSON, to Import Again');
    await untilToast(pane, 'Exported');
    expect(here.downloads.names()).toEqual(['Drinks tea cocoa.json']);
    const path = here.downloads.path('Drinks tea cocoa.json');
    expect(pane.toast?.message).toBe(path);
    expect(readFileSync(path, 'utf8')).not.toContain('Not this one');

    const there = await stage();
    const other = await openList(there);
    await importFile(other, path);
    await untilDepth(other, 1);
    await untilTitles(other, ['Drinks: tea/cocoa?']);
    expect(other.toast).toMatchObject({ title: '1 conversation imported', style: 'success' });
    expect(rows(other)).toEqual([['Pinned', 'Drinks: tea/cocoa?']]);
    const [before] = byId(here.supportPath);
    expect(byId(there.supportPath)).toEqual([before]);
    await other.enter();
    await other.waitFor(() => other.depth === 2 && questions(other).length === 1, {
      label: 'the conversation',
    });
    expect(drawn(other).text).toContain('Cocoa.');
    await other.shortcut('ctrl+[');
    await other.waitFor(() => questions(other).length === 2, { label: 'the version before' });
    expect(questions(other)).toEqual(['How long?', 'What is best?']);
    expectSound(pane);
    expectSound(other);
  });

  it('of all, Delete All, and the import of it give everything back', async () => {
    const here = await stage();
    putConversation(here.supportPath, forked('a'), Date.now() - DAY);
    putConversation(here.supportPath, { ...talk('b', '旅行 ✈'), pinned: true }, Date.now() - DAY);
    putConversation(
      here.supportPath,
      talk('c', 'Cut off', { state: 'interrupted', response: 'Half' }),
    );
    const before = byTitle(here.supportPath);
    const pane = await openList(here, { alertAnswer: true });
    const listed = rows(pane);
    await pane.action('Export All as JSON');
    await untilToast(pane, 'Exported');
    const [name = ''] = here.downloads.names();
    expect(name).toMatch(/^Lam conversations \d{4}-\d\d-\d\d\.json$/u);
    await pane.shortcut('ctrl+shift+x');
    await untilToast(pane, '3 conversations deleted');
    await untilTitles(pane, []);
    expect(storedConversations(here.supportPath)).toEqual([]);

    await importFile(pane, here.downloads.path(name));
    await untilDepth(pane, 1);
    await pane.waitFor(() => titles(pane).length === 3, { label: 'the conversations' });
    expect(rows(pane)).toEqual(listed);
    // Their ids are kept for those in the trash, so that these can still be restored.
    expect(byTitle(here.supportPath)).toEqual(before);
    expectSound(pane);
  });

  it('is imported once, also while what it was made of is in the trash', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'Steeping'));
    const pane = await openList(here, { alertAnswer: true });
    await pane.action('Export All as JSON');
    await untilToast(pane, 'Exported');
    const path = here.downloads.path(here.downloads.names()[0] ?? '');
    await pane.shortcut('ctrl+x');
    await untilTitles(pane, []);
    await importFile(pane, path);
    await untilDepth(pane, 1);
    await untilTitles(pane, ['Steeping']);
    const files = filesIn(join(here.supportPath, 'conversations'));
    const toasts = pane.toasts.length;
    await importFile(pane, path);
    await pane.waitFor(() => pane.toasts.length > toasts, { label: 'what is said' });
    expect(filesIn(join(here.supportPath, 'conversations'))).toEqual(files);
    expectSound(pane);
  });
});

/** What the trash knows of a conversation. */
const factsPath = (supportPath: string, id: string): string =>
  join(supportPath, 'trash', id, 'trash.json');

/** Makes a deletion so many milliseconds old. */
function age(supportPath: string, id: string, ms: number): void {
  const path = factsPath(supportPath, id);
  const facts: unknown = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(Object.assign({}, facts, { deletedAt: Date.now() - ms })));
}

describe('the trash', () => {
  it('forgets what has been in it for 30 days, and keeps what has not', async () => {
    const here = await stage();
    for (const [id, title] of [
      ['a', 'Over a month ago'],
      ['b', 'Nearly a month ago'],
      ['c', 'Just now'],
    ] as const)
      putConversation(here.supportPath, talk(id, title));
    const pane = await openList(here, { alertAnswer: true });
    await pane.shortcut('ctrl+shift+x');
    await untilToast(pane, '3 conversations deleted');
    await pane.unload();
    const trash = join(here.supportPath, 'trash');
    age(here.supportPath, 'a', 30 * DAY + 1_000);
    age(here.supportPath, 'b', 30 * DAY - 60 * 60_000);

    const again = await openList(here);
    await again.action('Trash…');
    await untilDepth(again, 2);
    await untilTitles(again, ['Just now', 'Nearly a month ago']);
    expect(again.list().items.map(({ accessories }) => accessories.at(-1)?.text)).toEqual([
      '30 d left',
      'last day',
    ]);
    expect(existsSync(join(trash, 'a'))).toBe(false);
    expect(Object.values(filesIn(here.supportPath)).join('\n')).not.toContain('Over a month ago');
    await again.select('b');
    await again.enter();
    await untilTitles(again, ['Just now']);
    expect(byId(here.supportPath).map(({ title }) => title)).toEqual(['Nearly a month ago']);
    expectSound(again);
  });

  it.each(['conversations', 'chat'])(
    'is cleared of it by the next launch of %s, also when nobody looks into it',
    async (command) => {
      const here = await stage();
      putConversation(here.supportPath, talk('a', 'Over a month ago'));
      const pane = await openList(here);
      await pane.shortcut('ctrl+x');
      await untilTitles(pane, []);
      await pane.waitFor(() => existsSync(factsPath(here.supportPath, 'a')), { label: 'it there' });
      await pane.unload();
      age(here.supportPath, 'a', 31 * DAY);
      const next = await here.open({ command });
      await next.waitFor(() => !existsSync(join(here.supportPath, 'trash', 'a')), {
        label: 'the folder to go',
      });
      expectSound(next);
    },
  );
});

describe('Delete', () => {
  it('is refused for the conversation that is being answered, and Delete All leaves it out', async () => {
    const gate = createGate();
    const here = await stage({ steps: () => [{ text: ['Held', gate, ' and done.'] }] });
    putConversation(here.supportPath, talk('old', 'Steeping'), Date.now() - DAY);
    const pane = await here.open({ alertAnswer: true });
    await ask(pane, 'One?');
    await pane.waitFor(
      () => shown(pane).includes('Held') && storedConversations(here.supportPath).length === 2,
      { label: 'the first word, and the question on disk' },
    );
    await pane.shortcut('ctrl+shift+f');
    await pane.waitFor(() => pane.depth === 2 && titles(pane).length === 2, { label: 'the list' });
    await pane.select(titles(pane).indexOf('One?'));
    await pane.shortcut('ctrl+x');
    await untilToast(pane, 'Not deleted');
    expect(pane.toast).toMatchObject({
      style: 'failure',
      message: 'It is still being answered. Stop it first.',
    });
    await untilTitles(pane, ['One?', 'Steeping']);
    await pane.shortcut('ctrl+shift+x');
    await untilToast(pane, '1 conversation deleted');
    await untilTitles(pane, ['One?']);
    await pane.back();
    await untilDepth(pane, 1);
    gate.open();
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> One?\n\nHeld and done.');
    await pane.unload();
    expect(byId(here.supportPath)).toMatchObject([{ turns: [{ state: 'done' }] }]);
    expectSound(pane);
  });

  it('of all keeps every byte when the person thinks better of it', async () => {
    const here = await stage();
    for (const id of ['a', 'b']) putConversation(here.supportPath, talk(id, `Title ${id}`));
    const before = filesIn(join(here.supportPath, 'conversations'));
    const pane = await openList(here, { alertAnswer: false });
    await pane.shortcut('ctrl+shift+x');
    await pane.settled();
    expect(pane.alerts).toMatchObject([
      {
        title: 'Delete all conversations?',
        message: 'All 2 go to the trash and can be restored for 30 days.',
      },
    ]);
    expect(titles(pane).sort()).toEqual(['Title a', 'Title b']);
    expect(pane.toasts).toEqual([]);
    expect(filesIn(join(here.supportPath, 'conversations'))).toEqual(before);
    expect(existsSync(join(here.supportPath, 'trash', 'a'))).toBe(false);
    expectSound(pane);
  });
});

describe('the search', () => {
  it('finds what stands in another version, and opens the conversation', async () => {
    const here = await stage();
    putConversation(here.supportPath, forked('a'));
    putConversation(here.supportPath, talk('b', 'Bread', { question: 'Flour?', response: 'Rye.' }));
    const pane = await openList(here);
    await pane.type('ninety seconds');
    await untilTitles(pane, ['Drinks']);
    await pane.waitFor(() => drawn(pane).text.includes('Steeped for ninety seconds.'), {
      label: 'the exchange',
    });
    expect(drawn(pane).text).toContain('from another version:');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the conversation',
    });
    expect(drawn(pane).text).toContain('Cocoa.');
    await pane.shortcut('ctrl+[');
    await pane.waitFor(() => questions(pane)[0] === 'How long?', { label: 'the other version' });
    expect(drawn(pane).text).toContain('Steeped for ninety seconds.');
    expectSound(pane);
  });

  it('goes through titles when the search is missing, says so, and needs no new start', async () => {
    const bundle = copyBundle(tempFolder());
    bundle.remove('library.js');
    const here = await stage({ bundleDir: bundle.bundleDir });
    putConversation(here.supportPath, talk('a', 'Drinks in fog', { response: 'Sencha.' }));
    putConversation(here.supportPath, talk('b', 'Bread', { response: 'Sencha with it.' }));
    const pane = await openList(here);
    await pane.type('FOG drinks');
    await untilTitles(pane, ['Drinks in fog', 'Only titles searched']);
    await pane.select(1);
    expect(drawn(pane).text).toBe(
      'The search is missing (assets/library.js); reinstall Lam, or run npm run prepare.',
    );
    await pane.type('sencha');
    await untilTitles(pane, ['Only titles searched']);
    bundle.repair('library.js');
    await pane.type('sencha with');
    await untilTitles(pane, ['Bread']);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the conversation',
    });
    expectSound(pane);
  });
});

describe('by their keys', () => {
  it('rename, pin and duplicate stay for the next start', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 3 * DAY);
    putConversation(here.supportPath, talk('b', 'Second'), Date.now() - 2 * DAY);
    const pane = await openList(here);
    await pane.select('a');
    await pane.shortcut('ctrl+e');
    await untilDepth(pane, 2);
    expect(pane.form().fields).toMatchObject([{ id: 'title', value: 'First' }]);
    await pane.fill('title', 'Renamed');
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await untilTitles(pane, ['Second', 'Renamed']);
    await pane.select('a');
    await pane.shortcut('ctrl+shift+p');
    await untilTitles(pane, ['Renamed', 'Second']);
    await pane.select('b');
    await pane.shortcut('ctrl+d');
    await pane.waitFor(() => titles(pane).includes('Second (copy)'), { label: 'the copy' });
    const listed = rows(pane);
    expect(listed[0]).toEqual(['Pinned', 'Renamed']);
    await pane.unload();

    const again = await openList(here);
    expect(rows(again)).toEqual(listed);
    await again.select('a');
    await again.enter();
    await again.waitFor(() => again.depth === 2 && questions(again).length === 1, {
      label: 'the conversation',
    });
    expect(byId(here.supportPath).find(({ id }) => id === 'a')).toMatchObject({
      title: 'Renamed',
      titledBy: 'person',
      pinned: true,
    });
    expectSound(again);
  });

  it('delete one, begin one, and say where an export is', async () => {
    const here = await stage({ steps: () => [{ text: 'Here it is.' }] });
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 3 * DAY);
    putConversation(here.supportPath, talk('b', 'Second'), Date.now() - 2 * DAY);
    const pane = await openList(here);
    await pane.select('b');
    await pane.action('Export/As Markdown, to Read');
    await untilToast(pane, 'Exported');
    await pane.waitFor(
      () => pane.actions().some(({ title }) => title === 'Copy Path of Exported File'),
      { label: 'the action' },
    );
    await pane.shortcut('ctrl+shift+,');
    await untilToast(pane, 'File path copied');
    expect(pane.clipboard?.text).toBe(here.downloads.path('Second.md'));
    await pane.shortcut('ctrl+x');
    await untilTitles(pane, ['First']);
    await pane.shortcut('ctrl+n');
    await pane.waitFor(() => pane.depth === 2 && pane.list().emptyView?.title === 'Ask anything', {
      label: 'an empty chat',
    });
    await ask(pane, 'Third?');
    await untilTurn(pane, 'done');
    await pane.waitFor(
      () =>
        storedConversations(here.supportPath).some(
          ({ id, turns }) => id !== 'a' && turns[0]?.state === 'done',
        ),
      { label: 'the answer on disk' },
    );
    await pane.back();
    await untilDepth(pane, 1);
    await untilTitles(pane, ['Third?', 'First']);
    expectSound(pane);
  });
});
