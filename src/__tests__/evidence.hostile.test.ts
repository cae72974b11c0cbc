import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { MAX_EVIDENCE_QUOTE_CHARS } from '../lib/constants';
import {
  auditOf,
  evidenceLine,
  evidencePlace,
  findEvidence,
  passageAddress,
} from '../lib/evidence';
import { EvidenceSchema, QuoteCheckSchema } from '../lib/schemas';
import type { Shown, ToolCallRecord, Turn } from '../lib/types';

import { makeSource, makeToolCall } from './support/builders';
import { readCall } from './support/shown-calls';

const TEXT = 'Nine seedlings survived the first winter on the island.';
const CLAIM = 'Nine seedlings survived the first winter [1].';

const shownAs = (shown: Shown[], result = TEXT): ToolCallRecord => makeToolCall({ result, shown });
const row: Shown = { index: 1, at: 0, length: TEXT.length, start: 0, block: 'b', number: 1 };

describe('rows of a record that do not fit it', () => {
  it.each<[string, Partial<Shown>]>([
    ['behind the result', { at: TEXT.length }],
    ['longer than the result', { length: TEXT.length + 1 }],
    ['of no number', { at: Number.NaN }],
    ['of half a number', { at: 0.5 }],
    ['negative', { at: -1 }],
    ['endless', { length: Infinity }],
    ['beyond what numbers hold', { at: Number.MAX_SAFE_INTEGER }],
    ['of another number', { index: 2 }],
    ['empty', { length: 0 }],
  ])('%s are left out, and their neighbours stay', (_name, broken) => {
    const { evidence } = findEvidence(
      { response: CLAIM, toolCalls: [shownAs([{ ...row, ...broken }])] },
      [],
    );
    expect(evidence).toEqual([]);
    const both = findEvidence(
      { response: CLAIM, toolCalls: [shownAs([{ ...row, ...broken }, row])] },
      [],
    );
    expect(both.evidence).toMatchObject([{ quote: TEXT }]);
  });

  it.each<[string, Partial<Shown>]>([
    ['start', { start: Number.NaN }],
    ['page', { page: -3 }],
    ['number', { number: 0.5 }],
  ])('of a bad %s lose it only', (field, broken) => {
    const { evidence } = findEvidence(
      { response: CLAIM, toolCalls: [shownAs([{ ...row, ...broken }])] },
      [],
    );
    expect(evidence).toMatchObject([{ quote: TEXT }]);
    expect(evidence[0]).not.toHaveProperty(field);
  });
});

describe('names of prototypes', () => {
  it.each(['__proto__', 'constructor', 'toString'])(
    '%s is a word, a block and a path like others',
    (name) => {
      const text = `The word ${name} stands in this sentence about seedlings.`;
      const call = makeToolCall({
        result: text,
        sources: [makeSource({ url: `/${name}`, kind: 'document' })],
        shown: [{ ...row, length: text.length, block: name }],
      });
      const { evidence } = findEvidence(
        {
          response: `The word ${name} stands in a sentence about seedlings [1].`,
          toolCalls: [call],
        },
        [],
      );
      expect(evidence).toMatchObject([{ blocks: [name], id: `/${name}`, quote: text }]);
    },
  );
});

const FERRY = 'The ferry to Port Ellin leaves at nine. Passengers wait beside the old stone quay.';
const FERRY_SAYS =
  'The ferry to Port Ellin leaves at nine [9]. “Passengers wait beside the old stone quay” [9].';

/** A mass beside a plain passage and a plain quotation, which must be found: an error in either would lose all. */
function findBeside(
  response: string,
  toolCalls: readonly ToolCallRecord[],
  { carried, earlier = [] }: Pick<Turn, 'carried'> & { earlier?: EvidenceTurns } = {},
): ReturnType<typeof findEvidence> {
  const turn = {
    response: `${FERRY_SAYS}\n\n${response}`,
    toolCalls: [readCall(FERRY, { index: 9 }), ...toolCalls],
    ...(carried ? { carried } : {}),
  };
  const { evidence, quotes } = findEvidence(turn, earlier);
  expect(evidence.filter(({ index }) => index === 9)).toMatchObject([{ quote: FERRY, score: 1 }]);
  expect(quotes.filter(({ index }) => index === 9)).toMatchObject([{ status: 'exact' }]);
  expect(auditOf(turn).cited).toContain(9);
  return {
    evidence: evidence.filter(({ index }) => index !== 9),
    quotes: quotes.filter(({ index }) => index !== 9),
  };
}
type EvidenceTurns = Parameters<typeof findEvidence>[1];

