import { createBudget, type Budget } from './quote-check/budget';
import { chain } from './quote-check/chain';
import { exactPlaces } from './quote-check/exact';
import { Haystack } from './quote-check/haystack';
import type { Hay } from './quote-check/hay';
import { nearPlaces, reachOf } from './quote-check/near';
import { BREAK } from './quote-check/plain';
import { flagsAt, partOf, weightOf, type Sequence, type Stretch } from './quote-check/sequence';
import { BEHIND_GAP } from './quote-check/words';

/** What became of a quotation that was looked for in the texts of a source. */
export interface QuoteResult {
  /** `unchecked`: it would have cost more than is left of the budget. */
  status: 'exact' | 'close' | 'not-found' | 'unchecked';
  /** Where it stands: the number of the text, from 0, and UTF-16 units of it. Absent if it was not found. */
  place?: { text: number; start: number; end: number };
}

/** Pieces of a quotation with gaps. One with more is a list of words, and is not found. */
const MAX_PIECES = 8;

/** Half words of a piece beside a gap: single words stand in every text, in any order. */
const MIN_PIECE = 4;

/** Half words of pieces too short to be looked for, in a quotation that is close. */
const MAX_LOST = 2;

/** Steps that it costs to read a UTF-16 unit of a quotation. */
const READ_STEPS = 20;

/** The pieces of a quotation between its ellipses. */
function piecesOf(needle: Sequence): Sequence[] {
  const size = needle.words.length;
  const cuts: number[] = [];
  for (let at = 1; at < size && cuts.length <= MAX_PIECES; at += 1)
    if ((flagsAt(needle, at) & BEHIND_GAP) !== 0) cuts.push(at);
  return [0, ...cuts].map((from, n) => partOf(needle, { from, to: cuts[n] ?? size }));
}

/**
 * Looks for a needle in the text, and where its own hyphens stand at a line's end there. Undefined if the budget does not
 * suffice for it.
 */
function placesIn(
  hays: readonly Hay[],
  look: (hay: Hay) => Stretch[] | undefined,
): Stretch[] | undefined {
  const [first, second] = hays.map(look);
  if (first === undefined || hays.length < 2) return first;
  if (second === undefined) return undefined;
  return [...first, ...second].sort((one, other) => one.from - other.from || one.to - other.to);
}

/**
 * Reads the texts of one source once and returns what looks for quotations in them; docs/evidence.md has the rules.
 *
 * - `exact`: all words stand there in a row, whole words only. Spelling that does not count may differ: case, marks, dashes,
 *   ligatures, references, Markdown. Where the quotation has an ellipsis the words stand in pieces, in order.
 * - `close`: at most one word in eight differs, and one always may.
 * - `not-found`: everything else.
 * - `unchecked`: the budget did not suffice. Nothing is known of the quotation.
 *
 * Total. Linear in the length of the texts; what a quotation costs besides is taken from the budget.
 *
 * @param texts in the order of the source. A quotation may go on from one into the next; an empty text stands for
 * something that was left out, and is not gone over
 * @param budget what all quotations together may cost; see `createBudget`
 */
export function createQuoteChecker(
  texts: readonly { text: string }[],
  budget: Budget = createBudget(),
): (quotation: string) => QuoteResult {
  const begins: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const { text } of texts) {
    begins.push(length);
    const part = text.trim() === '' ? BREAK : text;
    parts.push(part);
    length += part.length + 1;
  }
  const textAt = (unit: number): number => {
    let low = 0;
    for (let high = begins.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if ((begins[middle] ?? 0) <= unit) low = middle;
      else high = middle;
    }
    return low;
  };
  const haystack = new Haystack(parts.join('\n'));
  const { read } = haystack;

  const result = (status: 'exact' | 'close', { from, to }: Stretch): QuoteResult => {
    const start = read.starts[from] ?? 0;
    const text = textAt(start);
    const begin = begins[text] ?? 0;
    const size = texts[text]?.text.length ?? 0;
    return {
      status,
      place: { text, start: start - begin, end: Math.min((read.ends[to] ?? 0) - begin, size) },
    };
  };

  /** Undefined if the budget does not suffice. */
  const check = (needle: Sequence): QuoteResult | undefined => {
    const hays = haystack.for(needle, reachOf(needle), budget);
    if (hays === undefined) return undefined;
    const whole = placesIn(hays, (hay) => exactPlaces(needle, hay, budget, 1));
    if (whole === undefined) return undefined;
    if (whole[0]) return result('exact', whole[0]);

    const pieces = piecesOf(needle);
    if (pieces.length > MAX_PIECES) return { status: 'not-found' };
    if (pieces.length > 1 && pieces.every((piece) => weightOf(piece) >= MIN_PIECE)) {
      const places: Stretch[][] = [];
      for (const piece of pieces) {
        const own = placesIn(hays, (hay) => exactPlaces(piece, hay, budget));
        if (own === undefined) return undefined;
        places.push(own);
      }
      const inPieces = chain(places, read, textAt, true);
      if (inPieces) return result('exact', inPieces);
    }

    // A single word beside a gap is one that differs.
    const long =
      pieces.length > 1 ? pieces.filter((piece) => weightOf(piece) >= MIN_PIECE) : pieces;
    const lost = weightOf(needle) - long.reduce((sum, piece) => sum + weightOf(piece), 0);
    if (long.length === 0 || lost > MAX_LOST) return { status: 'not-found' };
    const places: Stretch[][] = [];
    for (const piece of long) {
      const own = placesIn(hays, (hay) => nearPlaces(piece, hay, budget));
      if (own === undefined) return undefined;
      places.push(own);
    }
    const inWords = chain(places, read, textAt, false);
    return inWords ? result('close', inWords) : { status: 'not-found' };
  };

  return (quotation) => {
    if (!budget.spend(quotation.length * READ_STEPS)) return { status: 'unchecked' };
    const needle = haystack.needle(quotation.replaceAll(BREAK, ' '));
    if (needle.words.length === 0) return { status: 'not-found' };
    return check(needle) ?? { status: 'unchecked' };
  };
}

/**
 * Looks for one quotation in the texts of one source; for several, see `createQuoteChecker`.
 *
 * @public
 */
export function checkQuote(quotation: string, texts: readonly { text: string }[]): QuoteResult {
  return createQuoteChecker(texts)(quotation);
}
