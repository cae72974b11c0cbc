import { parse, postprocess, preprocess } from 'micromark';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';

import { linkCitations } from '../lib/citations';
import { renderModelOutput } from '../lib/render';

import { mixedAnswer, sources } from './answers';
import { median } from './statistics';

const extensions = [gfmTable(), gfmStrikethrough()];

/** The parser alone, with the launcher's dialect: the least that any pipeline on it costs. */
const bareParse = (text: string): unknown =>
  postprocess(
    parse({ extensions })
      .document()
      .write(preprocess()(text, undefined, true)),
  );

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

/** The cost of whole renders of a mixed answer of each length; the functions take turns. The bare parser comes first. */
export function renderCosts(lengths: readonly number[]): RenderCost[] {
  const answers = lengths.map(mixedAnswer);
  const warm = mixedAnswer(20_000);
  for (const { run } of subjects) for (let i = 0; i < 3; i++) run(warm);
  const times = subjects.map(() => answers.map((): number[] => []));
  for (const [a, answer] of answers.entries()) {
    const runs = answer.length > 500_000 ? 1 : answer.length > 50_000 ? 3 : 15;
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
