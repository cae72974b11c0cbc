import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSearch, type CreateSearchOptions } from '../host/web/search';
import { ollamaServer } from '../host/web/search/ollama-server';
import { createWikipediaSearch } from '../host/web/search/wikipedia';
import { NO_SETTINGS, searchOptions } from './support/search-ports';
import { GOOD_KEY, startSearchService, type SearchService } from './support/search-services';

const live = (): AbortSignal => new AbortController().signal;

type Settings = CreateSearchOptions['settings'];

/** The addresses that a search with these settings asks, without a network. */
async function asked(
  settings: Partial<Settings>,
  more: Partial<CreateSearchOptions> = {},
): Promise<{ urls: string[]; message: string }> {
  const urls: string[] = [];
  const search = createSearch({
    ...searchOptions(),
    settings: { ...NO_SETTINGS, ...settings },
    fetcher: ({ url }) => {
      urls.push(new URL(url).origin);
      return Promise.resolve({ ok: false, reason: 'network', message: 'none' });
    },
    ...more,
  });
  const outcome = await search('tea', live());
  return { urls, message: outcome.ok ? '' : outcome.message };
}

let searxng: SearchService;
beforeAll(async () => {
  searxng = await startSearchService('searxng');
});
afterAll(() => searxng.close());

describe('automatic', () => {
  const keys = { braveKey: GOOD_KEY, tavilyKey: GOOD_KEY, exaKey: GOOD_KEY, ollamaKey: GOOD_KEY };

  it.each<[string, Partial<Settings>, string]>([
    ['nothing is set', {}, 'https://de.wikipedia.org'],
    ['a blank address', { searxngUrl: ' ', braveKey: ' ' }, 'https://de.wikipedia.org'],
    ['all keys', keys, 'https://api.search.brave.com'],
    ['no key of Brave', { ...keys, braveKey: '' }, 'https://api.tavily.com'],
    ['keys of Exa and Ollama', { exaKey: GOOD_KEY, ollamaKey: GOOD_KEY }, 'https://api.exa.ai'],
    ['a key of Ollama', { ollamaKey: GOOD_KEY }, 'https://ollama.com'],
  ])('%s', async (_, settings, url) => {
    expect((await asked(settings)).urls).toEqual([url]);
  });

  it('an address of SearXNG goes before every key', async () => {
    searxng.requests.length = 0;
    expect((await asked({ ...keys, searxngUrl: searxng.origin })).urls).toEqual([]);
    expect(searxng.requests).toHaveLength(1);
  });
});

describe('a provider that was chosen', () => {
  it.each<[Settings['searchProvider'], Partial<Settings>, string]>([
    ['brave', { braveKey: GOOD_KEY }, 'https://api.search.brave.com'],
    ['tavily', { tavilyKey: GOOD_KEY }, 'https://api.tavily.com'],
    ['exa', { exaKey: GOOD_KEY }, 'https://api.exa.ai'],
    ['ollama', { ollamaKey: GOOD_KEY }, 'https://ollama.com'],
    ['wikipedia', { braveKey: GOOD_KEY }, 'https://de.wikipedia.org'],
    ['wikipedia', { searchLanguage: 'pt-BR' }, 'https://pt.wikipedia.org'],
    ['duckduckgo', { braveKey: GOOD_KEY }, 'https://html.duckduckgo.com'],
  ])('%s is asked, whatever else is set', async (searchProvider, settings, url) => {
    expect((await asked({ searchProvider, ...settings, searxngUrl: searxng.origin })).urls).toEqual(
      [url],
    );
  });

  it.each<[Settings['searchProvider'], string, string]>([
    ['searxng', 'SearXNG', 'SearXNG Address'],
    ['brave', 'Brave', 'Brave Key'],
    ['tavily', 'Tavily', 'Tavily Key'],
    ['exa', 'Exa', 'Exa Key'],
  ])(
    '%s without what it needs asks nobody and says what to set',
    async (searchProvider, name, title) => {
      const others = {
        braveKey: GOOD_KEY,
        tavilyKey: GOOD_KEY,
        exaKey: GOOD_KEY,
        ollamaKey: GOOD_KEY,
      };
      const own = searchProvider === 'searxng' ? {} : { [`${searchProvider}Key`]: ' ' };
      expect(await asked({ ...others, ...own, searchProvider })).toEqual({
        urls: [],
        message: `${name} is the Search Provider of the preferences, but no ${title} is set`,
      });
      const { remedy } = createSearch({
        ...searchOptions(),
        settings: { ...NO_SETTINGS, searchProvider },
      });
      expect(remedy).toBe(
        `Set the ${title}, or choose another Search Provider, in Lam's preferences.`,
      );
    },
  );

  it('SearXNG with an address that is none says so', async () => {
    expect((await asked({ searxngUrl: 'ftp://s.example' })).message).toBe(
      'the SearXNG Address is not an http address',
    );
  });
});

describe('Ollama without a key of its own', () => {
  it('asks the server that answers, with its authorization', async () => {
    const server = await startSearchService('localOllama');
    try {
      const { urls, message } = await asked(
        { searchProvider: 'ollama' },
        { ollama: { baseUrl: server.origin, apiKey: 'k', authorization: 'Bearer k' } },
      );
      expect({ urls, message }).toEqual({ urls: [], message: '' });
      expect(server.requests).toMatchObject([
        { path: '/api/experimental/web_search', headers: { authorization: 'Bearer k' } },
      ]);
    } finally {
      await server.close();
    }
  });

  it.each([
    [GOOD_KEY, ['https://ollama.com'], 'Ollama could not be searched (none)'],
    ['', [], 'Ollama is the Search Provider of the preferences, but no Ollama Key is set'],
  ])('asks ollama.com if that is the server: key %j', async (apiKey, urls, message) => {
    const ollama = { baseUrl: 'https://ollama.com', apiKey };
    expect(await asked({ searchProvider: 'ollama' }, { ollama })).toEqual({ urls, message });
  });
});

