import type { Node, Scan } from '../code';

const IGNORED = new Set(['lineEnding', 'lineEndingBlank', 'linePrefix']);

/** Starts of the pieces that can be rendered on their own: top-level blocks, and the items of a top-level list. */
function pieceStarts(tree: Node): number[] {
  return tree.children
    .filter((child) => !IGNORED.has(child.type))
    .flatMap((child) =>
      child.type === 'listOrdered' || child.type === 'listUnordered'
        ? child.children.filter((each) => each.type === 'listItemPrefix').map((each) => each.start)
        : [child.start],
    );
}

/** The start of the physical line that holds `at`: a piece takes its indentation with it. */
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** Where the last piece of a text begins; everything before it is complete. */
export function lastPiece({ text, tree }: Scan): number {
  return lineStart(text, pieceStarts(tree).at(-1) ?? 0);
}

/** Whether a list of the top level goes on at `at`, the start of one of its items. */
export function goesOn({ text, tree }: Scan, at: number): boolean {
  return tree.children.some(
    ({ type, start, end }) =>
      (type === 'listOrdered' || type === 'listUnordered') &&
      lineStart(text, start) < at &&
      at < end,
  );
}

/** The first row of a table of the top level that begins on the line that starts at `at`. */
export function rowAt({ text, tree }: Scan, at: number): string | undefined {
  const table = tree.children.find(
    ({ type, start }) => type === 'table' && lineStart(text, start) === at,
  );
  return table && text.slice(table.start, table.end).split(/[\r\n]/, 1)[0];
}

const TEXT_BLOCKS = new Set(['paragraph', 'atxHeading', 'setextHeading', 'tableRow', 'htmlFlow']);

/** Where the last text block of a piece begins; what stands before it in the piece cannot change. */
export function lastTextBlock({ text, tree }: Scan): number {
  let last = 0;
  const visit = (node: Node): void => {
    if (TEXT_BLOCKS.has(node.type)) last = node.start;
    else node.children.forEach(visit);
  };
  visit(tree);
  return lineStart(text, last);
}
