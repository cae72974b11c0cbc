import { chain } from './quote-check/chain';
import { exactPlaces, type Stretch } from './quote-check/exact';
import { Near } from './quote-check/near';
import { BREAK } from './quote-check/plain';
import { hyphenKey, Sequencer, type Sequence } from './quote-check/sequence';
import { wordsOf } from './quote-check/words';

/** What became of a quotation that was looked for in the texts of a source. */
export interface QuoteResult {
  status: 'exact' | 'close' | 'not-found';
  /** Where it stands: the number of the text, from 0, and UTF-16 units of it. Absent if it was not found. */
  place?: { text: number; start: number; end: number };
}

/** Pieces of a quotation with gaps. One with more is a list of words, and is not found. */
const MAX_PIECES = 8;

/** Half words of a piece beside a gap: single words stand in every text, in any order. */
const MIN_PIECE = 4;

/** Half words of pieces too short to be looked for, in a quotation that is close. */
const MAX_LOST = 2;

function stretchOf(sequence: Sequence, from: number, to: number): Sequence {
  const isLast = to === sequence.words.length;
  const marks = [...sequence.marks].filter(([at]) => at >= from && (at < to || isLast));
  return {
    words: sequence.words.subarray(from, to),
    pairs: sequence.pairs.subarray(from, to),
    plain: sequence.plain.subarray(from, to),
    starts: sequence.starts.slice(from, to),
    ends: sequence.ends.slice(from, to),
    isGlued: sequence.isGlued.slice(from, to),
    isDense: sequence.isDense.slice(from, to),
    isApart: sequence.isApart.slice(from, to),
    marks: new Map(marks.map(([at, mark]) => [at - from, mark])),
  };
}

const weightOf = ({ isDense }: Sequence): number =>
  isDense.reduce((sum, dense) => sum + (dense ? 1 : 2), 0);

/**
 * Reads the texts of one source once and returns what looks for quotations in them; docs/evidence.md has the rules.
 *
 * - `exact`: all words stand there in a row, whole words only. Spelling that does not count may differ: case, marks, dashes,
 *   ligatures, references, Markdown. Where the quotation has an ellipsis the words stand in pieces, in order.
 * - `close`: at most one word in eight differs, and one always may.
 * - `not-found`: everything else.
 *
 * Total. Linear in the length of the texts, but for a bounded number of comparisons.
 *
 * @param texts in the order of the source. A quotation may go on from one into the next; an empty text stands for
 * something that was left out, and is not gone over
 */
export function createQuoteChecker(
  texts: readonly { text: string }[],
): (quotation: string) => QuoteResult {
  const begins: number[] = [];
  let whole = '';
  for (const { text } of texts) {
    if (begins.length > 0) whole += '\n';
    begins.push(whole.length);
    whole += text.trim() === '' ? BREAK : text;
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

  const sequencer = new Sequencer();
  const found = wordsOf(whole);
  const joins = new Set<string>();
  found.mayJoin.forEach((may, n) => {
    if (may) joins.add(hyphenKey(found, n));
  });
  const hay = sequencer.sequence(found, new Set());
  const stop = sequencer.numberOf(BREAK);
  let near: Near | undefined;

  const result = (
    status: 'exact' | 'close',
    { from, to }: Stretch,
    { starts, ends }: Sequence,
  ): QuoteResult => {
    const start = starts[from] ?? 0;
    const text = textAt(start);
    const begin = begins[text] ?? 0;
    const size = texts[text]?.text.length ?? 0;
    return {
      status,
      place: { text, start: start - begin, end: Math.min((ends[to] ?? 0) - begin, size) },
    };
  };

  return (quotation) => {
    const quoted = wordsOf(quotation.replaceAll(BREAK, ' '));
    const needle = sequencer.sequence(quoted);
    if (needle.words.length === 0) return { status: 'not-found' };

    // A word broken at a line's end has its hyphen or not, as the quotation has it.
    const keep = new Set<string>();
    for (let n = 1; n < quoted.words.length; n += 1) {
      const key = hyphenKey(quoted, n);
      if (joins.has(key)) keep.add(key);
    }
    const own = keep.size > 0 ? sequencer.sequence(found, keep) : hay;

    const [inOne] = exactPlaces(needle, own, whole);
    if (inOne) return result('exact', inOne, own);

    const cuts = quoted.before.flatMap((mark, n) => (n > 0 && mark.includes('…') ? [n] : []));
    const pieces = [0, ...cuts].map((from, n) =>
      stretchOf(needle, from, cuts[n] ?? needle.words.length),
    );
    if (pieces.length > MAX_PIECES) return { status: 'not-found' };
    if (pieces.length > 1 && pieces.every((piece) => weightOf(piece) >= MIN_PIECE)) {
      const places = pieces.map((piece) => exactPlaces(piece, own, whole));
      const inPieces = chain(places, own, textAt, true);
      if (inPieces) return result('exact', inPieces, own);
    }

    if (own === hay) near ??= new Near(hay, stop);
    const compared = own === hay && near ? near : new Near(own, stop);
    // A single word beside a gap is one that differs.
    const long =
      pieces.length > 1 ? pieces.filter((piece) => weightOf(piece) >= MIN_PIECE) : pieces;
    const lost = weightOf(needle) - long.reduce((sum, piece) => sum + weightOf(piece), 0);
    if (long.length === 0 || lost > MAX_LOST) return { status: 'not-found' };
    const places = long.map((piece) => compared.places(piece));
    const inWords = chain(places, own, textAt, false);
    return inWords ? result('close', inWords, own) : { status: 'not-found' };
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
