import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  carrySources,
  citedIndices,
  createSourceList,
  linkCitations,
  renderSources,
  turnSources,
} from '../lib/citations';
import { createRenderStream } from '../lib/render';
import { SourceSchema } from '../lib/schemas';
import type { Source, ToolCallRecord } from '../lib/types';

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

  it('points an alias to the older number, and lets no page claim one that another page has', () => {
    const list = createSourceList();
    expect(
      list.add('A', 'https://a.example/short', { aliases: ['https://a.example/long'] }).index,
    ).toBe(1);
    expect(list.add('A', 'https://a.example/long').index).toBe(1);
    expect(list.add('B', 'https://b.example/').index).toBe(2);
    expect(
      list.add('B', 'https://b.example/b', { aliases: ['https://a.example/long'] }).index,
    ).toBe(1);
    expect(list.indexOf('https://b.example/')).toBe(2);
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
    expect(turnSources({ toolCalls: calls }).map(({ status }) => status)).toEqual([
      'read',
      'blocked',
    ]);
  });

  it('lists carried sources before found ones, one a number', () => {
    const carried = [source(1, 'https://old.example/')];
    const toolCalls = [
      call([source(2, 'https://new.example/'), source(1, 'https://other.example/')]),
    ];
    expect(turnSources({ toolCalls, carried }).map(({ url }) => url)).toEqual([
      'https://old.example/',
      'https://new.example/',
    ]);
  });
});

describe('carrySources', () => {
  const earlier = (response: string, ...urls: string[]) => ({
    response,
    toolCalls: [call(urls.map((url, i) => source(i + 1, url)))],
  });

  it('gives the sources that earlier answers cited this turn’s numbers, most recent turn first', () => {
    const list = createSourceList();
    const { responses, carried } = carrySources(
      [
        earlier('Old [1] and [2].', 'https://a.example/', 'https://b.example/'),
        earlier(
          'Newer [2], not [1](https://m.example/).',
          'https://c.example/',
          'https://a.example/',
        ),
      ],
      list,
    );
    expect(carried.map(({ index, url }) => [index, url])).toEqual([
      [1, 'https://a.example/'],
      [2, 'https://b.example/'],
    ]);
    expect(responses).toEqual(['Old [1] and [2].', 'Newer [1], not [1](https://m.example/).']);
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
  ])('%s', (_why, response, expected) => {
    const { responses } = carrySources(
      [earlier(response, 'https://a.example/', 'https://b.example/')],
      createSourceList(),
    );
    expect(responses).toEqual([expected]);
  });

  it('takes out the markers of sources beyond the limit', () => {
    const urls = Array.from({ length: 25 }, (_, i) => `https://p${String(i + 1)}.example/`);
    const response = urls.map((_, i) => `Fact ${String(i + 1)} [${String(i + 1)}].`).join(' ');
    const { responses, carried } = carrySources([earlier(response, ...urls)], createSourceList());
    expect(carried).toHaveLength(20);
    expect(responses[0]).toContain('Fact 20 [20].');
    expect(responses[0]).toContain('Fact 21 .');
  });
});

it('citedIndices is the decision of linkCitations', () => {
  for (const [, , row] of answers) {
    expect(citedIndices(row.answer, row.sources)).toEqual(
      linkCitations(row.answer, row.sources).cited,
    );
  }
});
