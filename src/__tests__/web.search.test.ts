import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createFetcher, type FetcherOptions } from '../host/web/http';
import { wikipediaLanguage } from '../host/web/search/language';
import { requestMessage } from '../host/web/search/reply';
import { snippetText, toHit } from '../host/web/search/rows';
import { createSearxngSearch } from '../host/web/search/searxng';
import { createWikipediaSearch } from '../host/web/search/wikipedia';
import { startWebServer, type WebServer } from './support/web-server';
import { startWebSite, type WebSite } from './support/web-site';

const live = (): AbortSignal => new AbortController().signal;
const userAgent = 'Lam-test';
const now = (): number => Date.UTC(2026, 2, 14, 12);

interface Answer {
  status?: number;
  type?: string;
  body?: unknown;
}

let server: WebServer;
let answer: Answer | 'silence' = {};
let asked: string[] = [];
beforeAll(async () => {
  server = await startWebServer((request, response) => {
    asked.push(request.url ?? '');
    if (answer === 'silence') return;
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response
      .writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' })
      .end(body);
  });
});
afterAll(() => server.close());

const fetcher = (options: Partial<FetcherOptions> = {}): ReturnType<typeof createFetcher> =>
  createFetcher({ userAgent, allowLoopback: [server.hostAndPort], ...options });

describe('SearXNG on the small site', () => {
  let site: WebSite;
  beforeAll(async () => {
    site = await startWebSite();
  });
  afterAll(() => site.close());

  it.each(['', '/', '/search', '/search/'])('finds pages; address ending %j', async (end) => {
    const search = createSearxngSearch({ baseUrl: site.origin + end, userAgent, now });
    const outcome = await search('at what altitude does tea grow on Verdel?', live());
    expect(outcome.ok && outcome.hits[0]).toEqual({
      title: 'Growing tea on Verdel',
      url: `${site.origin}/growing`,
      content: 'Tea on Verdel grows on terraces between 180 and 640 metres above the sea.',
    });
    expect(outcome.ok && outcome.hits.length).toBeGreaterThan(2);
  });

  it('finds nothing, and that is no failure', async () => {
    const search = createSearxngSearch({ baseUrl: site.origin, userAgent, now });
    expect(await search('zeppelin', live())).toEqual({ ok: true, hits: [] });
  });

  it('sends the query whole', async () => {
    const search = createSearxngSearch({ baseUrl: `${site.origin}?x=1#y`, userAgent, now });
    await search('a&b=c #1 "é" 茶', live());
    const [, path = ''] = site.requests.at(-1)?.split(' ') ?? [];
    const sent = new URL(path, site.origin);
    expect(sent.pathname).toBe('/search');
    expect(Object.fromEntries(sent.searchParams)).toEqual({ q: 'a&b=c #1 "é" 茶', format: 'json' });
  });

  it('takes an address without a scheme', async () => {
    const search = createSearxngSearch({ baseUrl: site.hostAndPort, userAgent, now });
    expect(await search('tea', live())).toMatchObject({ ok: true });
  });

  it('trusts that server only, not where it redirects', async () => {
    const lure = await startWebServer((_request, response) =>
      response.writeHead(302, { location: `${site.origin}/search?q=tea&format=json` }).end(),
    );
    try {
      const search = createSearxngSearch({ baseUrl: lure.origin, userAgent, now });
      const outcome = await search('tea', live());
      expect(outcome).toMatchObject({ ok: false });
      expect(outcome.ok ? '' : outcome.message).toBe(
        `SearXNG at ${lure.hostAndPort} redirects elsewhere: ${site.hostAndPort} is on this machine or a private network, which is not read`,
      );
    } finally {
      await lure.close();
    }
  });
});

const ROW = { title: 'A', url: 'https://a.example/', content: 'b' };

