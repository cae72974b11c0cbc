import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { ask, drawn, questions, untilTurn } from './support/chat-pane';
import { createGate, words, type Step } from './support/model-server';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import { storedConversation } from './support/store-files';

const stage = stages();

const QUESTION = 'Why does tea like fog so much?';
const ANSWER: Step = { text: 'Fog keeps the leaves soft.' };
const TITLE = 'Tea and fog';

const Request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  tools: z.optional(z.array(z.unknown())),
});

type Named = { title: string; titledBy: string | undefined };

/** The stored conversation's name. */
function named(supportPath: string): Named {
  const { title, titledBy } = storedConversation(supportPath);
  return { title, titledBy };
}
const untilNamed = (pane: Pane, supportPath: string, title: string): Promise<unknown> =>
  pane.waitFor(() => named(supportPath).title === title, { label: `the title ${title}` });
/** Waits until so many answers are complete on disk. */
const untilStored = (pane: Pane, supportPath: string, count: number): Promise<unknown> =>
  pane.waitFor(
    () =>
      storedConversation(supportPath).turns.filter(({ state }) => state === 'done').length ===
      count,
    { label: `${count} answer(s) on disk` },
  );

/** The titles as Conversations lists them, opened from the chat. */
async function listed(pane: Pane): Promise<string[]> {
  await pane.shortcut('ctrl+shift+f');
  await pane.waitFor(
    () => pane.depth === 2 && !pane.list().isLoading && pane.list().items.length > 0,
    { label: 'the conversations' },
  );
  return pane.list().items.map(({ title }) => title);
}

/** Gives the first conversation of the list on screen another title. */
async function rename(pane: Pane, title: string): Promise<void> {
  const depth = pane.depth;
  await pane.shortcut('ctrl+e');
  await pane.waitFor(() => pane.depth === depth + 1, { label: 'the form' });
  await pane.fill('title', title);
  await pane.submit();
  await pane.waitFor(() => pane.depth === depth && pane.list().items[0]?.title === title, {
    label: 'the new title',
  });
}

