import { MAX_TITLE_CHARS, MIN_PART_CHARS } from '../constants';
import { DOCUMENT_RESULTS } from './search-documents';
import { cleanLine, FILES_NOTE } from './untrusted';

/**
 * A tool result or an attached file as it is sent when results no longer fit the model's context. Numbers, titles and
 * addresses stay, and so do the reminder and whatever the loop has added behind it. Of a page's text as much stays as fits
 * in `max` characters, of found passages the first ones that fit, of a search's rows no lines. A file, which cannot be asked for again, says how much of it is left.
 * What is short enough or none of these comes back unchanged.
 *
 * @param max characters; 0 = nothing but the head
 * @param options `plain`: the model knows no tools, so nothing speaks of calling one
 */
export function shortenResult(content: string, max = 0, { plain = false } = {}): string {
  if (content.length <= max) return content;
  const notes = plain ? PLAIN_NOTES : NOTES;
  const shorter =
    shortenPage(content, max, notes) ??
    shortenPassages(content, max, notes) ??
    shortenRows(content, notes);
  return shorter.length < content.length ? shorter : content;
}

const NOTES = {
  head: (tool: string) => `[shortened; call ${tool} again to read it]`,
  part: (tool: string) => `[shortened; call ${tool} again, alone, to read all of it]`,
  passages: '[shortened; call read_document to read one of these files]',
  rows: '[shortened; call web_fetch to read one of these pages]',
};

type Notes = typeof NOTES;

const PLAIN_NOTES: Notes = {
  head: () => '[shortened; the text was left out]',
  part: () => '[shortened; this is the beginning]',
  passages: '[shortened; not all texts are here]',
  rows: '[shortened; only titles and addresses]',
};

/** Title (and address, or the path to read a document by), the line that says what part is shown, the line about the fence, the fence's beginning with its word. */
const PAGE =
  /^([^\n]+(?:\n(URL|path): [^\n]+)?)\nShown: ([^\n]+)\n([^\n]+\n<<<(PAGE|FILE) TEXT ([^\n]+))\n/u;

function shortenPage(content: string, max: number, notes: Notes): string | undefined {
  const [start, head = '', named, shown = '', opening = '', what = '', word = ''] =
    PAGE.exec(content) ?? [];
  if (start === undefined) return undefined;
  // The page's text cannot hold the word, see `fence`.
  const closing = `\n${what} TEXT ${word}>>>`;
  const end = content.indexOf(closing, start.length);
  if (end < 0) return undefined;
  const rest = content.slice(end + closing.length);
  const isFile = what === 'FILE' && named === undefined;
  const noted = isFile ? PLAIN_NOTES : notes;
  const tool = what === 'FILE' ? 'read_document' : 'web_fetch';
  const note = (chars: number) =>
    isFile
      ? `Shown: characters 0–${chars} of ${/ of (\d+)/.exec(shown)?.[1] ?? 'more'}; the rest does not fit`
      : noted.part(tool);
  const frame = [head, note(end), opening, '', closing, rest].join('\n').length;
  if (max - frame < MIN_PART_CHARS) return `${head}\n${noted.head(tool)}${rest}`;
  const part = content
    .slice(start.length, end)
    .slice(0, max - frame)
    .replace(/\p{Surrogate}$/u, '');
  return `${head}\n${note(part.length)}\n${opening}\n${part}${closing}${rest}`;
}

/** Found passages stand best first: the first ones that fit stay whole, the others keep their heads. */
function shortenPassages(content: string, max: number, notes: Notes): string | undefined {
  if (!content.startsWith(DOCUMENT_RESULTS)) return undefined;
  const noteAt = content.indexOf(`\n\n${FILES_NOTE}`);
  const word = noteAt < 0 ? undefined : PASSAGE_WORD.exec(content.slice(noteAt))?.[1];
  if (word === undefined) return undefined;
  // The texts cannot hold the word, see `fencedFiles`.
  const closing = `\nFILE TEXT ${word}>>>`;
  const [head = '', ...texts] = content.split(`\n<<<FILE TEXT ${word}\n`);
  const fences = texts.map((text) => text.indexOf(closing) + closing.length);
  const opening = content.length - head.length - texts.join('').length;
  const each = texts.length === 0 ? 0 : opening / texts.length;
  const title = content.slice(0, noteAt);
  const kept = `${title}\n\n${notes.passages}${head.slice(noteAt)}`;
  let room =
    max - kept.length - texts.reduce((sum, text, n) => sum + text.length - (fences[n] ?? 0), 0);
  return texts.reduce((out, text, n) => {
    const fence = fences[n] ?? 0;
    room -= each + fence;
    return room < 0 ? out + text.slice(fence) : `${out}\n<<<FILE TEXT ${word}\n${text}`;
  }, kept);
}

const PASSAGE_WORD = new RegExp(`^\\n\\n${FILES_NOTE}(\\S+)\\. `, 'u');

/** An address that is longer is left out: cut, it would be another one. */
const MAX_ADDRESS_CHARS = 300;

function shortenRows(content: string, notes: Notes): string {
  if (!/^(?:Web|Wikipedia) results for "/u.test(content)) return content;
  const paragraphs = content.split('\n\n').flatMap((paragraph) => {
    if (paragraph.startsWith('(no address) ')) return [];
    if (!/^\[\d+\] /u.test(paragraph)) return [paragraph];
    const [title = '', address = ''] = paragraph.split('\n');
    const row = cleanLine(title, MAX_TITLE_CHARS);
    return [address.length > MAX_ADDRESS_CHARS ? row : `${row}\n${address}`];
  });
  const [first = '', ...others] = paragraphs;
  return [first, notes.rows, ...others].join('\n\n');
}