describe('what a SearXNG server may answer', () => {
  const search = (query = 'q'): ReturnType<ReturnType<typeof createSearxngSearch>> =>
    createSearxngSearch({ baseUrl: server.origin, userAgent, now, fetcher: fetcher() })(
      query,
      live(),
    );

  it.each<[string, Answer, string]>([
    ['403', { status: 403, body: 'Forbidden' }, 'enable `json` under search.formats'],
    ['429', { status: 429 }, 'too many requests'],
    ['404', { status: 404 }, 'HTTP 404'],
    ['500', { status: 500 }, 'a problem of its own (HTTP 500)'],
    ['HTML', { type: 'text/html', body: '<!doctype html><p>' }, 'a web page instead of results'],
    ['no JSON', { body: 'oops' }, 'not JSON'],
    ['half JSON', { body: '{"results":[' }, 'not JSON'],
    ['null', { body: null }, 'no list of results'],
    ['a list', { body: [] }, 'no list of results'],
    ['an object', { body: { answers: [] } }, 'no list of results'],
    ['results of another kind', { body: { results: 'none' } }, 'no list of results'],
    ['rows that mean nothing', { body: { results: [1, null, { url: 5 }] } }, 'cannot be read'],
    [
      'engines that did not answer',
      {
        body: {
          results: [],
          unresponsive_engines: [
            ['google', 'timeout'],
            ['bing', 'CAPTCHA'],
          ],
        },
      },
      '(google: timeout, bing: CAPTCHA)',
    ],
    [
      'engines in another shape',
      { body: { results: [], unresponsive_engines: [{}, 7] } },
      '2 engines',
    ],
    ['too much', { body: { results: [{ ...ROW, content: 'x'.repeat(2_200_000) }] } }, 'too large'],
  ])('%s is a failure', async (_name, given, words) => {
    answer = given;
    const outcome = await search();
    expect(outcome).toMatchObject({ ok: false });
    const message = outcome.ok ? '' : outcome.message;
    expect(message).toContain(words);
    // A bare reason: it stands behind a colon.
    expect(message).not.toMatch(/failed|\.$/);
    expect(message).toContain(`SearXNG at ${server.hostAndPort}`);
  });

  it.each<[string, unknown, object[]]>([
    ['nothing', { results: [] }, []],
    ['nothing, engines fine', { results: [], unresponsive_engines: [] }, []],
    ['a row', { results: [ROW], unresponsive_engines: [['x', 'timeout']] }, [ROW]],
    ['bad rows among good', { results: [1, { title: 2 }, ROW, {}] }, [ROW]],
    [
      'a row without content',
      { results: [{ title: 'A', url: 'https://a.example/' }] },
      [{ ...ROW, content: '' }],
    ],
    [
      'a row without address',
      { results: [{ title: 'A', url: null, content: 'b' }] },
      [{ ...ROW, url: '' }],
    ],
    [
      'a row with another scheme',
      { results: [{ ...ROW, url: 'magnet:?x' }] },
      [{ ...ROW, url: '' }],
    ],
    ['repeats', { results: [ROW, { ...ROW, title: 'B' }] }, [ROW]],
    [
      'lines',
      { results: [{ ...ROW, title: ' A\n B\t', content: 'b\r\n\r\nc' }] },
      [{ ...ROW, title: 'A B', content: 'b c' }],
    ],
  ])('%s is an answer', async (_name, body, hits) => {
    answer = { body };
    expect(await search()).toEqual({ ok: true, hits });
  });

  it('hands over eight at most', async () => {
    answer = {
      body: {
        results: Array.from({ length: 30 }, (_, n) => ({ ...ROW, url: `https://a.example/${n}` })),
      },
    };
    const outcome = await search();
    expect(outcome.ok && outcome.hits.map(({ url }) => url.at(-1))).toEqual(Array.from('01234567'));
  });

  it('an abort', async () => {
    answer = 'silence';
    const control = new AbortController();
    const pending = createSearxngSearch({ baseUrl: server.origin, userAgent, now })(
      'q',
      control.signal,
    );
    setTimeout(() => {
      control.abort();
    }, 50);
    expect(await pending).toEqual({ ok: false, message: 'the search was stopped' });
  });

  it.each(['', 'ftp://s.example', 'http://', 'http://[x'])(
    'address %j says what is wrong',
    async (baseUrl) => {
      const outcome = await createSearxngSearch({ baseUrl, userAgent, now })('q', live());
      expect(outcome.ok ? '' : outcome.message).toBe('the SearXNG Address is not an http address');
    },
  );

  it('a server that is not there', async () => {
    const gone = await startWebServer(() => undefined);
    await gone.close();
    const outcome = await createSearxngSearch({ baseUrl: gone.origin, userAgent, now })(
      'q',
      live(),
    );
    expect(outcome.ok ? '' : outcome.message).toBe(
      `SearXNG at ${gone.hostAndPort} refused the connection`,
    );
  });
});

