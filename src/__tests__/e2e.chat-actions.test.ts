import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import type { Turn } from '../lib/types';
import { makeConversation, makeSource, makeToolCall, makeTurn } from './support/builders';
import {
  ask,
  askAll,
  chosenModel,
  copied,
  drawn,
  firstAction,
  questions,
  sourceEntries,
  untilTurn,
} from './support/chat-pane';
import { createGate, words, type RawStep } from './support/model-server';
import { checkShortcuts, type Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { stages } from './support/stages';
import { putConversation, storedConversation, untilTurnsStored } from './support/store-files';

const stage = stages();

const Request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.nullish(z.string()) })),
});
type Asked = { requests: readonly { body: unknown }[] };
const modelsAsked = (model: Asked): string[] =>
  model.requests.map(({ body }) => Request.parse(body).model);

const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });
const untilStored = (pane: Pane, supportPath: string): Promise<unknown> =>
  pane.waitFor(() => storedConversation(supportPath).turns.every(({ state }) => state === 'done'), {
    label: 'the end of the exchange on disk',
  });
const titles = (pane: Pane): string[] => pane.actions().map(({ title }) => title);

/** A Detail as it is drawn. */
const drawnDetail = (pane: Pane): string => drawPane(pane.detail().markdown).text;
const untilDetail = (pane: Pane, text: string): Promise<unknown> =>
  pane.waitFor(() => drawnDetail(pane).includes(text), { label: JSON.stringify(text) });

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

const options = (pane: Pane): string[] =>
  pane.dropdown().options.map(({ title, section }) => `${section ?? ''}: ${title}`);

