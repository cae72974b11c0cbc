import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { rankStretches } from '../host/documents/block-ranking';
import { TEXTS_PER_REQUEST, type Embedder } from '../host/documents/embedding';
import { MAX_DOCUMENTS } from '../host/documents/passages';
import { queryTerms } from '../host/documents/query';
import {
  createSegmentBuilder,
  IN_HEADING,
  MAX_STRETCHES,
  placeOf,
  stretchCount,
  termAt,
  type Segment,
} from '../host/documents/segment';
import { decodeSegment, encodeSegment } from '../host/documents/segment-file';
import { createSemantic, type Semantic } from '../host/documents/semantic';
import { stretchesOf } from '../host/documents/stretches';
import { apart } from '../host/documents/word-distance';
import { takeLock } from '../host/documents/writer-lock';
import { blocksOf } from '../lib/blocks';
import type { DocumentSearchOutcome } from '../lib/types';
import { foundNames, openIndex, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const row = (path: string) =>
  ({ path, state: 'indexed', size: 1, mtimeMs: 1, title: '', version: 'v', blocks: 1 }) as const;

/** A segment of one file a text. */
function segmentOf(texts: readonly string[]): Segment {
  const builder = createSegmentBuilder();
  for (const [number, text] of texts.entries())
    builder.addFile(
      row(`/${number}`),
      stretchesOf(text, blocksOf({ text }), { title: '', path: '/x' }),
    );
  return builder.build();
}

async function search(files: Record<string, string>, query: string) {
  const notes = tempFolder();
  putFiles(notes, files);
  const index = openIndex(tempFolder(), [{ path: notes, name: 'notes' }]);
  const outcome: DocumentSearchOutcome = await index.search(query, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.hits;
}

/** Names of the documents found, best first. */
async function names(files: Record<string, string>, query: string): Promise<string[]> {
  return (await search(files, query)).map(({ document }) => document.name.slice('notes/'.length));
}

describe('the terms of a question', () => {
  it.each<[string, string[]]>([
    ['When is the Harbour open?', ['when', 'is', 'the', 'harbour', 'open']],
    ['Café CAFE café', ['cafe']],
    ['武夷山岩茶', ['武夷', '夷山', '山岩', '岩茶']],
    ['茶', ['茶']],
    ['GPT-4 в Москве', ['gpt', '4', 'в', 'москве']],
    ['?! …', []],
  ])('%s', (query, terms) => {
    expect(queryTerms(query).map(({ term }) => term)).toEqual(terms);
  });

  it('are more than twelve where a long question has them', () => {
    const query = Array.from({ length: 30 }, (_, number) => `w${number}`).join(' ');
    expect(queryTerms(query)).toHaveLength(30);
    expect(queryTerms('長'.repeat(1_000) + '城').length).toBeLessThanOrEqual(48);
  });
});

describe('what is found', () => {
  const TEA = {
    'a.md': '# Storage\n\nKeep the leaves dry, dark and away from spices.',
    'b.md': '# Water\n\nThe water for green leaves is eighty degrees warm.',
    'c.md': '# Shops\n\nThe shop by the harbour is open on Sundays.',
  };

  it.each<[string, string[]]>([
    ['How warm should the water be for green tea?', ['b.md']],
    ['harbour', ['c.md']],
    ['where are leaves kept dry', ['a.md']],
    ['nothing of that xylophone', []],
  ])('%s', async (query, found) => {
    expect((await names(TEA, query)).slice(0, 1)).toEqual(found);
  });

  it.each<[string, string, string]>([
    [
      'German',
      'Das Gerät wird über den Anschluß mit Straßenstrom versorgt.',
      'strassenstrom gerat',
    ],
    ['Chinese', '武夷山的岩茶生长在峭壁上。', '岩茶长在哪里'],
    ['Japanese', '抹茶は石臼で挽いて作ります。', '石臼で挽く'],
    ['Korean', '녹차는 보성에서 많이 재배됩니다.', '보성 녹차'],
    ['Russian', 'Самовар топили еловыми шишками.', 'чем топили самовар'],
    ['Arabic', 'يُشرب الشاي بالنعناع في المغرب.', 'الشاي بالنعناع'],
    ['Hindi', 'दार्जिलिंग की चाय पहाड़ों में उगती है।', 'पहाड़ों में चाय'],
    ['Thai', 'ชาเย็นใส่นมข้นหวาน', 'ชาเย็น'],
    ['Greek', 'Το τσάι του βουνού μαζεύεται τον Ιούλιο.', 'τσαι βουνου'],
    ['Vietnamese', 'Trà sen được ướp hương hoa sen Tây Hồ.', 'tra sen tay ho'],
    ['source code', 'export function parseBaseUrl(typed: string): Parsed {}', 'parseBaseUrl'],
  ])('in %s', async (_what, text, query) => {
    const files = { 'found.md': text, 'other.md': 'Something else altogether.' };
    expect(await names(files, query)).toEqual(['found.md']);
  });

  it('holds rare words above common ones', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, number) => [
        `${number}.md`,
        'The tea is warm. The tea is good.',
      ]),
    );
    const found = await names({ ...files, 'rare.md': 'A samovar.' }, 'is the tea in the samovar');
    expect(found[0]).toBe('rare.md');
  });

  it('holds a heading above the same words in passing', async () => {
    const long = 'Many other words stand here to make it as long as the other one is. ';
    const files = {
      'text.md': `# Notes\n\n${long}Grading is mentioned once. ${long}`,
      'head.md': `# Grading\n\n${long}It is mentioned with grading once. ${long}`,
    };
    expect(await names(files, 'grading')).toEqual(['head.md', 'text.md']);
  });

  it('knows files by their names too', async () => {
    const files = { 'invoice-2026.txt': 'Total: 40', 'letter.txt': 'Total: 50' };
    expect((await names(files, 'total of the invoice'))[0]).toBe('invoice-2026.txt');
  });

  it.each<[string, string]>([
    ['harbuor', 'c.md'],
    ['sundys', 'c.md'],
    ['degrees eigthy', 'b.md'],
    ['spice', 'a.md'],
  ])('has slips and endings put right: %s', async (query, found) => {
    expect((await names(TEA, query))[0]).toBe(found);
  });

  it('has other spellings only for words that are nowhere', async () => {
    const files = {
      'a.md': 'The station is far.',
      'b.md': 'The nation is old.',
      'c.md': 'A ration.',
    };
    expect(await names(files, 'nation')).toEqual(['b.md']);
    expect(await names({ ...files, 'd.md': 'Room 1204 upstairs.' }, '1205')).toEqual([]);
  });

  it('is each document once, with neighbours joined and within bounds', async () => {
    const paragraph = (word: string): string =>
      `${`${word} is told at length here. `.repeat(20)}\n\n`;
    const text = `${paragraph('oolong')}${paragraph('oolong')}${paragraph('filler').repeat(4)}${paragraph('oolong')}`;
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, number) => [`${number}.md`, paragraph('oolong').repeat(12)]),
    );
    const [hit, ...more] = await search({ 'one.md': text }, 'oolong');
    expect(more).toEqual([]);
    const passages = hit?.passages ?? [];
    expect(passages.map(({ blocks }) => blocks.map(({ number }) => number))).toEqual([[1, 2], [7]]);
    for (const { text: words, start } of passages)
      expect(text.slice(start, start + words.length)).toBe(words);
    const hits = await search(many, 'oolong');
    expect(hits).toHaveLength(MAX_DOCUMENTS);
    for (const { passages: found } of hits) {
      expect(found.length).toBeLessThanOrEqual(4);
      for (const { text: words } of found) expect(words.length).toBeLessThanOrEqual(1_500);
    }
  });

  it('has its page where there are pages', async () => {
    const [hit] = await search({ 'p.txt': 'One.\fThe pot.\fThe samovar.' }, 'pot samovar');
    expect(hit?.passages.map(({ text, blocks }) => [text, blocks[0]?.page])).toEqual([
      ['The pot.', 2],
      ['The samovar.', 3],
    ]);
  });

  it('is nothing for a question without a word', async () => {
    const index = openIndex(tempFolder(), []);
    expect(await index.search('?!', new AbortController().signal)).toEqual({
      ok: false,
      message: 'There is no word to look for.',
    });
    expect(await foundNames(index, 'tea')).toEqual([]);
  });
});

