import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createConversationStore } from '../host/store/conversations';
import { decodeConversation, encodeConversation, type DecodedRecord } from '../host/store/decode';
import { exportJson } from '../host/store/exchange';
import { mergeConversations } from '../host/store/merge';
import { MAX_EVIDENCE_QUOTE_CHARS } from '../lib/constants';
import { findEvidence } from '../lib/evidence';
import {
  EvidenceSchema,
  QuoteCheckSchema,
  ShownSchema,
  SourceSchema,
  ToolCallRecordSchema,
} from '../lib/schemas';
import type { Conversation, Evidence, QuoteCheck, Shown, Source, Turn } from '../lib/types';
import {
  BUILDER_TIME,
  makeConversation,
  makeSource,
  makeToolCall,
  makeTurn,
} from './support/builders';
import { filesIn, putRecord } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const fixture = (name: string): unknown =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, 'fixtures', 'conversations', `${name}.json`), 'utf8'),
  );

function decode(value: unknown, id = 'tea'): DecodedRecord {
  const outcome = decodeConversation(value, id, BUILDER_TIME);
  if (!outcome.ok) throw new Error(outcome.reason);
  const { conversation, problems, extras } = outcome;
  return { conversation, problems, extras };
}

const evidenceOf = ({ turns }: Conversation, place = 0): Evidence[] => turns[place]?.evidence ?? [];

const passage: Evidence = {
  index: 1,
  id: '//page-1.example/',
  title: 'Page 1',
  url: 'https://page-1.example/',
  blocks: ['a1'],
  quote: 'Two minutes.',
  score: 0.5,
  markers: [12],
};

const check: QuoteCheck = { start: 1, end: 9, marker: 12, index: 1, status: 'exact' };
const shown: Shown = { index: 1, at: 0, length: 8 };

/** A conversation whose first turn holds these rows, and whose second one is whole. */
const stored = (fields: object): unknown => ({
  ...makeConversation(),
  turns: [
    { ...makeTurn(), ...fields },
    makeTurn({ id: 'next', evidence: [passage], quotes: [check] }),
  ],
});

const lost = (what: string) => [
  `${what} in “Tea” could not be read; the original is kept (copied to set-aside before anything is saved).`,
];

