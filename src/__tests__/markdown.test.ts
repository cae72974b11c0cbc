import { describe, expect, it } from 'vitest';

import { sessionToPlainText, threadMarkdown, turnMarkdown, turnToMarkdown } from '../lib/markdown';
import { executeTool } from '../lib/tools';
import type { Turn } from '../lib/types';

const turn = (more: Partial<Turn> = {}): Turn => ({
  id: 't1',
  question: 'How is the weather?',
  response: 'Rain [1].',
  toolCalls: [
    {
      name: 'web_search',
      arguments: { query: 'weather' },
      result: '',
      isError: false,
      sources: [
        { index: 1, title: 'First', url: 'https://first.example' },
        { index: 2, title: 'Second', url: 'https://second.example' },
      ],
    },
  ],
  state: 'done',
  startedAt: 0,
  endedAt: 1,
  ...more,
});
const ANSWER = 'Rain [\\[1\\]](https://first.example).';
const LIST = '_Sources_\n\n- [\\[1\\]](https://first.example) First';

describe('turnMarkdown', () => {
  it.each<[string, Turn, Parameters<typeof turnMarkdown>[1], string]>([
    ['an ended turn', turn(), {}, `> How is the weather?\n\n${ANSWER}\n\n${LIST}`],
    [
      'a running turn has no list',
      turn({ state: 'running' }),
      { answer: 'Rain' },
      '> How is the weather?\n\nRain',
    ],
    [
      'a running turn that another launch writes',
      turn({ state: 'running', response: 'Rain' }),
      { note: 'Somebody writes.' },
      '> How is the weather?\n\n> [!NOTE]\n> Somebody writes.\n\nRain',
    ],
    [
      'a running turn without text',
      turn({ state: 'running', response: '' }),
      {},
      '> How is the weather?',
    ],
    [
      'a failure says so and keeps what was found',
      turn({ state: 'failed', response: '', error: 'The server is gone. Start it.' }),
      {},
      '> How is the weather?\n\n> [!WARNING]\n> The server is gone. Start it.\n\n_Sources_\n\n- [\\[1\\]](https://first.example) First\n- [\\[2\\]](https://second.example) Second',
    ],
    [
      'an interruption',
      turn({ state: 'interrupted' }),
      {},
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Cut off before the answer was complete. Continue goes on from here.\n\n${LIST}`,
    ],
    [
      'an interruption that was followed up',
      turn({ state: 'interrupted' }),
      { followedUp: true },
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Cut off before the answer was complete.\n\n${LIST}`,
    ],
    [
      'stopped',
      turn({ state: 'stopped' }),
      {},
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Stopped. Continue \\(Ctrl\\+Shift\\+Return\\) goes on from here.\n\n${LIST}`,
    ],
    [
      'a limit',
      turn({ notice: 'Stopped searching after 8 rounds.' }),
      {},
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Stopped searching after 8 rounds.\n\n${LIST}`,
    ],
    [
      'tool calls and reasoning, shown',
      turn({ reasoning: 'Look it *up*.' }),
      { showToolCalls: true, showReasoning: true },
      `> How is the weather?\n\n_Reasoning_\n\n> Look it \\*up\\*.\n\n_Tool calls_\n\n-   Searched for: weather\n\n${ANSWER}\n\n${LIST}`,
    ],
  ])('%s', (_why, given, options, expected) => {
    expect(turnMarkdown(given, options)).toBe(expected);
  });

  it('shortens the question to two lines, so that it does not push the answer out of view', () => {
    const markdown = turnMarkdown(turn({ question: `${'word '.repeat(100)}\n# end` }));
    const [first = ''] = markdown.split('\n\n');
    expect(first).toMatch(/^> (?:word )+word…$/);
    expect(first.length).toBeLessThan(150);
  });

  it('draws a hostile question as text', () => {
    expect(
      turnMarkdown(
        turn({ question: '<img src=http://t.example/x> [a](javascript:1)', response: '' }),
      ),
    ).toContain('> \\<img src=http://t.example/x\\> \\[a\\]\\(javascript:1\\)');
  });
});

