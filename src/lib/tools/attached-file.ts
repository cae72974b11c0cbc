import { blocksOf } from '../blocks';
import type { SourceList } from '../citations';
import { ATTACHED_FILE, MAX_KEPT_TITLE_CHARS } from '../constants';
import type { Page, ToolCallRecord } from '../types';
import { numberDocument } from './document-source';
import { printable, sourceHead } from './numbers';
import { pagesShown, readableText, withoutBareMark } from './paged';
import { shownRows } from './shown';
import { slice } from './slice';
import { cleanLine, cleanText, fence, fenced } from './untrusted';

/** A file that the person attached, as text. */
export interface AttachedFile extends Pick<Page, 'text' | 'cut' | 'pages'> {
  /** File name, as it is shown. */
  name: string;
  /** Absolute path. It is stored with the source, and never told to the model. */
  path: string;
  /** SHA-256 of its bytes when they were read, in hex; absent = not known. */
  version?: string | undefined;
}

const NO_NUMBER = '(no number: cannot be cited)';

/**
 * Gives a file its number and writes what the model reads of it. The file is a source whether or not the list knows it
 * already, because it belongs to the question that it was attached to. Pure but for the list.
 *
 * @param max characters of its text at most
 */
export function attachFile(
  file: AttachedFile,
  max: number,
  sources: SourceList,
  boundary: () => string,
): ToolCallRecord {
  const { name, path, version, cut = false } = file;
  const { beginning, left } = beginningOf(file, max);
  const readable = readableText(beginning);
  const part = withoutBareMark(readable, slice(readable.text, 0, max));
  const total = readable.text.length + left;
  const whole = part.end === total && !cut;
  const pages = pagesShown(readable, part);
  const range = `characters 0–${part.end} of ${total}${pages === undefined ? '' : ` (${pages})`}`;
  const title = cleanLine(name, MAX_KEPT_TITLE_CHARS) || UNNAMED;
  const { index, numbered: source } = numberDocument({ title, path, version }, sources);
  const head = [
    headOf(title, source?.index),
    `Shown: ${range}; ${whole ? WHOLE : 'the rest of the file is not shown'}\n`,
  ].join('\n');
  const { opening, safe, closing } = fenced(part.text, boundary, 'file');
  const shown = source
    ? shownRows(
        { index, start: part.start, text: part.text, safe, at: head.length + opening.length },
        blocksOf(readable),
      )
    : [];
  return {
    name: ATTACHED_FILE,
    arguments: { name: title },
    result: `${head}${opening}${safe}${closing}`,
    isError: false,
    ...(source
      ? { sources: [source], statuses: [{ index, status: whole ? 'read' : 'part' }] }
      : {}),
    ...(shown.length > 0 ? { shown } : {}),
  };
}

/**
 * Characters beyond those that may be shown, so that a part ends between two words and not where the text was cut, and the
 * block it ends in (some 1,200 at most, see `blocksOf`) is the one that it is in the whole text.
 */
const MARGIN = 3_000;

/**
 * The first characters of a text, and how many are left out. What is never shown is not cleaned either: eight files of 2 MB
 * would take a second of the thread that draws.
 */
function beginningOf(
  { text, pages }: AttachedFile,
  max: number,
): { beginning: Pick<AttachedFile, 'text' | 'pages'>; left: number } {
  const end = max + MARGIN;
  if (text.length <= end) return { beginning: { text, ...(pages ? { pages } : {}) }, left: 0 };
  const starts = pages?.starts.filter((start) => start < end) ?? [];
  return {
    beginning: {
      text: text.slice(0, end).replace(/\p{Surrogate}$/u, ''),
      ...(pages ? { pages: { ...pages, starts } } : {}),
    },
    left: text.length - end,
  };
}

const WHOLE = 'the whole file';
const UNNAMED = 'unnamed file';

function headOf(title: string, index: number | undefined): string {
  return index === undefined
    ? `${NO_NUMBER} ${printable(title, MAX_KEPT_TITLE_CHARS)}`
    : sourceHead({ index, title, url: '' });
}

const RESULT = /^[^\n]*\n(Shown: [^\n]+\n[^\n]+\n<<<FILE TEXT ([^\n]+)\n)/u;

/** The name of the file in its record, as the model may read it. */
export function attachedName({ arguments: { name } }: Pick<ToolCallRecord, 'arguments'>): string {
  return printable(typeof name === 'string' ? name : UNNAMED, MAX_KEPT_TITLE_CHARS);
}

/**
 * What the model read of a file, under another number. Fence and text stay as they were, so that servers find the beginning
 * of the conversation in their cache. A record that is not as `attachFile` writes it, from an import or an edited file, is
 * quoted as a whole.
 *
 * @param index undefined = the file has no number any more
 */
export function attachedText(
  record: Pick<ToolCallRecord, 'arguments' | 'result'>,
  index: number | undefined,
  boundary: () => string,
): string {
  const { result } = record;
  const head = headOf(attachedName(record), index);
  const [start, opening = '', word = ''] = RESULT.exec(result) ?? [];
  const closing = `\nFILE TEXT ${word}>>>`;
  const end = start === undefined ? -1 : result.indexOf(closing, start.length);
  if (start !== undefined && end >= 0)
    return `${head}\n${opening}${result.slice(start.length, end)}${closing}`;
  const text = cleanText(result);
  return [
    head,
    `Shown: characters 0–${text.length} of ${text.length}; ${WHOLE}`,
    fence(text, boundary, 'file'),
  ].join('\n');
}

/** The name in what the model reads of a file, if it is not the whole of it. */
export function partlyShown(text: string): string | undefined {
  const [head = '', shown = ''] = text.split('\n', 2);
  return shown.endsWith(WHOLE) ? undefined : head.replace(/^(?:\[\d+\]|\([^)]*\)) /u, '');
}
