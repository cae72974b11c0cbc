import type { Audit } from '../../lib/evidence';
import type { QuoteCheck, Turn } from '../../lib/types';

/**
 * A quotation for each number it was looked for. One that was found has the number it was found for; one that was not was looked
 * for in the sources of all markers that stand side by side, of which only the first is kept.
 *
 * @returns the quotation itself first, then the same with the other markers and numbers
 */
export function lookedFor(
  quote: QuoteCheck,
  { turn, claims }: { turn: Pick<Turn, 'response'> } & Pick<Audit, 'claims'>,
): QuoteCheck[] {
  const { marker, index, status } = quote;
  if (status !== 'not-found') return [quote];
  const claim = claims.find(({ markers }) => markers.some(({ start }) => start === marker));
  const byNumber = new Map([[index, quote]]);
  let end: number | undefined;
  for (const each of claim?.markers ?? []) {
    if (each.start < marker) continue;
    if (end !== undefined && /[\p{L}\p{N}]/u.test(turn.response.slice(end, each.start))) break;
    end = each.end;
    for (const number of each.numbers) {
      if (!byNumber.has(number))
        byNumber.set(number, { ...quote, marker: each.start, index: number });
    }
  }
  return [...byNumber.values()];
}
