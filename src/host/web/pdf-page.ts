import type { Page, PageOutcome } from '../../lib/types';
import type { PdfReading } from './pdf-reader';

/** What stands in place of a page without a text layer, or whose characters carry no Unicode (old CJK fonts need tables that are not in the file). */
const NO_TEXT = '(No text could be read on this page: it is a scan, a picture, or empty.)';

/** Between the texts of two pages. */
const GAP = '\n\n';

/** The text of a PDF file with the place where each of its pages begins. */
interface PdfText {
  /** '' = the file has none. */
  title: string;
  text: string;
  pages: NonNullable<Page['pages']>;
  cut: boolean;
}

/**
 * What was read of a PDF file as one text, or what is wrong with it.
 *
 * @param file how a sentence about it begins, as in "The PDF file tides.pdf"
 */
export function pdfText(
  reading: PdfReading,
  file: string,
): { ok: true; pdf: PdfText } | { ok: false; message: string } {
  const unreadable = (message: string) => ({ ok: false as const, message });
  if (reading.kind === 'password') return unreadable(`${file} needs a password.`);
  if (reading.kind === 'broken') return unreadable(`${file} is broken and could not be read.`);
  const { pages, total, title, cut } = reading;
  const count = `${total} ${total === 1 ? 'page' : 'pages'}`;
  if (pages.every((text) => text.trim() === ''))
    return unreadable(
      `${file} (${count}) has no text layer that Lam can read: most likely it is scanned, pictures of pages.`,
    );
  const starts: number[] = [];
  let text = '';
  for (const page of pages) {
    if (starts.length > 0) text += GAP;
    starts.push(text.length);
    text += page.trim() === '' ? NO_TEXT : page;
  }
  return { ok: true, pdf: { title, text, pages: { total, starts }, cut } };
}

/**
 * A PDF file that was read as a page of the web. `name` is the file's name, `url` where it was read; `torn` = its end did
 * not arrive.
 */
export function pdfPage(
  reading: PdfReading,
  { name, url, torn }: { name: string; url: string; torn: boolean },
): PageOutcome {
  const { host } = new URL(url);
  const file = name === host ? `The PDF file at ${host}` : `The PDF file ${name} at ${host}`;
  const read = pdfText(reading, file);
  if (!read.ok) return { ok: false, status: 'unreadable', message: read.message };
  const { title, text, pages, cut } = read.pdf;
  return {
    ok: true,
    page: {
      title: title === '' ? name : title,
      url,
      text,
      pages,
      ...(cut || torn ? { cut: true } : {}),
    },
  };
}