describe('the frozen records', () => {
  it('evidence is read whole, and written as it was', () => {
    const raw = fixture('evidence');
    const record = decode(raw, 'evidence');
    expect(record.problems).toEqual([]);
    expect(record.conversation).toEqual(raw);
    expect(record.extras).toEqual({ conversation: {}, turns: new Map() });
    expect(JSON.parse(encodeConversation(record.conversation, record.extras))).toEqual(raw);
  });

  it('of a damaged record every passage that is whole is there, and every other part of the rest', () => {
    const { conversation, problems } = decode(fixture('damaged-evidence'), 'damaged-evidence');
    const found = evidenceOf(conversation);
    expect(found.filter(({ index }) => index === 1).map(({ quote }) => quote)).toEqual([
      'Prototype keys beside whole ones.',
      'Two minutes.',
      'Page as text.',
      'Pages back to front.',
      'Page nought.',
      'Ends before it begins.',
      'Begins before the beginning.',
      'Number as text.',
      'Score as text.',
      'Score null, as NaN is stored.',
      'Score beyond one.',
      'Blocks as object.',
      'Some blocks.',
      'Markers as text.',
      'Some markers.',
      'Title as number.',
      'Three wrong ones.',
    ]);
    expect(found.filter(({ index }) => index === 2)).toEqual([
      expect.objectContaining({ quote: 'Soft water.', fragment: 'text=Soft%20water' }),
      ...[
        'A fragment with a space.',
        'A fragment with markup.',
        'No text directive.',
        'A fragment as number.',
      ].map((quote): unknown => expect.objectContaining({ quote })),
    ]);
    expect(found.filter(({ fragment }) => fragment !== undefined)).toHaveLength(1);
    expect(found.map(({ page, pageEnd, start, end }) => ({ page, pageEnd, start, end }))).toEqual(
      found.map(({ quote }) => ({
        page: quote === 'Pages back to front.' ? 5 : undefined,
        pageEnd: undefined,
        start: undefined,
        end: quote === 'Begins before the beginning.' ? 10 : undefined,
      })),
    );
    const quoted = (quote: string) => found.find((row) => row.quote === quote);
    expect(quoted('Prototype keys beside whole ones.')).toEqual({
      index: 1,
      id: '/home/ada/tea.md',
      title: 'Tea',
      url: '/home/ada/tea.md',
      blocks: ['__proto__'],
      quote: 'Prototype keys beside whole ones.',
      score: 0,
      markers: [12],
    });
    expect(quoted('Some blocks.')?.blocks).toEqual(['a1', 'a3']);
    expect(quoted('Some markers.')?.markers).toEqual([12, 44]);
    expect(quoted('Title as number.')?.title).toBe('/home/ada/tea.md');
    expect(conversation.turns[0]?.quotes?.map(({ status }) => status)).toEqual([
      'exact',
      'not-found',
    ]);
    expect(conversation.turns[0]?.toolCalls[0]).toMatchObject({
      sources: [{ index: 1, url: '/home/ada/tea.md' }, { index: 2 }],
      shown: [
        { index: 1, at: 9, length: 12, start: 0, block: 'a1', number: 1 },
        { index: 1, at: 9, length: 12 },
      ],
    });
    expect(conversation.turns[1]).toMatchObject({ id: 'd2', response: 'A [1].' });
    expect(conversation.turns[1]).not.toHaveProperty('evidence');
    expect(conversation.turns[1]).not.toHaveProperty('quotes');
    expect(evidenceOf(conversation, 2)).toHaveLength(1);
    expect(problems).toEqual([
      expect.stringMatching(/^17 passages, 45 details in “Damaged evidence” could not be read;/),
    ]);
    expect('polluted' in {}).toBe(false);
    for (const row of found) expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  it.each(['evidence', 'damaged-evidence'])('a rewrite of %s is stable', (name) => {
    const first = decode(fixture(name), name);
    const once = encodeConversation(first.conversation, first.extras);
    const second = decode(JSON.parse(once), name);
    expect(second.conversation).toEqual(first.conversation);
    expect(second.problems).toEqual([]);
    expect(encodeConversation(second.conversation, second.extras)).toBe(once);
  });

  it('the original of a damaged record is kept before it is written over', async () => {
    const folder = tempFolder();
    const store = launch(folder);
    await store.save(decode(fixture('evidence'), 'tea').conversation);
    const original = JSON.stringify(fixture('damaged-evidence'));
    putRecord(folder, 'tea.json', original);
    expect(await store.rename('tea', 'Other')).toMatchObject({ kind: 'done' });
    const aside = Object.values(filesIn(join(folder, 'set-aside')));
    expect(aside.map((bytes) => Buffer.from(bytes, 'latin1').toString())).toEqual([original]);
  });
});

describe('a passage', () => {
  it.each<[string, object]>([
    ['no number', { index: undefined }],
    ['a number as text', { index: '1' }],
    ['number 0', { index: 0 }],
    ['a fraction as number', { index: 1.5 }],
    ['NaN as number', { index: NaN }],
    ['no document', { id: undefined }],
    ['an empty document', { id: '' }],
    ['a number as document', { id: 1 }],
    ['no words', { quote: undefined }],
    ['a list as words', { quote: ['Two'] }],
  ])('with %s costs the row and no neighbour', (_why, fields) => {
    const other = { ...passage, quote: 'Other.' };
    const rows = [passage, { ...passage, ...fields }, other];
    // As a file holds it, and as a caller's object does: JSON has no NaN.
    for (const value of [stored({ evidence: rows }), plain(stored({ evidence: rows }))]) {
      const record = decode(value);
      expect(evidenceOf(record.conversation)).toEqual([passage, other]);
      expect(evidenceOf(record.conversation, 1)).toEqual([passage]);
      expect(record.problems).toEqual(lost('1 passage'));
    }
  });

  it.each<[string, object, Partial<Evidence>]>([
    ['no title', { title: undefined }, { title: passage.url }],
    ['no title and no address', { title: {}, url: 4 }, { title: passage.id, url: '' }],
    ['an unknown kind', { kind: 'book' }, {}],
    ['a number as version', { version: 1 }, {}],
    ['a page as text', { page: '4' }, {}],
    ['page 0', { page: 0 }, {}],
    ['an infinite page', { page: Infinity }, {}],
    ['pages back to front', { page: 5, pageEnd: 4 }, { page: 5 }],
    ['a last page without a first', { pageEnd: 4 }, {}],
    ['a number of a block that is none', { number: 0 }, {}],
    ['an end before its beginning', { start: 9, end: 8 }, {}],
    ['a negative beginning', { start: -1, end: 8 }, { end: 8 }],
    ['no blocks', { blocks: undefined }, { blocks: [] }],
    ['an object as blocks', { blocks: { 0: 'a1' } }, { blocks: [] }],
    ['a number among blocks', { blocks: ['a', 7, 'b'] }, { blocks: ['a', 'b'] }],
    ['no markers', { markers: null }, { markers: [] }],
    ['a fraction among markers', { markers: [1, 1.5, 2] }, { markers: [1, 2] }],
    ['a negative marker', { markers: [-1, 2] }, { markers: [2] }],
    ['a score as text', { score: '0.5' }, { score: 0 }],
    ['NaN as score', { score: NaN }, { score: 0 }],
    ['a score above 1', { score: 1.01 }, { score: 0 }],
    ['a negative score', { score: -0.5 }, { score: 0 }],
    ['a flag as text', { cut: 'true' }, {}],
    ['a fragment that is no text directive', { fragment: 'id=1' }, {}],
    ['an empty text directive', { fragment: 'text=' }, {}],
    ['a fragment with a space', { fragment: 'text=a b' }, {}],
    ['a fragment with a line break', { fragment: 'text=a\n' }, {}],
    ['a fragment with a quotation mark', { fragment: 'text=a"b' }, {}],
    ['a fragment with a bracket', { fragment: 'text=a<b' }, {}],
    ['a fragment with half an encoding', { fragment: 'text=a%2' }, {}],
    ['a fragment with a control character', { fragment: 'text=a\u0007' }, {}],
    ['a fragment that is too long', { fragment: `text=${'a'.repeat(3_996)}` }, {}],
  ])('with %s loses that only', (_why, fields, left) => {
    const record = decode(stored({ evidence: [passage, { ...passage, ...fields }] }));
    const expected = { ...passage, ...left };
    const isSame = JSON.stringify(expected) === JSON.stringify(passage);
    expect(evidenceOf(record.conversation)).toEqual(isSame ? [passage] : [passage, expected]);
    expect(record.problems).toEqual([
      expect.stringMatching(/^[12] details? in “Tea” could not be read;/),
    ]);
  });

  it.each([
    'text=Soft%20water',
    'text=Tea-,soft%20water,-%E2%80%9Cmakes%E2%80%9D',
    "text=don't%20(ever)!",
    `text=${'a'.repeat(3_995)}`,
  ])('keeps its text directive: %s', (fragment) => {
    const row = { ...passage, fragment };
    expect(evidenceOf(decode(stored({ evidence: [row] })).conversation)).toEqual([row]);
  });

  it('that is too long is cut, says so, and halves no character', () => {
    const most = MAX_EVIDENCE_QUOTE_CHARS;
    const rows = ['a'.repeat(most), 'b'.repeat(most + 1), `${'c'.repeat(most - 1)}\u{1F375}`];
    const evidence = rows.map((quote) => ({ ...passage, quote }));
    const record = decode(stored({ evidence }));
    expect(
      evidenceOf(record.conversation).map(({ quote, cut }) => [quote[0], quote.length, cut]),
    ).toEqual([
      ['a', most, undefined],
      ['b', most, true],
      ['c', most - 1, true],
    ]);
    expect(record.problems).toEqual(lost('2 details'));
    expect(decode(plain(record.conversation)).problems).toEqual([]);
  });

  it('stored twice is one, and nothing is lost', () => {
    const other = { ...passage, quote: 'Other.' };
    const record = decode(stored({ evidence: [passage, other, passage, passage] }));
    expect(evidenceOf(record.conversation)).toEqual([passage, other]);
    expect(record.problems).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    ['the one under the address of the source', ['other', 'own', 'own', 'third'], ['own', 'own']],
    ['else the first', ['other', 'third', 'other'], ['other', 'other']],
  ])('of several documents under one number: %s', (_why, ids, kept) => {
    const rows = ids.map((id, place) => ({
      ...passage,
      id,
      url: id === 'own' ? passage.url : `https://${id}.example/`,
      quote: `Words ${place}.`,
    }));
    const record = decode(stored({ evidence: [...rows, { ...passage, index: 2, id: 'two' }] }));
    expect(evidenceOf(record.conversation).map(({ id }) => id)).toEqual([...kept, 'two']);
    expect(record.problems).toEqual([expect.stringMatching(/^\d passages? in “Tea”/)]);
    expect(decode(plain(record.conversation)).problems).toEqual([]);
  });

  it('of a source that is gone stays', () => {
    const row = { ...passage, index: 9, id: '/gone.pdf', url: '/gone.pdf' };
    const record = decode(stored({ evidence: [row], toolCalls: [] }));
    expect(evidenceOf(record.conversation)).toEqual([row]);
    expect(record.problems).toEqual([]);
  });
});

describe('what is found in an answer', () => {
  it.each<[string, string]>([
    [
      'Chinese',
      '绿茶在八十度的水里泡两分钟就好，再久一些就会变苦，这一点所有的书上都写着。'.repeat(7),
    ],
    [
      'English',
      'Green tea (the loose kind) doesn’t need "boiling" water, 80 °C & two minutes - no more. '.repeat(
        3,
      ),
    ],
    [
      'an emoji',
      'Two minutes, 80 °C, and the cup \u{1F375} is done: nobody waits <longer> than that.',
    ],
  ])('is read back as it is: %s', (_script, words) => {
    const result = words.trim();
    const turn = makeTurn({
      response: `${result} [1].`,
      toolCalls: [
        makeToolCall({
          result,
          shown: [{ ...shown, length: result.length, start: 0, block: 'a', number: 1 }],
        }),
      ],
    });
    const found = findEvidence(turn, []);
    expect(found.evidence[0]?.fragment).toMatch(/^text=/);
    const given = makeConversation({ turns: [{ ...turn, ...found }] });
    const record = decode(JSON.parse(encodeConversation(given)));
    expect(record.problems).toEqual([]);
    expect(record.conversation).toEqual(given);
  });
});

describe('a hundred thousand rows', () => {
  const many = <T>(make: (place: number) => T): T[] =>
    Array.from({ length: 100_000 }, (_, i) => make(i));

  it.each<[string, object, number, string]>([
    [
      'passages',
      { evidence: many((place) => ({ ...passage, quote: `Words ${place}.` })) },
      2_000,
      '98000 passages',
    ],
    ['equal passages', { evidence: many(() => passage) }, 1, '96000 passages'],
    [
      'passages behind many broken ones',
      { evidence: [...many((place) => ({ place })).slice(0, 3_999), passage, passage] },
      1,
      '4000 passages',
    ],
    ['broken passages', { evidence: many((place) => ({ place })) }, 0, '100000 passages'],
    [
      'quotations',
      { quotes: many((place) => ({ ...check, end: 9 + place })) },
      2_000,
      '98000 details',
    ],
    [
      'stretches of one result',
      { toolCalls: [makeToolCall({ shown: many((place) => ({ ...shown, at: place })) })] },
      20_000,
      '80000 details',
    ],
    [
      'blocks of one passage',
      { evidence: [{ ...passage, blocks: many(String) }] },
      1_000,
      '99000 details',
    ],
    [
      'markers of one passage',
      { evidence: [{ ...passage, markers: many((place) => place) }] },
      1_000,
      '99000 details',
    ],
  ])(
    '%s: what is kept is bounded, and what is not is said',
    (what, fields, kept, said) => {
      const record = decode(stored(fields));
      const [turn] = record.conversation.turns;
      const [row] = turn?.evidence ?? [];
      const found: Record<string, unknown[] | undefined> = {
        quotations: turn?.quotes,
        'stretches of one result': turn?.toolCalls[0]?.shown,
        'blocks of one passage': row?.blocks,
        'markers of one passage': row?.markers,
      };
      expect(what in found ? found[what] : turn?.evidence).toHaveLength(kept);
      expect(record.problems).toEqual(said === '' ? [] : lost(said));
      expect(evidenceOf(record.conversation, 1)).toEqual([passage]);
      expect(decode(plain(record.conversation)).problems).toEqual([]);
    },
    120_000,
  );
});

describe('quotations, shown texts, versions and dates', () => {
  it.each<[string, object]>([
    ['an end before its beginning', { start: 9, end: 8 }],
    ['a place as text', { start: '1' }],
    ['no marker', { marker: undefined }],
    ['source 0', { index: 0 }],
    ['an unknown status', { status: 'verified' }],
  ])('a quotation with %s costs the row', (_why, fields) => {
    const record = decode(
      stored({ quotes: [check, { ...check, ...fields }, { ...check, end: 99 }] }),
    );
    expect(record.conversation.turns[0]?.quotes).toEqual([check, { ...check, end: 99 }]);
    expect(record.problems).toEqual(lost('1 detail'));
  });

  it.each<[string, object, Shown | undefined, string]>([
    ['no source', { index: null }, undefined, '1 detail'],
    ['no place', { at: undefined }, undefined, '1 detail'],
    ['a place as text', { at: '0' }, undefined, '1 detail'],
    ['a negative place', { at: -1 }, undefined, '1 detail'],
    ['no length', { length: 0 }, undefined, '1 detail'],
    ['a list of lengths', { length: [8] }, undefined, '1 detail'],
    [
      'all else wrong',
      { start: '0', block: 1, number: 0, page: {}, original: [] },
      shown,
      '5 details',
    ],
  ])('a shown text with %s', (_why, fields, left, said) => {
    const rows = [
      { ...shown, at: 5 },
      { ...shown, ...fields },
      { ...shown, at: 9 },
    ];
    const record = decode(stored({ toolCalls: [{ ...makeToolCall(), shown: rows }] }));
    expect(record.conversation.turns[0]?.toolCalls[0]?.shown).toEqual(
      [{ ...shown, at: 5 }, left, { ...shown, at: 9 }].filter((row) => row !== undefined),
    );
    expect(record.problems).toEqual(lost(said));
  });

  it.each<[string, object]>([
    ['version', { version: 7 }],
    ['date', { date: 20_260_101 }],
  ])('a wrong %s does not cost the page its number', (_name, fields) => {
    const source = makeSource({ version: 'v', date: '2026-01-01', ...fields });
    const record = decode(stored({ toolCalls: [{ ...makeToolCall(), sources: [source] }] }));
    const [name = ''] = Object.keys(fields);
    const whole = Object.entries(makeSource({ version: 'v', date: '2026-01-01' }));
    const left = Object.fromEntries(whole.filter(([key]) => key !== name));
    expect(record.conversation.turns[0]?.toolCalls[0]?.sources).toEqual([left]);
    expect(record.problems).toEqual(lost('1 detail'));
  });

  it.each(['evidence', 'quotes', 'shown'])('null for %s is the same as absent', (key) => {
    const fields =
      key === 'shown' ? { toolCalls: [{ ...makeToolCall(), shown: null }] } : { [key]: null };
    const { conversation, problems } = decode(stored(fields));
    expect(problems).toEqual([]);
    const [turn] = conversation.turns;
    expect(key === 'shown' ? turn?.toolCalls[0] : turn).not.toHaveProperty(key);
  });
});

// --- Carry ------------------------------------------------------------------------------------------------------------

const LATER = BUILDER_TIME + 3_600_000;

function launch(supportPath: string) {
  let made = 0;
  return createConversationStore({
    supportPath,
    launchId: 'one',
    now: () => LATER,
    makeId: () => `new-${(made += 1)}`,
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('evidence goes along', () => {
  const whole = decode(fixture('evidence'), 'evidence').conversation;

  it('when a conversation is saved, loaded and duplicated', async () => {
    const store = launch(tempFolder());
    await store.save(whole);
    expect(await store.duplicate('evidence', 'twin')).toEqual({ kind: 'done' });
    for (const id of ['evidence', 'twin']) {
      const loaded = await store.load(id);
      expect(loaded.ok && loaded.conversation.turns).toEqual(whole.turns);
      expect(loaded.ok && loaded.problems).toEqual([]);
    }
  });

  it('when it is deleted and restored', async () => {
    const store = launch(tempFolder());
    await store.save(whole);
    await store.delete('evidence');
    expect(await store.restore('evidence')).toEqual({ kind: 'done' });
    const loaded = await store.load('evidence');
    expect(loaded.ok && loaded.conversation.turns).toEqual(whole.turns);
  });

  it('when two launches change different turns', () => {
    const change = (id: string, patch: Partial<Turn>): Conversation => ({
      ...whole,
      turns: whole.turns.map((turn) => (turn.id === id ? { ...turn, ...patch } : turn)),
    });
    const ours = change('e1', { evidence: [] });
    const disk = change('e2', { evidence: [passage], quotes: [check] });
    const { turns } = mergeConversations(ours, disk, whole);
    expect(turns.map(({ evidence }) => evidence)).toEqual([[], [passage]]);
    expect(turns[1]?.quotes).toEqual([check]);
  });

  it('when it is exported and imported, but names no file of another machine', async () => {
    const [from, to] = [launch(tempFolder()), launch(tempFolder())];
    await from.save(whole);
    let text = '';
    for await (const chunk of from.exportAll()) text += chunk;
    expect(JSON.parse(text)).toMatchObject({ conversations: [whole] });
    expect(await to.importConversations(text)).toEqual({ imported: 1, skipped: 0, problems: [] });
    // Once more: it is the same conversation.
    expect(await to.importConversations(text)).toEqual({ imported: 0, skipped: 1, problems: [] });
    const loaded = await to.load('evidence');
    if (!loaded.ok) throw new Error(loaded.message);
    const { turns } = loaded.conversation;
    expect(JSON.stringify(turns)).not.toContain('/home/ada');
    const bare = (rows: readonly Evidence[] = []) =>
      rows.map((row) => {
        if (row.kind !== 'document') return row;
        const name = 'steeping.pdf';
        return { ...row, id: name, url: name, kind: undefined, version: undefined };
      });
    expect(turns.map(({ evidence }) => evidence)).toEqual(
      whole.turns.map(({ evidence }) => bare(evidence)),
    );
    expect(turns.map(({ quotes }) => quotes)).toEqual(whole.turns.map(({ quotes }) => quotes));
    expect(turns[0]?.toolCalls.map((call) => call.shown)).toEqual(
      whole.turns[0]?.toolCalls.map((call) => call.shown),
    );
    const sources = [turns[0]?.toolCalls[0]?.sources?.[0], turns[1]?.carried?.[0]];
    for (const source of sources)
      expect(source).toEqual({
        index: 1,
        title: 'Steeping, measured',
        url: 'steeping.pdf',
        status: 'part',
      });
  });

  it('under some name, whatever the path of the document was', async () => {
    const row = { ...passage, kind: 'document', id: '/home/ada/', url: '/home/ada/' };
    const to = launch(tempFolder());
    const turns = [{ ...makeTurn(), evidence: [row] }] as Turn[];
    await to.importConversations(exportJson([makeConversation({ turns })], BUILDER_TIME));
    const loaded = await to.load('tea');
    expect(loaded.ok && evidenceOf(loaded.conversation)).toEqual([
      { ...passage, id: 'document', url: '' },
    ]);
  });
});

// --- Properties -------------------------------------------------------------------------------------------------------

const text = fc.string({ unit: 'binary', maxLength: 12 });
const place = fc.nat({ max: 1_000_000 });
const number = fc.integer({ min: 1, max: 99 });

const evidenceRow: fc.Arbitrary<Evidence> = fc
  .record(
    {
      index: number,
      title: text,
      kind: fc.constantFrom('web', 'document'),
      version: text,
      page: number,
      pages: fc.nat({ max: 3 }),
      blocks: fc.array(text, { maxLength: 3 }),
      number,
      start: place,
      length: place,
      quote: fc.string({ maxLength: 700 }).map((quote) => quote.slice(0, MAX_EVIDENCE_QUOTE_CHARS)),
      cut: fc.boolean(),
      score: fc.double({ min: 0, max: 1, noNaN: true }).map((score) => score + 0),
      markers: fc.array(place, { maxLength: 3 }),
      words: fc.string({ minLength: 1, maxLength: 20 }),
    },
    { requiredKeys: ['index', 'title', 'blocks', 'quote', 'score', 'markers'] },
  )
  .map(({ pages, length, words, ...rest }) => ({
    ...rest,
    id: `id-${rest.index}`,
    url: `https://page-${rest.index}.example/`,
    ...(pages !== undefined && rest.page !== undefined && { pageEnd: rest.page + pages }),
    ...(length !== undefined && rest.start !== undefined && { end: rest.start + length }),
    ...(words !== undefined && { fragment: `text=${encodeURIComponent(words)}` }),
  }));

const distinctRows = <T>(rows: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(rows, { maxLength, selector: (row) => JSON.stringify(row) });

const quoteRow: fc.Arbitrary<QuoteCheck> = fc
  .record({
    start: place,
    length: place,
    marker: place,
    index: number,
    status: fc.constantFrom('exact', 'close', 'not-found', 'not-kept'),
  })
  .map(({ length, ...rest }) => ({ ...rest, end: rest.start + length }));

const shownRow: fc.Arbitrary<Shown> = fc.record(
  {
    index: number,
    at: place,
    length: number,
    start: place,
    block: text,
    number,
    page: number,
    original: text,
  },
  { requiredKeys: ['index', 'at', 'length'] },
);

describe('properties', () => {
  const rows = fc.record({
    evidence: distinctRows(evidenceRow, 6),
    quotes: distinctRows(quoteRow, 4),
    shown: distinctRows(shownRow, 4),
  });

  it('decode undoes encode', () => {
    fc.assert(
      fc.property(rows, ({ evidence, quotes, shown: stretches }) => {
        const turn = makeTurn({
          evidence,
          quotes,
          toolCalls: [makeToolCall({ shown: stretches })],
        });
        const given = makeConversation({ turns: [turn] });
        const record = decode(JSON.parse(encodeConversation(given)));
        expect(record.conversation).toEqual(given);
        expect(record.problems).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it('whatever stands where a row or a value of it should: nothing throws, whole rows stay, a rewrite is stable', () => {
    const anything = fc.oneof(
      fc.constantFrom<unknown[]>(null, true, -1, 0.5, '', '7', [], {}, NaN, Infinity, 1e21),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const key = fc.oneof(
      fc.constantFrom(...Object.keys(EvidenceSchema.shape), '__proto__', 'constructor', 'toString'),
      text,
    );
    const harmed = fc
      .tuple(evidenceRow, fc.array(fc.tuple(key, anything), { minLength: 1, maxLength: 3 }))
      .map(([row, hits]): unknown => ({
        ...row,
        ...Object.fromEntries(hits),
        // A document of its own, or it could take a number away from a whole row.
        index: 100,
      }));
    fc.assert(
      fc.property(
        distinctRows(evidenceRow, 4),
        fc.array(fc.oneof(harmed, anything), { maxLength: 4 }),
        anything,
        (whole, bad, list) => {
          const evidence = whole.flatMap((row, i) => [bad[i], row]).concat(bad.slice(whole.length));
          const first = decode(
            stored({ evidence, quotes: bad, toolCalls: [{ ...makeToolCall(), shown: bad }] }),
          );
          const kept = evidenceOf(first.conversation);
          expect(kept).toEqual(expect.arrayContaining(whole));
          const once = encodeConversation(first.conversation, first.extras);
          const second = decode(JSON.parse(once));
          expect(second.conversation).toEqual(first.conversation);
          expect(second.problems).toEqual([]);
          expect(decode(stored({ evidence: list, quotes: list })).conversation.turns[1]).toEqual(
            first.conversation.turns[1],
          );
        },
      ),
      { numRuns: 500 },
    );
  }, 120_000);
});

describe('every field survives a read, so that none is forgotten in the reader', () => {
  const source: Required<Source> = {
    index: 1,
    title: 'T',
    url: 'https://a.example/',
    kind: 'web',
    status: 'read',
    version: 'v',
    date: '2026-01-01',
  };
  const stretch: Required<Shown> = {
    index: 1,
    at: 0,
    length: 1,
    start: 0,
    block: 'b',
    number: 1,
    page: 1,
    original: 'o',
  };
  const row: Required<Evidence> = {
    index: 1,
    id: '//a.example/',
    title: 'T',
    url: 'https://a.example/',
    kind: 'web',
    version: 'v',
    page: 1,
    pageEnd: 2,
    blocks: ['b'],
    number: 1,
    start: 0,
    end: 1,
    quote: 'Q',
    cut: true,
    score: 1,
    markers: [3],
    fragment: 'text=Q',
  };
  const call: Required<ReturnType<typeof makeToolCall>> = {
    name: 'web_fetch',
    arguments: {},
    result: 'r',
    isError: false,
    sources: [source],
    statuses: [],
    shown: [stretch],
  };
  const quote: Required<QuoteCheck> = check;

  it.each<[string, object, object]>([
    ['a source', source, SourceSchema.shape],
    ['a shown text', stretch, ShownSchema.shape],
    ['a passage', row, EvidenceSchema.shape],
    ['a quotation', quote, QuoteCheckSchema.shape],
    ['a call', call, ToolCallRecordSchema.shape],
  ])('of %s', (_what, whole, shape) => {
    expect(Object.keys(whole).sort()).toEqual(Object.keys(shape).sort());
    const turn = makeTurn({
      toolCalls: [call],
      carried: [source],
      evidence: [row],
      quotes: [quote],
    });
    expect(decode(makeConversation({ turns: [turn] })).conversation.turns).toEqual([turn]);
  });
});
