import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { runAgent, type AgentEvent } from '../lib/agent';
import { citedIndices, linkCitations, turnSources } from '../lib/citations';
import { ToolCallRecordSchema } from '../lib/schemas';
import type { ChatEvent, ToolCallRecord } from '../lib/types';
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
    tea: [
      { title: 'Tea', url: 'https://tea.example', content: 'Hot.' },
      { title: 'Pot', url: 'https://pot.example', content: 'Round.' },
    ],
  },
});
const search = ask([{ name: 'web_search', arguments: { query: 'tea' } }]);
const source = (name: string, number?: number): ChatEvent => ({
  type: 'source',
  title: name.toUpperCase(),
  url: `https://${name}.example`,
  ...(number === undefined ? {} : { number }),
});

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
      ports: { ...web, provider },
    }),
  );
  provider.assertComplete();
  return { turn, events, requests: provider.requests };
}

type Turn = Awaited<ReturnType<typeof play>>['turn'];
const numbers = (turn: Turn) => turnSources(turn).map(({ index, url }) => [index, url]);
/** Where the markers of the answer lead. */
const links = (turn: Turn) => {
  const sources = turnSources(turn);
  const cited = citedIndices(turn.response, sources);
  return sources.filter(({ index }) => cited.has(index)).map(({ url }) => url);
};
const earlier = [
  {
    question: 'Q',
    response: 'Old [1].',
    toolCalls: [
      {
        name: 'web_search',
        arguments: {},
        result: '',
        isError: false,
        sources: [{ index: 1, title: 'Old', url: 'https://old.example' }],
      },
    ],
  },
];

describe('pages that the model server names', () => {
  it('are sources of the turn, in a record of their own', async () => {
    const { turn, events } = await play([[...deltas('Salt.'), source('a'), source('b'), ...say()]]);
    expect(turn.toolCalls).toHaveLength(1);
    expect(turn.toolCalls[0]).toEqual({
      name: 'provider_search',
      arguments: {},
      result:
        'The model server named these pages as its sources:\n\n[1] A\n   https://a.example\n\n[2] B\n   https://b.example',
      isError: false,
      sources: [
        { index: 1, title: 'A', url: 'https://a.example' },
        { index: 2, title: 'B', url: 'https://b.example' },
      ],
    });
    expect(ToolCallRecordSchema.safeParse(turn.toolCalls[0]).success).toBe(true);
    expect(turn.response).toBe('Salt.');
    const told = events.filter(({ type }) => type === 'call-end');
    expect(told.map((event) => 'position' in event && event.position)).toEqual([0, 0]);
    expect(events.some(({ type }) => type === 'call-start')).toBe(false);
  });

  it('follow those of the tools, and the page that is known keeps its number', async () => {
    const { turn } = await play([
      search,
      [...deltas('Hot [1].'), source('pot'), source('a'), ...say()],
    ]);
    expect(turn.toolCalls[1]?.sources?.map(({ index }) => index)).toEqual([3]);
    expect(numbers(turn)).toEqual([
      [1, 'https://tea.example'],
      [2, 'https://pot.example'],
      [3, 'https://a.example'],
    ]);
    expect(turn.response).toBe('Hot [1].');
    expect(links(turn)).toEqual(['https://tea.example']);
  });

  it('that are known already leave no record', async () => {
    const { turn } = await play([search, [...deltas('Hot.'), source('tea'), ...say()]]);
    expect(turn.toolCalls).toHaveLength(1);
  });

  it.each([
    ['no web address', 'javascript:alert(1)'],
    ['nothing', ' '],
    ['too long', `https://a.example/${'x'.repeat(5_000)}`],
  ])('with an address that is %s are left out', async (_why, url) => {
    const { turn } = await play([[{ type: 'source', title: 'A', url }, ...say('Salt [1].')]]);
    expect(turn.toolCalls).toEqual([]);
  });

  it('without a title have their address', async () => {
    const named: ChatEvent = { type: 'source', title: '', url: 'https://a.example', number: 1 };
    const { turn } = await play([[named, ...say('Salt [1].')]]);
    expect(turn.toolCalls[0]?.sources?.[0]?.title).toBe('https://a.example');
  });

  it('before calls of the same round come first among the records', async () => {
    const { turn } = await play([[source('a'), ...search], say('Hot.')]);
    expect(turn.toolCalls.map(({ name }) => name)).toEqual(['provider_search', 'web_search']);
    expect(numbers(turn)[0]).toEqual([1, 'https://a.example']);
  });

  it('are not told to the model as a call of its own when the turn is continued', async () => {
    const before = await play([[...deltas('Salt [1]'), source('a', 1), failure('cut')]]);
    const { turn, requests } = await play([say(' and more.')], { resume: before.turn });
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(links(turn)).toEqual(['https://a.example']);
  });
});

