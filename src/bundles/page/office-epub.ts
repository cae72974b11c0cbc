import { decodeText } from '../../host/web/charset';
import { htmlToMarkdown } from './read';
import { walkXml } from './office-xml';
import { OfficeProblem, type Parts } from './office-zip';

/** UTF-16 units of a book that are kept: as much as of the largest HTML page or PDF file. */
const MAX_CHARS = 2 * 1024 * 1024;
/** UTF-16 units of the markup of one chapter; a novel in one file has less. */
const MAX_CHAPTER_CHARS = 4 * 1024 * 1024;

/** Links from chapter to chapter lead nowhere, those to the web stay. */
const NO_ADDRESS = 'file:///book.xhtml';

/** Ways of scrambling fonts, which protect nothing that is read (EPUB 3.3, section 4.4, and Adobe's own). */
const FONT_SCRAMBLING = new Set([
  'http://www.idpf.org/2008/embedding',
  'http://ns.adobe.com/pdf/enc#RC',
]);

/** Elements that HTML never takes for closed, whatever stands before their `>`. */
const SELF_CLOSED = /<[a-z][^<>]*\/>/gi;
const VOID =
  /^<(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)(?![\w:.-])/i;

/**
 * The text of an EPUB book (EPUB 3.3): its chapters in their order as Markdown, and its title. A chapter that is missing or
 * empty is left out. Throws an `OfficeProblem`.
 */
export async function readEpub(
  parts: Parts,
): Promise<{ title: string; text: string; cut: boolean }> {
  const container = await parts.read('META-INF/container.xml');
  const path = container === undefined ? undefined : packagePath(container);
  const bytes = path === undefined ? undefined : await parts.read(path);
  if (path === undefined || bytes === undefined)
    throw new OfficeProblem('broken', 'its list of chapters is missing');
  const { title, chapters } = readPackage(bytes, path);
  const locked = lockedParts(await parts.read('META-INF/encryption.xml'));
  if (chapters.some((chapter) => locked.has(chapter)))
    throw new OfficeProblem('protected', 'It is protected against copying (DRM).');
  const texts: string[] = [];
  let chars = 0;
  let cut = false;
  for (const chapter of chapters) {
    if (chars > MAX_CHARS) {
      cut = true;
      break;
    }
    const part = await parts.read(chapter);
    if (part === undefined) continue;
    const xhtml = decodeText(part, { syntax: 'xml' });
    if (xhtml.length > MAX_CHAPTER_CHARS) cut = true;
    const text = htmlToMarkdown(asHtml(xhtml.slice(0, MAX_CHAPTER_CHARS)), NO_ADDRESS).trim();
    if (text === '') continue;
    chars += text.length;
    texts.push(text);
  }
  return { title, text: texts.join('\n\n'), cut };
}

function packagePath(container: Uint8Array): string | undefined {
  let path: string | undefined;
  walkXml(container, {
    open(name, attribute) {
      if (name === 'rootfile') path ??= attribute('full-path');
    },
  });
  return path;
}

/** The chapters as names of parts, each once, in reading order. */
function readPackage(bytes: Uint8Array, path: string): { title: string; chapters: string[] } {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const items = new Map<string, string>();
  const spine: string[] = [];
  let title: string | undefined;
  let inTitle = false;
  walkXml(bytes, {
    open(name, attribute) {
      if (name === 'title' && title === undefined) {
        inTitle = true;
        title = '';
      } else if (name === 'item') {
        const [id, href, type] = [attribute('id'), attribute('href'), attribute('media-type')];
        if (id !== undefined && href !== undefined && /html|^$/i.test(type ?? ''))
          items.set(id, partName(folder, href));
      } else if (name === 'itemref') spine.push(attribute('idref') ?? '');
    },
    text(text) {
      if (inTitle) title = (title ?? '') + text;
    },
    close(name) {
      if (name === 'title') inTitle = false;
    },
  });
  const chapters = new Set(spine.map((id) => items.get(id)).filter((name) => name !== undefined));
  return { title: title ?? '', chapters: [...chapters] };
}

/** `OEBPS/` and `../text/one%20two.xhtml#top` → `text/one two.xhtml`. A name outside the container is in no container. */
function partName(folder: string, href: string): string {
  const bare = href.split('#', 1)[0] ?? '';
  const out: string[] = [];
  for (const segment of (folder + decoded(bare)).split('/')) {
    if (segment === '..') out.pop();
    else if (segment !== '.' && segment !== '') out.push(segment);
  }
  return out.join('/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts that only a reader with a key can read. */
function lockedParts(encryption: Uint8Array | undefined): Set<string> {
  const locked = new Set<string>();
  let isFont = false;
  if (encryption !== undefined)
    walkXml(encryption, {
      open(name, attribute) {
        if (name === 'EncryptedData') isFont = false;
        else if (name === 'EncryptionMethod')
          isFont ||= FONT_SCRAMBLING.has(attribute('Algorithm') ?? '');
        else if (name === 'CipherReference' && !isFont)
          locked.add(partName('', attribute('URI') ?? ''));
      },
    });
  return locked;
}

/** XHTML as HTML understands it: `<a id="x"/>` and `<title/>` would stay open, and swallow what follows. */
function asHtml(xhtml: string): string {
  return xhtml.replace(SELF_CLOSED, (tag) => {
    if (VOID.test(tag)) return tag;
    const name = /^<([\w:.-]+)/.exec(tag)?.[1] ?? '';
    return `${tag.slice(0, -2)}></${name}>`;
  });
}
