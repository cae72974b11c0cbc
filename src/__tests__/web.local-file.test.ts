import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { MAX_FILES, tooMuch } from '../host/attachments/limits';
import type { FileOutcome } from '../host/attachments/port';
import { withRegularFile } from '../host/attachments/regular-file';
import { sniffHtmlCharset } from '../host/web/html-charset';
import { createFilePorts } from '../host/web/local-file';
import { loadOfficeReader } from '../host/web/office-reader';
import { loadPdfReader } from '../host/web/pdf-reader';
import { encoded } from './support/encodings';
import { pdfFile } from './support/pdf-files';
import { tempFolders } from './support/temp-folder';

const ASSETS = join(import.meta.dirname, '../../assets');
const live = (): AbortSignal => new AbortController().signal;
const { readFile, checkFile } = createFilePorts({
  loadPdfReader: () => loadPdfReader(ASSETS),
  loadOfficeReader: () => loadOfficeReader(ASSETS),
  sniffHtml: sniffHtmlCharset,
});
const tempFolder = tempFolders();
/** Of every POSIX system; Node has no call for it. */
const MAKE_PIPE = 'mkfifo';

type Content = string | Uint8Array;

function written(name: string, content: Content): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** What both ports say: the check never promises what the reading does not keep. */
async function read(path: string): Promise<FileOutcome> {
  const [checked, outcome] = [await checkFile(path, live()), await readFile(path, live())];
  expect(checked.ok ? checked.file.kind : checked.message).toBe(
    outcome.ok ? outcome.file.kind : outcome.message,
  );
  return outcome;
}

async function textOf(path: string): Promise<string> {
  const outcome = await read(path);
  if (!outcome.ok || outcome.file.kind !== 'text') throw new Error(JSON.stringify(outcome));
  return outcome.file.text;
}

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const bytes = (...values: (string | number[])[]): Uint8Array =>
  Buffer.concat(
    values.map((value) => (typeof value === 'string' ? latin1(value) : Buffer.from(value))),
  );
const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16();
const PNG = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 0, 1, 0, 0, 0, 1]);

describe('text is what it says', () => {
  it.each<[name: string, file: string, content: Content, text: string]>([
    ['plain text', 'a.txt', 'Fog and leaf', 'Fog and leaf'],
    ['source code', 'a.py', 'import os\nprint(os)\n', 'import os\nprint(os)\n'],
    ['CSV, as it stands', 'a.csv', 'tea,price\ngreen,3\n', 'tea,price\ngreen,3\n'],
    ['JSON, as it stands', 'a.json', '{"tea": [1]}', '{"tea": [1]}'],
    ['Markdown', 'a.md', '# Tea\n\n[1] Green', '# Tea\n\n[1] Green'],
    ['HTML, its source', 'a.html', '<!doctype html><p>Tea</p>', '<!doctype html><p>Tea</p>'],
    [
      'SVG',
      'a.svg',
      '<svg xmlns="x"><text>Tea</text></svg>',
      '<svg xmlns="x"><text>Tea</text></svg>',
    ],
    ['no ending', 'LICENSE', 'Do as you like.', 'Do as you like.'],
    ['an ending that lies', 'a.pdf', 'No PDF at all', 'No PDF at all'],
    ['line ends of Windows', 'a.txt', 'a\r\nb\rc', 'a\nb\nc'],
    ['escape sequences', 'a.log', '\x1b[31mred\x1b[0m', '\x1b[31mred\x1b[0m'],
    ['UTF-8', 'a.txt', 'Blätter 茶 🍵', 'Blätter 茶 🍵'],
    ['a byte order mark', 'a.txt', '\ufeffTea', 'Tea'],
    ['windows-1252', 'a.txt', bytes('Gr', [0xfc], 'n ', [0x80], '3'), 'Grün €3'],
    ['UTF-16 with a mark', 'a.txt', Buffer.from('\ufeffTee 茶', 'utf16le'), 'Tee 茶'],
    ['UTF-16 big-endian with a mark', 'a.txt', utf16be('\ufeffTee 茶'), 'Tee 茶'],
    ['UTF-16 without a mark', 'a.txt', Buffer.from('Tee trinken', 'utf16le'), 'Tee trinken'],
    ['UTF-16 big-endian without', 'a.txt', utf16be('Tee trinken'), 'Tee trinken'],
    [
      'the charset of an HTML file',
      'a.html',
      bytes(
        '<html><meta charset="windows-1251"><p>',
        [...encoded('windows-1251', 'Чай')],
        '</p></html>',
      ),
      '<html><meta charset="windows-1251"><p>Чай</p></html>',
    ],
    [
      'the charset of an XML file',
      'a.xml',
      bytes(
        '<?xml version="1.0" encoding="shift_jis"?><t>',
        [...encoded('shift_jis', '茶')],
        '</t>',
      ),
      '<?xml version="1.0" encoding="shift_jis"?><t>茶</t>',
    ],
  ])('%s', async (_name, file, content, text) => {
    expect(await textOf(written(file, content))).toBe(text);
  });

  it('with all that is known of the file', async () => {
    const path = written('Zwei Blätter.txt', 'Tee ☕');
    expect(await readFile(path, live())).toEqual({
      ok: true,
      file: {
        kind: 'text',
        name: 'Zwei Blätter.txt',
        path,
        size: 7,
        text: 'Tee ☕',
        // As `sha256sum` says.
        version: '0a10e9206c22dcd32cff957138556042da528f9a2c853ff4d824aa4dea3e9d51',
      },
    });
  });

  it('any text that UTF-8 can hold comes back, but for its line ends', async () => {
    const path = written('any.txt', 'x');
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[\s\p{L}\p{N}\p{P}\p{S}]{0,200}$/u), async (text) => {
        writeFileSync(path, `.${text}.`);
        expect(await textOf(path)).toBe(`.${text}.`.replace(/\r\n?/g, '\n'));
      }),
    );
  });

  it('any bytes are text or a sentence', async () => {
    const path = written('any.bin', 'x');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (content) => {
        writeFileSync(path, content);
        const outcome = await read(path);
        if (!outcome.ok) expect(outcome.message).toMatch(/^any\.bin .*\.$|^The PDF file any\.bin /);
      }),
    );
  });
});

