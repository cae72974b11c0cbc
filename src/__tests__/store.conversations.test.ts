import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createConversationStore, type ConversationStore } from '../host/store/conversations';
import type { Conversation, Turn } from '../lib/types';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** Age of a heartbeat at which a running turn may be taken over. */
const TAKEOVER_AFTER_MS = 6_000;

/** A launch on a support folder with a clock that the test turns. */
function launch(supportPath: string, launchId: string) {
  const clock = { time: BUILDER_TIME };
  const store = createConversationStore({ supportPath, launchId, now: () => clock.time });
  return { store, clock };
}

const recordPath = (supportPath: string, id: string) =>
  join(supportPath, 'conversations', `${id}.json`);

function put(supportPath: string, id: string, content: string | object): string {
  mkdirSync(join(supportPath, 'conversations'), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(recordPath(supportPath, id), text);
  return text;
}

async function mustLoad(store: ConversationStore, id: string): Promise<Conversation> {
  const loaded = await store.load(id);
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.conversation;
}

const turn = (id: string, overrides: Partial<Turn> = {}) => makeTurn({ id, ...overrides });
const ids = (conversation: Conversation) => conversation.turns.map(({ id }) => id);
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('saving and loading', () => {
  it('says who holds a conversation that cannot be saved', () => {
    const folder = tempFolder();
    put(folder, 'tea', makeConversation());
    writeFileSync(`${recordPath(folder, 'tea')}.lock`, '');
    expect(launch(folder, 'one').store.saveSync(makeConversation())).toEqual({
      kind: 'failed',
      message:
        'The conversation is busy: an earlier start of Lam has been writing it for too long. Try again when that one has ended.',
    });
  });

  it('gives back what was saved', async () => {
    const folder = tempFolder();
    const conversation = makeConversation();
    const { store } = launch(folder, 'one');
    expect(await store.save(conversation)).toEqual({ kind: 'saved' });
    expect(await store.load('tea')).toEqual({ ok: true, conversation, problems: [] });
  });

  it('keeps files and folders to their owner', async () => {
    const folder = tempFolder();
    put(folder, 'tea', makeConversation());
    chmodSync(join(folder, 'conversations'), 0o755);
    const { store } = launch(folder, 'one');
    await store.save(makeConversation({ title: 'Green tea' }));
    store.saveSync(makeConversation({ id: 'coffee' }));
    await store.list();
    expect(modeOf(recordPath(folder, 'tea'))).toBe(0o600);
    expect(modeOf(recordPath(folder, 'coffee'))).toBe(0o600);
    expect(modeOf(join(folder, 'index.json'))).toBe(0o600);
    expect(modeOf(join(folder, 'conversations'))).toBe(0o700);
  });

  it('leaves nothing but the records behind', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await Promise.all(['a', 'b', 'a', 'b', 'a'].map((id) => store.save(makeConversation({ id }))));
    store.saveSync(makeConversation({ id: 'c' }));
    expect(readdirSync(join(folder, 'conversations')).sort()).toEqual([
      'a.json',
      'b.json',
      'c.json',
    ]);
  });

  it('writes only the latest of the saves that wait', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    const saves = ['A', 'B', 'C', 'D'].map((title) => store.save(makeConversation({ title })));
    expect(await Promise.all(saves)).toEqual(saves.map(() => ({ kind: 'saved' })));
    expect((await mustLoad(store, 'tea')).title).toBe('D');
  });

  it('lets a synchronous save stand against older ones under way', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    const early = [
      store.save(makeConversation({ title: 'A' })),
      store.save(makeConversation({ title: 'B' })),
    ];
    await new Promise(setImmediate);
    early.push(store.save(makeConversation({ title: 'C' })));
    expect(store.saveSync(makeConversation({ title: 'Last' }))).toEqual({ kind: 'saved' });
    await Promise.all(early);
    expect((await mustLoad(store, 'tea')).title).toBe('Last');
  });

  it('writes nothing after it was closed', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await store.save(makeConversation({ title: 'Kept' }));
    const underWay = store.save(makeConversation({ title: 'Late' }));
    store.close();
    expect(await underWay).toEqual({ kind: 'closed' });
    expect(await store.save(makeConversation({ title: 'Later' }))).toEqual({ kind: 'closed' });
    expect(store.saveSync(makeConversation({ title: 'Latest' }))).toEqual({ kind: 'closed' });
    expect(await store.claim('tea')).toEqual({ kind: 'closed' });
    expect(await store.release('tea')).toEqual({ kind: 'closed' });
    expect(await store.delete('tea')).toEqual({ kind: 'closed' });
    expect(await store.setPinned('tea', true)).toEqual({ kind: 'closed' });
    expect((await mustLoad(store, 'tea')).title).toBe('Kept');
    expect(readdirSync(join(folder, 'conversations'))).toEqual(['tea.json']);
  });

  it.each(['', '..', '../tea', 'a/b', 'a\\b', 'a.b', 'ä', 'a b', 'a\n', 'x'.repeat(65)])(
    'refuses the id %j',
    async (id) => {
      const folder = tempFolder();
      const { store } = launch(folder, 'one');
      const refused = { kind: 'failed', message: expect.stringContaining('id') as string };
      expect(await store.save(makeConversation({ id }))).toEqual(refused);
      expect(store.saveSync(makeConversation({ id }))).toEqual(refused);
      expect(await store.load(id)).toMatchObject({ ok: false });
      expect(await store.claim(id)).toEqual(refused);
      expect(await store.delete(id)).toEqual(refused);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('answers with a sentence when a value cannot be stored', async () => {
    const { store } = launch(tempFolder(), 'one');
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const conversation = makeConversation({
      turns: [
        turn('a', { toolCalls: [{ name: 'x', arguments: circle, result: '', isError: false }] }),
      ],
    });
    const failed = {
      kind: 'failed',
      message: expect.stringContaining('cannot be stored') as string,
    };
    expect(await store.save(conversation)).toEqual(failed);
    expect(store.saveSync(conversation)).toEqual(failed);
  });
});