describe('Wikipedia', () => {
  const search = (query = 'q'): ReturnType<ReturnType<typeof createWikipediaSearch>> =>
    createWikipediaSearch({ fetcher: fetcher(), now, language: 'en', baseUrl: server.origin })(
      query,
      live(),
    );

  it('builds addresses from titles and text from snippets', async () => {
    answer = {
      body: {
        batchcomplete: true,
        query: {
          search: [
            {
              ns: 0,
              title: 'Tea (meal)',
              pageid: 1,
              snippet:
                'A <span class="searchmatch">tea</span> &amp; &quot;meal&quot; &#039;x&#039;',
            },
            { title: 'AC/DC: Who?', snippet: 'a\nb' },
            { title: 'Tee 茶' },
            { title: '' },
            { pageid: 3 },
            'no row',
          ],
        },
      },
    };
    asked = [];
    expect(await search('what is tea?')).toEqual({
      ok: true,
      hits: [
        {
          title: 'Tea (meal)',
          url: `${server.origin}/wiki/Tea_(meal)`,
          content: 'From Wikipedia: A tea & "meal" \'x\'',
        },
        {
          title: 'AC/DC: Who?',
          url: `${server.origin}/wiki/AC/DC:_Who%3F`,
          content: 'From Wikipedia: a b',
        },
        { title: 'Tee 茶', url: `${server.origin}/wiki/Tee_%E8%8C%B6`, content: 'From Wikipedia:' },
      ],
    });
    const sent = new URL(asked[0] ?? '', server.origin);
    expect(sent.pathname).toBe('/w/api.php');
    expect(Object.fromEntries(sent.searchParams)).toEqual({
      action: 'query',
      list: 'search',
      srsearch: 'what is tea?',
      srlimit: '8',
      srprop: 'snippet',
      format: 'json',
      formatversion: '2',
    });
  });

  it('finds nothing, and that is no failure', async () => {
    answer = { body: { batchcomplete: true, query: { searchinfo: { totalhits: 0 }, search: [] } } };
    expect(await search()).toEqual({ ok: true, hits: [] });
  });

  it.each<[string, Answer, string]>([
    [
      'an error object',
      { body: { error: { code: 'x', info: 'The "srsearch" parameter must be set.' } } },
      'parameter must be set',
    ],
    ['429', { status: 429 }, 'too many requests'],
    ['503', { status: 503 }, 'HTTP 503'],
    ['403', { status: 403 }, 'HTTP 403'],
    ['HTML', { type: 'text/html', body: '<html>' }, 'a web page'],
    ['an empty object', { body: {} }, 'no list'],
    ['another shape', { body: { query: { search: 1 } } }, 'no list'],
    ['bad rows only', { body: { query: { search: [1] } } }, 'cannot be read'],
  ])('%s is a failure', async (_name, given, words) => {
    answer = given;
    const outcome = await search();
    expect(outcome).toMatchObject({ ok: false });
    const message = outcome.ok ? '' : outcome.message;
    expect(message).toContain(words);
    expect(message).toMatch(/^Wikipedia .*[^.]$/);
    expect(message).not.toContain('failed');
  });

  it('an abort', async () => {
    answer = 'silence';
    const port = createWikipediaSearch({
      fetcher: fetcher(),
      now,
      language: 'en',
      baseUrl: server.origin,
    });
    expect(await port('q', AbortSignal.abort())).toEqual({
      ok: false,
      message: 'the search was stopped',
    });
  });

  it.each([
    ['de', 'de'],
    ['de_DE.UTF-8', 'de'],
    ['pt-BR', 'pt'],
    ['EN', 'en'],
    ['C', 'en'],
    ['POSIX', 'en'],
    ['', 'en'],
    ['evil.example/', 'en'],
  ])('language of %j is %s', (tag, expected) => {
    expect(wikipediaLanguage(tag)).toBe(expected);
  });
});

describe('why there was no answer', () => {
  it.each<[string, string]>([
    ['en.wiki.example refused the connection.', 'Wikipedia refused the connection'],
    ['en.wiki.example did not answer in time.', 'Wikipedia did not answer in time'],
    [
      'There is no site at en.wiki.example.',
      'Wikipedia could not be searched (there is no site at en.wiki.example)',
    ],
    [
      'The name en.wiki.example could not be looked up; is there a connection?',
      'Wikipedia could not be searched (the name en.wiki.example could not be looked up; is there a connection?)',
    ],
    [
      'other.example refused the connection.',
      'Wikipedia could not be searched (other.example refused the connection)',
    ],
  ])('%j', (message, said) => {
    const failure = { ok: false as const, reason: 'network' as const, message };
    expect(requestMessage(failure, 'Wikipedia', 'en.wiki.example')).toBe(said);
  });
});

describe('texts of a hit', () => {
  it.each([
    ['<b>a</b> &lt;b&gt; &amp;lt; &#x1F343; &nbsp;c', 'a <b> &lt; 🍃  c'],
    ['&unknown; &#0; &#xD800; &#9999999;', '&unknown; &#0; &#xD800; &#9999999;'],
    ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
  ])('snippet %j', (html, expected) => {
    expect(snippetText(html)).toBe(expected);
  });

  it('are cut between characters', () => {
    const hit = toHit('🍃'.repeat(300), 'https://a.example/', 'b'.repeat(900));
    expect(Array.from(hit.title)).toHaveLength(200);
    expect(hit.title.endsWith('🍃…')).toBe(true);
    expect(hit.content).toHaveLength(500);
  });
});
