/**
 * 0x80–0x9F of windows-1252 (https://encoding.spec.whatwg.org/index-windows-1252.txt). Its own table, because
 * `new TextDecoder('windows-1252')` reads these 32 bytes as latin1 control characters on Node 20 (nodejs/node#56542).
 */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Bytes searched for a late `<meta charset>`: the standard's prescan stops at 1,024, browsers read on, and big inline scripts stand before it. */
const LATE_META_BYTES = 64 * 1024;
/** `<meta` tags looked at in that stretch; a page has a few dozen at most. */
const MAX_META_TAGS = 200;

/** The marks of https://encoding.spec.whatwg.org/#bom-sniff. */
const MARKS: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
];

export interface DecodeOptions {
  /** The `charset` parameter of the Content-Type header. */
  declared?: string;
  /** Where else a charset may be declared: `<meta>` in HTML, `encoding="…"` in XML. */
  syntax: 'html' | 'xml' | 'text';
  /** True when the bytes end early: half a character at the end is left out. */
  cut?: boolean;
}

/** The charset that a `<meta>` in the first 1,024 bytes of an HTML page declares. Contract: never throws. */
export type SniffHtmlCharset = (bytes: Uint8Array) => string | undefined;

/**
 * Text of a body. The charset comes from, in this order: byte-order mark, Content-Type header, the document's own
 * declaration, and a guess (UTF-8 if the bytes are valid UTF-8, else windows-1252). `sniffHtml` is asked only for HTML
 * that neither of the first two decides; without it a `<meta>` counts for nothing. Never throws; bytes that mean
 * nothing become U+FFFD. The byte-order mark itself is left out.
 */
export function decodeText(
  bytes: Uint8Array,
  options: DecodeOptions,
  sniffHtml: SniffHtmlCharset = () => undefined,
): string {
  const cut = options.cut === true;
  return (
    decodeAs(markedCharset(bytes) ?? options.declared, bytes, cut) ??
    decodeAs(documentCharset(bytes, options.syntax, sniffHtml), bytes, cut) ??
    decodeUtf8(bytes, cut) ??
    decodeWindows1252(bytes)
  );
}

/** The `charset` parameter of a Content-Type value, without quotes. */
export function charsetParameter(contentType: string): string | undefined {
  for (const part of contentType.split(';').slice(1)) {
    const [name = '', value = ''] = part.split('=', 2);
    if (name.trim().toLowerCase() === 'charset') {
      const bare = value.trim().replace(/^["']|["']$/g, '');
      return bare === '' ? undefined : bare;
    }
  }
  return undefined;
}

function markedCharset(bytes: Uint8Array): string | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
}

function documentCharset(
  bytes: Uint8Array,
  syntax: DecodeOptions['syntax'],
  sniffHtml: SniffHtmlCharset,
): string | undefined {
  if (syntax === 'xml') return xmlDeclaration(bytes);
  return syntax === 'html' ? metaCharset(bytes, sniffHtml) : undefined;
}

function metaCharset(bytes: Uint8Array, sniffHtml: SniffHtmlCharset): string | undefined {
  const first = sniffHtml(bytes);
  if (first !== undefined) return first;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LATE_META_BYTES))
    .toString('latin1')
    .toLowerCase();
  let at = head.indexOf('<meta');
  for (let count = 0; at !== -1 && count < MAX_META_TAGS; count += 1) {
    const found = sniffHtml(bytes.subarray(at, at + 1024));
    if (found !== undefined) return found;
    at = head.indexOf('<meta', at + 5);
  }
  return undefined;
}

function xmlDeclaration(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  const label = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // Readable as ASCII, so whatever it says, it is not UTF-16.
  return label === undefined || /^utf-?16/i.test(label) ? undefined : label;
}

/** Text under a charset label, or nothing when there is none or it means nothing here. */
function decodeAs(label: string | undefined, bytes: Uint8Array, cut: boolean): string | undefined {
  if (label === undefined) return undefined;
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(label);
  } catch {
    return undefined; // x-user-defined, replacement, and names nobody knows
  }
  if (decoder.encoding === 'windows-1252') return decodeWindows1252(bytes);
  return decoder.decode(bytes, { stream: cut });
}

function decodeUtf8(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
}
