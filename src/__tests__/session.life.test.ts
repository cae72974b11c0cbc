import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Launch } from '../host/session';
import type { SaveOutcome } from '../host/store/conversations';
import type { Conversation, Turn } from '../lib/types';
import { gate } from './support/gate';
import { ask, deltas, failure, say } from './support/scripted-provider';
import {
  desk,
  hasEnded,
  isReady,
  scriptedServer,
  timeline,
  until,
  type Desk,
} from './support/session-ports';

let folder: string;
const open: Desk[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lam-session-'));
});

afterEach(() => {
  for (const { session } of open.splice(0)) session.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A desk that is closed when the test ends. */
function sit(options: Parameters<typeof desk>[1] = {}): Desk {
  const made = desk(folder, options);
  open.push(made);
  return made;
}

async function ready(made: Desk, launch = {}): Promise<void> {
  await made.session.start(launch);
  await until(made.session, isReady);
}

const stored = (id: string): Conversation =>
  JSON.parse(readFileSync(join(folder, 'conversations', `${id}.json`), 'utf8')) as Conversation; // written by the store a moment ago

function put(conversation: Conversation): void {
  mkdirSync(join(folder, 'conversations'), { recursive: true });
  writeFileSync(
    join(folder, 'conversations', `${conversation.id}.json`),
    JSON.stringify(conversation),
  );
}

function turn(overrides: Partial<Turn> = {}): Turn {
  return {
    id: 'turn-1',
    question: 'What was it?',
    response: 'It was this.',
    toolCalls: [],
    state: 'done',
    startedAt: 1,
    ...overrides,
  };
}

function conversation(overrides: Partial<Conversation> = {}): Conversation {
  return {
    version: 2,
    id: 'old',
    title: 'What was it?',
    createdAt: 1,
    updatedAt: 1,
    turns: [turn()],
    ...overrides,
  };
}

const lastOf = (made: Desk) => made.session.getState().conversation.turns.at(-1);

describe('asking', () => {
  it('streams an answer, stores it and empties the search bar', async () => {
    const made = sit({ steps: [say('Rain ', 'is likely.')] });
    await ready(made);
    made.session.setDraft(' How is\nthe weather? ');
    expect(made.session.ask(made.session.getState().draft)).toBe(true);
    expect(made.session.getState()).toMatchObject({ draft: '', running: { answer: '' } });
    const state = await until(made.session, hasEnded);
    expect(state.conversation).toMatchObject({ title: 'How is the weather?' });
    expect(lastOf(made)).toMatchObject({
      question: 'How is\nthe weather?',
      response: 'Rain is likely.',
      state: 'done',
      model: 'small-model',
    });
    made.session.close();
    expect(stored(state.conversation.id).turns).toMatchObject([
      { state: 'done', response: 'Rain is likely.' },
    ]);
    expect(stored(state.conversation.id)).not.toHaveProperty('owner');
  });

  it.each(['', '   ', '\n\t'])('ignores the empty question %j', async (question) => {
    const made = sit();
    await ready(made);
    expect(made.session.ask(question)).toBe(false);
    expect(made.session.getState().conversation.turns).toEqual([]);
  });

  it('refuses a second question while the first is answered, and keeps its text', async () => {
    const made = sit({ steps: [[...deltas('Well'), 'hang']] });
    await ready(made);
    made.session.ask('First?');
    made.session.setDraft('Second?');
    expect(made.session.ask('Second?')).toBe(false);
    expect(made.session.getState().draft).toBe('Second?');
    expect(made.notices).toEqual([
      {
        style: 'failure',
        title: 'Still answering',
        message: 'Press Return again when it is done; Ctrl+. stops it',
      },
    ]);
  });

  it('asks the question of the launch as soon as the conversation is open', async () => {
    const made = sit({ steps: [say('Yes.')] });
    await made.session.start({ question: 'Is it?' });
    await until(made.session, hasEnded);
    expect(lastOf(made)).toMatchObject({ question: 'Is it?', response: 'Yes.' });
    expect(made.session.getState().draft).toBe('');
  });

  it.each<[Launch, string[]]>([
    [{ question: 'Is it?' }, ['Is it?']],
    [{ fallbackText: 'is it' }, []],
    [{ question: ' ', fallbackText: '' }, ['What was it?']],
    [{}, ['What was it?']],
  ])(
    'a launch with %j shows %j: a text of its own begins a conversation',
    async (launch, shown) => {
      put(conversation({ updatedAt: timeline().now() }));
      const made = sit({ steps: [say('Yes.')] });
      await ready(made, launch);
      await until(made.session, (state) => state.running === undefined);
      const { turns } = made.session.getState().conversation;
      expect(turns.map(({ question }) => question)).toEqual(shown);
    },
  );

  it('asks a question that was sent before the conversation was open', async () => {
    const made = sit({ steps: [say('Yes.')] });
    const opening = made.session.start({});
    made.session.setDraft('Is it?');
    expect(made.session.ask('Is it?')).toBe(false);
    await opening;
    await until(made.session, hasEnded);
    expect(lastOf(made)).toMatchObject({ question: 'Is it?', state: 'done' });
    expect(made.session.getState().draft).toBe('');
  });

  it('hands the model what was said before', async () => {
    const seen: string[][] = [];
    const made = sit({
      steps: [
        say('One.'),
        (request) => {
          seen.push(request.messages.map(({ role, content }) => `${role}: ${content}`));
          return say('Two.');
        },
      ],
    });
    await ready(made);
    made.session.ask('First?');
    await until(made.session, hasEnded);
    made.session.ask('Second?');
    await until(made.session, (state) => hasEnded(state) && state.conversation.turns.length === 2);
    expect(seen[0]?.slice(1)).toEqual(['user: First?', 'assistant: One.', 'user: Second?']);
  });
});

describe('ending', () => {
  it('stop keeps what there is', async () => {
    const made = sit({ steps: [[...deltas('Half an'), 'hang']] });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, () => lastOf(made)?.response === 'Half an' || tickFrames(made));
    made.session.stop();
    await until(made.session, hasEnded);
    expect(lastOf(made)).toMatchObject({ state: 'stopped', response: 'Half an' });
  });

  it('a failing server leaves the question with one sentence, and Try Again replaces it in place', async () => {
    const made = sit({
      steps: [[failure('server-error', 'The server is ill.')], say('Better now.')],
    });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, hasEnded);
    const failed = lastOf(made);
    expect(failed).toMatchObject({
      question: 'Why?',
      state: 'failed',
      error: 'The server is ill.',
    });
    made.session.retry();
    await until(made.session, (state) => state.running !== undefined);
    await until(made.session, hasEnded);
    expect(made.session.getState().conversation.turns).toMatchObject([
      { id: failed?.id, question: 'Why?', state: 'done', response: 'Better now.' },
    ]);
    expect(lastOf(made)).not.toHaveProperty('error');
  });

  it('no model: the question is kept, and the next one looks again', async () => {
    let installed = false;
    const made = sit({
      server: scriptedServer([say('Here.')], () =>
        Promise.resolve({ ok: true, models: installed ? [{ id: 'new-model' }] : [] }),
      ),
    });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, hasEnded);
    expect(lastOf(made)).toMatchObject({ state: 'failed', error: 'No model is installed.' });
    installed = true;
    made.session.retry();
    await until(made.session, (state) => hasEnded(state) && lastOf(made)?.state === 'done');
    expect(lastOf(made)).toMatchObject({ model: 'new-model', response: 'Here.' });
  });

  it('a model that is set is asked although the server cannot list any', async () => {
    const made = sit({
      settings: { model: 'my-model' },
      server: scriptedServer([say('Here.')], () =>
        Promise.resolve({
          ok: false,
          failure: { kind: 'wrong-address', message: 'There is no list.' },
        }),
      ),
    });
    await ready(made);
    await until(made.session, (state) => state.server.kind === 'failed');
    made.session.ask('Why?');
    await until(made.session, hasEnded);
    expect(lastOf(made)).toMatchObject({ model: 'my-model', state: 'done' });
  });

  it.each<[string, boolean | undefined, boolean]>([
    ['tiny', false, false],
    ['tiny', true, true],
    ['tiny', undefined, true],
    ['another', false, true],
  ])('the model %s was set, tools of tiny: %s; it searches: %s', async (model, tools, searches) => {
    const made = sit({
      settings: { model },
      server: scriptedServer([], () =>
        Promise.resolve({
          ok: true,
          models: [{ id: 'tiny', ...(tools === undefined ? {} : { canCallTools: tools }) }],
        }),
      ),
    });
    await ready(made);
    const { server } = await until(made.session, (state) => state.server.kind !== 'checking');
    expect(server).toEqual({ kind: 'ready', model, searches });
  });

  it('close stores the running turn at once as interrupted, and nothing is written after', async () => {
    const held = gate<undefined>();
    const signals: AbortSignal[] = [];
    const made = sit({
      steps: [
        (_request, signal) => {
          signals.push(signal);
          return [...deltas('Half'), held.promise, ...deltas(' and half.')];
        },
      ],
    });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, () => lastOf(made)?.response === 'Half' || tickFrames(made));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    made.session.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    const { id } = made.session.getState().conversation;
    const atClose = stored(id);
    expect(atClose.turns).toMatchObject([{ state: 'interrupted', response: 'Half' }]);
    expect(atClose).not.toHaveProperty('owner');
    held.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    made.clock.advance(60_000);
    expect(stored(id)).toEqual(atClose);
    expect(made.clock.waiting()).toBe(0);
  });

  it('Continue goes on behind what was kept, with the sources under their numbers', async () => {
    const clock = timeline();
    const first = sit({
      clock,
      steps: [
        ask([{ name: 'web_search', arguments: { query: 'x' } }]),
        [...deltas('Half'), 'hang'],
      ],
    });
    await ready(first);
    first.session.ask('Why?');
    await until(first.session, () => lastOf(first)?.response === 'Half' || tickFrames(first));
    first.session.close();

    const second = sit({ clock, launchId: 'launch-2', steps: [say(' and half.')] });
    await ready(second);
    expect(lastOf(second)).toMatchObject({ state: 'interrupted', response: 'Half' });
    second.session.continueTurn();
    await until(second.session, (state) => state.running !== undefined);
    await until(second.session, hasEnded);
    expect(second.session.getState().conversation.turns).toHaveLength(1);
    expect(lastOf(second)).toMatchObject({ state: 'done', response: 'Half and half.' });
    expect(lastOf(second)?.toolCalls).toHaveLength(1);
  });

  it('Continue hands the model the sources of before under their numbers, and counts on', async () => {
    const source = (index: number) => ({
      index,
      title: `Page ${index}`,
      url: `https://page-${index}.example/`,
    });
    const call = {
      name: 'web_search',
      arguments: { query: 'x' },
      result: '[2] Page 2\n   https://page-2.example/',
      isError: false,
      sources: [source(2)],
    };
    put(
      conversation({
        updatedAt: timeline().now(),
        turns: [
          turn({
            state: 'interrupted',
            response: 'So [1] and [2]',
            carried: [source(1)],
            toolCalls: [call],
          }),
        ],
      }),
    );
    const seen: string[] = [];
    const hit = { title: 'Page 3', url: 'https://page-3.example/', content: 'More.' };
    const made = sit({
      web: { searches: { y: [hit] } },
      steps: [
        (request) => {
          seen.push(...request.messages.map(({ content }) => content));
          return ask([{ name: 'web_search', arguments: { query: 'y' } }]);
        },
        say(' and [3].'),
      ],
    });
    await ready(made);
    made.session.continueTurn();
    await until(made.session, (state) => state.running !== undefined);
    await until(made.session, hasEnded);
    const told = seen.join('\n');
    expect(told).toMatch(/\[1\] Page 1.*https:\/\/page-1\.example/);
    expect(told).toContain('[2] Page 2');
    expect(lastOf(made)).toMatchObject({
      state: 'done',
      response: 'So [1] and [2] and [3].',
      carried: [source(1)],
      toolCalls: [{ sources: [source(2)] }, { sources: [{ index: 3, url: hit.url }] }],
    });
  });
});

