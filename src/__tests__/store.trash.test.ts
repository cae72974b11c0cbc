import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createConversationStore } from '../host/store/conversations';
import { sweepTrash } from '../host/store/trash';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { filesIn, putRecord } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const DAY = 86_400_000;

/** A launch on a support folder with a clock that the test turns. */
function launch(supportPath: string, launchId = 'one') {
  const clock = { time: BUILDER_TIME };
  const store = createConversationStore({ supportPath, launchId, now: () => clock.time });
  return { store, clock };
}

const recordPath = (folder: string, id = 'tea') => join(folder, 'conversations', `${id}.json`);
const trashPath = (folder: string, ...names: string[]) => join(folder, 'trash', ...names);

function putAttachment(folder: string, id = 'tea', name = '9f2b.png'): void {
  const path = join(folder, 'attachments', id);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, name), `image of ${id}`);
}

/** A conversation with everything that can belong to it. */
function putWhole(folder: string, id = 'tea'): void {
  putRecord(folder, `${id}.json`, JSON.stringify(makeConversation({ id })));
  mkdirSync(join(folder, 'set-aside'), { recursive: true });
  writeFileSync(join(folder, 'set-aside', `${id}.17.json`), 'an original');
  putAttachment(folder, id);
}

/** What belongs to conversations, without the caches and empty folders. */
const kept = (folder: string) =>
  Object.fromEntries(
    Object.entries(filesIn(folder)).filter(([path]) => !/^(?:index|recent)\.json/.test(path)),
  );

