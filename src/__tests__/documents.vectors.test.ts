import {
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fuse } from '../host/documents/fusion';
import { SHARD_VECTORS } from '../host/documents/vector-file';
import { createVectorStore, type VectorEntry, type VectorStore } from '../host/documents/vectors';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const MODEL = 'tiny-embed';
const DIMENSIONS = 64;
const open = (folder: string, model = MODEL): VectorStore => createVectorStore(folder, { model });
const never = () => new AbortController().signal;
const files = (folder: string) => readdirSync(folder).sort();

/** The same numbers for the same seed, between -1 and 1 (a linear congruential generator, Numerical Recipes). */
function vectorOf(seed: number, length = DIMENSIONS): Float32Array {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

const entriesOf = (count: number, from = 0): VectorEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    key: `block-${String(from + at)}`,
    vector: vectorOf(from + at),
  }));

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const keysNear = async (store: VectorStore, query: Float32Array, limit = 10) =>
  (await store.nearest(query, limit, never())).map(({ key }) => key);

describe('how near', () => {
  it('is the cosine, as close as rounding to 8 bits allows', async () => {
    const vector = fc
      .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 24, maxLength: 24 })
      .map((numbers) => Float32Array.from(numbers))
      .filter((numbers) => numbers.some((x) => Math.abs(x) > 1e-3));
    // A number is off by half a step at most, and a direction by twice what its numbers are.
    const offBy = (numbers: Float32Array) => {
      const step = numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127;
      return (Math.sqrt(numbers.length) * step) / Math.hypot(...numbers);
    };
    await fc.assert(
      fc.asyncProperty(vector, vector, async (stored, query) => {
        const store = open(tempFolder());
        store.set([{ key: 'a', vector: stored }]);
        const [found] = await store.nearest(query, 1, never());
        expect(Math.abs((found?.score ?? NaN) - cosine(stored, query))).toBeLessThanOrEqual(
          offBy(stored) + offBy(query) + 1e-6,
        );
      }),
    );
  });

  it('is off by less than 0.01 for vectors like those of models', async () => {
    const store = open(tempFolder());
    const vectors = Array.from({ length: 200 }, (_, seed) => vectorOf(seed, 768));
    store.set(vectors.map((vector, at) => ({ key: String(at), vector })));
    const query = vectorOf(999, 768);
    const found = await store.nearest(query, 200, never());
    expect(found).toHaveLength(200);
    for (const { key, score } of found)
      expect(Math.abs(score - cosine(vectors[Number(key)] ?? query, query))).toBeLessThan(0.01);
  });

  it('puts the best first, equal ones by key, and no more than asked for', async () => {
    const store = open(tempFolder());
    const right = Float32Array.of(1, 0);
    store.set([
      { key: 'c', vector: right },
      { key: 'opposite', vector: Float32Array.of(-1, 0) },
      { key: 'a', vector: right },
      { key: 'aslant', vector: Float32Array.of(1, 1) },
      { key: 'b', vector: right },
    ]);
    expect(await keysNear(store, right, 9)).toEqual(['a', 'b', 'c', 'aslant', 'opposite']);
    expect(await keysNear(store, right, 2)).toEqual(['a', 'b']);
    expect(await keysNear(store, right, 0)).toEqual([]);
  });

  it.each([
    ['another length', Float32Array.of(1, 0, 0)],
    ['length 0', Float32Array.of(0, 0)],
    ['a number that is none', Float32Array.of(NaN, 1)],
  ])('is not known for a query of %s', async (_name, query) => {
    const store = open(tempFolder());
    store.set([{ key: 'a', vector: Float32Array.of(1, 0) }]);
    expect(await store.nearest(query, 5, never())).toEqual([]);
  });

  it('is asked of an empty store', async () => {
    expect(await open(tempFolder()).nearest(Float32Array.of(1), 5, never())).toEqual([]);
  });

  it('is given up when the signal fires, between shards too', async () => {
    const store = open(tempFolder());
    store.set(entriesOf(SHARD_VECTORS * 2));
    expect(await store.nearest(vectorOf(1), 5, AbortSignal.abort())).toEqual([]);
    const stop = new AbortController();
    const asked = store.nearest(vectorOf(1), 5, stop.signal);
    setImmediate(() => {
      stop.abort();
    });
    expect(await asked).toEqual([]);
  });
});

