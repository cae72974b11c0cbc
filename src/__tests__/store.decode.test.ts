import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { TurnSchema } from '../lib/schemas';
import { decodeConversation, encodeConversation, type DecodedRecord } from '../host/store/decode';
import { linkCitations, turnSources } from '../lib/citations';
import { turnMarkdown, turnToMarkdown } from '../lib/markdown';
import { threadOf } from '../lib/thread';
import type { Attachment, Conversation, Source, ToolCallRecord, Turn } from '../lib/types';
import {
  BUILDER_TIME,
  makeConversation,
  makeSource,
  makeToolCall,
  makeTurn,
} from './support/builders';

const FIXTURES = join(import.meta.dirname, 'fixtures', 'conversations');

function decode(value: unknown, id = 'tea'): DecodedRecord {
  const outcome = decodeConversation(value, id, BUILDER_TIME);
  if (!outcome.ok) throw new Error(outcome.reason);
  const { conversation, problems, extras } = outcome;
  return { conversation, problems, extras };
}

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
}

const encoded = ({ conversation, extras }: DecodedRecord): unknown =>
  JSON.parse(encodeConversation(conversation, extras));

describe('the frozen records', () => {
  it.each(['v1', 'v2'])('%s is read whole, and written as it was in version 2', (name) => {
    const raw = fixture(name);
    const record = decode(raw, name);
    expect(record.problems).toEqual([]);
    expect(record.conversation).toEqual({ ...Object(raw), version: 2 });
    expect(encoded(record)).toEqual({ ...Object(raw), version: 2 });
    expect(record.extras).toEqual({ conversation: {}, turns: new Map() });
  });

  it('version 2 shows the variant of its head', () => {
    const { conversation } = decode(fixture('v2'), 'v2');
    expect(threadOf(conversation).map(({ id }) => id)).toEqual(['t1', 't2b', 't3b']);
  });

  it('a record from before sources gets states, and nothing invented', () => {
    const { conversation, problems } = decode(fixture('before-sources'), 'before-sources');
    expect(problems).toEqual([]);
    expect(conversation.version).toBe(2);
    expect(conversation.turns.map(({ id, state }) => [id, state])).toEqual([
      ['o1', 'done'],
      ['o2', 'interrupted'],
      ['o3', 'failed'],
      ['o4', 'done'],
    ]);
    expect(conversation.turns[0]?.toolCalls).toEqual([
      {
        name: 'web_search',
        arguments: { query: 'kettle' },
        result: '[1] Kettles\n',
        isError: false,
      },
    ]);
    expect(conversation.turns[3]?.toolCalls).toEqual([]);
    expect(conversation.turns.every((turn) => turn.carried === undefined)).toBe(true);
  });

  it('later additions cost nothing but themselves', () => {
    const record = decode(fixture('later-additions'), 'later-additions');
    expect(record.conversation.turns[0]?.toolCalls[0]?.sources).toEqual([
      { index: 1, title: 'Steeping table 1', url: 'https://tea-1.example/table' },
    ]);
    expect(record.problems).toEqual([expect.stringContaining('2 details in “Pinned”')]);
    expect(encoded(record)).toMatchObject({ pinned: true, turns: [{ rating: 5 }] });
  });

  it('a malformed record gives every row that is whole', () => {
    const { conversation, problems } = decode(fixture('malformed'), 'malformed');
    expect(conversation.turns.map(({ id, question, state }) => [id, question, state])).toEqual([
      ['m1', 'Which tea is this?', 'done'],
      ['m1-2', 'The same id again', 'done'],
      ['turn-7', 'No id at all', 'done'],
    ]);
    expect(conversation.turns[0]?.toolCalls).toEqual([
      {
        name: 'web_search',
        arguments: { query: 'sencha' },
        result: '[1] Sencha',
        isError: false,
        sources: [
          {
            index: 1,
            title: 'Steeping table 1',
            url: 'https://tea-1.example/table',
            status: 'read',
          },
          { index: 3, title: 'Steeping table 3', url: 'https://tea-3.example/table' },
        ],
      },
    ]);
    expect(conversation).toMatchObject({
      title: 'Which tea is this?',
      createdAt: BUILDER_TIME,
      updatedAt: BUILDER_TIME + 20,
    });
    expect(conversation.owner).toBeUndefined();
    expect(problems).toEqual([
      '4 of 7 exchanges, 3 tool calls, 1 source, 8 details in “Which tea is this?” could not be read; ' +
        'the original is kept (copied to set-aside before anything is saved).',
    ]);
  });

  it('a hostile record changes no prototype and gives no path', () => {
    const record = decode(fixture('hostile'), 'hostile');
    const { conversation } = record;
    expect(conversation.id).toBe('hostile');
    expect(conversation.turns.map(({ id }) => id)).toEqual(['h1']);
    expect(conversation.turns[0]?.toolCalls[0]?.sources?.map(({ index }) => index)).toEqual([1]);
    expect(conversation.updatedAt).toBe(BUILDER_TIME);
    expect(record.problems).toEqual([expect.stringMatching(/^2 of 3 exchanges, 3 sources, /)]);
    expect(record.problems[0]).not.toContain('\n');
    expect('polluted' in {}).toBe(false);
    for (const value of [conversation, ...conversation.turns, record.extras.conversation]) {
      expect('polluted' in value).toBe(false);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(decode(encoded(record), 'hostile').conversation).toEqual(conversation);
  });

  it.each(['v1', 'v2', 'before-sources', 'later-additions', 'malformed', 'hostile'])(
    'a rewrite of %s is stable and has no problems of its own',
    (name) => {
      const first = decode(fixture(name), name);
      const rewritten = encodeConversation(first.conversation, first.extras);
      const second = decode(JSON.parse(rewritten), name);
      expect(second.conversation).toEqual(first.conversation);
      expect(second.problems).toEqual([]);
      expect(encodeConversation(second.conversation, second.extras)).toBe(rewritten);
    },
  );
});

describe('records that are refused whole', () => {
  const whole = makeConversation();
  it.each([
    ['null', null, 'does not hold a conversation'],
    ['a list', [whole], 'does not hold a conversation'],
    ['a text', 'conversation', 'does not hold a conversation'],
    ['a later version', fixture('future-version'), 'newer version of Lam'],
    ['a version as text', { ...whole, version: '1' }, 'format version is unknown'],
    ['a version between two', { ...whole, version: 1.5 }, 'format version is unknown'],
    ['version 0', { ...whole, version: 0 }, 'format version is unknown'],
    ['no list of exchanges', { version: 1, id: 'tea' }, 'list of exchanges is missing'],
    ['an object of exchanges', { ...whole, turns: { 0: whole.turns[0] } }, 'list of exchanges'],
  ])('%s', (_, value, reason) => {
    expect(decodeConversation(value, 'tea', 0)).toEqual({
      ok: false,
      reason: expect.stringContaining(reason) as string,
    });
  });
});

describe('single fields', () => {
  const stored = (overrides: object) => ({
    ...makeConversation(),
    turns: [{ ...makeTurn(), ...overrides }],
  });

  it.each([
    ['startedAt', 'soon', 'startedAt', BUILDER_TIME],
    ['startedAt', null, 'startedAt', BUILDER_TIME],
    ['endedAt', '1', 'endedAt', undefined],
    ['usage', { inputTokens: '9' }, 'usage', undefined],
    ['model', 4, 'model', undefined],
    ['reasoning', ['a'], 'reasoning', undefined],
    ['notice', {}, 'notice', undefined],
    ['state', 'paused', 'state', 'done'],
    ['toolCalls', { 0: makeToolCall() }, 'toolCalls', []],
    ['carried', 'none', 'carried', undefined],
    ['parent', 7, 'parent', undefined],
    ['attachments', 'notes.md', 'attachments', undefined],
    ['web', 'no', 'web', undefined],
    ['id', '', 'id', 'turn-1'],
    ['id', 5, 'id', 'turn-1'],
  ] as const)('a wrong %s (%j) costs only itself', (key, value, field, expected) => {
    const { conversation, problems } = decode(stored({ [key]: value }));
    expect(conversation.turns[0]).toEqual({ ...makeTurn(), [field]: expected });
    expect(problems).toHaveLength(1);
  });

  it.each([
    'reasoning',
    'carried',
    'error',
    'notice',
    'model',
    'endedAt',
    'usage',
    'parent',
    'web',
  ])('null for %s is the same as absent', (key) => {
    const { conversation, problems } = decode(stored({ [key]: null }));
    expect(problems).toEqual([]);
    expect(conversation.turns[0]).not.toHaveProperty(key);
  });

  it.each([
    ['titledBy', 'Ada'],
    ['titledBy', true],
    ['pinned', 'yes'],
    ['head', 3],
  ])('a wrong %s (%j) of the conversation costs only itself', (key, value) => {
    const { conversation, problems } = decode({ ...makeConversation(), [key]: value });
    expect(conversation).toEqual(makeConversation());
    expect(problems).toEqual([expect.stringMatching(/^1 detail in “Tea”/)]);
  });

  it('gives every one of many equal ids an id of its own', () => {
    const row = {
      id: 'a',
      question: 'Q',
      response: 'A',
      startedAt: 1,
      state: 'done',
      toolCalls: [],
    };
    const rows = Array.from({ length: 20_000 }, () => row);
    const { turns } = decode({ ...makeConversation(), turns: rows }).conversation;
    expect(new Set(turns.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('leaves out what is nested too deeply to be written again', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    const record = decode({
      ...stored({ deep, toolCalls: [{ ...makeToolCall(), arguments: { deep } }, makeToolCall()] }),
      deep,
    });
    expect(record.conversation.turns[0]?.toolCalls).toHaveLength(1);
    expect(record.problems).toEqual([expect.stringContaining('1 tool call, 2 details')]);
    expect(encoded(record)).toEqual(makeConversation());
  });
});

describe('attachments', () => {
  const bare: Attachment = {
    kind: 'image',
    name: 'leaf.png',
    path: '/home/ada/leaf.png',
    size: 20,
  };
  const uncopied: Attachment = { ...bare, mediaType: 'image/png' };
  const untyped: Attachment = { ...bare, copy: '9f2b.png' };
  const image: Attachment = { ...uncopied, ...untyped };

  it.each<[string, unknown, Attachment | undefined, string]>([
    ['a text in its place', 'leaf.png', undefined, '1 attachment'],
    ['an unknown kind', { ...image, kind: 'film' }, undefined, '1 attachment'],
    ['no name', { ...image, name: undefined }, undefined, '1 attachment'],
    ['no path', { ...image, path: 5 }, undefined, '1 attachment'],
    ['a size that is none', { ...image, size: '20' }, { ...image, size: 0 }, '1 detail'],
    ['a media type that is none', { ...image, mediaType: 1 }, untyped, '1 detail'],
    ['a copy in another folder', { ...image, copy: '../../key.png' }, uncopied, '1 detail'],
    ['a copy that is a folder', { ...image, copy: '..' }, uncopied, '1 detail'],
    ['a hidden copy', { ...image, copy: '.ssh' }, uncopied, '1 detail'],
    ['a copy with a line break', { ...image, copy: 'a.png\n' }, uncopied, '1 detail'],
    ['an empty copy', { ...image, copy: '' }, uncopied, '1 detail'],
  ])('%s costs no neighbour', (_, row, expected, lost) => {
    const turn = { ...makeTurn(), attachments: [image, row, image] };
    const record = decode(JSON.parse(JSON.stringify({ ...makeConversation(), turns: [turn] })));
    expect(record.conversation.turns[0]?.attachments).toEqual(
      [image, expected, image].filter((each) => each !== undefined),
    );
    expect(record.problems).toEqual([expect.stringContaining(`${lost} in “Tea”`)]);
  });
});

describe('what an exchange follows', () => {
  const row = (id: unknown, parent?: unknown, more: object = {}) => ({
    ...makeTurn(),
    id,
    parent,
    ...more,
  });
  const lost = (id: unknown, parent?: unknown) => row(id, parent, { question: 7 });
  const read = (turns: unknown[], head?: string) =>
    decode(JSON.parse(JSON.stringify({ ...makeConversation(), turns, head }))).conversation;
  const parents = (conversation: Conversation) =>
    conversation.turns.map(({ id, parent }) => [id, parent]);

  it.each<[string, unknown[], [string, string | undefined][]]>([
    [
      'no parents, nothing lost: none is made up',
      [row('a'), row('b')],
      [
        ['a', undefined],
        ['b', undefined],
      ],
    ],
    [
      'no parents, one lost: the order of the list holds',
      [row('a'), lost('x'), row('b')],
      [
        ['a', undefined],
        ['b', undefined],
      ],
    ],
    [
      'a parent of nothing stays',
      [row('a', ''), row('b', 'gone')],
      [
        ['a', ''],
        ['b', 'gone'],
      ],
    ],
    [
      'the parent was lost: what that one followed',
      [row('a', ''), lost('b', 'a'), row('c', 'b'), row('d', 'a')],
      [
        ['a', ''],
        ['c', 'a'],
        ['d', 'a'],
      ],
    ],
    [
      'a run of lost ones',
      [row('a', ''), lost('b', 'a'), lost('c', 'b'), lost('d', 'c'), row('e', 'd')],
      [
        ['a', ''],
        ['e', 'a'],
      ],
    ],
    [
      'the beginning was lost',
      [lost('a', ''), row('b', 'a'), row('c', 'b')],
      [
        ['b', ''],
        ['c', 'b'],
      ],
    ],
    [
      'no parent, after a lost variant: not into the other variant',
      [row('a', ''), row('b', 'a'), lost('c', 'a'), row('d')],
      [
        ['a', ''],
        ['b', 'a'],
        ['d', 'a'],
      ],
    ],
    [
      'the lost one has no parent that can be read: the row before it',
      [row('a', ''), row('b', 'a'), lost('c', 9), row('d', 'c')],
      [
        ['a', ''],
        ['b', 'a'],
        ['d', 'b'],
      ],
    ],
    [
      'the lost one has not even an id: the nearest lost row is taken for it',
      [row('a', ''), null, row('c', 'b'), row('d', 'b')],
      [
        ['a', ''],
        ['c', 'a'],
        ['d', 'a'],
      ],
    ],
    [
      'two of one id: the first is meant',
      [row('a', ''), row('b', 'a'), row('b', 'a'), row('c', 'b')],
      [
        ['a', ''],
        ['b', 'a'],
        ['b-2', 'a'],
        ['c', 'b'],
      ],
    ],
    [
      'an id that a renamed one has taken: the one that was stored under it is meant',
      [row('a', ''), row('a', ''), row('a-2', 'a'), row('c', 'a-2')],
      [
        ['a', ''],
        ['a-2', ''],
        ['a-2-2', 'a'],
        ['c', 'a-2-2'],
      ],
    ],
    ['itself: the beginning', [row('a', 'a')], [['a', '']]],
    [
      'lost ones in a circle: the beginning',
      [lost('a', 'b'), lost('b', 'a'), row('c', 'a')],
      [['c', '']],
    ],
  ])('%s', (_, turns, expected) => {
    const conversation = read(turns);
    expect(parents(conversation)).toEqual(expected);
    expect(parents(read(conversation.turns))).toEqual(expected);
  });

  it.each<[string, unknown[], string | undefined, string | undefined]>([
    ['is there', [row('a', ''), row('b', 'a')], 'a', 'a'],
    ['names nothing', [row('a', '')], 'gone', 'gone'],
    ['was lost', [row('a', ''), lost('b', 'a'), row('c', 'a')], 'b', 'a'],
    ['two of one id', [row('a', ''), row('a', '')], 'a', 'a'],
    ['absent, nothing lost', [row('a', ''), row('b', 'a')], undefined, undefined],
    ['absent, last lost', [row('a', ''), row('b', 'a'), lost('c', 'a')], undefined, 'a'],
    ['absent, last lost, no variants', [row('a'), row('b'), lost('c')], undefined, undefined],
  ])('head: %s', (_, turns, head, expected) => {
    expect(read(turns, head).head).toBe(expected);
  });

  it('is worked out in one go, however many are lost', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => ({
      id: `x${at}`,
      parent: at === 0 ? '' : `x${at - 1}`,
    }));
    const followers = chain.map((_, at) => ({ id: `f${at}`, parent: 'x19999', question: 'Q' }));
    const { turns } = read([...chain, ...followers]);
    expect(turns.every(({ parent }) => parent === '')).toBe(true);
  });
});

describe('damaged sources', () => {
  const page = (index: number, more: object = {}) => ({
    index,
    title: `Page ${index}`,
    url: `https://page-${index}.example/`,
    ...more,
  });
  const stored = (sources: unknown, carried?: unknown, more: object = {}) => ({
    ...makeConversation(),
    turns: [
      {
        ...makeTurn(),
        response: 'So [1], [2], [3].',
        carried,
        ...more,
        toolCalls: [
          { ...makeToolCall(), sources, statuses: [] },
          makeToolCall({ sources: [makeSource({ index: 3 })] }),
        ],
      },
      { ...makeTurn(), id: 'next' },
    ],
  });
  const lost = (what: string) => [
    `${what} in “Tea” could not be read; the original is kept (copied to set-aside before anything is saved).`,
  ];
  /** What the reader is shown: number and address of each source that the first turn cites. */
  const shown = ({ conversation }: DecodedRecord) => {
    const [turn] = conversation.turns;
    if (!turn) throw new Error('the turn was lost');
    const sources = turnSources(turn);
    const { cited } = linkCitations(turn.response, sources);
    return sources
      .filter(({ index }) => cited.has(index))
      .map(({ index, url }) => `${index} ${url}`);
  };
  const [ONE, TWO, THREE] = [1, 2, 3].map((n) => `${n} https://page-${n}.example/`);

  it.each<[string, unknown, string[]]>([
    ['no index', page(2, { index: undefined }), lost('1 source')],
    ['index 0', page(2, { index: 0 }), lost('1 source')],
    ['a negative index', page(2, { index: -2 }), lost('1 source')],
    ['a fraction as index', page(2, { index: 2.5 }), lost('1 source')],
    ['an index beyond exact integers', page(2, { index: 1e21 }), lost('1 source')],
    ['an index as text', page(2, { index: '2' }), lost('1 source')],
    ['null as index, as NaN is stored', page(2, { index: NaN }), lost('1 source')],
    ['no address', page(2, { url: undefined }), lost('1 source')],
    ['a number as address', page(2, { url: 4 }), lost('1 source')],
    ['a list as address', page(2, { url: ['https://page-2.example/'] }), lost('1 source')],
    ['null in its place', null, lost('1 source')],
    ['a text in its place', 'https://page-2.example/', lost('1 source')],
    ['a list in its place', [page(2)], lost('1 source')],
  ])('%s costs the row and no neighbour', (_why, row, problems) => {
    const record = decode(JSON.parse(JSON.stringify(stored([page(1), row]))));
    expect(shown(record)).toEqual([ONE, THREE]);
    expect(record.problems).toEqual(problems);
    expect(record.conversation.turns[1]).toEqual(makeTurn({ id: 'next' }));
  });

  it.each<[string, object, string, string[]]>([
    ['no title', { title: undefined }, 'https://page-2.example/', lost('1 detail')],
    ['null as title', { title: null }, 'https://page-2.example/', lost('1 detail')],
    ['an object as title', { title: {} }, 'https://page-2.example/', lost('1 detail')],
    ['an unknown status', { status: 'seen' }, 'Page 2', lost('1 detail')],
    ['a number as status', { status: 2 }, 'Page 2', lost('1 detail')],
    ['an unknown kind', { kind: 'book' }, 'Page 2', lost('1 detail')],
    ['all three', { title: 4, kind: [], status: {} }, 'https://page-2.example/', lost('3 details')],
    ['an unknown field', { author: 'A' }, 'Page 2', []],
  ])('%s does not cost the page its number', (_why, fields, title, problems) => {
    const record = decode(JSON.parse(JSON.stringify(stored([page(1), page(2, fields)]))));
    expect(shown(record)).toEqual([ONE, TWO, THREE]);
    expect(record.problems).toEqual(problems);
    expect(record.conversation.turns[0]?.toolCalls[0]?.sources?.[1]).toEqual(page(2, { title }));
  });

  it.each<[string, unknown]>([
    ['an object', { 0: page(1) }],
    ['a text', 'none'],
    ['a number', 7],
    ['true', true],
  ])('%s as the sources of a call costs that list and no neighbour', (_why, sources) => {
    const record = decode(stored(sources));
    expect(shown(record)).toEqual([THREE]);
    expect(record.problems).toEqual(lost('1 source'));
    expect(record.conversation.turns[0]?.toolCalls).toHaveLength(2);
  });

  it.each<[string, unknown, string[], string[]]>([
    ['an object', { index: 1 }, [TWO ?? '', THREE ?? ''], lost('1 source')],
    [
      'a row without an address',
      [page(1, { url: null }), page(2)],
      [TWO ?? '', THREE ?? ''],
      lost('1 source'),
    ],
    [
      'rows that are none',
      [4, null, page(1)],
      [ONE ?? '', TWO ?? '', THREE ?? ''],
      lost('2 sources'),
    ],
    [
      'a number that a call has too, for another page: the carried one',
      [page(1), page(2, { url: 'https://old.example/' })],
      [ONE ?? '', '2 https://old.example/', THREE ?? ''],
      [],
    ],
    [
      'a number twice: the first',
      [page(1, { url: 'https://first.example/' }), page(1)],
      ['1 https://first.example/', TWO ?? '', THREE ?? ''],
      [],
    ],
    [
      'an address that may not be opened',
      [page(1, { url: 'javascript:alert(1)' })],
      [TWO ?? '', THREE ?? ''],
      [],
    ],
    ['a huge number', [page(1), page(2 ** 53 - 1)], [ONE ?? '', TWO ?? '', THREE ?? ''], []],
  ])('carried: %s', (_why, carried, expected, problems) => {
    for (const state of ['done', 'interrupted']) {
      const record = decode(stored([page(2)], carried, { state }));
      expect(shown(record)).toEqual(expected);
      expect(record.problems).toEqual(problems);
      expect(decode(encoded(record)).conversation).toEqual(record.conversation);
    }
  });

  it('an answer from before sources shows its numbers as they are, and no list', () => {
    const [turn] = decode(fixture('before-sources'), 'before-sources').conversation.turns;
    if (!turn) throw new Error('the turn was lost');
    const asked = { ...turn, response: 'A kettle [1].' };
    expect(turnSources(asked)).toEqual([]);
    expect(turnMarkdown(asked)).toMatch(/\n\nA kettle \[1\]\.$/);
    expect(turnToMarkdown(asked)).toBe('A kettle [1].');
  });
});

// --- Properties -------------------------------------------------------------------------------------------------------

const text = fc.string({ unit: 'binary', maxLength: 12 });
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const source: fc.Arbitrary<Source> = fc
  .record({ index: fc.integer({ min: 1, max: 99 }), title: text, url: fc.webUrl() })
  .map((fields) => makeSource(fields));

const call: fc.Arbitrary<ToolCallRecord> = fc
  .record({
    name: text,
    arguments: fc
      .dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      // zod leaves this one key out on purpose
      .filter((fields) => !Object.hasOwn(fields, '__proto__'))
      .map((fields): Record<string, unknown> => ({ ...fields })),
    result: text,
    isError: fc.boolean(),
    sources: maybe(fc.array(source, { maxLength: 3 })),
    statuses: maybe(
      fc.array(fc.record({ index: fc.integer(), status: fc.constantFrom('hit', 'part') }), {
        maxLength: 2,
      }),
    ),
  })
  .map((fields) => makeToolCall(fields));

const attachment: fc.Arbitrary<Attachment> = fc.record(
  {
    kind: fc.constantFrom('text', 'pdf', 'image'),
    name: text,
    path: text,
    size: fc.nat(),
    mediaType: text,
    copy: fc.constantFrom('9f2b.png', 'a-b_c.webp'),
  },
  { requiredKeys: ['kind', 'name', 'path', 'size'] },
);

const turn: fc.Arbitrary<Turn> = fc
  .record({
    question: text,
    response: text,
    reasoning: maybe(text),
    toolCalls: fc.array(call, { maxLength: 3 }),
    carried: maybe(fc.array(source, { maxLength: 2 })),
    state: fc.constantFrom('running', 'done', 'stopped', 'failed', 'interrupted'),
    error: maybe(text),
    notice: maybe(text),
    model: maybe(text),
    startedAt: time,
    attachments: maybe(fc.array(attachment, { maxLength: 2 })),
    web: maybe(fc.boolean()),
    parent: maybe(fc.constantFrom('', 'id-0', 'id-1', 'id-2', 'nothing')),
  })
  .map((fields) => makeTurn(fields));

const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    title: text,
    createdAt: time,
    updatedAt: time,
    turns: fc.array(turn, { maxLength: 5 }).map((turns) =>
      turns.map((each, position) => {
        const id = `id-${position}`;
        return { ...each, id, parent: each.parent === id ? '' : each.parent };
      }),
    ),
    titledBy: fc.constantFrom(undefined, 'person', 'model'),
    pinned: maybe(fc.boolean()),
    head: maybe(fc.constantFrom('', 'id-0', 'id-3', 'nothing')),
    owner: fc.constantFrom(undefined, { launchId: 'one', heartbeatAt: BUILDER_TIME }),
  })
  .map((fields) => makeConversation(fields));

