import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { createExtractor, type Extracted } from '../host/documents/extract';
import { isOpenAt, readFileBytes } from '../host/documents/file-bytes';
import { versionOf } from '../host/documents/file-version';
import { loadOfficeReader } from '../host/web/office-reader';
import { keptThreads } from '../host/web/reader-thread';
import { docxFile, epubFile, odtFile, wordParagraph } from './support/office-files';
import { pdfFile } from './support/pdf-files';
import { tempFolders } from './support/temp-folder';
import { zipFile } from './support/zip-files';
import { readOffice } from './support/read-office';

const ASSETS = join(import.meta.dirname, '../../assets');
const extract = createExtractor({ assetsPath: ASSETS });
const live = (): AbortSignal => new AbortController().signal;
const tempFolder = tempFolders();
/** Of every POSIX system; Node has no call for it. */
const MAKE_PIPE = 'mkfifo';
const MB = 1024 * 1024;

function written(name: string, content: string | Uint8Array): string {
  const path = join(realpathSync(tempFolder()), name);
  writeFileSync(path, content);
  return path;
}

async function read(name: string, content: string | Uint8Array): Promise<Extracted> {
  return extract(written(name, content), live());
}

/** More than any document may unpack to, of which a thousandth is left when it is packed. */
const zeros = (bytes: number): Uint8Array => Buffer.alloc(bytes, ' ');
const W = '<w:document xmlns:w="w"><w:body>';

const BOMB = {
  ok: false,
  status: 'too-large',
  reason: 'It unpacks to more than 64 MB of text and markup.',
};
const broken = (why: string): object => ({
  ok: false,
  status: 'unreadable',
  reason: `It could not be read: ${why}.`,
});
const DAMAGED = broken('it is damaged or was not copied to its end');

