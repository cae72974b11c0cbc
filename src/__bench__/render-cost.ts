import { linkCitations } from '../lib/citations';
import { renderModelOutput } from '../lib/render';

import { mixedAnswer, paragraphs, sources } from './answers';
import { bareParse } from './bare-parser';
import { median } from './statistics';

const subjects: readonly { name: string; run: (text: string) => unknown }[] = [
  { name: 'bare micromark', run: bareParse },
  { name: 'linkCitations', run: (text) => linkCitations(text, sources) },
  { name: 'renderModelOutput', run: (text) => renderModelOutput(text, { sources }) },
];

/** What one function costs. */
export interface RenderCost {
  subject: string;
  /** Milliseconds for 1,000 characters of an answer of each length. */
  perKilo: number[];
}

/** Kinds of answer that whole renders are measured on. */
export const kinds = { mixed: mixedAnswer, paragraphs };

/** The cost of whole renders of an answer of each length; the functions take turns. The bare parser comes first. */
export function renderCosts(kind: keyof typeof kinds, lengths: readonly number[]): RenderCost[] {
  const answers = lengths.map(kinds[kind]);
  const warm = mixedAnswer(20_000);
  for (const { run } of subjects) for (let i = 0; i < 3; i++) run(warm);
  const times = subjects.map(() => answers.map((): number[] => []));
  for (const [a, answer] of answers.entries()) {
    const runs = answer.length > 50_000 ? 3 : 15;
    for (let i = 0; i < runs; i++) {
      for (const [s, { run }] of subjects.entries()) {
        const before = performance.now();
        run(answer);
        times[s]?.[a]?.push(((performance.now() - before) * 1000) / answer.length);
      }
    }
  }
  return subjects.map(({ name }, s) => ({ subject: name, perKilo: (times[s] ?? []).map(median) }));
}
