import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { drawn, questions } from './support/chat-pane';
import {
  importFile,
  openList,
  rows,
  talk,
  titles,
  untilDepth,
  untilToast,
} from './support/conversation-list';
import { expectSound } from './support/sound';
import { stages } from './support/stages';
import { filesIn, putConversation, putRecord, storedConversations } from './support/store-files';

const stage = stages();

describe('a conversation', () => {
  it('keeps a new title, its place, and who gave it', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 90_000_000);
    putConversation(here.supportPath, talk('b', 'Second'), Date.now() - 80_000_000);
    const pane = await openList(here);
    await pane.select('a');
    await pane.shortcut('ctrl+e');
    await untilDepth(pane, 2);
    await pane.fill('title', '  Another\tname  ');
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1 && titles(pane).includes('Another name'), {
      label: 'the new title',
    });
    expect(titles(pane)).toEqual(['Second', 'Another name']);
    await pane.unload();
    const stored = storedConversations(here.supportPath).find(({ id }) => id === 'a');
    expect(stored).toMatchObject({ title: 'Another name', titledBy: 'person' });
    expectSound(pane);
  });

  it('stays pinned on top for the next launches', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 90_000_000);
    putConversation(here.supportPath, talk('b', 'Second'));
    const pane = await openList(here);
    await pane.select('a');
    await pane.shortcut('ctrl+shift+p');
    await pane.waitFor(() => rows(pane)[0]?.join(' ') === 'Pinned First', { label: 'the pin' });
    await pane.unload();
    const again = await openList(here);
    expect(rows(again)).toEqual([
      ['Pinned', 'First'],
      ['Today', 'Second'],
    ]);
    await again.shortcut('ctrl+shift+p');
    await again.waitFor(() => rows(again)[0]?.[1] === 'Second', { label: 'no pin' });
    expectSound(again);
  });

  it('is duplicated into one that goes its own way', async () => {
    const here = await stage({ steps: () => [{ text: 'Only here.' }] });
    putConversation(here.supportPath, talk('a', 'First'));
    const pane = await openList(here);
    await pane.shortcut('ctrl+d');
    await pane.waitFor(() => titles(pane).includes('First (copy)'), { label: 'the copy' });
    await pane.select(titles(pane).indexOf('First (copy)'));
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the chat',
    });
    await pane.type('And more?');
    await pane.enter();
    await pane.waitFor(
      () => questions(pane).length === 2 && drawn(pane).text.includes('Only here.'),
      {
        label: 'the answer',
      },
    );
    await pane.unload();
    const stored = storedConversations(here.supportPath);
    expect(stored.map(({ turns }) => turns.length).sort()).toEqual([1, 2]);
  });

  it('is exported as Markdown to read, never over another file', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'Tea: a/b?'));
    const pane = await openList(here);
    await pane.action('Export/As Markdown, to Read');
    await untilToast(pane, 'Exported');
    await pane.action('Export/As Markdown, to Read');
    await pane.waitFor(() => here.downloads.names().length === 2, { label: 'the second file' });
    const [first = ''] = here.downloads.names();
    expect(here.downloads.names()).toEqual(['Tea a b (2).md', 'Tea a b.md']);
    expect(here.downloads.text(first)).toContain('> How long does green tea steep?');
    expect(here.downloads.text(first)).toContain('[\\[1\\]](https://page-1.example/)');
    await pane.shortcut('ctrl+shift+,');
    await pane.waitFor(() => pane.clipboard?.text?.endsWith('.md'), { label: 'the path' });
    expect(existsSync(pane.clipboard?.text ?? '')).toBe(true);
    expectSound(pane);
  });

  it('is found by what stands in it, with a slip, in any script', async () => {
    const here = await stage();
    putConversation(
      here.supportPath,
      talk(
        'a',
        'Drinks',
        { question: 'What is best?', response: 'Sencha, steeped for two minutes.' },
        { question: 'More?', response: 'No.' },
      ),
    );
    putConversation(
      here.supportPath,
      talk('b', '旅行', { question: '去哪里？', response: '我们去北京看长城。' }),
    );
    putConversation(here.supportPath, talk('c', 'Bread', { question: 'Flour?', response: 'Rye.' }));
    const pane = await openList(here);
    const found = async (query: string): Promise<string[]> => {
      await pane.type(query);
      await pane.waitFor(() => !pane.list().isLoading, { label: query });
      return titles(pane);
    };
    expect(await found('senc')).toEqual(['Drinks']);
    await pane.waitFor(() => drawn(pane).text.includes('Sencha, steeped'), { label: 'the place' });
    expect(drawn(pane).text).toContain('question 1:');
    expect(await found('stepeed minutes')).toEqual(['Drinks']);
    expect(await found('北京')).toEqual(['旅行']);
    expect(await found('zzzz')).toEqual([]);
    expect(pane.list().emptyView?.title).toBe('Nothing found');
    expect(await found('')).toHaveLength(3);
    expectSound(pane);
  });
});

