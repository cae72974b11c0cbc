import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { makeConversation, makeTurn } from './support/builders';
import {
  ask,
  drawn,
  everyExchange,
  firstAction,
  questions,
  shown,
  untilTurn,
} from './support/chat-pane';
import { createGate, words, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { stages } from './support/stages';
import {
  filesIn,
  putConversation,
  putRecord,
  storedConversation,
  storedConversations,
} from './support/store-files';

const stage = stages();

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});
const fixture = (name: string): string =>
  readFileSync(new URL(`./fixtures/conversations/${name}.json`, import.meta.url), 'utf8');

const WAITING = 'This answer is still being written';
const CUT = 'Cut off before the answer was complete. Continue goes on from here.';

/** A search, then an answer that is held after its first half. */
function heldAnswer() {
  const gate = createGate();
  const steps: Step[] = [
    { calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }] },
    { text: [...words('Tea likes fog [1] and'), gate, ' what nobody is there to read.'] },
  ];
  return { gate, steps };
}
const HALF = 'Tea likes fog [1] and';
const untilHalf = (pane: Pane): Promise<unknown> =>
  pane.waitFor(() => drawn(pane).text.includes('Tea likes fog [1]'), { label: 'the first half' });

/** The screen is ahead of the disk by one write. */
const untilStored = (pane: Pane, supportPath: string): Promise<unknown> =>
  pane.waitFor(() => storedConversation(supportPath).turns.at(-1)?.state === 'done', {
    label: 'the end of the exchange on disk',
  });

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
}

describe('the window, closed in mid-answer', () => {
  it('finds the same view when it opens again; the answer went on behind it', async () => {
    const gate = createGate();
    const { open } = await stage({
      steps: () => [{ text: [...words('First half,'), gate, ...words(' second half.')] }],
    });
    const pane = await open();
    await ask(pane, 'Long?');
    await pane.waitFor(() => shown(pane).includes('First'), { label: 'the first half' });
    await pane.type('And then');
    pane.closeWindow();
    gate.open();
    await untilTurn(pane, 'done');
    expect(pane.windowOpen).toBe(false);
    await pane.reopen();
    expect(pane.running).toBe(true);
    expect(shown(pane)).toBe('> Long?\n\nFirst half, second half.');
    expect(pane.list().searchText).toBe('And then');
    expect(pane.list().isLoading).toBe(false);
    expect(pane.markdownResets()).toEqual([]);
    expectSound(pane);
  });

  it('finds a pushed answer where it was', async () => {
    const gate = createGate();
    const { open } = await stage({ steps: () => [{ text: ['Begin', gate, ' end.'] }] });
    const pane = await open();
    await ask(pane, 'Wide?');
    await pane.waitFor(() => shown(pane).includes('Begin'), { label: 'the first word' });
    await pane.action('Open Answer');
    await pane.waitFor(() => pane.depth === 2, { label: 'the pushed answer' });
    pane.closeWindow();
    gate.open();
    await pane.waitFor(() => pane.detail().markdown.includes('end.'), { label: 'the rest' });
    await pane.reopen();
    expect(pane.depth).toBe(2);
    expect(pane.detail()).toMatchObject({ markdown: '> Wide?\n\nBegin end.', isLoading: false });
    await pane.back();
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> Wide?\n\nBegin end.');
    expectSound(pane);
  });
});

