import type { Evidence } from '../types';

/**
 * Where a passage stands, in few signs: `p. 4`, `pp. 4–5`, `¶12` (the block of its document), `search result` for the lines
 * of a search row, or nothing where no place is known.
 */
export function evidencePlace({
  page,
  pageEnd,
  number,
  start,
}: Pick<Evidence, 'page' | 'pageEnd' | 'number' | 'start'>): string {
  if (page !== undefined)
    return pageEnd !== undefined && pageEnd > page ? `pp. ${page}–${pageEnd}` : `p. ${page}`;
  if (number !== undefined) return `¶${number}`;
  return start === undefined ? 'search result' : '';
}
