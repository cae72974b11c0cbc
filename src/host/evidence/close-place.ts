import { findEvidence } from '../../lib/evidence';
import type { Evidence, QuoteCheck, Turn } from '../../lib/types';
import { passagesBehind } from './behind';

/** UTF-16 units of a quotation that are looked for: a longer one is a text of its own. */
const MAX_UNITS = 2_000;

/** Quotations that are close and are looked for. An answer has a handful. */
const MAX_QUOTATIONS = 50;

/** Signs of Markdown and quotation marks: they are not compared, and would begin something of their own. */
const SIGNS = /["“”„‟«»‹›「」『』[\]*`$<>|\\#~]/gu;

const wordsOf = (response: string, { start, end }: QuoteCheck): string =>
  response
    .slice(start, Math.min(end, start + MAX_UNITS))
    .replace(SIGNS, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

/** Whether the words of a quotation stand in a text, word for word or nearly so. */
export function holds(
  text: string,
  { response }: Pick<Turn, 'response'>,
  quote: QuoteCheck,
): boolean {
  const words = wordsOf(response, quote);
  if (words === '' || text === '') return false;
  const { quotes } = findEvidence(
    {
      response: `“${words}” [1].`,
      toolCalls: [
        {
          name: 'read',
          arguments: {},
          result: text,
          isError: false,
          sources: [{ index: 1, title: '', url: 'https://page.example/', status: 'read' }],
          shown: [{ index: 1, at: 0, length: text.length, start: 0 }],
        },
      ],
    },
    [],
  );
  return quotes.some(({ status }) => status === 'exact' || status === 'close');
}

/**
 * Where quotations stand that are close and not word for word: only the status is kept of them, so they are looked for once more.
 * First in the passages behind their markers, then in all that this turn was shown of their source. What it was shown in
 * an earlier turn is not there; such a quotation has no entry.
 */
export function closePlaces(turn: Turn): Map<QuoteCheck, Evidence> {
  const { response, toolCalls, carried, quotes = [] } = turn;
  const places = new Map<QuoteCheck, Evidence>();
  const asked = new Map<number, QuoteCheck>();
  let text = '';
  for (const quote of quotes.filter(({ status }) => status === 'close').slice(0, MAX_QUOTATIONS)) {
    const kept = passagesBehind(turn, quote.index, [quote.marker]).find((row) =>
      holds(row.quote, turn, quote),
    );
    if (kept !== undefined) {
      places.set(quote, kept);
      continue;
    }
    text += `${wordsOf(response, quote)} `;
    asked.set(text.length, quote);
    text += `[${quote.index}].\n\n`;
  }
  if (asked.size === 0) return places;
  const found = findEvidence(
    { response: text, toolCalls, ...(carried === undefined ? {} : { carried }) },
    [],
  );
  for (const row of found.evidence) {
    for (const marker of row.markers) {
      const quote = asked.get(marker);
      if (quote?.index === row.index && holds(row.quote, turn, quote)) places.set(quote, row);
    }
  }
  return places;
}