describe('a deleted conversation', () => {
  it('goes into the trash with all that belongs to it, and is told', async () => {
    const folder = tempFolder();
    putWhole(folder);
    putWhole(folder, 'tea-2');
    const { store } = launch(folder);
    expect(await store.delete('tea')).toEqual({ kind: 'deleted' });
    expect(Object.keys(kept(folder))).toEqual([
      'attachments/tea-2/9f2b.png',
      'conversations/tea-2.json',
      'set-aside/tea-2.17.json',
      'trash/tea/attachments/9f2b.png',
      'trash/tea/record.json',
      'trash/tea/set-aside/tea.17.json',
      'trash/tea/trash.json',
    ]);
    expect((await store.list()).entries.map(({ id }) => id)).toEqual(['tea-2']);
    expect(await store.listTrash()).toEqual({
      entries: [
        {
          id: 'tea',
          title: 'Tea',
          turns: 1,
          files: 1,
          deletedAt: BUILDER_TIME,
          removedAt: BUILDER_TIME + 30 * DAY,
        },
      ],
    });
    expect(existsSync(join(folder, 'attachments', 'tea'))).toBe(false);
    for (const path of ['', 'tea', 'tea/attachments', 'tea/set-aside', 'tea/trash.json'])
      expect(statSync(trashPath(folder, path)).mode & 0o077, path).toBe(0);
  });

  it('comes back byte for byte', async () => {
    const folder = tempFolder();
    putWhole(folder);
    const { store } = launch(folder);
    const before = kept(folder);
    const seen = await store.list();
    await store.delete('tea');
    expect(await store.restore('tea')).toEqual({ kind: 'done' });
    expect(kept(folder)).toEqual(before);
    expect(await store.list()).toEqual(seen);
    expect((await store.recent()).entries).toEqual(seen.entries);
    expect(await store.listTrash()).toEqual({ entries: [] });
    expect(readdirSync(trashPath(folder))).toEqual([]);
  });

  it('goes there as it is when it cannot be read', async () => {
    const folder = tempFolder();
    putRecord(folder, 'text.json', 'no JSON');
    putRecord(folder, 'future.json', '{"version":3}');
    mkdirSync(recordPath(folder, 'folder'));
    writeFileSync(join(recordPath(folder, 'folder'), 'inside'), 'kept');
    symlinkSync('text.json', recordPath(folder, 'link'));
    const { store } = launch(folder);
    const before = kept(folder);
    const ids = ['text', 'future', 'folder', 'link'];
    expect(await store.deleteAll(ids)).toEqual({ kind: 'done', count: 4 });
    expect(readdirSync(join(folder, 'conversations'))).toEqual([]);
    const { entries } = await store.listTrash();
    expect(entries.map(({ id, title, reason }) => [id, title, reason])).toEqual([
      ['folder', 'Unreadable conversation', 'it is not a regular file'],
      ['future', 'Unreadable conversation', expect.stringContaining('newer version')],
      ['link', 'Unreadable conversation', 'it is not a regular file'],
      ['text', 'Unreadable conversation', 'it is not JSON'],
    ]);
    for (const id of ids) expect(await store.restore(id)).toEqual({ kind: 'done' });
    expect(kept(folder)).toEqual(before);
  });

  it('is not restored over one that is there again', async () => {
    const folder = tempFolder();
    putWhole(folder);
    const { store } = launch(folder);
    await store.delete('tea');
    await store.save(makeConversation({ turns: [makeTurn({ id: 'new' })] }));
    const before = kept(folder);
    expect(await store.restore('tea')).toEqual({
      kind: 'failed',
      message: expect.stringContaining('same id is there again') as string,
    });
    expect(kept(folder)).toEqual(before);
  });

  it('keeps its place when it is deleted again', async () => {
    const folder = tempFolder();
    const { store, clock } = launch(folder);
    for (const title of ['First', 'Second', 'Third']) {
      putRecord(folder, 'tea.json', JSON.stringify(makeConversation({ title })));
      clock.time += 1_000;
      expect(await store.delete('tea')).toEqual({ kind: 'deleted' });
    }
    const { entries } = await store.listTrash();
    expect(entries.map(({ id, title }) => [id, title])).toEqual([
      ['tea.3', 'Third'],
      ['tea.2', 'Second'],
      ['tea', 'First'],
    ]);
    expect(await store.restore('tea.2')).toEqual({ kind: 'done' });
    expect((await store.list()).entries.map(({ title }) => title)).toEqual(['Second']);
  });

  it('does not come back by a late save', async () => {
    const folder = tempFolder();
    const [one, two] = [launch(folder, 'one').store, launch(folder, 'two').store];
    await one.save(makeConversation());
    await two.load('tea');
    await one.delete('tea');
    expect(await two.save(makeConversation({ title: 'Late' }))).toEqual({
      kind: 'lost-ownership',
    });
    expect(two.saveSync(makeConversation({ title: 'Late' }))).toEqual({ kind: 'lost-ownership' });
    expect(await one.rename('tea', 'Late')).toEqual({
      kind: 'failed',
      message: expect.stringContaining('deleted') as string,
    });
    expect((await one.list()).entries).toEqual([]);
    expect(await two.restore('tea')).toEqual({ kind: 'done' });
    expect((await two.save(makeConversation({ title: 'On time' }))).kind).toBe('saved');
    const loaded = await one.load('tea');
    expect(loaded.ok && loaded.conversation.title).toBe('On time');
  });

  it('goes after the saves that were asked for before', async () => {
    const folder = tempFolder();
    const { store } = launch(folder);
    const save = store.save(makeConversation({ title: 'Last words' }));
    expect(await store.delete('tea')).toEqual({ kind: 'deleted' });
    expect(await save).toEqual({ kind: 'saved' });
    expect((await store.listTrash()).entries[0]?.title).toBe('Last words');
  });

  it('can be deleted by two at once', async () => {
    const folder = tempFolder();
    putWhole(folder);
    const stores = ['one', 'two', 'three'].map((id) => launch(folder, id).store);
    const outcomes = await Promise.all(stores.map((store) => store.delete('tea')));
    expect(outcomes).toEqual(stores.map(() => ({ kind: 'deleted' })));
    expect(readdirSync(trashPath(folder))).toEqual(['tea']);
  });
});

