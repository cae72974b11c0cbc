import { analyse, type Analysis } from '../citations';
import { applyEdits, prepare, scan } from '../code';

import { closingEdits, openFormulaEdits } from './copy/ends';
import { footnoteEdits, footnoteLabels } from './copy/footnotes';
import { definitionEdits, ownRows, rowEscapes } from './copy/rows';
import { referencePass } from './passes';
import type { Rendered, RenderOptions } from './pipeline';

interface CopyOptions extends RenderOptions {
  /** Other answers, or a question, speak in the same document: the model's own footnotes would meet theirs, so they become text. */
  isShared?: boolean;
  /** Markers become `[^label]`; the label is `prefix` and the number. Absent = markers become links. */
  footnotes?: { prefix: string };
}

interface CopyRendered extends Rendered {
  /** Labels of the footnotes, by the number of the source; empty without `footnotes`. */
  labels: Map<number, string>;
}

/**
 * Model Markdown as Markdown for another program: markers as links or footnotes, everything else as the model wrote it.
 *
 * No link definition is left, because one answer's definition would link another answer's literal `[1]` in the same
 * document: reference links become inline ones, an unused definition becomes text. What the text leaves open at its end
 * (a fence, a block of HTML, a display formula) is closed or made text, or it would swallow what is put behind it. Total:
 * never throws.
 */
export function renderForCopy(markdown: string, options: CopyOptions = {}): CopyRendered {
  const { sources = [], isShared = false, footnotes } = options;
  const scanned = scan(prepare(markdown));
  const analysis: Analysis = analyse(scanned, sources);
  const { cited } = analysis;
  const kept = isShared ? [] : ownRows(scanned, analysis);
  const labels = footnotes
    ? footnoteLabels(cited, footnotes.prefix, kept)
    : new Map<number, string>();
  const context = { scan: scanned, analysis, isShared, hasFootnotes: footnotes !== undefined };
  const text = applyEdits(
    markdown,
    footnotes ? footnoteEdits(context, labels) : analysis.edits,
    definitionEdits(context, kept),
    referencePass(scanned, { isOpen: false }),
    rowEscapes(context, labels),
    openFormulaEdits(scanned),
    closingEdits(scanned),
  );
  return { text, cited, labels };
}
