import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { ask, askAll, drawn, firstAction, questions, untilTurn } from './support/chat-pane';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import { storedConversation, storedConversations } from './support/store-files';

const stage = stages();

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});
type Asked = { requests: readonly { body: unknown }[] };

/** What the model reads with its nth request, without the system prompt: each message as `role: text`. */
const readBy = (model: Asked, place: number): string[] =>
  Request.parse(model.requests.at(place)?.body)
    .messages.filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${content}`);

/** The words beside each row. */
const beside = (pane: Pane): string[][] =>
  pane.list().items.map(({ accessories }) => accessories.map(({ text }) => text ?? ''));

const untilShown = (pane: Pane, text: string): Promise<unknown> =>
  pane.waitFor(() => drawn(pane).text.includes(text), { label: JSON.stringify(text) });
const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });
/** So many exchanges on disk, all answered. */
const untilStored = (pane: Pane, supportPath: string, count: number): Promise<unknown> =>
  pane.waitFor(
    () => {
      const { turns } = storedConversation(supportPath);
      return turns.length === count && turns.every(({ state }) => state === 'done');
    },
    { label: `${count} answered exchanges on disk` },
  );

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('versions', () => {
  it('are there again after a restart, with the one that was shown', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    for (const answer of ['Two.', 'Three.']) {
      await pane.shortcut('ctrl+r');
      await untilShown(pane, answer);
      await untilTurn(pane, 'done');
    }
    await untilStored(pane, supportPath, 3);
    await pane.unload();

    const second = await open();
    await untilShown(second, 'Three.');
    expect(beside(second)).toEqual([['3/3', 'now']]);
    expect(second.actions().map(({ title }) => title)).not.toContain('Show Later Version');
    await second.shortcut('ctrl+[');
    await untilShown(second, 'Two.');
    expect(beside(second)).toEqual([['2/3', 'now']]);
    await second.shortcut('ctrl+[');
    await untilShown(second, 'One.');
    expect(beside(second)).toEqual([['1/3', 'now']]);
    expect(second.actions().map(({ title }) => title)).not.toContain('Show Earlier Version');
    await second.shortcut('ctrl+]');
    await untilShown(second, 'Two.');
    expectSound(second);
    await second.unload();

    const third = await open();
    await untilShown(third, 'Two.');
    expect(beside(third)).toEqual([['2/3', 'now']]);
    expect(third.list().items[0]?.accessories[0]?.tooltip).toBe('Version 2 of 3');
    await third.shortcut('ctrl+]');
    await untilShown(third, 'Three.');
    expect(storedConversation(supportPath).turns.map(({ response }) => response)).toEqual([
      'One.',
      'Two.',
      'Three.',
    ]);
    expectSound(third);
  });

  it('of an earlier exchange take what followed with them, and the model reads only what is shown', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => ['One.', 'Two.', 'Other one.', 'Three.', 'Four.'].map((text) => ({ text })),
    });
    const pane = await open();
    await askAll(pane, ['First?', 'Second?']);
    await pane.select(1);
    await pane.shortcut('ctrl+r');
    await untilShown(pane, 'Other one.');
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['First?']);
    expect(beside(pane)).toEqual([['2/2', 'now']]);
    expect(readBy(model, 2)).toEqual(['user: First?']);
    await untilStored(pane, supportPath, 3);
    expect(storedConversation(supportPath).turns.map(({ response }) => response)).toEqual([
      'One.',
      'Two.',
      'Other one.',
    ]);

    await ask(pane, 'Third?');
    await untilTurn(pane, 'done', 2);
    expect(questions(pane)).toEqual(['Third?', 'First?']);
    expect(readBy(model, 3)).toEqual(['user: First?', 'assistant: Other one.', 'user: Third?']);

    await pane.select(1);
    await pane.shortcut('ctrl+[');
    await pane.waitFor(() => questions(pane)[0] === 'Second?', { label: 'the earlier version' });
    expect(questions(pane)).toEqual(['Second?', 'First?']);
    expect(beside(pane)).toEqual([['now'], ['1/2', 'now']]);
    await ask(pane, 'Fourth?');
    await untilTurn(pane, 'done', 3);
    expect(readBy(model, 4)).toEqual([
      'user: First?',
      'assistant: One.',
      'user: Second?',
      'assistant: Two.',
      'user: Fourth?',
    ]);
    await untilStored(pane, supportPath, 5);
    await pane.select(2);
    await pane.shortcut('ctrl+]');
    await pane.waitFor(() => questions(pane)[0] === 'Third?', { label: 'the later version' });
    expect(questions(pane)).toEqual(['Third?', 'First?']);
    model.assertComplete();
    expectSound(pane);
  });

  it('are not paged and not begun while an answer is being written', async () => {
    const { open, model } = await stage({
      steps: () => [
        { text: 'One.' },
        { text: 'Two.' },
        { raw: { body: '', hang: 'before-headers' } },
      ],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+r');
    await untilShown(pane, 'Two.');
    await untilTurn(pane, 'done');
    await ask(pane, 'And?');
    await untilTurn(pane, 'running', 2);
    await pane.select(1);
    await untilShown(pane, 'Two.');
    const offered = pane.actions().map(({ title }) => title);
    for (const title of [
      'Regenerate',
      'Try Again',
      'Edit Question…',
      'Show Earlier Version',
      'Delete Exchange…',
    ])
      expect(offered).not.toContain(title);
    expectSound(pane);
    await pane.action('Stop');
    await untilTurn(pane, 'stopped', 2);
    expect(questions(pane)).toEqual(['And?', 'Why?']);
    expect(model.requests).toHaveLength(3);
    expectSound(pane);
  });
});

describe('Delete Exchange', () => {
  it('of the only one puts the conversation into the trash, from where it opens again', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath, 1);
    const before = storedConversation(supportPath);
    const deleting = pane.shortcut('ctrl+x');
    await pane.answerAlert(true);
    await deleting;
    await pane.waitFor(() => questions(pane).length === 0, { label: 'an empty chat' });
    expect(pane.alerts).toMatchObject([
      {
        title: 'Delete this conversation?',
        message: '“Why?” is its only exchange. It stays in the trash for 30 days.',
      },
    ]);
    expect(pane.toast?.title).toBe('Conversation deleted');
    expect(firstAction(pane)).toBe('Ask');
    expect(storedConversations(supportPath)).toEqual([]);
    expect(readdirSync(join(supportPath, 'trash'))).not.toEqual([]);
    expectSound(pane);

    await pane.shortcut('ctrl+shift+f');
    await untilDepth(pane, 2);
    await pane.waitFor(() => pane.list().emptyView?.title === 'No conversations yet', {
      label: 'no conversations',
    });
    await pane.action('Trash…');
    await untilDepth(pane, 3);
    await pane.waitFor(() => pane.list().items.length === 1, { label: 'the trash' });
    expect(pane.list().items[0]?.title).toBe('Why?');
    await pane.action('Restore');
    await pane.waitFor(() => pane.list().emptyView?.title === 'The trash is empty', {
      label: 'an empty trash',
    });
    await pane.back();
    await untilDepth(pane, 2);
    await pane.waitFor(() => pane.list().items[0]?.title === 'Why?', { label: 'the row' });
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.waitFor(() => questions(pane)[0] === 'Why?', { label: 'the conversation' });
    expect(drawn(pane).text).toContain('One.');
    expect(storedConversation(supportPath)).toEqual(before);
    await ask(pane, 'And?');
    await untilTurn(pane, 'done', 2);
    expect(readBy(model, 1)).toEqual(['user: Why?', 'assistant: One.', 'user: And?']);
    await untilStored(pane, supportPath, 2);
    expectSound(pane);
  });

  it('of one version leaves the other, and the conversation where it is', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open({ alertAnswer: true });
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+r');
    await untilShown(pane, 'Two.');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+x');
    await untilShown(pane, 'One.');
    expect(pane.alerts).toMatchObject([{ title: 'Delete this version?' }]);
    expect(beside(pane)).toEqual([['now']]);
    await untilStored(pane, supportPath, 1);
    expect(storedConversation(supportPath).turns.map(({ response }) => response)).toEqual(['One.']);
    expect(existsSync(join(supportPath, 'trash'))).toBe(false);
    expectSound(pane);
  });

  it('of one in the middle: the model no longer reads it', async () => {
    const { open, model } = await stage({
      steps: () => ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text })),
    });
    const pane = await open({ alertAnswer: true });
    await askAll(pane, ['First?', 'Second?', 'Third?']);
    await pane.select(1);
    await pane.shortcut('ctrl+x');
    await pane.waitFor(() => questions(pane).length === 2, { label: 'one less' });
    expect(questions(pane)).toEqual(['Third?', 'First?']);
    await ask(pane, 'Fourth?');
    await untilTurn(pane, 'done', 3);
    expect(readBy(model, 3)).toEqual([
      'user: First?',
      'assistant: One.',
      'user: Third?',
      'assistant: Three.',
      'user: Fourth?',
    ]);
    expectSound(pane);
  });
});

describe('Quote in New Question', () => {
  it('asks the model with the quote as Markdown, and shows both', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'Tea **likes** fog.\n\nAlways.' }, { text: 'So it is.' }],
    });
    const pane = await open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath, 1);
    await pane.shortcut('ctrl+shift+q');
    await untilDepth(pane, 2);
    const quoted = '> Tea **likes** fog.\n>\n> Always.\n\n';
    expect(pane.form().fields[0]).toMatchObject({ id: 'question', value: quoted });
    await pane.fill('question', `${quoted}Is that true?`);
    expectSound(pane);
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await untilTurn(pane, 'done', 2);
    expect(readBy(model, 1)).toEqual([
      'user: Where?',
      'assistant: Tea **likes** fog.\n\nAlways.',
      `user: ${quoted}Is that true?`,
    ]);
    // Beside the answer stands what is asked; the whole question at full width.
    expect(questions(pane)).toEqual(['Is that true?', 'Where?']);
    expect(drawn(pane).text).toBe('Is that true?\n\nSo it is.');
    await pane.action('Open Answer');
    await untilDepth(pane, 2);
    expect(pane.detail().markdown).toContain('Tea \\*\\*likes\\*\\* fog');
    await pane.back();
    await untilDepth(pane, 1);
    await untilStored(pane, supportPath, 2);
    expect(storedConversation(supportPath).turns[1]?.question).toBe(`${quoted}Is that true?`);
    // The form is empty for the next question.
    await pane.shortcut('ctrl+shift+e');
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ id: 'question', value: '' });
    expectSound(pane);
  });

  it('comes behind what was begun in the form', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Tea likes fog.' }] });
    const pane = await open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+shift+e');
    await untilDepth(pane, 2);
    await pane.fill('question', 'One\nTwo');
    await pane.back();
    await untilDepth(pane, 1);
    await pane.shortcut('ctrl+shift+q');
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ value: 'One\nTwo\n\n> Tea likes fog.\n\n' });
    expectSound(pane);
  });
});
