import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createFetcher } from '../host/web/http';
import { createLocalOllamaSearch } from '../host/web/search/ollama';
import { queryWithSite } from '../host/web/search/query';
import { durationText, statusMessage } from '../host/web/search/reply';
import { toHit } from '../host/web/search/rows';
import { createSearxngSearch } from '../host/web/search/searxng';
import type { SearchOptions } from '../lib/types';
import { NOW, portFor } from './support/search-ports';
import {
  SERVICES,
  startSearchService,
  type SearchService,
  type ServiceName,
} from './support/search-services';

const live = (): AbortSignal => new AbortController().signal;

const services = new Map<ServiceName, SearchService>();
beforeAll(async () => {
  for (const name of SERVICES) services.set(name, await startSearchService(name));
});
afterAll(async () => {
  await Promise.all(Array.from(services.values(), (service) => service.close()));
});

function at(name: ServiceName): SearchService {
  const service = services.get(name);
  if (service === undefined) throw new Error(`no ${name}`);
  service.requests.length = 0;
  return service;
}

/** What was sent: the fields of the query, of the form or of the JSON. */
async function sent(
  name: ServiceName,
  query: string,
  options?: SearchOptions,
  searchLanguage = '',
): Promise<{ fields: unknown; ignored: unknown }> {
  const service = at(name);
  const outcome = await portFor(name, service, { searchLanguage })(query, live(), options);
  const [request] = service.requests;
  if (request === undefined) throw new Error('nothing was sent');
  const { body, path, headers } = request;
  const fields: unknown =
    headers['content-type'] === 'application/json'
      ? JSON.parse(body)
      : Object.fromEntries(
          body === '' ? new URL(path, service.origin).searchParams : new URLSearchParams(body),
        );
  return { fields, ignored: outcome.ok ? outcome.ignored : outcome.message };
}

const ALL: SearchOptions = { count: 3, site: 'docs.example', freshness: 'week' };

describe('what is asked of a service', () => {
  it.each<[ServiceName, object, object, string[] | undefined]>([
    [
      'brave',
      {
        q: 'tea',
        count: '8',
        country: 'DE',
        search_lang: 'de',
        result_filter: 'web',
        text_decorations: 'false',
      },
      { q: 'tea site:docs.example', count: '3', freshness: 'pw' },
      undefined,
    ],
    [
      'tavily',
      { query: 'tea', max_results: 8 },
      { max_results: 3, include_domains: ['docs.example'], time_range: 'week' },
      undefined,
    ],
    [
      'exa',
      { query: 'tea', numResults: 8, userLocation: 'DE', contents: { highlights: true } },
      {
        numResults: 3,
        includeDomains: ['docs.example'],
        startPublishedDate: '2026-03-07T12:00:00.000Z',
      },
      undefined,
    ],
    ['ollama', { query: 'tea', max_results: 8 }, { max_results: 3 }, ['site', 'freshness']],
    ['localOllama', { query: 'tea', max_results: 8 }, { max_results: 3 }, ['site', 'freshness']],
    [
      'searxng',
      { q: 'tea', format: 'json' },
      { q: 'tea site:docs.example', time_range: 'week' },
      undefined,
    ],
    [
      'wikipedia',
      {
        action: 'query',
        list: 'search',
        srsearch: 'tea',
        srlimit: '8',
        srprop: 'snippet',
        format: 'json',
        formatversion: '2',
      },
      { srlimit: '3' },
      ['site', 'freshness'],
    ],
    [
      'duckduckgo',
      { q: 'tea', b: '', kl: 'de-de', df: '' },
      { q: 'tea site:docs.example', df: 'w' },
      undefined,
    ],
  ])('%s', async (name, plain, changed, ignored) => {
    expect(await sent(name, 'tea')).toEqual({ fields: plain, ignored: undefined });
    expect(await sent(name, 'tea', ALL)).toEqual({ fields: { ...plain, ...changed }, ignored });
  });

  it.each<[ServiceName, object]>([
    ['brave', { country: 'BR', search_lang: 'pt-br' }],
    ['exa', { userLocation: 'BR' }],
    ['searxng', { language: 'pt-BR' }],
    ['duckduckgo', { kl: 'br-pt' }],
  ])('%s in another language', async (name, fields) => {
    expect(await sent(name, 'tea', {}, 'pt_BR')).toMatchObject({ fields });
  });

  it('the system’s languages reach a SearXNG that is not told one', async () => {
    const service = at('searxng');
    await portFor('searxng', service)('tea', live());
    expect(service.requests[0]?.headers['accept-language']).toBe('de-DE');
  });

  it.each<[SearchOptions['freshness'], string, string, string, string]>([
    ['day', 'pd', 'day', '2026-03-13T12:00:00.000Z', 'd'],
    ['month', 'pm', 'month', '2026-02-11T12:00:00.000Z', 'm'],
    ['year', 'py', 'year', '2025-03-13T12:00:00.000Z', 'y'],
  ])('freshness %s', async (freshness, brave, same, since, letter) => {
    expect(await sent('brave', 'tea', { freshness })).toMatchObject({
      fields: { freshness: brave },
    });
    expect(await sent('tavily', 'tea', { freshness })).toMatchObject({
      fields: { time_range: same },
    });
    expect(await sent('searxng', 'tea', { freshness })).toMatchObject({
      fields: { time_range: same },
    });
    expect(await sent('exa', 'tea', { freshness })).toMatchObject({
      fields: { startPublishedDate: since },
    });
    expect(await sent('duckduckgo', 'tea', { freshness })).toMatchObject({
      fields: { df: letter },
    });
  });

  it('a site that is that Wikipedia itself is no restriction that was left out', async () => {
    const site = '127.0.0.1';
    expect((await sent('wikipedia', 'tea', { site })).ignored).toBeUndefined();
    expect((await sent('wikipedia', 'tea', { site, freshness: 'day' })).ignored).toEqual([
      'freshness',
    ]);
  });

  it.each([
    ['!w tea', 'w tea'],
    ['tea !!g \\ cake', 'tea g  cake'],
    ['what! is tea!', 'what! is tea!'],
  ])('DuckDuckGo is not told to go elsewhere: %j', async (query, q) => {
    const { fields } = await sent('duckduckgo', query);
    expect(fields).toMatchObject({ q: q.replace(/ +/g, ' ') });
  });
});

