import type { QuoteStatus, Source, Turn } from '../types';

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;

/** Numbers whose page this turn's calls, or those of an earlier turn, have read at least in part. */
function readNumbers({
  toolCalls,
  carried = [],
}: Pick<Turn, 'toolCalls' | 'carried'>): Set<number> {
  const known = [
    ...carried,
    ...toolCalls.flatMap(({ sources = [], statuses = [] }) => [...sources, ...statuses]),
  ];
  return new Set(
    known.filter(({ status }) => status === 'read' || status === 'part').map(({ index }) => index),
  );
}

/**
 * `3 cited · 2 read · 1 quotation not found`: what is known of an answer's sources, from stored fields only. Nothing when no
 * source is cited and no number leads nowhere.
 *
 * @param cited the sources the answer cites, as whoever draws it knows them; without it those that have a passage or a quotation count
 * @param unknown numbers it cites that belong to no source, as far as whoever draws it knows
 */
export function evidenceLine(
  turn: Pick<Turn, 'toolCalls' | 'carried' | 'evidence' | 'quotes'>,
  cited?: readonly Pick<Source, 'index'>[],
  unknown = 0,
): string {
  const { evidence = [], quotes = [] } = turn;
  const numbers = new Set((cited ?? [...evidence, ...quotes]).map(({ index }) => index));
  if (numbers.size + unknown === 0) return '';
  const read = readNumbers(turn);
  const quotesThatAre = (status: QuoteStatus): number =>
    quotes.filter((quote) => quote.status === status).length;
  const notFound = quotesThatAre('not-found');
  const close = quotesThatAre('close');
  return [
    `${numbers.size} cited`,
    `${[...numbers].filter((index) => read.has(index)).length} read`,
    ...(notFound > 0 ? [count(notFound, 'quotation not found', 'quotations not found')] : []),
    ...(close > 0
      ? [count(close, 'quotation not word for word', 'quotations not word for word')]
      : []),
    ...(unknown > 0 ? [count(unknown, 'number', 'numbers') + ' without a source'] : []),
  ].join(' · ');
}