describe('a bomb', () => {
  it.each<[name: string, file: string, bytes: () => Uint8Array]>([
    [
      'in the text of a Word document',
      'a.docx',
      () => docxFile({ body: '', parts: [{ name: 'word/document.xml', data: zeros(65 * MB) }] }),
    ],
    [
      'in several of its parts',
      'a.docx',
      () =>
        docxFile({
          body: '',
          parts: ['word/document.xml', 'word/styles.xml', 'word/numbering.xml'].map((name) => ({
            name,
            data: zeros(22 * MB),
          })),
        }),
    ],
    [
      'in a book',
      'a.epub',
      () =>
        epubFile({
          chapters: ['<p>a</p>'],
          parts: [{ name: 'OEBPS/content.opf', data: zeros(65 * MB) }],
        }),
    ],
    [
      'in an OpenDocument text',
      'a.odt',
      () => odtFile({ body: '', parts: [{ name: 'content.xml', data: zeros(65 * MB) }] }),
    ],
  ])('%s is left where it is', async (_name, file, bytes) => {
    expect(await read(file, bytes())).toMatchObject(BOMB);
  });

  it('that says it is small is damaged', async () => {
    const parts = [{ name: 'word/document.xml', data: zeros(65 * MB), claimedSize: 100 }];
    expect(await read('a.docx', docxFile({ body: '', parts }))).toMatchObject(DAMAGED);
  });

  it('in a part that nobody reads is not unpacked', async () => {
    const parts = [{ name: 'word/media/a.png', data: zeros(65 * MB) }];
    const outcome = await read('a.docx', docxFile({ body: wordParagraph('Tea'), parts }));
    expect(outcome).toMatchObject({ ok: true, text: 'Tea' });
  });

  it('of many chapters ends at the limit of a text', async () => {
    const chapter = `<p>${'fog '.repeat(250_000)}</p>`;
    const outcome = await read('a.epub', epubFile({ chapters: Array<string>(8).fill(chapter) }));
    expect(outcome).toMatchObject({ ok: true, cut: true });
    expect(outcome.ok ? outcome.text.length : 0).toBeLessThan(4 * MB);
  });

  it('of words ends at the limit of a text', async () => {
    const body = wordParagraph('fog and tea '.repeat(1_000)).repeat(1_000);
    const outcome = await read('a.docx', docxFile({ body }));
    expect(outcome).toMatchObject({ ok: true, cut: true });
    expect(outcome.ok ? outcome.text.length : 0).toBeLessThan(3 * MB);
  });

  it('of entities is not expanded', async () => {
    const entities = Array.from(
      { length: 10 },
      (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`,
    );
    const xml = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "lol">${entities.join('')}]>${W}<w:p><w:r><w:t>Tea &e10;</w:t></w:r></w:p></w:body></w:document>`;
    const parts = [{ name: 'word/document.xml', data: xml }];
    const outcome = await read('a.docx', docxFile({ body: '', parts }));
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok ? outcome.text.length : Infinity).toBeLessThan(100);
  });

  it('of cells that stand for many is bounded', async () => {
    const cell = `<table:table-cell table:number-columns-repeated="999999"><text:p>${'x'.repeat(10_000)}</text:p></table:table-cell>`;
    const body = `<table:table>${`<table:table-row>${cell}</table:table-row>`.repeat(500)}</table:table>`;
    const outcome = await read('a.odt', odtFile({ body }));
    expect(outcome).toMatchObject({ ok: true, cut: true });
    expect(outcome.ok ? outcome.text.length : Infinity).toBeLessThan(4 * MB);
  });

  it.each([
    [
      'of one cell beside a wide one',
      '<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>',
    ],
    ['without cells', '<w:tr/>'],
  ])('of rows %s is bounded', async (_name, row) => {
    const wide = `<w:tr>${`<w:tc>${wordParagraph('y')}</w:tc>`.repeat(60)}</w:tr>`;
    const body = `<w:tbl>${wide}${row.repeat(Math.floor((50 * MB) / row.length))}</w:tbl>`;
    const outcome = await read('a.docx', docxFile({ body }));
    expect(outcome).toMatchObject({ ok: true, cut: true });
    expect(outcome.ok ? outcome.text.length : Infinity).toBeLessThan(6 * MB);
  });
});

describe('a container', () => {
  const part = (name: string, data: string) => ({ name, data });
  it.each<[name: string, file: string, bytes: () => Uint8Array, outcome: object]>([
    [
      'without its text',
      'a.docx',
      () => zipFile([part('word/styles.xml', '<x/>')]),
      broken('its text is missing'),
    ],
    [
      'that only its name makes a document',
      'a.docx',
      () => zipFile([part('x', '')]),
      broken('its text is missing'),
    ],
    [
      'that is no book but for its name',
      'a.epub',
      () => zipFile([part('x', '')]),
      broken('its list of chapters is missing'),
    ],
    [
      'with a list of chapters that is none',
      'a.epub',
      () => epubFile({ chapters: ['<p>x</p>'], parts: [part('OEBPS/content.opf', '<<>&')] }),
      { ok: false, status: 'unreadable', reason: 'It has no text.' },
    ],
    [
      'whose text is no XML',
      'a.docx',
      () => docxFile({ body: '', parts: [part('word/document.xml', '\0\0\0')] }),
      { ok: false, status: 'unreadable', reason: 'It has no text.' },
    ],
    [
      'with names that lead out',
      'a.docx',
      () =>
        docxFile({
          body: wordParagraph('Tea'),
          parts: [part('../../etc/passwd', 'x'), part('/etc/passwd', 'x'), part('C:\\x', 'x')],
        }),
      { ok: true, text: 'Tea' },
    ],
    [
      'whose text is said to stand outside',
      'a.docx',
      () =>
        docxFile({
          body: wordParagraph('Tea'),
          parts: [
            part(
              '_rels/.rels',
              '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="../../../etc/passwd"/></Relationships>',
            ),
          ],
        }),
      { ok: true, text: 'Tea' },
    ],
    [
      'cut in two',
      'a.docx',
      () => docxFile({ body: wordParagraph('x') }).subarray(0, 900),
      DAMAGED,
    ],
    [
      'with a password on its parts',
      'a.docx',
      () =>
        docxFile({
          body: '',
          parts: [{ ...part('word/document.xml', 'x'), isEncrypted: true }],
        }),
      { ok: false, status: 'unreadable', reason: 'It is protected by a password.' },
    ],
    [
      'of the wrong kind in the words of its first part',
      'a.odt',
      () => docxFile({ body: wordParagraph('Tea') }),
      { ok: true, kind: 'docx', text: 'Tea' },
    ],
    [
      'of countless parts',
      'a.docx',
      () =>
        docxFile({
          body: wordParagraph('x'),
          parts: Array.from({ length: 20_001 }, (_, n) => part(`p${n}`, '')),
        }),
      { ok: false, status: 'too-large', reason: 'It has more than 20000 parts.' },
    ],
  ])('%s', async (_name, file, bytes, outcome) => {
    expect(await read(file, bytes())).toMatchObject(outcome);
  });

  it('never fails in another way, whatever bytes are changed', async () => {
    const whole = {
      docx: docxFile({ body: wordParagraph('Tea').repeat(20), title: 'T' }),
      odt: odtFile({ body: '<text:p>Tea</text:p>'.repeat(20), title: 'T' }),
      epub: epubFile({ chapters: ['<p>Tea</p>'], title: 'T' }),
    };
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('docx' as const, 'odt' as const, 'epub' as const),
        fc.array(change, { maxLength: 8 }),
        fc.nat(),
        async (kind, changes, length) => {
          const bytes = Buffer.from(whole[kind]);
          for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
          const cut = length % 3 === 0 ? bytes.subarray(0, length % bytes.length) : bytes;
          const reading = await readOffice(cut, kind);
          expect(['read', 'protected', 'too-large', 'broken']).toContain(reading.kind);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a document nested 100,000 deep', () => {
  const DEEP = 100_000;
  const nested = (open: string, inner: string, close: string): string =>
    open.repeat(DEEP) + inner + close.repeat(DEEP);

  it.each<[name: string, file: string, bytes: () => string | Uint8Array]>([
    ['HTML', 'a.html', () => `<!doctype html><p>Tea</p>${nested('<div>', 'fog', '</div>')}`],
    ['HTML lists', 'a.html', () => `<!doctype html><p>Tea</p>${nested('<ul><li>', 'fog', '')}`],
    [
      'a Word document',
      'a.docx',
      () => docxFile({ body: wordParagraph('Tea') + nested('<w:sdt>', 'x', '</w:sdt>') }),
    ],
    [
      'tables of a Word document',
      'a.docx',
      () =>
        docxFile({
          body:
            wordParagraph('Tea') +
            nested('<w:tbl><w:tr><w:tc>', wordParagraph('x'), '</w:tc></w:tr></w:tbl>'),
        }),
    ],
    [
      'an OpenDocument text',
      'a.odt',
      () =>
        odtFile({
          body: `<text:p>Tea</text:p>${nested('<text:list><text:list-item>', '<text:p>x</text:p>', '</text:list-item></text:list>')}`,
        }),
    ],
    [
      'a book',
      'a.epub',
      () => epubFile({ chapters: [`<p>Tea</p>${nested('<div>', 'fog', '</div>')}`] }),
    ],
  ])('%s still gives its first words', async (_name, file, bytes) => {
    const outcome = await read(file, bytes());
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok ? outcome.text : '').toMatch(/^Tea/);
  });
});

describe('a PDF file', () => {
  it('of a million objects has an outcome', async () => {
    const page = pdfFile({ pages: [{ lines: ['Tea and fog'] }] }).toString('latin1');
    const objects = Array.from({ length: 1_000_000 }, (_, n) => `${n + 100} 0 obj\n1\nendobj\n`);
    const at = page.indexOf('xref');
    const bytes = Buffer.from(page.slice(0, at) + objects.join('') + page.slice(at), 'latin1');
    const outcome = await read('a.pdf', bytes);
    if (outcome.ok) expect(outcome.text).toContain('Tea and fog');
    else expect(outcome.reason).toMatch(/\.$/);
  }, 60_000);
});

describe('what is no file at rest', () => {
  it.each<[name: string, make: (path: string) => void, status: string, reason: string]>([
    ['gone', () => undefined, 'not-found', 'It is not there any more.'],
    [
      'a folder',
      (path) => {
        mkdirSync(path);
      },
      'unreadable',
      'It is a folder.',
    ],
    [
      'a pipe that nobody writes to',
      (path) => execFileSync(MAKE_PIPE, [path]),
      'unreadable',
      'It is a device or a pipe, not a file.',
    ],
    [
      'a link to a device',
      (path) => {
        symlinkSync('/dev/zero', path);
      },
      'refused',
      'It is a link, which Lam does not follow.',
    ],
    [
      'a link in a circle',
      (path) => {
        symlinkSync(path, path);
      },
      'refused',
      'It is a link, which Lam does not follow.',
    ],
    [
      'a file of terabytes',
      (path) => {
        writeFileSync(path, 'a line of text\n'.repeat(10_000));
        truncateSync(path, 2 ** 40);
      },
      'too-large',
      'It is larger than 4 MB, the most that Lam reads of a text file.',
    ],
  ])('%s', async (_name, make, status, reason) => {
    const path = join(realpathSync(tempFolder()), 'a.md');
    make(path);
    expect(await extract(path, live())).toMatchObject({ ok: false, status, reason });
  });

  it('a device', async () => {
    expect(await extract('/dev/zero', live())).toMatchObject({
      ok: false,
      reason: 'It is a device or a pipe, not a file.',
    });
  });

  it('a file below a folder that became a link', async () => {
    const outside = realpathSync(tempFolder());
    writeFileSync(join(outside, 'a.md'), 'secret');
    const root = realpathSync(tempFolder());
    symlinkSync(outside, join(root, 'sub'));
    expect(await extract(join(root, 'sub', 'a.md'), live())).toMatchObject({
      ok: false,
      status: 'refused',
      reason: 'It is a link, which Lam does not follow.',
    });
  });

  /** Opens `a.md` through a link that a moment later is a folder again. */
  const swapped = async (content: string) => {
    const root = realpathSync(tempFolder());
    const [sub, aside, outside] = ['sub', 'aside', 'out'].map((name) => join(root, name));
    if (sub === undefined || aside === undefined || outside === undefined) throw new Error('names');
    mkdirSync(sub);
    mkdirSync(outside);
    const path = join(sub, 'a.md');
    writeFileSync(path, content);
    writeFileSync(join(outside, 'a.md'), 'secret');
    renameSync(sub, aside);
    symlinkSync(outside, sub);
    const handle = await open(path);
    rmSync(sub);
    renameSync(aside, sub);
    return { handle, path };
  };

  it.each<[string, string | undefined]>([
    ['as Linux tells it', undefined],
    ['where no system tells it', '/none'],
  ])(
    'a file that was opened through a link is not the one at its path, %s',
    async (_name, opened) => {
      const { handle, path } = await swapped('inside');
      const own = await open(path);
      try {
        expect(realpathSync(path)).toBe(path);
        expect(await isOpenAt(handle, path, opened)).toBe(false);
        expect(await isOpenAt(own, path, opened)).toBe(true);
      } finally {
        await handle.close();
        await own.close();
      }
    },
  );

  it('a link has no version, nor has a file behind one', async () => {
    const root = realpathSync(tempFolder());
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'sub', 'a.md'), 'words');
    symlinkSync('sub', join(root, 'link'));
    symlinkSync('sub/a.md', join(root, 'a.md'));
    expect(await versionOf(join(root, 'sub', 'a.md'), live())).toMatchObject({ size: 5 });
    expect(await versionOf(join(root, 'link', 'a.md'), live())).toBeUndefined();
    expect(await versionOf(join(root, 'a.md'), live())).toBeUndefined();
  });

  it('a path that is too long', async () => {
    expect(await extract(`/${'x'.repeat(300)}`, live())).toMatchObject({
      ok: false,
      reason: 'Its path is too long.',
    });
  });
});

describe('a file that changes while it is read', () => {
  /** Reads a file that `change` changes each time its beginning has been looked at. */
  const changing = async (change: (path: string, times: number) => void) => {
    const path = written('a.md', 'first');
    let times = 0;
    const outcome = await readFileBytes(
      path,
      () => {
        times += 1;
        change(path, times);
        return { ok: true, kind: 'text', most: 1_000, tooLarge: 'It is too large.' };
      },
      live(),
    );
    return outcome.ok ? Buffer.from(outcome.bytes).toString() : outcome;
  };

  it('once is read again', async () => {
    const change = (path: string, times: number): void => {
      if (times === 1) appendFileSync(path, ' and second');
    };
    expect(await changing(change)).toBe('first and second');
  });

  it('all the time is refused', async () => {
    const grow = (path: string): void => {
      appendFileSync(path, ' and more');
    };
    expect(await changing(grow)).toMatchObject({
      ok: false,
      status: 'unreadable',
      reason: 'It changed while it was read.',
    });
  });

  it('and grows beyond the limit is refused', async () => {
    const change = (path: string): void => {
      writeFileSync(path, 'x'.repeat(2_000));
    };
    expect(await changing(change)).toMatchObject({ status: 'too-large' });
  });

  it('and is gone is read as it was, or not at all', async () => {
    const change = (path: string): void => {
      rmSync(path, { force: true });
    };
    const outcome = await changing(change);
    expect(outcome === 'first' || typeof outcome !== 'string').toBe(true);
  });
});

describe('an abort', () => {
  it('before anything else', async () => {
    expect(await extract(written('a.md', 'Tea'), AbortSignal.abort())).toEqual({
      ok: false,
      status: 'timed-out',
      reason: 'The reading was stopped.',
    });
  });

  it('ends a reading that would go on, and the next one works', async () => {
    const stop = new AbortController();
    const slow = createExtractor({
      assetsPath: ASSETS,
      readPage: (_source, _url, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ ok: false, message: 'The reading was stopped.' });
          });
          stop.abort();
        }),
    });
    expect(await slow(written('a.html', '<html><p>Tea</p>'), stop.signal)).toMatchObject({
      ok: false,
      reason: 'The reading was stopped.',
    });
    const body = wordParagraph('Tea');
    const stopped = new AbortController();
    const reading = extract(written('a.docx', docxFile({ body })), stopped.signal);
    stopped.abort();
    expect(await reading).toMatchObject({ ok: false, reason: 'The reading was stopped.' });
    expect(await read('b.docx', docxFile({ body }))).toMatchObject({ ok: true, text: 'Tea' });
  });
});

