import { createHash } from 'node:crypto';
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createExtractor, type Extracted, type ExtractedText } from '../host/documents/extract';
import { docxFile, epubFile, odtFile, wordParagraph } from './support/office-files';
import { blocksOf } from '../lib/blocks';
import { pdfFile } from './support/pdf-files';
import { tempFolders } from './support/temp-folder';
import { zipFile } from './support/zip-files';

const ASSETS = join(import.meta.dirname, '../../assets');
const extract = createExtractor({ assetsPath: ASSETS });
const live = (): AbortSignal => new AbortController().signal;
const tempFolder = tempFolders();

type Content = string | Uint8Array;

async function read(name: string, content: Content): Promise<Extracted> {
  const path = join(realpathSync(tempFolder()), name);
  writeFileSync(path, content);
  return extract(path, live());
}

async function text(name: string, content: Content): Promise<ExtractedText> {
  const outcome = await read(name, content);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome;
}

const latin1 = (content: string): Uint8Array => Buffer.from(content, 'latin1');
const utf16be = (content: string): Uint8Array => Buffer.from(content, 'utf16le').swap16();

describe('what a file is', () => {
  it.each<[name: string, content: Content, kind: string]>([
    ['a.md', '# Tea', 'markdown'],
    ['a.MARKDOWN', '# Tea', 'markdown'],
    ['a.txt', 'Tea', 'text'],
    ['README', 'Tea', 'text'],
    ['a.unknown', 'Tea', 'text'],
    ['a.txt', '<!doctype html><p>The source of a page</p>', 'text'],
    ['a.md', '<html>is said in a note</html>', 'markdown'],
    ['a.html', '<!doctype html><title>T</title><p>Tea</p>', 'html'],
    ['a.htm', '<p>A piece of a page</p>', 'html'],
    ['page', '<!doctype html><title>T</title><p>Tea</p>', 'html'],
    ['a.csv', 'tea;price\ngreen;3\n', 'csv'],
    ['a.tsv', 'tea\tprice\n', 'csv'],
    ['a.py', 'import os\n', 'code'],
    ['a.ts', 'export {};\n', 'code'],
    ['Makefile', 'all:\n\techo tea\n', 'code'],
    ['a.json', '{"tea": 1}', 'code'],
    ['data', '{"tea": 1}', 'code'],
    ['a.xml', '<?xml version="1.0"?><tea/>', 'code'],
    ['a.svg', '<svg xmlns="x"><text>Tea</text></svg>', 'code'],
    ['a.php', '<html><?php echo 1 ?></html>', 'code'],
    ['a.pdf', pdfFile({ pages: [{ lines: ['Tea'] }] }), 'pdf'],
    ['no-ending', pdfFile({ pages: [{ lines: ['Tea'] }] }), 'pdf'],
    ['a.pdf', 'A text with the wrong ending', 'text'],
    ['a.docx', docxFile({ body: wordParagraph('Tea') }), 'docx'],
    ['a.txt', docxFile({ body: wordParagraph('Tea') }), 'docx'],
    [
      'large',
      docxFile({
        body: wordParagraph('Tea'),
        parts: [{ name: 'x.png', data: Buffer.alloc(70_000), isStored: true }],
      }),
      'docx',
    ],
    ['a.odt', odtFile({ body: '<text:p>Tea</text:p>' }), 'odt'],
    ['a.epub', epubFile({ chapters: ['<p>Tea</p>'] }), 'epub'],
  ])('%s', async (name, content, kind) => {
    expect(await text(name, content)).toMatchObject({ kind });
  });

  it('comes with its version, size and time', async () => {
    const path = join(realpathSync(tempFolder()), 'a.md');
    writeFileSync(path, 'Tea and fog');
    const { size, mtimeMs } = statSync(path);
    const version = createHash('sha256').update('Tea and fog').digest('hex');
    expect(await extract(path, live())).toEqual({
      ok: true,
      kind: 'markdown',
      title: 'a',
      text: 'Tea and fog',
      version,
      size,
      mtimeMs,
    });
  });
});