describe('the list', () => {
  const day = 86_400_000;

  it('is newest first', async () => {
    const { store } = launch(tempFolder(), 'one');
    expect(await store.list()).toEqual({ entries: [], problems: [] });
    expect(await store.recent()).toEqual({ entries: [], problems: [] });
    for (const [id, age] of [
      ['b', 2],
      ['a', 3],
      ['c', 1],
    ] as const) {
      await store.save(makeConversation({ id, title: id, updatedAt: BUILDER_TIME - age * day }));
    }
    const { entries } = await store.list();
    expect(entries.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    expect(entries[0]).toEqual({
      id: 'c',
      title: 'c',
      createdAt: BUILDER_TIME,
      updatedAt: BUILDER_TIME - day,
      turns: 1,
      lastState: 'done',
    });
    expect((await store.recent()).entries.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    [
      'missing',
      (path: string) => {
        unlinkSync(path);
      },
    ],
    [
      'cut',
      (path: string) => {
        truncateSync(path, 20);
      },
    ],
    [
      'of another kind',
      (path: string) => {
        writeFileSync(path, '[1,2]');
      },
    ],
    [
      'full of nonsense',
      (path: string) => {
        writeFileSync(path, '{"version":1,"entries":[null,7,{"entry":{}}]}');
      },
    ],
    [
      'telling of files that are gone',
      (path: string) => {
        writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"tea"', '"gone"'));
      },
    ],
  ])('does not need its index: %s', async (_, harm) => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await store.save(makeConversation());
    await store.save(makeConversation({ id: 'coffee' }));
    const before = await store.list();
    harm(join(folder, 'index.json'));
    expect(await store.list()).toEqual(before);
    expect(before.entries).toHaveLength(2);
  });

  it('reads only files that changed', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await store.save(makeConversation());
    await store.list();
    const index = join(folder, 'index.json');
    writeFileSync(index, readFileSync(index, 'utf8').replace('"Tea"', '"From the index"'));
    expect((await store.list()).entries[0]?.title).toBe('From the index');
    await store.save(makeConversation({ title: 'From the file' }));
    expect((await store.list()).entries[0]?.title).toBe('From the file');
  });

  it('names what cannot be opened and leaves it alone', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await store.save(makeConversation());
    put(folder, 'text', 'no JSON');
    put(folder, 'empty', '');
    put(folder, 'future', { ...makeConversation(), version: 3 });
    put(folder, 'not ours', '{}');
    put(folder, 'huge', '');
    truncateSync(recordPath(folder, 'huge'), 64 * 1024 * 1024 + 1);
    mkdirSync(recordPath(folder, 'folder'));
    symlinkSync(recordPath(folder, 'tea'), recordPath(folder, 'link'));
    const { entries, problems } = await store.list();
    expect(entries.map(({ id }) => id)).toEqual(['tea']);
    expect(problems.find(({ id }) => id === 'text')).toMatchObject({
      path: recordPath(folder, 'text'),
      reason: 'it is not JSON',
    });
    expect(problems.find(({ id }) => id === 'not ours')).not.toHaveProperty('reason');
    expect(problems.map(({ id, problem }) => [id, problem]).sort()).toEqual([
      ['empty', expect.stringContaining('it is empty')],
      ['folder', expect.stringContaining('not a regular file')],
      ['future', expect.stringContaining('newer version of Lam')],
      ['huge', expect.stringContaining('larger than 64 MB')],
      ['link', expect.stringContaining('not a regular file')],
      ['not ours', expect.stringContaining('not a file of Lam')],
      ['text', expect.stringContaining('it is not JSON')],
    ]);
    for (const id of ['text', 'empty', 'future', 'huge', 'folder', 'link']) {
      expect(await store.load(id)).toMatchObject({ ok: false });
      const refused = {
        kind: 'failed',
        message: expect.stringContaining('left as it is') as string,
      };
      expect(await store.save(makeConversation({ id }))).toEqual(refused);
      expect(store.saveSync(makeConversation({ id }))).toEqual(refused);
      expect(await store.claim(id)).toEqual(refused);
    }
    expect(readFileSync(recordPath(folder, 'text'), 'utf8')).toBe('no JSON');
    expect(statSync(recordPath(folder, 'huge')).size).toBe(64 * 1024 * 1024 + 1);
    expect((await mustLoad(store, 'tea')).title).toBe('Tea');
    expect(existsSync(join(folder, 'set-aside'))).toBe(false);
  });

  it('sweeps up after killed writers, but only what is old', async () => {
    const folder = tempFolder();
    const { store } = launch(folder, 'one');
    await store.save(makeConversation());
    const left = [
      'tea.json.123456',
      'tea.json.ab12.staged',
      'tea.json.ab12.staged.77',
      'tea.json.lock',
    ];
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of left) {
      const path = join(folder, 'conversations', name);
      writeFileSync(path, '{"half');
      utimesSync(path, longAgo, longAgo);
    }
    writeFileSync(join(folder, 'conversations', 'tea.json.999'), '{"fresh');
    const { entries, problems } = await store.list();
    expect([entries.length, problems]).toEqual([1, []]);
    expect(readdirSync(join(folder, 'conversations')).sort()).toEqual(['tea.json', 'tea.json.999']);
  });
});