describe('the distance of words', () => {
  it.each<[string, string, number]>([
    ['tea', 'tea', 0],
    ['tea', 'team', 1],
    ['harbour', 'harbuor', 1],
    ['harbour', 'arbour', 1],
    ['ca', 'abc', 3],
    ['', 'ab', 2],
  ])('%s, %s', (one, other, distance) => {
    expect(apart(one, other, 5)).toBe(distance);
    expect(apart(other, one, 5)).toBe(distance);
  });

  it('is told to be above the limit, whatever it is', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 3 }), (one, other, most) => {
        const whole = apart(one, other, 99);
        const bounded = apart(one, other, most);
        if (whole <= most) expect(bounded).toBe(whole);
        else expect(bounded).toBeGreaterThan(most);
      }),
    );
  });
});

describe('a segment', () => {
  const word = fc.constantFrom('tea', 'water', '茶', 'é', '😀x', 'leaf', 'a', 'zz', 'ωμ');
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const texts = fc.array(text, { maxLength: 6 });

  it('comes back from its bytes', () => {
    fc.assert(
      fc.property(texts, (given) => {
        const segment = segmentOf(given);
        const read = decodeSegment(encodeSegment(segment));
        expect(read?.files).toEqual(segment.files);
        for (const list of ['stretches', 'ends', 'starts', 'places', 'counts'] as const)
          expect(Array.from(read?.[list] ?? [])).toEqual(Array.from(segment[list]));
        expect(Buffer.from(read?.letters ?? [])).toEqual(Buffer.from(segment.letters));
      }),
    );
  });

  it('has every term where it looks for it', () => {
    fc.assert(
      fc.property(texts, (given) => {
        const segment = segmentOf(given);
        const terms = Array.from(segment.ends, (_, place) => termAt(segment, place));
        expect(terms).toEqual([...new Set(terms)].sort());
        for (const [place, term] of terms.entries()) expect(placeOf(segment, term)).toBe(place);
        expect(placeOf(segment, 'nowhere')).toBe(-1);
      }),
    );
  });

  it('taken over in part is the same as made of that part', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (given, keep) => {
        const builder = createSegmentBuilder();
        builder.addFrom(segmentOf(given), (place) => (keep[place] ? row(`/${place}`) : undefined));
        const kept = given.flatMap((one, place) => (keep[place] ? [{ one, place }] : []));
        const direct = createSegmentBuilder();
        for (const { one, place } of kept)
          direct.addFile(
            row(`/${place}`),
            stretchesOf(one, blocksOf({ text: one }), { title: '', path: '/x' }),
          );
        expect(encodeSegment(builder.build())).toEqual(encodeSegment(direct.build()));
      }),
    );
  });

  it('is not read when any part of it is missing or another', () => {
    const bytes = encodeSegment(segmentOf(['tea and water', '茶']));
    for (let end = 0; end < bytes.length; end += 1)
      expect(decodeSegment(bytes.subarray(0, end))).toBeUndefined();
    for (let at = 0; at < bytes.length; at += 1) {
      const harmed = Buffer.from(bytes);
      harmed[at] = (harmed[at] ?? 0) ^ 0x10;
      expect(decodeSegment(harmed)).toBeUndefined();
    }
  });

  it('is read wherever its bytes lie', () => {
    const bytes = encodeSegment(segmentOf(['tea and water']));
    for (const offset of [0, 1, 2, 3]) {
      const moved = Buffer.alloc(bytes.length + offset);
      bytes.copy(moved, offset);
      expect(decodeSegment(moved.subarray(offset))?.files).toHaveLength(1);
    }
  });
});

