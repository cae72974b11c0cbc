import { createHash } from 'node:crypto';

import { imageType } from '../attachments/image-type';
import { mostBytes, tooLarge } from '../attachments/limits';
import type { CheckedFile, CheckOutcome, FileOutcome, FilePorts } from '../attachments/port';
import { fileName, withRegularFile, type OpenFile } from '../attachments/regular-file';
import { decodeText, type SniffHtmlCharset } from './charset';
import { sniffMedia, type Media } from './media';
import { isEncrypted, officeFormat, type OfficeFormat } from './office';
import type { OfficeReader } from './office-reader';
import { pdfText } from './pdf-page';
import type { PdfReader } from './pdf-reader';

/** Bytes at each end that tell what a file is: names in an office file stand in front of its parts and in its directory. */
const SAMPLE_BYTES = 64 * 1024;

/** Bytes of an office document or a book, pictures included, which are not unpacked: the same as of one in a folder of documents. */
const MAX_OFFICE_BYTES = 64 * 1024 * 1024;

const OFFICE: Record<OfficeFormat, string> = {
  docx: 'a Word document',
  odt: 'an OpenDocument text',
  epub: 'a book',
};

interface FilePortsOptions {
  /** Called for each PDF file. */
  loadPdfReader: () => PdfReader;
  /** Called for each DOCX, ODT or EPUB file. */
  loadOfficeReader: () => OfficeReader;
  /** Asked for HTML, which may declare its charset in itself. */
  sniffHtml: SniffHtmlCharset;
}

/**
 * Reads files that the person attaches. What a file is its content decides: text in any charset, as it stands (source code,
 * data, Markdown and the source of a web page too); the text of a PDF, DOCX, ODT or EPUB file; an image of a kind that models take, of which
 * only the type is told here.
 */
export function createFilePorts({
  loadPdfReader,
  loadOfficeReader,
  sniffHtml,
}: FilePortsOptions): FilePorts {
  const readAs = async (
    file: Exclude<FoundFile, { kind: 'image' }>,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<FileOutcome> => {
    switch (file.kind) {
      case 'text':
        return textFile(file, bytes, sniffHtml);
      case 'pdf':
        return pdfFile(file, await loadPdfReader()(bytes, signal));
      case 'office':
        return officeFile(file, await loadOfficeReader()(bytes, file.format, signal));
    }
  };
  return {
    checkFile: (path, signal) =>
      withRegularFile<CheckOutcome>(path, signal, async (file) => {
        const checked = await check(file, path, sniffHtml);
        return checked.ok ? { ok: true, file: asText(checked.file) } : checked;
      }),
    async readFile(path, signal) {
      const found = await withRegularFile<Found>(path, signal, async (file) => {
        const checked = await check(file, path, sniffHtml);
        if (!checked.ok || checked.file.kind === 'image') return checked;
        const bytes = await file.read(0, mostOf(checked.file) + 1);
        // It has grown, or the system did not know its size.
        const problem = sizeProblem(checked.file, bytes.length);
        if (problem !== undefined) return failed(problem);
        return { ...checked, bytes };
      });
      if (!found.ok) return found;
      const { file, bytes } = found;
      if (file.kind === 'image') return { ok: true, file };
      if (bytes === undefined) return failed(`${file.name} could not be read.`);
      const version = createHash('sha256').update(bytes).digest('hex');
      const outcome = await readAs(file, bytes, signal);
      return outcome.ok ? { ok: true, file: { ...outcome.file, version } } : outcome;
    },
  };
}

/** A file as it is known in here. */
type FoundFile = CheckedFile | (FileFacts & { kind: 'office'; format: OfficeFormat });
type FileFacts = Pick<CheckedFile, 'name' | 'path' | 'size'>;

/** What is kept of it knows no office documents: they are text by the time the model reads them. */
function asText(file: FoundFile): CheckedFile {
  if (file.kind !== 'office') return file;
  const { name, path, size } = file;
  return { kind: 'text', name, path, size };
}

type Found = { ok: true; file: FoundFile; bytes?: Uint8Array } | { ok: false; message: string };

async function check(
  file: OpenFile,
  path: string,
  sniffHtml: SniffHtmlCharset,
): Promise<{ ok: true; file: FoundFile } | { ok: false; message: string }> {
  const name = fileName(path);
  const head = await file.read(0, SAMPLE_BYTES);
  if (head.length === 0) return failed(`${name} is empty.`);
  const size = Math.max(file.size, head.length);
  const from = Math.max(SAMPLE_BYTES, size - SAMPLE_BYTES);
  const tail = size > SAMPLE_BYTES ? await file.read(from, size - from) : undefined;
  const ends = tail === undefined ? head : Buffer.concat([head, tail]);
  if (isEncrypted(ends)) return failed(`${name} is protected by a password.`);
  const kind = kindOf(ends, head, path);
  if ('name' in kind) return failed(refusal(name, kind.name));
  const problem = sizeProblem({ ...kind, name }, size);
  if (problem !== undefined) return failed(problem);
  if (kind.kind === 'text') {
    const isWhole = head.length === size;
    const problem = textProblem(name, decoded(head, sniffHtml, !isWhole), isWhole);
    if (problem !== undefined) return failed(problem);
  }
  return { ok: true, file: { ...kind, name, path, size } };
}

/** Bytes that a file of this kind may have. */
function mostOf({ kind }: Pick<FoundFile, 'kind'>): number {
  return kind === 'office' ? MAX_OFFICE_BYTES : mostBytes(kind);
}

function sizeProblem(
  file: { name: string } & Exclude<Kind, { kind: 'binary' }>,
  size: number,
): string | undefined {
  if (size <= mostOf(file)) return undefined;
  return file.kind === 'office'
    ? `${file.name} is larger than ${MAX_OFFICE_BYTES / 1024 / 1024} MB, the most that Lam reads of ${OFFICE[file.format]}; attach a part of it.`
    : tooLarge(file.name, file.kind);
}

type Kind =
  | { kind: 'text' | 'pdf' }
  | { kind: 'office'; format: OfficeFormat }
  | { kind: 'image'; mediaType: string }
  | Extract<Media, { name: string }>;

/** @param ends both ends of the file; `head`: only the first */
function kindOf(ends: Uint8Array, head: Uint8Array, path: string): Kind {
  const image = imageType(head);
  if (image !== undefined) return { kind: 'image', mediaType: image.mediaType };
  const media = sniffMedia(ends, '', { charset: unmarkedUtf16(head) });
  if (media.kind === 'binary') {
    const format = officeFormat(ends, path);
    return format === undefined ? media : { kind: 'office', format };
  }
  return { kind: media.kind === 'pdf' ? 'pdf' : 'text' };
}

/** What is done with files that hold text in a way Lam does not read. */
const WITH_TEXT = /document|workbook|presentation|spreadsheet|OpenDocument|book|message/;

function refusal(name: string, what: string): string {
  const facts = `${name} is ${what}`;
  if (what === 'an image')
    return `${facts} of a kind that models do not take; attach it as PNG, JPEG, GIF or WebP.`;
  if (WITH_TEXT.test(what))
    return `${facts}, which Lam does not read; save it as PDF or text and attach that.`;
  return `${facts}; Lam reads text, PDF, Word, OpenDocument and EPUB files, and images.`;
}

/** Bytes that are looked at for the pattern of UTF-16: some hundred characters. */
const PATTERN_BYTES = 512;

/**
 * UTF-16 without a byte order mark: of the Latin letters, blanks and line ends that any text has, one byte of two is zero,
 * and always the same one.
 */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const head = bytes.subarray(0, PATTERN_BYTES);
  let even = 0;
  let odd = 0;
  for (const [n, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (n % 2 === 0) even += 1;
    else odd += 1;
  }
  if (even + odd < head.length / 5 || (even > 0 && odd > 0)) return undefined;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}

/** Share of characters that no text has, past which it is none. Logs with a damaged line stay below. */
const MAX_STRANGE = 0.05;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for; tab, line ends, form feed, escape and backspace stand in logs and man pages
const STRANGE = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f\u007f-\u009f\ufffd]/g;

