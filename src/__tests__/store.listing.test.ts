import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { encodeConversation } from '../host/store/decode';
import { createLists, type Listing, type Lists } from '../host/store/listing';
import { readRecordFile, storePaths } from '../host/store/record-file';
import type { Conversation } from '../lib/types';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { putRecord } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const listsOf = (supportPath: string, isClosed = () => false): Lists =>
  createLists({ paths: storePaths(supportPath), supportPath, isClosed, now: () => BUILDER_TIME });

/** A launch that comes a second after all that was written before. */
function launch(supportPath: string, isClosed?: () => boolean): Lists {
  const recent = join(supportPath, 'recent.json');
  const later = new Date(Date.now() + 1_000);
  if (existsSync(recent)) utimesSync(recent, later, later);
  return listsOf(supportPath, isClosed);
}

const recordPath = (supportPath: string, id: string) => storePaths(supportPath).record(id);

/** A conversation that was changed this many minutes after the builders' time. */
const changedAt = (minute: number, more: Partial<Conversation> = {}): Conversation =>
  makeConversation({
    id: `c-${minute}`,
    title: `Title ${minute}`,
    updatedAt: BUILDER_TIME + minute * 60_000,
    ...more,
  });

const put = (supportPath: string, conversation: Conversation) =>
  putRecord(supportPath, `${conversation.id}.json`, encodeConversation(conversation));

/** As another launch that was killed before it could note its save. The clock of file systems ticks every few milliseconds. */
function putUnnoted(supportPath: string, conversation: Conversation): void {
  put(supportPath, conversation);
  const later = new Date(Date.now() + 1_000);
  utimesSync(storePaths(supportPath).conversations, later, later);
}

/** What a launch does when it saves. */
function save(supportPath: string, lists: Lists, conversation: Conversation): void {
  const { id } = conversation;
  // A new file in place of the old one, as a save does it: its folder then has another stamp.
  rmSync(recordPath(supportPath, id), { force: true });
  const path = put(supportPath, conversation);
  lists.noteSaved(id, readRecordFile(path, id));
}

function remove(supportPath: string, lists: Lists, id: string): void {
  rmSync(recordPath(supportPath, id));
  lists.noteSaved(id, { kind: 'none', stamp: '' });
}

const idsOf = ({ entries }: { entries: { id: string }[] }) => entries.map(({ id }) => id);

/** What only a list finds: whoever reads the recent ones alone does not see it. */
const STRAY = 'not ours.json';
const wasListed = ({ problems }: Listing): boolean =>
  problems.some(({ path = '' }) => path.endsWith(STRAY));

/** A store of that many conversations that was listed once; `c-0` is the oldest. */
async function listedStore(count: number): Promise<string> {
  const supportPath = tempFolder();
  for (let minute = 0; minute < count; minute += 1) put(supportPath, changedAt(minute));
  putRecord(supportPath, STRAY, '{}');
  await launch(supportPath).list();
  return supportPath;
}

