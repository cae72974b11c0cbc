import { describe, expect, it } from 'vitest';

import { sessionToPlainText, threadMarkdown, turnMarkdown, turnToMarkdown } from '../lib/markdown';
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
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Interrupted before the answer was complete.\n\n${LIST}`,
    ],
    [
      'stopped',
      turn({ state: 'stopped' }),
      {},
      `> How is the weather?\n\n${ANSWER}\n\n> [!NOTE]\n> Stopped.\n\n${LIST}`,
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
      `> How is the weather?\n\n_Reasoning_\n\n> Look it \\*up\\*.\n\n_Tool calls_\n\n- Searched for: weather\n\n${ANSWER}\n\n${LIST}`,
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