describe('a later launch', () => {
  it('ranks as the one before, over several files', async () => {
    const folder = tempFolder();
    const store = open(folder);
    expect(store.set(entriesOf(SHARD_VECTORS + 300))).toEqual({ ok: true });
    expect(store.flush()).toEqual({ ok: true });
    expect(files(folder)).toEqual(['1.vec', '2.vec']);
    const later = open(folder);
    expect(later.size).toBe(SHARD_VECTORS + 300);
    for (const seed of [3, 70_000, 80_000]) {
      const before = await store.nearest(vectorOf(seed), 50, never());
      expect(await later.nearest(vectorOf(seed), 50, never())).toEqual(before);
    }
    expect((await keysNear(later, vectorOf(3)))[0]).toBe('block-3');
  });

  it('knows what any series of changes has left', () => {
    const change = fc.oneof(
      fc.record({ set: fc.array(fc.nat(30), { maxLength: 8 }) }),
      fc.record({ delete: fc.array(fc.nat(30), { maxLength: 8 }) }),
      fc.constant('flush' as const),
      fc.constant('launch' as const),
    );
    const key = (seed: number) => `block-${String(seed)}`;
    return fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const folder = tempFolder();
        let store = open(folder);
        const expected = new Set<string>();
        for (const one of changes) {
          if (one === 'flush') store.flush();
          else if (one === 'launch') {
            store.flush();
            store = open(folder);
          } else if ('set' in one) {
            store.set(one.set.map((seed) => ({ key: key(seed), vector: vectorOf(seed, 8) })));
            for (const seed of one.set) expected.add(key(seed));
          } else {
            store.delete(one.delete.map(key));
            for (const seed of one.delete) expected.delete(key(seed));
          }
        }
        store.flush();
        for (const each of [store, open(folder)]) {
          expect([...each.keys()].sort()).toEqual([...expected].sort());
          expect((await keysNear(each, vectorOf(5, 8), 99)).sort()).toEqual([...expected].sort());
          for (const seed of [0, 15, 30])
            if (expected.has(key(seed)))
              expect((await keysNear(each, vectorOf(seed, 8)))[0]).toBe(key(seed));
        }
      }),
    );
  });

  it('does not know what was never flushed', () => {
    const folder = tempFolder();
    open(folder).set(entriesOf(3));
    expect(open(folder).size).toBe(0);
  });

  it('has the newer of two vectors of a key', async () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set([{ key: 'a', vector: Float32Array.of(1, 0) }]);
    store.flush();
    store.set([{ key: 'a', vector: Float32Array.of(0, 1) }]);
    store.flush();
    const [found] = await open(folder).nearest(Float32Array.of(0, 1), 5, never());
    expect(found?.key).toBe('a');
    expect(found?.score).toBeCloseTo(1);
  });

  it('reads the files of today, byte for byte', () => {
    const folder = tempFolder();
    const store = createVectorStore(folder, { model: 'm' });
    store.set([{ key: 'k', vector: Float32Array.of(0, -2) }]);
    store.flush();
    const bytes = readFileSync(join(folder, '1.vec'));
    const head = Buffer.from([1, 2, 1, 1, 5].flatMap((fact) => [fact, 0, 0, 0]));
    const scale = Buffer.alloc(4);
    scale.writeFloatLE(1 / 127);
    expect(bytes.subarray(0, -32)).toEqual(
      Buffer.concat([
        Buffer.from('LAMV'),
        head,
        Buffer.from('m["k"]'),
        scale,
        Buffer.from([0, 129]),
      ]),
    );
  });
});

