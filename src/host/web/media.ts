import { zipName, compoundName } from './office';

/** What a body is, decided by its first bytes before its declared type. */
export type Media =
  | { kind: 'html' | 'json' | 'xml' | 'csv' | 'pdf' | 'text' }
  | { kind: 'binary'; /** For a sentence: "an image", "a Word document". */ name: string };

/** [offset, bytes as latin1, name]. From the file formats' own specifications, as collected in https://mimesniff.spec.whatwg.org/ */
const MAGIC: readonly (readonly [number, string, string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'an image'],
  [0, '\xff\xd8\xff', 'an image'],
  [0, 'GIF87a', 'an image'],
  [0, 'GIF89a', 'an image'],
  [0, 'II*\0', 'an image'],
  [0, 'MM\0*', 'an image'],
  [0, '\0\0\x01\0', 'an image'],
  [0, '8BPS\0\x01', 'an image'],
  [0, '\0\0\0\x0cJXL ', 'an image'],
  [0, '\0\0\0\x0cjP  ', 'an image'],
  [4, 'ftypavif', 'an image'],
  [4, 'ftypheic', 'an image'],
  [4, 'ftypmif1', 'an image'],
  [4, 'ftyp', 'a video or sound file'],
  [0, '\x1a\x45\xdf\xa3', 'a video'],
  [0, '\0\0\x01\xba', 'a video'],
  [0, 'FLV\x01', 'a video'],
  [0, 'ID3\x02', 'a sound file'],
  [0, 'ID3\x03', 'a sound file'],
  [0, 'ID3\x04', 'a sound file'],
  [0, '\xff\xfb\x90', 'a sound file'],
  [0, 'OggS\0', 'a video or sound file'],
  [0, 'fLaC', 'a sound file'],
  [0, 'MThd\0\0\0\x06', 'a sound file'],
  [0, '\x1f\x8b', 'a compressed archive'],
  [4, '1AY&SY', 'a compressed archive'],
  [0, '\xfd7zXZ\0', 'a compressed archive'],
  [0, '7z\xbc\xaf\x27\x1c', 'a compressed archive'],
  [0, 'Rar!\x1a\x07', 'a compressed archive'],
  [0, '\x28\xb5\x2f\xfd', 'a compressed archive'],
  [257, 'ustar', 'an archive'],
  [0, '!<arch>\n', 'an archive'],
  [0, '\x7fELF', 'a program'],
  [0, 'MZ\x90\0', 'a program'],
  [0, '\xcf\xfa\xed\xfe', 'a program'],
  [0, '\xca\xfe\xba\xbe', 'a program'],
  [0, '\0asm', 'a program'],
  [0, 'wOFF', 'a font'],
  [0, 'wOF2', 'a font'],
  [0, 'OTTO\0', 'a font'],
  [0, '\0\x01\0\0\0', 'a font'],
  [0, 'SQLite format 3\0', 'a database'],
  [0, 'PAR1\x15', 'a database'],
  [0, '{\\rtf', 'a rich text (RTF) document'],
  [0, '%!PS-Adobe', 'a PostScript document'],
  [0, 'AT&TFORM', 'a DjVu document'],
];

const PDF_TYPE = /^application\/(?:x-)?pdf$/;

const DECLARED: readonly (readonly [RegExp, string])[] = [
  [PDF_TYPE, 'called a PDF file, and is none'],
  [/^image\//, 'an image'],
  [/^audio\//, 'a sound file'],
  [/^video\//, 'a video'],
  [/^font\//, 'a font'],
  [/^application\/(?:zip|x-7z-compressed|gzip|x-tar|x-bzip2|vnd\.rar)$/, 'an archive'],
];

/** What stands at offset 8 of a RIFF container. */
const RIFF: Record<string, string> = { WEBP: 'an image', WAVE: 'a sound file', 'AVI ': 'a video' };

/** Bytes looked at: what the standard's own sniffing reads, rounded down. */
const HEAD_BYTES = 1024;

/** Types that say nothing, so that the name of the file may. */
const VAGUE = /^(?:text\/plain|application\/(?:octet-stream|x-unknown|force-download))?$/;

/**
 * Tells what a body is.
 *
 * `declared` is the content type, lower-cased, without parameters; `charset` is its parameter, which tells UTF-16 from a
 * binary file. `path` is the path of the address, whose ending counts only where the type says nothing. The first bytes win, with one exception: text declared as `text/plain` stays text
 * even if it is the source of an HTML page.
 */
export function sniffMedia(
  bytes: Uint8Array,
  declared: string,
  { path = '', charset = '' }: { path?: string; charset?: string | undefined } = {},
): Media {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  return binaryOf(bytes, head, isUtf16(charset)) ?? textOf(head, declared, path);
}

/** True for a declared type that means a PDF file. */
export function isPdfType(declared: string): boolean {
  return PDF_TYPE.test(declared);
}

function isUtf16(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding.startsWith('utf-16');
  } catch {
    return false; // a name nobody knows
  }
}

function binaryOf(bytes: Uint8Array, head: string, isWide: boolean): Media | undefined {
  // Readers look for the mark in the first kilobyte (ISO 32000-1 annex H.3, note 13); text that mentions it has it later.
  if (/^\s*%PDF-/.test(head)) return { kind: 'pdf' };
  const riff = head.startsWith('RIFF') ? RIFF[head.slice(8, 12)] : undefined;
  if (riff !== undefined) return { kind: 'binary', name: riff };
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06'))
    return { kind: 'binary', name: zipName(bytes) };
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'))
    return { kind: 'binary', name: compoundName(bytes) };
  const magic = MAGIC.find(([offset, mark]) => head.startsWith(mark, offset));
  if (magic !== undefined) return { kind: 'binary', name: magic[2] };
  const wide = isWide || head.startsWith('\xff\xfe') || head.startsWith('\xfe\xff');
  return head.includes('\0') && !wide ? { kind: 'binary', name: 'a binary file' } : undefined;
}

function textOf(head: string, declared: string, path: string): Media {
  const ending = VAGUE.test(declared) ? /\.(csv|tsv|json)$/i.exec(path)?.[1]?.toLowerCase() : '';
  if (ending === 'csv' || ending === 'tsv') return { kind: 'csv' };
  if (ending === 'json') return { kind: 'json' };
  if (/^text\/(?:plain|(?:x-)?markdown)$/.test(declared)) return { kind: 'text' };
  if (looksLikeHtml(head)) return { kind: 'html' };
  if (/^(?:text|application)\/(?:(?:x-)?csv|tab-separated-values|tsv)$/.test(declared))
    return { kind: 'csv' };
  const named = DECLARED.find(([pattern]) => pattern.test(declared));
  if (named !== undefined) return { kind: 'binary', name: named[1] };
  if (looksLikeFeed(head)) return { kind: 'xml' };
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(declared)) return { kind: 'html' };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(declared)) return { kind: 'json' };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(declared)) return { kind: 'xml' };
  if (/^\s*<\?xml\s/.test(head)) return { kind: 'xml' };
  return { kind: VAGUE.test(declared) && /^\s*[[{]/.test(head) ? 'json' : 'text' };
}

function looksLikeHtml(head: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*(?:<!--[^>]*-->\s*)?(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)[\s>]/i.test(
    head,
  );
}

/** Many feeds are sent as `text/html`. */
function looksLikeFeed(head: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<\?xml-stylesheet[^>]*>\s*|<!--[^>]*-->\s*)*<(?:rss|feed|rdf:RDF)[\s>]/.test(
    head,
  );
}