/** Every place in a JSON value, as a path of keys. */
function places(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

/** A copy of the value with another value, or none, at the path. */
function damage(value: unknown, [key, ...rest]: string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((inner: unknown, index) =>
      String(index) === key ? damage(inner, rest, replacement) : inner,
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === key ? damage(inner, rest, replacement) : (inner as unknown),
    ]),
  );
}

describe('properties', () => {
  it('decode undoes encode', () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const record = decode(JSON.parse(encodeConversation(given)));
        expect(record.conversation).toEqual(given);
        expect(record.problems).toEqual([]);
        expect(record.extras).toEqual({ conversation: {}, turns: new Map() });
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it('whatever value stands wherever, no undamaged turn is lost and nothing throws', () => {
    const wrong = fc.oneof(
      fc.constantFrom<unknown[]>(null, true, -1, 0.5, '', '7', [], {}, [[]], undefined, 'NaN'),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(
        conversation,
        fc.array(fc.tuple(fc.nat(), wrong), { minLength: 1, maxLength: 4 }),
        (given, hits) => {
          let raw: unknown = JSON.parse(encodeConversation(given));
          const harmed = new Set<string>();
          let listHarmed = false;
          for (const [where, value] of hits) {
            const all = places(raw);
            const path = all[where % all.length] ?? [];
            const [first, position] = path;
            if (first === undefined || first === 'version') listHarmed = true;
            if (first === 'turns' && position === undefined) listHarmed = true;
            if (position !== undefined) harmed.add(`id-${position}`);
            raw = damage(raw, path, value);
          }
          const outcome = decodeConversation(
            JSON.parse(JSON.stringify([raw]).slice(1, -1)),
            'tea',
            0,
          );
          if (!outcome.ok) {
            expect(listHarmed).toBe(true);
            return;
          }
          if (listHarmed) return;
          const survivors = given.turns.filter(({ id }) => !harmed.has(id));
          const found = new Map(outcome.conversation.turns.map((each) => [each.id, each]));
          // What it follows may be another one now: the one it followed may be lost, or have another id.
          const alone = (each: Turn | undefined) => ({ ...each, parent: undefined });
          expect(survivors.map(({ id }) => alone(found.get(id)))).toEqual(survivors.map(alone));
          const again = decode(
            JSON.parse(encodeConversation(outcome.conversation, outcome.extras)),
          );
          expect(again.conversation).toEqual(outcome.conversation);
          expect(again.problems).toEqual([]);
        },
      ),
      { numRuns: 1_000 },
    );
  }, 120_000);

  it('whatever the JSON is: read, written, read and written again, it is the same', () => {
    const names = fc.constantFrom('a', 'b', 'a-2', '', 7, null);
    const row = fc.oneof(
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
      {
        weight: 6,
        arbitrary: fc.record(
          {
            id: names,
            parent: names,
            question: fc.constantFrom('Q', 'Q', 'Q', 7),
            response: fc.constantFrom('A', null),
            toolCalls: fc.jsonValue({ maxDepth: 1 }),
            attachments: fc.jsonValue({ maxDepth: 2 }),
            web: fc.jsonValue({ maxDepth: 1 }),
            more: fc.jsonValue({ maxDepth: 2 }),
          },
          { requiredKeys: ['question'] },
        ),
      },
    );
    const record = fc.record(
      {
        turns: fc.array(row, { maxLength: 8 }),
        version: fc.constantFrom(1, 2),
        head: names,
        title: fc.jsonValue({ maxDepth: 1 }),
        pinned: fc.jsonValue({ maxDepth: 1 }),
        titledBy: fc.constantFrom('person', 'model', 'nobody'),
        owner: fc.jsonValue({ maxDepth: 1 }),
        more: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['turns'] },
    );
    fc.assert(
      fc.property(record, (given) => {
        const first = decode(JSON.parse(JSON.stringify(given)));
        const once = encodeConversation(first.conversation, first.extras);
        const second = decode(JSON.parse(once));
        expect(second.conversation).toEqual(first.conversation);
        expect(second.problems).toEqual([]);
        expect(encoded(second)).toEqual(JSON.parse(once));
        expect(threadOf(second.conversation)).toEqual(threadOf(first.conversation));
      }),
      { numRuns: 2_000 },
    );
  }, 120_000);

  it('whatever the JSON is, it never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, turns) => {
        decodeConversation(value, 'tea', 0);
        decodeConversation({ turns: [turns], owner: value, title: turns }, 'tea', 0);
      }),
      { numRuns: 1_000 },
    );
  }, 120_000);
});

it('every field of an exchange survives a read, so that none is forgotten in the reader', () => {
  const whole: Required<Turn> = {
    id: 'a',
    question: 'Why?',
    parent: '',
    attachments: [{ kind: 'text', name: 'n.txt', path: '/n.txt', size: 1 }],
    web: false,
    response: 'Because',
    reasoning: 'Hm',
    toolCalls: [],
    carried: [],
    state: 'done',
    error: 'None.',
    failureKind: 'cut',
    notice: 'Short.',
    cut: true,
    evidence: [],
    quotes: [],
    model: 'm',
    startedAt: 1,
    endedAt: 2,
    usage: { inputTokens: 1 },
  };
  expect(Object.keys(whole).sort()).toEqual(Object.keys(TurnSchema.shape).sort());
  const read = decodeConversation({ version: 2, id: 'c', title: '', turns: [whole] }, 'c', 0);
  expect(read.ok && read.conversation.turns).toEqual([whole]);
});
