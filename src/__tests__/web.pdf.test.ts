import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

import { loadPdfReader, type PdfReading } from '../host/web/pdf-reader';
import { pdfFile, type PdfOptions, type PdfPage } from './support/pdf-files';
import { pdfToText, popplerMissing } from './support/poppler';

const ASSETS = join(import.meta.dirname, '../../assets');
const live = (): AbortSignal => new AbortController().signal;

async function read(file: Uint8Array): Promise<PdfReading> {
  const outcome = await loadPdfReader(ASSETS)(file, live());
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.reading;
}

async function pagesOf(options: PdfOptions): Promise<string[]> {
  const reading = await read(pdfFile(options));
  if (reading.kind !== 'read') throw new Error(reading.kind);
  return reading.pages;
}

const lines = (...text: string[]): PdfPage => ({ lines: text });

describe('text by pages', () => {
  it.each<[string, PdfPage[], string[]]>([
    ['one line', [lines('Fog and leaf')], ['Fog and leaf']],
    ['pages in their order', [lines('one'), lines('two'), lines('three')], ['one', 'two', 'three']],
    ['lines and paragraphs', [lines('a', 'b', '', 'c')], ['a\nb\n\nc']],
    ['marks that PDF escapes', [lines('(a) \\ b')], ['(a) \\ b']],
    ['a cut word', [lines('The tea-', 'pot, hot', 'or cold')], ['The teapot,\nhot\nor cold']],
    [
      'a cut word that is written with a hyphen elsewhere',
      [lines('well-', 'known leaf'), lines('A well-known pot')],
      ['well-known\nleaf', 'A well-known pot'],
    ],
    ['a hyphen that cuts no word', [lines('pages 1-', '2 and -', 'x')], ['pages 1-\n2 and -\nx']],
    ['other scripts, from a composite font', [{ cid: ['日本の茶', 'чай'] }], ['日本の茶\nчай']],
    ['beyond 16 bits, and ligatures', [{ cid: ['ﬁne ﬂour 🍃 x² ½'] }], ['fine flour 🍃 x² ½']],
    ['what is drawn as nothing', [{ cid: ['a\u200bb\u202ec'] }], ['abc']],
    [
      'a page without text between others',
      [lines('a'), { picture: true }, lines('b')],
      ['a', '', 'b'],
    ],
    ['an empty page', [{ blank: true }], ['']],
  ])('%s', async (_name, pages, expected) => {
    expect(await pagesOf({ pages })).toEqual(expected);
    expect(await pagesOf({ pages, deflate: true })).toEqual(expected);
  });

  it.each([
    ['in UTF-16', 'Thé – 茶', 'Thé – 茶'],
    ['of several lines', 'Tea\r\n and\tleaf', 'Tea and leaf'],
    ['that is the name of a file', 'report_final2.docx', ''],
    ['of a program', 'Microsoft Word - report', ''],
    ['that nobody set', 'untitled', ''],
    ['none', undefined, ''],
  ])('title: %s', async (_name, title, expected) => {
    const file = pdfFile({ pages: [lines('a')], ...(title === undefined ? {} : { title }) });
    expect(await read(file)).toMatchObject({ kind: 'read', title: expected });
  });
});

