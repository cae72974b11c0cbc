import sniffHtmlEncoding from 'html-encoding-sniffer';

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

const UNKNOWN = 'unknown';

export interface DecodeOptions {
  /** The `charset` parameter of the Content-Type header. */
  declared?: string;
  /** Where else a charset may be declared: `<meta>` in HTML, `encoding="…"` in XML. */
  syntax: 'html' | 'xml' | 'text';
  /** True when the bytes end early: half a character at the end is left out. */
  cut?: boolean;
}

/**
 * Text of a body. The charset comes from, in this order: byte-order mark, Content-Type header, the document's own
 * declaration, and a guess (UTF-8 if the bytes are valid UTF-8, else windows-1252). Never throws; bytes that mean
 * nothing become U+FFFD. The byte-order mark itself is left out.
 */
export function decodeText(bytes: Uint8Array, options: DecodeOptions): string {
  const name = sniff(bytes, options);
  if (name !== UNKNOWN) {
    const text = decodeAs(name, bytes, options.cut === true);
    if (text !== undefined) return text;
  }
  return decodeUtf8(bytes, options.cut === true) ?? decodeWindows1252(bytes);
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

function sniff(bytes: Uint8Array, options: DecodeOptions): string {
  const first = prescan(bytes, options);
  if (first !== UNKNOWN) return first;
  if (options.syntax === 'xml') return xmlDeclaration(bytes) ?? UNKNOWN;
  if (options.syntax === 'text') return UNKNOWN;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LATE_META_BYTES))
    .toString('latin1')
    .toLowerCase();
  let at = head.indexOf('<meta');
  for (let count = 0; at !== -1 && count < MAX_META_TAGS; count += 1) {
    const found = prescan(bytes.subarray(at, at + 1024), { syntax: 'html' });
    if (found !== UNKNOWN) return found;
    at = head.indexOf('<meta', at + 5);
  }
  return UNKNOWN;
}

function prescan(bytes: Uint8Array, options: DecodeOptions): string {
  try {
    return sniffHtmlEncoding(bytes, {
      ...(options.declared === undefined ? {} : { transportLayerEncodingLabel: options.declared }),
      defaultEncoding: UNKNOWN,
      // In XML mode the sniffer looks for no <meta>, which is what plain text wants too.
      ...(options.syntax === 'html' ? {} : { xml: true }),
    });
  } catch {
    // html-encoding-sniffer 6.0.0 reads past the end of `<meta content="charset">`.
    return UNKNOWN;
  }
}

function xmlDeclaration(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  const label = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // Readable as ASCII, so whatever it says, it is not UTF-16.
  return label === undefined || /^utf-?16/i.test(label) ? undefined : label;
}

/** Text under a charset label, or nothing when the label means nothing here. */
function decodeAs(label: string, bytes: Uint8Array, cut: boolean): string | undefined {
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
