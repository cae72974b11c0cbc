import type { Node } from '../code';

import type { Span } from './sentences';

/** A block of an answer. `inner`: of code, what stands between its fences. */
export interface Block extends Span {
  kind: 'paragraph' | 'heading' | 'list' | 'table' | 'quote' | 'code';
  inner?: Span;
}

const KINDS: Readonly<Record<string, Block['kind']>> = {
  paragraph: 'paragraph',
  unparsed: 'paragraph',
  atxHeading: 'heading',
  setextHeading: 'heading',
  listUnordered: 'list',
  listOrdered: 'list',
  table: 'table',
  blockQuote: 'quote',
  codeFenced: 'code',
  codeIndented: 'code',
};

/** Rules, formulas, tags and definitions are passed over: the block that says something stands before them. */
function blockOf(node: Node): Block | undefined {
  const { type, start, end, children } = node;
  if (type === 'content') {
    const last = children.findLast((child) => KINDS[child.type] !== undefined);
    return last && blockOf(last);
  }
  const kind = KINDS[type];
  if (kind === undefined) return undefined;
  const lines = kind === 'code' ? children.filter((child) => child.type === 'codeFlowValue') : [];
  const [first] = lines;
  const last = lines.at(-1);
  return {
    kind,
    start,
    end,
    ...(first && last ? { inner: { start: first.start, end: last.end } } : {}),
  };
}

/** The nodes that hold a place, from the outermost on. */
function pathTo(tree: Node, at: number): Node[] {
  const path: Node[] = [];
  let node: Node | undefined = tree;
  while (node) {
    path.push(node);
    node = node.children.find(({ start, end }) => start <= at && at < end);
  }
  return path;
}

/**
 * The block right above the one that begins at `at`; of the first in a list or quote, the one above that. Nothing where the answer
 * begins there.
 *
 * @param isEmpty whether a block says nothing: it is passed over
 */
export function blockAbove(
  tree: Node,
  at: number,
  isEmpty: (block: Span) => boolean,
): Block | undefined {
  for (const { children } of pathTo(tree, at).reverse()) {
    const own = children.findIndex(({ start, end }) => start <= at && at < end);
    for (let n = own - 1; n >= 0; n -= 1) {
      const sibling = children[n];
      const block = sibling && blockOf(sibling);
      if (block && (block.kind === 'code' || !isEmpty(block))) return block;
    }
  }
  return undefined;
}

/** The outermost block of a kind that holds a place. */
export function blockAround(tree: Node, at: number, kind: Block['kind']): Block | undefined {
  for (const node of pathTo(tree, at)) {
    if (KINDS[node.type] === kind) return blockOf(node);
  }
  return undefined;
}