describe('a PDF file', () => {
  it('is read by pages', async () => {
    const path = written(
      'tides',
      pdfFile({
        title: 'Tides',
        pages: [{ lines: ['One'] }, { blank: true }, { lines: ['Three'] }],
      }),
    );
    const outcome = await read(path);
    expect(outcome).toMatchObject({
      ok: true,
      file: { kind: 'pdf', name: 'tides', path, title: 'Tides', pages: { total: 3 } },
    });
    if (!outcome.ok || outcome.file.kind !== 'pdf') throw new Error('no PDF file');
    const { text, pages } = outcome.file;
    expect(pages.starts.map((start) => text.slice(start, start + 5))).toEqual([
      'One\n\n',
      '(No t',
      'Three',
    ]);
  });

  it.each<[name: string, content: Uint8Array, message: string]>([
    [
      'with a password',
      pdfFile({ pages: [{ lines: ['One'] }], password: 'leaf' }),
      'The PDF file a.pdf needs a password.',
    ],
    [
      'that is broken',
      bytes('%PDF-1.7\nleaf'),
      'The PDF file a.pdf is broken and could not be read.',
    ],
    [
      'of pictures',
      pdfFile({ pages: [{ picture: true }] }),
      'The PDF file a.pdf (1 page) has no text layer that Lam can read: most likely it is scanned, pictures of pages.',
    ],
  ])('%s', async (_name, content, message) => {
    const path = written('a.pdf', content);
    expect(await readFile(path, live())).toEqual({ ok: false, message });
  });

  it('whose reader is missing', async () => {
    const { readFile: without } = createFilePorts({
      loadPdfReader: () => loadPdfReader(tempFolder()),
      loadOfficeReader: () => loadOfficeReader(tempFolder()),
      sniffHtml: sniffHtmlCharset,
    });
    const path = written('a.pdf', pdfFile({ pages: [{ lines: ['One'] }] }));
    expect(await without(path, live())).toMatchObject({
      message: 'The page reader is missing (assets/pdf.js); reinstall Lam, or run npm run prepare.',
    });
  });
});