describe('the stretches of a document', () => {
  const stretches = (text: string, title = '') =>
    stretchesOf(text, blocksOf({ text }), { title, path: '/home/reader/x.md' });

  it('take a heading together with what follows, and small blocks with each other', () => {
    const text = '# One\n\nShort.\n\nShort too.\n\n# Two\n\n- a\n- b\n';
    expect(stretches(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      '# One\n\nShort.\n\nShort too.',
      '# Two\n\n- a\n- b',
    ]);
  });

  it('know the words above them', () => {
    const body = 'Body of some length. '.repeat(40);
    const [, second] = stretches(`# Brewing\n\n${body}\n\n${body}`, 'Handbook');
    expect(second?.counts.get('brewing')).toBe(IN_HEADING);
    expect(second?.counts.get('handbook')).toBe(IN_HEADING);
    expect(second?.counts.get('body')).toBe(40);
  });

  it('are in order, without overlaps, and have all blocks in them', () => {
    const line = fc.constantFrom('# H', 'word '.repeat(30), '- a', '', '| a | b |', '```', '    x');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const text = lines.join('\n');
        const made = stretches(text);
        for (const [number, { start, end }] of made.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(made[number - 1]?.end ?? 0);
        }
        for (const block of blocksOf({ text }))
          expect(made.some(({ start, end }) => start <= block.start && block.end <= end)).toBe(
            true,
          );
      }),
    );
  });
});

