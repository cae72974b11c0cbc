import type { Edit, Node, Scan } from '../../code';
import { fenceLanguage } from '../language';
import { nodes, type Pass, type PassContext } from './pass';

const FENCED = new Set(['codeFenced']);

/** The language label of a fence is drawn as rich text: only what a language name can hold may stay. */
function infoEdits(text: string, fence: Node): Edit[] {
  const sequence = fence.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (!sequence) return [];
  const info = text.slice(sequence.end, fence.end);
  const language = fenceLanguage(info);
  return info === language ? [] : [{ start: sequence.end, end: fence.end, text: language }];
}

/** Closes a fence that the text leaves open: in a longer document it would swallow what follows, or change places with it. */
function closingEdit({ text, tree }: Scan, code: Node, fences: readonly Node[]): Edit[] {
  const isLast = tree.children.at(-1) === code || text.slice(code.end).trim() === '';
  const opener = fences[0]?.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (fences.length > 1 || !isLast || !tree.children.includes(code) || !opener) return [];
  const run = text.slice(opener.start, opener.end);
  return [
    { start: code.end, end: code.end, text: `${text[code.end - 1] === '\n' ? '' : '\n'}${run}` },
  ];
}

export const fencePass: Pass = (scan, { isOpen }) =>
  nodes(scan.tree, FENCED).flatMap((code) => {
    const fences = code.children.filter((child) => child.type === 'codeFencedFence');
    const opening = fences[0];
    return [
      ...(opening ? infoEdits(scan.text, opening) : []),
      ...(isOpen ? [] : closingEdit(scan, code, fences)),
    ];
  });

/** Code behind a list is cut into two blocks by micromark where the list ends: blocks right under each other are one. */
function indentedBlocks(node: Node, out: Node[][] = []): Node[][] {
  let group: Node[] | undefined;
  for (const child of node.children) {
    if (child.type === 'codeIndented') {
      if (group) group.push(child);
      else out.push((group = [child]));
    } else if (!/^(?:lineEnding|lineEndingBlank|linePrefix)$/.test(child.type)) {
      group = undefined;
      indentedBlocks(child, out);
    }
  }
  return out;
}

function indentedEdits({ text }: Scan, blocks: readonly Node[], { isOpen }: PassContext): Edit[] {
  const parts = blocks.flatMap(({ children }) => children);
  const start = blocks[0]?.start ?? 0;
  const end = blocks.at(-1)?.end ?? start;
  const values = parts.filter(({ type }) => type === 'codeFlowValue');
  const runs = values.flatMap((value) => text.slice(value.start, value.end).match(/`+/g) ?? []);
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const margins = parts
    .filter((part, i) => part.type === 'linePrefix' && (i === 0 || part.start > start))
    .map((margin) => ({ start: margin.start, end: margin.end, text: '' }));
  const [first, ...others] = margins;
  // In a container a part of a tab can belong to the code.
  const lead = ' '.repeat(values[0]?.virtualSpaces ?? 0);
  const close = text[end - 1] === '\n' ? `${fence}\n` : `\n${fence}`;
  return [
    { start, end: first?.end ?? start, text: `${fence}\n${lead}` },
    ...others,
    ...(isOpen && text.slice(end).trim() === '' ? [] : [{ start: end, end, text: close }]),
  ];
}

/**
 * Indented code as fenced code. Four spaces are code only as long as what stands before them is what it was; a fence is
 * code wherever it stands.
 */
export const indentedPass: Pass = (scan, context) =>
  indentedBlocks(scan.tree).flatMap((blocks) => indentedEdits(scan, blocks, context));
