import { numberedSources } from '../citations';
import type { QuoteCheck, QuoteStatus } from '../types';

import { quotedBlocks } from './block-quotes';
import type { AnswerReading, Marker, Sentence } from './claims';
import { knownWords, namesOf } from './known-words';
import { pieceAt, textOf, type Passage } from './passage';
import { quotationsOf } from './quotation';
import { createQuoteChecker, type QuoteResult } from './quote-check';
import { createBudget, type Budget } from './quote-check/budget';
import type { Run } from './runs';
import type { Span } from './sentences';
import { WITHOUT_WORDS, type EvidenceTurn, type SourceText } from './shown';

/** Quotations of an answer that are checked. A long report has a dozen. */
const MAX_QUOTATIONS = 200;

/** A quotation, and the markers beside it; none where no source is named. */
interface Quotation extends Span {
  markers: Marker[];
}

/** A quotation that stands in a source word for word: where. */
export interface FoundQuote {
  marker: Marker;
  index: number;
  passage: Passage;
  /** Where the words stand in the text of the passage's pieces. */
  at: number;
  end: number;
}

const LETTER = /[\p{L}\p{N}]/u;

/**
 * The quotations of an answer in order: block quotes under a line with a marker and a colon, and what stands between quotation marks
 * elsewhere. Of a block that is nothing but words between marks these words count.
 */
export function quotationsIn(reading: AnswerReading): Quotation[] {
  const inMarks = markedQuotations(reading);
  const blocks = quotedBlocks(reading);
  if (blocks.length === 0) return inMarks;
  const kept: Quotation[] = [];
  let next = 0;
  for (const { unit, markers, ...block } of blocks.slice(0, MAX_QUOTATIONS)) {
    while ((inMarks[next]?.start ?? Infinity) < unit.start)
      kept.push(...inMarks.slice(next, ++next));
    const [inner] = inMarks.slice(next, next + 1);
    while ((inMarks[next]?.start ?? Infinity) < unit.end) next += 1;
    const isAll = inner && inner.end <= unit.end && isWhole(inner, block, reading.words);
    kept.push(isAll ? { start: inner.start, end: inner.end, markers } : { ...block, markers });
  }
  return [...kept, ...inMarks.slice(next)].slice(0, MAX_QUOTATIONS);
}

/**
 * What stands between quotation marks with the markers they belong to: the first marker behind the words in their sentence and
 * those side by side with it, else the last one before them. A paragraph of nothing but a quotation belongs to the first marker of the
 * paragraph behind it.
 */
function markedQuotations({ prose, words, sentences, units }: AnswerReading): Quotation[] {
  const found: Quotation[] = [];
  let next = 0;
  let unit = 0;
  const behindParagraph = (span: Span): Marker[] => {
    const own = units[unit];
    const behind = units[unit + 1];
    if (!own || !behind || own.kind === 'cell' || !isWhole(span, own, words)) return [];
    const first = sentences.slice(next).find(({ start }) => start >= behind.start);
    const markers = first && first.start < behind.end ? first.markers : [];
    return markers.length > 0 ? beside(span, markers, words) : [];
  };
  for (const span of quotationsOf(prose).slice(0, MAX_QUOTATIONS)) {
    while (next < sentences.length && (sentences[next]?.end ?? 0) <= span.start) next += 1;
    const around: Sentence[] = [];
    for (let n = next; n < sentences.length; n += 1) {
      const sentence = sentences[n];
      // A closing quotation mark stands behind the words, and markers behind it.
      if (!sentence || sentence.start >= span.end) break;
      around.push(sentence);
    }
    const markers = around.flatMap((sentence) => sentence.markers);
    if (markers.length > 0) {
      found.push({ ...span, markers: beside(span, markers, words) });
      continue;
    }
    while (unit < units.length && (units[unit]?.end ?? 0) <= span.start) unit += 1;
    found.push({ ...span, markers: behindParagraph(span) });
  }
  return found;
}

/** Whether a paragraph says next to nothing but the quotation. */
function isWhole(span: Span, unit: Span, words: string): boolean {
  const around = words.slice(unit.start, span.start) + words.slice(span.end, unit.end);
  return !LETTER.test(around.slice(0, 2_000));
}

