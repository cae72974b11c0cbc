import { MAX_TITLE_CHARS, MIN_PART_CHARS } from '../constants';
import { cleanLine } from './untrusted';

/**
 * A tool result as it is sent when results no longer fit the model's context. Numbers, titles and addresses stay, and so do
 * the reminder and whatever the loop has added behind it. Of a page's text as much stays as fits in `max` characters, of a
 * search's rows no lines. What is short enough or neither of the two comes back unchanged.
 *
 * @param max characters; 0 = nothing but the head
 */
export function shortenResult(content: string, max = 0): string {
  if (content.length <= max) return content;
  const shorter = shortenPage(content, max) ?? shortenRows(content);
  return shorter.length < content.length ? shorter : content;
}

const NOTE = '[shortened; call web_fetch again to read it]';
const PART_NOTE = '[shortened; call web_fetch again, alone, to read all of it]';
const ROWS_NOTE = '[shortened; call web_fetch to read one of these pages]';

/** Title and address, the line that says what part is shown, the line about the fence, the fence's beginning with its word. */
const PAGE = /^([^\n]+\nURL: [^\n]+)\nShown: [^\n]+\n([^\n]+\n<<<PAGE TEXT ([^\n]+))\n/u;

function shortenPage(content: string, max: number): string | undefined {
  const [start, head = '', opening = '', word = ''] = PAGE.exec(content) ?? [];
  if (start === undefined) return undefined;
  // The page's text cannot hold the word, see `fence`.
  const closing = `\nPAGE TEXT ${word}>>>`;
  const end = content.indexOf(closing, start.length);
  if (end < 0) return undefined;
  const rest = content.slice(end + closing.length);
  const frame = [head, PART_NOTE, opening, '', closing, rest].join('\n').length;
  if (max - frame < MIN_PART_CHARS) return `${head}\n${NOTE}${rest}`;
  const part = content.slice(start.length, end).slice(0, max - frame);
  return `${head}\n${PART_NOTE}\n${opening}\n${part.replace(/\p{Surrogate}$/u, '')}${closing}${rest}`;
}

/** An address that is longer is left out: cut, it would be another one. */
const MAX_ADDRESS_CHARS = 300;

function shortenRows(content: string): string {
  if (!/^(?:Web|Wikipedia) results for "/u.test(content)) return content;
  const paragraphs = content.split('\n\n').flatMap((paragraph) => {
    if (paragraph.startsWith('(no address) ')) return [];
    if (!/^\[\d+\] /u.test(paragraph)) return [paragraph];
    const [title = '', address = ''] = paragraph.split('\n');
    const row = cleanLine(title, MAX_TITLE_CHARS);
    return [address.length > MAX_ADDRESS_CHARS ? row : `${row}\n${address}`];
  });
  const [first = '', ...others] = paragraphs;
  return [first, ROWS_NOTE, ...others].join('\n\n');
}
