import type { Definition, Edit, Scan } from '../../code';
import { isContainer, leavesOf, type Leaf } from '../blocks/leaf';
import { numberItems } from '../blocks/numbers';
import { place } from '../blocks/place';
import { lowerBlock } from './html';
import { isTakenOut } from './links';
import { topBlocks, type ListState, type PassContext } from './pass';

/** What becomes of the lists and quotes of a text. */
export interface Structure {
  /** What stands between blocks. These edits come before all others. */
  gaps: Edit[];
  /** What stands between the lines of blocks that moved. These come after all others. */
  lines: Edit[];
  /** The list that may go on behind the text. */
  list: ListState | undefined;
}

/** Whether a block is taken out by another pass, so that it has no place. */
function goneIn(scan: Scan, drops: readonly Edit[]): (leaf: Leaf) => boolean {
  const definitions = new Map<number, Definition>(
    scan.definitions.map((each) => [each.start, each]),
  );
  const isOut = isTakenOut(scan);
  return ({ kind, node }) => {
    if (drops.some(({ start, end }) => start <= node.start && node.end <= end)) return true;
    if (kind === 'html') return lowerBlock(scan, node) === '';
    const definition = node.type === 'definition' ? definitions.get(node.start) : undefined;
    return definition !== undefined && isOut(definition);
  };
}

const isBlankAbove = (before: string, text: string, at: number): boolean =>
  /(?:^|\n)[ \t]*\r?\n[ \t]*$|^[ \t]*$/.test(before + text.slice(Math.max(0, at - 200), at));

/**
 * Lists and quotes as the pane draws them. `drops`: rows that another pass takes out.
 */
export function structure(scan: Scan, drops: readonly Edit[], context: PassContext): Structure {
  const { text, tree } = scan;
  const isGone = goneIn(scan, drops);
  const before = context.before ?? '';
  const result: Structure = { gaps: [], lines: [], list: undefined };
  let endedBlank = false;
  const blocks = topBlocks(tree);
  for (const [i, block] of blocks.entries()) {
    const earlier = i === 0 ? context.list : undefined;
    result.list = undefined;
    const isBelowBlank = endedBlank || isBlankAbove(before, text, block.start);
    endedBlank = false;
    if (!isContainer(block)) continue;
    const { edits, lines, isSplit, endsBlank } = place(
      scan,
      block,
      leavesOf(scan, block, earlier?.numbering),
      {
        isOpen: context.isOpen && i === blocks.length - 1,
        isSplit: earlier?.isSplit ?? false,
        isBelowText: !isBelowBlank,
        isGone,
      },
    );
    endedBlank = endsBlank;
    for (const edit of edits) result.gaps.push(edit);
    for (const edit of lines) result.lines.push(edit);
    if (block.type === 'blockQuote') continue;
    const { numbering } = numberItems(text, block, earlier?.numbering);
    result.list = { isSplit, ...(numbering ? { numbering } : {}) };
  }
  return result;
}
