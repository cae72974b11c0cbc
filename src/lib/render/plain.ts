import type { Node, Scan } from '../code';

/**
 * Text that changes nothing about what stands before it. Most chunks of an answer are of this kind, and need no scan.
 */

/** In what a text ends: the plain text of a line, or a line of code in a fence. */
export type Ending = 'prose' | 'code';

/** Letters, digits, and punctuation that opens and closes nothing in Markdown, wherever on a line that holds text already. */
const PROSE = /^[\p{L}\p{N} ,.;'"’“”–—、。，；！？]+$/u;

/** `h` at the start of a word may become an address. */
const MAY_BE_ADDRESS = /(?:^|[^\w/])h/i;

/** A line of code goes on until its line ending; only the fence's own characters can be more than code, and some are replaced. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CODE = /^[^\0-\x08\x0A-\x1F\x7F\uFEFF`~]+$/;

const lastLeaf = (node: Node): Node => {
  const last = node.children.at(-1);
  return last ? lastLeaf(last) : node;
};

/** In what a scanned text ends, or undefined where the next character may change something that stands before it. */
export function endingOf({ text, tree, runs }: Scan): Ending | undefined {
  const leaf = lastLeaf(tree);
  if (leaf.type === 'codeFlowValue') return leaf.end === text.length ? 'code' : undefined;
  const run = runs.at(-1);
  if (run === undefined || !/^ *$/.test(text.slice(run.end))) return undefined;
  // More letters would lengthen an address that is a link by now.
  const word = text.slice(text.lastIndexOf(' ', run.end - 1) + 1, run.end);
  return word.includes('://') ? undefined : 'prose';
}

/** Whether `chunk`, behind a text with that ending, is shown as it is and changes nothing before it. `last` is the text's last character. */
export function isPlain(chunk: string, ending: Ending, last: string): boolean {
  if (ending === 'code') return CODE.test(chunk);
  return PROSE.test(chunk) && !MAY_BE_ADDRESS.test(last + chunk);
}
