import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { sniffHtmlCharset } from '../host/web/html-charset';
import { createFilePorts } from '../host/web/local-file';
import { loadOfficeReader } from '../host/web/office-reader';
import { loadPdfReader } from '../host/web/pdf-reader';
import { docxFile, epubFile, odtFile, wordParagraph } from './support/office-files';
import { tempFolders } from './support/temp-folder';
import { zipFile } from './support/zip-files';

const ASSETS = join(import.meta.dirname, '../../assets');
const live = (): AbortSignal => new AbortController().signal;
const { readFile, checkFile } = createFilePorts({
  loadPdfReader: () => loadPdfReader(ASSETS),
  loadOfficeReader: () => loadOfficeReader(ASSETS),
  sniffHtml: sniffHtmlCharset,
});
const tempFolder = tempFolders();

function written(name: string, content: Uint8Array | string): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, content);
  return path;
}

const DOCX = docxFile({ body: wordParagraph('Fog and leaf'), title: 'Tea' });
const ODT = odtFile({ body: '<text:p>Fog and leaf</text:p>', title: 'Tea' });
const EPUB = epubFile({ chapters: ['<p>Fog and leaf</p>'], title: 'Tea' });

const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const wide = (name: string): string => Array.from(name, (char) => `${char}\0`).join('');
const compound = (stream: string): Uint8Array =>
  Buffer.from(`${COMPOUND}${'\0'.repeat(600)}${wide(stream)}`, 'latin1');

describe('an office document that is attached', () => {
  it.each<[name: string, file: string, content: Uint8Array]>([
    ['Word', 'a.docx', DOCX],
    ['OpenDocument', 'a.odt', ODT],
    ['EPUB', 'a.epub', EPUB],
    ['Word under the ending of a text', 'a.txt', DOCX],
    ['OpenDocument under the ending of Word', 'a.docx', ODT],
    ['EPUB without an ending', 'a', EPUB],
  ])('is read as its text: %s', async (_name, file, content) => {
    const path = written(file, content);
    const known = { kind: 'text', name: file, path, size: content.length };
    expect(await checkFile(path, live())).toEqual({ ok: true, file: known });
    const read = await readFile(path, live());
    expect(read).toMatchObject({ ok: true, file: known });
    if (!read.ok || read.file.kind !== 'text') throw new Error('not read');
    expect(read.file.text).toContain('Fog and leaf');
    expect(read.file.version).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[name: string, file: string, content: Uint8Array | string, message: string]>([
    [
      'Word behind a password',
      'a.docx',
      compound('EncryptedPackage'),
      'a.docx is protected by a password.',
    ],
    ...[80, 120, 160].map((kilobytes): [string, string, Uint8Array, string] => [
      `Word behind a password, which ${kilobytes} KB stand before`,
      'a.docx',
      Buffer.concat([compound(''), Buffer.alloc(kilobytes * 1024), compound('EncryptedPackage')]),
      'a.docx is protected by a password.',
    ]),
    [
      'a part behind a password',
      'a.docx',
      docxFile({
        body: '',
        parts: [{ name: 'word/document.xml', data: '<w:document/>', isEncrypted: true }],
      }),
      'a.docx is protected by a password.',
    ],
    [
      'a part that would unpack to too much',
      'a.docx',
      docxFile({
        body: '',
        parts: [{ name: 'word/document.xml', data: Buffer.alloc(70 * 1024 * 1024, 0x20) }],
      }),
      'a.docx unpacks to more than 64 MB of text and markup.',
    ],
    [
      'the old Word',
      'a.doc',
      compound('WordDocument'),
      'a.doc is a Word document, which Lam does not read; save it as PDF or text and attach that.',
    ],
    [
      'cut off',
      'a.docx',
      DOCX.subarray(0, DOCX.length - 60),
      'a.docx could not be read: it is damaged or was not copied to its end.',
    ],
    [
      'a ZIP archive under its ending',
      'a.docx',
      zipFile([{ name: 'leaf.txt', data: 'x' }]),
      'a.docx could not be read: its text is missing.',
    ],
    ['without text', 'a.docx', docxFile({ body: wordParagraph('') }), 'a.docx has no text.'],
  ])('is refused when it cannot be read: %s', async (_name, file, content, message) => {
    expect(await readFile(written(file, content), live())).toEqual({ ok: false, message });
  });

  it.each([
    ['a.docx', DOCX, 'a Word document'],
    ['a.odt', ODT, 'an OpenDocument text'],
    ['a.epub', EPUB, 'a book'],
  ])('that is too large is refused before it is read: %s', async (file, content, what) => {
    const path = written(file, content);
    truncateSync(path, 64 * 1024 * 1024 + 1);
    const message = `${file} is larger than 64 MB, the most that Lam reads of ${what}; attach a part of it.`;
    expect(await checkFile(path, live())).toEqual({ ok: false, message });
    expect(await readFile(path, live())).toEqual({ ok: false, message });
  });

  it('a file that is a plain text under their ending stays text', async () => {
    expect(await readFile(written('a.docx', 'Fog and leaf'), live())).toMatchObject({
      ok: true,
      file: { kind: 'text', text: 'Fog and leaf' },
    });
  });
});
