import { analyse } from '../citations';
import { applyEdits, scan, type Scan } from '../code';
import type { Source } from '../types';

import {
  type Pass,
  addressPass,
  definitionPass,
  fencePass,
  htmlPass,
  linkPass,
  mathsPass,
  referencePass,
  taskPass,
  tildePass,
} from './passes';

/** In order of precedence: where two passes want the same place, the earlier one has it. */
const passes = [
  mathsPass,
  definitionPass,
  linkPass,
  htmlPass,
  fencePass,
  taskPass,
  addressPass,
  tildePass,
];

export interface RenderOptions {
  /** The turn's sources; without them no marker is linked. */
  sources?: readonly Source[];
}

/** What the pane draws, and the numbers that became links (or were links to their source already). */
export interface Rendered {
  text: string;
  cited: Set<number>;
}

function run(scanned: Scan, sources: readonly Source[], wanted: readonly Pass[]): Rendered {
  const { edits, cited } = analyse(scanned, sources);
  const text = applyEdits(scanned.text, edits, ...wanted.map((pass) => pass(scanned)));
  return { text, cited };
}

/** Renders a scanned text for the pane: citations first, then every other pass, applied once. */
export const renderScan = (scanned: Scan, sources: readonly Source[]): Rendered =>
  run(scanned, sources, passes);

/**
 * Model Markdown as Markdown for another program: markers linked, everything else as the model wrote it. No definition is
 * left, because one answer's definition would link another answer's literal `[1]` in the same document.
 */
export function renderForCopy(markdown: string, options: RenderOptions = {}): Rendered {
  return run(scan(markdown), options.sources ?? [], [definitionPass, referencePass]);
}

/**
 * Model Markdown in, pane Markdown out: only what the launcher draws, with nothing lost and nothing that loads or opens
 * by itself. Identity for plain prose. Total: never throws.
 */
export function renderModelOutput(markdown: string, options: RenderOptions = {}): Rendered {
  return renderScan(scan(markdown), options.sources ?? []);
}
