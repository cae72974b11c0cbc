import { getDocumentProxy } from 'unpdf';

import { joinHyphens, pageText, type TextPiece } from './text';

/** Pages that are read. A book has some hundreds; the rest is counted, not read. */
const MAX_PAGES = 1_000;
/** UTF-16 units of all pages together: as much as the largest HTML page may give. */
const MAX_CHARS = 2 * 1024 * 1024;

/** What became of a PDF file. `pages[0]` is page 1; an empty text is a page without a text layer. */
type PdfReading =
  | { kind: 'read'; title: string; pages: string[]; total: number; cut: boolean }
  | { kind: 'password' }
  | { kind: 'broken'; reason: string };

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * The text of a PDF file, page by page. Stops at the limits above and after `softMs` milliseconds with what it has
 * (`cut`). Never rejects. A page that cannot be read is an empty one.
 */
export async function readPdf(bytes: Uint8Array, softMs: number): Promise<PdfReading> {
  const deadline = performance.now() + softMs;
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, {
      // Nothing is drawn, and no file or address of the machine is touched.
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      stopAtErrors: false,
      maxImageSize: 0,
      verbosity: 0,
    });
  } catch (error) {
    if (!(error instanceof Error)) return { kind: 'broken', reason: String(error) };
    return error.name === 'PasswordException'
      ? { kind: 'password' }
      : { kind: 'broken', reason: error.message };
  }
  const total = document.numPages;
  const pages: string[] = [];
  let chars = 0;
  let failed = 0;
  while (pages.length < Math.min(total, MAX_PAGES)) {
    if (chars > MAX_CHARS || (pages.length > 0 && performance.now() > deadline)) break;
    const text = await textOf(document, pages.length + 1);
    if (text === undefined) failed += 1;
    chars += text?.length ?? 0;
    pages.push(text ?? '');
  }
  if (failed === pages.length) return { kind: 'broken', reason: 'no page could be opened' };
  return {
    kind: 'read',
    title: await titleOf(document),
    pages: joinHyphens(pages),
    total,
    cut: pages.length < total,
  };
}

async function textOf(document: PdfDocument, number: number): Promise<string | undefined> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const pieces: TextPiece[] = [];
    for (const item of items) {
      if (!('str' in item)) continue;
      const y: unknown = item.transform[5];
      pieces.push({
        text: item.str,
        ends: item.hasEOL,
        y: typeof y === 'number' ? y : 0,
        height: item.height,
      });
    }
    return pageText(pieces);
  } catch {
    return undefined;
  }
}

/** The title of the metadata, unless a program left the name of a file or of itself there. */
async function titleOf(document: PdfDocument): Promise<string> {
  try {
    const { info } = await document.getMetadata();
    const title = 'Title' in info && typeof info.Title === 'string' ? info.Title : '';
    const line = title.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return /^(?:untitled.*|document\d*|microsoft (?:word|powerpoint|excel)\b.*|\S+\.(?:docx?|pdf|tex|dvi|indd|qxd|rtf|odt|pptx?|xlsx?|p65))$/i.test(
      line,
    )
      ? ''
      : line;
  } catch {
    return '';
  }
}
