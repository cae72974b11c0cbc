/** A part of a text: `start` and `end` are offsets in UTF-16 units, `end` excluded. */
export interface Slice {
  start: number;
  end: number;
  text: string;
}

/** How much of a part may be given up to end it at a paragraph, line or word. */
const SEARCH_SHARE = 0.2;

/**
 * At most `max` units of `text` from `offset` on. Ends at a paragraph, else a line, else a word if one ends in the last
 * fifth, else between two code points. Parts that follow each other (`offset` = the last `end`) join to the whole text.
 */
export function slice(text: string, offset: number, max: number): Slice {
  const start = splitsPair(text, offset) ? offset - 1 : offset;
  const limit = start + max;
  const end = limit >= text.length ? text.length : lastEdge(text, start, limit);
  return { start, end, text: text.slice(start, end) };
}

function lastEdge(text: string, start: number, limit: number): number {
  const from = Math.floor(limit - (limit - start) * SEARCH_SHARE);
  for (const edge of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(edge, limit - edge.length);
    if (at >= from) return at + edge.length;
  }
  return splitsPair(text, limit) ? limit - 1 : limit;
}

function splitsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