describe('removing for good', () => {
  it('leaves nothing of the conversation, and the others alone', async () => {
    const folder = tempFolder();
    putWhole(folder);
    putWhole(folder, 'coffee');
    const { store } = launch(folder);
    await store.deleteAll(['tea', 'coffee']);
    expect(await store.purge('tea')).toEqual({ kind: 'done' });
    expect(Object.keys(kept(folder)).every((path) => path.startsWith('trash/coffee/'))).toBe(true);
    expect(await store.purge('tea')).toEqual({
      kind: 'failed',
      message: 'This conversation is no longer in the trash.',
    });
    expect(await store.emptyTrash()).toEqual({ kind: 'done', count: 1 });
    expect(kept(folder)).toEqual({});
  });

  it.each(['', '..', '.', '../conversations', 'tea/record.json', '.removed-tea-1', 'tea.x'])(
    'refuses %j',
    async (id) => {
      const folder = tempFolder();
      putWhole(folder);
      const { store } = launch(folder);
      const before = kept(folder);
      expect(await store.purge(id)).toMatchObject({ kind: 'failed' });
      expect(await store.restore(id)).toMatchObject({ kind: 'failed' });
      expect(kept(folder)).toEqual(before);
    },
  );

  it('happens after 30 days, at a look at the trash and at the sweep of a launch', async () => {
    const folder = tempFolder();
    const { store, clock } = launch(folder);
    for (const id of ['a', 'b']) {
      putWhole(folder, id);
      await store.delete(id);
      clock.time += DAY;
    }
    clock.time = BUILDER_TIME + 30 * DAY - 1;
    expect((await store.listTrash()).entries.map(({ id }) => id)).toEqual(['b', 'a']);
    clock.time += 1;
    expect((await store.listTrash()).entries.map(({ id }) => id)).toEqual(['b']);
    expect(readdirSync(trashPath(folder))).toEqual(['b']);
    await sweepTrash(folder, BUILDER_TIME + 31 * DAY);
    expect(kept(folder)).toEqual({});
  });

  it('takes attachments that belong to no conversation once they are 30 days old', async () => {
    const folder = tempFolder();
    const { store } = launch(folder);
    putWhole(folder, 'listed');
    putWhole(folder, 'trashed');
    await store.delete('trashed');
    for (const id of ['old', 'young', 'listed', 'trashed', 'not ours']) putAttachment(folder, id);
    for (const [id, age] of [
      ['old', 30],
      ['young', 29],
      ['listed', 90],
      ['trashed', 90],
      ['not ours', 90],
    ] as const) {
      const at = new Date(BUILDER_TIME - age * DAY);
      utimesSync(join(folder, 'attachments', id), at, at);
    }
    await sweepTrash(folder, BUILDER_TIME);
    expect(readdirSync(join(folder, 'attachments')).sort()).toEqual([
      'listed',
      'not ours',
      'trashed',
      'young',
    ]);
  });

  it('is told in a sentence when it does not work', async () => {
    const folder = tempFolder();
    putWhole(folder);
    writeFileSync(trashPath(folder), 'a file in the way');
    const { store } = launch(folder);
    expect(await store.delete('tea')).toEqual({
      kind: 'failed',
      message: expect.stringContaining('move it away') as string,
    });
    expect((await store.list()).entries).toHaveLength(1);
    expect(await store.listTrash()).toEqual({ entries: [] });
    expect(await store.emptyTrash()).toEqual({ kind: 'done', count: 0 });
  });

  it('does nothing once the store is closed', async () => {
    const folder = tempFolder();
    putWhole(folder);
    putWhole(folder, 'coffee');
    const { store } = launch(folder);
    await store.delete('tea');
    store.close();
    const before = kept(folder);
    expect(await store.delete('coffee')).toEqual({ kind: 'closed' });
    expect(await store.deleteAll(['coffee'])).toEqual({ kind: 'closed', count: 0 });
    expect(await store.restore('tea')).toEqual({ kind: 'closed' });
    expect(await store.purge('tea')).toEqual({ kind: 'closed' });
    expect(await store.emptyTrash()).toEqual({ kind: 'closed', count: 0 });
    expect(await store.listTrash()).toEqual({ entries: [] });
    expect(kept(folder)).toEqual(before);
  });

  it('counts what was done, and keeps the first sentence of what was not', async () => {
    const folder = tempFolder();
    putWhole(folder);
    const { store } = launch(folder);
    expect(await store.deleteAll(['tea', '../x', 'a/b'])).toEqual({
      kind: 'failed',
      message: expect.stringContaining('id is not valid') as string,
      count: 1,
    });
  });
});

