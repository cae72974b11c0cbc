import { describe, expect, it } from 'vitest';

import { evidencePlace, findEvidence } from '../lib/evidence';
import type { ToolCallRecord } from '../lib/types';

import { makeSource, makeToolCall } from './support/builders';
import { readCall, searchCall } from './support/shown-calls';

/**
 * The measure of docs/evidence.md, with scores that were worked out by hand. With one passage every word is as rare as the
 * others, so words of six letters and more weigh 1 each and the score is the share of them that is found. With several a word
 * weighs 0.3 + ln(1 + (all - having + 0.5) / (having + 0.5)), `having` being 1 for a word that none has.
 */

/** Words of full weight, no two of which begin alike. */
const WORDS =
  'harbour lantern meadow pebble quarry ribbon saddle timber velvet walnut anchor basket candle dragon engine falcon garden hammer island jacket kettle ladder marble needle orchard parcel rabbit silver tunnel valley'.split(
    ' ',
  );
/** So many of them, from a place on. */
const some = (count: number, from = 0): string => WORDS.slice(from, from + count).join(' ');

const rowsFor = (sentence: string, ...calls: ToolCallRecord[]) =>
  findEvidence({ response: `${sentence} [1].`, toolCalls: calls }, []).evidence;

/** Closeness of a sentence to one passage; undefined where none is shown. */
const scoreIn = (passage: string, sentence: string): number | undefined =>
  rowsFor(sentence, searchCall(passage))[0]?.score;

describe('the closeness of a sentence to the only passage', () => {
  it.each<[string, string, string, number | undefined]>([
    ['is the share of its words that is found', some(4), some(5), 0.8],
    ['is enough at two fifths', some(2), some(5), 0.4],
    ['is not at three eighths', some(3), some(8), undefined],
    ['takes two words at least', some(1), some(1), undefined],
    ['is all of two words', some(2), some(2), 1],
    ['counts another form of a word 0.7', `${some(1)} steeping`, `${some(1)} steeped`, 0.85],
    ['a word and its form once', `planted plants ${some(1)}`, `planted ${some(1)}`, 1],
    ['five like letters of seven are a form', `plant ${some(1)}`, `planted ${some(1)}`, 0.85],
    ['five of nine are none', `plant ${some(1)}`, `plantings ${some(2)}`, undefined],
    ['four like letters are none', `boats ${some(2)}`, `boaty ${some(2)}`, 0.706],
    ['a word of three letters weighs half', some(2), `${some(2)} fog`, 0.8],
    ['one of one letter a quarter', some(2), `${some(2)} x`, 0.889],
    ['a figure weighs 1.5', `${some(2)} 48`, `${some(3)} 48`, 0.778],
    ['a missing figure leaves 0.65', some(4), `${some(4)} 48`, 0.473],
    ['one of two missing leaves 0.825', `${some(4)} 12`, `${some(4)} 12 48`, 0.648],
    ['the figure is no part of a word', `${some(3)} B12`, `${some(3)} 12`, 0.433],
    // 200 words lose a thirtieth, as a passage that is long.
    ['words beyond the two hundredth do not count', manyWords(0, 200), manyWords(0, 260), 0.967],
    ['those before it do', manyWords(0, 150), manyWords(0, 200), 0.75],
    ['150 words are not long', `${some(2)} ${filler(148)}`, some(2), 1],
    ['225 words lose a twentieth', `${some(2)} ${filler(223)}`, some(2), 0.95],
    ['very many lose a fifth', `${some(2)} ${filler(1_500)}`, some(2), 0.8],
  ])('%s', (_, passage, sentence, score) => {
    expect(scoreIn(passage, sentence)).toBe(score);
  });
});

/** Words of six letters that no other has. */
function manyWords(from: number, to: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz';
  const at = (n: number): string => letters.charAt(n % letters.length);
  return Array.from(
    { length: to - from },
    (_, n) => `${at(from + n)}${at(Math.floor((from + n) / 20))}aeiou`,
  ).join(' ');
}

/** Words that no sentence here has. */
function filler(count: number): string {
  return Array.from({ length: count }, () => 'yes').join(' ');
}

describe('words that several passages have', () => {
  it('weigh less than those of one', () => {
    const call = readCall(`${some(4)}\n\nyes yes\n\n${some(2)} yes`);
    // Two in two of three passages: 0.770 each. Two in one and one in none: 1.281 each.
    expect(rowsFor(some(5), call)[0]).toMatchObject({ number: 1, score: 0.762 });
  });

  it('weigh something where all have them', () => {
    const call = readCall(`${some(4)}\n\n${some(2)}`);
    // 0.482 and 0.993 each.
    expect(rowsFor(some(5), call)[0]).toMatchObject({ number: 1, score: 0.748 });
  });
});

