/** What a body is, decided by its first bytes before its declared type. */
export type Media =
  | { kind: 'html' | 'json' | 'xml' | 'text' }
  | { kind: 'binary'; /** For a sentence: "a PDF file", "an image". */ name: string };

/** [offset, bytes as latin1, name]. From the file formats' own specifications, as collected in https://mimesniff.spec.whatwg.org/ */
const MAGIC: readonly (readonly [number, string, string])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'an image'],
  [0, '\xff\xd8\xff', 'an image'],
  [0, 'GIF87a', 'an image'],
  [0, 'GIF89a', 'an image'],
  [0, 'II*\0', 'an image'],
  [0, 'MM\0*', 'an image'],
  [0, '\0\0\x01\0', 'an image'],
  [4, 'ftypavif', 'an image'],
  [4, 'ftypheic', 'an image'],
  [4, 'ftyp', 'a video or sound file'],
  [0, '\x1a\x45\xdf\xa3', 'a video'],
  [0, 'ID3\x02', 'a sound file'],
  [0, 'ID3\x03', 'a sound file'],
  [0, 'ID3\x04', 'a sound file'],
  [0, 'OggS\0', 'a video or sound file'],
  [0, 'fLaC', 'a sound file'],
  [0, 'PK\x03\x04', 'a ZIP archive or an office document'],
  [0, 'PK\x05\x06', 'a ZIP archive or an office document'],
  [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an office document'],
  [0, '\x1f\x8b', 'a compressed archive'],
  [4, '1AY&SY', 'a compressed archive'],
  [0, '\xfd7zXZ\0', 'a compressed archive'],
  [0, '7z\xbc\xaf\x27\x1c', 'a compressed archive'],
  [0, 'Rar!\x1a\x07', 'a compressed archive'],
  [0, '\x28\xb5\x2f\xfd', 'a compressed archive'],
  [0, '\x7fELF', 'a program'],
  [0, '\0asm', 'a program'],
  [0, 'wOFF', 'a font'],
  [0, 'wOF2', 'a font'],
  [0, 'SQLite format 3\0', 'a database'],
];

const DECLARED: readonly (readonly [RegExp, string])[] = [
  [/^application\/(?:x-)?pdf$/, 'a PDF file'],
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

/**
 * Tells what a body is.
 *
 * `declared` is the content type, lower-cased, without parameters. The first bytes win, with one exception: text
 * declared as `text/plain` stays text even if it is the source of an HTML page.
 */
export function sniffMedia(bytes: Uint8Array, declared: string): Media {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  if (/^\s*%PDF-/.test(head)) return { kind: 'binary', name: 'a PDF file' };
  const riff = head.startsWith('RIFF') ? RIFF[head.slice(8, 12)] : undefined;
  if (riff !== undefined) return { kind: 'binary', name: riff };
  const magic = MAGIC.find(([offset, mark]) => head.startsWith(mark, offset));
  if (magic !== undefined) return { kind: 'binary', name: magic[2] };
  const wide = head.startsWith('\xff\xfe') || head.startsWith('\xfe\xff');
  if (head.includes('\0') && !wide) return { kind: 'binary', name: 'a binary file' };
  if (/^(?:text\/plain|text\/(?:x-)?markdown)$/.test(declared)) return { kind: 'text' };
  if (looksLikeHtml(head)) return { kind: 'html' };
  const named = DECLARED.find(([pattern]) => pattern.test(declared));
  if (named !== undefined) return { kind: 'binary', name: named[1] };
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(declared)) return { kind: 'html' };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(declared)) return { kind: 'json' };
  if (/^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(declared)) return { kind: 'xml' };
  return { kind: /^\s*<\?xml\s/.test(head) ? 'xml' : 'text' };
}

function looksLikeHtml(head: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*(?:<!--[^>]*-->\s*)?(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)[\s>]/i.test(
    head,
  );
}