describe('whatever is done in whatever order', () => {
  const id = fc.constantFrom('a', 'b');
  const step = fc.oneof(
    fc.record({ op: fc.constant('save' as const), id }),
    fc.record({ op: fc.constant('rename' as const), id }),
    fc.record({ op: fc.constant('delete' as const), id }),
    fc.record({ op: fc.constantFrom('restore' as const, 'purge' as const), at: fc.nat(3) }),
  );

  it('each conversation is in the list, in the trash, or was removed on purpose', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const folder = tempFolder();
        const { store, clock } = launch(folder);
        /** Titles by id of what should be listed, and of what should be in the trash, oldest first. */
        const listed = new Map<string, string>();
        const trashed: { id: string; title: string }[] = [];
        for (const [count, each] of steps.entries()) {
          clock.time += 1;
          if (each.op === 'save') {
            const conversation = makeConversation({ id: each.id, title: `Saved ${count}` });
            if (!listed.has(each.id)) {
              putRecord(folder, `${each.id}.json`, JSON.stringify(conversation));
              listed.set(each.id, conversation.title);
            }
          } else if (each.op === 'rename') {
            const outcome = await store.rename(each.id, `Renamed ${count}`);
            expect(outcome.kind).toBe(listed.has(each.id) ? 'done' : 'failed');
            if (listed.has(each.id)) listed.set(each.id, `Renamed ${count}`);
          } else if (each.op === 'delete') {
            expect(await store.delete(each.id)).toEqual({ kind: 'deleted' });
            const title = listed.get(each.id);
            if (title !== undefined) trashed.push({ id: each.id, title });
            listed.delete(each.id);
          } else {
            const { entries } = await store.listTrash();
            const entry = entries[each.at];
            if (entry === undefined) continue;
            const place = trashed.findIndex(({ title }) => title === entry.title);
            const own = trashed[place]?.id ?? '';
            const isRefused = each.op === 'restore' && listed.has(own);
            expect((await store[each.op](entry.id)).kind).toBe(isRefused ? 'failed' : 'done');
            if (isRefused) continue;
            trashed.splice(place, 1);
            if (each.op === 'restore') listed.set(own, entry.title);
          }
        }
        const { entries, problems } = await store.list();
        expect(new Map(entries.map((entry) => [entry.id, entry.title]))).toEqual(listed);
        expect(problems).toEqual([]);
        const trash = (await store.listTrash()).entries;
        expect(trash.map(({ title }) => title)).toEqual(
          trashed.map(({ title }) => title).reverse(),
        );
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

describe('after a kill', () => {
  /** The state right after the first rename of a deletion. */
  function halfDeleted(folder: string): void {
    putWhole(folder);
    mkdirSync(trashPath(folder, 'tea'), { recursive: true });
    renameSync(recordPath(folder), trashPath(folder, 'tea', 'record.json'));
  }

  it('a deletion is finished at the next look', async () => {
    const folder = tempFolder();
    halfDeleted(folder);
    const deletedAt = new Date(BUILDER_TIME - DAY);
    utimesSync(trashPath(folder, 'tea'), deletedAt, deletedAt);
    const { store } = launch(folder);
    const { entries } = await store.listTrash();
    expect(entries).toMatchObject([{ id: 'tea', title: 'Tea', turns: 1, files: 1 }]);
    expect(Object.keys(kept(folder)).filter((path) => !path.startsWith('trash/'))).toEqual([]);
    expect(await store.restore('tea')).toEqual({ kind: 'done' });
    expect(Object.keys(kept(folder))).toEqual([
      'attachments/tea/9f2b.png',
      'conversations/tea.json',
      'set-aside/tea.17.json',
    ]);
  });

  it('a conversation that is half deleted can be restored or removed at once', async () => {
    for (const method of ['restore', 'purge'] as const) {
      const folder = tempFolder();
      halfDeleted(folder);
      const { store } = launch(folder);
      expect(await store[method]('tea')).toEqual({ kind: 'done' });
      expect(Object.keys(kept(folder))).toHaveLength(method === 'restore' ? 3 : 0);
    }
  });

  it('what belongs to a conversation that is there again stays with it', async () => {
    const folder = tempFolder();
    halfDeleted(folder);
    putRecord(folder, 'tea.json', JSON.stringify(makeConversation({ title: 'Again' })));
    const { store } = launch(folder);
    expect((await store.listTrash()).entries).toMatchObject([{ id: 'tea', files: 0 }]);
    expect(await store.purge('tea')).toEqual({ kind: 'done' });
    expect(Object.keys(kept(folder))).toEqual([
      'attachments/tea/9f2b.png',
      'conversations/tea.json',
      'set-aside/tea.17.json',
    ]);
  });

  it('a restoration that was cut short can be repeated, or the rest removed', async () => {
    for (const method of ['restore', 'purge'] as const) {
      const folder = tempFolder();
      putWhole(folder);
      const { store } = launch(folder);
      await store.delete('tea');
      putAttachment(folder); // put back before the kill, with the record still in the trash
      expect(await store[method]('tea')).toEqual({ kind: 'done' });
      expect(Object.keys(kept(folder))).toHaveLength(method === 'restore' ? 3 : 0);
    }
  });

  it('what was being removed is removed, and empty folders once they are old', async () => {
    const folder = tempFolder();
    const { store } = launch(folder);
    for (const name of ['.removed-tea-ab12', 'old', 'fresh', 'not ours'])
      mkdirSync(trashPath(folder, name), { recursive: true });
    writeFileSync(trashPath(folder, '.removed-tea-ab12', 'record.json'), 'secret');
    writeFileSync(trashPath(folder, 'file'), 'not ours either');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(trashPath(folder, 'old'), longAgo, longAgo);
    expect(await store.listTrash()).toEqual({ entries: [] });
    expect(readdirSync(trashPath(folder)).sort()).toEqual(['file', 'fresh', 'not ours']);
  });

  it.each(['', '{"version":1', '[]', '{"version":2,"deletedAt":1}', 'null'])(
    'facts that cannot be read are worked out again: %j',
    async (text) => {
      const folder = tempFolder();
      putWhole(folder);
      const { store } = launch(folder);
      await store.delete('tea');
      writeFileSync(trashPath(folder, 'tea', 'trash.json'), text);
      expect((await store.listTrash()).entries).toMatchObject([{ id: 'tea', title: 'Tea' }]);
      expect(
        JSON.parse(readFileSync(trashPath(folder, 'tea', 'trash.json'), 'utf8')),
      ).toMatchObject({ version: 1, title: 'Tea', turns: 1, files: 1 });
    },
  );

  it('facts that cannot be written do not hide what can be restored', async () => {
    const folder = tempFolder();
    const { store } = launch(folder);
    for (const id of ['a', 'b']) {
      putWhole(folder, id);
      await store.delete(id);
    }
    rmSync(trashPath(folder, 'a', 'trash.json'));
    mkdirSync(trashPath(folder, 'a', 'trash.json'));
    expect((await store.listTrash()).entries.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(await store.restore('a')).toEqual({ kind: 'done' });
    expect((await store.list()).entries.map(({ id }) => id)).toEqual(['a']);
  });
});