describe('two passages that are as close', () => {
  const twice = readCall(`${some(7)}\n\nyes\n\n${some(7)} also`);

  it.each<[string, number, number | undefined]>([
    // Each word is in two of three passages and weighs 0.770, one that is missing 1.281.
    ['from 0.62 on the first is shown', 4, 0.643],
    ['below it none is', 7, undefined],
  ])('%s', (_, words, score) => {
    const missing = words === 4 ? 1 : 2;
    const found = words - missing;
    const sentence = `${some(found)} ${some(missing, 20)}`;
    expect(rowsFor(sentence, twice)[0]?.score).toBe(score);
  });

  it.each<[string, string, number | undefined]>([
    ['0.08 closer: it is shown', 'fog', 0.539],
    ['0.04 closer: it is not', 'x', undefined],
  ])('one is %s', (_, more, score) => {
    const call = readCall(`${some(5)} ${more}\n\nyes\n\n${some(5)}`);
    const [row, other] = rowsFor(`${some(5)} ${more} ${some(3, 20)}`, call);
    expect(row?.score).toBe(score);
    expect(other).toBeUndefined();
  });
});

describe('two blocks side by side', () => {
  it.each<[string, number, string, number]>([
    ['are one passage where the second adds an eighth', 8, '¶1', 0.625],
    ['are not where it adds a tenth', 10, '¶1', 0.5],
  ])('%s', (_, words, place, score) => {
    const half = words / 2;
    const [row] = rowsFor(some(words), readCall(`${some(half)}\n\n${some(1, half)}`));
    expect(row && evidencePlace(row)).toBe(place);
    expect(row?.score).toBe(score);
    expect(row?.blocks).toHaveLength(score > 0.6 ? 2 : 1);
  });
});

describe('blocks without a number', () => {
  const call = (gap: number): ToolCallRecord => {
    const [first, second] = [some(4), some(1, 4)];
    const at = first.length + gap;
    return makeToolCall({
      result: `${first}${' '.repeat(gap)}${second}`,
      sources: [makeSource()],
      statuses: [],
      shown: [
        { index: 1, at: 0, length: first.length, start: 0, block: 'a' },
        { index: 1, at, length: second.length, start: at, block: 'b' },
      ],
    });
  };

  it.each<[number, string[]]>([
    [2, ['a', 'b']],
    [60, ['a', 'b']],
    [61, ['a']],
  ])('follow each other with %i characters between them: %j', (gap, blocks) => {
    expect(rowsFor(some(8), call(gap))[0]?.blocks).toEqual(blocks);
  });
});

describe('a page that changed while it was read', () => {
  it('is looked through in each state', () => {
    const states = Array.from({ length: 5 }, (_, n) => readCall(some(4, n * 4)));
    const found = states.map((_, n) => rowsFor(some(4, n * 4), ...states)[0]?.quote);
    // Four states are kept, the first ones.
    expect(found).toEqual([some(4), some(4, 4), some(4, 8), some(4, 12), undefined]);
  });
});

describe('rows of a long table', () => {
  const head = `| ${some(6, 18)} | also |\n| --- | --- |\n`;
  const row = (n: number): string => `| ${some(3, n * 3)} | ${'yes '.repeat(12)}|\n`;
  const table = head + Array.from({ length: 6 }, (_, n) => row(n)).join('');

  it.each<[string, string, number[]]>([
    ['one', some(3, 12), [4]],
    ['two that are as close', `${some(3, 6)} ${some(3, 9)}`, [2, 3]],
    ['three at most', `${some(3)} ${some(3, 3)} ${some(2, 6)} ${some(2, 9)}`, [0, 1, 2]],
    ['none for a tenth of the words', `${some(6, 18)} ${some(3, 12)} ${some(1, 3)} fog`, [4]],
  ])('%s', (_, sentence, numbers) => {
    const [first] = rowsFor(sentence, readCall(table));
    expect(first?.quote).toBe(numbers.map(row).join('').trimEnd());
  });

  it.each([
    ['up to 4,000 characters, so nothing else is quoted', 11, undefined],
    ['not beyond', 13, true],
  ])('are told apart %s', (_, times, cut) => {
    const wide = table.replaceAll('yes ', 'yes '.repeat(times));
    expect(rowsFor(some(3, 12), searchCall(wide))[0]?.cut).toBe(cut);
  });
});
