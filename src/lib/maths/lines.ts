import { join, type Piece } from './pieces';
import type { Speaker } from './speaker';
import { caseLines, casesOf, equationLines, isEquations } from './tables';
import { nodesOf, type TexNode } from './tree';

/** A full stop or comma behind an environment, which belongs to its last line. */
const PUNCTUATION = /^[.,;]$/;

const isPunctuation = ({ text }: TexNode): boolean =>
  typeof text === 'string' && PUNCTUATION.test(text);

/** A number that the environment's `\\label` or numbering left behind is no part of what is drawn. */
const isBlank = ({ type }: TexNode): boolean =>
  type === 'spacing' || type === 'label' || type === 'noTag' || type === 'kern';

/** Styles and braces around the whole formula. */
function unwrapped(nodes: readonly TexNode[]): readonly TexNode[] {
  const [only, ...others] = nodes.filter((node) => !isBlank(node));
  if (only === undefined || others.length > 0) return nodes;
  return only.type === 'ordgroup' || only.type === 'styling'
    ? unwrapped(nodesOf(only.body))
    : nodes;
}

/** What is parted by `\\` outside of any environment. */
function rowsOf(pieces: readonly Piece[]): Piece[][] {
  const rows: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.role === 'break') rows.push([]);
    else rows.at(-1)?.push(piece);
  }
  return rows;
}

/** The lines of a display formula. */
export function displayLines(all: readonly TexNode[], say: Speaker): string[] {
  const nodes = unwrapped(all).filter((node) => !isBlank(node) || node.type === 'kern');
  const end = nodes.findLastIndex((node) => !isPunctuation(node) && !isBlank(node)) + 1;
  const last = nodes[end - 1];
  const behind = say.line(nodes.slice(end)).text;
  const lines = (before: readonly string[], own: readonly string[]): string[] => {
    const out = [...before, ...own];
    const final = out.pop() ?? '';
    return [...out, /[.,;]$/.test(final) ? final : final + behind];
  };
  if (last !== undefined && end === 1 && isEquations(last))
    return lines([], equationLines(last, say));
  const cases = last && casesOf(last);
  if (cases) return lines([say.line(nodes.slice(0, end - 1)).text], caseLines(cases, say));
  return rowsOf(say.pieces(unwrapped(all))).map((row) => join(row, say.tight).text);
}
