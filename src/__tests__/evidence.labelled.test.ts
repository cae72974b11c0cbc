import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { blocksOf } from '../lib/blocks';
import { findEvidence } from '../lib/evidence';
import { quotationsOf } from '../lib/evidence/quotation';
import { createQuoteChecker } from '../lib/evidence/quote-check';
import type { Evidence, QuoteCheck, Turn } from '../lib/types';

import { readCases } from './support/cases';

const KINDS = [
  'verbatim',
  'altered-word',
  'negated',
  'number-changed',
  'paraphrased',
  'other-source',
  'other-language',
] as const;

const SubjectSchema = z.object({
  id: z.string(),
  language: z.string(),
  sources: z.array(z.object({ title: z.string(), passages: z.array(z.string()) })),
});
const PairSchema = z.object({
  id: z.string(),
  /** Id of the subject. */
  set: z.string(),
  kind: z.enum(KINDS),
  /** A sentence of an answer, with one marker. */
  claim: z.string(),
  /** The number in the marker. */
  cites: z.int(),
  /** What the quotation is; null = the sentence has none. */
  quote: z.nullable(z.enum(['exact', 'close', 'not-found'])),
  /** Source and passage, both from 1; null = no passage of the cited source says it. */
  passage: z.nullable(z.tuple([z.int(), z.int()])),
});
type Subject = z.infer<typeof SubjectSchema>;
type Pair = z.infer<typeof PairSchema>;

const subjects = new Map(
  readCases('evidence/passages.jsonl', SubjectSchema).map((row) => [row.id, row]),
);
const pairs = readCases('evidence/pairs.jsonl', PairSchema);

function subjectOf({ id, set }: Pair): Subject {
  const subject = subjects.get(set);
  if (!subject) throw new Error(`${id}: there is no subject ${set}`);
  return subject;
}

/** What stands between the passages of a page. */
const BETWEEN = '\n\n';

/** A turn that has read all sources of the subject, and answers with the claim. */
function turnOf(pair: Pair): Pick<Turn, 'response' | 'toolCalls'> {
  const toolCalls = subjectOf(pair).sources.map(({ title, passages }, n) => {
    const index = n + 1;
    const url = `https://source-${index}.example/page`;
    const head = `[${index}] ${title}\n${url}\n\n`;
    const text = passages.join(BETWEEN);
    return {
      name: 'web_fetch',
      arguments: { url },
      result: head + text,
      isError: false,
      sources: [{ index, title, url }],
      statuses: [{ index, status: 'read' as const }],
      shown: blocksOf({ text }).map(({ id, start, end, number }) => ({
        index,
        at: head.length + start,
        length: end - start,
        start,
        block: id,
        number,
      })),
    };
  });
  return { response: pair.claim, toolCalls };
}

/** Whether the evidence shows the passage that the pair names. */
function shows({ index, start = 0, end = 0 }: Evidence, pair: Pair): boolean {
  const [source, passage] = pair.passage ?? [0, 0];
  if (index !== source) return false;
  const passages = subjectOf(pair).sources[source - 1]?.passages ?? [];
  const from = passages.slice(0, passage - 1).join(BETWEEN).length;
  const to = from + (passages[passage - 1]?.length ?? 0) + BETWEEN.length;
  return start < to && end > from;
}

const found = new Map<Pair, { evidence: Evidence[]; quotes: QuoteCheck[] }>(
  pairs.map((pair) => [pair, findEvidence(turnOf(pair), [])]),
);

/** Parts of 1: of the passages that were shown, those that are right; of those that are there, the ones that were shown. */
function measure(own: readonly Pair[]): { precision: number; recall: number } {
  let shown = 0;
  let right = 0;
  for (const pair of own) {
    for (const row of found.get(pair)?.evidence ?? []) {
      shown += 1;
      if (shows(row, pair)) right += 1;
    }
  }
  const there = own.filter(({ passage }) => passage !== null).length;
  return { precision: shown === 0 ? 1 : right / shown, recall: there === 0 ? 1 : right / there };
}

const ofKind = (...kinds: Pair['kind'][]): Pair[] =>
  pairs.filter(({ kind }) => kinds.includes(kind));
const ofLanguage = (language: string): Pair[] =>
  pairs.filter((pair) => subjectOf(pair).language === language);
const languages = [...new Set([...subjects.values()].map(({ language }) => language))];

describe('the labelled set', () => {
  it('has at least 300 pairs of every kind in at least eight languages, each under its own name', () => {
    expect(pairs.length).toBeGreaterThanOrEqual(300);
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length);
    expect(languages.length).toBeGreaterThanOrEqual(8);
    for (const kind of KINDS) expect(ofKind(kind).length).toBeGreaterThanOrEqual(40);
  });
});

describe('quotations', () => {
  it.each(pairs)('$id', (pair) => {
    const { claim, cites, quote, passage } = pair;
    const texts = subjectOf(pair).sources[cites - 1]?.passages.map((text) => ({ text })) ?? [];
    const check = createQuoteChecker(texts);
    const results = quotationsOf(claim).map(({ start, end }) => check(claim.slice(start, end)));
    expect(results.map(({ status }) => status)).toEqual(quote === null ? [] : [quote]);
    if (quote === 'exact') expect(results[0]?.place?.text).toBe((passage?.[1] ?? 0) - 1);
  });

  it('are called exact only where they are, and wherever they are, with the turn around them', () => {
    const isExact = (pair: Pair): boolean =>
      found.get(pair)?.quotes.some(({ status }) => status === 'exact') === true;
    const exact = pairs.filter(isExact).map(({ id }) => id);
    expect(exact).toEqual(pairs.filter(({ quote }) => quote === 'exact').map(({ id }) => id));
    expect(new Set(pairs.filter(isExact).map(({ kind }) => kind))).toEqual(new Set(['verbatim']));
  });
});

describe('passages', () => {
  // A little below what is measured (docs/evidence.md): a better measure may trade one pair for another.
  it.each<[string, Pair[], { precision: number; recall: number }]>([
    ['verbatim', ofKind('verbatim'), { precision: 0.98, recall: 0.99 }],
    ['with another word', ofKind('altered-word'), { precision: 0.97, recall: 0.97 }],
    ['negated', ofKind('negated'), { precision: 0.97, recall: 0.97 }],
    ['with another figure', ofKind('number-changed'), { precision: 0.97, recall: 0.95 }],
    [
      'in other words that keep names and figures',
      ofKind('paraphrased').filter(({ id }) => id.endsWith('-near')),
      { precision: 0.95, recall: 0.93 },
    ],
    ['all', pairs, { precision: 0.98, recall: 0.8 }],
  ])('are found for what is %s', (_name, own, { precision, recall }) => {
    const measured = measure(own);
    expect(measured.precision).toBeGreaterThanOrEqual(precision);
    expect(measured.recall).toBeGreaterThanOrEqual(recall);
  });

  it.each(languages)('are found in %s as in any other language', (language) => {
    const { precision, recall } = measure(ofLanguage(language));
    expect(precision).toBeGreaterThanOrEqual(0.97);
    expect(recall).toBeGreaterThanOrEqual(0.78);
  });

  it('are seldom shown for what another source says', () => {
    const wrong = ofKind('other-source').filter((pair) => found.get(pair)?.evidence.length !== 0);
    expect(wrong.length).toBeLessThanOrEqual(4);
  });
});