describe('all conversations', () => {
  it('are exported, and imported elsewhere as they were', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First', {}, { question: 'Sure?' }));
    putConversation(here.supportPath, { ...talk('b', 'Second'), pinned: true });
    const pane = await openList(here);
    await pane.action('Export All as JSON');
    await untilToast(pane, 'Exported');
    const [name = ''] = here.downloads.names();

    const there = await stage();
    const other = await openList(there);
    await importFile(other, here.downloads.path(name));
    await other.waitFor(() => other.depth === 1 && titles(other).length === 2, {
      label: 'the conversations',
    });
    expect(other.toasts.at(-1)).toMatchObject({ title: '2 conversations imported' });
    const text = (support: string) =>
      storedConversations(support)
        .map(({ title, turns }) => ({
          title,
          turns: turns.map(({ question, response }) => [question, response]),
        }))
        .sort((x, y) => x.title.localeCompare(y.title));
    expect(text(there.supportPath)).toEqual(text(here.supportPath));

    const before = filesIn(join(there.supportPath, 'conversations'));
    const foreign = here.downloads.path('shopping.txt');
    writeFileSync(foreign, 'Tea, bread\n');
    await importFile(other, foreign);
    await untilToast(other, 'Nothing was imported');
    await other.waitFor(() => other.form().descriptions[1]?.title === 'Left Out', {
      label: 'why',
    });
    expect(filesIn(join(there.supportPath, 'conversations'))).toEqual(before);
    expectSound(pane);
    expectSound(other);
  });

  it('go to the trash after a yes, and the trash is emptied after another', async () => {
    const here = await stage();
    for (const id of ['a', 'b', 'c']) putConversation(here.supportPath, talk(id, `Secret ${id}`));
    const pane = await openList(here);
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(false);
    expect(pane.alerts[0]?.message).toBe('All 3 go to the trash and can be restored for 30 days.');
    expect(titles(pane)).toHaveLength(3);
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.list().emptyView?.title === 'No conversations yet', {
      label: 'the deletion',
    });
    expect(storedConversations(here.supportPath)).toEqual([]);
    await pane.action('Trash…');
    await pane.waitFor(() => pane.depth === 2 && titles(pane).length === 3, { label: 'the trash' });
    await pane.shortcut('ctrl+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => titles(pane).length === 2, { label: 'one less' });
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.list().emptyView?.title === 'The trash is empty', {
      label: 'an empty trash',
    });
    expectSound(pane);
    await pane.unload();
    expect(Object.values(filesIn(here.supportPath)).join('\n')).not.toContain('Secret');
  });

  it('come back byte for byte, also those that cannot be read', async () => {
    const here = await stage();
    const broken = '{"version":1,"turns":[{"question":"half a';
    const path = putRecord(here.supportPath, 'broken.json', broken);
    const pane = await openList(here);
    await pane.waitFor(() => rows(pane)[0]?.[0] === 'Could Not Be Read', { label: 'the row' });
    await pane.action('Delete');
    await pane.waitFor(() => titles(pane).length === 0, { label: 'the row to go' });
    expect(existsSync(path)).toBe(false);
    await pane.action('Trash…');
    await pane.waitFor(() => pane.depth === 2 && titles(pane).length === 1, { label: 'the trash' });
    expect(pane.list().items[0]?.icon).toBe('warning');
    await pane.enter();
    await pane.waitFor(() => titles(pane).length === 0, { label: 'it to go' });
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expectSound(pane);
  });

  it('are a hundred rows at most, and typing finds the others', async () => {
    const here = await stage();
    for (let n = 0; n < 120; n++)
      putConversation(
        here.supportPath,
        talk(`c${n}`, `Number ${n}`),
        Date.now() - 60_000 * (n + 1),
      );
    const pane = await openList(here);
    expect(titles(pane)).toHaveLength(101);
    expect(titles(pane).at(-1)).toBe('20 more: type to find');
    expect(titles(pane)[0]).toBe('Number 0');
    await pane.type('number 119');
    await pane.waitFor(() => titles(pane)[0] === 'Number 119', { label: 'the last one' });
    expect(pane.list().items.filter(({ detail }) => detail !== undefined).length).toBeLessThan(2);
    expectSound(pane);
  });
});
