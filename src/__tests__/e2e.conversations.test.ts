import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { ask, drawn, firstAction, questions, shown, untilTurn } from './support/chat-pane';
import { openList, talk, titles, untilListed, untilTitles } from './support/conversation-list';
import { createGate } from './support/model-server';
import { expectSound } from './support/sound';
import { stages } from './support/stages';
import {
  putConversation,
  putRecord,
  storedConversation,
  storedConversations,
} from './support/store-files';

const stage = stages();

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

/** Noon so many calendar days ago, in milliseconds since the epoch. */
function daysAgo(days: number): number {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day.setHours(12, 0, 0, 0);
}

describe('the conversations', () => {
  it('say so when there are none, and begin one', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'The first answer.' }],
      preferences: { titles: 'never' },
    });
    const pane = await openList({ open });
    expect(pane.list().emptyView).toEqual({
      title: 'No conversations yet',
      description: 'What you ask Lam is kept here, on this machine only.',
    });
    expect(pane.actions().map(({ title }) => title)).toEqual([
      'New Conversation',
      'Trash…',
      'Import…',
    ]);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && pane.list().emptyView?.title === 'Ask anything', {
      label: 'the chat',
    });
    await ask(pane, 'A first question?');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> A first question?\n\nThe first answer.');
    await pane.waitFor(() => storedConversation(supportPath).turns[0]?.state === 'done', {
      label: 'the answer on disk',
    });
    await pane.back();
    // The rows of before stay until the store has been read again.
    await untilTitles(pane, ['A first question?']);
    expect(pane.list().items).toMatchObject([
      {
        title: 'A first question?',
        section: 'Today',
        icon: 'check-circle',
        accessories: [{ text: 'now' }],
      },
    ]);
    expectSound(pane);
  });

  it('are listed by age, newest first, with what stands in them; typing finds one', async () => {
    const { open, supportPath } = await stage();
    putConversation(supportPath, talk('a', 'Long ago'), daysAgo(40));
    putConversation(supportPath, talk('b', 'Days ago', {}, {}), daysAgo(4));
    putConversation(supportPath, talk('c', 'Yesterday', { state: 'failed' }), daysAgo(1));
    putConversation(supportPath, talk('d', 'Just now', { state: 'interrupted' }));
    putConversation(supportPath, talk('e', ' \n '), daysAgo(41));
    const pane = await openList({ open });
    const rows = pane.list().items.map(({ title, section, icon, accessories }) => {
      return [section, title, icon, accessories[0]?.text];
    });
    expect(rows).toEqual([
      ['Today', 'Just now', 'warning', 'now'],
      ['Yesterday', 'Yesterday', 'x-mark-circle', expect.stringMatching(/^\d+ [dh]$/)],
      ['Last 7 Days', 'Days ago', 'check-circle', expect.stringMatching(/^\d d$/)],
      ['Older', 'Long ago', 'check-circle', expect.stringMatching(/^[A-Z][a-z]+ \d+$/)],
      ['Older', '(no text)', 'check-circle', expect.stringMatching(/^[A-Z][a-z]+ \d+$/)],
    ]);
    await pane.type('ago');
    await pane.waitFor(() => pane.list().items[0]?.section === 'Found' && !pane.list().isLoading, {
      label: 'what was found',
    });
    expect(titles(pane).sort()).toEqual(['Days ago', 'Long ago']);
    await pane.type('days');
    await pane.waitFor(() => titles(pane).join() === 'Days ago', { label: 'the one' });
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 2, {
      label: 'the one that was found',
    });
    expectSound(pane);
  });

  it('are opened and gone on with; the sources come along', async () => {
    const { open, model, supportPath, site } = await stage({
      steps: () => [
        { calls: [{ name: 'web_fetch', arguments: { url: `http://127.0.0.1:1/nobody` } }] },
        { text: 'As said before [1].' },
      ],
    });
    putConversation(supportPath, talk('old', 'Steeping'), daysAgo(3));
    putConversation(supportPath, talk('other', 'Another one'), daysAgo(1));
    const other = readFileSync(join(supportPath, 'conversations/other.json'), 'utf8');
    const pane = await openList({ open });
    await pane.select('old');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the conversation',
    });
    expect(drawn(pane).links.map(({ text, href }) => [text, href])).toEqual([
      ['[1]', 'https://page-1.example/'],
      ['[1]', 'https://page-1.example/'],
    ]);
    await ask(pane, 'Are you sure?');
    await untilTurn(pane, 'done', 2);
    const told = Request.parse(model.requests[0]?.body).messages.map(({ content }) => content);
    expect(told).toContain('How long does green tea steep?');
    expect(told).toContain('Two minutes [1].');
    expect(told.at(-1)).toContain('https://page-1.example/');
    expect(drawn(pane).links.map(({ href }) => href)).toEqual([
      'https://page-1.example/',
      'https://page-1.example/',
    ]);
    await pane.waitFor(
      () => storedConversations(supportPath).find(({ id }) => id === 'old')?.turns[1]?.endedAt,
      { label: 'the follow-up on disk' },
    );
    await pane.back();
    // The list is there at once, and is read again then.
    await pane.waitFor(() => pane.list().items[0]?.section === 'Today', { label: 'the new age' });
    expect(pane.list().items.map(({ id, section }) => [id, section])).toEqual([
      ['old', 'Today'],
      ['other', 'Yesterday'],
    ]);
    expect(readFileSync(join(supportPath, 'conversations/other.json'), 'utf8')).toBe(other);
    expect(site.requests).toEqual([]);
    expectSound(pane);
  });

  it('are copied with links and list, the window staying open', async () => {
    const { open, supportPath } = await stage();
    putConversation(
      supportPath,
      talk('a', 'Steeping', {}, { question: 'Sure?', response: 'Yes.' }),
    );
    const pane = await openList({ open });
    await pane.shortcut('ctrl+shift+c');
    const toast = await pane.waitFor(() => pane.toasts.at(-1), { label: 'the toast of the copy' });
    const list = '_Sources_\n\n- [\\[1\\]](https://page-1.example/) Page 1';
    expect(pane.clipboard?.text).toBe(
      [
        '> How long does green tea steep?',
        'Two minutes [\\[1\\]](https://page-1.example/).',
        list,
        '---',
        '> Sure?',
        'Yes.',
        list,
      ].join('\n\n'),
    );
    expect(pane.windowOpen).toBe(true);
    expect(toast).toMatchObject({ title: 'Conversation copied', style: 'success' });
  });

  it('are deleted at once, and can be brought back', async () => {
    const { open, supportPath } = await stage();
    putConversation(supportPath, talk('a', 'Keep me'), daysAgo(1));
    const path = putConversation(supportPath, talk('b', 'Delete me'));
    const before = readFileSync(path, 'utf8');
    const pane = await openList({ open });
    await pane.action('Delete');
    await pane.waitFor(() => titles(pane).length === 1, { label: 'the row to go' });
    expect(titles(pane)).toEqual(['Keep me']);
    expect(pane.alerts).toEqual([]);
    await pane.waitFor(() => pane.toasts.at(-1)?.title === 'Conversation deleted', {
      label: 'the toast',
    });
    expect(pane.toasts.at(-1)?.message).toBe('In the trash for 30 days');
    expect(storedConversations(supportPath).map(({ id }) => id)).toEqual(['a']);
    await pane.unload();
    const chat = await open();
    await chat.waitFor(() => chat.list().emptyView?.title === 'Ask anything', {
      label: 'an empty chat',
    });
    await chat.unload();

    const again = await openList({ open });
    await again.action('Trash…');
    await again.waitFor(() => again.depth === 2 && titles(again)[0] === 'Delete me', {
      label: 'the trash',
    });
    expect(again.list().items[0]?.accessories).toEqual([
      { text: '1 question' },
      { text: '30 d left' },
    ]);
    await again.enter();
    await again.waitFor(() => again.list().emptyView?.title === 'The trash is empty', {
      label: 'the restored one to go',
    });
    await again.back();
    await again.waitFor(() => again.depth === 1 && titles(again).includes('Delete me'), {
      label: 'it in the list again',
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expectSound(pane);
    expectSound(again);
  });

  it('that cannot be read are rows of their own, and stay byte for byte', async () => {
    const { open, supportPath } = await stage();
    const broken = '{"version":1,"turns":[{"question":"half a';
    const path = putRecord(supportPath, 'broken.json', broken);
    putRecord(supportPath, 'newer.json', JSON.stringify({ version: 3, turns: [] }));
    putConversation(supportPath, talk('a', 'Whole'));
    const pane = await openList({ open });
    const unreadable = pane.list().items.filter(({ section }) => section === 'Could Not Be Read');
    expect(unreadable.map(({ title }) => title)).toEqual([
      'Damaged file: not JSON',
      'Made by a newer Lam',
    ]);
    for (const [row, problem] of [
      [
        0,
        'The conversation in conversations/broken.json cannot be opened: it is not JSON. The file was left as it is.',
      ],
      [
        1,
        'The conversation in conversations/newer.json cannot be opened: it was written by a newer version of Lam: update Lam to open it. The file was left as it is.',
      ],
    ] as const) {
      await pane.select(unreadable[row]?.id ?? '');
      expect(drawn(pane).text).toBe(problem);
    }
    await pane.select(unreadable[0]?.id ?? '');
    expect(
      pane
        .actions()
        .slice(0, 3)
        .map(({ title }) => title),
    ).toEqual(['Copy File Path', 'Delete', 'New Conversation']);
    await pane.enter();
    await pane.waitFor(() => pane.clipboard !== null, { label: 'the path' });
    expect(pane.clipboard?.text).toBe(path);
    await pane.select('a');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the whole one',
    });
    await pane.unload();
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expectSound(pane);
  });

  it('are one with the chat: each command goes on where the other was', async () => {
    const { open } = await stage({
      steps: () => [{ text: 'In the chat.' }, { text: 'From the list.' }, { text: 'Chat again.' }],
      preferences: { titles: 'never' },
    });
    const chat = await open();
    await ask(chat, 'One?');
    await untilTurn(chat, 'done');
    await chat.unload();
    const list = await openList({ open });
    expect(titles(list)).toEqual(['One?']);
    await list.enter();
    await list.waitFor(() => list.depth === 2 && questions(list).length === 1, {
      label: 'the conversation',
    });
    await ask(list, 'Two?');
    await untilTurn(list, 'done', 2);
    await list.unload();
    const again = await open();
    await untilTurn(again, 'done', 2);
    expect(shown(again)).toBe('> Two?\n\nFrom the list.');
    await ask(again, 'Three?');
    await untilTurn(again, 'done', 3);
    expect(questions(again)).toEqual(['Three?', 'Two?', 'One?']);
    expectSound(list);
    expectSound(again);
  });

  it('are not gone on with by the chat half an hour later, but an answer that was cut off is', async () => {
    const { open, supportPath } = await stage();
    const hour = 60 * 60_000;
    putConversation(supportPath, talk('a', 'An hour old'), Date.now() - hour);
    const first = await open();
    await first.waitFor(() => first.list().emptyView?.title === 'Ask anything', {
      label: 'an empty chat',
    });
    await first.unload();
    putConversation(
      supportPath,
      {
        ...talk('b', 'Cut off', { state: 'running', response: 'Half' }),
        owner: { launchId: 'gone', heartbeatAt: Date.now() - hour },
      },
      Date.now() - hour / 2 - 60_000,
    );
    const second = await open();
    await untilTurn(second, 'interrupted');
    expect(drawn(second).text).toContain('Half');
    expect(firstAction(second)).toBe('Continue');
  });

  it('that an earlier start is answering in open once it is done, or are deleted for both', async () => {
    const [one, two] = [createGate(), createGate()];
    const { open, supportPath } = await stage({
      steps: () => [{ text: ['Held', one, ' and done.'] }, { text: ['Again', two, ' never.'] }],
    });
    const chat = await open();
    await ask(chat, 'One?');
    await chat.waitFor(() => storedConversation(supportPath).owner !== undefined, {
      label: 'a save',
    });
    const list = await openList({ open }, { alertAnswer: true });
    await list.enter();
    await list.waitFor(() => list.list().navigationTitle === 'This answer is still being written', {
      label: 'the waiting',
    });
    one.open();
    await untilTurn(list, 'done');
    expect(shown(list)).toBe('> One?\n\nHeld and done.');
    await list.back();
    await untilListed(list);

    await ask(chat, 'Two?');
    await chat.waitFor(() => storedConversation(supportPath).owner !== undefined, {
      label: 'a save',
    });
    await list.action('Delete');
    await list.waitFor(() => list.list().emptyView?.title === 'No conversations yet', {
      label: 'the deletion',
    });
    await chat.waitFor(() => chat.list().items.length === 0 && !chat.list().isLoading, {
      label: 'a fresh chat',
    });
    expect(chat.list().searchText).toBe('Two?'); // the question is not lost with its conversation
    two.open();
    await chat.unload();
    await list.unload();
    expect(storedConversations(supportPath)).toEqual([]);
    expectSound(chat);
    expectSound(list);
  });
});

