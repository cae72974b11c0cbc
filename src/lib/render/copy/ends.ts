import { escapeMarkdown, type Edit, type Node, type Scan } from '../../code';

/** What a text leaves open at its end, and would swallow whatever is put behind it. */

const BLANK = new Set(['lineEnding', 'lineEndingBlank', 'linePrefix', 'listItemIndent']);
const CONTAINERS = new Set(['blockQuote', 'listOrdered', 'listUnordered']);

const lastBlock = (node: Node): Node | undefined =>
  node.children.findLast((child) => !BLANK.has(child.type));

/** How the blocks of HTML begin that end at a mark of their own and not at a blank line (CommonMark 4.6, kinds 1 to 5), and that mark. */
const MARKED_ENDS: readonly [opening: RegExp, end: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?![^\s>])/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
];

const isOpenHtml = (raw: string): boolean => {
  const kind = MARKED_ENDS.find(([opening]) => opening.test(raw));
  return kind !== undefined && !kind[1].test(raw);
};

const escapeLines = (text: string): string =>
  text
    .split(/(\r\n|\r|\n)/)
    .map((part, i) => (i % 2 === 1 ? part : escapeMarkdown(part)))
    .join('');

/** The line's containers once more: a list marker becomes spaces, quote marks stay. */
function containerPrefix(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return line.replace(/[^>\s]/g, ' ');
}

function fenceEdit(text: string, code: Node, isNested: boolean): Edit[] {
  const fences = code.children.filter((child) => child.type === 'codeFencedFence');
  const run = fences[0]?.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (fences.length !== 1 || !run) return [];
  const fence = text.slice(run.start, run.end);
  if (!isNested) {
    const end = text.length;
    return [{ start: end, end, text: `${/[\r\n]$/.test(text) ? '' : '\n'}${fence}` }];
  }
  // Behind a blank line a quote has ended, and the fence would open a new one.
  const end = Math.max(code.end, text.trimEnd().length);
  const prefix = containerPrefix(text, code.start);
  return [{ start: end, end: text.length, text: `\n${prefix}${fence}` }];
}

/** Closes a fence that is open at the end; a block of HTML that would go on to the end of the document is shown as text. */
export function closingEdits({ text, tree }: Scan): Edit[] {
  let last = lastBlock(tree);
  const isHtml = last?.type === 'htmlFlow';
  if (last && isHtml) {
    const raw = text.slice(last.start);
    return isOpenHtml(raw) ? [{ start: last.start, end: text.length, text: escapeLines(raw) }] : [];
  }
  let isNested = false;
  while (last && CONTAINERS.has(last.type)) {
    isNested = true;
    last = lastBlock(last);
  }
  return last?.type === 'codeFenced' ? fenceEdit(text, last, isNested) : [];
}

/**
 * A display formula that nothing closes (an answer that was stopped within one) takes everything up to the next `$$` with
 * it, in programs that draw formulas: its dollars are escaped.
 */
export function openFormulaEdits({ text, runs }: Scan): Edit[] {
  const marks = runs.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/\${2,}/g)].map(({ index, 0: mark }) => ({
      start: start + index,
      end: start + index + mark.length,
      text: '\\$'.repeat(mark.length),
    })),
  );
  return marks.length % 2 === 1 ? marks : [];
}
