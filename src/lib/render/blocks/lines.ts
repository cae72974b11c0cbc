import type { Node } from '../../code';

/** What stands between two lines of a block in a container: the line ending is kept, the containers' marks are not its text. */
export interface LineGap {
  /** Behind the line ending. */
  start: number;
  /** Where the block's own text goes on. */
  end: number;
  /** Columns of a tab that belongs to the containers only in part. */
  lead: number;
}

const PREFIX = new Set(['listItemIndent', 'blockQuotePrefix']);
const BREAK = new Set(['lineEnding', 'lineEndingBlank']);

/** A line ending; at the edges of a code span it is padding to the parser. */
const isBreak = (text: string, { type, start }: Node): boolean =>
  BREAK.has(type) || (type === 'codeTextPadding' && /[\r\n]/.test(text.charAt(start)));

/** Line endings, container marks and pieces of text of a block, in order. */
function pieces(text: string, node: Node, out: Node[] = []): Node[] {
  for (const each of node.children) {
    if (isBreak(text, each)) {
      out.push(each);
      out.push(...each.children.filter(({ type }) => PREFIX.has(type)));
    } else if (PREFIX.has(each.type) || each.children.length === 0) out.push(each);
    else pieces(text, each, out);
  }
  return out;
}

/** The gaps between the lines of a block. */
export function lineGaps(text: string, block: Node): LineGap[] {
  // The indentation that makes code of a line goes; a part of a tab that belongs to it goes with it.
  const isIndented = block.type === 'codeIndented';
  const isFenced = block.type === 'codeFenced';
  const gaps: LineGap[] = [];
  let open: LineGap | undefined;
  const all = pieces(text, block);
  for (const [i, piece] of all.entries()) {
    const next = all[i + 1];
    const isContainers =
      piece.type === 'linePrefix' &&
      next !== undefined &&
      PREFIX.has(next.type) &&
      next.start === piece.end;
    if (isBreak(text, piece)) {
      const start = piece.start + (text.startsWith('\r\n', piece.start) ? 2 : 1);
      open = { start, end: start, lead: 0 };
      gaps.push(open);
    } else if (open && piece.start === open.end && (isContainers || PREFIX.has(piece.type)))
      open.end = piece.end;
    // The indentation of a fence goes from each of its lines.
    else if (open && piece.start === open.end && isFenced && piece.type === 'linePrefix')
      open.end = piece.end;
    else if (open) {
      if (!isIndented || piece.type !== 'linePrefix') open.lead += piece.virtualSpaces ?? 0;
      // An indentation that is only a part of a tab is followed by the rest of the line.
      if (piece.end > piece.start) open = undefined;
    }
  }
  return gaps;
}
