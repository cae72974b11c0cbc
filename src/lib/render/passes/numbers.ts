import type { Edit, Node } from '../../code';
import { numberItems, type Numbering } from '../blocks/numbers';
import { topBlocks, type Pass } from './pass';

/** The delimiter of an item whose number does not go on from the one before it. See `numberItems`. */
export const numberPass: Pass = ({ text, tree }, { list }) => {
  const edits: Edit[] = [];
  const visit = (node: Node, earlier: Numbering | undefined): void => {
    if (node.type === 'listOrdered') {
      for (const { delimiter, marker } of numberItems(text, node, earlier).items.values()) {
        const { start, end } = delimiter;
        if (text.slice(start, end) !== marker) edits.push({ start, end, text: marker });
      }
    }
    for (const each of node.children) visit(each, undefined);
  };
  for (const [i, block] of topBlocks(tree).entries())
    visit(block, i === 0 ? list?.numbering : undefined);
  return edits;
};
