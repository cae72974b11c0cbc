/**
 * An HTML block the way the launcher's XML reader sees it (pugixml): images, then all texts joined without
 * spaces. Null when it is not well-formed; the raw block then goes to the rich-text widget.
 */
export function readWellFormed(html: string): { images: string[]; text: string } | null {
  const images: string[] = [];
  const open: string[] = [];
  let text = '';
  let at = 0;
  while (at < html.length) {
    if (html[at] !== '<') {
      const next = html.indexOf('<', at);
      const piece = html.slice(at, next === -1 ? undefined : next);
      if (piece.trim() !== '') text += decodeXml(piece.replace(/\s+/g, ' '));
      at += piece.length;
      continue;
    }
    const skipped = skipOpaque(html, at);
    if (skipped !== undefined) {
      if (skipped === null) return null;
      at = skipped;
      continue;
    }
    const end = html.indexOf('>', at);
    const tag = end === -1 ? undefined : readTag(html.slice(at, end + 1));
    if (!tag) return null;
    if (tag.closing) {
      if (open.pop() !== tag.name) return null;
    } else {
      if (tag.name === 'img') images.push(tag.src ?? '');
      if (!tag.empty) open.push(tag.name);
    }
    at = end + 1;
  }
  return open.length === 0 ? { images, text: text.trim() } : null;
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

/** End of a comment, instruction, CDATA section or doctype at `at`; null when it never ends; undefined when none is there. */
function skipOpaque(html: string, at: number): number | null | undefined {
  for (const [start, end] of [
    ['<!--', '-->'],
    ['<?', '?>'],
    ['<![CDATA[', ']]>'],
    ['<!', '>'],
  ] as const) {
    if (!html.startsWith(start, at)) continue;
    const close = html.indexOf(end, at + start.length);
    return close === -1 ? null : close + end.length;
  }
  return undefined;
}

function readTag(
  tag: string,
): { name: string; closing: boolean; empty: boolean; src?: string } | undefined {
  const closing = /^<\/([a-z_:][\w:.-]*)\s*>$/i.exec(tag);
  if (closing) return { name: closing[1] ?? '', closing: true, empty: false };
  const opening = /^<([a-z_:][\w:.-]*)/i.exec(tag);
  if (!opening) return undefined;
  const name = opening[1] ?? '';
  let rest = tag.slice(opening[0].length, -1);
  const empty = rest.endsWith('/');
  if (empty) rest = rest.slice(0, -1);
  let src: string | undefined;
  while (rest.trim() !== '') {
    const attribute = /^\s+([a-z_:][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/i.exec(rest);
    if (!attribute) return undefined;
    if (attribute[1] === 'src') src = decodeXml(attribute[2] ?? attribute[3] ?? '');
    rest = rest.slice(attribute[0].length);
  }
  return { name, closing: false, empty, src };
}

/** Only XML's own references: named HTML entities show literally (seen on screen). */
function decodeXml(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (match: string, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return named[name] ?? match;
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match;
    },
  );
}