describe('a command, unloaded in mid-answer', () => {
  it('has stored what there was, writes nothing afterwards, and is continued from there', async () => {
    const { gate, steps } = heldAnswer();
    const { open, model, supportPath, site } = await stage({
      steps: (origin) => [
        ...steps,
        {
          calls: ['/sayings', '/data/gardens.json'].map((path) => ({
            name: 'web_fetch',
            arguments: { url: origin + path },
          })),
        },
        (request) => {
          const read = Request.parse(request.body).messages.slice(-2);
          const [known, added] = read.map(({ content }) => /^\[\d+\]/.exec(content)?.[0] ?? '');
          return { text: words(` shade ${known}, not sun [1], says the list ${added}.`) };
        },
      ],
    });
    const first = await open({ unloadGraceMs: 5_000 }); // the launcher's: long enough for three more saves
    await ask(first, 'How does tea grow?');
    await untilHalf(first);
    await first.beginUnload();
    const atUnload = filesIn(supportPath);
    expect(storedConversation(supportPath).turns).toMatchObject([
      { question: 'How does tea grow?', response: HALF, state: 'interrupted' },
    ]);
    expect(storedConversation(supportPath).owner).toBeUndefined(); // free for whoever comes
    await model.requests[1]?.closed;
    expect(model.requests[1]?.abandoned).toBe(true);
    gate.open();
    await first.unload();
    expect(filesIn(supportPath)).toEqual(atUnload);

    const pane = await open();
    await untilTurn(pane, 'interrupted');
    expect(pane.list().items[0]).toMatchObject({
      title: 'How does tea grow?',
      accessories: [{ text: 'cut off' }, { text: 'now' }],
    });
    expect(drawn(pane).text).toContain(HALF);
    expect(drawn(pane).text).toContain(CUT);
    const [before] = drawn(pane).links;
    expect(before).toMatchObject({ text: '[1]', href: `${site.origin}/growing` });
    expect(firstAction(pane)).toBe('Continue');
    expect(model.requests).toHaveLength(2);

    await pane.enter();
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath);
    expect(Request.parse(model.requests[2]?.body).messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    const [turn] = storedConversation(supportPath).turns;
    const found = turn?.toolCalls[0]?.sources ?? [];
    const known = found.find(({ url }) => url === `${site.origin}/sayings`)?.index ?? 0;
    const added = found.length + 1;
    expect(known).toBeGreaterThan(1);
    expect(turn).toMatchObject({
      state: 'done',
      response: `${HALF} shade [${known}], not sun [1], says the list [${added}].`,
      toolCalls: [{ name: 'web_search' }, { name: 'web_fetch' }, { name: 'web_fetch' }],
    });
    const row = (number: number, path: string) => [`[${number}]`, site.origin + path];
    const [growing, sayings] = [row(1, '/growing'), row(known, '/sayings')];
    const gardens = row(added, '/data/gardens.json');
    expect(drawn(pane).links.map(({ text, href }) => [text, href])).toEqual([
      ...[growing, sayings, growing, gardens], // in the text
      ...[growing, sayings, gardens], // in the list
    ]);
    expect(drawn(pane).text).not.toContain(CUT);
    expect(questions(pane)).toEqual(['How does tea grow?']);
    expect(firstAction(pane)).toBe('Open Answer');
    model.assertComplete();
    expectSound(pane);
  });

  it('is unloaded by reopening when a hotkey opened it, and the next launch says so', async () => {
    const { gate, steps } = heldAnswer();
    const { open, supportPath } = await stage({ steps: () => steps });
    const first = await open({ openedByHotkey: true });
    await ask(first, 'How does tea grow?');
    await untilHalf(first);
    await first.back();
    expect(first.windowOpen).toBe(false);
    expect(first.running).toBe(true);
    await first.reopen();
    expect(first.running).toBe(false);
    expect(storedConversation(supportPath).turns[0]).toMatchObject({ state: 'interrupted' });
    gate.open();

    const pane = await open({ openedByHotkey: true });
    await untilTurn(pane, 'interrupted');
    expect(drawn(pane).text).toContain(HALF);
    expect(firstAction(pane)).toBe('Continue');
    expectSound(pane);
  });

  it('is not missing anything when it was unloaded before the first word', async () => {
    const gate = createGate();
    const { open, model } = await stage({
      steps: () => [{ holdBefore: gate, text: 'Never.' }, { text: 'Answered after all.' }],
    });
    const first = await open();
    await ask(first, 'Quick?');
    await gate.reached;
    await first.unload();
    const pane = await open();
    await untilTurn(pane, 'interrupted');
    expect(questions(pane)).toEqual(['Quick?']);
    await pane.enter();
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> Quick?\n\nAnswered after all.');
    expect(model.requests).toHaveLength(2);
    gate.open();
  });
});

