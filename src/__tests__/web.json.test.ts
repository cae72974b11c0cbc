import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { layOutJson } from '../bundles/page/json';

describe('whole', () => {
  it.each([
    [
      '{"a":1,"b":[true,null,"x"]}',
      '{\n  "a": 1,\n  "b": [\n    true,\n    null,\n    "x"\n  ]\n}',
    ],
    ['{"n":12345678901234567890,"n":1.0}', '{\n  "n": 12345678901234567890,\n  "n": 1.0\n}'],
    ['{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
    [' [ ] ', '[]'],
    ['"a, {b}: \\"c\\" \\\\"', '"a, {b}: \\"c\\" \\\\"'],
    ['{"a":1', '{"a":1'],
    ['{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'],
    ['', ''],
  ])('%s', (input, text) => {
    expect(layOutJson(input, 10_000)).toEqual({ text, cut: false });
  });

  it('agrees with JSON.stringify on every value up to the indent limit', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value, null, 2);
        expect(layOutJson(JSON.stringify(value), 1_000_000)).toEqual({ text, cut: false });
      }),
    );
  });

  it('nesting that is deeper than any stack', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    const { text, cut } = layOutJson(deep, 100_000);
    expect(cut).toBe(false);
    expect(text.replace(/\s/g, '')).toBe(deep);
  });
});

describe('cut by its structure', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  it.each<[string, unknown, number, RegExp]>([
    [
      'a long list',
      numbers(3_000),
      300,
      /^\[\n {2}0,\n {2}1,[\s\S]*\n {2}… 2,9\d\d more items\n\]$/,
    ],
    [
      'a long list among short keys',
      { before: 1, list: numbers(3_000), after: { x: 'y' } },
      1_000,
      /^\{\n {2}"before": 1,\n {2}"list": \[\n {4}0,[\s\S]*… 2,\d+ more items\n {2}\],\n {2}"after": \{\n {4}"x": "y"\n {2}\}\n\}$/,
    ],
    [
      'two long lists share',
      { a: numbers(3_000), b: numbers(3_000) },
      1_000,
      /"a": \[\n {4}0,\n {4}1,[\s\S]*more items[\s\S]*"b": \[\n {4}0,\n {4}1,[\s\S]*more items\n {2}\]\n\}$/,
    ],
    [
      'an object that is a list in disguise',
      Object.fromEntries(numbers(3_000).map((n) => [`k${n}`, n])),
      500,
      /^\{\n {2}"k0": 0,[\s\S]*… 2,9\d\d more keys\n\}$/,
    ],
    [
      'a long text',
      { a: 'x'.repeat(5_000), b: 2 },
      400,
      /"a": "x{50,}… 4,\d+ more characters,\n {2}"b": 2/,
    ],
    [
      'one item larger than the room',
      [{ a: 1, b: numbers(500) }],
      300,
      /^\[\n {2}\{\n {4}"a": 1,\n {4}"b": \[\n {6}0,/,
    ],
  ])('%s', (_name, value, room, expected) => {
    const { text, cut } = layOutJson(JSON.stringify(value), room);
    expect(cut).toBe(true);
    expect(text).toMatch(expected);
  });

  it('never grows far past its room, keeps no half item, and says so exactly when something is left out', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.integer({ min: 300, max: 3_000 }),
        (value, room) => {
          const wide = Array.from({ length: 30 }, () => value);
          const { text, cut } = layOutJson(JSON.stringify(wide), room);
          expect(text.length).toBeLessThan(room * 1.5 + 200);
          expect(cut).toBe(text.includes('… '));
          if (!cut) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(wide)));
        },
      ),
    );
  });

  it.each([
    ['a million numbers', `[${'0,'.repeat(1_000_000)}0]`],
    ['a million keys', `{${'"k":1,'.repeat(300_000)}"k":1}`],
    ['a million lists', `[${'[],'.repeat(700_000)}[]]`],
    ['lists of lists of lists', `[${`[${'[[0],[0]],'.repeat(1_000)}0],`.repeat(180)}0]`],
    ['a hundred thousand lists within each other', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a text of two megabytes', `"${'\\n'.repeat(1_000_000)}"`],
  ])('%s', (_name, json) => {
    const { text, cut } = layOutJson(json, 10_000);
    expect(cut).toBe(true);
    expect(text.length).toBeLessThan(10_200);
  });
});

it('the keys of the whole are shown, however much is in the first of them', () => {
  const rows = Array.from({ length: 500 }, () => Array.from({ length: 900 }, () => 1));
  const { text } = layOutJson(JSON.stringify({ rows, end: { x: 'here' }, n: 2 }), 10_000);
  expect(text).toMatch(
    /… \d+ more items\n {2}\],\n {2}"end": \{\n {4}… 1 more key\n {2}\},\n {2}"n": 2\n\}$/,
  );
});

it('what stands behind nesting that is too deep is read as before', () => {
  const deep = `${'{"a":'.repeat(300)}[1,{"b":2}]${'}'.repeat(300)}`;
  const { text, cut } = layOutJson(`{"first":${deep},"second":"x"}`, 100_000);
  expect(cut).toBe(false);
  expect(text.replace(/\s/g, '')).toBe(`{"first":${deep},"second":"x"}`);
  expect(text).toMatch(/,\n {2}"second": "x"\n\}$/);
});

describe('torn: its end did not arrive', () => {
  it.each([
    [
      '{"a":1,"b":[1,2',
      '{\n  "a": 1,\n  "b": [\n    1,\n    … the rest was not received\n  ],\n  … the rest was not received\n}',
    ],
    ['{"a":1,"long ke', '{\n  "a": 1,\n  … the rest was not received\n}'],
    ['["one","two and a ha', '[\n  "one",\n  "two and a ha,\n  … the rest was not received\n]'],
    ['{"a":1}', '{\n  "a": 1\n}'],
    ['{"a":1}\n{"a":2}\n{"a', '{"a":1}\n{"a":2}\n{"a'],
    ['not JSON', 'not JSON'],
  ])('%s', (input, text) => {
    expect(layOutJson(input, 10_000, { torn: true })).toEqual({ text, cut: true });
  });
});