function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('a title by the model', () => {
  it('takes the place of the question, in the list, on disk and at the next launch', async () => {
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: words(TITLE) }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await untilNamed(pane, supportPath, TITLE);
    expect(named(supportPath)).toEqual({ title: TITLE, titledBy: 'model' });
    // What was asked and answered stays as it was.
    expect(questions(pane)).toEqual([QUESTION]);
    expect(await listed(pane)).toEqual([TITLE]);
    const asked = Request.parse(model.requests[1]?.body);
    expect(asked.model).toBe('test-model');
    expect(asked.tools ?? []).toEqual([]);
    expect(asked.messages.at(-1)?.content).toBe(
      `Question:\n${QUESTION}\n\nAnswer:\nFog keeps the leaves soft.\n\nTitle:`,
    );
    await pane.unload();
    const next = await open({ command: 'conversations' });
    await next.waitFor(() => next.list().items[0]?.title === TITLE, { label: 'the title' });
    model.assertComplete();
    expectSound(next);
  });

  it('is asked for once: a second answer asks for none', async () => {
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: TITLE }, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await untilNamed(pane, supportPath, TITLE);
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual({ title: TITLE, titledBy: 'model' });
    model.assertComplete();
  });

  it('is cleaned of what models put around it', async () => {
    const { open, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: '<think>Short.</think>\n\nTitle: **"Tea and fog."**\n' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await untilNamed(pane, supportPath, TITLE);
  });

  it.each<[string, { titles: string; model: string }, boolean]>([
    ['auto, a model on this machine', { titles: 'auto', model: 'qwen3:4b' }, true],
    ['auto, a model that its maker runs', { titles: 'auto', model: 'qwen3:480b-cloud' }, false],
    ['always, a model that its maker runs', { titles: 'always', model: 'qwen3:480b-cloud' }, true],
    ['never, a model on this machine', { titles: 'never', model: 'qwen3:4b' }, false],
  ])('is asked for as the preference says: %s', async (_name, { titles, model: id }, isAsked) => {
    const title: Step[] = isAsked ? [{ text: TITLE }] : [];
    const { open, model, supportPath } = await stage({
      dialect: 'ollama',
      models: [{ id }],
      preferences: { titles },
      steps: () => [ANSWER, ...title, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    if (isAsked) await untilNamed(pane, supportPath, TITLE);
    // A request for a title would come before this one, and take its step.
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    expect(drawn(pane).text).toContain('Still fog.');
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual(
      isAsked ? { title: TITLE, titledBy: 'model' } : { title: QUESTION, titledBy: undefined },
    );
    model.assertComplete();
  });

  it.each<[string, Step]>([
    ['a refusal', { text: "I'm sorry, but I cannot help with that." }],
    ['nothing', { text: '' }],
    ['marks alone', { text: '***' }],
    ['a paragraph', { text: words('Fog is what tea likes best of all weathers. '.repeat(4)) }],
    ['an announcement', { text: 'Here is a title for the conversation:' }],
    ['what reached its length', { text: 'Tea and', finishReason: 'length' }],
    ['a tool call', { calls: [{ name: 'web_search', arguments: { query: 'tea' } }] }],
    ['an error', { raw: { status: 500, body: '{}' } }],
  ])('that is useless is left alone: %s', async (_name, useless) => {
    const { open, model, site, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, useless, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await pane.waitFor(() => model.requests.length === 2, { label: 'the request' });
    await model.requests[1]?.closed;
    await pane.settled();
    expect(pane.toasts).toEqual([]);
    await untilStored(pane, supportPath, 1);
    expect(await listed(pane)).toEqual([QUESTION]);
    await pane.back();
    await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath, 2);
    expect(named(supportPath)).toEqual({ title: QUESTION, titledBy: undefined });
    expect(site.requests).toEqual([]);
    model.assertComplete();
    expectSound(pane);
  });

  it('gives way to the next question: its request ends', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: ['Tea', gate, ' and fog'] }, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await gate.reached;
    expect(pane.list().isLoading).toBe(false);
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await model.requests[1]?.closed;
    expect(model.requests[1]?.abandoned).toBe(true);
    gate.open();
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual({ title: QUESTION, titledBy: undefined });
    model.assertComplete();
  });

  it('ends with the command, and writes nothing afterwards', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: ['Tea', gate, ' and fog'] }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await gate.reached;
    await untilStored(pane, supportPath, 1);
    await pane.unload();
    await model.requests[1]?.closed;
    gate.open();
    expect(model.requests[1]?.abandoned).toBe(true);
    expect(named(supportPath)).toEqual({ title: QUESTION, titledBy: undefined });
    expect(pane.crash).toBeNull();
  });
});

describe('a title by a person', () => {
  it('stays, given in the same window while the model is asked', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: ['Tea', gate, ' and fog'] }, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await gate.reached;
    await untilStored(pane, supportPath, 1);
    expect(await listed(pane)).toEqual([QUESTION]);
    await rename(pane, 'My own name');
    gate.open();
    await model.requests[1]?.closed;
    expect(model.requests[1]?.abandoned).toBe(false);
    await pane.settled();
    expect(pane.list().items.map(({ title }) => title)).toEqual(['My own name']);
    await pane.back();
    await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual({ title: 'My own name', titledBy: 'person' });
    model.assertComplete();
    expectSound(pane);
  });

  it('stays, given by another command while the model is asked', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'auto' },
      steps: () => [ANSWER, { text: ['Tea', gate, ' and fog'] }, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    await gate.reached;
    await untilStored(pane, supportPath, 1);
    const other = await open({ command: 'conversations' });
    await other.waitFor(() => !other.list().isLoading && other.list().items.length === 1, {
      label: 'the list',
    });
    await rename(other, 'My own name');
    await other.waitFor(() => named(supportPath).titledBy === 'person', { label: 'the disk' });
    gate.open();
    await model.requests[1]?.closed;
    await pane.settled();
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual({ title: 'My own name', titledBy: 'person' });
    model.assertComplete();
  });

  it('is not replaced after it was given before the first answer', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      preferences: { titles: 'always' },
      steps: () => [{ text: ['Fog', gate, '.'] }, { text: 'Still fog.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await gate.reached;
    await pane.waitFor(() => named(supportPath).title === QUESTION, {
      label: 'the question on disk',
    });
    expect(await listed(pane)).toEqual([QUESTION]);
    await rename(pane, 'My own name');
    gate.open();
    await pane.back();
    await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
    await untilTurn(pane, 'done');
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath, 2);
    await pane.unload();
    expect(named(supportPath)).toEqual({ title: 'My own name', titledBy: 'person' });
    model.assertComplete();
  });
});
