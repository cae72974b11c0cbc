/** Bytes searched at each end of a container: names stand in front of their entries and again in the directory at the end. */
const SEARCH_BYTES = 64 * 1024;

/** [what one of the entries is called or holds, name]; the first that is found. */
const ZIP: readonly (readonly [RegExp, string])[] = [
  [/mimetypeapplication\/epub\+zip/, 'an EPUB book'],
  [/mimetypeapplication\/vnd\.oasis\.opendocument\.text/, 'an OpenDocument text'],
  [/mimetypeapplication\/vnd\.oasis\.opendocument\.spreadsheet/, 'an OpenDocument spreadsheet'],
  [/mimetypeapplication\/vnd\.oasis\.opendocument\.presentation/, 'an OpenDocument presentation'],
  [/word\/(?:document|_rels|styles)/, 'a Word document'],
  [/xl\/(?:workbook|_rels|worksheets)/, 'an Excel workbook'],
  [/ppt\/(?:presentation|_rels|slides)/, 'a PowerPoint presentation'],
  [/META-INF\/container\.xml/, 'an EPUB book'],
  [/AndroidManifest\.xml/, 'an Android app'],
  [/META-INF\/MANIFEST\.MF/, 'a Java program'],
  [/Index\/Document\.iwa/, 'an Apple iWork document'],
];

/** Names of streams in the old Microsoft container ([MS-CFB]), in UTF-16. */
const COMPOUND: readonly (readonly [string, string])[] = [
  ['WordDocument', 'a Word document'],
  ['Workbook', 'an Excel workbook'],
  ['PowerPoint Document', 'a PowerPoint presentation'],
  ['__properties_version1.0', 'an Outlook message'],
];

/** What a ZIP file is, by the names of its entries. */
export function zipName(bytes: Uint8Array): string {
  const text = ends(bytes);
  return ZIP.find(([mark]) => mark.test(text))?.[1] ?? 'a ZIP archive';
}

/** What an old Microsoft file is, by the names of its streams. */
export function compoundName(bytes: Uint8Array): string {
  const text = ends(bytes);
  const wide = (name: string): string => Array.from(name, (char) => `${char}\0`).join('');
  return COMPOUND.find(([name]) => text.includes(wide(name)))?.[1] ?? 'an office document';
}

function ends(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, SEARCH_BYTES)).toString('latin1');
  return head + Buffer.from(bytes.subarray(-SEARCH_BYTES)).toString('latin1');
}

/** What Lam reads of what is in a ZIP file. */
export type OfficeFormat = 'docx' | 'odt' | 'epub';

const FORMATS: ReadonlyMap<string, OfficeFormat> = new Map([
  ['a Word document', 'docx'],
  ['an OpenDocument text', 'odt'],
  ['an EPUB book', 'epub'],
]);

/** What the name of a file promises, where the parts that are looked at do not tell. */
const ENDING = /\.(docx|odt|epub)$/i;

/** In the old Microsoft container, the stream that holds a document behind a password ([MS-OFFCRYPTO]), in UTF-16. */
const ENCRYPTED = Array.from('EncryptedPackage', (char) => `${char}\0`).join('');

/**
 * The format of a file that is read as an office document; undefined = none.
 *
 * @param bytes its two ends; `path` counts only where they do not tell
 */
export function officeFormat(bytes: Uint8Array, path: string): OfficeFormat | undefined {
  if (!startsWith(bytes, 'PK\x03\x04')) return undefined;
  const name = zipName(bytes);
  const ending = name === 'a ZIP archive' ? ENDING.exec(path)?.[1]?.toLowerCase() : undefined;
  return FORMATS.get(name) ?? [...FORMATS.values()].find((format) => format === ending);
}

/** True for an office document behind a password, of which nobody sees what it is. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return startsWith(bytes, '\xd0\xcf\x11\xe0') && ends(bytes).includes(ENCRYPTED);
}

function startsWith(bytes: Uint8Array, mark: string): boolean {
  return Buffer.from(bytes.subarray(0, mark.length)).toString('latin1') === mark;
}
