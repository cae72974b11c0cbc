import type { Edit, Node } from '../../code';
import { nodes, type Pass } from './pass';

/**
 * Signs that are marks to a parser and none to who wrote them: the stars of `2*3*4`, the underscores of `__init__`, the
 * backslashes of `\\server\share`.
 */

const EMPHASIS = new Set(['emphasis', 'strong']);
const ESCAPE = new Set(['characterEscape']);

/** A star between a number or bracket and what it is multiplied with. */
const isTimes = (text: string, { start, end }: { start: number; end: number }): boolean =>
  text[start] === '*' &&
  /^(?:\d[\w(]|\)[\d(])$/.test(text.charAt(start - 1) + text.charAt(end)) &&
  /^\*{1,2}$/.test(text.slice(start, end));

/** A name of Python's own: `__init__`. One lower-case word in bold is written with stars. */
const isDunder = (text: string, { start, end }: Node): boolean =>
  /^__[a-z][a-z\d_]*__$/.test(text.slice(start, end));

/** A path of Windows, from its beginning to one of its backslashes. */
const isPath = (text: string, at: number): boolean => {
  const start = Math.max(0, at - MAX_PATH);
  const token = /\S*$/.exec(text.slice(start, at))?.[0] ?? '';
  const rest = text.slice(at - token.length, at + MAX_PATH);
  return /^["'“‘([]*(?:[A-Z]:\\|\\\\[\w.-]+\\)/i.test(rest);
};
const MAX_PATH = 260;

function escaped({ start, end }: { start: number; end: number }): Edit[] {
  return Array.from({ length: end - start }, (_, i) => ({
    start: start + i,
    end: start + i,
    text: '\\',
  }));
}

/** The marks at both ends of emphasis. */
const marksOf = (emphasis: Node): Node[] =>
  emphasis.children.filter(({ type }) => type.endsWith('Sequence'));

function allEmphasis(tree: Node): Node[] {
  return nodes(tree, EMPHASIS).flatMap((each) => [each, ...each.children.flatMap(allEmphasis)]);
}

/** Escapes such signs, so that they are drawn. */
export const literalPass: Pass = ({ text, tree, runs }) => {
  const edits: Edit[] = [];
  for (const emphasis of allEmphasis(tree)) {
    const [opening, closing] = marksOf(emphasis);
    if (!opening || !closing || !(isTimes(text, opening) || isDunder(text, emphasis))) continue;
    edits.push(...escaped(opening), ...escaped(closing));
  }
  // While the second star has not arrived, the first one is drawn already.
  for (const { start, end } of runs) {
    for (const { 0: stars, index } of text.slice(start, end).matchAll(/\*+/g)) {
      const place = { start: start + index, end: start + index + stars.length };
      if (isTimes(text, place)) edits.push(...escaped(place));
    }
  }
  for (const { start } of nodes(tree, ESCAPE))
    if (isPath(text, start)) edits.push({ start, end: start, text: '\\\\' });
  return edits;
};

/** UTF-16 units at the end of a text that may turn out to be such a sign. */
export function openLiteral(text: string): number {
  const tail = text.slice(-MAX_PATH);
  return (
    /(?:^|[^\w\\*])(__?|__[a-z][a-z\d_]*)$/.exec(tail)?.[1]?.length ??
    /(?:^|[\s"'“‘([])(\\\\[\w.-]*\\?)$/.exec(tail)?.[1]?.length ??
    /[\d)](\*{1,2})$/.exec(tail)?.[1]?.length ??
    0
  );
}
