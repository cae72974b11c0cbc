import { drawPane, drawPlainText } from '../pane-model';
import type { MarkdownFrame } from './markdown-log';
import type { PaneNode } from './protocol';

/** What would have happened without a click while the frames were on screen. */
export interface PaneHazards {
  /** Addresses the launcher would have loaded. */
  fetches: string[];
  /** Reasons for which its process would have ended. */
  crashes: string[];
  /** Parts of a Markdown text that were not drawn. */
  dropped: string[];
}

/** Props that the launcher draws as labels with AutoText. */
const LABELS = [
  'title',
  'subtitle',
  'navigationTitle',
  'searchBarPlaceholder',
  'description',
  'text',
  'target',
  'tooltip',
  'placeholder',
  'label',
  'info',
  'error',
];

/** Adds the label strings of a view to `labels`. */
export function collectLabels(node: PaneNode, labels: Set<string>): void {
  for (const name of LABELS) collectStrings(node.props[name], labels);
  collectStrings(node.props.accessories, labels);
  for (const child of node.children) collectLabels(child, labels);
}

function collectStrings(value: unknown, labels: Set<string>): void {
  if (typeof value === 'string') labels.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) collectStrings(part, labels);
}

/** Judges everything that was shown. Each distinct Markdown is drawn once, so a long stream takes its time. */
export function findHazards(
  labels: Iterable<string>,
  frames: readonly MarkdownFrame[],
): PaneHazards {
  const fetches = new Set<string>();
  const crashes = new Set<string>();
  const dropped = new Set<string>();
  for (const label of labels) for (const url of drawPlainText(label).fetches) fetches.add(url);
  for (const markdown of new Set(frames.map((frame) => frame.markdown))) {
    const drawing = drawPane(markdown);
    for (const url of drawing.fetches) fetches.add(url);
    for (const reason of drawing.crashes) crashes.add(reason);
    for (const part of drawing.dropped) dropped.add(part);
  }
  return { fetches: [...fetches], crashes: [...crashes], dropped: [...dropped] };
}