/** What is wrong with a text, or with its beginning. */
function textProblem(name: string, text: string, isWhole = true): string | undefined {
  if (isWhole && text.trim() === '') return `${name} is empty.`;
  return isBinary(text) ? refusal(name, 'a binary file') : undefined;
}

/** True for the characters of bytes that are no text. */
export function isBinary(text: string): boolean {
  return (text.match(STRANGE)?.length ?? 0) > text.length * MAX_STRANGE;
}

function decoded(bytes: Uint8Array, sniffHtml: SniffHtmlCharset, cut: boolean): string {
  const declared = unmarkedUtf16(bytes);
  const { kind } = sniffMedia(bytes, '', { charset: declared });
  const syntax = kind === 'html' || kind === 'xml' ? kind : 'text';
  return decodeText(
    bytes,
    { syntax, cut, ...(declared === undefined ? {} : { declared }) },
    sniffHtml,
  );
}

function textFile(
  { name, path, size }: CheckedFile,
  bytes: Uint8Array,
  sniffHtml: SniffHtmlCharset,
): FileOutcome {
  const text = decoded(bytes, sniffHtml, false).replace(/\r\n?/g, '\n');
  const problem = textProblem(name, text);
  if (problem !== undefined) return failed(problem);
  return { ok: true, file: { kind: 'text', name, path, size, text } };
}

function pdfFile(
  { name, path, size }: CheckedFile,
  outcome: Awaited<ReturnType<PdfReader>>,
): FileOutcome {
  if (!outcome.ok)
    return failed(outcome.message.replace(/^The page could/, `The PDF file ${name} could`));
  const read = pdfText(outcome.reading, `The PDF file ${name}`);
  if (!read.ok) return read;
  const { title, text, pages, cut } = read.pdf;
  return {
    ok: true,
    file: { kind: 'pdf', name, path, size, title, text, pages, ...(cut ? { cut } : {}) },
  };
}

function officeFile(
  { name, path, size }: FileFacts,
  outcome: Awaited<ReturnType<OfficeReader>>,
): FileOutcome {
  if (!outcome.ok) return failed(outcome.message.replace(/^The page could/, `${name} could`));
  const { reading } = outcome;
  if (reading.kind === 'broken') return failed(`${name} could not be read: ${reading.reason}.`);
  if (reading.kind !== 'read') return failed(reading.message.replace(/^It (?=[a-z])/, `${name} `));
  const { text, cut } = reading;
  if (text.trim() === '') return failed(`${name} has no text.`);
  return {
    ok: true,
    file: { kind: 'text', name, path, size, text, ...(cut ? { cut } : {}) },
  };
}

function failed(message: string): { ok: false; message: string } {
  return { ok: false, message };
}