describe('opening', () => {
  const NOW = timeline().now();

  it.each([
    [29 * 60_000, 1],
    [31 * 60_000, 0],
  ])('a conversation changed %d ms ago shows %d exchange(s)', async (age, exchanges) => {
    put(conversation({ updatedAt: NOW - age }));
    const made = sit();
    await ready(made);
    expect(made.session.getState().conversation.turns).toHaveLength(exchanges);
  });

  it('an answer that a dead launch left running is shown however old it is, as interrupted', async () => {
    put(
      conversation({
        updatedAt: NOW - 86_400_000,
        owner: { launchId: 'dead', heartbeatAt: NOW - 86_400_000 },
        turns: [turn({ state: 'running', response: 'Half' })],
      }),
    );
    const made = sit();
    await ready(made);
    expect(lastOf(made)).toMatchObject({ state: 'interrupted', response: 'Half' });
  });

  it.each(['done', 'stopped', 'failed', 'interrupted'] as const)(
    'a last answer that is a day old and %s',
    async (ending) => {
      put(conversation({ updatedAt: NOW - 86_400_000, turns: [turn({ state: ending })] }));
      const made = sit();
      await ready(made);
      const shown = made.session.getState().conversation.turns.length;
      expect(shown).toBe(ending === 'interrupted' ? 1 : 0);
    },
  );

  it('waits for another launch that is answering, and refuses to write meanwhile', async () => {
    const clock = timeline();
    const first = sit({ clock, steps: [[...deltas('Half'), 'hang']] });
    await ready(first);
    first.session.ask('Why?');
    const { id } = first.session.getState().conversation;
    await first.store.save(first.session.getState().conversation);

    const second = sit({ clock, launchId: 'launch-2' });
    await second.session.start({});
    await until(second.session, (state) => state.phase === 'waiting');
    expect(second.session.getState().conversation.id).toBe(id);
    expect(second.session.ask('Me too?')).toBe(false);
    expect(second.notices).toEqual([
      {
        style: 'failure',
        title: 'This answer is still being written',
        message: 'Wait for it, or press Ctrl+N',
      },
    ]);
    second.session.retry();
    second.session.continueTurn();
    expect(second.session.getState().running).toBeUndefined();

    first.session.close();
    clock.advance(500);
    await until(second.session, isReady);
    expect(lastOf(second)).toMatchObject({ state: 'interrupted' });
  });

  it('begins another conversation instead of waiting', async () => {
    const clock = timeline();
    put(
      conversation({
        owner: { launchId: 'other', heartbeatAt: clock.now() },
        turns: [turn({ state: 'running' })],
      }),
    );
    const made = sit({ clock, steps: [say('Yes.')] });
    await made.session.start({});
    await until(made.session, (state) => state.phase === 'waiting');
    made.session.newConversation();
    clock.advance(500);
    expect(made.session.ask('Is it?')).toBe(true);
    await until(made.session, hasEnded);
    expect(made.session.getState().conversation.turns).toMatchObject([{ question: 'Is it?' }]);
  });

  it('takes over from a launch whose heartbeat has stopped, and asks what was waiting', async () => {
    const clock = timeline();
    put(
      conversation({
        updatedAt: clock.now(),
        owner: { launchId: 'dying', heartbeatAt: clock.now() },
        turns: [turn({ state: 'running', response: 'Half' })],
      }),
    );
    const made = sit({ clock, steps: [say('Later.')] });
    const opening = made.session.start({});
    made.session.setDraft('And then?');
    made.session.ask('And then?');
    await opening;
    await until(made.session, (state) => state.phase === 'waiting');
    expect(made.session.getState().draft).toBe('And then?');
    for (let waited = 0; waited < 7_000; waited += 500) {
      clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 5)); // lets the store read the file
    }
    await until(made.session, (state) => hasEnded(state) && state.conversation.turns.length === 2);
    expect(made.session.getState().conversation.turns).toMatchObject([
      { state: 'interrupted' },
      { question: 'And then?', state: 'done' },
    ]);
    expect(made.session.getState().draft).toBe('');
  });

  it('shows what was opened last, although what was opened before answers later', async () => {
    put(conversation({ id: 'slow' }));
    put(conversation({ id: 'quick' }));
    const held = gate<undefined>();
    const made = sit({
      store: (real) => ({
        async claim(id) {
          if (id === 'slow') await held.promise;
          return real.claim(id);
        },
      }),
    });
    await ready(made);
    made.session.openConversation('slow');
    made.session.openConversation('quick');
    await until(made.session, (state) => isReady(state) && state.conversation.id === 'quick');
    held.resolve(undefined);
    await made.store.load('slow');
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.session.getState()).toMatchObject({
      phase: 'ready',
      conversation: { id: 'quick' },
    });
  });

  it('says that a file could not be read, and opens the rest', async () => {
    put(conversation({ updatedAt: NOW - 1_000 }));
    writeFileSync(join(folder, 'conversations', 'broken.json'), '{"version":1,');
    const made = sit();
    await ready(made);
    const { conversation: shown, problems, problemElsewhere } = made.session.getState();
    expect(shown.turns).toHaveLength(1);
    expect(problems).toEqual([]);
    expect(problemElsewhere).toMatch(/^1 conversation could not be read\./);
    expect(await made.session.deleteConversation('broken')).toEqual({ kind: 'deleted' });
    await made.session.listConversations();
    expect(made.session.getState().problemElsewhere).toBe('');
  });

  it('deleting the conversation on screen leaves a fresh one, and nothing brings it back', async () => {
    put(conversation({ updatedAt: NOW }));
    const made = sit();
    await ready(made);
    expect(await made.session.deleteConversation('old')).toEqual({ kind: 'deleted' });
    expect(made.session.getState().conversation.turns).toEqual([]);
    made.session.close();
    expect((await made.store.list()).entries).toEqual([]);
  });

  it('neither opens nor deletes while a turn is running', async () => {
    put(conversation({ updatedAt: NOW - 86_400_000 }));
    const made = sit({ steps: [['hang']] });
    await ready(made);
    made.session.ask('Why?');
    const { id } = made.session.getState().conversation;
    expect(made.session.openConversation('old')).toBe(false);
    made.session.newConversation();
    expect(made.session.getState().conversation.id).toBe(id);
    expect(made.notices.map(({ message }) => message)).toEqual([
      'Stop it first (Ctrl+.)',
      'Stop it first (Ctrl+.)',
    ]);
    const message = 'It is still being answered. Stop it first.';
    expect(made.session.whyNotDelete(id)).toBe(message);
    expect(made.session.whyNotDelete('old')).toBeUndefined();
    expect(await made.session.deleteConversation(id)).toEqual({ kind: 'failed', message });
  });
});

