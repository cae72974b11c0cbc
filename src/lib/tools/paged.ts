import type { Page } from '../types';
import type { Slice } from './slice';
import { cleanText } from './untrusted';

/** What a reader is shown of a page: offsets of `web_fetch` count in `text`. */
export interface ReadableText {
  text: string;
  /** Where each page of a document begins in `text`, its mark included; `total` counts those too that were not read. */
  pages?: { total: number; starts: number[] };
}

/** A line that would pass for a page's mark, in any dashes and case. */
const LIKE_MARK = /^[^\p{L}\p{N}\n]{0,40}page (\d+) of (\d+)[^\p{L}\p{N}\n]{0,40}$/gimu;

const pageMark = (number: number, total: number): string => `— page ${number} of ${total} —`;

/**
 * The text of a page without what is invisible. A document that has pages gets a line like `— page 3 of 12 —` in front of
 * each, which is no citation marker and stays where the text is shown in parts; a line of the document's own that looks
 * like one becomes `(page 3 of 12)`.
 */
export function readableText({ text, pages }: Pick<Page, 'text' | 'pages'>): ReadableText {
  if (pages === undefined) return { text: cleanText(text) };
  const starts: number[] = [];
  let out = '';
  for (const [index, start] of pages.starts.entries()) {
    const own = cleanText(text.slice(start, pages.starts[index + 1])).trim();
    if (out !== '') out += '\n\n';
    starts.push(out.length);
    out += `${pageMark(index + 1, pages.total)}\n\n${own.replace(LIKE_MARK, '(page $1 of $2)')}`;
  }
  return { text: out, pages: { total: pages.total, starts } };
}

/** A part without the mark of a page at its end whose text comes only with the next part. */
export function withoutBareMark({ text, pages }: ReadableText, part: Slice): Slice {
  const start = pages?.starts.findLast((at) => at > part.start && at < part.end);
  if (start === undefined || part.end >= text.length) return part;
  const isBare = !/\n\s*\S/.test(text.slice(start, part.end));
  return isBare ? { ...part, end: start, text: text.slice(part.start, start) } : part;
}

/** How a tool's result speaks of what it shows a part of. */
interface PartWords {
  tool: string;
  /** The argument that names the page or file. */
  argument: string;
  what: 'page' | 'document';
}

/**
 * What part is shown, for the model: `characters 0–20000 of 91000 (pages 1–3 of 12); next: offset 20000. …`.
 *
 * @param cut the text ends before the page or file does
 */
export function partShown(
  readable: ReadableText,
  part: Slice,
  cut: boolean,
  { tool, argument, what }: PartWords,
): string {
  const { start, end } = part;
  const total = readable.text.length;
  const pages = pagesShown(readable, part);
  const range = `characters ${start}–${end} of ${total}${pages === undefined ? '' : ` (${pages})`}`;
  if (end < total)
    return `${range}; next: offset ${end}. To read on, call ${tool} with the same ${argument} and offset ${end}.`;
  if (cut) return `${range}; the ${what} goes on, but the rest was not read`;
  return start === 0 ? `${range}; the whole ${what}` : `${range}; the end of the ${what}`;
}

/** `pages 3–5 of 12` of a part, or nothing for a text without pages. */
export function pagesShown({ pages }: ReadableText, { start, end }: Slice): string | undefined {
  if (pages === undefined) return undefined;
  const { total, starts } = pages;
  const first = Math.max(1, starts.filter((at) => at <= start).length);
  const last = Math.max(first, starts.filter((at) => at < end).length);
  return first === last ? `page ${first} of ${total}` : `pages ${first}–${last} of ${total}`;
}