describe('numbers of the server', () => {
  it('hold where nothing has a number yet', async () => {
    const { turn } = await play([
      [...deltas('Salt [2].'), source('a', 1), source('b', 2), ...say()],
    ]);
    expect(turn.response).toBe('Salt [2].');
    expect(links(turn)).toEqual(['https://b.example']);
  });

  it('hold with gaps, and where a page stands twice', async () => {
    const { turn } = await play([
      [source('a', 2), source('a', 3), source('b', 5), source('c'), ...say('Salt [2][3][4][5].')],
    ]);
    expect(numbers(turn)).toEqual([
      [2, 'https://a.example'],
      [5, 'https://b.example'],
      [6, 'https://c.example'],
    ]);
    expect(links(turn)).toEqual(['https://a.example', 'https://b.example']);
    expect(turn.response).toBe('Salt [2][3][4][5].');
  });

  it('take the place of what earlier turns offered', async () => {
    const { turn, events } = await play([[source('a', 1), ...say('Salt [1].')]], {
      history: earlier,
    });
    expect(events[0]).toMatchObject({ type: 'turn-start', carried: [{ index: 1 }] });
    expect(turn.carried).toBeUndefined();
    expect(turn.response).toBe('Salt [1].');
    expect(links(turn)).toEqual(['https://a.example']);
  });

  it('link nothing where tools have numbered pages: brackets are escaped, the words stay', async () => {
    const { turn, events } = await play([
      search,
      [
        ...deltas('Salt [1], [2, 1], 【2】 and `[1]`, see [more](https://m.example).'),
        source('a', 1),
        source('b', 2),
        ...say(),
      ],
    ]);
    expect(links(turn)).toEqual([]);
    expect(turn.response).toBe(
      'Salt \\[1\\], \\[2\\], \\[1\\], \\[2\\] and `[1]`, see [more](https://m.example).',
    );
    expect(numbers(turn)).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', response: turn.response });
  });

  it('that agree by chance stay', async () => {
    const { turn } = await play([
      search,
      [source('tea', 1), source('pot', 2), ...say('Hot [1], round [2].')],
    ]);
    expect(turn.response).toBe('Hot [1], round [2].');
    expect(links(turn)).toEqual(['https://tea.example', 'https://pot.example']);
  });

  it('put only the text of their round in doubt', async () => {
    const { turn } = await play([
      search,
      ask([{ name: 'web_search', arguments: { query: 'milk' } }], 'Hot [1].'),
      [source('a', 1), ...say('Salt [1].')],
    ]);
    expect(turn.response).toBe('Hot [1].\n\nSalt \\[1\\].');
  });

  it('put it in doubt also when the turn is stopped or fails', async () => {
    const { turn } = await play([search, [...deltas('Salt [1]'), source('a', 1), failure('cut')]]);
    expect(turn).toMatchObject({ state: 'failed', response: 'Salt \\[1\\]' });
  });

  it.each<[name: string, first: ChatEvent[], second: ChatEvent[]]>([
    ['turned around', [source('a', 1), source('b', 2)], [source('b', 1), source('a', 2)]],
    ['with another page', [source('a', 1), source('b', 2)], [source('c', 1)]],
  ])('in a later round that mean other pages lead nowhere: %s', async (_name, first, second) => {
    const { turn } = await play([
      [...first, ...ask([{ name: 'web_search', arguments: { query: 'milk' } }], 'Salt [1].')],
      [...second, ...say('Much [1][2].')],
    ]);
    expect(turn.response).toBe('Salt [1].\n\nMuch \\[1\\]\\[2\\].');
    expect(links(turn)).toEqual(['https://a.example']);
  });

  it('of a double belong to no page in a later round either', async () => {
    const calls = ask([{ name: 'web_search', arguments: { query: 'milk' } }], 'Salt [2].');
    const { turn } = await play([
      [source('a', 1), source('a', 2), ...calls],
      [source('b', 2), ...say('Much [2].')],
    ]);
    expect(numbers(turn)).toEqual([
      [1, 'https://a.example'],
      [3, 'https://b.example'],
    ]);
    expect(links(turn)).toEqual([]);
  });

  it.each([
    ['no web address', 'ftp://b.example'],
    ['nothing', ''],
    ['too long', `https://b.example/${'x'.repeat(5_000)}`],
  ])('of a row whose address is %s belong to no page of a tool', async (_why, url) => {
    const dropped: ChatEvent = { type: 'source', title: 'B', url, number: 2 };
    const calls = ask([{ name: 'web_search', arguments: { query: 'tea' } }], 'Salt [1][2].');
    const { turn } = await play([[source('a', 1), dropped, ...calls], say('Hot [3].')]);
    expect(numbers(turn)).toEqual([
      [1, 'https://a.example'],
      [3, 'https://tea.example'],
      [4, 'https://pot.example'],
    ]);
    // Before the list itself has begun.
    const first = await play([
      [{ ...dropped, number: 1 }, ...ask([{ name: 'web_search', arguments: { query: 'tea' } }])],
      say('Hot [2].'),
    ]);
    expect(numbers(first.turn)[0]).toEqual([2, 'https://tea.example']);
    // Where earlier turns or tools have the number.
    const after = await play([[{ ...dropped, number: 1 }, ...say('Salt [1].')]], {
      history: earlier,
    });
    expect(after.turn.response).toBe('Salt \\[1\\].');
    const later = await play([search, [dropped, ...say('Salt [2].')]]);
    expect(later.turn.response).toBe('Salt \\[2\\].');
  });

  it('that may be those of a list or of earlier turns lead nowhere', async () => {
    const { turn } = await play([[source('a'), ...say('Salt [1].')]], { history: earlier });
    expect(turn.response).toBe('Salt \\[1\\].');
    const linked = await play([[source('a'), ...say('Salt [1], see [A](https://a.example).')]], {
      history: earlier,
    });
    expect(linked.turn.response).toBe('Salt [1], see [A](https://a.example).');
    expect(links(linked.turn)).toEqual(['https://old.example']);
  });

  it('of two rounds never lead to a page that neither meant', async () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'tea', 'ftp'), { maxLength: 4 });
    const row = (each: string, n: number): ChatEvent =>
      each === 'ftp'
        ? { type: 'source', title: '', url: 'ftp://x.example', number: n + 1 }
        : source(each, n + 1);
    const words = 'Fact [1]. Fact [2]. Fact [3]. Fact [4].';
    await fc.assert(
      fc.asyncProperty(list, list, fc.constantFrom('tea', 'milk'), async (one, two, query) => {
        const calls = ask([{ name: 'web_search', arguments: { query } }]);
        const { turn } = await play(
          [
            [...deltas(words), ...one.map(row), ...calls],
            [...deltas(words), ...two.map(row), ...say()],
          ],
          { history: earlier },
        );
        const sources = turnSources(turn);
        const half = turn.response.indexOf('\n\n');
        for (const [text, meant] of [
          [turn.response.slice(0, half), one],
          [turn.response.slice(half), two],
        ] as const) {
          for (const index of linkCitations(text, sources).cited) {
            const { url } = sources.find((each) => each.index === index) ?? {};
            if (index <= meant.length)
              expect(`https://${meant[index - 1] ?? ''}.example`).toBe(url);
          }
        }
        expect(new Set(sources.map(({ index }) => index)).size).toBe(sources.length);
        expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
      }),
    );
  });

  it('never lead to another page than the server meant, nor do those of tools, whatever is named in which order', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'tea', 'pot');
    const list = fc.array(name, { maxLength: 5 });
    const text = fc
      .array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })
      .map((used) => used.map((n) => `Fact [${String(n)}].`).join(' '));
    await fc.assert(
      fc.asyncProperty(
        list,
        list,
        text,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (own, loose, words, tools, before, turned) => {
          const named = [
            ...own.map((each, n) => source(each, n + 1)),
            ...loose.map((each) => source(each)),
          ];
          if (turned) named.reverse();
          const round = before ? [...named, ...say(words)] : [...deltas(words), ...named, ...say()];
          const { turn } = await play(tools ? [search, round] : [round], { history: earlier });
          const meant = new Map(own.map((each, n) => [n + 1, `https://${each}.example`]));
          const sources = turnSources(turn);
          for (const index of linkCitations(turn.response, sources).cited) {
            const { url } = sources.find((each) => each.index === index) ?? {};
            // Without a list of its own the server means Lam's numbers.
            if (meant.size > 0) expect(meant.get(index) ?? url).toBe(url);
          }
          expect(new Set(sources.map(({ index }) => index)).size).toBe(sources.length);
          expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
          expect(turn.response.replaceAll('\\', '')).toBe(words);
          const records: ToolCallRecord[] = turn.toolCalls;
          expect(
            records.filter(({ name: kept }) => kept === 'provider_search').length,
          ).toBeLessThan(2);
        },
      ),
    );
  });
});
