import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { trustedCanonical } from '../host/web/canonical';
import { sniffHtmlCharset } from '../host/web/html-charset';
import { createFetcher, type Fetcher, type FetchResult } from '../host/web/http';
import { createPagePort } from '../host/web/page';
import { loadPageReader } from '../host/web/page-reader';
import { loadPdfReader } from '../host/web/pdf-reader';
import type { PageOutcome } from '../lib/types';
import { pdfFile } from './support/pdf-files';
import { startWebServer, type WebServer } from './support/web-server';
import { startWebSite, type WebSite } from './support/web-site';

const ASSETS = join(import.meta.dirname, '../../assets');
const readers = {
  loadPageReader: () => loadPageReader(ASSETS),
  loadPdfReader: () => loadPdfReader(ASSETS),
  sniffHtml: sniffHtmlCharset,
};
const live = (): AbortSignal => new AbortController().signal;

function portFor(hostAndPort: string): (url: string, signal?: AbortSignal) => Promise<PageOutcome> {
  const fetcher = createFetcher({ userAgent: 'Lam-test', allowLoopback: [hostAndPort] });
  const port = createPagePort({ fetcher, ...readers });
  return (url, signal = live()) => port(url, signal);
}

describe('the small site', () => {
  let site: WebSite;
  let read: (url: string, signal?: AbortSignal) => Promise<PageOutcome>;
  beforeAll(async () => {
    site = await startWebSite();
    read = portFor(site.hostAndPort);
  });
  afterAll(() => site.close());

  it('an article: title, address, canonical, Markdown', async () => {
    const outcome = await read(`${site.origin}/growing`);
    expect(outcome).toMatchObject({
      ok: true,
      page: {
        title: 'Growing tea on Verdel',
        url: `${site.origin}/growing`,
        canonical: `${site.origin}/growing`,
      },
    });
    const text = outcome.ok ? outcome.page.text : '';
    expect(text).toContain('| Chapel Slope | 390 m | 1,900 mm | 17 ha |');
    expect(text).toContain('- In March the walls are mended:\n  - dry stone only, no mortar,');
    expect(text).toContain(`[The Verdel harvest calendar](${site.origin}/harvest-calendar)`);
    expect(text).not.toContain('No cookies, no scripts');
  });

  it('code keeps its language and its indentation', async () => {
    const outcome = await read(`${site.origin}/garden-sensors`);
    expect(outcome.ok && outcome.page.text).toContain(
      '```python\ndef needs_water(readings):\n    """True when last night\'s fog was too short."""\n',
    );
  });

  it('windows-1252', async () => {
    const outcome = await read(`${site.origin}/sayings`);
    expect(outcome.ok && outcome.page.text).toContain('“Brume née, feuille gagnée” – once the');
    expect(outcome.ok && outcome.page.text).toContain('8 € at the harbour… and');
  });

  it('JSON is laid out', async () => {
    const outcome = await read(`${site.origin}/data/gardens.json`);
    expect(outcome).toMatchObject({ ok: true, page: { title: 'gardens.json' } });
    expect(outcome.ok && outcome.page.text).toContain('"island": "Verdel",\n  "gardens": [\n');
  });

  it('a redirect ends at the final address', async () => {
    const outcome = await read(`${site.origin}/moved`);
    expect(outcome).toMatchObject({ ok: true, page: { url: `${site.origin}/growing` } });
  });

  it('a huge page is cut and says so', async () => {
    const outcome = await read(`${site.origin}/huge`);
    expect(outcome).toMatchObject({ ok: true, page: { cut: true } });
    expect(outcome.ok && outcome.page.text).toContain('Log line 0: fog over the Cloud Garden');
  }, 60_000);

  it('a page that is not there', async () => {
    expect(await read(`${site.origin}/nothing`)).toMatchObject({ ok: false, status: 'not-found' });
  });

  it('an abort while the page is slow', async () => {
    const control = new AbortController();
    const pending = read(`${site.origin}/slow`, control.signal);
    setTimeout(() => {
      control.abort();
    }, 50);
    expect(await pending).toEqual({
      ok: false,
      status: 'unreadable',
      message: 'The request was stopped.',
    });
  });

  it('an address next door is refused', async () => {
    expect(await read('http://127.0.0.1:1/')).toMatchObject({ ok: false, status: 'refused' });
  });
});

