import { describe, expect, it } from 'vitest';

import { buildSystemPrompt, runAgent, type AgentEvent } from '../lib/agent';
import { DEFAULT_SYSTEM_PROMPT } from '../lib/constants';
import type { ChatEvent, ChatRequest, SearchPort } from '../lib/types';
import { agentOptions } from './support/agent-options';
import {
  ask,
  deltas,
  failure,
  say,
  scriptedProvider,
  type ScriptStep,
} from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const web = smallWeb({
  searches: {
    tea: [{ title: 'Tea', url: 'https://tea.example', content: 'Hot.' }],
    milk: [{ title: 'Milk', url: 'https://milk.example', content: 'Cold.' }],
  },
  pages: { 'https://tea.example': { title: 'Tea', text: 'Leaves.' } },
});
const searchFor = (query: string, id?: string) => ({
  name: 'web_search',
  arguments: { query },
  ...(id === undefined ? {} : { id }),
});
const end = (reason: 'stop' | 'tool-calls' | 'length' | 'filtered'): ChatEvent => ({
  type: 'end',
  reason,
});

/** Runs a script to its end and gives what came of it. */
async function play(
  steps: readonly ScriptStep[],
  overrides: Parameters<typeof agentOptions>[0] = {},
) {
  const provider = scriptedProvider(steps);
  const events: AgentEvent[] = [];
  const turn = await runAgent(
    agentOptions({
      onEvent: (event) => events.push(event),
      ...overrides,
      ports: { ...web, provider, ...overrides.ports },
    }),
  );
  provider.assertComplete();
  return { turn, events, requests: provider.requests };
}

it('answers without tools', async () => {
  const { turn, events, requests } = await play([say('Hel', 'lo.')]);
  expect(turn).toEqual({ response: 'Hello.', toolCalls: [], state: 'done', endedAt: 1_000 });
  expect(events.map(({ type }) => type)).toEqual([
    'turn-start',
    'round-start',
    'text-delta',
    'text-delta',
    'turn-end',
  ]);
  expect(requests).toMatchObject([
    {
      model: 'small-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is it?' },
      ],
      tools: [{ name: 'web_search' }, { name: 'web_fetch' }],
    },
  ]);
});

it('tells everything in order, and gives each round’s text back with its calls and their results', async () => {
  const { turn, events, requests } = await play([
    ask([searchFor('tea', 'a'), searchFor('milk', 'b')], 'Let me look.\n'),
    ask([{ id: 'c', name: 'web_fetch', arguments: '{"url":"https://tea.example"}' }]),
    say('Tea is hot [1].'),
  ]);
  expect(
    events.map((event) => ('position' in event ? `${event.type} ${event.position}` : event.type)),
  ).toEqual([
    'turn-start',
    'round-start',
    'text-delta',
    'call-start 0',
    'call-start 1',
    'call-end 0',
    'call-end 1',
    'round-start',
    'call-start 2',
    'call-end 2',
    'round-start',
    'text-delta',
    'turn-end',
  ]);
  expect(turn.response).toBe('Let me look.\n\nTea is hot [1].');
  expect(
    turn.toolCalls.map(({ name, sources, statuses }) => ({ name, sources, statuses })),
  ).toEqual([
    {
      name: 'web_search',
      sources: [{ index: 1, title: 'Tea', url: 'https://tea.example' }],
      statuses: [{ index: 1, status: 'hit' }],
    },
    {
      name: 'web_search',
      sources: [{ index: 2, title: 'Milk', url: 'https://milk.example' }],
      statuses: [{ index: 2, status: 'hit' }],
    },
    { name: 'web_fetch', statuses: [{ index: 1, status: 'read' }] },
  ]);
  expect(requests[2]?.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'Let me look.',
      toolCalls: [
        { id: 'a', name: 'web_search', arguments: { query: 'tea' } },
        { id: 'b', name: 'web_search', arguments: { query: 'milk' } },
      ],
    },
    { role: 'tool', toolCallId: 'a', toolName: 'web_search', content: turn.toolCalls[0]?.result },
    { role: 'tool', toolCallId: 'b', toolName: 'web_search', content: turn.toolCalls[1]?.result },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'web_fetch', arguments: { url: 'https://tea.example' } }],
    },
    { role: 'tool', toolCallId: 'c', toolName: 'web_fetch', content: turn.toolCalls[2]?.result },
  ]);
});

