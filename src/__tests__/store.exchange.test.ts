import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createConversationStore } from '../host/store/conversations';
import type { DecodedRecord } from '../host/store/decode';
import { createProblemList, exportJson, importRows } from '../host/store/exchange';
import type { Conversation } from '../lib/types';
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

/** Reads a text into a store of nothing but the ids that are taken; new ids are `new-1` and so on. */
function read(text: string, taken: string[] = []) {
  const ids = new Set(taken);
  const conversations: DecodedRecord[] = [];
  const problems = createProblemList();
  let made = 0;
  const makeId = () => `new-${(made += 1)}`;
  const isTaken = (id: string) => ids.has(id);
  for (const row of importRows(text, { makeId, isTaken, now: LATER })) {
    if ('problem' in row) {
      problems.add(row.problem);
      continue;
    }
    ids.add(row.record.conversation.id);
    conversations.push(row.record);
    for (const problem of row.record.problems) problems.add(problem);
  }
  return { conversations, problems: problems.list() };
}

const conversationsIn = (text: string, taken?: string[]) =>
  read(text, taken).conversations.map(({ conversation }) => conversation);

function launch(supportPath: string) {
  let made = 0;
  return createConversationStore({
    supportPath,
    launchId: 'one',
    now: () => LATER,
    makeId: () => `new-${(made += 1)}`,
  });
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

const tea = makeConversation();
const coffee = makeConversation({ id: 'coffee', title: 'Coffee' });
/** An hour after everything that the builders make. */
const LATER = BUILDER_TIME + 3_600_000;

/** Ids that are made from what a record holds look alike in what is expected. */
const ownId = (name: string) => name.replace(/^imported-[0-9a-f]{24}/u, 'imported');

const envelope = { lam: 'conversations', version: 1, exportedAt: BUILDER_TIME };

describe('an export', () => {
  it('is an envelope around the stored records, one a line', () => {
    const text = exportJson([tea, coffee], BUILDER_TIME);
    expect(JSON.parse(text)).toEqual({ ...envelope, conversations: [tea, coffee] });
    expect(text.split('\n')).toEqual([
      JSON.stringify({ ...envelope, conversations: [] }).slice(0, -2),
      `${JSON.stringify(tea)},`,
      JSON.stringify(coffee),
      ']}',
      '',
    ]);
  });

  it('of nothing is an envelope without records', () => {
    const text = exportJson([], BUILDER_TIME);
    expect(JSON.parse(text)).toEqual({ ...envelope, conversations: [] });
    expect(read(text)).toEqual({ conversations: [], problems: [] });
  });

  it('names no owner', () => {
    const owned = { ...tea, owner: { launchId: 'one', heartbeatAt: 1 } };
    expect(exportJson([owned], BUILDER_TIME)).toBe(exportJson([tea], BUILDER_TIME));
  });

  it('of a whole store is the same text, and tells what it leaves out', async () => {
    const folder = tempFolder();
    const store = launch(folder);
    expect(await textOf(store.exportAll())).toBe(exportJson([], LATER));
    await store.save(tea);
    await store.save(coffee);
    putRecord(folder, 'text.json', 'no JSON');
    putRecord(folder, 'not ours.json', '{}');
    const part = { ...tea, id: 'part', title: 'Part', turns: [...tea.turns, null] };
    putRecord(folder, 'part.json', JSON.stringify(part));
    const told: string[] = [];
    const text = await textOf(
      store.exportAll((problem) => {
        told.push(problem);
      }),
    );
    expect(JSON.parse(text)).toEqual({
      ...envelope,
      exportedAt: LATER,
      conversations: [coffee, { ...tea, id: 'part', title: 'Part' }, tea],
    });
    expect(text.split('\n')).toHaveLength(6);
    expect(told).toEqual([
      expect.stringContaining('1 of 2 exchanges in “Part”'),
      expect.stringContaining('conversations/text.json'),
    ]);
  });

  it('keeps fields of a later version', async () => {
    const folder = tempFolder();
    putRecord(folder, 'tea.json', JSON.stringify({ ...tea, colour: 'green' }));
    const text = await textOf(launch(folder).exportAll());
    const other = tempFolder();
    expect((await launch(other).importConversations(text)).imported).toBe(1);
    const raw: unknown = JSON.parse(readFileSync(join(other, 'conversations', 'tea.json'), 'utf8'));
    expect(raw).toEqual({ ...tea, colour: 'green' });
  });
});

describe('an import', () => {
  it.each<[string, string]>([
    ['an export', exportJson([tea, coffee], BUILDER_TIME)],
    ['an export with a byte order mark', `\ufeff${exportJson([tea, coffee], 1)}`],
    ['an export with Windows line ends', exportJson([tea, coffee], 1).replaceAll('\n', '\r\n')],
    [
      'an export that was laid out anew',
      JSON.stringify({ ...envelope, conversations: [tea, coffee] }, null, 2),
    ],
    ['a list of records', JSON.stringify([tea, coffee])],
  ])('reads %s', (_, text) => {
    expect(conversationsIn(text)).toEqual([tea, coffee]);
    expect(read(text).problems).toEqual([]);
  });

  it('reads one record, of any version', () => {
    expect(conversationsIn(JSON.stringify(tea))).toEqual([tea]);
    expect(conversationsIn(JSON.stringify({ ...tea, version: 1 }))).toEqual([tea]);
    expect(conversationsIn(JSON.stringify({ ...tea, version: undefined }))).toEqual([tea]);
  });

  it('gives a new id where one is taken, twice there, or none', () => {
    const rows = [tea, tea, coffee, { ...tea, id: '../../x' }, { ...tea, id: 7 }];
    expect(conversationsIn(JSON.stringify(rows), ['coffee']).map(({ id }) => id)).toEqual([
      'tea',
      'new-1',
      'new-2',
      'new-3',
      'new-4',
    ]);
  });

  it('ends what was running, and takes nobody as its owner', () => {
    const running = makeTurn({ state: 'running' });
    const owner = { launchId: 'one', heartbeatAt: BUILDER_TIME + 5 };
    const [conversation] = conversationsIn(
      JSON.stringify(makeConversation({ turns: [running], owner })),
    );
    expect(conversation).toEqual(
      makeConversation({
        turns: [{ ...running, state: 'interrupted', endedAt: BUILDER_TIME + 5 }],
        updatedAt: BUILDER_TIME,
      }),
    );
  });

  const NOTHING = 'The file holds no conversations of Lam.';

  it.each<[string, string, number, string[]]>([
    ['nothing', '', 0, [NOTHING]],
    ['no JSON', 'Dear diary', 0, [NOTHING]],
    ['another JSON', '{"name":"Ada"}', 0, [NOTHING]],
    ['a number', '7', 0, [NOTHING]],
    ['an empty list', '[]', 0, []],
    ['a newer envelope', JSON.stringify({ ...envelope, version: 2 }), 0, ['newer version of Lam']],
    [
      'a newer envelope, cut',
      exportJson([tea], 1).replace('"version":1', '"version":2').slice(0, -9),
      0,
      ['newer version of Lam'],
    ],
    ['an envelope without a list', JSON.stringify(envelope), 0, [NOTHING]],
    [
      'an envelope without a version',
      JSON.stringify({ lam: 'conversations', conversations: [tea] }),
      0,
      [NOTHING],
    ],
    [
      'a newer record',
      JSON.stringify([tea, { ...tea, version: 3 }]),
      1,
      ['Conversation 2 of the file was not imported: it was written by a newer version'],
    ],
    [
      'rows that are none',
      JSON.stringify([null, 7, 'tea', [], {}, tea]),
      1,
      ['Conversation 1 of', 'Conversation 2 of', 'Conversation 3 of', 'Conversation 4', 'sation 5'],
    ],
    [
      'a record in part',
      JSON.stringify({ ...tea, turns: [...tea.turns, null] }),
      1,
      ['1 of 2 exchanges in “Tea” could not be read; the rest was imported.'],
    ],
    [
      'a record of which nothing can be read',
      JSON.stringify([{ ...tea, turns: [null] }]),
      0,
      ['Conversation 1 of the file was not imported: it holds no exchange that can be read.'],
    ],
    [
      'the beginning of an export',
      exportJson([tea, coffee], 1).slice(0, -20),
      1,
      ['One conversation could not be read', 'The file ends early'],
    ],
    [
      'an export with a damaged line',
      exportJson([tea, coffee], 1).replace('"id":"tea"', '"id":"tea'),
      1,
      ['One conversation could not be read: it is not JSON.'],
    ],
  ])('of %s says what is wrong', (_, text, count, sentences) => {
    const { conversations, problems } = read(text);
    expect(conversations).toHaveLength(count);
    expect(problems).toEqual(sentences.map((each) => expect.stringContaining(each) as string));
  });

  it('tells of many problems in few sentences', () => {
    const { problems } = read(JSON.stringify(Array.from({ length: 1_000 }, () => null)));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('And 980 more problems.');
  });
});

describe('a hostile import', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each<[string, string, number]>([
    ['prototype keys', '{"__proto__":{"polluted":true},"turns":[{"__proto__":{}}]}', 1],
    ['a prototype as the envelope', '{"__proto__":{"lam":"conversations","version":1}}', 1],
    ['lists in lists', deep(1_000_000), 1],
    ['lists in lists without an end', '['.repeat(1_000_000), 1],
    ['objects in objects', '{"turns":'.repeat(500_000), 1],
    ['brackets in a string are no nesting', JSON.stringify([`${'['.repeat(1_000)}"`]), 1],
    ['a long row of backslashes', `["${'\\'.repeat(1_000_001)}"]`, 1],
    ['deep nesting after the end of an export', exportJson([tea], 1) + deep(300), 0],
    ['an export of empty lines', exportJson([], 1).replace(']}', '\n'.repeat(1_000_000)), 1],
    ['many rows', `[${'0,'.repeat(200_000)}0]`, 21],
  ])('of %s gives sentences, and nothing else happens', (_, text, count) => {
    const { conversations, problems } = read(text);
    expect(conversations.length).toBeLessThanOrEqual(1);
    expect(problems).toHaveLength(count);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['', '\ufeff'])('of more than is parsed in one go is read line by line (%j)', (mark) => {
    const long = makeConversation({
      id: 'long',
      turns: [makeTurn({ response: 'x'.repeat(40 * 1024 * 1024) })],
    });
    const text = mark + exportJson([long, tea, { ...long, id: 'long-2' }], BUILDER_TIME);
    const { conversations, problems } = read(text);
    expect(conversations.map(({ conversation }) => conversation.id)).toEqual([
      'long',
      'tea',
      'long-2',
    ]);
    expect(problems).toEqual([]);
  });

  it('whatever the JSON is, it never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(), (value, turns, cut) => {
        const texts = [
          value,
          [value, { turns: [turns], id: value }],
          { ...envelope, version: value },
          { ...envelope, conversations: [{ turns, title: value, owner: value }] },
        ].map((each) => JSON.stringify(each));
        for (const text of texts) {
          read(text);
          read(text.slice(0, cut % text.length));
        }
        const exported = exportJson([tea, coffee], 1);
        const { conversations } = read(exported.slice(0, cut % exported.length));
        for (const { conversation } of conversations)
          expect([tea, coffee]).toContainEqual(conversation);
      }),
      { numRuns: 500 },
    );
  }, 120_000);
});

