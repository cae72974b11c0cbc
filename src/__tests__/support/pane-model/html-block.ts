/** An HTML block that the launcher's XML reader (pugixml) takes. */
export interface WellFormed {
  /** Addresses of its images, in order: blocks of their own, above the text. */
  images: string[];
  /** All texts, each trimmed and joined without spaces. */
  text: string;
  /** Texts that are in the block and are not drawn. */
  lost: string[];
}

/**
 * An HTML block as the launcher reads it (its markdown-model.cpp): as XML inside a `<div>` of its own, of which it draws the
 * images first and then all texts. Null when it is not well-formed; the raw block then goes to the rich-text widget.
 */
export function readWellFormed(html: string): WellFormed | null {
  const xml = `<div>${html}</div>`;
  const result: WellFormed = { images: [], text: '', lost: [] };
  const open: string[] = [];
  let isRootClosed = false;
  for (let at = 0; at < xml.length;) {
    const part = readPart(xml, at);
    if (!part) return null;
    at = part.end;
    switch (part.kind) {
      case 'open':
        if (part.name === 'img' && !isRootClosed && !open.includes('img') && part.src !== '')
          result.images.push(part.src);
        if (!part.isEmpty) open.push(part.name);
        break;
      case 'close':
        if (open.pop() !== part.name) return null;
        isRootClosed ||= open.length === 0;
        break;
      case 'text':
        // Only the first element at the top is read: what follows a stray `</div>` is outside of it. So is what is inside an image.
        if (isRootClosed || open.includes('img')) keep(result.lost, part.text);
        else result.text += decodeXml(part.text).trim().replace(/\s+/g, ' ');
        break;
      case 'opaque':
        keep(result.lost, part.text);
    }
  }
  return open.length === 0 ? result : null;
}

function keep(list: string[], text: string): void {
  if (text.trim() !== '') list.push(text.trim());
}

/**
 * The part of a malformed block that is drawn, and the rest: everything after an end tag that closes nothing is lost.
 */
export function cutAtStrayEnd(html: string): { shown: string; lost: string } {
  const open: string[] = [];
  for (const match of html.matchAll(/<(\/?)([a-z][\w-]*)(?:[^\w>-][^>]*)?>/gi)) {
    const name = (match[2] ?? '').toLowerCase();
    if (match[1] === '') {
      open.push(name);
      continue;
    }
    const at = open.lastIndexOf(name);
    if (at !== -1) open.length = at;
    else if (name === 'div' || name === 'table' || name === 'body' || name === 'html')
      return { shown: html.slice(0, match.index), lost: html.slice(match.index + match[0].length) };
  }
  return { shown: html, lost: '' };
}

type Part = { end: number } & (
  | { kind: 'text' | 'opaque'; text: string }
  | { kind: 'open'; name: string; isEmpty: boolean; src: string }
  | { kind: 'close'; name: string }
);

const NAME = String.raw`[a-z_:\u0080-\uffff][\w:.\u0080-\uffff-]*`;
const CLOSE = new RegExp(`</(${NAME})[\t\n\r ]*>`, 'iy');
const OPEN = new RegExp(`<(${NAME})((?:[\t\n\r ]|${attribute()})*)(/?)>`, 'iy');
const ATTRIBUTE = new RegExp(`(${NAME})[\t\n\r ]*=[\t\n\r ]*(?:"([^"]*)"|'([^']*)')`, 'gi');
/** A value is followed by white space or the end of the tag, a name is preceded by white space. */
function attribute(): string {
  return `(?<=[\t\n\r ])${NAME}[\t\n\r ]*=[\t\n\r ]*(?:"[^"]*"|'[^']*')(?=[\t\n\r />])`;
}

/** What comments, instructions and CDATA sections begin and end with. A document type cannot stand inside an element. */
const OPAQUE = [
  ['<!--', '-->', /^/],
  ['<![CDATA[', ']]>', /^/],
  ['<?', '?>', new RegExp(`^${NAME}`, 'i')],
] as const;

function readPart(xml: string, at: number): Part | undefined {
  if (xml[at] !== '<') {
    const next = xml.indexOf('<', at);
    const end = next === -1 ? xml.length : next;
    return { kind: 'text', text: xml.slice(at, end), end };
  }
  for (const [start, stop, first] of OPAQUE) {
    if (!xml.startsWith(start, at)) continue;
    const from = at + start.length;
    const to = xml.indexOf(stop, from);
    const text = xml.slice(from, to);
    if (to === -1 || !first.test(text)) return undefined;
    return { kind: 'opaque', text, end: to + stop.length };
  }
  CLOSE.lastIndex = at;
  const close = CLOSE.exec(xml);
  if (close) return { kind: 'close', name: close[1] ?? '', end: CLOSE.lastIndex };
  OPEN.lastIndex = at;
  const open = OPEN.exec(xml);
  if (!open) return undefined;
  const [, name = '', attributes = '', slash] = open;
  let src = '';
  for (const [, key = '', double, single] of attributes.matchAll(ATTRIBUTE))
    if (key.toLowerCase() === 'src') src = decodeXml(double ?? single ?? '');
  return { kind: 'open', name, isEmpty: slash === '/', src, end: OPEN.lastIndex };
}

/** Only XML's own references, in small letters: named HTML entities show literally (seen on screen). */
function decodeXml(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/g,
    (match: string, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return named[name] ?? match;
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match;
    },
  );
}
