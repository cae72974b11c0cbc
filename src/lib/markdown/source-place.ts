import type { Evidence, Source } from '../types';

/** Pages named in a row of the list; more would push the next source out of view. */
const MAX_PAGES = 6;

/**
 * The sources as the list of the pane names them: a local document with its file name, and one that has pages with those the
 * answer rests on, because a click opens it at its beginning (`Policy · insurance.pdf, p. 2, 4`).
 */
export function placedSources(
  sources: readonly Source[],
  evidence: readonly Evidence[] = [],
): Source[] {
  return sources.map((source) => {
    const places = [
      fileName(source),
      pagesOf(evidence.filter(({ index }) => index === source.index)),
    ];
    const place = places.filter((each) => each !== '').join(', ');
    return place === '' ? source : { ...source, title: `${source.title} · ${place}` };
  });
}

/** '' where the title says it already. */
function fileName({ kind, title, url }: Source): string {
  const name = kind === 'document' ? url.slice(url.lastIndexOf('/') + 1) : '';
  return title.includes(name) ? '' : name;
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
