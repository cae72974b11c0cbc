import type { Edit } from '../../code';

import type { CopyContext } from './rows';

/** `1`, or `1a` where the model has a footnote `1` of its own. */
function freeLabel(base: string, taken: ReadonlySet<string>): string {
  let label = base;
  for (let i = 0; taken.has(label); i++) {
    label = base + String.fromCharCode(97 + (i % 26)).repeat(1 + Math.floor(i / 26));
  }
  return label;
}

/** A label for each cited source: the number of the text, apart from the model's own footnotes (`kept`). */
export function footnoteLabels(
  cited: ReadonlySet<number>,
  prefix: string,
  kept: readonly { label: string }[],
): Map<number, string> {
  const taken = new Set(kept.map(({ label }) => label));
  return new Map(
    [...cited]
      .sort((a, b) => a - b)
      .map((number) => [number, freeLabel(`${prefix}${String(number)}`, taken)]),
  );
}

/** Markers, and links that the model wrote to a source by its number, as footnote marks: `[^1]`, `[^1][^3]`. */
export function footnoteEdits(
  { scan: { text }, analysis }: CopyContext,
  labels: ReadonlyMap<number, string>,
): Edit[] {
  const marks = [...analysis.markers, ...analysis.ownLinks].map(({ start, end, numbers }) => {
    const mark = numbers.map((number) => `[^${labels.get(number) ?? String(number)}]`).join('');
    // `[^1](…` would be a link, `[^1]: …` a footnote.
    const guard = /[(:]/.test(text[end] ?? '') ? '\\' : '';
    return { start, end, text: `${mark}${guard}` };
  });
  return [...analysis.drops, ...marks];
}
