import { analyse, createSourceList, type SourceList } from '../citations';
import { applyEdits, prepare, scan, type Edit, type Scan } from '../code';
import type { Source } from '../types';

import {
  addressPass,
  breakPass,
  definitionPass,
  emphasisPass,
  fencePass,
  htmlCodePass,
  htmlPass,
  indentedPass,
  inertPass,
  linePass,
  linkPass,
  literalPass,
  mathsPass,
  numberPass,
  structure,
  tablePass,
  taskPass,
  tildePass,
  unparsedPass,
  type Pass,
  type ListState,
  type PassContext,
} from './passes';

/** In order of precedence: where two passes want the same place, the earlier one has it. */
const passes: readonly Pass[] = [
  htmlCodePass,
  mathsPass,
  definitionPass,
  linkPass,
  htmlPass,
  fencePass,
  indentedPass,
  numberPass,
  taskPass,
  addressPass,
  breakPass,
  literalPass,
  emphasisPass,
  tildePass,
  inertPass,
  linePass,
  unparsedPass,
];

export interface RenderOptions {
  /** The turn's sources; without them no marker is linked. */
  sources?: readonly Source[];
  /** What becomes of remote images: links with their description (the default), or images, which the pane fetches without a click. */
  images?: 'link' | 'draw';
}

/** What the pane draws, and the numbers that became links (or were links to their source already). */
export interface Rendered {
  text: string;
  cited: Set<number>;
}

/** The scan of a text for the pane; offsets are those of `markdown`. */
export const scanForPane = (markdown: string, definedLabels: Iterable<string> = []): Scan =>
  scan(prepare(markdown), { definedLabels });

/** Draws nothing and takes no room. */
const ZERO_WIDTH_SPACE = '\u200B';

/** Keeps runs of one delimiter apart that an edit would bring together: `~~` and `~~` are no fence. */
function separate(text: string, edits: readonly Edit[]): Edit[] {
  return edits.map((edit) => {
    const before = text.charAt(edit.start - 1);
    const after = text.charAt(edit.end);
    if (edit.text === '') {
      return /[~*_`]/.test(before) && before === after ? { ...edit, text: ZERO_WIDTH_SPACE } : edit;
    }
    const lead = before === '`' && edit.text.startsWith('`') ? ZERO_WIDTH_SPACE : '';
    const trail = after === '`' && edit.text.endsWith('`') ? ZERO_WIDTH_SPACE : '';
    return lead || trail ? { ...edit, text: `${lead}${edit.text}${trail}` } : edit;
  });
}

/** The edits that stand in none of the places, which are in the order of the text. */
function outside(edits: readonly Edit[], places: readonly Edit[]): readonly Edit[] {
  if (places.length === 0) return edits;
  const placeBefore = (at: number): Edit | undefined => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.start ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    return places[low - 1];
  };
  return edits.filter(({ start }) => start >= (placeBefore(start)?.end ?? 0));
}

/** A rendered piece of a text, and what the next piece needs to know. */
export interface RenderedPiece extends Rendered {
  /** The list that may go on behind it. */
  list: ListState | undefined;
}

/**
 * Renders a scanned text for the pane: what becomes of lists, quotes and whole tables, then citations, then every other
 * pass, applied once.
 */
export function renderScan(
  scanned: Scan,
  sources: readonly Source[],
  context: PassContext = { isOpen: false },
): RenderedPiece {
  const { edits, cited, drops } = analyse(scanned, sources);
  const { gaps, lines, list: openList } = structure(scanned, drops, context);
  let list: SourceList | undefined;
  const numberOf = (address: string): number =>
    (list ??= createSourceList(sources)).indexOf(address);
  const others = passes.map((pass) =>
    separate(scanned.text, pass(scanned, { ...context, numberOf })),
  );
  const tables = tablePass(scanned, context, [edits, ...others]);
  const around = others.map((each) => outside(each, tables.codes));
  const text = applyEdits(scanned.text, gaps, tables.edits, tables.codes, edits, ...around, lines);
  return { text, cited, list: openList };
}

/**
 * Model Markdown in, pane Markdown out: only what the launcher draws, with nothing lost and nothing that loads or opens
 * by itself. Identity for plain prose. Total: never throws.
 */
export function renderModelOutput(markdown: string, options: RenderOptions = {}): Rendered {
  const { text, cited } = renderScan(scanForPane(markdown), options.sources ?? [], {
    isOpen: false,
    drawsImages: options.images === 'draw',
  });
  return { text, cited };
}
