import type { SourceList } from '../citations';
import { MAX_KEPT_TITLE_CHARS } from '../constants';
import type { Source } from '../types';
import { cleanLine, neutralise } from './untrusted';

/** The head of a source in what the model reads: its number first, then its title on the same line. */
export function sourceHead(source: Source): string {
  return `[${source.index}] ${printable(source.title, MAX_KEPT_TITLE_CHARS)}`;
}

/** Text from the web on one line that cannot pass for a numbered line. */
export function printable(text: string, max: number, ending?: string): string {
  return neutralise(cleanLine(text, max, ending));
}

/**
 * The last line of every tool result. Models that cite by order of appearance, or stop citing after a few turns, do so less
 * when the valid numbers are repeated (onyx-dot-app/onyx#3067, CherryHQ/cherry-studio#10457).
 */
export function citeReminder(sources: SourceList): string {
  const numbers = sources.all().map(({ index }) => index);
  if (numbers.length === 0) return 'No source has a number yet: cite nothing.';
  return `Numbers you may cite: ${runs(numbers)}. Put the number in square brackets right after the sentence it supports, one number a bracket; cite no other number.`;
}

/** `[1] to [5], [7], [8]`. */
function runs(numbers: readonly number[]): string {
  const groups: number[][] = [];
  for (const number of numbers) {
    const group = groups.at(-1);
    if (group?.at(-1) === number - 1) group.push(number);
    else groups.push([number]);
  }
  return groups
    .map((group) =>
      group.length < 3
        ? group.map((number) => `[${number}]`).join(', ')
        : `[${group[0] ?? 0}] to [${group.at(-1) ?? 0}]`,
    )
    .join(', ');
}