describe('saving', () => {
  it('writes a running turn every 1.5 s, which is also its heartbeat', async () => {
    const made = sit({ steps: [[...deltas('Half'), 'hang']] });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, () => lastOf(made)?.response === 'Half' || tickFrames(made));
    const { id } = made.session.getState().conversation;
    made.clock.advance(1_500);
    await made.store.load(id); // runs after the saves asked for before it
    expect(stored(id)).toMatchObject({
      owner: { launchId: 'launch-1', heartbeatAt: made.clock.now() },
      turns: [{ state: 'running', response: 'Half' }],
    });
    made.clock.advance(1_500);
    await made.store.load(id);
    expect(stored(id).owner?.heartbeatAt).toBe(made.clock.now());
  });

  it('tells a failing disk once, goes on answering, and forgets the problem when it is over', async () => {
    let outcome: SaveOutcome = { kind: 'failed', message: 'The disk is full.' };
    const made = sit({
      steps: [say('Yes.'), say('Again.')],
      store: () => ({ save: () => Promise.resolve(outcome) }),
    });
    await ready(made);
    made.session.ask('Why?');
    await until(made.session, (state) => hasEnded(state) && state.problems.length > 0);
    expect(lastOf(made)).toMatchObject({ state: 'done', response: 'Yes.' });
    expect(made.session.getState().problems).toEqual(['The disk is full.']);
    expect(made.notices).toEqual([
      { style: 'failure', title: 'Not saved', message: 'The disk is full.' },
    ]);
    outcome = { kind: 'saved' };
    made.session.ask('And now?');
    await until(made.session, (state) => hasEnded(state) && state.problems.length === 0);
    expect(made.notices).toHaveLength(1);
  });

  it.each([
    ['that was stored before', true],
    ['that was never stored', false],
  ])(
    'a save that answers lost ownership ends the run and keeps the turn %s',
    async (_name, kept) => {
      put(conversation({ updatedAt: timeline().now() }));
      const left = { state: 'interrupted', response: kept ? 'Half' : '' };
      let lost = false;
      const made = sit({
        steps: [[...deltas('Half'), 'hang']],
        store: (real) => ({
          save: (record) =>
            lost ? Promise.resolve({ kind: 'lost-ownership' }) : real.save(record),
        }),
      });
      await ready(made);
      lost = !kept;
      made.session.ask('Why?');
      await made.store.load('old'); // runs after the saves asked for before it
      if (kept) {
        await until(made.session, () => lastOf(made)?.response === 'Half' || tickFrames(made));
        lost = true;
        made.clock.advance(1_500);
      }
      lost = false;
      made.session.setDraft('And now?');
      await until(
        made.session,
        (state) =>
          isReady(state) && state.running === undefined && lastOf(made)?.question === 'Why?',
      );
      expect(made.session.getState()).toMatchObject({
        draft: 'And now?',
        conversation: { turns: [{ state: 'done' }, left] },
      });
      made.session.close();
      expect(stored('old').turns).toMatchObject([{ state: 'done' }, left]);
    },
  );

  it('a conversation that another launch deleted while it was answered: the question is kept', async () => {
    put(conversation({ updatedAt: timeline().now() }));
    const made = sit({ steps: [[...deltas('Half'), 'hang']] });
    const other = desk(folder, { launchId: 'launch-2' });
    open.push(other);
    await ready(made);
    made.session.ask('Why?');
    await made.store.load('old');
    expect(await other.session.deleteConversation('old')).toEqual({ kind: 'deleted' });
    made.clock.advance(1_500);
    await until(made.session, (state) => isReady(state) && state.conversation.id !== 'old');
    expect(made.notices[0]?.title).toBe('Lam was started again elsewhere and goes on there');
    expect(made.session.getState()).toMatchObject({ draft: 'Why?', conversation: { turns: [] } });
    expect((await made.store.list()).entries).toEqual([]);
  });
});

