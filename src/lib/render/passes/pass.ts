import type { Edit, Node, Scan } from '../../code';
import type { Numbering } from '../blocks/numbers';

/**
 * One pass of the render pipeline. It looks at the one scan of what the model wrote and contributes edits at offsets; none
 * sees another's output.
 */
export type Pass = (scan: Scan, context: PassContext) => Edit[];

export interface PassContext {
  /** The text is still arriving: its last block is not closed, so that what is shown only grows. */
  isOpen: boolean;
  /** The text is a piece of an answer that is still arriving: what is shown is decided by what stands first. */
  isArriving?: boolean;
  /** Remote images of plain paragraphs are drawn: the person allowed them. Otherwise they are links. */
  drawsImages?: boolean;
  /** The number of the source at an address, 0 if it is none's. */
  numberOf?: (address: string) => number;
  /** The text that stands right before the scanned one: a line or two are enough. */
  before?: string;
  /** The first row of a table that stands right below the text. */
  rowBelow?: string;
  /** The list that the first block goes on with. */
  list?: ListState;
}

/** What the next item of a list needs to know of the items before it. */
export interface ListState {
  /** How far it has counted, in an ordered list. */
  numbering?: Numbering;
  /** Whether something was lifted out of the list, so that it begins anew behind that. */
  isSplit: boolean;
}

/** The nodes of these types, outermost first, in the order of the text. */
export function nodes(tree: Node, types: ReadonlySet<string>, out: Node[] = []): Node[] {
  for (const child of tree.children) {
    if (types.has(child.type)) out.push(child);
    else nodes(child, types, out);
  }
  return out;
}

/** The blocks of the top level. */
export const topBlocks = (tree: Node): Node[] =>
  tree.children.filter(({ type }) => !/^(?:lineEnding|lineEndingBlank|linePrefix)$/.test(type));
