import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createIndex } from '../host/library/text-index';
import { createSearch } from '../host/library/search';
import { IN_TITLE, pack, SHARD_DOCS, unpack, type Entry } from '../host/library/shard';
import { decodeShard, encodeShard } from '../host/library/shard-text';
import { createVocabulary } from '../host/library/vocabulary';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { filesIn, putConversation, putRecord } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** Stores a conversation with one word in its answer. Its file is as old as `minute` says. */
function put(supportPath: string, id: string, word: string, minute = 0): string {
  const turns = [makeTurn({ question: 'q', response: word })];
  const path = putConversation(
    supportPath,
    makeConversation({ id, title: 't', turns }),
    BUILDER_TIME,
  );
  age(path, minute);
  return path;
}

/** Whole seconds, so that the time can be set again to the nanosecond. */
function age(path: string, minute: number): void {
  const time = new Date(BUILDER_TIME + minute * 60_000);
  utimesSync(path, time, time);
}

/** The ids a whole index gives. */
async function found(search: ReturnType<typeof createSearch>, query: string): Promise<string[]> {
  for (let tries = 0; tries < 200; tries += 1) {
    const outcome = await search(query);
    if (!outcome.ok) throw new Error(outcome.message);
    if (outcome.complete) return outcome.hits.map(({ id }) => id).sort();
  }
  throw new Error('The index did not become whole.');
}

/** As a new launch. */
const launched = (supportPath: string, query: string) => found(createSearch(supportPath), query);

const shardFiles = (supportPath: string) => readdirSync(join(supportPath, 'search')).sort();
const shardPath = (supportPath: string, number = 1) =>
  join(supportPath, 'search', `${String(number)}.json`);

/** Another content under the same stamp: only who reads the file again knows. */
function changeUnseen(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  age(path, 0);
}

describe('a later launch', () => {
  it('reads the index, not the conversations', async () => {
    const supportPath = tempFolder();
    const path = put(supportPath, 'a', 'harbour');
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    changeUnseen(path, 'harbour', 'bicycle');
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    expect(await launched(supportPath, 'bicycle')).toEqual([]);
  });

  it('reads again what has changed, and only that', async () => {
    const supportPath = tempFolder();
    const path = put(supportPath, 'a', 'harbour');
    put(supportPath, 'b', 'lights');
    await launched(supportPath, '');
    changeUnseen(path, 'harbour', 'bicycle');
    put(supportPath, 'b', 'anchor', 1);
    put(supportPath, 'c', 'rope');
    expect(await launched(supportPath, 'anchor')).toEqual(['b']);
    expect(await launched(supportPath, 'lights')).toEqual([]);
    expect(await launched(supportPath, 'rope')).toEqual(['c']);
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
  });

  it('finds what a save of a running launch has brought', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    const search = createSearch(supportPath);
    expect(await found(search, 'anchor')).toEqual([]);
    const path = put(supportPath, 'b', 'anchor');
    touchFolder(supportPath);
    expect(await found(search, 'anchor')).toEqual(['b']);
    rmSync(path);
    touchFolder(supportPath, 2);
    expect(await found(search, 'anchor')).toEqual([]);
  });
});

/** The clock of file systems ticks every few milliseconds: as if the change had come in a later tick. */
function touchFolder(supportPath: string, seconds = 1): void {
  const time = new Date(Date.now() + seconds * 1_000);
  utimesSync(join(supportPath, 'conversations'), time, time);
}

describe('a removed conversation', () => {
  it('leaves the index, and nothing of it stays on the disk', async () => {
    const supportPath = tempFolder();
    const path = put(supportPath, 'secret-id', 'confidentialword');
    put(supportPath, 'b', 'harbour');
    await launched(supportPath, '');
    expect(readFileSync(shardPath(supportPath), 'utf8')).toContain('confidentialword');
    rmSync(path);
    expect(await launched(supportPath, 'confidentialword')).toEqual([]);
    expect(JSON.stringify(filesIn(supportPath))).not.toMatch(/confidentialword|secret-id/);
    expect(await launched(supportPath, 'harbour')).toEqual(['b']);
  });

  it('that was the last one leaves no file', async () => {
    const supportPath = tempFolder();
    const path = put(supportPath, 'a', 'harbour');
    await launched(supportPath, '');
    rmSync(path);
    await launched(supportPath, '');
    expect(shardFiles(supportPath)).toEqual([]);
  });
});

