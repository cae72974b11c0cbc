import { drawPane, type PaneBlock } from './blocks';

/** What the launcher does when a document that it shows gets a new Markdown. */
export interface PaneUpdate {
  /**
   * `none` for the same text; `start` when nothing was on screen; `append` when the document stays and its end grows;
   * `reset` when it is built anew: it scrolls to the top and forgets the selection.
   */
  effect: 'none' | 'start' | 'append' | 'reset';
  /** Why it is a reset. */
  reason?: string;
  /** Blocks before the last old one that would be drawn otherwise now: they stay on screen as they were. */
  stale: { was: PaneBlock; now: PaneBlock }[];
  /** The last old block when another kind takes its place. */
  replaced?: { was: PaneBlock; now: PaneBlock };
}

/**
 * The launcher's rule (its markdown-model.cpp): a longer text that begins with the shown one and has no fewer blocks is
 * appended, and only the last old block is compared with what it has become. Everything else is a reset.
 */
export function updatePane(previous: string, next: string): PaneUpdate {
  if (previous === next) return { effect: 'none', stale: [] };
  const old = drawPane(previous).blocks;
  if (old.length === 0) return { effect: 'start', stale: [] };
  if (!next.startsWith(previous))
    return { effect: 'reset', reason: divergence(previous, next), stale: [] };
  const now = drawPane(next).blocks;
  if (now.length < old.length) {
    const reason = `${old.length} blocks became ${now.length}; the last was ${describeBlock(old.at(-1))}`;
    return { effect: 'reset', reason, stale: [] };
  }
  const pairs = old.flatMap((was, index) => {
    const block = now[index];
    return block ? [{ was, now: block }] : [];
  });
  const last = pairs.pop();
  const update: PaneUpdate = {
    effect: 'append',
    stale: pairs.filter((pair) => !isSame(pair.was, pair.now)),
  };
  if (last && last.was.kind !== last.now.kind) update.replaced = last;
  return update;
}

function divergence(previous: string, next: string): string {
  let at = 0;
  while (at < previous.length && previous[at] === next[at]) at++;
  const was = JSON.stringify(previous.slice(at, at + 30));
  const is = JSON.stringify(next.slice(at, at + 30));
  return `at character ${at}: ${was} became ${is}`;
}

/** Kind and first words of a block, for messages. */
export function describeBlock(block: PaneBlock | undefined): string {
  return block ? `${block.kind} ${JSON.stringify(block.text.slice(0, 30))}` : 'nothing';
}

function isSame(one: PaneBlock, other: PaneBlock): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
