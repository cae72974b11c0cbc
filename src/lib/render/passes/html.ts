import type { Node, Scan } from '../../code';
import { codeOfTags, lowerHtmlBlock, lowerTags } from '../../html';
import { trimmed } from '../blocks/leaf';
import { lineGaps } from '../blocks/lines';
import { nodes, type Pass } from './pass';

const HTML_BLOCK = new Set(['htmlFlow']);

/** A block of HTML as Markdown of the top level; empty if nothing of it is drawn. */
export function lowerBlock({ text }: Scan, block: Node): string {
  let raw = '';
  let at = block.start;
  for (const { start, end } of lineGaps(text, block)) {
    raw += text.slice(at, start);
    at = end;
  }
  return lowerHtmlBlock(raw + text.slice(at, block.end));
}

/** What stands right under a block of HTML is a block of its own; in a list or quote, `structure` sees to that. */
const endsAbruptly = ({ text }: Scan, block: Node): boolean =>
  /^\r?\n(?![ \t]*\r?\n)/.test(text.slice(block.end, block.end + 200));

/** So is what stands right above one. */
function beginsAbruptly({ text }: Scan, block: Node, before: string): boolean {
  const above = (before + text.slice(Math.max(0, block.start - 200), block.start)).slice(-200);
  return /\S[ \t]*\r?\n[ \t]*$/.test(above);
}

/** `<code>…</code>`: comes before all other passes. */
export const htmlCodePass: Pass = codeOfTags;

/** Raw HTML: tags between words, and blocks. */
export const htmlPass: Pass = (scan, { isOpen, before = '' }) => {
  const top = new Set(scan.tree.children);
  return [
    ...lowerTags(scan),
    ...nodes(scan.tree, HTML_BLOCK).map((node) => {
      const block = trimmed(scan.text, node);
      const text = lowerBlock(scan, block);
      const isTop = top.has(node) && text !== '';
      const lead = isTop && beginsAbruptly(scan, block, before) ? '\n' : '';
      const trail = top.has(node) && !isOpen && endsAbruptly(scan, block) ? '\n' : '';
      return { start: block.start, end: block.end, text: lead + text + trail };
    }),
  ];
};