describe('an image is told by its first bytes', () => {
  it.each<[mediaType: string, file: string, content: Uint8Array]>([
    ['image/png', 'a.png', PNG],
    ['image/png', 'a.txt', PNG],
    ['image/jpeg', 'a.JPG', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0])],
    ['image/gif', 'a.gif', bytes('GIF89a', [1, 0, 1, 0])],
    ['image/webp', 'a.webp', bytes('RIFF', [4, 0, 0, 0], 'WEBPVP8 ')],
  ])('%s: %s', async (mediaType, name, content) => {
    const path = written(name, content);
    const file = { kind: 'image', name, path, size: content.length, mediaType };
    expect(await read(path)).toEqual({ ok: true, file });
  });
});

describe('what is not read says why, and what to do', () => {
  const office = (mark: string) => bytes('PK\x03\x04', [...Buffer.alloc(40)], mark);
  it.each<[name: string, file: string, content: Content, message: string]>([
    ['an empty file', 'a.txt', '', 'a.txt is empty.'],
    ['blanks alone', 'a.txt', ' \n\t', 'a.txt is empty.'],
    [
      'a PowerPoint presentation',
      'a.pptx',
      office('ppt/presentation.xml'),
      'a.pptx is a PowerPoint presentation, which Lam does not read; save it as PDF or text and attach that.',
    ],
    [
      'a large workbook, by the directory at its end',
      'a.xlsx',
      bytes('PK\x03\x04', [...Buffer.alloc(300_000)], 'xl/workbook.xml'),
      'a.xlsx is an Excel workbook, which Lam does not read; save it as PDF or text and attach that.',
    ],
    [
      'rich text',
      'a.rtf',
      '{\\rtf1 Tea}',
      'a.rtf is a rich text (RTF) document, which Lam does not read; save it as PDF or text and attach that.',
    ],
    [
      'a ZIP archive',
      'a.zip',
      office('leaf'),
      'a.zip is a ZIP archive; Lam reads text, PDF, Word, OpenDocument and EPUB files, and images.',
    ],
    [
      'a TIFF image',
      'a.tiff',
      bytes('II*\0', [1, 2, 3]),
      'a.tiff is an image of a kind that models do not take; attach it as PNG, JPEG, GIF or WebP.',
    ],
    [
      'a program',
      'a',
      bytes('\x7fELF', [2, 1]),
      'a is a program; Lam reads text, PDF, Word, OpenDocument and EPUB files, and images.',
    ],
    [
      'bytes without a zero that are no text',
      'a.bin',
      Buffer.from(Array.from({ length: 2_000 }, (_, n) => (n % 31) + 1)),
      'a.bin is a binary file; Lam reads text, PDF, Word, OpenDocument and EPUB files, and images.',
    ],
    [
      'a name that would break the line',
      'a\n\u202eb.zip',
      office('leaf'),
      'a  b.zip is a ZIP archive; Lam reads text, PDF, Word, OpenDocument and EPUB files, and images.',
    ],
  ])('%s', async (_name, file, content, message) => {
    expect(await read(written(file, content))).toEqual({ ok: false, message });
  });

  it.each<[name: string, start: Content, size: number, message: string]>([
    [
      'text',
      'Tea',
      2 * 1024 * 1024 + 1,
      'a is larger than 2 MB, the most that Lam reads of a text file; attach a part of it.',
    ],
    [
      'a PDF file',
      '%PDF-1.7',
      16 * 1024 * 1024 + 1,
      'a is larger than 16 MB, the most that Lam reads of a PDF file; attach a part of it.',
    ],
    [
      'an image',
      PNG,
      3_932_161,
      'a is larger than 3.75 MB, the most that model servers take of an image; attach a smaller copy.',
    ],
  ])('too large: %s', async (_name, start, size, message) => {
    const path = written(
      'a',
      Buffer.concat([Buffer.from(start), Buffer.alloc(size - start.length, 'x')]),
    );
    expect(await read(path)).toEqual({ ok: false, message });
  });

  it('an image of the most bytes is taken, and its base64 is what Anthropic takes', async () => {
    const path = written('a.png', PNG);
    truncateSync(path, 3_932_160);
    expect(await read(path)).toMatchObject({ ok: true, file: { size: 3_932_160 } });
    expect(Buffer.alloc(3_932_160).toString('base64')).toHaveLength(5 * 1024 * 1024);
  });

  it('a path that leads to no file', async () => {
    const folder = tempFolder();
    const missing = join(folder, 'gone.txt');
    symlinkSync(missing, join(folder, 'dangling'));
    symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
    mkdirSync(join(folder, 'Papers'));
    const cases: [string, string][] = [
      [missing, 'gone.txt is not there any more.'],
      [join(folder, 'dangling'), 'dangling is not there any more.'],
      [join(folder, 'circle'), 'circle is a link that leads nowhere.'],
      [join(folder, 'Papers'), 'Papers is a folder; attach the files in it.'],
      [join(folder, 'Papers/'), 'Papers is a folder; attach the files in it.'],
      ['/', 'The file is a folder; attach the files in it.'],
      ['notes.txt', 'notes.txt has no full path; choose it again.'],
      ['', 'The file has no full path; choose it again.'],
      ['/dev/zero', 'zero is a device or a pipe, not a file that can be read.'],
      [`/${'x'.repeat(300)}`, `${'x'.repeat(120)}… could not be read (ENAMETOOLONG).`],
      ['/a\0b', 'a b could not be read (ERR_INVALID_ARG_VALUE).'],
    ];
    for (const [path, message] of cases) expect(await read(path)).toEqual({ ok: false, message });
  });

  it('a pipe and a socket, without waiting for them', async () => {
    const folder = tempFolder();
    const pipe = join(folder, 'pipe');
    execFileSync(MAKE_PIPE, [pipe]);
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(folder, 'socket'), resolve));
    try {
      for (const name of ['pipe', 'socket'])
        expect(await read(join(folder, name))).toEqual({
          ok: false,
          message: `${name} is a device or a pipe, not a file that can be read.`,
        });
    } finally {
      socket.close();
    }
  });

  it('a file that is closed to Lam', async () => {
    const path = written('a.txt', 'Tea');
    chmodSync(path, 0o000);
    // Nothing is forbidden to root, as whom the tests may run.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const outcome = await readFile(path, live());
      expect(outcome).toEqual({ ok: false, message: 'Lam has no permission to read a.txt.' });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

it('a link is followed, and the file keeps the path that was chosen', async () => {
  const target = written('target.txt', 'Tea');
  const path = join(tempFolder(), 'link.txt');
  symlinkSync(target, path);
  expect(await read(path)).toMatchObject({ file: { name: 'link.txt', path, text: 'Tea' } });
});

it('a file whose size the system does not tell is read all the same', async () => {
  expect(await textOf('/proc/self/status')).toContain('Pid:');
});

describe('the end of a look', () => {
  it.each(['readFile', 'checkFile'] as const)('%s ends with a stop', async (port) => {
    const stop = new AbortController();
    stop.abort();
    const path = written('a.txt', 'Tea');
    expect(await { readFile, checkFile }[port](path, stop.signal)).toEqual({
      ok: false,
      message: 'The reading of a.txt was stopped.',
    });
  });

  it('comes after a while, whatever the work does', async () => {
    const never = () => new Promise<never>(() => undefined);
    const path = written('a.txt', 'Tea');
    expect(await withRegularFile(path, live(), never, { limitMs: 5 })).toEqual({
      ok: false,
      message: 'a.txt could not be read in time; check that its drive is connected.',
    });
  });
});

describe('the files of a question together', () => {
  const image = (size: number) => ({ kind: 'image' as const, size });
  it.each<[name: string, files: Parameters<typeof tooMuch>[0], message: string | undefined]>([
    ['none', [], undefined],
    [
      'as many as may be',
      Array.from({ length: MAX_FILES }, () => ({ kind: 'text', size: 9 })),
      undefined,
    ],
    [
      'one more',
      Array.from({ length: MAX_FILES + 1 }, () => ({ kind: 'text', size: 9 })),
      'A question takes 8 files at most, and these are 9; leave some out.',
    ],
    ['four large images', [1, 2, 3, 4].map(() => image(3_932_160)), undefined],
    [
      'five',
      [1, 2, 3, 4, 5].map(() => image(3_932_160)),
      'The 5 images are 19 MB together, and a question takes 15 MB; attach fewer or smaller ones.',
    ],
  ])('%s', (_name, files, message) => {
    expect(tooMuch(files)).toBe(message);
  });
});
