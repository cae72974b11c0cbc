import { blocksOf } from '../../lib/blocks';
import { readableText } from '../../lib/tools';
import type { Page } from '../../lib/types';
import { decodeText, type SniffHtmlCharset } from '../web/charset';
import { sniffHtmlCharset } from '../web/html-charset';
import { isBinary, unmarkedUtf16 } from '../web/local-file';
import { loadOfficeReader, type OfficeReader } from '../web/office-reader';
import { loadPageReader, type PageReader } from '../web/page-reader';
import { pdfText } from '../web/pdf-page';
import { loadPdfReader, type PdfReader } from '../web/pdf-reader';
import { keptThreads, type ThreadCaller } from '../web/reader-thread';
import { documentKind, type DocumentKind } from './document-kind';
import { readFileBytes, refused, type FileBytes, type FileEnds, type Refusal } from './file-bytes';

const MB = 1024 * 1024;

/** Bytes of a text, of source code, of a table and of HTML: the longest novels have 4. What is larger is data. */
const MAX_TEXT_BYTES = 4 * MB;
/** Bytes of a PDF file: scanned books have more, and no text. */
const MAX_PDF_BYTES = 64 * MB;
/** Bytes of an office file or a book, pictures included, which are not unpacked. */
const MAX_OFFICE_BYTES = 64 * MB;

/** Milliseconds after which the reading of a PDF file stops with the pages it has: 1,000 pages of text take 5 to 30 s. */
const PDF_SOFT_MS = 30_000;
/** Milliseconds after which it is stopped: one page that takes this long was built to. */
const PDF_HARD_MS = 40_000;

/**
 * Blocks of a document, of which the longest novels have 5,000. Each costs half a kilobyte and a row wherever the document is
 * shown or kept: 4 MB of paragraphs of one letter are 1.4 million blocks, and blocked a window for 20 s.
 */
const MAX_BLOCKS = 20_000;
/** UTF-16 units in which blocks are counted at first: nearly every document is shorter. */
const FIRST_UNITS = 512 * 1024;

/** Code points of a title: what is kept with a source. */
const MAX_TITLE = 300;
/** Lines at the beginning of a Markdown text in which its title is looked for. */
const TITLE_LINES = 60;

/**
 * A document as it can be searched and cited.
 *
 * @public
 */
export interface ExtractedText {
  ok: true;
  kind: DocumentKind;
  /** One line; the file's name without its ending where the document names none. */
  title: string;
  /** What `readableText` gives; offsets of blocks count in it. */
  text: string;
  pages?: { total: number; starts: number[] };
  /** True when the text ends before the document does. */
  cut?: boolean;
  /** SHA-256 of the bytes, in hex. */
  version: string;
  size: number;
  mtimeMs: number;
}

/** @public */
export type Extracted = ExtractedText | Refusal;

/** Contract: never rejects; ends within 100 ms of an abort, and by itself. */
type Extractor = (path: string, signal: AbortSignal) => Promise<Extracted>;

interface ExtractorOptions {
  /** Folder of the generated files, in which the readers of pages, PDF and office files are. */
  assetsPath: string;
  /** The readers, and how they are called; real ones unless given. */
  call?: ThreadCaller;
  readPage?: PageReader;
  readPdf?: PdfReader;
  readOffice?: OfficeReader;
  sniffHtml?: SniffHtmlCharset;
}

/**
 * Reads the person's own files: what a file is its content decides, then the ending of its name. Text, Markdown, source code
 * and tables come as they stand, in any charset; HTML as the readable part of the page; PDF, DOCX, ODT and EPUB as their
 * text. Whatever is foreign and complex is read in a thread, which ends with a document that takes too much.
 */
export function createExtractor({
  assetsPath,
  call = keptThreads(),
  readPage = loadPageReader(assetsPath, { call }),
  readPdf = loadPdfReader(assetsPath, { softMs: PDF_SOFT_MS, hardMs: PDF_HARD_MS, call }),
  readOffice = loadOfficeReader(assetsPath, { call }),
  sniffHtml = sniffHtmlCharset,
}: ExtractorOptions): Extractor {
  const read = async (
    { kind, bytes }: FileBytes<DocumentKind>,
    signal: AbortSignal,
  ): Promise<Content | Refusal> => {
    switch (kind) {
      case 'pdf':
        return pdfContent(await readPdf(bytes, signal));
      case 'docx':
      case 'odt':
      case 'epub':
        return officeContent(await readOffice(bytes, kind, signal));
      case 'html': {
        const html = decoded(bytes, 'html', sniffHtml);
        if (isBinary(html)) return refused('unreadable', refusalOf('a binary file'));
        const outcome = await readPage(html, NO_ADDRESS, signal, 'html');
        if (!outcome.ok) return failed(outcome.message);
        const { title, text, cut } = outcome.reading;
        return { title, text, cut };
      }
      default: {
        const text = decoded(bytes, 'text', sniffHtml);
        if (isBinary(text)) return refused('unreadable', refusalOf('a binary file'));
        return { title: kind === 'markdown' ? headingOf(text) : '', text, cut: false };
      }
    }
  };
  return async (path, signal) => {
    const file = await readFileBytes(path, (ends) => judge(ends, path), signal);
    if (!file.ok) return file;
    const { kind, version, size, mtimeMs } = file;
    try {
      const content = await read(file, signal);
      if ('ok' in content) return { ...content, size, mtimeMs };
      const { text, pages, cut } = bounded(readableText(content));
      if (text.trim() === '') return { ...refused('unreadable', 'It has no text.'), size, mtimeMs };
      return {
        ok: true,
        kind,
        title: oneLine(content.title) || nameOf(path),
        text,
        ...(pages === undefined ? {} : { pages }),
        ...(content.cut || cut ? { cut: true } : {}),
        version,
        size,
        mtimeMs,
      };
    } catch {
      // Nothing in here throws on purpose; whatever a document brings about stays with that document.
      return { ...refused('unreadable', 'It could not be read.'), size, mtimeMs };
    }
  };
}