describe('a worker, killed in mid-answer', () => {
  it('is waited for, then taken over: every finished exchange is there, and all that was two seconds old', async () => {
    const gate = createGate();
    const never = createGate();
    const { open, model, supportPath } = await stage({
      steps: () => [
        { text: 'A finished answer.' },
        { text: ['Old enough', gate, ' to be kept', never, ' unseen'] },
        { text: ' and continued.' },
      ],
    });
    const first = await open();
    await ask(first, 'One?');
    await untilTurn(first, 'done');
    await ask(first, 'Two?');
    await first.waitFor(() => shown(first).includes('Old enough'), { label: 'the first half' });
    await pause(2_000);
    gate.open();
    await first.waitFor(() => shown(first).includes('to be kept'), { label: 'the last words' });
    await first.kill();
    const left = storedConversation(supportPath);
    expect(left.turns[1]).toMatchObject({ state: 'running' });
    expect(left.owner).toBeDefined();

    const pane = await open();
    await pane.waitFor(() => pane.list().navigationTitle === WAITING, { label: 'the waiting' });
    expect(questions(pane)).toEqual(['Two?', 'One?']);
    expect(pane.list().isLoading).toBe(true);
    await ask(pane, 'Three?');
    expect(pane.toasts.at(-1)?.title).toBe(WAITING);
    expect(pane.list().searchText).toBe('Three?');
    await pane.type('');
    await untilTurn(pane, 'interrupted', 2);

    expect(pane.list().navigationTitle).toBe('Chat with Lam');
    expect(firstAction(pane)).toBe('Continue');
    const [newest = '', oldest = ''] = await everyExchange(pane);
    expect(newest).toContain('Old enough');
    expect(newest).toContain(CUT);
    expect(oldest).toBe('> One?\n\nA finished answer.');
    expect(model.requests).toHaveLength(2);
    const kept = storedConversation(supportPath).turns[1]?.response ?? '';
    await pane.enter();
    await untilTurn(pane, 'done', 2);
    await untilStored(pane, supportPath);
    expect(storedConversation(supportPath)).toMatchObject({
      turns: [
        { response: 'A finished answer.', state: 'done' },
        { response: `${kept} and continued.`, state: 'done' },
      ],
    });
    never.open();
    expectSound(pane);
  });
});

describe('two launches on one store', () => {
  it('never write at the same time, and lose nothing', async () => {
    const [one, two, three] = [createGate(), createGate(), createGate()];
    const { open, model, supportPath } = await stage({
      steps: () => [
        { text: ['First', one, ' answer.'] },
        { text: ['Second', two, ' answer.'] },
        // The refused question may or may not have reached the server.
        { holdBefore: three, text: 'Third answer.' },
        { text: 'Third answer.' },
      ],
    });
    /** Every version of the record that was seen: who writes, and which turns run. */
    const seen: { owner: string | undefined; running: string[] }[] = [];
    const until = (pane: Pane, label: string, condition: () => boolean): Promise<unknown> =>
      pane.waitFor(
        () => {
          for (const { owner, turns } of storedConversations(supportPath)) {
            const running = turns.filter(({ state }) => state === 'running');
            seen.push({
              owner: owner?.launchId,
              running: running.map(({ question }) => question),
            });
          }
          return condition();
        },
        { label },
      );
    const a = await open();
    await ask(a, 'One?');
    await a.waitFor(() => shown(a).includes('First'), { label: 'the first answer' });
    await a.waitFor(() => storedConversation(supportPath).owner !== undefined, { label: 'a save' });

    const b = await open();
    await b.waitFor(() => b.list().navigationTitle === WAITING, { label: 'the waiting' });
    await ask(b, 'Two?');
    expect(b.toasts.at(-1)?.title).toBe(WAITING);
    expect(model.requests).toHaveLength(1);
    one.open();
    await untilTurn(a, 'done');
    await untilTurn(b, 'done');
    expect(shown(b)).toBe('> One?\n\nFirst answer.');
    expect(b.list().searchText).toBe('Two?');

    await b.enter();
    await until(b, 'the second answer', () => shown(b).includes('Second'));
    await until(b, 'its first save', () => seen.some(({ running }) => running.includes('Two?')));
    // The first launch does not know about it, and asks.
    await ask(a, 'Three?');
    await until(a, 'the refusal', () =>
      a.toasts.some(({ title }) => title.startsWith('Lam was started again elsewhere')),
    );
    await until(a, 'the waiting', () => a.list().navigationTitle === WAITING);
    two.open();
    await until(b, 'the second answer', () => b.list().items[0]?.icon === 'check-circle');
    await until(a, 'the way back', () => a.list().navigationTitle === 'Chat with Lam');
    await until(
      a,
      'the third exchange on disk',
      () => storedConversation(supportPath).turns.length === 3,
    );

    expect(storedConversation(supportPath).turns).toMatchObject([
      { question: 'One?', response: 'First answer.', state: 'done' },
      { question: 'Two?', response: 'Second answer.', state: 'done' },
      { question: 'Three?', state: 'interrupted' },
    ]);
    expect(seen.filter(({ running }) => running.length > 1)).toEqual([]);
    const writers = seen.flatMap(({ owner, running }) =>
      running.map((question) => `${question} ${owner ?? 'nobody'}`),
    );
    expect(new Set(writers).size).toBe(1);
    expect(questions(a)).toEqual(['Three?', 'Two?', 'One?']);
    expect(firstAction(a)).toBe('Continue');
    three.open();
    await a.action('Try Again');
    await untilTurn(a, 'done', 3);
    expect(shown(a)).toBe('> Three?\n\nThird answer.');
    expectSound(a);
    expectSound(b);
  });
});

