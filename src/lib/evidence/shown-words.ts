import type { Turn } from '../types';

import { takeFigures } from './figures';
import { textOf } from './passage';
import { createQuoteChecker } from './quote-check';
import { createBudget } from './quote-check/budget';
import { shownOf, type EvidenceTurn, type SourceText } from './shown';

/** Asks what the model was shown of sources, by their numbers. */
export interface ShownWords {
  /** Whether a figure stands in what was shown of one of these sources. */
  hasFigure: (figure: string, numbers: readonly number[]) => boolean;
  /** The same; true also where not all that was shown of one of them is at hand, which may have it. */
  mayHaveFigure: (figure: string, numbers: readonly number[]) => boolean;
  /** Whether words stand in one of these sources word for word; true also where that would cost too much to know. */
  hasQuotation: (words: string, numbers: readonly number[]) => boolean;
}

/**
 * What was shown of the sources of a turn, from its own records. Nothing is read before it is asked.
 *
 * @param turn of a source that an earlier turn has read no more than its passages (`evidence`) is at hand
 * @param cited the numbers that can be asked for
 */
export function shownWords(
  turn: EvidenceTurn & Partial<Pick<Turn, 'evidence'>>,
  cited: ReadonlySet<number>,
): ShownWords {
  const carried = new Set((turn.carried ?? []).map(({ index }) => index));
  const budget = createBudget();
  let texts: ReadonlyMap<number, SourceText> | undefined;
  const sourceOf = (index: number): SourceText | undefined => {
    texts ??= shownOf(turn, [], cited);
    return texts.get(index);
  };
  const passagesOf = (index: number): string[] =>
    (turn.evidence ?? []).filter((row) => row.index === index).map(({ quote }) => quote);

  const figures = byNumber((index): Set<string> => {
    const source = sourceOf(index);
    const pieces = source?.runs.flatMap((run) => run.pieces) ?? [];
    const all = [
      source?.source.title ?? '',
      ...pieces.map(({ text }) => text),
      ...passagesOf(index),
    ];
    return new Set(all.flatMap((text) => takeFigures(text).figures));
  });
  const checkers = byNumber((index) => {
    const runs = sourceOf(index)?.runs.map(({ pieces }) => textOf(pieces).text) ?? [];
    // What was left out between two texts is not gone over.
    const all = [...runs, ...passagesOf(index)].flatMap((text) => [{ text }, { text: '' }]);
    return createQuoteChecker(all, budget);
  });
  const hasFigure: ShownWords['hasFigure'] = (figure, numbers) =>
    numbers.some((index) => figures(index).has(figure));
  const isAtHand = (index: number): boolean => {
    const source = sourceOf(index);
    return source !== undefined && source.isKept && !source.isCut && !carried.has(index);
  };
  return {
    hasFigure,
    mayHaveFigure: (figure, numbers) =>
      hasFigure(figure, numbers) || !numbers.every((index) => isAtHand(index)),
    hasQuotation: (words, numbers) =>
      numbers.some((index) => {
        const { status } = checkers(index)(words);
        return status === 'exact' || status === 'unchecked';
      }),
  };
}

/** Makes what belongs to a number when it is first asked for. */
function byNumber<T>(make: (index: number) => T): (index: number) => T {
  const made = new Map<number, T>();
  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const fresh = make(index);
    made.set(index, fresh);
    return fresh;
  };
}