function beside(span: Span, markers: readonly Marker[], words: string): Marker[] {
  const behind = markers.findIndex(({ start }) => start >= span.start);
  if (behind < 0) return markers.slice(-1);
  const group = markers.slice(behind, behind + 1);
  for (const marker of markers.slice(behind + 1)) {
    const last = group.at(-1);
    if (!last || LETTER.test(words.slice(last.end, marker.start))) break;
    group.push(marker);
  }
  return group;
}

/**
 * From best to worst; a source that was not kept may hold the words, so they are not called missing, and one that was not
 * looked through to its end still less.
 */
const RANK: Record<QuoteStatus | 'unchecked', number> = {
  exact: 4,
  close: 3,
  unchecked: 2,
  'not-kept': 1,
  'not-found': 0,
};

/**
 * Looks for each direct quotation in the texts of the sources beside it. One of which nothing is known has no row: it would have
 * cost more than all of an answer may, or is not in the part of a source that is looked at.
 */
export function checkQuotations(
  turn: EvidenceTurn,
  reading: AnswerReading,
  texts: ReadonlyMap<number, SourceText>,
): { quotes: QuoteCheck[]; found: FoundQuote[] } {
  const checks = new Map<number, ReturnType<typeof checkerOf>>();
  const budget = createBudget();
  const checkIn = (
    words: string,
    index: number,
    { runs }: SourceText,
  ): ReturnType<ReturnType<typeof checkerOf>> => {
    const check = checks.get(index) ?? checkerOf(runs, budget);
    checks.set(index, check);
    return check(words);
  };
  const quotes: QuoteCheck[] = [];
  const found: FoundQuote[] = [];
  const isOther = otherWordsOf(turn);
  for (const { start, end, markers } of quotationsIn(reading)) {
    if (markers.length === 0) continue;
    const words = turn.response.slice(start, end);
    if (isOther(words)) continue;
    let best: (Omit<QuoteCheck, 'status'> & { status: keyof typeof RANK }) | undefined;
    let place: FoundQuote | undefined;
    for (const marker of markers) {
      for (const index of marker.numbers) {
        const source = texts.get(index);
        if (!source || best?.status === 'exact') continue;
        const { passage, ...check } = checkIn(words, index, source);
        const status = check.status === 'not-found' ? missingIn(source) : check.status;
        if (best && RANK[status] <= RANK[best.status]) continue;
        best = { start, end, marker: marker.start, index, status };
        if (status === 'exact' && passage) place = { marker, index, ...passage };
      }
    }
    if (best && best.status !== 'unchecked') quotes.push({ ...best, status: best.status });
    if (place) found.push(place);
  }
  return { quotes, found };
}

/** Tells words that stand in marks for another reason: the title of a source, or what the person asked. */
export function otherWordsOf(turn: EvidenceTurn): (words: string) => boolean {
  let isKnown: ((words: string) => boolean) | undefined;
  return (words) => {
    isKnown ??= knownWords([...numberedSources(turn).flatMap(namesOf), turn.question ?? '']);
    return isKnown(words);
  };
}

/** Looks for quotations in the runs of one source. What was left out between two runs is not gone over. */
function checkerOf(runs: readonly Run[], budget: Budget) {
  const joined = runs.map((run) => ({ run, ...textOf(run.pieces) }));
  const texts = joined.flatMap(({ text }) => [{ text }, { text: '' }]);
  const check = createQuoteChecker(texts, budget);
  return (
    words: string,
  ): Pick<QuoteResult, 'status'> & { passage?: Omit<FoundQuote, 'marker' | 'index'> } => {
    const { status, place } = check(words);
    const part = place && joined[place.text / 2];
    if (!part) return { status };
    const first = pieceAt(part.starts, place.start);
    const last = Math.max(first, pieceAt(part.starts, place.end - 1));
    const from = part.starts[first] ?? 0;
    const passage = { run: part.run, first, last };
    return { status, passage: { passage, at: place.start - from, end: place.end - from } };
  };
}

/** What becomes of words that are not in what is known of a source: they may be in what is not. */
function missingIn({
  source: { status },
  runs,
  isKept,
  isCut,
}: SourceText): 'not-found' | 'not-kept' | 'unchecked' {
  if (isCut) return 'unchecked';
  if (runs.some(({ pieces }) => pieces[0]?.start !== undefined)) return 'not-found';
  // Of a page that was read more than the lines of a search row would be there.
  const isUnread = status === 'hit' || WITHOUT_WORDS.has(status ?? '');
  return isKept && isUnread ? 'not-found' : 'not-kept';
}