describe('text in the search bar', () => {
  it('is there after an unload, at once, and gone once it was asked', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Yes.' }] });
    const first = await open();
    await first.type('half a quest');
    await first.unload();
    const second = await open();
    await second.waitFor(() => second.list().searchText === 'half a quest', { label: 'the draft' });
    expect(firstAction(second)).toBe('Ask');
    await second.enter();
    await untilTurn(second, 'done');
    await second.unload();
    const third = await open();
    await untilTurn(third, 'done');
    expect(third.list().searchText).toBe('');
  });

  it('is there after a kill', async () => {
    const { open, supportPath } = await stage();
    const first = await open();
    await first.type('half a quest');
    const file = join(supportPath, 'drafts', 'chat.json');
    await first.waitFor(() => existsSync(file) && readFileSync(file, 'utf8').includes('a quest'), {
      label: 'the draft on disk',
    });
    await first.kill();
    const second = await open();
    await second.waitFor(() => second.list().searchText === 'half a quest', { label: 'the draft' });
  });
});

describe('a conversation stored before sources existed', () => {
  it('opens without links, and is gone on with', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'A cheap one.' }] });
    const stored = fixture('before-sources');
    putRecord(supportPath, 'before-sources.json', stored);
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'Ask anything', {
      label: 'the start',
    });
    await pane.action('Conversations…');
    await pane.waitFor(() => pane.depth === 2 && pane.list().items.length === 1, {
      label: 'the conversations',
    });
    expect(pane.list().items[0]).toMatchObject({ title: 'Old talk', section: 'Older' });
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1 && questions(pane).length === 4, {
      label: 'the old conversation',
    });
    const exchanges = (await everyExchange(pane)).map((markdown) => drawPane(markdown));
    expect(exchanges.flatMap(({ links }) => links)).toEqual([]);
    expect(exchanges.at(-1)?.text).toContain('A kettle with a thermostat [1].');
    expect(pane.list().items.map(({ icon }) => icon)).toEqual([
      'check-circle',
      'x-mark-circle',
      'warning',
      'check-circle',
    ]);
    expect(readFileSync(join(supportPath, 'conversations/before-sources.json'), 'utf8')).toBe(
      stored,
    );

    await ask(pane, 'And a cheap one?');
    await untilTurn(pane, 'done', 5);
    expect(shown(pane)).toBe('> And a cheap one?\n\nA cheap one.');
    const told = Request.parse(model.requests[0]?.body).messages;
    expect(told.map(({ content }) => content)).toContain('A kettle with a thermostat (1).');
    await pane.unload();
    const again = await open();
    await untilTurn(again, 'done', 5);
    expect(questions(again)[4]).toBe('Which kettle is best?');
    expectSound(again);
  });
});

