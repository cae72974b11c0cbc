import { describe, expect, it } from 'vitest';

import { launchOf } from '../host/launch';
import { createActivity } from '../host/session/activity';
import { createModelChoice } from '../host/session/models';
import { createProblems } from '../host/session/problems';
import { interrupted } from '../host/session/run';
import { emptyScreen, type ChatState } from '../host/session/state';
import {
  askedAgain,
  goesFurther,
  hasContent,
  isUnfinished,
  replaceTurn,
  titleOf,
} from '../host/session/turns';
import { remedyFor } from '../host/setup/first-run';
import type { AgentEvent } from '../lib/agent';
import { threadOf, variantsOf } from '../lib/thread';
import type { Failure, FailureKind, SearchScope, Turn, TurnState } from '../lib/types';
import { scriptedProvider } from './support/scripted-provider';

const turn = (id: string): Turn => ({
  id,
  question: 'Why?',
  response: '',
  toolCalls: [],
  state: 'done',
  startedAt: 1,
});

const remedy = (failure: Failure) =>
  remedyFor(failure, { modelServer: 'openai-compatible', address: 'http://a.example', model: '' });

const call = (name: string) => ({ name, arguments: {}, result: '', isError: false });

describe('the activity line', () => {
  const search = (query: string, scope?: SearchScope): AgentEvent => ({
    type: 'call-start',
    call: { name: 'web_search', arguments: { query }, ...(scope ? { scope } : {}) },
    position: 0,
  });
  const fetch = (url: string): AgentEvent => ({
    type: 'call-start',
    call: { name: 'web_fetch', arguments: { url } },
    position: 0,
  });
  const end: AgentEvent = {
    type: 'call-end',
    record: { name: 'web_fetch', arguments: {}, result: '', isError: false },
    position: 0,
  };
  const text: AgentEvent = { type: 'text-delta', text: 'Well' };

  it.each<[AgentEvent[], string]>([
    [[{ type: 'turn-start', carried: [] }], 'Thinking…'],
    [[{ type: 'reasoning-delta', text: 'Hm' }], 'Thinking…'],
    [[text], 'Writing…'],
    [[search('tides')], 'Searching the web for "tides"…'],
    [[search('tides', 'Wikipedia')], 'Searching Wikipedia for "tides"…'],
    [[search('tides'), end], 'Thinking…'],
    [[search('a <b>\nc')], 'Searching the web for "a ‹b› c"…'],
    [[fetch('https://docs.example/a/b?c')], 'Reading docs.example…'],
    [[fetch('nonsense')], 'Reading nonsense…'],
    [[fetch('https://a.example'), fetch('https://b.example')], 'Reading a.example… 1 of 2'],
    [[fetch('https://a.example'), fetch('https://b.example'), end], 'Reading b.example… 2 of 2'],
    [[text, { type: 'round-start', round: 2, tools: true }], 'Thinking…'],
    [
      [
        fetch('https://a.example'),
        end,
        { type: 'round-start', round: 2, tools: true },
        search('x'),
      ],
      'Searching the web for "x"…',
    ],
    [
      [{ type: 'call-start', call: { name: 'no_such_tool', arguments: {} }, position: 0 }],
      'Running no_such_tool…',
    ],
    [
      [
        {
          type: 'call-start',
          call: { name: 'attached_file', arguments: { name: 'notes.txt' } },
          position: 0,
        },
      ],
      'Reading notes.txt…',
    ],
  ])('case %#', (events, line) => {
    const follow = createActivity();
    expect(events.map(follow).at(-1)).toBe(line);
  });
});