describe('a removed vector', () => {
  it('is found no more, and leaves the disk', async () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(20));
    store.flush();
    store.delete(['block-7', 'unknown']);
    expect(store.has('block-7')).toBe(false);
    expect(store.size).toBe(19);
    expect(await keysNear(store, vectorOf(7), 99)).not.toContain('block-7');
    store.flush();
    expect(readFileSync(join(folder, '1.vec'), 'utf8')).not.toContain('"block-7"');
    expect(open(folder).size).toBe(19);
  });

  it('takes its file along when it was the last', () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(2));
    store.flush();
    store.delete([...store.keys()]);
    store.flush();
    expect(files(folder)).toEqual([]);
  });

  it('makes room for others', () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(SHARD_VECTORS));
    store.delete(['block-0', 'block-1']);
    store.flush();
    store.set(entriesOf(2, 90_000));
    store.flush();
    expect(files(folder)).toEqual(['1.vec']);
    expect(open(folder).size).toBe(SHARD_VECTORS);
  });

  it('goes with all others when the store is cleared', () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(3));
    store.flush();
    store.clear();
    expect([store.size, files(folder)]).toEqual([0, []]);
    expect(store.set([{ key: 'a', vector: Float32Array.of(1) }])).toEqual({ ok: true });
  });
});

describe('vectors of another kind', () => {
  it.each([
    ['another length', Float32Array.of(1, 2, 3)],
    ['no numbers', new Float32Array(0)],
    ['a number that is none', Float32Array.of(1, NaN)],
    ['an endless number', Float32Array.of(Infinity, 1)],
  ])('among others are refused with them: %s', (_name, vector) => {
    for (const isEmpty of [false, true]) {
      const store = open(tempFolder());
      if (!isEmpty) store.set([{ key: 'a', vector: Float32Array.of(1, 0) }]);
      const outcome = store.set([
        { key: 'b', vector: Float32Array.of(0, 1) },
        { key: 'c', vector },
      ]);
      expect(outcome).toMatchObject({ ok: false, reason: 'unusable' });
      expect([...store.keys()]).toEqual(isEmpty ? [] : ['a']);
      expect(store.dimensions).toBe(isEmpty ? undefined : 2);
    }
  });

  it('are told from others by their length, until there are none', () => {
    const store = open(tempFolder());
    expect(store.set([{ key: 'a', vector: Float32Array.of(1, 0) }])).toEqual({ ok: true });
    const longer = [{ key: 'b', vector: Float32Array.of(1, 0, 0) }];
    expect(store.set(longer)).toMatchObject({ ok: false, reason: 'mismatch' });
    store.clear();
    expect(store.set(longer)).toEqual({ ok: true });
    expect([[...store.keys()], store.dimensions]).toEqual([['b'], 3]);
  });

  it('are near to nothing when they are zeros', async () => {
    const store = open(tempFolder());
    store.set([
      { key: 'a', vector: Float32Array.of(0, 0) },
      { key: 'b', vector: Float32Array.of(-1, 0) },
    ]);
    expect(await keysNear(store, Float32Array.of(1, 0))).toEqual(['b']);
    expect(store.has('a')).toBe(true); // not asked for again
  });

  it('are dropped when the model is another', () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(3));
    store.flush();
    expect(open(folder, 'other-embed').size).toBe(0);
    expect(files(folder)).toEqual([]);
  });
});

