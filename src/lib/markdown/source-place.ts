import type { Evidence, Source } from '../types';

/** Pages named in a row of the list; more would push the next source out of view. */
const MAX_PAGES = 6;

/**
 * The sources as the list of the pane names them: one that has pages with those the answer rests on, because a click opens a
 * local file at its beginning (`Policy, p. 2, 4`). Without evidence of pages the list is that of every copy.
 */
export function placedSources(
  sources: readonly Source[],
  evidence: readonly Evidence[] = [],
): Source[] {
  return sources.map((source) => {
    const pages = pagesOf(evidence.filter(({ index }) => index === source.index));
    const isNamed = pages !== '' && source.title.trim() !== '';
    return isNamed ? { ...source, title: `${source.title}, ${pages}` } : source;
  });
}

/** `p. 2, 4`: each page once, rising. */
function pagesOf(rows: readonly Evidence[]): string {
  const pages = new Set<number>();
  for (const { page, pageEnd } of rows) {
    if (page !== undefined) pages.add(page);
    if (page !== undefined && pageEnd !== undefined && pageEnd > page) pages.add(pageEnd);
  }
  const sorted = [...pages].sort((a, b) => a - b);
  const shown = sorted.slice(0, MAX_PAGES).join(', ');
  return shown === '' ? '' : `p. ${shown}${sorted.length > MAX_PAGES ? ' …' : ''}`;
}