describe('calls of one round', () => {
  it('run at the same time and register in call order', async () => {
    const started: string[] = [];
    const finished: string[] = [];
    const gates = new Map<string, () => void>();
    const search: SearchPort = async (query, signal) => {
      started.push(query);
      await new Promise<void>((resolve) => gates.set(query, resolve));
      finished.push(query);
      return web.search(query, signal);
    };
    const ended: number[] = [];
    const onEvent = (event: AgentEvent) => {
      if (event.type === 'call-end') ended.push(event.position);
    };
    const provider = scriptedProvider([ask([searchFor('tea'), searchFor('milk')]), say('Done.')]);
    const running = runAgent(agentOptions({ onEvent, ports: { ...web, search, provider } }));
    await expect.poll(() => started).toEqual(['tea', 'milk']);
    gates.get('milk')?.();
    await expect.poll(() => finished).toEqual(['milk']);
    expect(ended).toEqual([]);
    gates.get('tea')?.();
    const turn = await running;
    expect(ended).toEqual([0, 1]);
    expect(turn.toolCalls.map(({ sources }) => sources?.[0]?.index)).toEqual([1, 2]);
  });

  it('that cannot be run are results beside the others', async () => {
    const { turn, requests } = await play([
      ask([
        { name: 'no such tool', arguments: {} },
        searchFor('tea'),
        { name: 'web_fetch', arguments: '{"url":' },
      ]),
      say('Done.'),
    ]);
    expect(turn.toolCalls.map(({ name, isError }) => [name, isError])).toEqual([
      ['no_such_tool', true],
      ['web_search', false],
      ['web_fetch', true],
    ]);
    expect(turn.toolCalls[1]?.sources?.[0]?.index).toBe(1);
    expect(turn.toolCalls[2]?.arguments).toEqual({ unreadable: '{"url":' });
    expect(requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });

  it.each([
    ['missing', ['', '']],
    ['the same', ['x', 'x']],
    ['like the ones Lam makes', ['call-2', '']],
  ])('get ids that differ when theirs are %s', async (_, ids) => {
    const { requests } = await play([
      ask(ids.map((id, n) => searchFor(`q${n}`, id))),
      ask([searchFor('later', ids[0])]),
      say('Done.'),
    ]);
    const answered = requests[2]?.messages.flatMap((message) =>
      message.role === 'tool' ? [message.toolCallId] : [],
    );
    const asked = requests[2]?.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
    expect(answered).toEqual(asked);
    expect(new Set(answered).size).toBe(3);
    expect(answered).not.toContain('');
  });
});

describe('text and reasoning', () => {
  it.each<[string, string[][], string]>([
    ['rounds are joined by a blank line', [['One.'], ['Two.']], 'One.\n\nTwo.'],
    [
      'white space at both ends of a round is left out',
      [
        ['\n\n', ' One. ', '\n'],
        ['\n', 'Two.', '\n'],
      ],
      'One.\n\nTwo.',
    ],
    ['a round of white space adds nothing', [['  \n'], ['Two.']], 'Two.'],
    [
      'white space inside stays, however it is cut',
      [['One', ' ', '\n', '\n', 'more', '  ', 'x']],
      'One \n\nmore  x',
    ],
    [
      'a code block that begins a round keeps its indentation',
      [['One.'], ['\n    ', 'code']],
      'One.\n\n    code',
    ],
  ])('%s', async (_, rounds, response) => {
    const steps = rounds.map((pieces, n) =>
      n === rounds.length - 1
        ? say(...pieces)
        : [...deltas(...pieces), ...ask([searchFor(`q${n}`)])],
    );
    const { turn, events } = await play(steps);
    expect(turn.response).toBe(response);
    const shown = events
      .flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
      .join('');
    expect(shown).toBe(response);
  });

  it('reasoning is kept apart, joined over rounds, and not sent back', async () => {
    const think = (text: string): ChatEvent => ({ type: 'reasoning-delta', text });
    const { turn, requests } = await play([
      [think('Hmm'), think(' [1].\n'), ...ask([searchFor('tea')])],
      [think('So.'), ...say('Hot.')],
    ]);
    expect(turn.reasoning).toBe('Hmm [1].\n\nSo.');
    expect(turn.response).toBe('Hot.');
    expect(JSON.stringify(requests[1])).not.toContain('Hmm');
  });

  it('usage is the sum of the rounds, the last report of each', async () => {
    const usage = (inputTokens: number, outputTokens?: number): ChatEvent => ({
      type: 'usage',
      usage: { inputTokens, ...(outputTokens === undefined ? {} : { outputTokens }) },
    });
    const { turn } = await play([
      [usage(10, 1), usage(10, 5), ...ask([searchFor('tea')])],
      [...deltas('Hot.'), usage(30), end('stop')],
    ]);
    expect(turn.usage).toEqual({ inputTokens: 40, outputTokens: 5 });
  });
});

describe('how a server ends', () => {
  it.each<
    [string, ScriptStep, { state: string; response: string; kind?: string; notice?: string }]
  >([
    [
      'an error in mid-text',
      [...deltas('Half'), failure('cut')],
      { state: 'failed', response: 'Half', kind: 'cut' },
    ],
    [
      'an error at once',
      [failure('not-running')],
      { state: 'failed', response: '', kind: 'not-running' },
    ],
    [
      'aborted, though nobody asked',
      [failure('aborted')],
      { state: 'failed', response: '', kind: 'aborted' },
    ],
    ['no end', [...deltas('Half'), 'leave'], { state: 'failed', response: 'Half', kind: 'cut' }],
    [
      'an exception',
      [...deltas('Half'), new Error('secret')],
      { state: 'failed', response: 'Half', kind: 'cut' },
    ],
    [
      'an exception at once',
      () => {
        throw new Error('secret');
      },
      { state: 'failed', response: '', kind: 'cut' },
    ],
    [
      'more after the end',
      [...say('Whole.'), ...deltas(' More')],
      { state: 'done', response: 'Whole.' },
    ],
    [
      'its length limit',
      [...deltas('Long'), end('length')],
      {
        state: 'done',
        response: 'Long',
        notice: 'The answer reached the model’s length limit and may be incomplete.',
      },
    ],
    [
      'its length limit before a word',
      [end('length')],
      {
        state: 'done',
        response: '',
        notice: 'The answer reached the model’s length limit and may be incomplete.',
      },
    ],
    [
      'its filter',
      [...deltas('Bad'), end('filtered')],
      {
        state: 'done',
        response: 'Bad',
        notice: 'The model server’s content filter cut this answer.',
      },
    ],
  ])('%s', async (_, step, { kind, ...wanted }) => {
    const { turn, events } = await play([step]);
    expect(turn).toMatchObject(wanted);
    expect(turn.failure?.kind).toBe(kind);
    expect(turn.error).toBe(turn.failure?.message);
    expect(JSON.stringify(turn)).not.toContain('secret');
    expect(events.at(-1)?.type).toBe('turn-end');
    expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(1);
  });

  it('a failure after tools keeps text and records', async () => {
    const { turn } = await play([ask([searchFor('tea')], 'Looking.'), [failure('rate-limited')]]);
    expect(turn).toMatchObject({
      state: 'failed',
      response: 'Looking.',
      error: 'It failed: rate-limited.',
    });
    expect(turn.toolCalls).toHaveLength(1);
  });

  it('calls that came before the length limit are run', async () => {
    const calls: ChatEvent[] = [
      { type: 'tool-call', call: { id: 'a', ...searchFor('tea') } },
      end('length'),
    ];
    const { turn } = await play([calls, say('Hot.')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Hot.' });
    expect(turn.notice).toBeUndefined();
  });
});

describe('an empty answer', () => {
  const empty = [failure('empty')];

  it('after tools is asked for once more, in words', async () => {
    const { turn, requests } = await play([ask([searchFor('tea')]), empty, say('Hot.')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Hot.' });
    expect(requests[2]?.tools).toEqual([]);
    expect(requests[2]?.messages.at(-1)?.content).toContain('You have not answered yet.');
  });

  it('is not asked for a third time', async () => {
    const { turn } = await play([ask([searchFor('tea')]), empty, empty]);
    expect(turn).toMatchObject({ state: 'failed', failure: { kind: 'empty' } });
  });

  it('before any tool is a failure', async () => {
    const { turn } = await play([empty]);
    expect(turn).toMatchObject({ state: 'failed', failure: { kind: 'empty' } });
  });
});

describe('a request that is too long', () => {
  const tooLong = [failure('context-length')];
  const long = smallWeb({
    pages: { 'https://tea.example': { title: 'Tea', text: 'Hot tea. '.repeat(2_000) } },
  });
  const read = ask([{ name: 'web_fetch', arguments: { url: 'https://tea.example' } }]);
  const size = (request: ChatRequest | undefined) =>
    request?.messages.find(({ role }) => role === 'tool')?.content.length ?? 0;

  it('is made once more with half of the results', async () => {
    const { turn, requests } = await play([read, tooLong, say('Hot.')], { ports: long });
    expect(turn).toMatchObject({ state: 'done', response: 'Hot.' });
    expect(size(requests[2])).toBeGreaterThan(0);
    expect(size(requests[2])).toBeLessThanOrEqual(size(requests[1]) / 2);
  });

  it.each<[why: string, steps: ScriptStep[]]>([
    ['a second time', [read, tooLong, tooLong]],
    ['without results', [tooLong]],
    ['after text', [read, [...deltas('Hot'), ...tooLong]]],
  ])('fails %s', async (_why, steps) => {
    const { turn } = await play(steps, { ports: long });
    expect(turn).toMatchObject({ state: 'failed', failure: { kind: 'context-length' } });
  });
});

describe('a model that cannot call tools', () => {
  it('is asked only once', async () => {
    const { turn } = await play([[failure('no-tools')], [failure('no-tools')]]);
    expect(turn).toMatchObject({ state: 'failed', failure: { kind: 'no-tools' } });
  });

  it('is not believed after it has called some', async () => {
    const { turn } = await play([ask([searchFor('tea')]), [failure('no-tools')]]);
    expect(turn.state).toBe('failed');
  });
});

describe('searches that fail', () => {
  const down: SearchPort = () =>
    Promise.resolve({ ok: false, message: 'SearXNG at s.example refused the connection' });
  const search = Object.assign(down, { remedy: 'Check its address.' });
  const NOTICE =
    'No search worked: SearXNG at s.example refused the connection. Check its address.';
  const twice = [ask([searchFor('tea'), searchFor('milk')]), ask([searchFor('cup')])];

  it('are said to the person once, and to the model each time', async () => {
    const { turn, events } = await play([...twice, say('Sorry.')], { ports: { search } });
    expect(turn).toMatchObject({ state: 'done', notice: NOTICE });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['notice', 'turn-end']);
    expect(turn.toolCalls.map(({ result }) => result.split('\n')[0])).toEqual(
      ['tea', 'milk', 'cup'].map(
        (query) =>
          `The web search for "${query}" failed: SearXNG at s.example refused the connection. Tell the person that the search failed.`,
      ),
    );
  });

  it('are not said when one of them worked', async () => {
    const mixed = Object.assign<SearchPort, object>(
      (query, signal) => (query === 'milk' ? web.search(query, signal) : down(query, signal)),
      { remedy: 'Check its address.' },
    );
    const { turn } = await play([...twice, say('Cold [1].')], { ports: { search: mixed } });
    expect(turn.notice).toBeUndefined();
  });

  it('are not said when the person stops', async () => {
    const controller = new AbortController();
    const { turn } = await play([ask([searchFor('tea')])], {
      ports: { search },
      signal: controller.signal,
      onEvent: ({ type }) => {
        if (type === 'call-end') controller.abort();
      },
    });
    expect(turn).toMatchObject({ state: 'stopped' });
    expect(turn.notice).toBeUndefined();
  });

  it('before a turn was cut off are said when it is continued', async () => {
    const before = await play([ask([searchFor('tea')]), [failure('cut')]], { ports: { search } });
    expect(before.turn).toMatchObject({ state: 'failed', notice: NOTICE });
    const { turn } = await play([say('Sorry.')], { ports: { search }, resume: before.turn });
    expect(turn).toMatchObject({ state: 'done', notice: NOTICE });
  });
});

it('tells what is searched when that is not the web', async () => {
  const search = Object.assign<SearchPort, object>((query, signal) => web.search(query, signal), {
    scope: 'Wikipedia',
  });
  const steps = [
    ask([searchFor('tea'), { name: 'web_fetch', arguments: { url: 'https://tea.example' } }]),
    say('Hot.'),
  ];
  const { events, requests } = await play(steps, { ports: { search } });
  const scopes = events.flatMap((event) => (event.type === 'call-start' ? [event.call.scope] : []));
  expect(scopes).toEqual(['Wikipedia', undefined]);
  expect(requests[0]?.tools[0]?.description).toContain('Wikipedia');
});

describe('a model that says nothing', () => {
  it('is nudged once, with tools off, behind the last result', async () => {
    const { turn, requests } = await play([ask([searchFor('tea')]), say(), say('Hot [1].')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Hot [1].' });
    expect(turn.notice).toBeUndefined();
    expect(requests[2]?.tools).toEqual([]);
    expect(requests[2]?.messages.at(-1)?.role).toBe('tool');
    expect(requests[2]?.messages.at(-1)?.content).toContain('You have not answered yet.');
  });

  it('is given up then, and the person is told', async () => {
    const { turn } = await play([ask([searchFor('tea')], 'Looking.'), say(' \n'), say()]);
    expect(turn).toMatchObject({
      state: 'done',
      response: 'Looking.',
      notice: 'The model gave no answer; ask again or choose another model.',
    });
  });

  it('may not call tools when they are off', async () => {
    const { turn } = await play([say(), ask([searchFor('tea')])]);
    expect(turn.toolCalls).toEqual([]);
    expect(turn.notice).toContain('gave no answer');
  });
});

it('goes on when a listener throws', async () => {
  const { turn } = await play([ask([searchFor('tea')]), say('Hot.')], {
    onEvent: () => {
      throw new Error('cannot draw');
    },
  });
  expect(turn).toMatchObject({ state: 'done', response: 'Hot.' });
});

it.each([
  [
    'the clock',
    {
      now: () => {
        throw new TypeError('secret');
      },
    },
  ],
  [
    'the timer',
    {
      after: () => {
        throw new TypeError('secret');
      },
    },
  ],
  [
    'the boundary',
    {
      boundary: () => {
        throw new TypeError('secret');
      },
    },
  ],
])('never rejects, even if %s throws', async (_, ports) => {
  const provider = scriptedProvider([
    ask([{ name: 'web_fetch', arguments: { url: 'https://tea.example' } }]),
    say('Hot.'),
  ]);
  const events: AgentEvent[] = [];
  const turn = await runAgent(
    agentOptions({ onEvent: (event) => events.push(event), ports: { ...web, provider, ...ports } }),
  );
  expect(events.at(-1)?.type).toBe('turn-end');
  expect(JSON.stringify(turn)).not.toContain('secret');
});

describe('DEFAULT_SYSTEM_PROMPT', () => {
  it.each([
    ['the number, where', 'in square brackets, right after the sentence it supports'],
    ['the page, not the search', 'Cite the page that carries the point, not the search.'],
    ['a page that was read', 'Prefer pages you have read with web_fetch'],
    ['one number a bracket', '[1][2]'],
    ['nothing without a number', 'nothing that has no number'],
    ['no notes', 'Write no footnote definitions and no list of sources'],
    ['several calls at once', 'Call several tools at once'],
    ['no announcements', 'Do not announce what you will look up'],
    ['failures', 'If a search or a page fails'],
  ])('asks for %s', (_, words) => {
    expect(DEFAULT_SYSTEM_PROMPT).toContain(words);
  });

  it('is short enough for a small model', () => {
    expect(DEFAULT_SYSTEM_PROMPT.length).toBeLessThan(1_800);
  });
});

describe('buildSystemPrompt', () => {
  it('states the rules, the date, the place and the person’s own words', () => {
    const prompt = buildSystemPrompt({
      now: 'Tuesday, 14 July 2026',
      place: ' Lisbon ',
      extra: ' Be kind. ',
    });
    expect(prompt).toBe(
      `${DEFAULT_SYSTEM_PROMPT}\n\nToday is Tuesday, 14 July 2026. The person is here: Lisbon.\n\nThe person's own instructions:\nBe kind.`,
    );
  });

  it('leaves out what is blank', () => {
    expect(buildSystemPrompt({ now: 'today', place: ' ', extra: '' })).toBe(
      `${DEFAULT_SYSTEM_PROMPT}\n\nToday is today.`,
    );
  });
});
