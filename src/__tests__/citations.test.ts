import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  carrySources,
  citedCarried,
  citedIndices,
  createSourceList,
  linkCitations,
  numberedSources,
  renderSources,
  turnSources,
} from '../lib/citations';
import { createRenderStream, renderModelOutput } from '../lib/render';
import { SourceSchema } from '../lib/schemas';
import type { Source, ToolCallRecord, TurnState } from '../lib/types';

import { readCases } from './support/cases';

const Sources = z.array(SourceSchema);
const head = { id: z.string(), why: z.string(), decision: z.optional(z.string()) };
const ChunkText = z.array(z.tuple([z.number(), z.string()]));
const Answer = z.object({
  ...head,
  kind: z.enum(['grammar', 'place', 'definition', 'url']),
  answer: z.string(),
  sources: Sources,
  expect: z.object({
    text: z.nullable(z.string()),
    cited: z.array(z.number()),
    unchanged: z.optional(z.boolean()),
    compare: z.optional(z.literal('blank-lines')),
    links: z.optional(z.array(z.tuple([z.string(), z.string()]))),
    drawn: z.optional(z.array(z.string())),
    images: z.optional(z.number()),
  }),
});
const Identity = z.object({
  ...head,
  kind: z.literal('identity'),
  adds: z.array(z.tuple([z.string(), z.string()])),
  expect: z.object({ indices: z.array(z.number()), sources: z.optional(Sources) }),
});
const List = z.object({
  ...head,
  kind: z.literal('list'),
  sources: Sources,
  cited: z.array(z.number()),
  streaming: z.boolean(),
  expect: z.object({
    text: z.nullable(z.string()),
    drawn: z.optional(z.array(z.string())),
    notDrawn: z.optional(z.array(z.string())),
    absent: z.optional(z.array(z.string())),
    links: z.optional(z.array(z.tuple([z.string(), z.string()]))),
    linkCount: z.optional(z.number()),
    lines: z.optional(z.number()),
    fetches: z.optional(z.number()),
  }),
});
const Stream = z.object({
  ...head,
  kind: z.literal('stream'),
  chunks: z.array(z.string()),
  sources: Sources,
  expect: z.object({
    appendOnly: z.literal(true),
    final: z.string(),
    cited: z.array(z.number()),
    hidden: z.optional(ChunkText),
    shown: z.optional(ChunkText),
  }),
});
const rows = readCases('citations.jsonl', z.union([Answer, Identity, List, Stream]));
const ofKind = <T extends (typeof rows)[number]>(is: (row: (typeof rows)[number]) => row is T) =>
  rows.filter(is).map((row) => [row.id, row.why, row] as const);
const answers = ofKind((row): row is z.output<typeof Answer> => 'answer' in row);

const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
/** Runs of blank lines count as one, those at both ends not at all. */
const foldBlankLines = (text: string): string => text.replace(/\n{2,}/g, '\n\n').trim();

describe('linkCitations', () => {
  it.each(answers)('%s: %s', (_id, _why, { answer, sources, expect: want }) => {
    const { text, cited } = linkCitations(answer, sources);
    const fold = want.compare ? foldBlankLines : (each: string): string => each;
    if (want.text !== null) expect(fold(text)).toBe(fold(want.text));
    if (want.unchanged) expect(text).toBe(answer);
    expect(sorted(cited)).toEqual(want.cited);
    for (const [label, url] of want.links ?? []) {
      expect(text).toContain(`[${label.replace('[', '\\[').replace(']', '\\]')}](${url})`);
    }
  });

  it.each(answers)('%s is stable: linking twice changes nothing more', (_id, _why, row) => {
    const once = linkCitations(row.answer, row.sources);
    const twice = linkCitations(once.text, row.sources);
    expect(twice.text).toBe(once.text);
    expect(sorted(twice.cited)).toEqual(sorted(once.cited));
  });
});

