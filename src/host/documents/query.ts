import { fold, runsOf } from '../../lib/words';

/** UTF-16 units of a query that are looked at: what the tools let through. */
const MAX_UNITS = 400;

/** Terms that count: a long question has some thirty words, or as many pairs of characters. */
const MAX_TERMS = 48;

/** UTF-16 units of a word that count, as in what is stored (`termsOf`). */
const MAX_TERM_UNITS = 40;

/** One term of a question. */
export interface QueryTerm {
  term: string;
  /** Whether another spelling may be meant: not for numbers, and not for characters and pairs. */
  isSpelled: boolean;
}

/**
 * The terms of a question, each once. Scripts without spaces give pairs of characters; a single character only where it
 * stands alone. (`queryWords` stops after twelve, because there each one must be found: here each one only adds.)
 */
export function queryTerms(query: string): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const { text, isDense } of runsOf(fold(query.slice(0, MAX_UNITS)))) {
    const points = isDense ? Array.from(text) : [];
    const pairs = points.slice(1).map((point, place) => `${points[place] ?? ''}${point}`);
    const found = pairs.length > 0 ? pairs : [text.slice(0, MAX_TERM_UNITS)];
    const isSpelled = !isDense && !/\p{N}/u.test(text);
    for (const term of found) terms.set(term, { term, isSpelled });
  }
  return [...terms.values()].slice(0, MAX_TERMS);
}