describe('the recent conversations', () => {
  it('are those of a list before the first one', async () => {
    const supportPath = tempFolder();
    put(supportPath, changedAt(1));
    putRecord(supportPath, STRAY, '{}');
    const first = await launch(supportPath).recent();
    expect([idsOf(first), wasListed(first)]).toEqual([['c-1'], true]);
    const second = await launch(supportPath).recent();
    expect([second.entries, wasListed(second)]).toEqual([first.entries, false]);
  });

  it('are as the list has them', async () => {
    const supportPath = await listedStore(5);
    const damaged = { ...changedAt(4), turns: [makeTurn(), { question: 7 }] };
    putRecord(supportPath, 'c-4.json', JSON.stringify(damaged));
    const { entries } = await launch(supportPath).list();
    expect(await launch(supportPath).recent()).toEqual({
      entries,
      problems: [expect.objectContaining({ id: 'c-4', kind: 'damaged' })],
    });
  });

  it('are the newest hundred and every pinned one', async () => {
    const supportPath = tempFolder();
    for (let minute = 0; minute < 130; minute += 1) {
      const isPinned = minute === 3 || minute === 29 || minute === 100;
      put(supportPath, changedAt(minute, isPinned ? { pinned: true } : {}));
    }
    const lists = launch(supportPath);
    expect((await lists.list()).entries).toHaveLength(130);
    const recent = await lists.recent();
    const newest = Array.from({ length: 100 }, (_, place) => `c-${129 - place}`);
    expect(idsOf(recent)).toEqual([...newest, 'c-29', 'c-3']);
    expect(recent.entries.filter(({ pinned }) => pinned === true)).toHaveLength(3);
    expect(recent.entries[0]).not.toHaveProperty('pinned');
  });

  it('are read without looking at any other file', async () => {
    const supportPath = await listedStore(120);
    const index = readFileSync(join(supportPath, 'index.json'), 'utf8');
    writeFileSync(
      join(supportPath, 'index.json'),
      index.replace('"Title 119"', '"From the index"'),
    );
    truncateSync(recordPath(supportPath, 'c-5'), 10); // not among the newest hundred
    const recent = await launch(supportPath).recent();
    expect(recent.problems).toEqual([]);
    expect(recent.entries).toHaveLength(100);
    expect(recent.entries[0]?.title).toBe('Title 119');
  });

  it.each([
    [
      'is gone',
      (path: string) => {
        rmSync(path);
      },
      undefined,
      0,
    ],
    [
      'was renamed elsewhere',
      (path: string) => {
        writeFileSync(path, encodeConversation(changedAt(4, { title: 'Another' })));
      },
      'Another',
      0,
    ],
    [
      'was cut',
      (path: string) => {
        truncateSync(path, 30);
      },
      undefined,
      1,
    ],
  ])('show nothing out of date when a file %s', async (_what, harm, title, problems) => {
    const supportPath = await listedStore(5);
    harm(recordPath(supportPath, 'c-4'));
    const recent = await launch(supportPath).recent();
    expect(recent.entries.find(({ id }) => id === 'c-4')?.title).toBe(title);
    expect(recent.problems.filter(({ id }) => id === 'c-4')).toHaveLength(problems);
    expect(idsOf(recent)).toEqual(expect.arrayContaining(['c-3', 'c-2', 'c-1', 'c-0']));
  });

  it.each([
    '',
    '{"version":1',
    '{"version":9,"folder":"","rows":[]}',
    '[]',
    '{"version":1,"folder":"x","rows":[{"entry":1}]}',
  ])('are made anew by the list when their file holds %j', async (content) => {
    const supportPath = await listedStore(3);
    const path = join(supportPath, 'recent.json');
    writeFileSync(path, content);
    const lists = launch(supportPath);
    expect(idsOf(await lists.recent())).toEqual(['c-2', 'c-1', 'c-0']);
    expect(wasListed(await launch(supportPath).recent())).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('do not follow an id out of the folder', async () => {
    const supportPath = await listedStore(2);
    mkdirSync(join(supportPath, 'other'));
    writeFileSync(join(supportPath, 'other', 'c-7.json'), encodeConversation(changedAt(7)));
    const path = join(supportPath, 'recent.json');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('c-1', '../other/c-7'));
    expect(idsOf(await launch(supportPath).recent())).toEqual(['c-0']);
  });
});

describe('a save', () => {
  it('puts its conversation on top, and a new launch needs no list', async () => {
    const supportPath = await listedStore(3);
    const lists = launch(supportPath);
    await lists.recent();
    save(supportPath, lists, changedAt(50));
    save(
      supportPath,
      lists,
      changedAt(1, { updatedAt: BUILDER_TIME + 60 * 60_000, title: 'Again' }),
    );
    const recent = await launch(supportPath).recent();
    expect(wasListed(recent)).toBe(false);
    expect(idsOf(recent)).toEqual(['c-1', 'c-50', 'c-2', 'c-0']);
    expect(recent.entries[0]?.title).toBe('Again');
  });

  it('that nobody noted makes the next launch list', async () => {
    const supportPath = await listedStore(3);
    putUnnoted(supportPath, changedAt(50));
    const next = await launch(supportPath).recent();
    expect([next.entries[0]?.id, wasListed(next)]).toEqual(['c-50', true]);
    expect(wasListed(await launch(supportPath).recent())).toBe(false);
  });

  it('that nobody noted is not covered up by a later one', async () => {
    const supportPath = await listedStore(3);
    putUnnoted(supportPath, changedAt(50));
    const next = launch(supportPath); // it saves without having looked at any list
    save(supportPath, next, changedAt(2));
    expect(idsOf(await launch(supportPath).recent())[0]).toBe('c-50');
  });

  it('is known to the next launch a moment later', async () => {
    const supportPath = await listedStore(3);
    const lists = launch(supportPath);
    await lists.recent();
    save(supportPath, lists, changedAt(50));
    const timeOf = (path: string) => lstatSync(path).mtimeMs;
    const { conversations } = storePaths(supportPath);
    while (timeOf(join(supportPath, 'recent.json')) <= timeOf(conversations)) await delay(5);
    const recent = await listsOf(supportPath).recent();
    expect([recent.entries[0]?.id, wasListed(recent)]).toEqual(['c-50', false]);
  });

  it('in the same tick of the clock as one that was noted is not missed', async () => {
    const supportPath = await listedStore(3);
    const { conversations } = storePaths(supportPath);
    const tick = new Date(BUILDER_TIME);
    utimesSync(conversations, tick, tick);
    await launch(supportPath).list();
    utimesSync(join(supportPath, 'recent.json'), tick, tick);
    put(supportPath, changedAt(50)); // and then it was killed
    utimesSync(conversations, tick, tick);
    const recent = await listsOf(supportPath).recent();
    expect([recent.entries[0]?.id, wasListed(recent)]).toEqual(['c-50', true]);
  });

  it('before any list makes no file that would pass for the whole', async () => {
    const supportPath = tempFolder();
    put(supportPath, changedAt(90));
    const lists = launch(supportPath);
    save(supportPath, lists, changedAt(5));
    expect(idsOf(await launch(supportPath).recent())).toEqual(['c-90', 'c-5']);
  });

  it('of a closed store notes nothing', async () => {
    const supportPath = await listedStore(3);
    let closed = false;
    const lists = launch(supportPath, () => closed);
    await lists.recent();
    closed = true;
    const before = readFileSync(join(supportPath, 'recent.json'), 'utf8');
    save(supportPath, lists, changedAt(50));
    await lists.list();
    expect(readFileSync(join(supportPath, 'recent.json'), 'utf8')).toBe(before);
  });

  it('that pins an old conversation brings it among the recent ones', async () => {
    const supportPath = await listedStore(120);
    const lists = launch(supportPath);
    await lists.recent();
    save(supportPath, lists, changedAt(3, { pinned: true }));
    expect((await launch(supportPath).recent()).entries.at(-1)).toMatchObject({
      id: 'c-3',
      pinned: true,
    });
    save(supportPath, lists, changedAt(3));
    expect(idsOf(await launch(supportPath).recent())).not.toContain('c-3');
  });
});

describe('a deletion', () => {
  it('is followed by what came after it', async () => {
    const supportPath = await listedStore(102);
    const lists = launch(supportPath);
    await lists.list();
    for (let minute = 101; minute > 1; minute -= 1) remove(supportPath, lists, `c-${minute}`);
    expect(idsOf(await launch(supportPath).recent())).toEqual(['c-1', 'c-0']);
  });
});

describe('the list', () => {
  it('counts what is shown, not every variant', async () => {
    const supportPath = tempFolder();
    const turns = [
      makeTurn({ id: 'a' }),
      makeTurn({ id: 'b', state: 'failed', parent: 'a' }),
      makeTurn({ id: 'c', parent: 'a' }),
      makeTurn({ id: 'd', state: 'stopped', parent: 'c' }),
    ];
    put(supportPath, makeConversation({ turns, head: 'b' }));
    const { entries } = await launch(supportPath).list();
    expect(entries).toMatchObject([{ turns: 2, lastState: 'failed' }]);
  });

  it('rebuilds an index of the version before', async () => {
    const supportPath = tempFolder();
    put(supportPath, changedAt(1, { pinned: true }));
    await launch(supportPath).list();
    const path = join(supportPath, 'index.json');
    const old = readFileSync(path, 'utf8')
      .replace('"version":2', '"version":1')
      .replace('"pinned":true', '"x":1');
    writeFileSync(path, old);
    expect((await launch(supportPath).list()).entries).toMatchObject([{ id: 'c-1', pinned: true }]);
  });

  it('is empty, and writes nothing, when a file stands where the folder should be', async () => {
    const supportPath = tempFolder();
    mkdirSync(supportPath, { recursive: true });
    writeFileSync(join(supportPath, 'conversations'), '');
    const { entries, problems } = await launch(supportPath).list();
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([
      { id: '', problem: expect.stringContaining('ENOTDIR') as string },
    ]);
  });
});