describe('the model', () => {
  it.each([
    ['qwen3', 1],
    ['', 2],
  ])('set as %j is known after a failure too, asked %d times', async (wanted, asked) => {
    let times = 0;
    const about = { id: 'qwen3', canCallTools: false, contextTokens: 4_096 };
    const { signal } = new AbortController();
    const choice = createModelChoice({
      server: {
        ...scriptedProvider([]),
        listModels: () => {
          times += 1;
          return Promise.resolve({ ok: true, models: [about] });
        },
      },
      choose: () => ({ ok: true, model: 'qwen3' }),
      wanted,
      memory: { load: () => '', save: () => undefined },
      remedyFor: remedy,
      onServer: () => undefined,
      onModels: () => undefined,
    });
    await choice.refresh(signal);
    choice.forget();
    expect(await choice.resolve(signal)).toEqual({ ok: true, model: 'qwen3', about });
    expect(times).toBe(asked);
  });
});

describe('turns', () => {
  it.each([
    ['  How is\n\nthe weather? ', 'How is the weather?'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    ['😀'.repeat(81), `${'😀'.repeat(79)}…`],
  ])('%j is called %j', (question, title) => {
    expect(titleOf(question)).toBe(title);
  });

  it('a turn replaces its namesake, or comes last', () => {
    const conversation = {
      version: 2 as const,
      id: 'c',
      title: '',
      createdAt: 1,
      updatedAt: 1,
      turns: [turn('a'), turn('b')],
    };
    const changed = { ...turn('a'), response: 'New' };
    expect(replaceTurn(conversation, changed).turns).toEqual([changed, turn('b')]);
    expect(replaceTurn(conversation, turn('c')).turns.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(conversation.turns).toEqual([turn('a'), turn('b')]);
  });

  it('a replaced turn keeps its place among the variants', () => {
    const conversation = {
      version: 2 as const,
      id: 'c',
      title: '',
      createdAt: 1,
      updatedAt: 1,
      turns: [turn('a'), { ...turn('x'), parent: '' }],
      head: 'x',
    };
    expect(replaceTurn(conversation, turn('x')).turns[1]).toEqual({ ...turn('x'), parent: '' });
  });

  it('a version that was lost comes back as one, not as a follow-up', () => {
    const conversation = {
      version: 2 as const,
      id: 'c',
      title: '',
      createdAt: 1,
      updatedAt: 1,
      turns: [turn('a'), turn('b')],
    };
    const back = replaceTurn(conversation, { ...turn('x'), parent: 'a' });
    expect(threadOf(back).map(({ id }) => id)).toEqual(['a', 'x']);
    expect(variantsOf(back, 'x').map(({ id }) => id)).toEqual(['b', 'x']);
  });

  it.each<[Partial<Turn>, boolean, boolean]>([
    [{ state: 'done', response: 'Yes.' }, false, true],
    [{ state: 'done', response: 'Yes', cut: true }, true, true],
    [{ state: 'stopped' }, true, false],
    [{ state: 'failed', response: 'Ye' }, true, true],
    [{ state: 'interrupted', toolCalls: [call('web_search')] }, true, true],
    [{ state: 'failed', toolCalls: [call('attached_file')] }, true, false],
    [{ state: 'running', response: 'Ye' }, false, true],
  ])('%j can be taken up: %s, has something to keep: %s', (patch, open, kept) => {
    const changed = { ...turn('a'), ...patch };
    expect([isUnfinished(changed), hasContent(changed)]).toEqual([open, kept]);
  });

  it('a question asked again brings its files along, and nothing of its answer', () => {
    const attachment = { kind: 'text' as const, name: 'n.txt', path: '/tmp/n.txt', size: 3 };
    const asked: Turn = {
      ...turn('a'),
      response: 'Well',
      reasoning: 'Hm',
      error: 'Bad.',
      failureKind: 'cut',
      notice: 'Short.',
      attachments: [attachment],
      web: false,
      parent: 'x',
      toolCalls: [call('attached_file'), call('web_search')],
    };
    expect(askedAgain(asked, 'b', 9)).toEqual({
      id: 'b',
      question: 'Why?',
      response: '',
      attachments: [attachment],
      web: false,
      toolCalls: [call('attached_file')],
      state: 'running',
      startedAt: 9,
    });
  });

  it.each<[string, TurnState, string, boolean]>([
    ['Half an answer', 'interrupted', 'Half', true],
    ['Half an answer', 'interrupted', 'Half an answer', true],
    ['Half an answer', 'interrupted', 'Another', false],
    ['Half', 'interrupted', 'Half an answer', false],
    ['Half an answer', 'done', 'Half', false],
    ['Half an answer', 'stopped', 'Half', false],
    ['Half an answer', 'running', 'Half', false],
  ])('%j here, %s with %j there: ours is kept: %s', (response, there, theirs, kept) => {
    const ours: Turn = { ...turn('a'), response, state: 'interrupted' };
    expect(goesFurther(ours, { ...turn('a'), response: theirs, state: there })).toBe(kept);
  });

  it('a turn that is not stored at all is kept', () => {
    expect(goesFurther(turn('a'), undefined)).toBe(true);
  });

  it('an interrupted turn keeps all that it was offered, for Continue', () => {
    const source = (index: number) => ({ index, title: 'T', url: `https://s${index}.example` });
    const carried = [source(1), source(2)];
    const cut: Turn = { ...turn('a'), response: 'So it is [2].', state: 'running', carried };
    expect(interrupted(cut, 9)).toEqual({ ...cut, state: 'interrupted', endedAt: 9 });
  });
});

describe('problems', () => {
  const unreadable = (id: string) => ({
    id,
    problem: `${id} is torn.`,
    kind: 'unreadable' as const,
  });

  it.each([
    [[], ''],
    [[unreadable('a')], '1 conversation could not be read. a is torn.'],
    [
      [unreadable('a'), unreadable('b')],
      '2 conversations could not be read; Lam Conversations lists them.',
    ],
    [[{ ...unreadable('a'), kind: 'damaged' as const }], ''],
  ])('of the store, case %#', (found, told) => {
    const problems = createProblems([]);
    problems.setStore(found);
    expect(problems.elsewhere()).toBe(told);
    expect(problems.here()).toEqual([]);
  });

  it('a failed save is told first, and only a change is news', () => {
    const problems = createProblems(['A setting is odd.']);
    expect(problems.setSave('a', 'The disk is full.')).toBe(true);
    expect(problems.setSave('a', 'The disk is full.')).toBe(false);
    expect(problems.here()).toEqual(['The disk is full.', 'A setting is odd.']);
    expect(problems.setSave('a', undefined)).toBe(true);
    expect(problems.here()).toEqual(['A setting is odd.']);
  });

  it('a failed save is told until that conversation is saved, and the same sentence once', () => {
    const problems = createProblems([]);
    problems.setSave('a', 'The disk is full.');
    problems.setSave('b', 'The disk is full.');
    expect(problems.here()).toEqual(['The disk is full.']);
    expect(problems.setSave('c', undefined)).toBe(false);
    problems.setSave('b', undefined);
    expect(problems.here()).toEqual(['The disk is full.']);
    problems.setSave('a', undefined);
    expect(problems.here()).toEqual([]);
  });
});

describe('an empty chat', () => {
  const state: ChatState = {
    phase: 'ready',
    conversation: { version: 2, id: 'c', title: '', createdAt: 1, updatedAt: 1, turns: [] },
    draft: '',
    server: { kind: 'ready', model: 'small-model', searches: true },
    serverName: 'Ollama',
    models: [],
    problems: [],
    problemElsewhere: '',
    showToolCalls: false,
    showReasoning: false,
  };

  it('names the model', () => {
    expect(emptyScreen(state)).toEqual({
      kind: 'empty',
      title: 'Ask anything',
      description: 'Answers carry sources you can check. Model: small-model.',
    });
  });

  it('says that only Wikipedia is searched, and how to change that', () => {
    expect(emptyScreen({ ...state, searchScope: 'web' })).toEqual(emptyScreen(state));
    expect(emptyScreen({ ...state, searchScope: 'Wikipedia' }).description).toBe(
      'Answers carry sources you can check. Model: small-model. Searches Wikipedia only; set a SearXNG Address or a search key in the preferences to search the web.',
    );
  });

  it('says that Lam searches where the model cannot', () => {
    const server = { kind: 'ready' as const, model: 'tiny', searches: false };
    expect(emptyScreen({ ...state, server }).description).toBe(
      'tiny cannot call tools, so Lam searches with your question first. Model: tiny.',
    );
  });

  it('says that another launch is writing, and the way out', () => {
    expect(emptyScreen({ ...state, phase: 'waiting' })).toEqual({
      kind: 'waiting',
      title: 'This answer is still being written',
      description:
        'By an earlier start of Lam. It opens here within seconds if that one has ended; Ctrl+N begins another conversation.',
    });
  });

  it.each<[FailureKind, string | undefined, string]>([
    ['unauthorized', undefined, 'The API key was refused'],
    ['unauthorized', 'No credit left', 'No credit left'],
    ['rate-limited', undefined, 'Too many requests'],
    ['bad-request', undefined, 'The model server has a problem'],
  ])('%s with the title %j is called %j', (kind, title, shown) => {
    const failure = { kind, message: 'Do this.', ...(title === undefined ? {} : { title }) };
    const server = { kind: 'failed' as const, failure, remedy: remedy(failure) };
    expect(emptyScreen({ ...state, server }).title).toBe(shown);
  });

  it('looks different in each state', () => {
    const screens = [
      state,
      { ...state, phase: 'loading' as const },
      { ...state, phase: 'waiting' as const },
      ...(
        [
          'not-running',
          'wrong-address',
          'unauthorized',
          'no-model',
          'server-error',
        ] as FailureKind[]
      ).map((kind) => ({
        ...state,
        server: {
          kind: 'failed' as const,
          failure: { kind, message: 'Do this.' },
          remedy: remedy({ kind, message: 'Do this.' }),
        },
      })),
    ].map(emptyScreen);
    expect(new Set(screens.map(({ title }) => title)).size).toBe(screens.length);
  });

  it('a missing server: what to do, and that the question is kept', () => {
    const failure = { kind: 'not-running' as const, message: 'Start Ollama.' };
    const server = { kind: 'failed' as const, failure, remedy: remedy(failure) };
    expect(emptyScreen({ ...state, server })).toMatchObject({
      kind: 'failed',
      title: 'No model server answers',
      description: 'Start Ollama.',
    });
    expect(emptyScreen({ ...state, server, draft: 'Why?' }).description).toBe(
      'Start Ollama. Your question is kept; Return asks all the same.',
    );
  });

  it('says what could not be read', () => {
    const torn = { problems: ['A setting is odd.'], problemElsewhere: '1 file is torn.' };
    expect(emptyScreen({ ...state, ...torn }).description).toMatch(
      /small-model\. A setting is odd\. 1 file is torn\.$/,
    );
  });
});

describe('the launch', () => {
  it.each([
    [{ arguments: { question: 'Why?' } }, { question: 'Why?' }],
    [{ arguments: {} }, {}],
    [{ fallbackText: 'why' }, { fallbackText: 'why' }],
    [{ arguments: { question: 7 } }, {}],
    [{ arguments: { conversation: 'c-1' } }, { conversation: 'c-1' }],
    // A link must not ask in a conversation that is there.
    [
      { arguments: { question: 'Why?', conversation: 'c-1' }, fallbackText: 'x' },
      { conversation: 'c-1' },
    ],
    [{ arguments: { question: '', conversation: '' } }, { question: '' }],
    [undefined, {}],
    [{ arguments: null }, {}],
  ])('%j', (props, launch) => {
    expect(launchOf(props)).toEqual(launch);
  });
});