describe('what could not be read', () => {
  const damagedRecord = () => {
    const { turns, ...rest } = makeConversation({ turns: [turn('a'), turn('b'), turn('c')] });
    return { ...rest, turns: [...turns, { id: 'd', question: 7 }] };
  };

  it('is set aside before the first overwrite, once', async () => {
    const folder = tempFolder();
    const original = put(folder, 'tea', damagedRecord());
    const { store } = launch(folder, 'one');
    const loaded = await store.load('tea');
    expect(loaded).toMatchObject({
      ok: true,
      problems: [expect.stringContaining('1 of 4 exchanges in “Tea” could not be read')],
    });
    expect((await store.list()).problems).toEqual([
      { id: 'tea', kind: 'damaged', problem: expect.stringContaining('1 of 4') as string },
    ]);
    expect(existsSync(join(folder, 'set-aside'))).toBe(false);
    if (!loaded.ok) return;
    await store.save({ ...loaded.conversation, title: 'Green tea' });
    await store.save({ ...loaded.conversation, title: 'White tea' });
    const copies = readdirSync(join(folder, 'set-aside'));
    expect(copies).toEqual([`tea.${BUILDER_TIME}.json`]);
    const copy = join(folder, 'set-aside', copies[0] ?? '');
    expect(readFileSync(copy, 'utf8')).toBe(original);
    expect(modeOf(copy)).toBe(0o600);
    expect(await store.load('tea')).toMatchObject({ ok: true, problems: [] });
  });

  it('is set aside by a save of somebody who never loaded it', () => {
    const folder = tempFolder();
    const original = put(folder, 'tea', damagedRecord());
    const { store } = launch(folder, 'one');
    expect(store.saveSync(makeConversation({ turns: [turn('new')] })).kind).toBe('saved');
    const copy = join(folder, 'set-aside', `tea.${BUILDER_TIME}.json`);
    expect(readFileSync(copy, 'utf8')).toBe(original);
  });

  it('is not written over when it cannot be set aside', async () => {
    const folder = tempFolder();
    const original = put(folder, 'tea', damagedRecord());
    writeFileSync(join(folder, 'set-aside'), 'a file in the way');
    const { store } = launch(folder, 'one');
    const conversation = await mustLoad(store, 'tea');
    const failed = { kind: 'failed', message: expect.stringContaining('move it away') as string };
    expect(await store.save(conversation)).toEqual(failed);
    expect(store.saveSync(conversation)).toEqual(failed);
    expect(readFileSync(recordPath(folder, 'tea'), 'utf8')).toBe(original);
  });

  it('keeps bytes that are no text', async () => {
    const folder = tempFolder();
    put(folder, 'tea', makeConversation());
    const path = recordPath(folder, 'tea');
    const broken = Buffer.from(readFileSync(path, 'latin1').replace('Two', 'Tw\xff'), 'latin1');
    writeFileSync(path, broken);
    const { store } = launch(folder, 'one');
    expect(await store.load('tea')).toMatchObject({
      ok: true,
      problems: [expect.stringContaining('Some characters')],
    });
    await store.save(await mustLoad(store, 'tea'));
    expect(readFileSync(join(folder, 'set-aside', `tea.${BUILDER_TIME}.json`))).toEqual(broken);
  });

  it('goes away with the conversation', async () => {
    const folder = tempFolder();
    put(folder, 'tea', damagedRecord());
    put(folder, 'tea-2', damagedRecord());
    const { store } = launch(folder, 'one');
    await store.save(await mustLoad(store, 'tea'));
    await store.save(await mustLoad(store, 'tea-2'));
    expect(await store.delete('tea')).toEqual({ kind: 'deleted' });
    expect(readdirSync(join(folder, 'set-aside'))).toEqual([`tea-2.${BUILDER_TIME}.json`]);
    expect((await store.list()).entries.map(({ id }) => id)).toEqual(['tea-2']);
  });
});