describe('by meaning', () => {
  const CARS = {
    'drive.md': 'The automobile needs winter tyres in November.',
    'leaf.md': 'Oolong is picked in May.',
  };

  /** Knows that a car is an automobile. Counts the texts it was asked for. */
  function embedder(): { embed: Embedder; asked: string[] } {
    const asked: string[] = [];
    const embed: Embedder = (texts) => {
      asked.push(...texts);
      const vectors = texts.map((text) =>
        Float32Array.from(/car|automobile/.test(text) ? [1, 0] : [0, 1]),
      );
      return Promise.resolve({ ok: true, vectors });
    };
    return { embed, asked };
  }

  /** An index that has made its vectors. */
  async function meaningful(kept: string, notes: string, embed: Embedder) {
    const semantic = createSemantic({
      folder: kept,
      token: 'test',
      model: 'small',
      embed,
      onChange: () => undefined,
    });
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { semantic });
    await index.update();
    await index.embedded();
    return index;
  }

  it('is found what has none of the words, once, and after a restart too', async () => {
    const notes = tempFolder();
    const kept = tempFolder();
    putFiles(notes, CARS);
    const { embed, asked } = embedder();
    const first = await meaningful(kept, notes, embed);
    expect((await foundNames(first, 'car'))[0]).toBe('notes/drive.md');
    expect((await foundNames(first, 'oolong'))[0]).toBe('notes/leaf.md');
    await first.close();
    asked.length = 0;
    const second = await meaningful(kept, notes, embed);
    expect(asked).toEqual([]);
    expect((await foundNames(second, 'car'))[0]).toBe('notes/drive.md');
    putFiles(notes, { 'drive.md': 'Something else.' });
    asked.length = 0;
    await second.update();
    await second.embedded();
    expect(asked).toEqual(['Something else.']);
  });

  it('tells how far the comparing has come', async () => {
    const notes = tempFolder();
    putFiles(
      notes,
      Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`${n}.md`, `Oolong number ${n}.`])),
    );
    const { embed } = embedder();
    const kept = tempFolder();
    const told: unknown[] = [];
    const semantic = createSemantic({
      folder: kept,
      token: 'test',
      model: 'small',
      embed,
      onChange: () => {
        told.push(index.status().progress);
      },
    });
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { semantic });
    await index.update();
    await index.embedded();
    expect(told[0]).toMatchObject({ what: 'comparing', total: 70 });
    expect(told.at(-1)).toBeUndefined();
    expect(index.status().state).toBe('idle');
  });

  it('is not found when the server fails, which is told, and words are', async () => {
    const notes = tempFolder();
    putFiles(notes, CARS);
    const embed: Embedder = () => Promise.resolve({ ok: false, message: 'Ollama is not running.' });
    const index = await meaningful(tempFolder(), notes, embed);
    expect(await foundNames(index, 'oolong')).toEqual(['notes/leaf.md']);
    expect(index.status()).toMatchObject({
      state: 'idle',
      embeddingProblem:
        'No embeddings: documents are found by words only. Ollama is not running. To go on without them, empty Embedding Model in the preferences.',
    });
  });
});