describe('tool calls', () => {
  const rows = (...toolCalls: Turn['toolCalls']) =>
    turnMarkdown(turn({ response: '', toolCalls }), { showToolCalls: true })
      .split('\n')
      .filter((line) => line.startsWith('- '));
  const call = (more: Partial<Turn['toolCalls'][number]>) => ({
    name: 'web_search',
    arguments: {},
    result: '',
    isError: true,
    ...more,
  });

  it.each<[Partial<Turn['toolCalls'][number]>, string]>([
    [{ arguments: { query: 'tea' }, isError: false }, '-   Searched for: tea'],
    [{ arguments: { query: 'tea' } }, '-   Searched for: tea \\(failed\\)'],
    [
      { arguments: { query: 'tea' }, result: 'It is <b>down</b>.\n\nCite.' },
      '-   Searched for: tea \\(failed: It is \\<b\\>down\\</b\\>\\)',
    ],
    [{ arguments: { x: 1 }, isError: false }, '-   Searched for: \\{"x":1\\}'],
    [{ name: 'later_tool', isError: false }, '-   later\\_tool: \\(nothing\\)'],
    [{ name: 'provider_search', isError: false }, '-   Named by the model server: 0 pages'],
  ])('%j', (given, row) => {
    expect(rows(call(given))).toEqual([row]);
  });

  it.each([
    [['a'], '-   Named by the model server: 1 page'],
    [['a', 'b'], '-   Named by the model server: 2 pages'],
  ])('pages that the server names: %j', (hosts, row) => {
    const sources = hosts.map((host, n) => ({
      index: n + 1,
      title: host,
      url: `https://${host}.example`,
    }));
    const shown = rows(call({ name: 'provider_search', isError: false, sources }));
    expect(shown).toHaveLength(1 + hosts.length); // and the list of sources
    expect(shown[0]).toBe(row);
  });

  it.each([
    ['web_search', { query: 'tea' }, 'Searched for: tea (failed: The service is down)'],
    ['web_search', {}, 'Searched for: (nothing) (failed: The argument "query" is missing)'],
    [
      'web_fetch',
      { url: 'https://a.example/x' },
      'Read: https://a.example/x (failed: The page is gone)',
    ],
    ['no_such_tool', { x: 1 }, 'Asked for an unknown tool: no_such_tool'],
  ])('%s with %j fails: the reason is said once', async (name, args, row) => {
    const { content: result, isError } = await executeTool(name, args, {
      search: () => Promise.resolve({ ok: false, message: 'The service is down.' }),
      fetchPage: () =>
        Promise.resolve({ ok: false, status: 'not-found', message: 'The page is gone.' }),
      boundary: () => 'word',
    });
    const [shown = ''] = rows(call({ name, arguments: args, result, isError }));
    expect(shown.replaceAll('\\', '')).toBe(`-   ${row}`);
  });
});

describe('threadMarkdown', () => {
  it('is oldest first, with a rule before each further question', () => {
    const turns = [
      turn(),
      turn({ id: 't2', question: 'And then?', response: 'Sun.', toolCalls: [] }),
    ];
    expect(threadMarkdown(turns)).toBe(
      `> How is the weather?\n\n${ANSWER}\n\n${LIST}\n\n---\n\n> And then?\n\nSun.`,
    );
  });

  it('promises Continue for its last turn only', () => {
    const cut = { state: 'interrupted' as const, toolCalls: [] };
    const markdown = threadMarkdown([turn(cut), turn({ ...cut, id: 't2' })]);
    expect(markdown.match(/> Cut off.*/g)).toEqual([
      '> Cut off before the answer was complete.',
      '> Cut off before the answer was complete. Continue goes on from here.',
    ]);
  });

  it('only grows while its last turn runs', () => {
    const turns = [
      turn(),
      turn({ id: 't2', question: 'And then?', response: '', toolCalls: [], state: 'running' }),
    ];
    const frames = ['', 'Sun', 'Sun and', 'Sun and wind.'].map((answer) =>
      threadMarkdown(turns, { running: { answer } }),
    );
    for (const [i, frame] of frames.entries())
      expect(frame.startsWith(frames[i - 1] ?? '')).toBe(true);
    expect(frames.at(-1)).toMatch(/> And then\?\n\nSun and wind\.$/);
  });
});

describe('copies', () => {
  it.each<[string, Partial<Turn>, string]>([
    ['an answer with its list', {}, `${ANSWER}\n\n${LIST}`],
    ['maths as the model wrote it', { response: 'So $x^2$.', toolCalls: [] }, 'So $x^2$.'],
    ['code byte for byte', { response: '```js\na[1]\n```', toolCalls: [] }, '```js\na[1]\n```'],
    ['a stopped answer', { state: 'stopped' }, `${ANSWER}\n\n_(stopped)_\n\n${LIST}`],
    ['an answer that was cut off', { state: 'interrupted' }, `${ANSWER}\n\n_(cut off)_\n\n${LIST}`],
    ['nothing', { response: '', toolCalls: [] }, '_(no response)_'],
    ['a failure', { response: '', toolCalls: [], error: 'Gone.' }, '**[error]** Gone.'],
  ])('of one answer: %s', (_why, more, expected) => {
    expect(turnToMarkdown(turn(more))).toBe(expected);
  });

  it('of a conversation: no definition of one answer can catch the [1] of another', () => {
    const copied = sessionToPlainText([
      turn({
        question: 'One?\nTwo?',
        response: 'See [1].\n\n[1]: https://m.example/x',
        toolCalls: [],
      }),
      turn({ question: 'More?', response: 'An index [1].', toolCalls: [] }),
    ]);
    expect(copied).toBe(
      '> One?\n> Two?\n\nSee [1](https://m.example/x).\n\n---\n\n> More?\n\nAn index [1].',
    );
  });
});
