import { linkCitations } from '../lib/citations';
import { renderModelOutput } from '../lib/render';

import { mixedAnswer, paragraphs, sources } from './answers';
import { bareParse } from './bare-parser';
import { hostileAnswers } from './hostile-answers';

/** What one hostile text costs, in milliseconds. */
export interface HostileCost {
  name: string;
  link: number;
  render: number;
}

function millisecondsOf(run: () => unknown): number {
  const before = performance.now();
  run();
  return performance.now() - before;
}

/**
 * Milliseconds for each hostile text of that length, and for the bare parser on ordinary paragraphs of the same length:
 * the mean of one run before and one after, so that a machine that slows down is seen in both.
 */
export function hostileCosts(length: number): { bare: number; costs: HostileCost[] } {
  const ordinary = paragraphs(length);
  for (let i = 0; i < 3; i++) renderModelOutput(mixedAnswer(20_000), { sources });
  const before = millisecondsOf(() => bareParse(ordinary));
  const costs = hostileAnswers(length).map(({ name, text }) => ({
    name,
    link: millisecondsOf(() => linkCitations(text, sources)),
    render: millisecondsOf(() => renderModelOutput(text, { sources })),
  }));
  return { bare: (before + millisecondsOf(() => bareParse(ordinary))) / 2, costs };
}