describe('vectors', () => {
  const never = () => new AbortController().signal;
  const keysOf = (count: number) => new Set(Array.from({ length: count }, (_, n) => `k${n}`));

  const numberIn = (text: string): number => 1 + Number(/\d+/.exec(text)?.[0] ?? 0);

  /** One launch whose server gives vectors of some length; `asked` counts texts. */
  function launch(folder: string, token: string, lengthOf: () => number) {
    const asked: string[] = [];
    const embed: Embedder = (texts) => {
      asked.push(...texts);
      const length = lengthOf();
      const vectors = texts.map((text) =>
        Float32Array.from({ length }, (_, at) => Math.sin(numberIn(text) * (at + 1) * 7_919)),
      );
      return Promise.resolve({ ok: true, vectors });
    };
    const onChange = (): void => undefined;
    const semantic: Semantic = createSemantic({ folder, token, model: 'small', embed, onChange });
    const update = (keys: ReadonlySet<string>): Promise<boolean> => {
      const texts = (isMissing: (key: string) => boolean) =>
        [...keys].filter(isMissing).map((key) => ({ key, text: `text ${key}` }));
      return semantic.update(keys, texts, never());
    };
    return { semantic, update, asked };
  }

  it('of a model with other dimensions take the place of the old ones, once', async () => {
    const folder = tempFolder();
    expect(await launch(folder, 'one', () => 4).update(keysOf(100))).toBe(true);
    const { semantic, update, asked } = launch(folder, 'two', () => 8);
    expect(await update(keysOf(101))).toBe(true);
    expect(asked.toSorted()).toEqual([...keysOf(101)].map((key) => `text ${key}`).toSorted());
    expect(semantic.problem()).toBeUndefined();
    asked.length = 0;
    expect(await update(keysOf(101))).toBe(true);
    expect(asked).toEqual([]);
    expect((await semantic.nearest('text k7', never()))[0]).toBe('k7');
  });

  it('of a server that changes its mind are given up, and that is told', async () => {
    let length = 4;
    const { semantic, update, asked } = launch(tempFolder(), 'one', () => (length += 1));
    expect(await update(keysOf(TEXTS_PER_REQUEST * 9))).toBe(false);
    expect(asked).toHaveLength(TEXTS_PER_REQUEST * 3);
    expect(semantic.problem()).toContain('"small" gave now 6 and now 7 numbers');
  });

  it('of another launch are taken in', async () => {
    const folder = tempFolder();
    const other = launch(folder, 'other', () => 4);
    expect(await other.semantic.nearest('text k7', never())).toEqual([]); // it has looked: there are none
    expect(await launch(folder, 'one', () => 4).update(keysOf(100))).toBe(true);
    expect(await other.update(keysOf(101))).toBe(true);
    expect(other.asked).toEqual(['text k100']);
    expect((await other.semantic.nearest('text k7', never()))[0]).toBe('k7');
    const later = launch(folder, 'later', () => 4);
    expect(await later.update(keysOf(101))).toBe(true);
    expect(later.asked).toEqual([]);
  });

  it('are not made twice at a time, and what another launch has not made is made later', async () => {
    const notes = tempFolder();
    const folder = tempFolder();
    putFiles(notes, { 'a.md': 'Oolong is picked in May.' });
    const { semantic, asked } = launch(folder, 'test', () => 4);
    const taken = takeLock(join(folder, 'vectors.lock'), 'another');
    if (taken.kind !== 'held') throw new Error(taken.kind);
    const index = openIndex(folder, [{ path: notes, name: 'notes' }], { semantic });
    await index.update();
    await index.embedded();
    expect(asked).toEqual([]);
    taken.lock.release();
    await index.update();
    await index.embedded();
    expect(asked).toEqual(['Oolong is picked in May.']);
  });
});

it('finds the best among many, as if all were sorted', () => {
  const texts = Array.from({ length: 600 }, (_, number) =>
    `w${number % 7} `.repeat((number % 5) + 1),
  );
  const searched = [texts.slice(0, 250), texts.slice(250)].map((part) => ({
    segment: segmentOf(part),
    isLive: () => true,
  }));
  const all = rankStretches(searched, queryTerms('w3 w4'), MAX_STRETCHES);
  expect(rankStretches(searched, queryTerms('w3 w4'), 10)).toEqual(all.slice(0, 10));
  expect(searched.map(({ segment }) => stretchCount(segment))).toEqual([250, 350]);
});