describe('a change that is no save', () => {
  it.each([
    ['Green tea', 'Green tea'],
    ['  Green\n\ttea\u0000 ', 'Green tea'],
    ['🍵'.repeat(81), '🍵'.repeat(80)],
    ['x'.repeat(79) + '  y', 'x'.repeat(79)],
  ])('gives the title %j as one line of at most 80 characters', async (given, title) => {
    const folder = tempFolder();
    const { store, clock } = launch(folder, 'one');
    await store.save(makeConversation());
    clock.time += 60_000;
    expect(await store.rename('tea', given)).toEqual({ kind: 'done', title });
    expect(await mustLoad(store, 'tea')).toEqual(
      makeConversation({ title, titledBy: 'person' }), // at the same time as before
    );
    expect((await store.list()).entries[0]?.title).toBe(title);
    expect((await store.recent()).entries[0]?.title).toBe(title);
  });

  it.each(['', '  \n ', '\u0007'])('refuses the title %j', async (title) => {
    const { store } = launch(tempFolder(), 'one');
    await store.save(makeConversation());
    expect(await store.rename('tea', title)).toEqual({
      kind: 'failed',
      message: 'A title needs at least one character.',
    });
    expect((await mustLoad(store, 'tea')).title).toBe('Tea');
  });

  it('pins and unpins', async () => {
    const { store } = launch(tempFolder(), 'one');
    await store.save(makeConversation());
    expect(await store.setPinned('tea', true)).toEqual({ kind: 'done' });
    expect(await mustLoad(store, 'tea')).toEqual(makeConversation({ pinned: true }));
    expect((await store.list()).entries[0]?.pinned).toBe(true);
    expect(await store.setPinned('tea', false)).toEqual({ kind: 'done' });
    expect(await mustLoad(store, 'tea')).not.toHaveProperty('pinned');
  });

  it('is not undone by a save of somebody who has it open', async () => {
    const folder = tempFolder();
    const [one, two] = [launch(folder, 'one').store, launch(folder, 'two').store];
    await one.save(makeConversation());
    const open = await mustLoad(two, 'tea');
    await one.rename('tea', 'Green tea');
    await two.setPinned('tea', true);
    for (const store of [one, two]) {
      const turns = [...open.turns, turn('more')];
      expect((await store.save({ ...open, turns })).kind).toBe('saved');
      expect(await mustLoad(one, 'tea')).toMatchObject({
        title: 'Green tea',
        titledBy: 'person',
        pinned: true,
        turns: [{ id: 'turn-1' }, { id: 'more' }],
      });
    }
  });

  it('comes after the saves that were asked for before it', async () => {
    const { store } = launch(tempFolder(), 'one');
    const outcomes = await Promise.all([
      store.save(makeConversation()),
      store.rename('tea', 'Green tea'),
      store.save(makeConversation({ turns: [turn('a'), turn('b')] })),
      store.setPinned('tea', true),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['saved', 'done', 'saved', 'done']);
    expect(await mustLoad(store, 'tea')).toMatchObject({
      title: 'Green tea',
      pinned: true,
      turns: [{ id: 'a' }, { id: 'b' }],
    });
  });

  it('waits for the answer of another launch, and not for one of its own', async () => {
    const folder = tempFolder();
    const [one, two] = [launch(folder, 'one'), launch(folder, 'two')];
    const running = turn('r', { state: 'running' });
    await one.store.save(makeConversation({ turns: [running] }));
    const refused = {
      kind: 'failed',
      message: expect.stringContaining('being answered in another window') as string,
    };
    expect(await two.store.rename('tea', 'Theirs')).toEqual(refused);
    expect(await two.store.setPinned('tea', true)).toEqual(refused);
    one.clock.time += 1_000;
    expect(await one.store.rename('tea', 'Mine')).toMatchObject({ kind: 'done' });
    const stored = await mustLoad(two.store, 'tea');
    expect(stored).toMatchObject({ title: 'Mine', turns: [{ id: 'r', state: 'running' }] });
    expect(stored.owner).toEqual({ launchId: 'one', heartbeatAt: BUILDER_TIME });
    expect(await one.store.save(makeConversation({ turns: [turn('r')] }))).toMatchObject({
      kind: 'saved',
    });
    expect(await mustLoad(two.store, 'tea')).toMatchObject({ title: 'Mine' });
  });

  it('sets a damaged record aside, and keeps fields of a later version', async () => {
    const folder = tempFolder();
    const original = put(folder, 'tea', {
      ...makeConversation({ turns: [turn('a')] }),
      colour: 'green',
      turns: [turn('a'), { id: 'b', question: 7 }],
    });
    const { store } = launch(folder, 'one');
    expect(await store.setPinned('tea', true)).toEqual({ kind: 'done' });
    const copy = join(folder, 'set-aside', `tea.${BUILDER_TIME}.json`);
    expect(readFileSync(copy, 'utf8')).toBe(original);
    expect(JSON.parse(readFileSync(recordPath(folder, 'tea'), 'utf8'))).toMatchObject({
      colour: 'green',
      pinned: true,
    });
  });

  it.each([
    ['an id that is none', '../tea', 'id'],
    ['one that is not there', 'gone', 'deleted'],
    ['one that cannot be read', 'text', 'left as it is'],
  ])('is told in a sentence when it does not work: %s', async (_, id, words) => {
    const folder = tempFolder();
    put(folder, 'text', 'no JSON');
    const { store } = launch(folder, 'one');
    const refused = { kind: 'failed', message: expect.stringContaining(words) as string };
    expect(await store.rename(id, 'New')).toEqual(refused);
    expect(await store.setPinned(id, true)).toEqual(refused);
    expect(await store.duplicate(id, 'copy')).toEqual(refused);
    expect(await store.peek(id)).toEqual({ ok: false, message: refused.message });
    expect(readdirSync(join(folder, 'conversations'))).toEqual(['text.json']);
    store.close();
    expect(await store.rename('text', 'New')).toEqual({ kind: 'closed' });
    expect(await store.duplicate('text', 'copy')).toEqual({ kind: 'closed' });
  });
});

describe('a duplicate', () => {
  it('is a conversation of its own with the same exchanges and files', async () => {
    const folder = tempFolder();
    const { store, clock } = launch(folder, 'one');
    const turns = [turn('a'), turn('b', { parent: 'a' }), turn('b2', { parent: 'a' })];
    const unpinned = makeConversation({ turns, head: 'b' });
    const tea = { ...unpinned, pinned: true };
    put(folder, 'tea', { ...tea, colour: 'green' });
    mkdirSync(join(store.attachmentsFolder('tea'), 'a folder'), { recursive: true });
    writeFileSync(join(store.attachmentsFolder('tea'), '9f2b.png'), 'an image');
    clock.time += 5_000;
    expect(await store.duplicate('tea', 'copy')).toEqual({ kind: 'done' });
    expect(JSON.parse(readFileSync(recordPath(folder, 'copy'), 'utf8'))).toEqual({
      ...unpinned,
      id: 'copy',
      title: 'Tea (copy)',
      titledBy: 'person',
      colour: 'green',
      createdAt: BUILDER_TIME + 5_000,
      updatedAt: BUILDER_TIME + 5_000,
    });
    expect(readdirSync(store.attachmentsFolder('copy'))).toEqual(['9f2b.png']);
    expect(modeOf(store.attachmentsFolder('copy'))).toBe(0o700);
    expect(modeOf(join(store.attachmentsFolder('copy'), '9f2b.png'))).toBe(0o600);
    expect(await mustLoad(store, 'tea')).toEqual(tea);
    await store.delete('tea');
    expect(readFileSync(join(store.attachmentsFolder('copy'), '9f2b.png'), 'utf8')).toBe(
      'an image',
    );
  });

  it.each([
    ['Tea', 'Tea (copy)'],
    ['Tea (copy)', 'Tea (copy 2)'],
    ['Tea (copy 9)', 'Tea (copy 10)'],
    ['(copy)', '(copy) (copy)'],
    ['🍵'.repeat(90), `${'🍵'.repeat(73)} (copy)`],
    ['two\nlines', 'two lines (copy)'],
  ])('of %j is called %j', async (title, expected) => {
    const { store } = launch(tempFolder(), 'one');
    await store.save(makeConversation({ title }));
    await store.duplicate('tea', 'copy');
    expect((await mustLoad(store, 'copy')).title).toBe(expected);
  });

  it('of what another launch is answering is interrupted there, and has no owner', async () => {
    const folder = tempFolder();
    const [one, two] = [launch(folder, 'one').store, launch(folder, 'two').store];
    await one.save(makeConversation({ turns: [turn('r', { state: 'running' })] }));
    expect(await two.duplicate('tea', 'copy')).toEqual({ kind: 'done' });
    const copy = await mustLoad(one, 'copy');
    expect([copy.owner, copy.turns[0]?.state]).toEqual([undefined, 'interrupted']);
    expect((await mustLoad(one, 'tea')).turns[0]?.state).toBe('running');
  });

  it('never takes the place of another conversation', async () => {
    const { store } = launch(tempFolder(), 'one');
    await store.save(makeConversation());
    await store.save(makeConversation({ id: 'coffee', title: 'Coffee' }));
    for (const id of ['coffee', 'tea', '../x'])
      expect(await store.duplicate('tea', id)).toMatchObject({ kind: 'failed' });
    expect((await mustLoad(store, 'coffee')).title).toBe('Coffee');
  });
});

describe('a look at a conversation that is open', () => {
  it('does not make a later save remove what another launch added', async () => {
    const folder = tempFolder();
    const [one, two] = [launch(folder, 'one').store, launch(folder, 'two').store];
    await one.save(makeConversation({ turns: [turn('a')] }));
    await two.load('tea');
    await one.save(makeConversation({ turns: [turn('a'), turn('one')] }));
    const seen = await two.peek('tea');
    expect(seen.ok && ids(seen.conversation)).toEqual(['a', 'one']);
    await two.save(makeConversation({ turns: [turn('a'), turn('two')] }));
    expect(ids(await mustLoad(two, 'tea'))).toEqual(['a', 'one', 'two']);
  });
});

describe('fields of a later version', () => {
  it('survive a rewrite on the conversation and its turns', async () => {
    const folder = tempFolder();
    const conversation = makeConversation({ turns: [turn('a'), turn('b')] });
    const [first, second] = conversation.turns;
    put(folder, 'tea', {
      ...conversation,
      colour: 'green',
      turns: [first, { ...second, rating: 5 }],
    });
    const { store } = launch(folder, 'one');
    const loaded = await mustLoad(store, 'tea');
    expect(loaded).toEqual(conversation);
    await store.save({ ...loaded, title: 'Green tea', turns: [...loaded.turns, turn('c')] });
    const raw: unknown = JSON.parse(readFileSync(recordPath(folder, 'tea'), 'utf8'));
    expect(raw).toMatchObject({
      colour: 'green',
      title: 'Green tea',
      turns: [{ id: 'a' }, { id: 'b', rating: 5 }, { id: 'c' }],
    });
  });
});

describe('a disk that does not take it', () => {
  it.each([
    [
      'a file where the folder belongs',
      (folder: string) => {
        writeFileSync(join(folder, 'conversations'), '');
      },
      'move it away',
    ],
    [
      'no folder at all',
      (folder: string) => {
        writeFileSync(join(folder, 'x'), '');
      },
      'move it away',
      'x',
    ],
  ])('is told in a sentence: %s', async (_, prepare, advice, below = '') => {
    const folder = tempFolder();
    prepare(folder);
    const { store } = launch(join(folder, below), 'one');
    const failed = { kind: 'failed', message: expect.stringContaining(advice) as string };
    expect(await store.save(makeConversation())).toEqual(failed);
    expect(store.saveSync(makeConversation())).toEqual(failed);
    expect((await store.list()).entries).toEqual([]);
  });

  it('is told in a sentence: a folder that may only be read', () => {
    const folder = tempFolder();
    put(folder, 'tea', makeConversation());
    const before = readFileSync(recordPath(folder, 'tea'), 'utf8');
    chmodSync(folder, 0o555);
    chmodSync(join(folder, 'conversations'), 0o555);
    const { store } = launch(folder, 'one');
    const outcome = asOrdinaryUser(() => store.saveSync(makeConversation({ title: 'New' })));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'conversations'), 0o755);
    expect(outcome).toEqual({
      kind: 'failed',
      message: expect.stringContaining('check the permissions') as string,
    });
    expect(readFileSync(recordPath(folder, 'tea'), 'utf8')).toBe(before);
    expect(readdirSync(join(folder, 'conversations'))).toEqual(['tea.json']);
  });
});