describe('a source list tells pages apart', () => {
  it.each(ofKind((row): row is z.output<typeof Identity> => row.kind === 'identity'))(
    '%s: %s',
    (_id, _why, { adds, expect: want }) => {
      const list = createSourceList();
      expect(adds.map(([title, url]) => list.add(title, url).index)).toEqual(want.indices);
      if (want.sources) expect(list.all()).toEqual(want.sources);
    },
  );

  it('points a redirect to the older number, and lets no page claim one that another page has', () => {
    const list = createSourceList();
    expect(
      list.add('A', 'https://a.example/short', { redirects: ['https://a.example/long'] }).index,
    ).toBe(1);
    expect(list.add('A', 'https://a.example/long').index).toBe(1);
    expect(list.add('B', 'https://b.example/').index).toBe(2);
    expect(
      list.add('B', 'https://b.example/b', { redirects: ['https://a.example/long'] }).index,
    ).toBe(1);
    expect(list.indexOf('https://b.example/')).toBe(2);
  });

  const [P, Q, HOME] = ['https://a.example/p', 'https://a.example/q', 'https://a.example/'];
  it.each<[string, Parameters<ReturnType<typeof createSourceList>['add']>[], number[]]>([
    [
      'its own number comes before an older one of the page it is redirected to',
      [
        ['P', P],
        ['Q', Q],
        ['Q', Q, { redirects: [P] }],
      ],
      [1, 2, 2],
    ],
    [
      'its own number comes before an older one of the page it claims to be',
      [
        ['P', P],
        ['Q', Q],
        ['Q', Q, { canonical: P }],
      ],
      [1, 2, 2],
    ],
    [
      'two pages that claim the same address stay two',
      [
        ['P', P, { canonical: HOME }],
        ['Q', Q, { canonical: HOME }],
      ],
      [1, 2],
    ],
    [
      'a page found later under the address that one claimed is that one',
      [
        ['P', P, { canonical: HOME }],
        ['Home', HOME],
        ['Q', Q],
      ],
      [1, 1, 2],
    ],
    [
      'a page that claims the address of one that was found is that one',
      [
        ['Home', HOME],
        ['P', P, { canonical: HOME }],
      ],
      [1, 1],
    ],
    [
      'a known page that is redirected takes its target along',
      [
        ['P', P],
        ['P', P, { redirects: [Q] }],
        ['Q', Q],
      ],
      [1, 1, 1],
    ],
  ])('%s', (_why, adds, indices) => {
    const list = createSourceList();
    expect(adds.map((args) => list.add(...args).index)).toEqual(indices);
  });
});

describe('renderSources', () => {
  it.each(ofKind((row): row is z.output<typeof List> => row.kind === 'list'))(
    '%s: %s',
    (_id, _why, { sources, cited, streaming, expect: want }) => {
      const text = renderSources(sources, cited, streaming);
      if (want.text !== null) expect(text).toBe(want.text);
      for (const part of want.absent ?? []) expect(text).not.toContain(part);
      for (const [, url] of want.links ?? []) expect(text).toContain(`](${url})`);
      if (want.lines !== undefined) {
        expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(want.lines);
      }
    },
  );
});

describe('an answer that arrives in pieces', () => {
  it.each(ofKind((row): row is z.output<typeof Stream> => row.kind === 'stream'))(
    '%s: %s',
    (_id, _why, { chunks, sources, expect: want }) => {
      const stream = createRenderStream({ sources });
      const shown = chunks.map((chunk) => stream.push(chunk));
      for (const [i, text] of shown.entries())
        expect(text.startsWith(shown[i - 1] ?? '')).toBe(true);
      for (const [i, part] of want.hidden ?? []) expect(shown[i]).not.toContain(part);
      for (const [i, part] of want.shown ?? []) expect(shown[i]).toContain(part);
      const { text, cited } = stream.end();
      expect(text).toBe(want.final);
      expect(sorted(cited)).toEqual(want.cited);
    },
  );
});

const source = (index: number, url: string, title = `Page ${String(index)}`): Source => ({
  index,
  title,
  url,
});
const call = (sources: Source[], more: Partial<ToolCallRecord> = {}): ToolCallRecord => ({
  name: 'web_search',
  arguments: {},
  result: '',
  isError: false,
  sources,
  ...more,
});