describe('masses', () => {
  it('of markers end', () => {
    const { evidence, quotes } = findBeside(`${CLAIM}\n\n${'[1]'.repeat(100_000)}`, [
      readCall(TEXT),
    ]);
    expect(evidence).toHaveLength(1);
    expect(quotes).toEqual([]);
  });

  it('of sentences with markers end', () => {
    const { evidence } = findBeside(`${CLAIM}\n\n`.repeat(4_000), [readCall(TEXT)]);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]?.markers.length).toBeLessThanOrEqual(1_000);
  });

  it('of rows end', () => {
    const rows = Array.from({ length: 100_000 }, (_, n): Shown => ({
      ...row,
      start: n * 100,
      block: `b${n}`,
      number: n + 1,
    }));
    const { evidence } = findBeside(CLAIM.repeat(200), [shownAs(rows)]);
    expect(evidence).toMatchObject([{ number: 1 }]);
  });

  it('of rows leave a quotation without a row that may stand in what is not looked at', () => {
    const rows = Array.from({ length: 30_000 }, (_, n): Shown => ({ ...row, start: n * 100 }));
    const { quotes } = findBeside('It says “nobody has ever grown a leaf there” [1].', [
      shownAs(rows),
    ]);
    expect(quotes).toEqual([]);
  });

  it('of rows that all overlap end', () => {
    const rows = Array.from({ length: 100_000 }, (_, n): Shown => ({
      ...row,
      at: n % 9,
      length: 40,
      start: n % 50,
    }));
    findBeside(CLAIM, [shownAs(rows)]);
  });

  it('of quotations end', () => {
    const { quotes } = findBeside(`“One two three four five six” [1].\n\n`.repeat(300), [
      readCall(TEXT),
    ]);
    expect(quotes).toHaveLength(199);
  });

  it('of quotations in a long source end, and what was not looked for is not called missing', () => {
    const text = 'a b c … d e f g h i '.repeat(40_000);
    const asked = Array.from(
      { length: 199 },
      (_, n) => `It says “a b … d e … g h … x y z${n}” [1].`,
    );
    const { quotes } = findBeside(asked.join('\n\n'), [
      makeToolCall({ result: text, shown: [{ ...row, length: text.length }] }),
    ]);
    expect(quotes.length).toBeLessThan(asked.length);
  });

  it('of earlier turns end', () => {
    const earlier = Array.from({ length: 2_000 }, () => ({
      response: '',
      toolCalls: [readCall(TEXT)],
    }));
    const carried = [makeSource({ index: 1 })];
    expect(findBeside(CLAIM, [], { carried, earlier }).evidence).toHaveLength(1);
  });

  it.each([
    ['one word', 'x'.repeat(1_000_000)],
    ['one line of words', 'nine seedlings '.repeat(60_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['stars', '* _ '.repeat(100_000)],
    ['blanks', `nine${' '.repeat(1_000_000)}seedlings survived winter`],
    ['figures', '1,234.5 '.repeat(120_000)],
    ['Chinese', '茶葉'.repeat(500_000)],
    ['full stops', '. '.repeat(200_000)],
    ['broken words', 'har-\nbour '.repeat(50_000)],
  ])('of %s in a source and in an answer end', (_name, text) => {
    const call = makeToolCall({ result: text, shown: [{ ...row, length: text.length }] });
    const { evidence } = findBeside(
      `${text.slice(0, 200_000)} ${CLAIM}\n\nIt says “nine seedlings survived the har-bour winter” [1].`,
      [call],
    );
    for (const { quote } of evidence)
      expect(quote.length).toBeLessThanOrEqual(MAX_EVIDENCE_QUOTE_CHARS);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(
    TEXT,
    '\ud83c',
    '\udf75 half',
    '“one two three four five”',
    '| a | b |\n|---|---|\n',
    '\u0000',
    '- ',
  ),
);
const anyNumber = fc.oneof(
  fc.integer({ min: -2, max: 60 }),
  fc.constantFrom(Number.NaN, Infinity, 0.5, 2 ** 53),
);
const anyShown = fc.record(
  {
    index: fc.integer({ min: -1, max: 4 }),
    at: anyNumber,
    length: anyNumber,
    start: anyNumber,
    block: anyText,
    number: anyNumber,
    page: anyNumber,
    original: anyText,
  },
  { requiredKeys: ['index', 'at', 'length'] },
);
const anyCall = fc
  .record({
    result: anyText,
    shown: fc.array(anyShown, { maxLength: 8 }),
    index: fc.integer({ min: 1, max: 3 }),
    url: fc.oneof(anyText, fc.webUrl({ withFragments: true })),
  })
  .map(({ index, url, ...call }) =>
    makeToolCall({ ...call, sources: [makeSource({ index, url })] }),
  );
const anyResponse = fc
  .array(fc.oneof(anyText, fc.constantFrom('[1]', '[2, 3]', '【1】', '. ', '\n\n', CLAIM)), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

describe('any turn', () => {
  it('gives rows that can be stored and read back', () => {
    fc.assert(
      fc.property(
        anyResponse,
        fc.array(anyCall, { maxLength: 4 }),
        fc.array(anyCall, { maxLength: 2 }),
        (response, toolCalls, before) => {
          const turn = { response, toolCalls, carried: [makeSource({ index: 2 })] };
          const { evidence, quotes } = findEvidence(turn, [{ response: '', toolCalls: before }]);
          for (const each of evidence) {
            expect(EvidenceSchema.safeParse(each).success).toBe(true);
            expect(each.quote.length).toBeLessThanOrEqual(MAX_EVIDENCE_QUOTE_CHARS);
            expect(each.score).toBeGreaterThan(0);
            expect(each.score).toBeLessThanOrEqual(1);
            for (const marker of each.markers) expect(response.slice(marker)).toMatch(/^[[［【]/);
            expect(() => [evidencePlace(each), passageAddress(each)]).not.toThrow();
          }
          for (const each of quotes) expect(QuoteCheckSchema.safeParse(each).success).toBe(true);
          expect(() => [auditOf(turn), evidenceLine({ ...turn, evidence, quotes })]).not.toThrow();
        },
      ),
    );
  });
});