describe('an import into a store', () => {
  it('adds what is not there, and writes over nothing', async () => {
    const [from, to] = [tempFolder(), tempFolder()];
    const [source, target] = [launch(from), launch(to)];
    await source.save(tea);
    await source.save(coffee);
    await target.save(makeConversation({ title: 'Mine', turns: [makeTurn({ id: 'mine' })] }));
    const before = filesIn(to)['conversations/tea.json'];
    const text = await textOf(source.exportAll());
    expect(await target.importConversations(text)).toEqual({
      imported: 2,
      skipped: 0,
      problems: [],
    });
    expect(filesIn(to)['conversations/tea.json']).toBe(before);
    const ids = (await target.list()).entries.map(({ id }) => id).filter((id) => id !== 'tea');
    const stored = await Promise.all(ids.sort().map((id) => target.peek(id)));
    expect(
      stored.map((each) => each.ok && { ...each.conversation, id: ownId(each.conversation.id) }),
    ).toEqual([coffee, { ...tea, id: 'imported' }]);
  });

  it('gives the same store again, and the same file twice gives nothing twice', async () => {
    const [from, to] = [tempFolder(), tempFolder()];
    const source = launch(from);
    const many = Array.from({ length: 30 }, (_, at) =>
      makeConversation({ id: `c${at}`, title: `Number ${at}`, pinned: at % 3 === 0 }),
    );
    for (const each of many) await source.save(each);
    const target = launch(to);
    const text = await textOf(source.exportAll());
    expect(await target.importConversations(text)).toMatchObject({ imported: 30, skipped: 0 });
    expect(await target.importConversations(text)).toEqual({
      imported: 0,
      skipped: 30,
      problems: [],
    });
    expect(await textOf(target.exportAll())).toBe(text);
    expect((await target.list()).entries.map(({ id }) => id)).toEqual(
      (await source.list()).entries.map(({ id }) => id),
    );
  });

  it('takes no id of the trash, so that what is there can be restored', async () => {
    const folder = tempFolder();
    const store = launch(folder);
    await store.save(tea);
    const text = await textOf(store.exportAll());
    await store.delete('tea');
    expect(await store.importConversations(text)).toMatchObject({ imported: 1 });
    expect(await store.restore('tea')).toEqual({ kind: 'done' });
    expect((await store.list()).entries.map(({ id }) => ownId(id)).sort()).toEqual([
      'imported',
      'tea',
    ]);
  });

  it('does not touch a file that cannot be read, and gives no file another name', async () => {
    const folder = tempFolder();
    const store = launch(folder);
    putRecord(folder, 'tea.json', 'no JSON');
    const rows: unknown[] = [tea, { ...coffee, id: '../../escape' }, { ...coffee, id: 'a/b' }];
    expect(await store.importConversations(JSON.stringify(rows))).toMatchObject({ imported: 3 });
    expect(readdirSync(join(folder, 'conversations')).map(ownId).sort()).toEqual([
      'imported.json',
      'new-2.json',
      'new-3.json',
      'tea.json',
    ]);
    expect(readFileSync(join(folder, 'conversations', 'tea.json'), 'utf8')).toBe('no JSON');
  });

  it('is told in a sentence when it does not work', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'conversations'), 'a file in the way');
    const outcome = await launch(folder).importConversations(JSON.stringify([tea]));
    expect(outcome.imported).toBe(0);
    expect(outcome.problems).toHaveLength(1);
    const closed = launch(tempFolder());
    closed.close();
    expect(await closed.importConversations(JSON.stringify([tea]))).toEqual({
      imported: 0,
      skipped: 0,
      problems: ['Lam was closed before everything was imported. Import the file again.'],
    });
  });

  it('of an id that makes a reserved file name of JavaScript is one like any other', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'conversations'));
    const rows: Conversation[] = ['__proto__', 'constructor'].map((id) => ({ ...tea, id }));
    const text = exportJson(rows, 1);
    expect(await launch(folder).importConversations(text)).toMatchObject({ imported: 2 });
    expect(readdirSync(join(folder, 'conversations')).sort()).toEqual([
      '__proto__.json',
      'constructor.json',
    ]);
  });
});

