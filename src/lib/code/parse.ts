import { parse as createParser, postprocess, preprocess } from 'micromark';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';
import type { Event } from 'micromark-util-types';

import { mathsSyntax } from './maths-syntax';
import { openTags } from './open-tag';

/** A node of the syntax tree. `type` is micromark's token name; `start` and `end` are UTF-16 offsets into the text. */
export interface Node {
  type: string;
  start: number;
  end: number;
  children: Node[];
}

export interface ParseOptions {
  /** Labels of link definitions that stand outside of `text` (earlier blocks of the same answer). */
  definedLabels?: Iterable<string>;
}

// micromark's own tables say: strikethrough with one tilde is on by default, as in the launcher's cmark-gfm.
const dialect = [gfmTable(), gfmStrikethrough(), openTags()];

function events(text: string, flowMaths: boolean, options: ParseOptions): Event[] {
  const parser = createParser({ extensions: [...dialect, mathsSyntax(flowMaths)] });
  for (const label of options.definedLabels ?? []) parser.defined.push(normalizeIdentifier(label));
  return postprocess(parser.document().write(preprocess()(text, undefined, true)));
}

function toTree(list: Event[], shift: number, length: number): Node {
  const root: Node = { type: 'root', start: 0, end: length, children: [] };
  const open: Node[] = [root];
  for (const [kind, token] of list) {
    if (kind === 'enter') {
      const node: Node = {
        type: token.type,
        start: token.start.offset + shift,
        end: token.end.offset + shift,
        children: [],
      };
      open.at(-1)?.children.push(node);
      open.push(node);
    } else open.pop();
  }
  return root;
}

/** A `$$` line without its partner would swallow the rest of the answer as one formula. */
const hasOpenFormula = (node: Node): boolean =>
  node.type === 'mathFlow'
    ? node.children.filter((child) => child.type === 'mathFlowSequence').length < 2
    : node.children.some(hasOpenFormula);

/**
 * The one parse: CommonMark with GFM tables and strikethrough (the launcher's dialect) and maths, as a tree with exact
 * offsets into `text`. Never throws on any string.
 */
export function parse(text: string, options: ParseOptions = {}): Node {
  // micromark drops a byte order mark without counting it.
  const shift = text.startsWith('\uFEFF') ? 1 : 0;
  const tree = toTree(events(text, true, options), shift, text.length);
  if (!text.includes('$$') && !text.includes('\\[')) return tree;
  return hasOpenFormula(tree) ? toTree(events(text, false, options), shift, text.length) : tree;
}
