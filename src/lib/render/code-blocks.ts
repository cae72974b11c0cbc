import { scan, type Node } from '../code';
import { fenceLanguage } from './language';

/** A block of code of an answer. */
export interface CodeBlock {
  /** As the pane labels it: `[\w+#.-]{0,30}`, '' for none. */
  language: string;
  /** The code as the model wrote it, byte for byte, without a line ending at its end. */
  code: string;
}

const BREAK = new Set(['lineEnding', 'lineEndingBlank']);
const BETWEEN = new Set([...BREAK, 'linePrefix', 'listItemIndent', 'blockQuotePrefix']);

/** Blocks of code in order. Indented code that the parser cuts in two (where a list ends) is one block, as in the pane. */
function codeNodes(node: Node, out: Node[][] = []): Node[][] {
  let group: Node[] | undefined;
  for (const child of node.children) {
    if (child.type === 'codeIndented') {
      if (group) group.push(child);
      else out.push((group = [child]));
    } else if (child.type === 'codeFenced') {
      group = undefined;
      out.push([child]);
    } else if (!BETWEEN.has(child.type)) {
      group = undefined;
      codeNodes(child, out);
    }
  }
  return out;
}

/** The columns of a tab that a container took only in part are spaces of the code. */
const valueOf = (text: string, { start, end, virtualSpaces = 0 }: Node): string =>
  ' '.repeat(virtualSpaces) + text.slice(start, end);

/** Blank lines between two parts of indented code: what they have beyond four columns belongs to it. */
const blankLines = (text: string): string =>
  text.slice(0, text.lastIndexOf('\n') + 1).replace(/\n(?: {0,3}\t| {1,4})/g, '\n');

function codeOf(text: string, blocks: readonly Node[]): string {
  let code = '';
  for (const [i, block] of blocks.entries()) {
    const previous = blocks[i - 1];
    if (previous) code += blankLines(text.slice(previous.end, block.start));
    for (const part of block.children) {
      if (part.type === 'codeFlowValue') code += valueOf(text, part);
      else if (BREAK.has(part.type))
        code += /\r?\n|\r/.exec(text.slice(part.start, part.end))?.[0] ?? '';
    }
  }
  return code;
}

/** Without the line endings behind its opening and before its closing; an open one ends with that of its last line, if at all. */
function fencedCode(text: string, block: Node): string {
  const code = codeOf(text, [block]).replace(/^(?:\r\n|\n|\r)/, '');
  const isClosed = block.children.filter(({ type }) => type === 'codeFencedFence').length > 1;
  // Open, and with blanks in its last line: that is a line of the code.
  const endsInLine = !isClosed && block.children.at(-1)?.type === 'linePrefix';
  return endsInLine ? code : code.replace(/(?:\r\n|\n|\r)$/, '');
}

function infoOf(text: string, block: Node): string {
  const fence = block.children.find(({ type }) => type === 'codeFencedFence');
  const run = fence?.children.find(({ type }) => type === 'codeFencedFenceSequence');
  return fence && run ? text.slice(run.end, fence.end) : '';
}

/**
 * The blocks of code of a text, fenced and indented, in the order in which the pane shows them, wherever they stand: marks
 * and indentation of the lists and quotes around them are not theirs. A long line is cut off in the pane; this is how to
 * get at all of it.
 */
export function codeBlocks(markdown: string): CodeBlock[] {
  const { text, tree } = scan(markdown);
  return codeNodes(tree).map((blocks) => {
    const [first] = blocks;
    return first?.type === 'codeFenced'
      ? { language: fenceLanguage(infoOf(text, first)), code: fencedCode(text, first) }
      : { language: '', code: codeOf(text, blocks) };
  });
}