describe('the text in the search bar', () => {
  it('of a question is kept until the question is in its conversation', async () => {
    const clock = timeline();
    let answer: (outcome: SaveOutcome) => void = () => undefined;
    const slow = new Promise<SaveOutcome>((resolve) => {
      answer = resolve;
    });
    const made = sit({ clock, steps: [['hang']], store: () => ({ save: () => slow }) });
    await ready(made);
    made.session.setDraft('Why?');
    made.session.ask('Why?');
    expect(made.session.getState().draft).toBe('');

    /** What a launch would find in its search bar if the first were killed now. */
    const left = async () => {
      clock.advance(300);
      const next = sit({ clock, launchId: 'launch-2' });
      await ready(next);
      return next.session.getState().draft;
    };
    expect(await left()).toBe('Why?');
    answer({ kind: 'saved' });
    await slow;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await left()).toBe('');
  });

  it.each<[SaveOutcome, string]>([
    [{ kind: 'failed', message: 'The disk is full.' }, 'Why?'],
    [{ kind: 'saved' }, ''],
  ])('after a close whose save answers %j is %j', async (outcome, left) => {
    const clock = timeline();
    const never = new Promise<SaveOutcome>(() => undefined);
    const made = sit({
      clock,
      steps: [['hang']],
      store: () => ({ save: () => never, saveSync: () => outcome }),
    });
    await ready(made);
    made.session.setDraft('Why?');
    made.session.ask('Why?');
    made.session.close();
    const next = sit({ clock, launchId: 'launch-2' });
    await ready(next);
    expect(next.session.getState().draft).toBe(left);
  });

  it('is there again at the next launch', async () => {
    const clock = timeline();
    const first = sit({ clock });
    await ready(first);
    first.session.setDraft('Half a quest');
    first.session.close();
    const second = sit({ clock, launchId: 'launch-2' });
    await ready(second);
    expect(second.session.getState().draft).toBe('Half a quest');
  });

  it('makes room for the text of the launch, and comes back afterwards', async () => {
    const clock = timeline();
    const first = sit({ clock });
    await ready(first);
    first.session.setDraft('Half a quest');
    first.session.close();

    const second = sit({ clock, launchId: 'launch-2', steps: [say('Yes.')] });
    await ready(second, { fallbackText: 'typed in root search' });
    expect(second.session.getState().draft).toBe('typed in root search');
    expect(second.session.getState().conversation.turns).toEqual([]);
    second.session.ask('typed in root search');
    clock.advance(300);
    second.session.setDraft('typed in root search'); // the launcher's echo
    expect(second.session.getState().draft).toBe('');
    second.session.close();

    const third = sit({ clock, launchId: 'launch-3' });
    await ready(third);
    expect(third.session.getState().draft).toBe('Half a quest');
  });
});

