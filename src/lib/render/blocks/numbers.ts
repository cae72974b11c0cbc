import type { Node } from '../../code';

/** What an item of an ordered list needs to know of the items before it. */
export interface Numbering {
  /** The number it has if it goes on counting. */
  next: number;
  /** The number that was written last. */
  written: number;
  /** All items so far were written with one number (`1. 1. 1.`), which leaves the counting to the reader. */
  isRepeated: boolean;
  /** The delimiter that the last item has in the pane. */
  marker: string;
}

interface NumberedItem {
  ordinal: number;
  /** Where its digits are written. */
  value: Node;
  /** Where its delimiter is written, and the one it has in the pane. */
  delimiter: Node;
  marker: string;
}

const child = (node: Node, type: string): Node | undefined =>
  node.children.find((each) => each.type === type);

/**
 * The numbers of an ordered list as a reader would read them. A parser counts on from the first item, so that years and
 * countdowns (`1837. … 1963.`, `3. 2. 1.`) become other numbers; here a number that does not go on counting is what was
 * written. To the parser it begins a list of its own if its delimiter is the other one (CommonMark 0.31.2, example 302).
 *
 * @param earlier how far an earlier part of the list has come
 * @returns by the item's prefix; empty for a bullet list
 */
export function numberItems(
  text: string,
  list: Node,
  earlier?: Numbering,
): { items: Map<Node, NumberedItem>; numbering: Numbering | undefined } {
  const items = new Map<Node, NumberedItem>();
  let numbering = earlier;
  for (const prefix of list.children) {
    const value = child(prefix, 'listItemValue');
    const delimiter = child(prefix, 'listItemMarker');
    if (!value || !delimiter) continue;
    const written = Number(text.slice(value.start, value.end));
    const isRepeated =
      numbering === undefined || (numbering.isRepeated && written === numbering.written);
    const goesOn = numbering === undefined || isRepeated || written === numbering.next;
    const ordinal = goesOn ? (numbering?.next ?? written) : written;
    const own = numbering?.marker ?? text.slice(delimiter.start, delimiter.end);
    const marker = goesOn ? own : own === '.' ? ')' : '.';
    items.set(prefix, { ordinal, value, delimiter, marker });
    numbering = { next: ordinal + 1, written, isRepeated, marker };
  }
  return { items, numbering };
}