describe('what a server may answer', () => {
  let server: WebServer;
  let answer: { status?: number; headers?: Record<string, string>; body?: string | Buffer };
  beforeAll(async () => {
    server = await startWebServer((_request, response) => {
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    });
  });
  afterEach(() => {
    answer = {};
  });
  afterAll(() => server.close());

  const html = { 'content-type': 'text/html; charset=utf-8' };
  const scripts = '<script src="/app.js"></script>';
  it.each<[string, typeof answer, string, string]>([
    ['404', { status: 404 }, 'not-found', 'HTTP 404'],
    ['410', { status: 410 }, 'not-found', 'HTTP 410'],
    ['401', { status: 401 }, 'blocked', 'asks to sign in'],
    ['403', { status: 403, body: 'no' }, 'blocked', 'does not let Lam read'],
    ['451', { status: 451 }, 'blocked', 'HTTP 451'],
    [
      '429 with a time',
      { status: 429, headers: { 'retry-after': '30' } },
      'blocked',
      'a pause for 30 seconds',
    ],
    [
      '429 without',
      { status: 429, headers: { 'retry-after': 'Mon' } },
      'blocked',
      'a pause: too many',
    ],
    [
      '503 of a challenge',
      { status: 503, headers: { 'cf-mitigated': 'challenge' } },
      'blocked',
      'proof',
    ],
    ['500', { status: 500 }, 'unreadable', 'a problem of its own (HTTP 500)'],
    ['503', { status: 503 }, 'unreadable', 'HTTP 503'],
    ['418', { status: 418 }, 'unreadable', 'HTTP 418'],
    ['204', { status: 204 }, 'unreadable', 'empty'],
    ['300', { status: 300 }, 'unreadable', 'HTTP 300'],
    ['nothing', { headers: html, body: '' }, 'unreadable', 'empty'],
    ['blanks', { headers: { 'content-type': 'text/plain' }, body: ' \n ' }, 'unreadable', 'empty'],
    [
      'HTML without words',
      { headers: html, body: '<html><body><div></div></body></html>' },
      'unreadable',
      'no text',
    ],
    [
      'PDF called HTML',
      { headers: html, body: '%PDF-1.7 …' },
      'unreadable',
      'is broken and could not be read',
    ],
    [
      'an image',
      { headers: html, body: Buffer.from('89504e470d0a1a0a00', 'hex') },
      'unreadable',
      'is an image',
    ],
    ['a ZIP', { body: 'PK\x03\x04\0' }, 'unreadable', 'is a ZIP archive'],
    [
      'a Word document',
      { body: 'PK\x03\x04\0 word/document.xml' },
      'unreadable',
      'file at 127.0.0.1:',
    ],
    [
      'a PDF file with a password',
      { body: pdfFile({ password: 'secret', pages: [{ lines: ['Fog'] }] }) },
      'unreadable',
      'needs a password',
    ],
    [
      'a scan',
      { body: pdfFile({ pages: [{ picture: true }, { picture: true }] }) },
      'unreadable',
      '(2 pages) has no text layer that Lam can read: most likely it is scanned',
    ],
    ['402', { status: 402 }, 'blocked', 'HTTP 402'],
    [
      '503 with a robot check',
      { status: 503, body: '<form id="captcha-form">' },
      'blocked',
      'proof',
    ],
    [
      'an application',
      { headers: html, body: `<title>App</title><div id=root>Loading…</div>${scripts}` },
      'needs-browser',
      'without a browser',
    ],
    [
      'an application with a notice',
      {
        headers: html,
        body: `<title>App</title><p>${'We are sorry about this. '.repeat(6)}Please enable JavaScript to use it.</p>${scripts}`,
      },
      'needs-browser',
      'without a browser',
    ],
    [
      'a robot check',
      {
        headers: html,
        body: `<title>Just a moment...</title><p>Checking your browser before you go on to the site.</p>${scripts}`,
      },
      'blocked',
      'Just a moment',
    ],
    [
      'a consent wall',
      {
        headers: html,
        body: '<title>Before you continue to Search</title><p>We use cookies and data.</p>',
      },
      'blocked',
      'consent',
    ],
  ])('%s', async (_name, given, status, words) => {
    answer = given;
    const outcome = await portFor(server.hostAndPort)(`${server.origin}/some/file`);
    expect(outcome).toMatchObject({ ok: false, status });
    expect(outcome.ok ? '' : outcome.message).toContain(words);
    expect(!outcome.ok && outcome.isPassing === true).toBe(given.status === 429);
  });

  it.each<[string, typeof answer, object]>([
    [
      'plain text as it is',
      { headers: { 'content-type': 'text/plain' }, body: 'a <b>\r\n  c' },
      { title: 'file', text: 'a <b>\n  c' },
    ],
    [
      'Markdown as it is',
      { headers: { 'content-type': 'text/markdown' }, body: '# a\n*b*' },
      { text: '# a\n*b*' },
    ],
    [
      'a feed as its items, with links made absolute',
      {
        headers: { 'content-type': 'application/rss+xml' },
        body: '<rss><channel><title>Thé</title><item><title>One</title><link>/1</link></item></channel></rss>',
      },
      {
        title: 'Thé',
        text: expect.stringMatching(/^# Thé\n\n## \[One\]\(http:\/\/127[^)]+\/1\)$/) as string,
      },
    ],
    [
      'XML as an outline',
      { headers: { 'content-type': 'text/xml' }, body: '<tea><leaf n="2">é</leaf></tea>' },
      { title: 'file', text: 'tea\n  leaf n=2: é' },
    ],
    [
      'a JSON Feed as its items',
      {
        headers: { 'content-type': 'application/json' },
        body: '{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"title":"One"}]}',
      },
      { title: 'T', text: '# T\n\n## One' },
    ],
    [
      'CSV as a table',
      { headers: { 'content-type': 'text/csv' }, body: 'a,b\n1,2\n' },
      { text: '| a | b |\n| --- | --- |\n| 1 | 2 |' },
    ],
    [
      'JSON that is too large, with what was received',
      { headers: { 'content-type': 'application/json' }, body: `[1,"${'x'.repeat(2_200_000)}"]` },
      { cut: true, text: expect.stringMatching(/^\[\n {2}1,\n {2}"x{1000}/) as string },
    ],
    [
      'JSON that is long, by its structure',
      {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rows: Array.from({ length: 60_000 }, (_, n) => n), end: 'here' }),
      },
      {
        cut: true,
        text: expect.stringMatching(
          /… [\d,]+ more items\n {2}\],\n {2}"end": "here"\n\}$/,
        ) as string,
      },
    ],
    [
      'a PDF file by pages',
      {
        headers: { 'content-type': 'application/octet-stream' },
        body: pdfFile({ title: 'Tea', pages: [{ lines: ['Fog'] }, { picture: true }] }),
      },
      {
        title: 'Tea',
        text: 'Fog\n\n(No text could be read on this page: it is a scan, a picture, or empty.)',
        pages: { total: 2, starts: [0, 5] },
      },
    ],
    [
      'a PDF file larger than a page may be',
      {
        body: Buffer.concat([
          pdfFile({ pages: [{ lines: ['Fog'] }] }),
          Buffer.alloc(3_000_000, 10),
        ]),
      },
      { title: 'file', text: 'Fog' },
    ],
    [
      'broken JSON as it is',
      { headers: { 'content-type': 'application/json' }, body: '{"a":' },
      { text: '{"a":' },
    ],
    [
      'UTF-16 by header, without a byte order mark',
      {
        headers: { 'content-type': 'text/plain; charset=utf-16le' },
        body: Buffer.from('日本', 'utf16le'),
      },
      { text: '日本' },
    ],
    [
      'Shift_JIS by header',
      {
        headers: { 'content-type': 'text/plain; charset=Shift_JIS' },
        body: Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      },
      { text: '日本' },
    ],
    [
      'HTML without a type',
      { body: '<!doctype html><title>t</title><p>words' },
      { title: 't', text: 'words' },
    ],
    ['HTML without a title', { headers: html, body: '<p>words' }, { title: 'file', text: 'words' }],
    ['a short page with no scripts', { headers: html, body: '<p>ok' }, { text: 'ok' }],
    [
      'text that is cut',
      { headers: { 'content-type': 'text/plain' }, body: 'é'.repeat(1_100_000) },
      { cut: true, text: 'é'.repeat(1_048_576) },
    ],
  ])('%s', async (_name, given, page) => {
    answer = given;
    const outcome = await portFor(server.hostAndPort)(`${server.origin}/some/file`);
    expect(outcome).toMatchObject({ ok: true, page });
  });
});