/** Permissions do not bind root, who runs the tests in many containers. */
function asOrdinaryUser<T>(action: () => T): T {
  if (process.geteuid?.() !== 0) return action();
  process.seteuid?.(65_534);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
  }
}

describe('ownership', () => {
  const running = (id = 'r', overrides: Partial<Turn> = {}) =>
    turn(id, { state: 'running', response: 'Two', ...overrides });

  /** A launch that was killed while its turn ran, and another one on the same folder. */
  async function killed() {
    const folder = tempFolder();
    const first = launch(folder, 'first');
    await first.store.save(makeConversation({ turns: [turn('a'), running()] }));
    const second = launch(folder, 'second');
    return { folder, first, second };
  }

  it('is in the file while a turn runs, with a fresh heartbeat at each save, and only then', async () => {
    const { store, clock } = launch(tempFolder(), 'one');
    const forged = { launchId: 'somebody', heartbeatAt: 1 };
    await store.save(makeConversation({ turns: [running()], owner: forged }));
    expect((await mustLoad(store, 'tea')).owner).toEqual({
      launchId: 'one',
      heartbeatAt: BUILDER_TIME,
    });
    clock.time += 2_000;
    store.saveSync(makeConversation({ turns: [running()] }));
    expect((await mustLoad(store, 'tea')).owner?.heartbeatAt).toBe(BUILDER_TIME + 2_000);
    await store.save(makeConversation({ turns: [turn('r')], owner: forged }));
    expect((await mustLoad(store, 'tea')).owner).toBeUndefined();
  });

  it('holds until the heartbeat is old enough', async () => {
    const { second } = await killed();
    second.clock.time = BUILDER_TIME + TAKEOVER_AFTER_MS - 1;
    const held = await second.store.claim('tea');
    expect(held).toMatchObject({ kind: 'held', until: BUILDER_TIME + TAKEOVER_AFTER_MS });
    if (held.kind === 'held') expect(ids(held.conversation)).toEqual(['a', 'r']);
    second.clock.time += 1;
    expect(await second.store.claim('tea')).toMatchObject({
      kind: 'claimed',
      interrupted: ['r'],
      problems: [],
    });
  });

  it('marks what was taken over, in the file too', async () => {
    const { second } = await killed();
    second.clock.time = BUILDER_TIME + 3_600_000;
    const claimed = await second.store.claim('tea');
    const expected = makeConversation({
      turns: [turn('a'), { ...running(), state: 'interrupted', endedAt: BUILDER_TIME }],
      updatedAt: BUILDER_TIME,
    });
    expect(claimed).toMatchObject({ kind: 'claimed', conversation: expected });
    expect(await mustLoad(second.store, 'tea')).toEqual(expected);
    expect(await second.store.claim('tea')).toMatchObject({ kind: 'claimed', interrupted: [] });
  });

  it.each([
    ['released', makeConversation({ turns: [running()] })],
    [
      'of a clock that was set back',
      {
        ...makeConversation({ turns: [running()] }),
        owner: { launchId: 'x', heartbeatAt: BUILDER_TIME + 86_400_000 },
      },
    ],
    ['unreadable', { ...makeConversation({ turns: [running()] }), owner: 'x' }],
  ])('is free at once when it is %s', async (_, record) => {
    const folder = tempFolder();
    put(folder, 'tea', record);
    const { store } = launch(folder, 'one');
    expect(await store.claim('tea')).toMatchObject({ kind: 'claimed', interrupted: ['r'] });
  });

  it('is lost to whoever took over, for good', async () => {
    const { first, second } = await killed();
    second.clock.time = BUILDER_TIME + TAKEOVER_AFTER_MS;
    await second.store.claim('tea');
    const late = makeConversation({
      turns: [turn('a'), running('r', { response: 'Two minutes' })],
    });
    const ended = makeConversation({ turns: [turn('a'), turn('r')] });
    expect(await first.store.save(late)).toEqual({ kind: 'lost-ownership' });
    expect(first.store.saveSync(ended)).toEqual({ kind: 'lost-ownership' });
    expect(await first.store.save(ended)).toEqual({ kind: 'lost-ownership' });
    expect((await mustLoad(second.store, 'tea')).turns[1]).toMatchObject({
      state: 'interrupted',
      response: 'Two',
    });
    await second.store.save(
      makeConversation({ turns: [...(await mustLoad(second.store, 'tea')).turns, running('s')] }),
    );
    expect(await first.store.save(ended)).toEqual({ kind: 'lost-ownership' });
    const after = await first.store.load('tea');
    expect(after.ok && ids(after.conversation)).toEqual(['a', 'r', 's']);
  });

  it('keeps others from writing while it lives', async () => {
    const { first, second } = await killed();
    const mine = makeConversation({ turns: [turn('a'), turn('mine')] });
    expect(await second.store.save(mine)).toEqual({ kind: 'lost-ownership' });
    expect(second.store.saveSync(mine)).toEqual({ kind: 'lost-ownership' });
    expect(ids(await mustLoad(first.store, 'tea'))).toEqual(['a', 'r']);
  });

  it('does not pass with a copy of the running turn', async () => {
    const { second } = await killed();
    const seen = await mustLoad(second.store, 'tea');
    second.clock.time = BUILDER_TIME + TAKEOVER_AFTER_MS;
    expect(await second.store.save({ ...seen, title: 'Renamed' })).toMatchObject({ kind: 'saved' });
    const stored = await mustLoad(second.store, 'tea');
    expect(stored.title).toBe('Renamed');
    expect(stored.owner).toBeUndefined();
    expect(stored.turns[1]?.state).toBe('interrupted');
  });

  it('can be given up', async () => {
    const { first, second } = await killed();
    expect(await second.store.release('tea')).toEqual({ kind: 'lost-ownership' });
    first.clock.time += 500;
    expect(await first.store.release('tea')).toEqual({ kind: 'saved' });
    expect(await second.store.claim('tea')).toMatchObject({ kind: 'claimed', interrupted: [] });
    const stored = await mustLoad(second.store, 'tea');
    expect(stored.turns[1]).toMatchObject({ state: 'interrupted', endedAt: BUILDER_TIME + 500 });
    expect(stored.owner).toBeUndefined();
  });

  it('ends with the file: a deleted conversation does not come back', async () => {
    const { first, second } = await killed();
    expect(await second.store.delete('tea')).toEqual({ kind: 'deleted' });
    const ended = makeConversation({ turns: [turn('a'), turn('r')] });
    expect(await first.store.save(ended)).toEqual({ kind: 'lost-ownership' });
    expect(first.store.saveSync(ended)).toEqual({ kind: 'lost-ownership' });
    expect(await first.store.load('tea')).toEqual({
      ok: false,
      message: expect.stringContaining('deleted') as string,
    });
    expect(await first.store.save(ended)).toEqual({ kind: 'lost-ownership' });
    expect((await first.store.list()).entries).toEqual([]);
  });
});