describe('a store with broken files', () => {
  it('opens, says which conversation could not be read, and leaves it byte for byte', async () => {
    const { open, supportPath } = await stage({ steps: () => [{ text: 'Still works.' }] });
    const broken = fixture('not-json');
    const path = putRecord(supportPath, 'broken.json', broken);
    const first = await open();
    await first.waitFor(() => first.list().emptyView?.description?.includes('could not be read'), {
      label: 'the sentence',
    });
    expect(first.list().emptyView?.title).toBe('Ask anything');
    expect(first.list().emptyView?.description).toContain('conversations/broken.json');
    await ask(first, 'Works?');
    await untilTurn(first, 'done');
    expect(first.list().items.map(({ section }) => section)).toEqual(['This conversation']);
    await first.action('Conversations…');
    await first.waitFor(() => first.list().items.at(-1)?.section === 'Could Not Be Read', {
      label: 'its row',
    });
    expect(first.list().items.at(-1)?.detail).toContain('conversations/broken.json');
    await first.unload();
    const second = await open();
    await untilTurn(second, 'done');
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expectSound(first);
    expectSound(second);
  });

  it('opens with every kind of broken file at once', async () => {
    const { open, supportPath } = await stage({ steps: () => [{ text: 'Still works.' }] });
    const names = ['future-version', 'not-json', 'hostile', 'malformed'];
    for (const name of names) {
      const path = putRecord(supportPath, `${name}.json`, fixture(name));
      utimesSync(path, 0, 0); // the time of a record that names none: the launch goes on with another
    }
    putRecord(supportPath, 'empty.json', '');
    putRecord(supportPath, 'not ours.json', '{}');
    putConversation(supportPath, makeConversation());
    writeFileSync(join(supportPath, 'index.json'), '{"version":1,"entries":');
    const before = filesIn(supportPath);
    const pane = await open();
    await untilTurn(pane, 'done');
    await pane.action('New Conversation');
    await pane.waitFor(
      () =>
        pane
          .list()
          .emptyView?.description?.includes(
            '4 conversations could not be read; Lam Conversations lists them.',
          ),
      { label: 'the sentence' },
    );
    await ask(pane, 'Works?');
    await untilTurn(pane, 'done');
    await pane.unload();
    const after = filesIn(supportPath);
    for (const [name, content] of Object.entries(before))
      if (name !== 'index.json' && name !== 'conversations/tea.json')
        expect({ name, content: after[name] }).toEqual({ name, content });
    expectSound(pane);
  });

  it('is told about, and the chat goes on, when nothing can be stored', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'First answer.' }, { text: 'Second answer.' }],
    });
    // Also for root, whom permissions do not stop.
    writeFileSync(join(supportPath, 'conversations'), 'a file where the folder should be');
    const pane = await open();
    await ask(pane, 'One?');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> One?\n\nFirst answer.');
    expect(pane.toasts.find(({ title }) => title === 'Not saved')?.message).toContain(
      'move it away',
    );
    await pane.waitFor(() => pane.list().items.some(({ section }) => section === 'Problems'), {
      label: 'the problem',
    });
    await ask(pane, 'Two?');
    await untilTurn(pane, 'done', 2);
    expect(shown(pane)).toBe('> Two?\n\nSecond answer.');
    await pane.select(pane.list().items.findIndex(({ section }) => section === 'Problems'));
    await pane.waitFor(() => drawn(pane).text.includes('could not be saved'), {
      label: 'the sentence',
    });
    await pane.unload();
    expect(filesIn(supportPath)).toEqual({
      conversations: 'a file where the folder should be',
      'drafts/chat.json': '{"version":1,"text":"Two?"}\n', // the next launch has the question at least
    });
    expectSound(pane);
  });
});

