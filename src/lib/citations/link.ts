import { applyEdits, prepare, scan, type Edit, type Scan } from '../code';
import type { Source } from '../types';

import { analyse } from './analyse';

/**
 * `[spec]` right before a marker's link would be read as the text of a reference to it, and no longer as a link: its other
 * spelling `[spec][]` is read alike.
 */
function keepShortcuts({ links }: Scan, edits: readonly Edit[]): Edit[] {
  const replaced = new Set(edits.map(({ start }) => start));
  const ends = new Set(
    links
      .filter(({ form, start }) => form === 'shortcut' && !replaced.has(start))
      .map(({ end }) => end),
  );
  return edits.map((edit) =>
    ends.has(edit.start) && edit.text.startsWith('[') ? { ...edit, text: `[]${edit.text}` } : edit,
  );
}

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
  const scanned = scan(prepare(text));
  const { edits, escapes, cited } = analyse(scanned, sources);
  return { text: applyEdits(text, keepShortcuts(scanned, edits), escapes), cited };
}

/** The numbers an answer cites: the same decision as `linkCitations`. */
export function citedIndices(answer: string, sources: readonly Source[]): Set<number> {
  return linkCitations(answer, sources).cited;
}
