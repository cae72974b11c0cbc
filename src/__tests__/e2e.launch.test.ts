import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { makeConversation, makeTurn } from './support/builders';
import { ask, drawn, firstAction, questions, shown, untilTurn } from './support/chat-pane';
import { createGate } from './support/model-server';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import {
  filesIn,
  putConversation,
  storedConversation,
  storedConversations,
} from './support/store-files';

const stage = stages();

const recent = (id = 'recent') =>
  makeConversation({ id, title: 'Earlier', turns: [makeTurn({ question: 'Earlier?' })] });

const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });
const untilOpen = (pane: Pane): Promise<unknown> =>
  pane.waitFor(() => !pane.list().isLoading, { label: 'the chat' });
const untilText = (pane: Pane, text: string): Promise<unknown> =>
  pane.waitFor(() => pane.list().searchText === text, { label: `the text ${text}` });
const formText = (pane: Pane): unknown =>
  pane.form().fields.find(({ id }) => id === 'question')?.value;

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('a question as the argument', () => {
  it('is asked at once, in a conversation of its own', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    const path = putConversation(supportPath, recent());
    const before = readFileSync(path, 'utf8');
    const pane = await open({ arguments: { question: '  What is tea?  ' } });
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['What is tea?']);
    expect(shown(pane)).toBe('> What is tea?\n\nHere it is.');
    expect(pane.list().searchText).toBe('');
    expect(JSON.stringify(model.requests[0]?.body)).not.toContain('Earlier?');
    expect(readFileSync(path, 'utf8')).toBe(before);
    await pane.waitFor(() => storedConversations(supportPath).length === 2, { label: 'the disk' });
    expectSound(pane);
  });

  it.each(['', ' \n '])('that is empty (%j) is none', async (question) => {
    const { open, model, supportPath } = await stage();
    putConversation(supportPath, recent());
    const pane = await open({ arguments: { question } });
    await pane.waitFor(() => questions(pane).length === 1, { label: 'the last conversation' });
    expect(questions(pane)).toEqual(['Earlier?']);
    expect(pane.list().searchText).toBe('');
    expect(model.requests).toEqual([]);
    expectSound(pane);
  });

  it('leaves what was typed before where it was', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    const first = await open();
    await first.type('half a thou');
    await first.unload();
    const pane = await open({ arguments: { question: 'What is tea?' } });
    await untilTurn(pane, 'done');
    await pane.unload();
    const next = await open();
    await untilText(next, 'half a thou');
    await untilTurn(next, 'done');
    expect(questions(next)).toEqual(['What is tea?']);
    expectSound(next);
  });

  it('is not lost when no model server answers: it can be asked again', async () => {
    const { open, model, supportPath } = await stage();
    const pane = await open({
      arguments: { question: 'What is tea?' },
      preferences: { address: 'http://127.0.0.1:9/v1' },
    });
    await untilTurn(pane, 'failed');
    expect(questions(pane)).toEqual(['What is tea?']);
    expect(pane.actions().map(({ title }) => title)).toContain('Try Again');
    await pane.unload();
    expect(storedConversation(supportPath).turns[0]).toMatchObject({
      question: 'What is tea?',
      state: 'failed',
    });
    model.push({ text: 'Here it is.' });
    const next = await open();
    await untilTurn(next, 'failed');
    await next.action('Try Again');
    await untilTurn(next, 'done');
    expect(shown(next)).toBe('> What is tea?\n\nHere it is.');
    expectSound(next);
  });
});