describe('text', () => {
  it.each<[name: string, file: string, content: Content, text: string]>([
    ['Markdown, as it stands', 'a.md', '# Tea\n\n- [1] *Green*\n', '# Tea\n\n- [1] *Green*\n'],
    ['a table, as it stands', 'a.csv', 'tea,price\n"a, b",3\n', 'tea,price\n"a, b",3\n'],
    ['line ends of Windows and of old Macs', 'a.txt', 'a\r\nb\rc', 'a\nb\nc'],
    ['UTF-8', 'a.txt', 'Blätter 茶 🍵 चाय', 'Blätter 茶 🍵 चाय'],
    ['a byte order mark', 'a.txt', '\ufeffTea', 'Tea'],
    ['windows-1252', 'a.txt', latin1('Gr\xfcn \x803 \x84Tee\x93'), 'Grün €3 „Tee“'],
    ['UTF-16 with a mark', 'a.txt', Buffer.from('\ufeffНебо', 'utf16le'), 'Небо'],
    ['UTF-16 without', 'a.txt', Buffer.from('Plain words', 'utf16le'), 'Plain words'],
    ['UTF-16, big end first', 'a.txt', utf16be('\ufeff霧と茶'), '霧と茶'],
    ['what is drawn as nothing, out', 'a.txt', 'a\u200bb\u202ec', 'abc'],
  ])('%s', async (_name, file, content, expected) => {
    expect((await text(file, content)).text).toBe(expected);
  });

  it.each<[name: string, html: Content, words: string]>([
    [
      'in the charset that the page declares',
      Buffer.concat([
        latin1('<!doctype html><meta charset="windows-1251"><title>t</title><p>'),
        Buffer.from([0xcd, 0xe5, 0xe1, 0xee]),
      ]),
      'Небо',
    ],
    [
      'in Shift_JIS',
      Buffer.concat([
        latin1('<html><meta charset=shift_jis><p>'),
        Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      ]),
      '日本',
    ],
    ['without scripts', '<html><body><p>Fog</p><script>no()</script></body></html>', 'Fog'],
    ['without links to neighbours', '<html><p>See <a href="b.html">b</a>.</p></html>', 'See b.'],
    [
      'with links to the web',
      '<html><p>See <a href="https://a.example/">a</a>.</p></html>',
      'See [a](https://a.example/).',
    ],
  ])('of a page %s', async (_name, html, words) => {
    expect((await text('a.html', html)).text).toBe(words);
  });

  it('of a PDF file has a mark in front of each page', async () => {
    const { text: words, pages } = await text(
      'a.pdf',
      pdfFile({ pages: [{ lines: ['One'] }, { cid: ['霧'] }, { blank: true }] }),
    );
    expect(words).toMatch(/^— page 1 of 3 —\n\nOne\n\n— page 2 of 3 —\n\n霧\n\n— page 3 of 3 —/);
    expect(pages?.total).toBe(3);
    const marks = pages?.starts.map((start) => words.slice(start, start + 8));
    expect(marks).toEqual(['— page 1', '— page 2', '— page 3']);
  });

  it('any that UTF-8 can hold comes back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.lorem(), { minLength: 1, maxLength: 5 }), async (lines) => {
        const content = lines.join('\n');
        expect((await text('a.txt', content)).text).toBe(content);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a text of countless blocks', () => {
  const blocksIn = ({ text: words, pages }: ExtractedText): number =>
    blocksOf({ text: words, ...(pages === undefined ? {} : { pages }) }).length;

  it.each<[name: string, file: string, content: () => Content]>([
    ['paragraphs of one letter', 'a.txt', () => 'a\n\n'.repeat(1_300_000)],
    ['headings', 'a.md', () => '# a\n'.repeat(1_000_000)],
    ['long paragraphs behind many short ones', 'a.md', () => 'a\n\n'.repeat(20_000) + 'end'],
  ])('of %s ends at the 20,000th', async (_name, file, content) => {
    const read = await text(file, content());
    expect(read.cut).toBe(true);
    expect(blocksIn(read)).toBe(20_000);
    expect(String(content()).startsWith(read.text)).toBe(true);
  });

  it('that are as many as there may be is whole', async () => {
    const content = 'a\n\n'.repeat(19_999) + 'end';
    const read = await text('a.txt', content);
    expect(read.text).toBe(content);
    expect(read.cut).toBeUndefined();
  });

  it('has no pages behind its end', async () => {
    const extractPages = createExtractor({
      assetsPath: ASSETS,
      readPdf: () =>
        Promise.resolve({
          ok: true,
          reading: {
            kind: 'read',
            title: '',
            total: 50,
            cut: false,
            pages: Array<string>(50).fill('a\n\n'.repeat(1_000)),
          },
        }),
    });
    const path = join(realpathSync(tempFolder()), 'a.pdf');
    writeFileSync(path, pdfFile({ pages: [{ lines: ['x'] }] }));
    const read = await extractPages(path, live());
    if (!read.ok) throw new Error(read.reason);
    expect(read.cut).toBe(true);
    expect(read.pages?.total).toBe(50);
    expect(read.pages?.starts).toHaveLength(20);
    expect(read.pages?.starts.every((start) => read.text.startsWith('— page', start))).toBe(true);
    expect(blocksIn(read)).toBe(20_000);
  });
});

describe('a title', () => {
  it.each<[name: string, file: string, content: Content, title: string]>([
    ['the first heading', 'a.md', 'Intro\n\n# Wuyi *rock* tea #\n\n# Two', 'Wuyi *rock* tea'],
    ['an underlined one', 'a.md', 'Wuyi tea\n========\n', 'Wuyi tea'],
    ['not one in code', 'a.md', '```sh\n# comment\n```\n\n## Real', 'Real'],
    ['of the front matter', 'a.md', '---\ntitle: "Fog & tea"\n---\n# Other', 'Fog & tea'],
    ['the name of the file', 'Über Nebel.txt', '# no Markdown', 'Über Nebel'],
    ['the name of a file without an ending', 'LICENSE', 'x', 'LICENSE'],
    ['the name of a file that is nothing but one', '.md', 'x', '.md'],
    ['of a page', 'a.html', '<html><title>Fog\n and tea</title><p>Words</p></html>', 'Fog and tea'],
    [
      'of a PDF file',
      'a.pdf',
      pdfFile({ pages: [{ lines: ['x'] }], title: 'Nebel 霧' }),
      'Nebel 霧',
    ],
    ['none in a PDF file', 'b.pdf', pdfFile({ pages: [{ lines: ['x'] }] }), 'b'],
    [
      'of a Word document',
      'a.docx',
      docxFile({ title: 'A <b> & c', body: wordParagraph('x') }),
      'A <b> & c',
    ],
    [
      'of an OpenDocument text',
      'a.odt',
      odtFile({ title: 'Туман', body: '<text:p>x</text:p>' }),
      'Туман',
    ],
    ['of a book', 'a.epub', epubFile({ title: '霧の本', chapters: ['<p>x</p>'] }), '霧の本'],
    ['on one line', 'a\nb.txt', 'x', 'a b'],
    ['of bounded length', 'a.md', `# ${'x'.repeat(5_000)}`, `${'x'.repeat(300)}…`],
  ])('%s', async (_name, file, content, title) => {
    expect((await text(file, content)).title).toBe(title);
  });
});

describe('what is not read', () => {
  it.each<[name: string, file: string, content: Content, status: string, reason: string]>([
    ['nothing', 'a.md', '', 'unreadable', 'It is empty.'],
    ['blanks', 'a.md', ' \n\t\n', 'unreadable', 'It has no text.'],
    ['an image', 'a.txt', latin1('\x89PNG\r\n\x1a\nxxxx'), 'unreadable', 'It is an image.'],
    ['a program', 'a', latin1('\x7fELF\x02'), 'unreadable', 'It is a program.'],
    [
      'an archive',
      'a.zip',
      zipFile([{ name: 'a.md', data: 'x' }]),
      'unreadable',
      'It is a ZIP archive.',
    ],
    ['bytes', 'a.txt', Buffer.from([1, 2, 0, 3, 0, 0, 4]), 'unreadable', 'It is a binary file.'],
    [
      'bytes without a zero',
      'a.md',
      Buffer.from(Array.from({ length: 200 }, (_, n) => 1 + (n % 6))),
      'unreadable',
      'It is a binary file.',
    ],
    [
      'a spreadsheet',
      'a.xlsx',
      zipFile([{ name: 'xl/workbook.xml', data: 'x' }]),
      'unreadable',
      'It is an Excel workbook, which Lam does not read; save it as PDF or text.',
    ],
    [
      'an old Word document',
      'a.doc',
      Buffer.concat([
        latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
        Buffer.from('WordDocument', 'utf16le'),
      ]),
      'unreadable',
      'It is a Word document, which Lam does not read; save it as PDF or text.',
    ],
    [
      'a Word document behind a password',
      'a.docx',
      Buffer.concat([
        latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'unreadable',
      'It is protected by a password.',
    ],
    [
      'a PDF file behind a password',
      'a.pdf',
      pdfFile({ pages: [{ lines: ['x'] }], password: 'secret' }),
      'unreadable',
      'It is protected by a password.',
    ],
    [
      'a PDF file of pictures',
      'a.pdf',
      pdfFile({ pages: [{ picture: true }] }),
      'unreadable',
      'The PDF file (1 page) has no text layer that Lam can read: most likely it is scanned, pictures of pages.',
    ],
    [
      'a broken PDF file',
      'a.pdf',
      '%PDF-1.7\nnothing',
      'unreadable',
      'The PDF file is broken and could not be read.',
    ],
    [
      'a text of megabytes',
      'a.log',
      Buffer.alloc(4 * 1024 * 1024 + 1, 'a'),
      'too-large',
      'It is larger than 4 MB, the most that Lam reads of a text file.',
    ],
  ])('%s', async (_name, file, content, status, reason) => {
    const size = Buffer.from(content).length;
    expect(await read(file, content)).toEqual({
      ok: false,
      status,
      reason,
      size,
      mtimeMs: expect.any(Number) as unknown,
    });
  });
});