describe('the Ollama server of the preferences', () => {
  const server = (apiKey: string, address = 'http://127.0.0.1:11434') =>
    ollamaServer({ modelServer: 'ollama', address, apiKey });

  it.each([
    ['', undefined],
    ['k', 'Bearer k'],
    [' Bearer k\n', 'Bearer k'],
    ['bearer  k', 'Bearer k'],
  ])('gets the key %j as the chat sends it', (apiKey, authorization) => {
    expect(server(apiKey)).toEqual({
      baseUrl: 'http://127.0.0.1:11434',
      apiKey: authorization === undefined ? '' : 'k',
      authorization,
    });
  });

  it('gets the user of its address, unless there is a key', () => {
    const address = 'http://me:pw@127.0.0.1:1';
    expect(server('', address).authorization).toBe('Basic bWU6cHc=');
    expect(server('k', address).authorization).toBe('Bearer k');
  });

  it('is the one on this machine, without a key, when another answers', () => {
    expect(
      ollamaServer({ modelServer: 'anthropic', address: 'https://a.example', apiKey: 'k' }),
    ).toEqual({ baseUrl: 'http://127.0.0.1:11434', apiKey: '', authorization: undefined });
  });

  it('is not asked with a key that no header holds', async () => {
    const ollama = server('sch\u00f6n');
    expect(await asked({ searchProvider: 'ollama' }, { ollama })).toEqual({
      urls: [],
      message: 'the API Key holds characters that no key has; copy it once more',
    });
  });

  it('is told apart from one that does not accept the key', async () => {
    const service = await startSearchService('localOllama');
    service.behaviour = { does: 'answer', status: 401, body: {} };
    try {
      const ollama = server('k', service.origin);
      expect((await asked({ searchProvider: 'ollama' }, { ollama })).message).toBe(
        `Ollama at ${service.hostAndPort} does not accept the API Key of the preferences, or is not signed in (\`ollama signin\`)`,
      );
    } finally {
      await service.close();
    }
  });
});

describe('a language without a Wikipedia', () => {
  const NONE = { ok: false, reason: 'no-site', message: 'There is no site at x.' } as const;
  const reply = (url: string) => ({
    ok: true as const,
    status: 200,
    url,
    hops: [url],
    headers: {},
    contentType: 'application/json',
    bytes: Buffer.from('{"query":{"search":[{"title":"Tea"}]}}'),
    cut: false,
  });
  /** The hosts that two searches ask when only these exist, and what the second finds. */
  async function twice(language: string, exists: string[]) {
    const hosts: string[] = [];
    const search = createWikipediaSearch({
      language,
      now: () => 0,
      fetcher: ({ url }) => {
        const { host } = new URL(url);
        hosts.push(host.split('.')[0] ?? '');
        return Promise.resolve(exists.includes(host.split('.')[0] ?? '') ? reply(url) : NONE);
      },
    });
    await search('tea', live());
    const outcome = await search('tea', live());
    return { hosts, found: outcome.ok ? outcome.hits[0]?.url : outcome.message };
  }

  it.each([
    ['fil', ['en'], ['fil', 'en', 'en'], 'https://en.wikipedia.org/wiki/Tea'],
    ['de', ['de', 'en'], ['de', 'de'], 'https://de.wikipedia.org/wiki/Tea'],
    [
      'fil',
      [],
      ['fil', 'en', 'fil', 'en'],
      'Wikipedia could not be searched (there is no site at x)',
    ],
    ['en', [], ['en', 'en'], 'Wikipedia could not be searched (there is no site at x)'],
  ])('%s when %j exist: asks %j', async (language, exists, hosts, found) => {
    expect(await twice(language, exists)).toEqual({ hosts, found });
  });
});

describe('what a search says of itself', () => {
  const remedyOf = (settings: Partial<Settings>) =>
    createSearch({ ...searchOptions(), settings: { ...NO_SETTINGS, ...settings } });

  it('Wikipedia is not the web', () => {
    expect(remedyOf({}).scope).toBe('Wikipedia');
    expect(remedyOf({}).remedy).toMatch(/choose another Search Provider/);
  });

  it.each<[Partial<Settings>, RegExp]>([
    [{ searxngUrl: 'https://s.example' }, /^Check the SearXNG Address/],
    [{ searxngUrl: 'ftp://s.example' }, /^Check the SearXNG Address/],
    [{ braveKey: 'k' }, /^Check the Brave Key,/],
    [{ tavilyKey: 'k' }, /^Check the Tavily Key,/],
    [{ exaKey: 'k' }, /^Check the Exa Key,/],
    [{ ollamaKey: 'k' }, /^Check the Ollama Key,/],
    [{ searchProvider: 'ollama' }, /^Sign in with `ollama signin`/],
    [{ searchProvider: 'duckduckgo' }, /^Wait, or choose another/],
  ])('%j is, and what to do when it fails', (settings, remedy) => {
    const search = remedyOf(settings);
    expect(search.scope).toBeUndefined();
    expect(search.remedy).toMatch(remedy);
  });
});