describe('turnSources', () => {
  it('takes the best read state that any call reached, whatever the order', () => {
    const calls = [
      call([source(1, 'https://a.example/1'), source(2, 'https://b.example/2')], {
        statuses: [
          { index: 1, status: 'read' },
          { index: 2, status: 'hit' },
        ],
      }),
      call([], {
        statuses: [
          { index: 1, status: 'hit' },
          { index: 2, status: 'blocked' },
        ],
      }),
    ];
    expect(turnSources({ response: '', toolCalls: calls }).map(({ status }) => status)).toEqual([
      'read',
      'blocked',
    ]);
  });

  it('lists carried sources before found ones, one a number', () => {
    const carried = [source(1, 'https://old.example/')];
    const toolCalls = [
      call([source(2, 'https://new.example/'), source(1, 'https://other.example/')]),
    ];
    const response = 'So it is [1].';
    expect(turnSources({ response, toolCalls, carried }).map(({ url }) => url)).toEqual([
      'https://old.example/',
      'https://new.example/',
    ]);
  });

  it.each<[string, TurnState, string, number[]]>([
    ['that is running', 'running', 'So [2]', [2, 3]],
    ['that was stopped', 'stopped', 'So [2].', [2, 3]],
    ['that was cut off before it cited anything', 'interrupted', '', [3]],
    ['that failed', 'failed', 'So [3].', [3]],
  ])('of a turn %s leaves out what was offered and is not cited', (_, state, response, indices) => {
    const carried = [source(1, 'https://a.example/'), source(2, 'https://b.example/')];
    const turn = { response, state, carried, toolCalls: [call([source(3, 'https://c.example/')])] };
    expect(turnSources(turn).map(({ index }) => index)).toEqual(indices);
    expect(numberedSources(turn).map(({ index }) => index)).toEqual([1, 2, 3]);
    expect(citedCarried(turn).map(({ index }) => index)).toEqual(
      indices.filter((index) => index < 3),
    );
  });
});