describe('a damaged file', () => {
  const damages: [string, (path: string) => void][] = [
    [
      'cut',
      (path) => {
        truncateSync(path, 1_000);
      },
    ],
    [
      'emptied',
      (path) => {
        truncateSync(path, 0);
      },
    ],
    [
      'longer',
      (path) => {
        writeFileSync(path, 'x', { flag: 'a' });
      },
    ],
    [
      'of zeros',
      (path) => {
        writeFileSync(path, Buffer.alloc(5_000));
      },
    ],
    [
      'of a later version',
      (path) => {
        flip(path, 4);
      },
    ],
    [
      'with other dimensions',
      (path) => {
        flip(path, 8);
      },
    ],
    [
      'with a count beyond its end',
      (path) => {
        flip(path, 15);
      },
    ],
    [
      'with a changed key',
      (path) => {
        flip(path, 40);
      },
    ],
    [
      'with a changed number',
      (path) => {
        flip(path, 300_000);
      },
    ],
    [
      'with another hash',
      (path) => {
        flip(path, -1);
      },
    ],
  ];

  function flip(path: string, at: number): void {
    const bytes = readFileSync(path);
    const place = at < 0 ? bytes.length + at : at;
    bytes.writeUInt8((bytes[place] ?? 0) ^ 0xff, place);
    writeFileSync(path, bytes);
  }

  it.each(damages)('is dropped, and its neighbour stays: %s', async (_name, damage) => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(SHARD_VECTORS + 5));
    store.flush();
    damage(join(folder, '1.vec'));
    const later = open(folder);
    expect(later.size).toBe(5);
    expect(later.has('block-0')).toBe(false);
    expect(files(folder)).toEqual(['2.vec']);
    expect((await keysNear(later, vectorOf(SHARD_VECTORS + 2)))[0]).toBe(
      `block-${String(SHARD_VECTORS + 2)}`,
    );
    // What is missing is made again.
    later.set(entriesOf(SHARD_VECTORS));
    later.flush();
    expect(open(folder).size).toBe(SHARD_VECTORS + 5);
  });

  it('of any bytes is no vectors', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isHeaded) => {
        const folder = tempFolder();
        const head = Buffer.from([...Buffer.from('LAMV'), 1, 0, 0, 0]);
        writeFileSync(join(folder, '1.vec'), isHeaded ? Buffer.concat([head, bytes]) : bytes);
        expect(open(folder).size).toBe(0);
      }),
    );
  });

  it('may be gone while the store is open', async () => {
    const folder = tempFolder();
    const store = open(folder);
    store.set(entriesOf(5));
    store.flush();
    rmSync(folder, { recursive: true });
    store.set(entriesOf(1, 50));
    expect(store.flush()).toEqual({ ok: true });
    expect(open(folder).size).toBe(6);
    expect(await keysNear(store, vectorOf(50), 1)).toEqual(['block-50']);
  });
});

describe('the folder', () => {
  it('keeps files of others, and loses what a broken-off write left an hour ago', () => {
    const folder = tempFolder();
    for (const name of ['notes.txt', '3.vec.123', '4.vec.456'])
      writeFileSync(join(folder, name), '');
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(join(folder, '3.vec.123'), old, old);
    utimesSync(join(folder, 'notes.txt'), old, old);
    expect(open(folder).size).toBe(0);
    expect(files(folder)).toEqual(['4.vec.456', 'notes.txt']);
  });

  it('that cannot be made is a sentence, and the vectors stay in memory', async () => {
    const blocked = join(tempFolder(), 'file');
    writeFileSync(blocked, '');
    const store = open(join(blocked, 'vectors'));
    expect(store.set(entriesOf(3))).toEqual({ ok: true });
    expect(store.flush()).toMatchObject({ ok: false, reason: 'disk' });
    expect(await keysNear(store, vectorOf(2), 1)).toEqual(['block-2']);
    expect(store.set(entriesOf(SHARD_VECTORS, 10))).toMatchObject({ ok: false, reason: 'disk' });
  });
});

