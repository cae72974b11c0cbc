import { decodeString } from 'micromark-util-decode-string';

import type { Node, Scan } from '../../code';

/** What of a link or image is not its text. */
const UNSHOWN = new Set(['resource', 'reference']);

/** Nodes that stand for a space between words. */
const SPACE = new Set(['lineEnding', 'lineEndingBlank']);

/** What a reader sees of inline content: no marks, tags or escapes; of an image its alternative text; one line. */
export function shownText({ text }: Pick<Scan, 'text'>, node: Node): string {
  const parts: string[] = [];
  const visit = (each: Node): void => {
    const source = (): string => text.slice(each.start, each.end);
    if (each.type === 'data' || each.type === 'codeTextData' || each.type === 'unparsed')
      parts.push(source());
    else if (each.type === 'characterEscape') parts.push(source().slice(1));
    else if (each.type === 'characterReference') parts.push(decodeString(source()));
    else if (each.type === 'mathText') parts.push(source().replace(/\\[a-z]+|[\\$(){}]/gi, ''));
    else if (SPACE.has(each.type)) parts.push(' ');
    else if (!UNSHOWN.has(each.type)) each.children.forEach(visit);
  };
  node.children.forEach(visit);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** The links and images of a text by where they begin; an image that is all of a link begins behind its bracket. */
export function linkNodes(tree: Node): ReadonlyMap<number, Node> {
  const found = new Map<number, Node>();
  const visit = (node: Node): void => {
    if (node.type === 'link' || node.type === 'image') found.set(node.start, node);
    node.children.forEach(visit);
  };
  visit(tree);
  return found;
}