describe('the list behind the chat', () => {
  it('changes the conversation, but not while an answer is written', async () => {
    const gate = createGate();
    const { open, supportPath } = await stage({
      steps: () => [{ text: ['Held', gate, ' and done.'] }],
    });
    putConversation(supportPath, talk('old', 'Steeping'), daysAgo(3));
    const pane = await open();
    await ask(pane, 'One?');
    await pane.waitFor(() => shown(pane).includes('Held'), { label: 'the first word' });
    const show = async () => {
      await pane.action('Conversations…');
      await pane.waitFor(() => pane.depth === 2 && titles(pane).includes('Steeping'), {
        label: 'the list',
      });
      await pane.select('old');
    };
    await show();
    await pane.enter();
    await pane.waitFor(() => pane.toasts.at(-1)?.title === 'Still answering', {
      label: 'the toast',
    });
    expect(pane.depth).toBe(2);
    await pane.back();
    gate.open();
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['One?']);
    await show();
    await pane.enter();
    await pane.waitFor(
      () => pane.depth === 1 && questions(pane)[0] === 'How long does green tea steep?',
      { label: 'the other conversation' },
    );
    await pane.action('New Conversation');
    await pane.waitFor(() => pane.list().emptyView?.title === 'Ask anything', { label: 'none' });
    await pane.unload();
    expect(storedConversations(supportPath)).toHaveLength(2);
    expectSound(pane);
  });
});