describe('a server of the person’s own that is slow', () => {
  const limits = { headerTimeoutMs: 100, totalTimeoutMs: 300, userAgent: 'Lam-test' };

  it.each<['searxng' | 'localOllama', 'hang' | 'drip', string]>([
    ['searxng', 'hang', 'SearXNG at HOST did not answer in time'],
    ['searxng', 'drip', 'SearXNG at HOST took too long'],
    ['localOllama', 'hang', 'Ollama at HOST did not answer in time'],
    ['localOllama', 'drip', 'Ollama at HOST took too long'],
  ])('%s: %s', async (name, does, says) => {
    const service = await startSearchService(name);
    service.behaviour = { does };
    const now = () => NOW;
    const baseUrl = service.origin;
    const fetcher = createFetcher({ ...limits, allowLoopback: [service.hostAndPort] });
    const port =
      name === 'searxng'
        ? createSearxngSearch({ baseUrl, userAgent: 'Lam-test', now, fetcher })
        : createLocalOllamaSearch({ baseUrl, now, fetcher });
    try {
      expect(await port('tea', live())).toEqual({
        ok: false,
        message: says.replace('HOST', service.hostAndPort),
      });
    } finally {
      await service.close();
    }
  });
});

describe('queries', () => {
  it.each<[string, string | undefined, number, number | undefined, string]>([
    ['a b', undefined, 400, undefined, 'a b'],
    [' a\n b ', 's.example', 400, undefined, 'a b site:s.example'],
    ['a b c d', undefined, 400, 2, 'a b'],
    ['a b c d', 's.example', 400, 3, 'a b site:s.example'],
    ['aaaa bbbb', 's.example', 20, undefined, 'aaaa site:s.example'],
    ['🍃🍃🍃', undefined, 2, undefined, '🍃🍃'],
  ])('%j on %s', (query, site, chars, words, expected) => {
    expect(queryWithSite(query, { site }, { chars, words })).toBe(expected);
  });

  it('never grow past what a service takes, and keep the site', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 600 }),
        fc.boolean(),
        (query, narrow) => {
          const site = narrow ? 'docs.example' : undefined;
          const text = queryWithSite(query, { site }, { chars: 100, words: 10 });
          expect(Array.from(text).length).toBeLessThanOrEqual(100);
          expect(text.split(' ').length).toBeLessThanOrEqual(10);
          if (narrow) expect(text.endsWith('site:docs.example')).toBe(true);
        },
      ),
    );
  });
});

describe('waits', () => {
  it.each<[number, string]>([
    [1, '1 second'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [121, '3 minutes'],
    [7_199, '120 minutes'],
    [7_200, '2 hours'],
    [200_000, '3 days'],
  ])('of %i s', (seconds, expected) => {
    expect(durationText(seconds)).toBe(expected);
  });

  it.each<[string | undefined, string]>([
    ['0', 'a minute'],
    ['-5', 'a minute'],
    ['1.5', 'a minute'],
    [' 5 ', '5 seconds'],
    ['99999999', 'a minute'],
    ['99999999999999999999', 'a minute'],
    ['Sat, 14 Mar 2026 12:00:30 GMT', '30 seconds'],
    ['Sat, 14 Mar 2026 11:00:00 GMT', 'a minute'],
    ['', 'a minute'],
    [undefined, 'a minute'],
  ])('Retry-After %j', (retryAfter, wait) => {
    expect(statusMessage(429, 'S', retryAfter, NOW)).toBe(
      `S answered "too many requests"; wait ${wait} and try again`,
    );
  });
});

describe('dates', () => {
  it.each<[string | null | undefined, string | undefined]>([
    ['2026-03-14', '2026-03-14'],
    ['2026-03-14T08:00:00', '2026-03-14'],
    ['2026-03-14 08:00', '2026-03-14'],
    ['2026-03-14x', '2026-03-14x'],
    ['Sat, 14 Mar 2026 08:00:00 GMT', '2026-03-14'],
    ['Sat, 99 Mar 2026 08:00:00 GMT', 'Sat, 99 Mar 2026 08:00:00 GMT'],
    ['3 days\n ago', '3 days ago'],
    ['  ', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j', (date, expected) => {
    expect(toHit('t', 'https://a.example', 'c', date).date).toBe(expected);
  });

  it('are cut', () => {
    expect(toHit('t', '', 'c', 'x'.repeat(100)).date).toBe(`${'x'.repeat(39)}…`);
  });
});