describe('the files', () => {
  it('are private', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    await launched(supportPath, '');
    expect(statSync(shardPath(supportPath)).mode & 0o777).toBe(0o600);
    expect(statSync(join(supportPath, 'search')).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (path: string) => void]>([
    [
      'cut',
      (path) => {
        truncateSync(path, 100);
      },
    ],
    [
      'empty',
      (path) => {
        truncateSync(path, 0);
      },
    ],
    [
      'no index',
      (path) => {
        writeFileSync(path, 'harbour');
      },
    ],
    [
      'changed in one place',
      (path) => {
        writeFileSync(path, readFileSync(path, 'utf8').replace('harbour', 'harbous'));
      },
    ],
    [
      'of a later version',
      (path) => {
        writeFileSync(
          path,
          resummed(path, (body) => body.replace('"version":1', '"version":2')),
        );
      },
    ],
    [
      'whole, with a place that is none',
      (path) => {
        writeFileSync(
          path,
          resummed(path, (body) => body.replace(/"places":"[^"]*"/, '"places":"////"')),
        );
      },
    ],
    [
      'whole, with lists of different lengths',
      (path) => {
        writeFileSync(
          path,
          resummed(path, (body) => body.replace(/"counts":"[^"]*"/, '"counts":""')),
        );
      },
    ],
    [
      'whole, with a term twice',
      (path) => {
        writeFileSync(
          path,
          resummed(path, (body) => body.replace('harbour', 'q')),
        );
      },
    ],
    [
      'a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('are made again when one is %s', async (_what, harm) => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    put(supportPath, 'b', 'lights');
    await launched(supportPath, '');
    harm(shardPath(supportPath));
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    expect(await launched(supportPath, 'lights')).toEqual(['b']);
    expect(await launched(supportPath, 'q')).toEqual(['a', 'b']);
  });

  it('hold a conversation once, also when two launches wrote it into different ones', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    await launched(supportPath, '');
    writeFileSync(shardPath(supportPath, 7), readFileSync(shardPath(supportPath)));
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    expect(shardFiles(supportPath)).toHaveLength(1);
  });

  it('are none when the folder cannot be made, and everything is found all the same', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    writeFileSync(join(supportPath, 'search'), 'in the way');
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    expect(readFileSync(join(supportPath, 'search'), 'utf8')).toBe('in the way');
  });

  it('of a killed writer are swept once they are old, and others are left alone', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    await launched(supportPath, '');
    const folder = join(supportPath, 'search');
    for (const name of ['1.json.123', 'notes.txt']) {
      writeFileSync(join(folder, name), '');
      age(join(folder, name), 0);
    }
    await launched(supportPath, '');
    expect(shardFiles(supportPath)).toEqual(['1.json', 'notes.txt']);
  });
});

/** The shard with another body, and the sum of that. */
function resummed(path: string, change: (body: string) => string): string {
  const text = readFileSync(path, 'utf8');
  const line = text.indexOf('\n');
  const body = change(text.slice(line + 1));
  return `${createHash('sha256').update(body).digest('hex').slice(0, 16)}\n${body}`;
}

describe('many conversations', () => {
  it('come in several files, the newest first, and fill them again', async () => {
    const supportPath = tempFolder();
    const count = SHARD_DOCS + 40;
    for (let minute = 0; minute < count; minute += 1)
      put(supportPath, `c-${minute}`, `word${minute}`, minute);
    const index = createIndex(supportPath);
    const whole = index.update();
    while (index.shards().length === 0) await nextTick();
    const [first] = index.shards();
    const newest = Array.from({ length: SHARD_DOCS }, (_, place) => `c-${count - 1 - place}`);
    expect(first?.docs.map(({ id }) => id)).toEqual(newest);
    expect(await whole).toBeUndefined();
    expect(shardFiles(supportPath)).toEqual(['1.json', '2.json']);
    expect(index.shards().flatMap(({ docs }) => docs)).toHaveLength(count);

    for (let minute = 0; minute < 60; minute += 1)
      rmSync(join(supportPath, 'conversations', `c-${minute}.json`));
    put(supportPath, 'fresh', 'anchor', 5_000);
    const later = createIndex(supportPath);
    await later.update();
    expect(shardFiles(supportPath)).toEqual(['1.json']); // the second one was emptied
    expect(later.shards().flatMap(({ docs }) => docs)).toHaveLength(count - 60 + 1);
    expect(await launched(supportPath, 'anchor')).toEqual(['fresh']);
    expect(await launched(supportPath, 'word100')).toEqual(['c-100']);
  });
});

describe('what cannot be read', () => {
  it('has no words, and costs its neighbours nothing', async () => {
    const supportPath = tempFolder();
    put(supportPath, 'a', 'harbour');
    putRecord(supportPath, 'broken.json', '{"harbour');
    putRecord(supportPath, 'not ours.json', '{"title":"harbour"}');
    mkdirSync(join(supportPath, 'conversations', 'folder.json'));
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
    expect(await launched(supportPath, 'harbour')).toEqual(['a']);
  });

  it('is nothing at all before the first conversation', async () => {
    const supportPath = tempFolder();
    expect(await launched(supportPath, 'harbour')).toEqual([]);
    expect(existsSync(join(supportPath, 'conversations'))).toBe(false);
  });

  it('is said when it is the folder', async () => {
    const supportPath = tempFolder();
    writeFileSync(join(supportPath, 'conversations'), '');
    const outcome = await createSearch(supportPath)('harbour');
    expect(outcome).toEqual({
      ok: false,
      message: expect.stringMatching(
        /^The stored conversations cannot be searched .*: ENOTDIR\.$/,
      ) as string,
    });
  });
});

describe('a shard', () => {
  const entries = fc.array(
    fc.dictionary(
      fc.string({
        minLength: 1,
        maxLength: 3,
        unit: fc.constantFrom('a', 'b', 'c', 'é', '北', '🍵'),
      }),
      fc.integer({ min: 0, max: 255 }),
    ),
    { maxLength: 20 },
  );
  type Words = Record<string, number>;

  const entriesOf = (words: readonly Words[], vocabulary = createVocabulary()) => ({
    vocabulary,
    entries: words.map((counts, place): Entry => ({
      doc: { id: `c-${place}`, stamp: `s-${place}`, updatedAt: place, length: 2 * place },
      counts: new Map(
        Object.entries(counts).map(([term, count]) => [vocabulary.numberOf(term), count]),
      ),
    })),
  });
  const wordsOf = (list: readonly Entry[], { termOf }: { termOf: (number: number) => string }) =>
    list.map(({ doc, counts }) => [
      doc,
      Object.fromEntries([...counts].map(([number, count]) => [termOf(number), count])),
    ]);

  it('gives back what was put into it', () => {
    fc.assert(
      fc.property(entries, (words) => {
        const { entries: given, vocabulary } = entriesOf(words);
        expect(wordsOf(unpack(pack(given)), vocabulary)).toEqual(wordsOf(given, vocabulary));
      }),
    );
  });

  it('is the same after it was stored and read into another vocabulary', () => {
    fc.assert(
      fc.property(entries, fc.array(fc.constantFrom('b', 'a', 'zz', '北')), (words, known) => {
        const { entries: given, vocabulary } = entriesOf(words);
        const text = encodeShard(pack(given), vocabulary);
        const other = createVocabulary();
        for (const term of known) other.numberOf(term);
        const read = decodeShard(text, other);
        if (read === undefined) throw new Error('It was not read.');
        expect(wordsOf(unpack(read), other)).toEqual(wordsOf(given, vocabulary));
        expect([...read.terms]).toEqual([...read.terms].sort((one, two) => one - two));
      }),
    );
  });

  it('is not read when any part of it is missing', () => {
    const { entries: given, vocabulary } = entriesOf([{ ab: 3, c: IN_TITLE }, { ab: 1 }]);
    const text = encodeShard(pack(given), vocabulary);
    for (let end = 0; end < text.length; end += 1)
      expect(decodeShard(text.slice(0, end), createVocabulary())).toBeUndefined();
  });
});