describe('more than stays in memory', () => {
  const shardOf = (number: number) => entriesOf(SHARD_VECTORS, number * SHARD_VECTORS);
  /** Three shards, of which one stays. */
  function filled(folder: string): VectorStore {
    const keptBytes = SHARD_VECTORS * (DIMENSIONS + 4) + 1;
    const store = createVectorStore(folder, { model: MODEL, keptBytes });
    for (const number of [0, 1, 2]) store.set(shardOf(number));
    return store;
  }
  const first = (number: number) => `block-${String(number * SHARD_VECTORS)}`;
  const nearFirst = (store: VectorStore, number: number) =>
    keysNear(store, vectorOf(number * SHARD_VECTORS), 1);

  it('is read from its files', async () => {
    const folder = tempFolder();
    const store = filled(folder);
    for (const number of [0, 1, 2]) expect(await nearFirst(store, number)).toEqual([first(number)]);
    const expected = await store.nearest(vectorOf(77), 40, never());
    expect(await open(folder).nearest(vectorOf(77), 40, never())).toEqual(expected);
  });

  it('is changed there', async () => {
    const folder = tempFolder();
    const store = filled(folder);
    store.delete([first(1)]);
    store.flush();
    store.set([{ key: 'new', vector: vectorOf(1_000_000) }]);
    store.flush();
    for (const each of [store, open(folder)]) {
      expect(each.size).toBe(SHARD_VECTORS * 3);
      expect(await nearFirst(each, 1)).not.toEqual([first(1)]);
      expect(await keysNear(each, vectorOf(1_000_000), 1)).toEqual(['new']);
      expect(await nearFirst(each, 2)).toEqual([first(2)]);
    }
    expect(files(folder)).toEqual(['1.vec', '2.vec', '3.vec']);
  });

  it.each([
    [
      'gone',
      (path: string) => {
        rmSync(path);
      },
    ],
    [
      'of others',
      (path: string) => {
        writeFileSync(path, readFileSync(path.replace('3.vec', '2.vec')));
      },
    ],
  ])('is missing when its file is %s, and the rest is found', async (_name, harm) => {
    const folder = tempFolder();
    const store = filled(folder);
    harm(join(folder, '3.vec'));
    expect(await nearFirst(store, 1)).toEqual([first(1)]);
    expect([store.has(first(2)), store.size]).toEqual([false, SHARD_VECTORS * 2]);
    store.set(shardOf(2));
    store.flush();
    expect(open(folder).size).toBe(SHARD_VECTORS * 3);
  });
});

describe('fuse', () => {
  it.each([
    ['nothing', [], 5, []],
    ['one ranking', [['a', 'b', 'c']], 5, ['a', 'b', 'c']],
    ['no more than asked for', [['a', 'b', 'c']], 2, ['a', 'b']],
    ['none', [['a']], 0, []],
    [
      'what both have goes first',
      [
        ['a', 'b'],
        ['c', 'b'],
      ],
      5,
      ['b', 'a', 'c'],
    ],
    [
      'the better best place, of equals',
      [
        ['x', 'a', 'y'],
        ['b', 'a2', 'a'],
      ],
      1,
      ['a'],
    ],
    ['the earlier ranking, of equals', [['a'], ['b']], 5, ['a', 'b']],
    ['a repetition does not count', [['a', 'b', 'a', 'a'], ['b']], 5, ['b', 'a']],
    [
      'nor does it push others down',
      [
        ['a', 'a', 'b'],
        ['c', 'd'],
      ],
      5,
      ['a', 'c', 'b', 'd'],
    ],
  ])('%s', (_name, rankings: string[][], limit, expected) => {
    expect(fuse(rankings, limit)).toEqual(expected);
  });

  it('gives first places more weight when k is small', () => {
    const rankings = [
      ['a', 'x', 'b'],
      ['y', 'z', 'b'],
    ];
    expect(fuse(rankings, 1)).toEqual(['b']); // 2/63 against 1/61
    expect(fuse(rankings, 1, 0)).toEqual(['a']); // 2/3 against 1
  });

  const ranking = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f'));

  it('has each thing once, and a ranking joined with itself is itself', () => {
    fc.assert(
      fc.property(fc.array(ranking, { maxLength: 4 }), ranking, (rankings, one) => {
        const fused = fuse(rankings, 99);
        expect([...fused].sort()).toEqual([...new Set(rankings.flat())].sort());
        expect(fuse([one, one, one], 99)).toEqual(one);
      }),
    );
  });

  it('keeps an order that all rankings agree on', () => {
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1, maxLength: 4 }), (rankings) => {
        const fused = fuse(rankings, 99);
        for (const a of fused)
          for (const b of fused) {
            const isAlwaysBefore = rankings.every(
              (each) => each.includes(a) && each.includes(b) && each.indexOf(a) < each.indexOf(b),
            );
            if (isAlwaysBefore) expect(fused.indexOf(a)).toBeLessThan(fused.indexOf(b));
          }
      }),
    );
  });
});
