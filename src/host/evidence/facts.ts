import { inertText, plain, type PlainText } from '../../lib/render';
import type { Evidence, QuoteCheck, Source, Turn } from '../../lib/types';
import { passagesBehind } from './behind';
import type { FileStates } from './changed';
import { holds } from './close-place';
import { originOf } from './source-form';

/** What all rows of a report are made from. */
export interface Facts {
  turn: Turn;
  /** By number. */
  sources: ReadonlyMap<number, Source>;
  /** Those that markers lead to: a file that is gone opens nothing. */
  linked: readonly Source[];
  /** What became of the documents since. */
  states: FileStates;
  /** Where the quotations stand that are close and not word for word, as far as the turn's own records hold the text. */
  closePlaces: ReadonlyMap<QuoteCheck, Evidence>;
}

/** The passages that hold a quotation word for word. */
export function holding(quote: QuoteCheck, turn: Turn): Evidence[] {
  if (quote.status !== 'exact') return [];
  const behind = passagesBehind(turn, quote.index, [quote.marker]).filter(
    ({ score }) => score >= 1,
  );
  // A passage is kept once, with the best of what it was to several markers: another quotation may be what it holds.
  const own = behind.length > 1 ? behind.filter((row) => holds(row.quote, turn, quote)) : behind;
  return own.length > 0 ? own : behind;
}

/**
 * What a passage is to a row, in two or three words: a number would look like a measure of truth. '' for the lines of a search
 * row, whose place says it.
 *
 * @param quotes the quotations of that row
 */
export function closeness(
  passage: Evidence,
  quotes: readonly QuoteCheck[],
  { turn, closePlaces }: Pick<Facts, 'turn' | 'closePlaces'>,
): string {
  if (quotes.some((quote) => holding(quote, turn).includes(passage))) return 'holds the quotation';
  if (quotes.some((quote) => closePlaces.get(quote) === passage)) return 'close to the quotation';
  return passage.start === undefined ? '' : CLOSEST;
}

/** What a passage is that was found by its words alone. */
export const CLOSEST = 'closest passage';

/** `[1] [3]` */
export const numbersText = (numbers: readonly number[]): PlainText =>
  plain`${numbers.map((number) => `[${number}]`).join(' ')}`;

/** Characters of one keyword: each frame ships those of all rows. */
const MAX_KEYWORD = 80;

/** What a row is found by besides its title: its sources, their numbers and files or sites, and what its icon says. */
export function keywordsOf(
  sources: readonly (Pick<Source, 'index'> & Partial<Source>)[],
  words: PlainText,
): PlainText[] {
  return [
    words,
    ...sources.flatMap(({ index, title = '', url = '', kind }) => [
      numbersText([index]),
      inertText(title, MAX_KEYWORD),
      inertText(originOf({ url, kind }), MAX_KEYWORD),
    ]),
  ].filter((word) => word !== '');
}