describe('a fallback text', () => {
  it('stands in the search bar of a new conversation, and waits there', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    putConversation(supportPath, recent());
    const pane = await open({ fallbackText: 'tea in fog' });
    await untilText(pane, 'tea in fog');
    await pane.settled();
    expect(questions(pane)).toEqual([]);
    expect(firstAction(pane)).toBe('Ask');
    expect(model.requests).toEqual([]);
    await pane.enter();
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['tea in fog']);
    expect(pane.list().searchText).toBe('');
    expectSound(pane);
  });

  it('that comes as if it had been typed, and not with the launch, waits as well', async () => {
    const { open, model } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    const pane = await open();
    await pane.type('tea in fog');
    await pane.settled();
    expect(pane.list().searchText).toBe('tea in fog');
    expect(model.requests).toEqual([]);
    await pane.enter();
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['tea in fog']);
    expectSound(pane);
  });

  it('that was asked before the launcher typed it does not come back into the bar', async () => {
    const { open, model } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    const pane = await open({ fallbackText: 'tea in fog' });
    await untilText(pane, 'tea in fog');
    await untilOpen(pane);
    await pane.enter();
    await untilTurn(pane, 'done');
    await echoed(pane);
    await untilText(pane, '');
    expect(firstAction(pane)).toBe('Open Answer');
    expect(model.requests).toHaveLength(1);
    expectSound(pane);
  });

  it('stands in for what was typed before, which is there again at the next launch', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    const first = await open();
    await first.type('half a thou');
    await first.unload();
    const pane = await open({ fallbackText: 'tea in fog' });
    await untilText(pane, 'tea in fog');
    await pane.enter();
    await untilTurn(pane, 'done');
    await pane.unload();
    const next = await open();
    await untilText(next, 'half a thou');
    expectSound(next);
  });
});

describe('the selected text', () => {
  const preferences = { quoteSelection: true };

  it('comes behind what is still in the form', async () => {
    const { open, model } = await stage({ preferences, steps: () => [{ text: 'Because.' }] });
    const first = await open();
    await first.shortcut('ctrl+shift+e');
    await untilDepth(first, 2);
    await first.fill('question', 'One\nTwo');
    await first.unload();
    const pane = await open({ textToSelect: 'Tea likes fog.\nAlways.' });
    await untilDepth(pane, 2);
    expect(formText(pane)).toBe('One\nTwo\n\n> Tea likes fog.\n> Always.\n\n');
    await pane.fill('question', `${String(formText(pane))}Why?`);
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await untilTurn(pane, 'done');
    expect(JSON.stringify(model.requests[0]?.body)).toContain(
      JSON.stringify('One\nTwo\n\n> Tea likes fog.\n> Always.\n\nWhy?').slice(1, -1),
    );
    expectSound(pane);
  });

  it('is not quoted twice when Lam is opened twice over it', async () => {
    const { open } = await stage({ preferences });
    const first = await open({ textToSelect: 'Tea likes fog.' });
    await untilDepth(first, 2);
    expect(formText(first)).toBe('> Tea likes fog.\n\n');
    await first.unload();
    const pane = await open({ textToSelect: 'Tea likes fog.' });
    await untilDepth(pane, 2);
    expect(formText(pane)).toBe('> Tea likes fog.\n\n');
    expectSound(pane);
  });

  it.each([
    ['a question', { arguments: { question: 'What is tea?' } }],
    ['a link', { arguments: { conversation: 'recent' } }],
  ])('makes room for %s', async (_name, launch) => {
    const { open, supportPath } = await stage({
      preferences,
      steps: () => [{ text: 'Here it is.' }],
    });
    putConversation(supportPath, recent());
    const pane = await open({ ...launch, textToSelect: 'Tea likes fog.' });
    await untilTurn(pane, 'done');
    await pane.settled();
    expect(pane.depth).toBe(1);
    expect(pane.list().searchText).toBe('');
  });

  it('is not asked for without the preference', async () => {
    const { open } = await stage();
    const pane = await open({ textToSelect: 'Tea likes fog.' });
    await untilOpen(pane);
    await pane.settled();
    expect(pane.depth).toBe(1);
    await pane.action('Ask About Selected Text…');
    await untilDepth(pane, 2);
    expect(formText(pane)).toBe('> Tea likes fog.\n\n');
    expectSound(pane);
  });
});