describe('pictures', () => {
  it('gathers what streams in, and the answer only ever grows', async () => {
    const words = (from: number) => Array.from({ length: 50 }, (_, n) => `word${from + n} `);
    const gates = [1, 2, 3].map(() => gate<undefined>());
    const made = sit({
      steps: [
        [
          ...deltas(...words(0)),
          ...gates.flatMap(({ promise }, n) => [promise, ...deltas(...words(50 * (n + 1)))]),
          { type: 'end', reason: 'stop' },
        ],
      ],
    });
    await ready(made);
    const answers: string[] = [];
    made.session.subscribe(() => {
      const { running } = made.session.getState();
      if (running) answers.push(running.answer);
    });
    made.session.ask('Why?');
    for (const { resolve } of gates) {
      await new Promise((done) => setImmediate(done)); // lets the model say what it has until the next gate
      made.clock.advance(80);
      resolve(undefined);
    }
    await until(made.session, hasEnded);
    expect(answers.length).toBeLessThan(20);
    expect(new Set(answers.filter((answer) => answer !== '')).size).toBeGreaterThanOrEqual(3);
    for (const [place, answer] of answers.entries())
      expect(answer.startsWith(answers[place - 1] ?? '')).toBe(true);
  });

  it('a snapshot never changes', async () => {
    const made = sit({ steps: [say('Yes.')] });
    await ready(made);
    const before = made.session.getState();
    const copy = structuredClone(before);
    made.session.ask('Why?');
    await until(made.session, hasEnded);
    expect(before).toEqual(copy);
    expect(made.session.getState()).not.toBe(before);
  });
});

/** Lets the frame timer fire; gives false, so that it can stand in a condition. */
function tickFrames(made: Desk): false {
  queueMicrotask(() => {
    setTimeout(() => {
      made.clock.advance(80);
    }, 1);
  });
  return false;
}