describe('a PDF file beyond the cap of a page', () => {
  const large = Buffer.concat([pdfFile({ pages: [{ lines: ['Fog'] }] }), Buffer.alloc(3e6, 10)]);
  const page = Buffer.from(`<!doctype html><p>${'words '.repeat(500_000)}`);
  const small = Buffer.from('<!doctype html><p>words');
  interface Answer {
    type: string;
    body: Buffer;
    status?: number;
  }
  it.each<[string, Answer[], object, number]>([
    ['called one', [{ type: 'application/pdf', body: large }], { ok: true }, 1],
    [
      'called something else',
      [
        { type: 'text/html', body: large },
        { type: 'text/html', body: large },
      ],
      { ok: true },
      2,
    ],
    [
      'then a large page',
      [
        { type: 'text/html', body: large },
        { type: 'text/html', body: page },
      ],
      { ok: false, status: 'too-large' },
      2,
    ],
    [
      'then a small page',
      [
        { type: 'text/html', body: large },
        { type: 'text/html', body: small },
      ],
      { ok: false, status: 'too-large' },
      2,
    ],
    [
      'then a refusal',
      [
        { type: 'text/html', body: large },
        { type: 'text/html', body: small, status: 403 },
      ],
      { ok: false, status: 'blocked' },
      2,
    ],
    [
      'called one and a page',
      [{ type: 'application/pdf', body: page }],
      { ok: true, page: { cut: true } },
      1,
    ],
    [
      'called one and beyond its own cap',
      [{ type: 'application/pdf', body: Buffer.concat([large, Buffer.alloc(15e6, 10)]) }],
      { ok: false, status: 'too-large' },
      1,
    ],
  ])('%s', async (_name, answers, expected, requests) => {
    let asked = 0;
    const server = await startWebServer((_request, response) => {
      const {
        type,
        body,
        status = 200,
      } = answers[asked] ?? answers[0] ?? { type: '', body: small };
      asked += 1;
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    try {
      const outcome = await portFor(server.hostAndPort)(`${server.origin}/file`);
      expect(outcome).toMatchObject(expected);
      expect(asked).toBe(requests);
    } finally {
      await server.close();
    }
  });
});

describe('what is laid out in a thread', () => {
  const typed = (contentType: string, body: string) => {
    const fetcher: Fetcher = ({ url }) =>
      Promise.resolve({
        ok: true,
        status: 200,
        url,
        hops: [url],
        headers: { 'content-type': contentType },
        contentType,
        bytes: Buffer.from(body),
        cut: false,
      });
    return fetcher;
  };
  it.each([
    ['application/json', '['.repeat(1_000_000)],
    ['application/json', '[0]'],
    ['text/csv', 'a,b\n1,2'],
  ])('%s ends with a stop', async (contentType, body) => {
    const control = new AbortController();
    const port = createPagePort({ fetcher: typed(contentType, body), ...readers });
    const pending = port('https://site.example/', control.signal);
    setImmediate(() => {
      control.abort();
    });
    expect(await pending).toEqual({
      ok: false,
      status: 'unreadable',
      message: 'The reading was stopped.',
    });
  });

  it.each([
    ['application/json', '{"a":"<b>"}'],
    ['text/csv', 'a,b\n<1>,2'],
  ])('%s that costs too much is text as it is', async (contentType, body) => {
    const port = createPagePort({
      fetcher: typed(contentType, body),
      ...readers,
      loadPageReader: () => loadPageReader(ASSETS, { timeoutMs: 0 }),
    });
    expect(await port('https://site.example/', live())).toMatchObject({
      ok: true,
      page: { text: body },
    });
  });
});

describe('what the fetcher may fail with', () => {
  it.each([
    ['refused', 'refused'],
    ['bad-url', 'refused'],
    ['timed-out', 'timed-out'],
    ['too-large', 'too-large'],
    ['network', 'unreadable'],
    ['no-site', 'unreadable'],
    ['tls', 'unreadable'],
    ['too-many-redirects', 'unreadable'],
    ['aborted', 'unreadable'],
  ] as const)('%s → %s, with its sentence', async (reason, status) => {
    const result: FetchResult = { ok: false, reason, message: 'A sentence.' };
    const fetcher: Fetcher = () => Promise.resolve(result);
    const port = createPagePort({ fetcher, ...readers });
    expect(await port('https://site.example/', live())).toEqual({
      ok: false,
      status,
      message: 'A sentence.',
    });
  });

  it('a reader that cannot be loaded is an outcome', async () => {
    const fetcher: Fetcher = ({ url }) =>
      Promise.resolve({
        ok: true,
        status: 200,
        url,
        hops: [url],
        headers: {},
        contentType: 'text/html',
        bytes: Buffer.from('<p>x'),
        cut: false,
      });
    const port = createPagePort({
      ...readers,
      fetcher,
      loadPageReader: () => {
        throw new Error('broken');
      },
    });
    expect(await port('https://site.example/', live())).toEqual({
      ok: false,
      status: 'unreadable',
      message: 'site.example could not be read: broken.',
    });
  });
});

describe('trustedCanonical', () => {
  it.each([
    ['https://site.example/a', 'https://site.example/a?x=1', 'https://site.example/a'],
    ['https://site.example/a?x=1', 'https://site.example/a', 'https://site.example/a?x=1'],
    ['http://site.example/a', 'https://site.example/a', 'http://site.example/a'],
    ['https://site.example/a/', 'https://site.example/a', 'https://site.example/a/'],
    ['https://www.site.example/a', 'https://site.example/a', 'https://www.site.example/a'],
    ['https://site.example/a', 'https://m.site.example/a', 'https://site.example/a'],
    ['https://www.site.example/a', 'https://amp.site.example/a', 'https://www.site.example/a'],
    ['https://site.example/', 'https://site.example/a', undefined],
    ['https://site.example/good/repo', 'https://site.example/evil/x', undefined],
    ['https://bob.example/a', 'https://alice.example/a', undefined],
    ['https://bob.host.example/', 'https://alice.host.example/', undefined],
    ['https://m.example/a', 'https://www.example/a', undefined],
    ['https://github.io/', 'https://m.github.io/', undefined],
    ['https://www.github.io/', 'https://m.github.io/', undefined],
    ['https://www.co.uk/', 'https://m.co.uk/', undefined],
    ['https://site.example:8443/a', 'https://site.example/a', undefined],
    ['ftp://site.example/a', 'https://site.example/a', undefined],
    ['not an address', 'https://site.example/b', undefined],
    [undefined, 'https://site.example/b', undefined],
  ])('%s claimed by %s → %s', (canonical, url, expected) => {
    expect(trustedCanonical(canonical, url)).toBe(expected);
  });
});