type ReadableText = ReturnType<typeof readableText>;

/** The text up to the end of the last block that a document may have. */
function bounded({ text, pages }: ReadableText): ReadableText & { cut: boolean } {
  const upTo = (end: number): ReadableText => ({
    text: text.slice(0, end),
    ...(pages === undefined
      ? {}
      : { pages: { ...pages, starts: pages.starts.filter((start) => start < end) } }),
  });
  for (let units = FIRST_UNITS; ; units *= 2) {
    const blocks = blocksOf(upTo(units));
    const last = blocks[MAX_BLOCKS - 1];
    if (last !== undefined && blocks.length > MAX_BLOCKS) return { ...upTo(last.end), cut: true };
    if (units >= text.length)
      return { text, ...(pages === undefined ? {} : { pages }), cut: false };
  }
}

interface Content extends Pick<Page, 'text' | 'pages'> {
  title: string;
  cut: boolean;
}

/** Where a local page stands is nobody's business, and its relative links lead nowhere. */
const NO_ADDRESS = 'file:///page.html';

const MOST: Partial<Record<DocumentKind, { most: number; what: string }>> = {
  pdf: { most: MAX_PDF_BYTES, what: 'a PDF file' },
  docx: { most: MAX_OFFICE_BYTES, what: 'a Word document' },
  odt: { most: MAX_OFFICE_BYTES, what: 'an OpenDocument text' },
  epub: { most: MAX_OFFICE_BYTES, what: 'a book' },
};

function judge(
  { ends, head }: FileEnds,
  path: string,
): { ok: true; kind: DocumentKind; most: number; tooLarge: string } | Refusal {
  const found = documentKind(ends, head, path);
  if ('isProtected' in found) return refused('unreadable', 'It is protected by a password.');
  if ('name' in found) return refused('unreadable', refusalOf(found.name));
  const { kind } = found;
  const { most, what } = MOST[kind] ?? { most: MAX_TEXT_BYTES, what: 'a text file' };
  const tooLarge = `It is larger than ${most / MB} MB, the most that Lam reads of ${what}.`;
  return { ok: true, kind, most, tooLarge };
}

/** What is done with files that hold text in a way Lam does not read. */
const WITH_TEXT = /document|workbook|presentation|spreadsheet|OpenDocument|book|message/;

function refusalOf(what: string): string {
  return WITH_TEXT.test(what)
    ? `It is ${what}, which Lam does not read; save it as PDF or text.`
    : `It is ${what}.`;
}

/** The sentences of the threads speak of a page. */
function failed(message: string): Refusal {
  return refused('unreadable', message.replace(/^The page could/, 'It could'));
}

function pdfContent(outcome: Awaited<ReturnType<PdfReader>>): Content | Refusal {
  if (!outcome.ok) return failed(outcome.message);
  if (outcome.reading.kind === 'password')
    return refused('unreadable', 'It is protected by a password.');
  const read = pdfText(outcome.reading, 'The PDF file');
  return read.ok ? read.pdf : refused('unreadable', read.message);
}

function officeContent(outcome: Awaited<ReturnType<OfficeReader>>): Content | Refusal {
  if (!outcome.ok) return failed(outcome.message);
  const { reading } = outcome;
  switch (reading.kind) {
    case 'read':
      return reading;
    case 'protected':
      return refused('unreadable', reading.message);
    case 'too-large':
      return refused('too-large', reading.message);
    case 'broken':
      return refused('unreadable', `It could not be read: ${reading.reason}.`);
  }
}

function decoded(bytes: Uint8Array, syntax: 'html' | 'text', sniffHtml: SniffHtmlCharset): string {
  const declared = unmarkedUtf16(bytes);
  return decodeText(bytes, { syntax, ...(declared === undefined ? {} : { declared }) }, sniffHtml);
}

/** The first heading of a Markdown text, or the title of its front matter. */
function headingOf(text: string): string {
  const lines = text.split(/\r\n?|\n/, TITLE_LINES);
  const isFront = lines[0]?.trimEnd() === '---';
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const named = isFront ? /^title:\s*(\S.*)$/i.exec(line)?.[1] : undefined;
    if (named !== undefined) return named.trim().replace(/^(["'])(.*)\1$/, '$2');
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
    }
    if (fence !== '') continue;
    const heading = /^ {0,3}#{1,2}[ \t]+(\S.*)$/.exec(line)?.[1];
    if (heading !== undefined) return heading.replace(/[ \t]#+[ \t]*$/, '');
    const isUnderlined = /^ {0,3}=+[ \t]*$/.test(lines[index + 1] ?? '');
    if (isUnderlined && line.trim() !== '') return line;
  }
  return '';
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_TITLE * 8)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim();
  const signs = Array.from(line);
  return signs.length > MAX_TITLE ? `${signs.slice(0, MAX_TITLE).join('')}…` : line;
}

/** The file's name without its ending. */
function nameOf(path: string): string {
  const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
  const bare = name.replace(/(?<=.)\.[^.]{1,10}$/, '');
  return bare === '' ? 'Untitled' : bare;
}
