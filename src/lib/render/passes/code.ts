import type { Edit, Node, Scan } from '../../code';
import { nodes, type Pass, type PassContext } from './pass';

const FENCED = new Set(['codeFenced']);
const INDENTED = new Set(['codeIndented']);

/** The language label of a fence is drawn as rich text: only what a language name can hold may stay. */
function infoEdits(text: string, fence: Node): Edit[] {
  const sequence = fence.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (!sequence) return [];
  const info = text.slice(sequence.end, fence.end);
  const language = /^\s*([\w+#.-]{1,30})(?![^\s:{,;])/.exec(info)?.[1] ?? '';
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

function indentedEdits({ text }: Scan, code: Node, { isOpen }: PassContext): Edit[] {
  const values = code.children.filter((child) => child.type === 'codeFlowValue');
  const runs = values.flatMap(({ start, end }) => text.slice(start, end).match(/`+/g) ?? []);
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const margins = code.children
    .filter(({ type, start }, i) => type === 'linePrefix' && (i === 0 || start > code.start))
    .map(({ start, end }) => ({ start, end, text: '' }));
  const [first, ...others] = margins;
  return [
    { start: code.start, end: first?.end ?? code.start, text: `${fence}\n` },
    ...others,
    ...(isOpen && text.slice(code.end).trim() === ''
      ? []
      : [{ start: code.end, end: code.end, text: `\n${fence}` }]),
  ];
}

/**
 * Indented code as fenced code. Four spaces are code only as long as what stands before them is what it was; a fence is
 * code wherever it stands.
 */
export const indentedPass: Pass = (scan, context) =>
  nodes(scan.tree, INDENTED).flatMap((code) => indentedEdits(scan, code, context));