describe('two launches on one idle conversation', () => {
  async function both() {
    const folder = tempFolder();
    const one = launch(folder, 'one').store;
    const two = launch(folder, 'two').store;
    const start = makeConversation({ turns: [turn('a'), turn('b')] });
    await one.save(start);
    await two.load('tea');
    const withTurns = (...turns: Turn[]) => makeConversation({ turns });
    return { one, two, start, withTurns };
  }

  it('keep each other’s turns', async () => {
    const { one, two, withTurns } = await both();
    await one.save(withTurns(turn('a'), turn('b'), turn('one')));
    const outcome = await two.save(withTurns(turn('a'), turn('b'), turn('two')));
    expect(outcome.kind === 'saved' && outcome.conversation && ids(outcome.conversation)).toEqual([
      'a',
      'b',
      'one',
      'two',
    ]);
    // The turns one never heard of stay, whatever it saves next.
    await one.save(withTurns(turn('a'), turn('b'), turn('one'), turn('one-2')));
    expect(ids(await mustLoad(two, 'tea'))).toEqual(['a', 'b', 'one', 'two', 'one-2']);
  });

  it('let a turn be removed on purpose', async () => {
    const { one, two, withTurns } = await both();
    await one.save(withTurns(turn('a'), turn('b-again')));
    expect(ids(await mustLoad(one, 'tea'))).toEqual(['a', 'b-again']);
    await two.save(withTurns(turn('a'), turn('b'), turn('two')));
    expect(ids(await mustLoad(two, 'tea'))).toEqual(['a', 'b-again', 'two']);
  });

  it('keep the newer form of a turn that only one of them changed', async () => {
    const { one, two, start, withTurns } = await both();
    await one.save(withTurns(turn('a', { response: 'Changed by one' }), turn('b')));
    await two.save({ ...start, turns: [turn('a'), turn('b', { response: 'Changed by two' })] });
    expect((await mustLoad(one, 'tea')).turns.map(({ response }) => response)).toEqual([
      'Changed by one',
      'Changed by two',
    ]);
  });

  it('keep a title that only one of them changed', async () => {
    const { one, two, start } = await both();
    await one.save({ ...start, title: 'Green tea' });
    await two.save({ ...start, turns: [...start.turns, turn('two')] });
    expect((await mustLoad(one, 'tea')).title).toBe('Green tea');
  });

  it('keep only what is new when the other deleted the rest', async () => {
    const { one, two, withTurns } = await both();
    await one.delete('tea');
    expect(await two.save(withTurns(turn('a'), turn('b')))).toEqual({ kind: 'lost-ownership' });
    expect((await two.save(withTurns(turn('a'), turn('b'), turn('new')))).kind).toBe('saved');
    expect(ids(await mustLoad(one, 'tea'))).toEqual(['new']);
  });
});
