import type { Node, Scan } from '../code';
import { isElement, isVoid } from './elements';
import { readToken, type HtmlToken } from './tokens';

/** A tag, comment or declaration between the words of a paragraph, heading or table cell. */
export interface InlineToken {
  start: number;
  end: number;
  token: HtmlToken;
  /** The end tag that belongs to this start tag, or the other way round. */
  partner?: InlineToken;
}

/**
 * UTF-16 units between a start tag and its end tag. While an answer arrives, what stands behind a start tag waits for the end
 * tag, and this is how long.
 */
const MAX_DISTANCE = 2000;
/** Start tags that are looked at for an end tag. */
const MAX_OPEN = 50;

const isOpening = ({ token }: InlineToken): boolean =>
  token.kind === 'open' && !token.isSelfClosing && isElement(token.name) && !isVoid(token.name);

/** What the scan found. On its further lines the marks of the quotes around it are no part of it. */
function read(raw: string): HtmlToken {
  const isWhole = (token: HtmlToken, text: string): boolean => token.raw.length === text.length;
  const token = readToken(raw);
  if (isWhole(token, raw)) return token;
  const inner = raw.replace(/\n[ \t]*>[ \t>]*/g, '\n');
  const other = readToken(inner);
  return isWhole(other, inner) ? other : { kind: 'text', raw };
}

/** The tags among the children of a node of the scan, each with its partner. Emphasis and links are never crossed. */
export function inlineTokens(text: string, parent: Node): InlineToken[] {
  const tokens = parent.children
    .filter(({ type }) => type === 'htmlText')
    .map(({ start, end }): InlineToken => ({
      start,
      end,
      token: read(text.slice(start, end)),
    }));
  const open: InlineToken[] = [];
  for (const each of tokens) {
    if (isOpening(each)) {
      open.push(each);
      if (open.length > MAX_OPEN) open.shift();
    } else if (each.token.kind === 'close') {
      const { name } = each.token;
      const at = open.findLastIndex(({ token }) => token.kind === 'open' && token.name === name);
      const opener = open[at];
      if (!opener || each.end - opener.start > MAX_DISTANCE) continue;
      opener.partner = each;
      each.partner = opener;
      open.splice(at);
    }
  }
  return tokens;
}

/**
 * How much of a text that is still arriving may be shown: at most `limit`, and nothing behind a start tag whose end tag is not
 * among it but may still come. How such a tag is drawn depends on that. `from`: nothing before it can change.
 */
export function lengthBeforeOpenTag({ text, tree }: Scan, from: number, limit: number): number {
  const end = text.trimEnd().length;
  let length = limit;
  const visit = (node: Node): void => {
    if (node.end < Math.min(end, limit) || node.end < from) return;
    // Backwards: a tag that is not shown takes its partner with it.
    for (const each of inlineTokens(text, node).reverse()) {
      if (each.start < from || each.start >= length || !isOpening(each)) continue;
      const isOpen = each.partner
        ? each.partner.end > length
        : text.length - each.start <= MAX_DISTANCE && node.end >= end;
      if (isOpen) length = each.start;
    }
    for (const child of node.children) visit(child);
  };
  visit(tree);
  return length;
}