describe('a launch after a follow-up', () => {
  it('shows the same text, numbers, links and lists', async () => {
    const { open } = await stage({
      steps: (origin) => [
        { calls: [{ name: 'web_search', arguments: { query: 'harvest' } }] },
        { text: 'Harvest is in spring [2], says [1].' },
        { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/sayings` } }] },
        { text: 'As said [1], and they say [3].' },
      ],
    });
    const first = await open();
    await ask(first, 'When is the harvest?');
    await untilTurn(first, 'done');
    await ask(first, 'What do they say?');
    await untilTurn(first, 'done', 2);
    const before = await everyExchange(first);
    expect(drawPane(before[0] ?? '').links).toHaveLength(4);
    await first.action('Show Whole Conversation');
    await first.waitFor(() => first.depth === 2, { label: 'the whole conversation' });
    const whole = first.detail().markdown;
    await first.unload();

    const second = await open();
    await untilTurn(second, 'done', 2);
    expect(await everyExchange(second)).toEqual(before);
    await second.action('Show Whole Conversation');
    await second.waitFor(() => second.depth === 2, { label: 'the whole conversation' });
    expect(second.detail().markdown).toBe(whole);
    expectSound(second);
  });
});

describe('every action of the panel', () => {
  const ended = (overrides: Parameters<typeof makeTurn>[0]) =>
    makeConversation({ turns: [makeTurn(overrides)] });
  /** How a pane gets into each state, on a store of its own. */
  const states: [
    name: string,
    enter: (open: () => Promise<Pane>, path: string) => Promise<Pane>,
  ][] = [
    ['empty', (open) => open()],
    [
      'typed into',
      async (open) => {
        const pane = await open();
        await pane.type('A question?');
        return pane;
      },
    ],
    [
      'running',
      async (open) => {
        const pane = await open();
        await ask(pane, 'Held?');
        await pane.waitFor(() => shown(pane).includes('Held'), { label: 'the first word' });
        return pane;
      },
    ],
    ...(['done', 'failed', 'stopped', 'interrupted'] as const).map(
      (state): (typeof states)[number] => [
        state,
        async (open, path) => {
          const error = state === 'failed' ? { error: 'The model server failed.' } : {};
          putConversation(path, ended({ state, ...error }));
          const pane = await open();
          await untilTurn(pane, state);
          return pane;
        },
      ],
    ),
    ...['Open Answer', 'Show Whole Conversation', 'Conversations…'].map(
      (title): (typeof states)[number] => [
        `in ${title}`,
        async (open, path) => {
          putConversation(path, ended({}));
          const pane = await open();
          await untilTurn(pane, 'done');
          await pane.action(title);
          await pane.waitFor(() => pane.depth === 2, { label: title });
          if (title === 'Conversations…')
            await pane.waitFor(() => pane.list().items.length === 2, { label: 'the list' });
          return pane;
        },
      ],
    ),
  ];

  it.each(states)('works: %s', async (_name, enter) => {
    const held = createGate();
    const { open } = await stage({
      // More answers than there are actions that ask: each is held, so that nothing changes by itself.
      steps: () => Array.from({ length: 20 }, (): Step => ({ text: ['Held', held] })),
    });
    const { supportPath: spare } = await stage();
    let round = 0;
    const openFresh = async (): Promise<Pane> => {
      const path = join(spare, String(++round));
      putRecord(path, 'unreadable.json', '{');
      const pane = await enter(() => open({ supportPath: path, alertAnswer: true }), path);
      await pane.settled();
      return pane;
    };
    /** What must be the same for the next action to meet the same state. */
    const picture = (pane: Pane): unknown => {
      if (pane.top().type !== 'list') return [pane.depth, pane.detail().navigationTitle];
      const { items, searchText, isLoading } = pane.list();
      return [pane.depth, items.map(({ title, icon }) => [title, icon]), searchText, isLoading];
    };

    let pane = await openFresh();
    const before = picture(pane);
    const found = pane.actions().filter(({ kind }) => kind !== 'submenu');
    expect(found.length).toBeGreaterThan(1);
    for (const { title, submenu } of found) {
      const { depth } = pane;
      await pane.action(submenu === undefined ? title : `${submenu}/${title}`);
      await pane.settled();
      if (pane.depth > depth) {
        await pane.back();
        await pane.settled();
      }
      expectSound(pane);
      const complaints = pane.toasts.filter(({ title: said }) =>
        /^(?:Could not|Something went wrong)/.test(said),
      );
      expect({ title, complaints }).toEqual({ title, complaints: [] });
      if (isDeepStrictEqual(picture(pane), before)) continue;
      await pane.kill();
      pane = await openFresh();
    }
    held.open();
  });
});