describe('a link', () => {
  it('to a conversation that another start is writing shows it as last saved, and goes on', async () => {
    const gate = createGate();
    const { open, supportPath } = await stage({
      steps: () => [{ text: ['Held', gate, ' never.'] }, { text: ' and done.' }],
    });
    putConversation(supportPath, recent(), Date.now() - 60_000);
    const writer = await open({ arguments: { question: 'One?' } });
    await writer.waitFor(() => shown(writer).includes('Held'), { label: 'the first word' });
    const own = () => storedConversations(supportPath).find(({ id }) => id !== 'recent');
    await writer.waitFor(() => own()?.turns[0]?.response === 'Held', { label: 'a save' });

    const pane = await open({ arguments: { conversation: own()?.id ?? '' } });
    await pane.waitFor(() => pane.list().navigationTitle === 'This answer is still being written', {
      label: 'the waiting',
    });
    expect(questions(pane)).toEqual(['One?']);
    expect(drawn(pane).text).toContain('Held');
    expect(pane.actions().map(({ title }) => title)).not.toContain('Continue');
    await writer.unload();
    gate.open();
    await untilTurn(pane, 'interrupted');
    expect(firstAction(pane)).toBe('Continue');
    await pane.enter();
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> One?\n\nHeld and done.');
    expectSound(pane);
  });

  it.each([
    ['a path', '../secret'],
    ['a path from the root', '/etc/passwd'],
    ['an ending', 'secret.json'],
    ['white space', ' '],
    ['a null', 'secret\0'],
    ['Markdown', '![x](https://leak.example/a.png)'],
    ['200,000 characters', 'a'.repeat(200_000)],
  ])('with an id that is none opens nothing: %s', async (_name, conversation) => {
    const { open, supportPath, model } = await stage({ steps: () => [{ text: 'Here it is.' }] });
    putConversation(supportPath, recent());
    const secret = JSON.stringify(makeConversation({ id: 'secret', title: 'Secret' }));
    writeFileSync(join(supportPath, 'secret.json'), secret);
    const before = filesIn(supportPath);
    const pane = await open({ arguments: { conversation } });
    await pane.waitFor(() => pane.toasts.length > 0, { label: 'what is said' });
    expect(pane.toasts[0]).toMatchObject({ style: 'failure', title: 'Could not open' });
    expect(pane.toasts[0]?.message).toBe('There is no such conversation: its id is not valid.');
    await untilOpen(pane);
    expect(questions(pane)).toEqual([]);
    expect(pane.list().searchText).toBe('');
    expect(filesIn(supportPath)).toMatchObject(before);
    // The chat is a new one, and works.
    await ask(pane, 'What is tea?');
    await untilTurn(pane, 'done');
    expect(model.requests).toHaveLength(1);
    expectSound(pane);
  });

  it('to a conversation in the trash says that it is gone, and opens it once it is restored', async () => {
    const { open, supportPath } = await stage();
    putConversation(supportPath, recent());
    const list = await open({ command: 'conversations' });
    await list.waitFor(() => list.list().items.length === 1 && !list.list().isLoading, {
      label: 'the list',
    });
    await list.shortcut('ctrl+x');
    await list.waitFor(() => list.list().items.length === 0, { label: 'the deletion' });
    const gone = await open({ arguments: { conversation: 'recent' } });
    await gone.waitFor(() => gone.toasts.length > 0, { label: 'what is said' });
    expect(gone.toasts[0]?.message).toBe('This conversation is no longer there: it was deleted.');
    await gone.unload();
    await list.action('Trash…');
    await list.waitFor(() => list.depth === 2 && list.list().items.length === 1, {
      label: 'the trash',
    });
    await list.enter();
    await list.waitFor(() => list.list().items.length === 0, { label: 'the restored one to go' });
    const pane = await open({ arguments: { conversation: 'recent' } });
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['Earlier?']);
    expectSound(gone);
    expectSound(list);
    expectSound(pane);
  });

  it('opens an old conversation though a newer one was left a minute ago', async () => {
    const { open, supportPath } = await stage();
    putConversation(
      supportPath,
      makeConversation({ id: 'old', title: 'Old', turns: [makeTurn({ question: 'Old?' })] }),
      Date.now() - 400 * 24 * 60 * 60_000,
    );
    putConversation(supportPath, recent());
    const pane = await open({ arguments: { conversation: 'old' } });
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['Old?']);
    expectSound(pane);
  });
});

/**
 * Resolves when the launcher has sent the fallback text as if it had been typed. Its timer of 300 ms began with the first frame,
 * so it fires before one that begins later and is longer.
 */
async function echoed(pane: Pane): Promise<void> {
  await pause(400);
  await pane.settled();
}