describe('one thread for many documents', () => {
  it('is given up with one that takes too long, and the next is read', async () => {
    const call = keptThreads();
    const usual = loadOfficeReader(ASSETS, { call });
    const hasty = loadOfficeReader(ASSETS, { call, timeoutMs: 1 });
    const small = docxFile({ body: wordParagraph('Tea') });
    const large = docxFile({ body: wordParagraph('fog and tea').repeat(20_000) });
    const good = { ok: true, reading: { kind: 'read', text: 'Tea' } };
    expect(await usual(small, 'docx', live())).toMatchObject(good);
    expect(await hasty(large, 'docx', live())).toMatchObject({
      ok: false,
      message: 'The page could not be read: it is too complicated.',
    });
    expect(await usual(small, 'docx', live())).toMatchObject(good);
  });

  it.each<[string, number, boolean]>([
    ['goes beyond a gigabyte', 1024 ** 3 + 1, false],
    ['stays below', 1024 ** 3, true],
  ])('is given up when the memory outside of its heap %s', async (_name, growth, isRead) => {
    const assetsPath = tempFolder();
    const code =
      'exports.wait = (ms) => new Promise((resolve) => setTimeout(() => resolve("read"), ms));';
    writeFileSync(join(assetsPath, 'page.js'), code);
    let looks = 0;
    const memory = (): number => (looks++ === 0 ? 5_000 : 5_000 + growth);
    const place = { assetsPath, file: 'page.js' as const, heapMb: 64, name: 'wait' };
    const asked = {
      ...place,
      args: [isRead ? 600 : 60_000],
      schema: z.string(),
      timeoutMs: 90_000,
    };
    expect(await keptThreads({ memory })(asked, live())).toEqual(
      isRead
        ? { ok: true, reply: 'read' }
        : {
            ok: false,
            reason: 'too-costly',
            message: 'The page could not be read: it is too complicated.',
            isLate: true,
          },
    );
    expect(looks).toBeGreaterThan(1);
  });

  it.each([
    ['a message', 'throw new Error("/home/someone/x.js is broken")', 'its reader broke'],
    ['a code', 'require("/home/someone/none.js")', 'the system reported MODULE_NOT_FOUND'],
  ])('tells no path of what broke: %s', async (_name, code, said) => {
    const assetsPath = tempFolder();
    writeFileSync(join(assetsPath, 'page.js'), code);
    const place = { assetsPath, file: 'page.js' as const, heapMb: 64, name: 'wait' };
    const asked = { ...place, args: [], schema: z.string(), timeoutMs: 90_000 };
    expect(await keptThreads()(asked, live())).toEqual({
      ok: false,
      reason: 'failed',
      message: `The page could not be read: ${said}.`,
    });
  });

  it('that ended while it waited is replaced', async () => {
    const usual = loadOfficeReader(ASSETS, { call: keptThreads({ idleMs: 0 }) });
    const small = docxFile({ body: wordParagraph('Tea') });
    for (let n = 0; n < 3; n += 1) {
      expect(await usual(small, 'docx', live())).toMatchObject({ ok: true });
      await new Promise((resolve) => setTimeout(resolve, n * 5));
    }
  });

  it('serves two at once', async () => {
    const usual = loadOfficeReader(ASSETS, { call: keptThreads() });
    const read = (words: string) => usual(docxFile({ body: wordParagraph(words) }), 'docx', live());
    const readings = await Promise.all([read('fog'), read('tea'), read('rock')]);
    expect(readings.map((each) => each.ok && each.reading)).toMatchObject([
      { text: 'fog' },
      { text: 'tea' },
      { text: 'rock' },
    ]);
  });
});