describe('carrySources', () => {
  const earlier = (response: string, ...urls: string[]) => ({
    question: '',
    response,
    toolCalls: [call(urls.map((url, i) => source(i + 1, url)))],
  });

  it('gives the sources that earlier answers cited this turn’s numbers, most recent turn first', () => {
    const list = createSourceList();
    const { history, carried } = carrySources(
      [
        earlier('Old [1] and [2].', 'https://a.example/', 'https://b.example/'),
        earlier(
          'Newer [2], not [1](https://m.example/).',
          'https://c.example/',
          'https://a.example/',
        ),
      ],
      '',
      list,
    );
    expect(carried.map(({ index, url }) => [index, url])).toEqual([
      [1, 'https://a.example/'],
      [2, 'https://b.example/'],
    ]);
    expect(history.map(({ response }) => response)).toEqual([
      'Old [1] and [2].',
      'Newer [1], not [(1)](https://m.example/).',
    ]);
    expect(list.add('C', 'https://c.example/').index).toBe(3);
  });

  it.each([
    [
      'a number that never was a source is no marker of this turn',
      'Element [7] of it.',
      'Element (7) of it.',
    ],
    ['code keeps its indices', 'Use `a[1]` and [1].', 'Use `a[1]` and [1].'],
    ['a group becomes single markers', 'Both [1, 2].', 'Both [1][2].'],
    ['an escaped bracket stays', 'Not \\[1\\].', 'Not \\[1\\].'],
    ['two brackets become no link', 'Fact [2][9].', 'Fact [1] (9).'],
    ['nor behind a link', '[2](https://b.example/)[9]', '[1] (9)'],
    ['nor before round brackets', 'Fact【2】(so they say).', 'Fact[1] (so they say).'],
    [
      'a reference keeps its page and no number',
      'So [2-3][2](x) [b](https://m.example/).\n\n[2]: https://m.example/',
      'So [(2-3)](https://m.example/)(x) [b](https://m.example/).\n\n(2): https://m.example/',
    ],
    [
      'whatever its separators are',
      '[2] [1-20] [1;2] [2 ] [1\n2] &#91;1] 【10:13†x】',
      '[1] (1-20) (1;2) (2) (1\n2) (1) (10:13†x)',
    ],
    [
      'between tags of a link, not of code',
      '[2] <a href="[1]">[1]</a> <code>[1]</code>',
      '[1] <a href="[1]">(1)</a> <code>[1]</code>',
    ],
    ['in the title of a link', '[2] [x](/[1] "of [1]")', '[1] [x](/[1] "of (1)")'],
    ['not in a formula', '[2] $x[1]$', '[1] $x[1]$'],
    ['one word behind a label is no address', 'So [2].\n\n[2]: yes', 'So [1].\n\n[1]: yes'],
  ])('%s', (_why, response, expected) => {
    const { history } = carrySources(
      [earlier(response, 'https://a.example/', 'https://b.example/')],
      '',
      createSourceList(),
    );
    expect(history[0]?.response).toBe(expected);
  });

  it('takes out the markers of sources beyond the limit', () => {
    const urls = Array.from({ length: 25 }, (_, i) => `https://p${String(i + 1)}.example/`);
    const response = urls.map((_, i) => `Fact ${String(i + 1)} [${String(i + 1)}].`).join(' ');
    const turns = [earlier(response, ...urls)];
    const { history, carried } = carrySources(turns, '', createSourceList());
    expect(carried).toHaveLength(20);
    expect(history[0]?.response).toContain('Fact 20 [20].');
    expect(history[0]?.response).toContain('Fact 21 .');
  });

  it('offers a turn that is continued no more than the first time', () => {
    const urls = Array.from({ length: 25 }, (_, i) => `https://p${String(i + 1)}.example/`);
    const turns = [earlier(urls.map((_, i) => `[${String(i + 1)}]`).join(' '), ...urls)];
    const first = carrySources(turns, '', createSourceList());
    const again = carrySources(turns, '', createSourceList(first.carried));
    expect(again.carried).toEqual([]);
    expect(again.history).toEqual(first.history);
  });

  describe('notes in earlier answers', () => {
    /** The third source is the only one cited, so its number is 1 now. */
    const C = 'https://c.example/';
    it.each([
      ['one that repeats its source goes', `Fact [3].\n\n[^3]: ${C}`, 'Fact [1].'],
      [
        'one that adds to its source is renumbered',
        `Fact [3].\n\n[^3]: ${C} says more than that.`,
        `Fact [1].\n\n[^1]: ${C} says more than that.`,
      ],
      [
        'a definition of the page is renumbered',
        `Fact [3].\n\n[3]: ${C}`,
        `Fact [1].\n\n[1]: ${C}`,
      ],
      [
        'a definition of another page has no number of this turn',
        'Fact [3]. Own [1].\n\n[1]: https://own.example/',
        'Fact [1]. Own (1).\n\n(1): https://own.example/',
      ],
      [
        'a real note has none either',
        'Fact [3]. Note[^7].\n\n[^7]: Only in spring.',
        'Fact [1]. Note(^7).\n\n(7): Only in spring.',
      ],
      [
        'a link by reference keeps its page',
        'Fact [3], [own][1].\n\n[1]: https://own.example/',
        'Fact [1], [own](https://own.example/).\n\n(1): https://own.example/',
      ],
      [
        'a number in the line of an address is none',
        'Fact [3].\n\nText\n[1]: https://own.example/ like [2]',
        'Fact [1].\n\nText\n(1): https://own.example/ like (2)',
      ],
      ['a word as label stays', 'Fact [3].\n\n[^tea]: Hot.', 'Fact [1].\n\n[^tea]: Hot.'],
    ])('%s', (_why, response, expected) => {
      const turn = earlier(response, 'https://a.example/', 'https://b.example/', C);
      const { history } = carrySources([turn], '', createSourceList());
      expect(history[0]?.response.trim()).toBe(expected);
    });
  });

  describe('numbers in questions', () => {
    const [A, B, C] = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
    const asked = (question: string, response: string, ...urls: string[]) => ({
      ...earlier(response, ...urls),
      question,
    });

    it.each([
      ['cited', 'More about [2].', 'More about [1].'],
      ['never cited', 'And [1]?', 'And [1]?'],
      ['side by side', '[2][3]?', '[1][2]?'],
      ['a group', 'What of [2, 3]?', 'What of [1][2]?'],
      ['no source', 'What of [7]?', 'What of [7]?'],
      ['code', 'What is `a[2]`?', 'What is `a[2]`?'],
      ['a subscript', 'What is a[2] or b[0][2]?', 'What is a[2] or b[0][2]?'],
      ['a pasted link', `Why [\\[2\\]](${B})?`, 'Why [1]?'],
    ])('mean the sources under the last answer: %s', (_why, question, expected) => {
      const { question: read } = carrySources(
        [asked('', 'So [2], and [3].', A, B, C)],
        question,
        createSourceList(),
      );
      expect(read).toBe(expected);
    });

    it.each([
      ['alone', 'Is [1] safe?', 'Is (1) safe?'],
      ['in a group', 'And [1, 2]?', 'And (1, 2)?'],
      ['behind another', 'And [2][1]?', 'And [1] (1)?'],
      ['in code', 'What is `a[1]` or a[1]?', 'What is `a[1]` or a[1]?'],
      [
        'of the person',
        'My [1]?\n\n[1]: https://own.example/',
        'My [1]?\n\n[1]: https://own.example/',
      ],
    ])(
      'of a page that must not be opened are none of this turn: %s',
      (_why, question, expected) => {
        const turn = asked('', 'So [2].', 'javascript:alert(1)', B);
        expect(carrySources([turn], question, createSourceList()).question).toBe(expected);
      },
    );

    it('mean the answer before them, each', () => {
      const { history, question, carried } = carrySources(
        [
          asked('No [1] yet.', 'First [2].', A, B),
          asked('More of [2]?', 'Second [1].', C),
          asked('And [1]?', 'Nothing to cite.'),
        ],
        'Again [1]?',
        createSourceList(),
      );
      expect(carried.map(({ url }) => url)).toEqual([C, B]);
      expect(history).toEqual([
        { question: 'No [1] yet.', response: 'First [2].' },
        { question: 'More of [2]?', response: 'Second [1].' },
        { question: 'And [1]?', response: 'Nothing to cite.' },
      ]);
      expect(question).toBe('Again [1]?');
    });

    it('mean the numbers on screen, not those that a turn without an answer was offered', () => {
      const failed = { ...asked('More', ''), carried: [source(1, B), source(2, C)] };
      const turns = [asked('', 'First [2].', A, B), failed];
      const { question, carried } = carrySources(turns, 'And [2]?', createSourceList());
      expect(carried.map(({ url }) => url)).toEqual([B]);
      expect(question).toBe('And [1]?');
    });

    it('are carried first, also beyond the limit of what answers cite', () => {
      const urls = Array.from({ length: 25 }, (_, i) => `https://p${String(i + 1)}.example/`);
      const response = urls.map((_, i) => `[${String(i + 1)}]`).join(' ');
      const { question, carried } = carrySources(
        [asked('', response, ...urls)],
        'What of [24]?',
        createSourceList(),
      );
      expect(question).toBe('What of [1]?');
      expect(carried[0]?.url).toBe('https://p24.example/');
      expect(carried).toHaveLength(20);
    });

    it('that did not fit are no numbers of this turn', () => {
      const urls = Array.from({ length: 25 }, (_, i) => `https://p${String(i + 1)}.example/`);
      const names = urls.map((_, i) => `[${String(i + 1)}]`).join(' ');
      const { question } = carrySources([asked('', 'So.', ...urls)], names, createSourceList());
      expect(question).toContain('[20] (21)');
    });
  });
});