describe('what cannot be read', () => {
  it('a file with a password; one that only forbids printing can', async () => {
    const pages = [lines('Fog')];
    expect(await read(pdfFile({ pages, password: 'secret' }))).toEqual({ kind: 'password' });
    expect(await read(pdfFile({ pages, password: '', title: 'Open' }))).toMatchObject({
      kind: 'read',
      title: 'Open',
      pages: ['Fog'],
    });
  });

  it.each([
    ['nothing but the first line', Buffer.from('%PDF-1.7\n')],
    ['noise', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5_000, 37)])],
    ['an empty file', Buffer.alloc(0)],
    [
      'a page tree that holds itself',
      Buffer.from(
        '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n',
      ),
    ],
  ])('%s', async (_name, file) => {
    expect(await read(file)).toMatchObject({ kind: 'broken' });
  });

  it('is read as far as it goes when only the table of its parts is broken', async () => {
    const file = pdfFile({ pages: [lines('Fog'), lines('Leaf')] });
    const at = file.lastIndexOf('xref\n0');
    const torn = Buffer.concat([file.subarray(0, at), Buffer.from('trailer\n<< /Root 1 0 R >>\n')]);
    expect(await read(torn)).toMatchObject({ kind: 'read', pages: ['Fog', 'Leaf'] });
  });

  it('never fails in another way, whatever bytes are changed', async () => {
    const file = pdfFile({ pages: [lines('Fog'), { cid: ['茶'] }], title: 'T', deflate: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 }),
        async (changes) => {
          const damaged = Buffer.from(file);
          for (const [at, byte] of changes) damaged[at] = byte;
          expect(['read', 'password', 'broken']).toContain((await read(damaged)).kind);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('limits', () => {
  it('says how many pages there are when it reads only the first', async () => {
    const pages = Array.from({ length: 1_100 }, (_, n) => lines(`page ${n}`));
    const reading = await read(pdfFile({ pages }));
    expect(reading).toMatchObject({ kind: 'read', total: 1_100, cut: true });
    expect(reading.kind === 'read' && reading.pages).toHaveLength(1_000);
  });

  it('stops with what it has when its time is over', async () => {
    const pages = Array.from({ length: 50 }, (_, n) => lines(`page ${n}`));
    const outcome = await loadPdfReader(ASSETS, { softMs: 0 })(pdfFile({ pages }), live());
    expect(outcome).toMatchObject({
      ok: true,
      reading: { total: 50, cut: true, pages: ['page 0'] },
    });
  });

  it('does not decode pictures', async () => {
    const bomb: PdfPage = { picture: true };
    expect(await pagesOf({ pages: [bomb, lines('after')] })).toEqual(['', 'after']);
  });
});

describe('loadPdfReader', () => {
  const directories: string[] = [];
  afterEach(() => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
  });
  const assets = (code: string): string => {
    const directory = mkdtempSync(join(tmpdir(), 'lam-assets-'));
    directories.push(directory);
    writeFileSync(join(directory, 'pdf.js'), code);
    return directory;
  };
  const file = pdfFile({ pages: [lines('Fog')] });

  it('says so when the file is missing', async () => {
    const outcome = await loadPdfReader(join(ASSETS, 'none'))(file, live());
    expect(outcome).toMatchObject({ ok: false });
    expect(JSON.stringify(outcome)).toContain('assets/pdf.js');
  });

  it.each([
    ['another shape', 'exports.readPdf = () => ({ kind: "read" })'],
    ['another file', 'exports.other = 1'],
    ['an exception', 'throw new Error("x")'],
    ['a rejection', 'exports.readPdf = () => Promise.reject(new Error("x"))'],
    ['an exit', 'process.exit()'],
    [
      'a heap without end',
      'exports.readPdf = () => { const all = []; for (;;) all.push(new Array(1e6).fill(0)); }',
    ],
  ])('%s is a failure', async (_name, code) => {
    expect(await loadPdfReader(assets(code))(file, live())).toMatchObject({ ok: false });
  });

  it('a file that takes too long is a failure', async () => {
    const code = 'exports.readPdf = () => { for (;;); };';
    const outcome = await loadPdfReader(assets(code), { hardMs: 500 })(file, live());
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining('complicated') as string,
    });
  });

  it('an abort ends a reading that runs', async () => {
    const control = new AbortController();
    const pending = loadPdfReader(assets('exports.readPdf = () => { for (;;); };'))(
      file,
      control.signal,
    );
    setTimeout(() => {
      control.abort();
    }, 100);
    expect(await pending).toMatchObject({ ok: false, message: 'The reading was stopped.' });
  });
});

const missing = popplerMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)('by another PDF reader', () => {
  const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

  it('the same words on the same pages, in the same order', async () => {
    const line = fc.array(fc.stringMatching(/^[A-Z\d().,]{1,10}$/), {
      minLength: 1,
      maxLength: 8,
    });
    const page = fc.oneof(
      fc
        .array(line, { minLength: 1, maxLength: 20 })
        .map((all) => lines(...all.map((w) => w.join(' ')))),
      fc.constant<PdfPage>({ picture: true }),
      fc.constant<PdfPage>({ cid: ['чай из тумана', '茶と霧'] }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(page, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.constantFrom(undefined, ''),
        async (pages, deflate, password) => {
          const options = { pages, deflate, ...(password === undefined ? {} : { password }) };
          const other = pdfToText(pdfFile(options));
          expect((await pagesOf(options)).map(words)).toEqual(other.map(words));
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);

  it('both want the password', () => {
    expect(() => pdfToText(pdfFile({ pages: [lines('Fog')], password: 'secret' }))).toThrow(
      /password/i,
    );
  });
});