/** So many models of one maker. */
const many = (maker: string, count: number): { id: string }[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${maker}/model-${n + 1}` }));

describe('the models of a server', () => {
  it('stand under their makers, in the dropdown and in the list', async () => {
    const { open, model } = await stage({
      models: ['acme/large', 'bolt/tiny', 'acme/small', 'bolt/huge'].map((id) => ({ id })),
      steps: () => [{ text: 'Hello.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
    expect(options(pane)).toEqual([
      'acme: acme/large',
      'acme: acme/small',
      'bolt: bolt/tiny',
      'bolt: bolt/huge',
    ]);
    expectSound(pane);
    await pane.shortcut('ctrl+shift+m');
    await untilDepth(pane, 2);
    expect(pane.list().items.map(({ section, title }) => `${section ?? ''}: ${title}`)).toEqual([
      'acme: acme/large',
      'acme: acme/small',
      'bolt: bolt/tiny',
      'bolt: bolt/huge',
    ]);
    expect(pane.list().items.map(({ icon }) => icon)).toEqual([
      'check-circle',
      'computer-chip',
      'computer-chip',
      'computer-chip',
    ]);
    await pane.select('bolt/huge');
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.waitFor(() => chosenModel(pane) === 'bolt/huge', { label: 'the choice' });
    await ask(pane, 'Hello?');
    await untilTurn(pane, 'done');
    expect(modelsAsked(model)).toEqual(['bolt/huge']);
    expectSound(pane);
  });

  it('over forty are all in the list, which the last entry of the dropdown opens', async () => {
    const { open, model } = await stage({
      models: [...many('acme', 30), ...many('bolt', 15)],
      steps: () => [{ text: 'Hello.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
    const first = chosenModel(pane);
    expect(options(pane)).toHaveLength(41);
    expect(options(pane).slice(-2)).toEqual(['bolt: bolt/model-10', ': All Models… (5 more)']);

    // Looked at and left: nothing has been chosen by it.
    await pane.choose('All Models… (5 more)');
    await untilDepth(pane, 2);
    expect(pane.list().navigationTitle).toBe('Models');
    expect(pane.list().items).toHaveLength(45);
    await pane.back();
    await untilDepth(pane, 1);
    await pane.settled();
    expect(pane.dropdown()).toMatchObject({ value: first, title: first });

    await pane.choose('All Models… (5 more)');
    await untilDepth(pane, 2);
    await pane.type('bolt/model-14');
    expect(pane.list().items.map(({ title }) => title)).toEqual(['bolt/model-14']);
    expectSound(pane);
    await pane.action('Use This Model');
    await untilDepth(pane, 1);
    await pane.waitFor(() => chosenModel(pane) === 'bolt/model-14', { label: 'the choice' });
    // The one that is asked is always in the dropdown.
    expect(pane.dropdown().title).toBe('bolt/model-14');
    expect(options(pane)).toHaveLength(41);
    expect(options(pane).at(-1)).toBe(': All Models… (5 more)');
    await ask(pane, 'Hello?');
    await untilTurn(pane, 'done');
    expect(modelsAsked(model)).toEqual(['bolt/model-14']);
    expectSound(pane);
  });

  it.each([
    [39, 40, undefined],
    [40, 41, 'All Models… (1 more)'],
    [41, 41, 'All Models… (2 more)'],
  ])(
    'with one set that is not among %d of them: none is out of reach',
    async (count, entries, last) => {
      const { open } = await stage({
        models: many('acme', count),
        preferences: { model: 'my-own' },
      });
      const pane = await open();
      await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
      const { options: all, title } = pane.dropdown();
      expect(title).toBe('my-own');
      expect(all).toHaveLength(entries);
      expect(all.find(({ value }) => value === '…')?.title).toBe(last);
      expectSound(pane);
    },
  );

  it('are asked for again: a new one appears, and one that is gone goes', async () => {
    const models = [{ id: 'old-model' }, { id: 'kept-model' }];
    const { open, model } = await stage({ models, steps: () => [{ text: 'Hello.' }] });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane) === 'old-model', { label: 'the dropdown' });
    await pane.shortcut('ctrl+shift+m');
    await untilDepth(pane, 2);
    models.splice(0, 1);
    models.push({ id: 'new-model' });
    await pane.shortcut('ctrl+r');
    await pane.waitFor(
      () => pane.list().items.some(({ id }) => id === 'new-model') && !pane.list().isLoading,
      { label: 'the new model' },
    );
    expect(pane.list().items.map(({ title }) => title)).toEqual(['kept-model', 'new-model']);
    expectSound(pane);
    await pane.select('new-model');
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.waitFor(() => chosenModel(pane) === 'new-model', { label: 'the choice' });
    await ask(pane, 'Hello?');
    await untilTurn(pane, 'done');
    expect(modelsAsked(model)).toEqual(['new-model']);
    expectSound(pane);
  });

  it('stay as they were when the server no longer answers, which is said', async () => {
    const routes: Record<string, RawStep> = {};
    const { open, model } = await stage({
      models: [{ id: 'one-model' }, { id: 'other-model' }],
      routes,
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+shift+m');
    await untilDepth(pane, 2);
    routes['/v1/models'] = { raw: { status: 503, body: '{"error":{"message":"Out for tea."}}' } };
    await pane.action('Ask the Server Again');
    await pane.waitFor(() => pane.toast, { label: 'what is said', timeoutMs: 30_000 });
    expect(pane.toast).toMatchObject({ style: 'failure' });
    expect(pane.toast?.message).toContain('Out for tea.');
    expect(pane.list()).toMatchObject({ isLoading: false });
    expect(pane.list().items.map(({ title }) => title)).toEqual(['one-model', 'other-model']);
    expectSound(pane);
    delete routes['/v1/models'];
    await pane.select('other-model');
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.waitFor(() => chosenModel(pane) === 'other-model', { label: 'the choice' });
    await ask(pane, 'Second?');
    await untilTurn(pane, 'done', 2);
    expect(modelsAsked(model)).toEqual(['one-model', 'other-model']);
    expectSound(pane);
  });

  it('no longer have the one that was remembered: it is forgotten', async () => {
    const models = [{ id: 'first-model' }, { id: 'second-model' }];
    const { open, model, supportPath } = await stage({
      models,
      steps: () => [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane) === 'first-model', { label: 'the dropdown' });
    await pane.choose('second-model');
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    const memory = join(supportPath, 'model.json');
    expect(readFileSync(memory, 'utf8')).toContain('"model":"second-model"');
    await pane.unload();

    models.splice(1, 1);
    const next = await open();
    await next.waitFor(() => chosenModel(next) === 'first-model', { label: 'the other model' });
    expect(next.dropdown().options.map(({ title }) => title)).toEqual(['first-model']);
    await ask(next, 'Second?');
    await untilTurn(next, 'done', 2);
    expect(existsSync(memory)).toBe(false);
    expectSound(next);
    await next.unload();

    // It does not come back by itself when the server has it again.
    models.push({ id: 'second-model' });
    const last = await open();
    await last.waitFor(() => chosenModel(last), { label: 'the dropdown' });
    expect(chosenModel(last)).toBe('first-model');
    await ask(last, 'Third?');
    await untilTurn(last, 'done', 3);
    expect(modelsAsked(model)).toEqual(['second-model', 'first-model', 'first-model']);
    expectSound(last);
  });
});

describe('the words beside a row', () => {
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  const pages = [1, 2].map((index) => makeSource({ index }));
  const found = makeToolCall({ sources: pages, statuses: [] });
  const row = (id: string, age: number, more: Partial<Turn>): Turn =>
    makeTurn({ id, question: id, toolCalls: [found], startedAt: Date.now() - age, ...more });

  it('say how many sources it cites, how it ended, and how old it is', async () => {
    const { open, supportPath } = await stage();
    // Each half a unit more, so that a slow test does not reach the next one.
    const turns = [
      row('days', 3.5 * DAY, { response: 'Tea [1] and fog [2].' }),
      row('hours', 5.5 * HOUR, { response: 'Tea [1].' }),
      row('plain', 4.5 * HOUR, { response: 'Tea.', toolCalls: [] }),
      row('failed', 3.5 * HOUR, { response: '', state: 'failed', error: 'No.' }),
      row('stopped', 2.5 * HOUR, { response: 'Tea [1].', state: 'stopped' }),
      row('cut', 1.5 * HOUR, { response: 'Tea [1].', state: 'interrupted' }),
      row('minutes', 5.5 * MINUTE, { response: 'Tea.' }),
      row('now', 0, { response: 'Tea [1], tea [1].' }),
    ];
    putConversation(supportPath, makeConversation({ turns }));
    const pane = await open();
    await pane.waitFor(() => questions(pane).length === turns.length, { label: 'the rows' });
    expect(
      pane
        .list()
        .items.map(({ title, accessories }) => [title, ...accessories.map(({ text }) => text)]),
    ).toEqual([
      ['now', '1 source', 'now'],
      ['minutes', 'none cited', '5 min'],
      ['cut', 'cut off', '1 h'],
      ['stopped', 'stopped', '2 h'],
      ['failed', 'failed', '3 h'],
      ['plain', '4 h'],
      ['hours', '1 source', '5 h'],
      ['days', '2 sources', '3 d'],
    ]);
    expectSound(pane);
  });
});

describe('keys', () => {
  const searching = {
    reasoning: 'They ask about tea.',
    calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }],
  };
  const answered = async () => {
    const staged = await stage({ steps: () => [searching, { text: 'Tea likes fog [1].' }] });
    const pane = await staged.open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    return { ...staged, pane };
  };

  it('Ctrl+O opens the answer, Ctrl+Shift+O the whole conversation', async () => {
    const { pane } = await answered();
    await pane.shortcut('ctrl+o');
    await untilDepth(pane, 2);
    expect(firstAction(pane)).toBe('Back to Chat');
    expect(pane.detail()).toMatchObject({ navigationTitle: 'Where?', isLoading: false });
    expect(drawnDetail(pane)).toContain('Tea likes fog [1].');
    expectSound(pane);
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.shortcut('ctrl+shift+o');
    await untilDepth(pane, 2);
    expect(firstAction(pane)).toBe('Back to Chat');
    expect(drawnDetail(pane)).toContain('Where?');
    expect(drawnDetail(pane)).toContain('Tea likes fog [1].');
    expectSound(pane);
    await pane.enter();
    await untilDepth(pane, 1);
    expectSound(pane);
  });

  it('Ctrl+Shift+T shows and hides the tool calls, Ctrl+Shift+R the reasoning', async () => {
    const { pane } = await answered();
    const plain = drawn(pane).text;
    expect(plain).not.toContain('Tool calls');
    await pane.shortcut('ctrl+shift+t');
    await pane.waitFor(() => drawn(pane).text.includes('Tool calls'), { label: 'the calls' });
    expect(drawn(pane).text).toContain('• Searched for: tea growing\n');
    expect(titles(pane)).toContain('Hide Tool Calls');
    expectSound(pane);
    await pane.shortcut('ctrl+shift+r');
    await pane.waitFor(() => drawn(pane).text.includes('They ask about tea.'), {
      label: 'the reasoning',
    });
    expect(titles(pane)).toContain('Hide Reasoning');
    await pane.action('Hide Tool Calls');
    await pane.waitFor(() => !drawn(pane).text.includes('Tool calls'), { label: 'no calls' });
    expect(drawn(pane).text).toContain('They ask about tea.');
    await pane.shortcut('ctrl+shift+r');
    await pane.waitFor(() => drawn(pane).text === plain, { label: 'the answer alone' });
    expect(titles(pane)).toEqual(expect.arrayContaining(['Show Tool Calls', 'Show Reasoning']));
    expect(pane.toasts).toEqual([]);
    expectSound(pane);
  });

  it('Ctrl+Shift+A copies the conversation', async () => {
    const { pane, site } = await answered();
    await pane.shortcut('ctrl+shift+a');
    await pane.waitFor(() => pane.clipboard, { label: 'the copy' });
    expect(pane.clipboard?.text).toContain(`Tea likes fog [\\[1\\]](${site.origin}/`);
    expect(pane.clipboard?.text).toContain('Where?');
    await pane.waitFor(() => pane.toast, { label: 'what is said' });
    expect(pane.toast).toMatchObject({ title: 'Conversation copied', message: 'as Markdown' });
    expect(pane.windowOpen).toBe(true);
    expectSound(pane);
  });

  it('Ctrl+N begins a conversation, and Ctrl+Shift+F leads back to the old one', async () => {
    const { pane, supportPath } = await answered();
    await untilStored(pane, supportPath);
    await pane.shortcut('ctrl+n');
    await pane.waitFor(() => questions(pane).length === 0, { label: 'an empty chat' });
    expect(pane.list().placeholder).toBe('Ask Lam…');
    expect(titles(pane)).not.toContain('New Conversation');
    expectSound(pane);
    await pane.shortcut('ctrl+shift+f');
    await untilDepth(pane, 2);
    expect(pane.list().navigationTitle).toBe('Conversations');
    await pane.waitFor(() => pane.list().items[0]?.title === 'Where?', { label: 'the old one' });
    expectSound(pane);
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.waitFor(() => questions(pane)[0] === 'Where?', { label: 'the conversation' });
    expect(drawn(pane).text).toContain('Tea likes fog [1].');
    expectSound(pane);
  });

  it('Ctrl+N while an answer is written says to stop it first, and changes nothing', async () => {
    const gate = createGate();
    const { open } = await stage({ steps: () => [{ text: ['So ', gate, 'it is.'] }] });
    const pane = await open();
    await ask(pane, 'Why?');
    await pane.waitFor(() => drawn(pane).text.includes('So'), { label: 'the beginning' });
    await pane.shortcut('ctrl+n');
    await pane.waitFor(() => pane.toast, { label: 'what is said' });
    expect(pane.toast).toMatchObject({
      title: 'Still answering',
      message: 'Stop it first (Ctrl+.)',
    });
    expect(questions(pane)).toEqual(['Why?']);
    gate.open();
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('So it is.');
    expectSound(pane);
  });
});

describe('the full-width answer', () => {
  it('is stopped, and continued, where it is', async () => {
    const gate = createGate();
    const { open, supportPath } = await stage({
      steps: () => [
        { text: [...words('First half,'), gate, ' never.'] },
        { text: ' second half.' },
      ],
    });
    const pane = await open();
    await ask(pane, 'Long?');
    await pane.waitFor(() => drawn(pane).text.includes('First half,'), { label: 'the beginning' });
    await pane.shortcut('ctrl+o');
    await untilDepth(pane, 2);
    expect(pane.detail().isLoading).toBe(true);
    expect(titles(pane).slice(0, 2)).toEqual(['Back to Chat', 'Stop']);
    expectSound(pane);
    await pane.shortcut('ctrl+.');
    await pane.waitFor(() => !pane.detail().isLoading, { label: 'the end' });
    expect(pane.depth).toBe(2);
    expect(titles(pane).slice(0, 3)).toEqual(['Back to Chat', 'Continue', 'Try Again']);
    expect(drawnDetail(pane)).toContain('First half,');
    expectSound(pane);
    await pane.shortcut('ctrl+shift+return');
    await untilDetail(pane, 'First half, second half.');
    await pane.waitFor(() => !pane.detail().isLoading, { label: 'the end' });
    expect(titles(pane)).not.toContain('Continue');
    expectSound(pane);
    await pane.enter();
    await untilDepth(pane, 1);
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('First half, second half.');
    await untilTurnsStored(supportPath, [{ response: 'First half, second half.', state: 'done' }]);
    gate.open();
  });

  it('is tried again, and follows to the new version', async () => {
    const gate = createGate();
    const { open, supportPath } = await stage({
      steps: () => [{ text: [...words('Half of it'), gate, ' never.'] }, { text: 'All of it.' }],
    });
    const pane = await open();
    await ask(pane, 'Long?');
    await pane.waitFor(() => drawn(pane).text.includes('Half of it'), { label: 'the beginning' });
    await pane.action('Stop');
    await untilTurn(pane, 'stopped');
    await pane.shortcut('ctrl+o');
    await untilDepth(pane, 2);
    await pane.shortcut('ctrl+r');
    await untilDetail(pane, 'All of it.');
    await pane.waitFor(() => !pane.detail().isLoading, { label: 'the end' });
    expect(drawnDetail(pane)).not.toContain('Half of it');
    expect(titles(pane)).not.toContain('Try Again');
    expectSound(pane);
    await pane.enter();
    await untilTurn(pane, 'done');
    expect(pane.list().items[0]?.accessories).toMatchObject([{ text: '2/2' }, { text: 'now' }]);
    await untilTurnsStored(supportPath, [
      { response: 'Half of it', state: 'stopped' },
      { response: 'All of it.', state: 'done' },
    ]);
    gate.open();
    expectSound(pane);
  });

  it('of a question that failed is tried again in its place', async () => {
    const { open, supportPath } = await stage({
      steps: () => [
        { raw: { status: 400, body: '{"error":{"message":"Not like this."}}' } },
        { text: 'Better.' },
      ],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'failed');
    await pane.action('Open Answer');
    await untilDepth(pane, 2);
    expect(drawnDetail(pane)).toContain('Not like this.');
    expect(titles(pane).slice(0, 2)).toEqual(['Back to Chat', 'Try Again']);
    expectSound(pane);
    await pane.action('Try Again');
    await untilDetail(pane, 'Better.');
    await pane.waitFor(() => !pane.detail().isLoading, { label: 'the end' });
    expect(drawnDetail(pane)).not.toContain('Not like this.');
    await untilTurnsStored(supportPath, [{ response: 'Better.', state: 'done' }]);
    expectSound(pane);
  });

  it('of a model that is not there offers what can be done in this view', async () => {
    const { open } = await stage({
      models: [{ id: 'one-model' }, { id: 'other-model' }],
      steps: () => [
        {
          raw: {
            status: 404,
            headers: { 'content-type': 'application/json' },
            body: '{"error":{"message":"The model does not exist","code":"model_not_found"}}',
          },
        },
      ],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the models' });
    await ask(pane, 'Why?');
    await untilTurn(pane, 'failed');
    expect(firstAction(pane)).toBe('Choose Model…');
    expectSound(pane);
    await pane.action('Open Answer');
    await untilDepth(pane, 2);
    expect(titles(pane).slice(0, 2)).toEqual(['Back to Chat', 'Try Again']);
    expect(titles(pane)).not.toContain('Choose Model…');
    expectSound(pane);
  });

  it('of an earlier exchange is neither continued nor tried again', async () => {
    const { open } = await stage({
      steps: () => [{ text: 'One,', finishReason: 'length' }, { text: 'Two.' }],
    });
    const pane = await open();
    await askAll(pane, ['First?', 'Second?']);
    await pane.select(1);
    await pane.shortcut('ctrl+o');
    await untilDepth(pane, 2);
    expect(drawnDetail(pane)).toContain('One,');
    for (const title of ['Continue', 'Try Again', 'Stop'])
      expect(titles(pane)).not.toContain(title);
    expectSound(pane);
  });

  it('opens its sources, and shows and hides what was done', async () => {
    const { open, site } = await stage({
      steps: () => [
        {
          reasoning: 'They ask about tea.',
          calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }],
        },
        { text: 'Tea likes fog [1].' },
      ],
    });
    const pane = await open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    const inChat = sourceEntries(pane);
    await pane.shortcut('ctrl+o');
    await untilDepth(pane, 2);
    const plain = drawnDetail(pane);
    expect(sourceEntries(pane)).toEqual(inChat);
    expect(inChat.length).toBeGreaterThan(0);
    const first = pane
      .actions()
      .find(({ submenu, title }) => submenu === 'Open Source' && title.startsWith('[1]'));
    await pane.action(`Open Source/${first?.title ?? ''}`);
    await pane.waitFor(() => pane.opened.length > 0, { label: 'the browser' });
    const [address = ''] = pane.opened;
    expect(pane.opened).toHaveLength(1);
    expect(address.startsWith(`${site.origin}/`)).toBe(true);
    expect((await copied(pane, 'Copy Link of [1]')).text).toBe(address);
    await pane.shortcut('ctrl+shift+t');
    await untilDetail(pane, '• Searched for: tea growing\n');
    await pane.shortcut('ctrl+shift+r');
    await untilDetail(pane, 'They ask about tea.');
    expectSound(pane);
    await pane.action('Hide Tool Calls');
    await pane.action('Hide Reasoning');
    await pane.waitFor(() => drawnDetail(pane) === plain, { label: 'the answer alone' });
    expectSound(pane);
  });
});

describe('the whole conversation', () => {
  const searching = {
    reasoning: 'They ask about tea.',
    calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }],
  };

  it('has all that is shown, oldest first, and not what another version holds', async () => {
    const { open } = await stage({
      steps: () => ['One.', 'Two.', 'Other one.', 'Three.'].map((text) => ({ text })),
    });
    const pane = await open();
    await askAll(pane, ['First?', 'Second?']);
    await pane.select(1);
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => drawn(pane).text.includes('Other one.'), { label: 'the version' });
    await untilTurn(pane, 'done');
    await ask(pane, 'Third?');
    await untilTurn(pane, 'done', 2);
    await pane.shortcut('ctrl+shift+o');
    await untilDepth(pane, 2);
    expect(drawnDetail(pane)).toMatch(/First\?\n+Other one\.[\s\S]*Third\?\n+Three\.$/u);
    for (const text of ['\nOne.', 'Second?', 'Two.']) expect(drawnDetail(pane)).not.toContain(text);
    expectSound(pane);
  });

  it('gives a link to itself, and shows and hides what was done', async () => {
    const { open, supportPath } = await stage({
      steps: () => [searching, { text: 'Tea likes fog [1].' }, { text: 'Always.' }],
    });
    const pane = await open();
    await askAll(pane, ['Where?', 'When?']);
    await untilStored(pane, supportPath);
    const { id } = storedConversation(supportPath);
    await pane.shortcut('ctrl+shift+o');
    await untilDepth(pane, 2);
    const plain = drawnDetail(pane);
    const link = await copied(pane, 'Copy Link to Conversation');
    expect(link.said).toEqual(['Link to this conversation copied', 'Opens it in Lam']);
    expect(JSON.parse(new URL(link.text).searchParams.get('arguments') ?? '')).toEqual({
      conversation: id,
    });
    expectSound(pane);
    await pane.shortcut('ctrl+shift+t');
    await untilDetail(pane, '• Searched for: tea growing\n');
    await pane.shortcut('ctrl+shift+r');
    await untilDetail(pane, 'They ask about tea.');
    expectSound(pane);
    await pane.action('Hide Tool Calls');
    await pane.action('Hide Reasoning');
    await pane.waitFor(() => drawnDetail(pane) === plain, { label: 'the conversation alone' });
    // What was switched there holds in the chat, too.
    await pane.action('Show Tool Calls');
    await pane.enter();
    await untilDepth(pane, 1);
    await pane.select(1);
    await pane.waitFor(() => drawn(pane).text.includes('• Searched for: tea growing\n'), {
      label: 'the calls in the chat',
    });
    expectSound(pane);
  });

  it('grows with the answer, and stops it', async () => {
    const gate = createGate();
    const { open } = await stage({
      steps: () => [{ text: 'One.' }, { text: [...words('Half of it'), gate, ' never.'] }],
    });
    const pane = await open();
    await askAll(pane, ['First?']);
    await pane.shortcut('ctrl+shift+o');
    await untilDepth(pane, 2);
    await pane.back();
    await untilDepth(pane, 1);
    await ask(pane, 'Second?');
    await pane.shortcut('ctrl+shift+o');
    await untilDepth(pane, 2);
    await untilDetail(pane, 'Half of it');
    expect(pane.detail().isLoading).toBe(true);
    expect(titles(pane).slice(0, 2)).toEqual(['Back to Chat', 'Stop']);
    await pane.shortcut('ctrl+.');
    await pane.waitFor(() => !pane.detail().isLoading, { label: 'the end' });
    expect(titles(pane)).not.toContain('Stop');
    expect(drawnDetail(pane)).toContain('One.');
    expect(drawnDetail(pane)).toContain('Half of it');
    expectSound(pane);
    await pane.enter();
    await untilTurn(pane, 'stopped', 2);
    gate.open();
  });
});
