import type { Node, Scan } from '../../code';
import { numberItems, type Numbering } from './numbers';

/** A block quote, or one item of a list. */
export type Container = Quote | Item;

interface Quote {
  kind: 'quote';
}

export interface Item {
  kind: 'item';
  /** Where its marker begins. */
  start: number;
  /** `-`, `*`, `+`, or the delimiter behind a number: `.`, `)`. */
  marker: string;
  /** Its number, see `numberItems`; undefined in a bullet list. */
  ordinal?: number;
  /** Where the digits of its number are written. */
  value?: { start: number; end: number };
}

type LeafKind = 'text' | 'heading' | 'rule' | 'fence' | 'indented' | 'html' | 'table';

/** A block without blocks in it, and the containers around it, outermost first. */
export interface Leaf {
  kind: LeafKind;
  node: Node;
  path: Container[];
}

const KINDS: Partial<Record<string, LeafKind>> = {
  paragraph: 'text',
  definition: 'text',
  setextHeading: 'text',
  mathFlow: 'text',
  atxHeading: 'heading',
  thematicBreak: 'rule',
  codeFenced: 'fence',
  codeIndented: 'indented',
  htmlFlow: 'html',
  table: 'table',
};

const child = (node: Node, type: string): Node | undefined =>
  node.children.find((each) => each.type === type);

/** A block of HTML without the line endings at its end, which the parser counts to it where its container ends. */
export const trimmed = (text: string, block: Node): Node => ({
  ...block,
  end: block.start + text.slice(block.start, block.end).replace(/[ \t\r\n]+$/, '').length,
});

/** A node as far as the block itself reaches: an underlined heading is made to begin with the definitions above it. */
function exact(text: string, node: Node): Node {
  if (node.type === 'htmlFlow') return trimmed(text, node);
  const words = node.type === 'setextHeading' ? child(node, 'setextHeadingText') : undefined;
  return words ? { ...node, start: words.start } : node;
}

/** Whether a node of the top level holds other blocks. */
export const isContainer = ({ type }: Node): boolean =>
  type === 'blockQuote' || type === 'listOrdered' || type === 'listUnordered';

/** The leaves of a list or quote, in the order of the text. `earlier`: how far an earlier part of the list has counted. */
export function leavesOf({ text }: Scan, container: Node, earlier?: Numbering): Leaf[] {
  const leaves: Leaf[] = [];

  const items = (list: Node, path: Container[], start?: Numbering): void => {
    let item: Item | undefined;
    const numbered = numberItems(text, list, start).items;
    for (const each of list.children) {
      if (each.type !== 'listItemPrefix') {
        if (item) visit(each, [...path, item]);
        continue;
      }
      const marker = child(each, 'listItemMarker');
      item = {
        kind: 'item',
        start: each.start,
        marker: marker ? text.slice(marker.start, marker.end) : '-',
      };
      const number = numbered.get(each);
      if (!number) continue;
      item.ordinal = number.ordinal;
      item.value = { start: number.value.start, end: number.value.end };
    }
  };

  const visit = (node: Node, path: Container[], start?: Numbering): void => {
    const kind = KINDS[node.type];
    if (kind !== undefined) {
      leaves.push({ kind, node: exact(text, node), path });
    } else if (node.type === 'listOrdered' || node.type === 'listUnordered')
      items(node, path, start);
    else {
      const inner: Container[] = node.type === 'blockQuote' ? [...path, { kind: 'quote' }] : path;
      for (const each of node.children) visit(each, inner);
    }
  };

  visit(container, [], earlier);
  return leaves;
}
