import { applyEdits, scan } from './code';
import { analyse } from './citations/analyse';
import type { Source } from './types';

/** Source numbers, the marker grammar, and the list under an answer. */
export { isOpenable } from './code';
export { analyse } from './citations/analyse';
export { carrySources } from './citations/carry';
export { cleanTitle, renderSources } from './citations/list';
export { createSourceList, turnSources, type SourceList } from './citations/sources';
/** @public */
export { collectSources } from './citations/sources';

/**
 * Turns the markers of an answer into links. `cited`: the numbers that became links, or were links to their source already.
 *
 * @public
 */
export function linkCitations(
  text: string,
  sources: readonly Source[],
): { text: string; cited: Set<number> } {
  if (sources.length === 0 || !/[[［【]/.test(text)) return { text, cited: new Set() };
  const { edits, escapes, cited } = analyse(scan(text), sources);
  return { text: applyEdits(text, edits, escapes), cited };
}

/** The numbers an answer cites: the same decision as `linkCitations`. */
export function citedIndices(answer: string, sources: readonly Source[]): Set<number> {
  return linkCitations(answer, sources).cited;
}
