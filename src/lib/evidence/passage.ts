import { MAX_EVIDENCE_QUOTE_CHARS } from '../constants';
import type { Evidence, Source } from '../types';

import type { ClaimTerms, Measure } from './closeness';
import { fragmentOf } from './fragment';
import type { Piece, Run } from './runs';
import { sourceId } from './shown';

/** Neighbouring pieces of a source. */
export interface Passage {
  run: Run;
  /** Number of the first and the last piece. */
  first: number;
  last: number;
}

/** The words of the pieces as they follow each other, and where each begins. */
export function textOf(pieces: readonly Piece[]): { text: string; starts: number[] } {
  let text = '';
  const starts: number[] = [];
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) text += piece.gap;
    starts.push(text.length);
    text += piece.text;
  }
  return { text, starts };
}

export const piecesOf = ({ run, first, last }: Passage): Piece[] =>
  run.pieces.slice(first, last + 1);

/** Number of the last piece that begins at or before an offset of the joined text. */
export const pieceAt = (starts: readonly number[], at: number): number =>
  Math.max(
    0,
    starts.findLastIndex((start) => start <= at),
  );

/** Beginnings of sentences and lines. */
const BEGINNING = /(?<=[.!?…؟।]["'”’»)\]]*\s+|[。！？]["'”’」』）]*|\n\s*)\S/gu;

/** UTF-16 units of a passage in which a beginning is looked for: two blocks are shorter. */
const MAX_UNITS = 4_000;

/** Beginnings that are tried. */
const MAX_BEGINNINGS = 200;

/**
 * Where what is quoted of a longer passage begins: at the sentence from which on most of the claim is found, the last one if
 * several are alike.
 */
export function beginningFor(text: string, claim: ClaimTerms, measure: Measure): number {
  if (text.length <= MAX_EVIDENCE_QUOTE_CHARS) return 0;
  const starts = [
    0,
    ...Array.from(text.slice(0, MAX_UNITS).matchAll(BEGINNING), ({ index }) => index),
  ]
    .filter((start, n, all) => start !== all[n - 1])
    .slice(0, MAX_BEGINNINGS);
  const profiles = starts.map((start, n) => measure.look(text.slice(start, starts[n + 1])));
  let best = 0;
  let beginning = 0;
  for (const [n, start] of starts.entries()) {
    const limit = start + MAX_EVIDENCE_QUOTE_CHARS;
    // A sentence that would be cut does not count, unless nothing else is quoted.
    const past = starts.findIndex((_, m) => m > n && (starts[m + 1] ?? text.length) > limit);
    const { score } = measure.closeness(claim, profiles.slice(n, past < 0 ? undefined : past));
    if (score >= best - 1e-9) [best, beginning] = [score, start];
  }
  return beginning;
}

/** The beginning of the sentence that holds `[at, end)`, if all of it can be quoted from there; else `at`. */
export function beginningBefore(text: string, at: number, end: number): number {
  if (end <= MAX_EVIDENCE_QUOTE_CHARS) return 0;
  const from = Math.max(0, at - MAX_EVIDENCE_QUOTE_CHARS);
  const sentence = Array.from(text.slice(from, at + 1).matchAll(BEGINNING)).at(-1)?.index;
  const start = sentence === undefined ? at : from + sentence;
  return end - start <= MAX_EVIDENCE_QUOTE_CHARS ? start : at;
}

/** At most `MAX_EVIDENCE_QUOTE_CHARS` units from `from` on; never half of a surrogate pair. */
function quoted(text: string, from: number): { quote: string; cut: boolean } {
  const rest = text.slice(from);
  if (rest.length <= MAX_EVIDENCE_QUOTE_CHARS) return { quote: rest, cut: false };
  const quote = rest.slice(0, MAX_EVIDENCE_QUOTE_CHARS).replace(/[\uD800-\uDBFF]$/, '');
  return { quote, cut: true };
}

/** What is known of a passage that was found. */
interface Found {
  /** Where its quote begins in the text of its pieces. */
  from: number;
  /** Where it ends, if it ends before the pieces do. */
  to?: number;
  score: number;
  markers: number[];
  /** How often words stand in all that was shown of the source. */
  count: (words: string) => number;
}

/** A passage as it is kept. */
export function evidenceRow(
  source: Source,
  passage: Passage,
  { from, to, score, markers, count }: Found,
): Evidence {
  const pieces = piecesOf(passage);
  const { text, starts } = textOf(pieces);
  const n = pieceAt(starts, from);
  const m = to === undefined ? pieces.length - 1 : pieceAt(starts, Math.max(from, to - 1));
  const [begun, last] = [pieces[n], pieces[m]];
  const { quote, cut } = quoted(text.slice(0, to), from);
  const version = begun?.version ?? source.version;
  const row: Evidence = {
    index: source.index,
    id: sourceId(source),
    title: source.title,
    url: source.url,
    blocks: pieces.slice(n, m + 1).flatMap(({ block }) => block ?? []),
    quote,
    score: Math.round(score * 1000) / 1000,
    markers,
  };
  if (source.kind !== undefined) row.kind = source.kind;
  if (version !== undefined) row.version = version;
  if (begun?.page !== undefined) row.page = begun.page;
  if (last?.page !== undefined && begun?.page !== undefined && last.page > begun.page)
    row.pageEnd = last.page;
  if (begun?.number !== undefined) row.number = begun.number;
  if (begun?.start !== undefined && last?.start !== undefined) {
    row.start = begun.start + Math.min(begun.text.length, from - (starts[n] ?? 0));
    const length = to === undefined ? last.text.length : to - (starts[m] ?? 0);
    row.end = last.start + Math.min(last.text.length, length);
  }
  if (cut) row.cut = true;
  const isPage =
    source.kind !== 'document' && begun?.start !== undefined && begun.page === undefined;
  const surroundings = {
    before:
      from > 0
        ? text.slice(Math.max(0, from - 300), from)
        : (passage.run.pieces[passage.first - 1]?.text ?? '').slice(-600),
    behind: (passage.run.pieces[passage.last + 1]?.text ?? '').slice(0, 600),
    isCut: cut,
    count,
  };
  const fragment = isPage ? fragmentOf(quote, surroundings) : undefined;
  if (fragment !== undefined) row.fragment = fragment;
  return row;
}