describe('an import that somebody else wrote', () => {
  const imported = (patch: object) => {
    const { conversations } = read(JSON.stringify([{ ...tea, ...patch }]));
    return conversations[0]?.conversation;
  };
  const file = { kind: 'text', name: 'notes.txt', path: '/home/me/.ssh/id_rsa', size: 1 };
  const document = makeSource({
    kind: 'document',
    title: 'Wikipedia',
    url: '/home/me/run.desktop',
  });
  const web = makeSource({ index: 2 });

  it('names no file of this machine: asking again would read and send it', () => {
    const image = { ...file, kind: 'image', mediaType: 'image/png' };
    const turns = [
      makeTurn({ attachments: undefined }),
      { ...makeTurn({ id: 'b' }), attachments: [file, image] },
    ];
    expect(imported({ turns })?.turns[1]?.attachments?.map(({ path }) => path)).toEqual([
      'id_rsa',
      'id_rsa',
    ]);
  });

  it('opens no file of this machine under a title of its own', () => {
    const turn = makeTurn({
      carried: [document],
      toolCalls: [makeToolCall({ sources: [document, web] })],
    });
    const [taken] = imported({ turns: [turn] })?.turns ?? [];
    for (const source of [taken?.carried?.[0], taken?.toolCalls[0]?.sources?.[0]]) {
      expect(source).toMatchObject({ url: 'run.desktop', title: 'Wikipedia' });
      expect(source).not.toHaveProperty('kind');
    }
    expect(taken?.toolCalls[0]?.sources?.[1]).toEqual(web);
  });

  it.each([
    [true, undefined],
    [false, false],
    [undefined, undefined],
  ])('does not turn the web on: %j becomes %j', (given, kept) => {
    expect(imported({ turns: [{ ...makeTurn(), web: given }] })?.turns[0]?.web).toBe(kept);
  });

  it('is not newer than now, or every launch would open it', () => {
    const turns = [makeTurn({ startedAt: 9e15, endedAt: 9e15 })];
    expect(imported({ createdAt: 9e15, updatedAt: 9e15, turns })).toMatchObject({
      createdAt: LATER,
      updatedAt: LATER,
      turns: [{ startedAt: LATER, endedAt: LATER }],
    });
  });
});
