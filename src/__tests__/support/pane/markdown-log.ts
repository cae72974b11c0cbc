import { drawPane, type PaneBlock } from '../pane-model';

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
  if (!next.startsWith(previous)) {
    let at = 0;
    while (at < previous.length && previous[at] === next[at]) at++;
    const was = JSON.stringify(previous.slice(at, at + 30));
    const is = JSON.stringify(next.slice(at, at + 30));
    return { kind: 'not-an-extension', reason: `at character ${at}: ${was} became ${is}` };
  }
  const old = drawPane(previous).blocks;
  const now = drawPane(next).blocks;
  for (const [index, block] of old.entries()) {
    const later = now[index];
    const isLast = index === old.length - 1;
    if (later && (isLast ? later.kind === block.kind : sameBlock(block, later))) continue;
    const became = later ? `${later.kind} ${JSON.stringify(later.text.slice(0, 30))}` : 'nothing';
    return {
      kind: 'block-changed',
      reason: `block ${index + 1}: ${block.kind} ${JSON.stringify(block.text.slice(0, 30))} became ${became}`,
    };
  }
  return undefined;
}

function sameBlock(one: PaneBlock, other: PaneBlock): boolean {
  return one.kind === other.kind && one.text === other.text;
}
