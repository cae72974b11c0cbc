import { updatePane } from '../pane-model';
import { describeBlock } from '../pane-model/update';

/** One new markdown of a view or of a list row's detail. Equal ones in a row are kept once. */
export interface MarkdownFrame {
  /** Number of the frame, from 1. */
  frame: number;
  /** `view-1` is the bottom of the stack; a view pushed later never reuses a name. */
  view: string;
  /** Id of the list row, or null for a Detail view. */
  item: string | null;
  markdown: string;
}

/** A step at which the launcher starts the document anew: it scrolls to the top and forgets the selection. */
export interface MarkdownReset {
  kind: 'not-an-extension' | 'block-changed';
  reason: string;
  frame: number;
  view: string;
  item: string | null;
  previous: string;
  next: string;
}

/**
 * The steps of `frames` that are no pure appending (the launcher's markdown-model.cpp; tried on its screen): the new text does not begin
 * with the old, or it does and a block that was finished, or the kind of the last one, changed all the same. An empty
 * document may become anything.
 */
export function markdownResets(frames: readonly MarkdownFrame[]): MarkdownReset[] {
  const last = new Map<string, MarkdownFrame>();
  const resets: MarkdownReset[] = [];
  for (const entry of frames) {
    const key = JSON.stringify([entry.view, entry.item]);
    const before = last.get(key);
    last.set(key, entry);
    if (!before || before.markdown === '') continue;
    const found = compare(before.markdown, entry.markdown);
    if (found) {
      const { frame, view, item, markdown: next } = entry;
      resets.push({ ...found, frame, view, item, previous: before.markdown, next });
    }
  }
  return resets;
}

function compare(
  previous: string,
  next: string,
): Pick<MarkdownReset, 'kind' | 'reason'> | undefined {
  const { effect, reason, stale, replaced } = updatePane(previous, next);
  if (reason !== undefined)
    return { kind: next.startsWith(previous) ? 'block-changed' : 'not-an-extension', reason };
  const changed = stale[0] ?? replaced;
  if (effect !== 'append' || !changed) return undefined;
  return {
    kind: 'block-changed',
    reason: `${describeBlock(changed.was)} became ${describeBlock(changed.now)}`,
  };
}
