import { readDocx } from './office-docx';
import { readEpub } from './office-epub';
import { readOdt } from './office-odt';
import { walkXml } from './office-xml';
import { OfficeProblem, openParts, type Parts } from './office-zip';

/** What became of an office document. `message` and `reason` are for a sentence: `It is …`, and what follows `broken: `. */
type OfficeReading =
  | { kind: 'read'; title: string; text: string; cut: boolean }
  | { kind: 'protected' | 'too-large'; message: string }
  | { kind: 'broken'; reason: string };

/** Where each kind keeps its title; a book keeps it with its chapters. */
const TITLE_PART = { docx: 'docProps/core.xml', odt: 'meta.xml' };

/** The text of a DOCX, ODT or EPUB file as Markdown. Never rejects; everything it holds is bounded. */
export async function readOffice(
  bytes: Uint8Array,
  kind: 'docx' | 'odt' | 'epub',
): Promise<OfficeReading> {
  try {
    const parts = await openParts(bytes);
    if (kind === 'epub') return { kind: 'read', ...(await readEpub(parts)) };
    const body = await (kind === 'docx' ? readDocx(parts) : readOdt(parts));
    return { kind: 'read', title: await titleOf(parts, TITLE_PART[kind]), ...body };
  } catch (error) {
    if (!(error instanceof OfficeProblem))
      return { kind: 'broken', reason: error instanceof Error ? error.message : String(error) };
    return error.kind === 'broken'
      ? { kind: 'broken', reason: error.message }
      : { kind: error.kind, message: error.message };
  }
}

/** A title is only a title: a document without one, or with a broken one, is read all the same. */
async function titleOf(parts: Parts, name: string): Promise<string> {
  let title = '';
  let isOpen = false;
  try {
    const bytes = await parts.read(name);
    if (bytes === undefined) return '';
    walkXml(bytes, {
      open(element) {
        isOpen = element === 'title';
      },
      text(text) {
        if (isOpen) title += text;
      },
      close() {
        isOpen = false;
      },
    });
  } catch {
    return '';
  }
  return title;
}