it('citedIndices is the decision of linkCitations', () => {
  for (const [, , row] of answers) {
    expect(citedIndices(row.answer, row.sources)).toEqual(
      linkCitations(row.answer, row.sources).cited,
    );
  }
});

describe('what the parsers read differently', () => {
  const sources = [1, 2].map((index) => source(index, `https://p${String(index)}.example/`));
  const pieces = ['So [1].', '[1,', '2]', '[^2]', '\n', '\n\n', '    ', '> ', '- ', '`', ' ', 'x'];
  const odd = ['\v', '\f', '\0', '\r', '\u007F', '\uFEFF', '`'.repeat(85), '> '.repeat(101)];

  it('is cited in the list if and only if it is cited in the pane', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...odd), { maxLength: 20 }), (parts) => {
        const answer = parts.join('');
        expect(citedIndices(answer, sources)).toEqual(renderModelOutput(answer, { sources }).cited);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a vertical tab', 'So [1,\v2] and [1].\v', 'So [1,\v2] and «1».\v'],
    ['a byte order mark', '\uFEFF    So [1].', '\uFEFF    So «1».'],
    ['a zero', '\0So [1]\0.', '\0So «1»\0.'],
  ])('stays byte for byte: %s', (_what, answer, expected) => {
    expect(linkCitations(answer, sources).text.replace(/\[\\\[(\d)\\\]\]\(\S+?\/\)/g, '«$1»')).toBe(
      expected,
    );
  });
});
