import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { portFor } from './support/search-ports';
import {
  GOOD_KEY,
  SERVICES,
  startSearchService,
  type Behaviour,
  type SearchService,
  type ServiceName,
} from './support/search-services';

const live = (): AbortSignal => new AbortController().signal;

const services = new Map<ServiceName, SearchService>();
let elsewhere: SearchService;
beforeAll(async () => {
  for (const name of SERVICES) services.set(name, await startSearchService(name));
  elsewhere = await startSearchService('brave');
});
afterAll(async () => {
  await Promise.all([...services.values(), elsewhere].map((service) => service.close()));
});

function at(name: ServiceName): SearchService {
  const service = services.get(name);
  if (service === undefined) throw new Error(`no ${name}`);
  service.requests.length = 0;
  return service;
}

/** How the sentences call a service, and the preference with its key. */
const NAMES: Record<ServiceName, (service: SearchService) => string> = {
  brave: () => 'Brave',
  tavily: () => 'Tavily',
  exa: () => 'Exa',
  ollama: () => 'Ollama',
  localOllama: ({ hostAndPort }) => `Ollama at ${hostAndPort}`,
  searxng: ({ hostAndPort }) => `SearXNG at ${hostAndPort}`,
  wikipedia: () => 'Wikipedia',
  duckduckgo: () => 'DuckDuckGo',
};
const KEYS: Partial<Record<ServiceName, string>> = {
  brave: 'Brave Key',
  tavily: 'Tavily Key',
  exa: 'Exa Key',
  ollama: 'Ollama Key',
};

const PAGES = [
  {
    title: 'Growing tea',
    url: 'https://tea.example/growing?a=1&b=2',
    text: 'On terraces < 640 m.',
    date: '2026-03-02T08:00:00.000Z',
  },
  { title: 'Tea & cakes', url: 'https://cake.example/', text: 'A meal.' },
];

describe('what is found', () => {
  const dated = new Set<ServiceName>(['brave', 'tavily', 'exa', 'searxng', 'duckduckgo']);

  it.each(SERVICES.filter((name) => name !== 'wikipedia'))('at %s', async (name) => {
    const service = at(name);
    service.behaviour = { does: 'find', pages: PAGES };
    const outcome = await portFor(name, service)('how does tea grow?', live());
    const [first, second] = PAGES.map(({ title, url, text }) => ({ title, url, content: text }));
    expect(outcome).toEqual({
      ok: true,
      hits: [dated.has(name) ? { ...first, date: '2026-03-02' } : first, second],
    });
  });

  it('at wikipedia', async () => {
    const service = at('wikipedia');
    service.behaviour = { does: 'find', pages: PAGES };
    const outcome = await portFor('wikipedia', service)('tea', live());
    expect(outcome).toMatchObject({
      ok: true,
      hits: [
        { title: 'Growing tea', url: `${service.origin}/wiki/Growing_tea` },
        { title: 'Tea & cakes', url: `${service.origin}/wiki/Tea_%26_cakes` },
      ],
    });
  });

  it.each(SERVICES)('nothing, at %s, and that is no failure', async (name) => {
    const service = at(name);
    service.behaviour = { does: 'find', pages: [] };
    expect(await portFor(name, service)('tea', live())).toEqual({ ok: true, hits: [] });
  });

  it.each(SERVICES)('at %s, at most what was asked for', async (name) => {
    const service = at(name);
    const pages = Array.from({ length: 12 }, (_, n) => ({
      title: `Page ${n}`,
      url: `https://a.example/${n}`,
      text: 'x',
    }));
    service.behaviour = { does: 'find', pages };
    const port = portFor(name, service);
    const found = async (count?: number) => {
      const outcome = await port('tea', live(), { count });
      return outcome.ok ? outcome.hits.length : outcome.message;
    };
    expect([await found(), await found(1), await found(10)]).toEqual([8, 1, 10]);
  });
});

/** A sentence, or one for each service that says it in its own way. `{s}` = the service, `{k}` = its key's preference. */
type Sentences = string | Partial<Record<ServiceName | 'keyed' | 'other', string>>;

const answer = (more: Omit<Extract<Behaviour, { does: 'answer' }>, 'does'>): Behaviour => ({
  does: 'answer',
  ...more,
});
const html = (status = 200): Behaviour =>
  answer({ status, type: 'text/html', body: '<!doctype html><title>Log in</title>' });

const NOT_ACCEPTED = '{s} does not accept the {k} of the preferences';
const USED_UP = '{s} says that the plan or the credits behind the {k} are used up';
const NOT_JSON = {
  other: '{s} answered with something that is not JSON instead of results',
  duckduckgo: '{s} answered with a page without a list of results',
};
const NO_LIST = {
  other: '{s} sent no list of results',
  duckduckgo: '{s} answered with a page without a list of results',
};

const FAILURES: [string, Behaviour, Sentences][] = [
  [
    '401',
    answer({ status: 401, body: { error: `wrong: ${GOOD_KEY}` } }),
    {
      keyed: NOT_ACCEPTED,
      localOllama: '{s} is not signed in; run `ollama signin` there',
      searxng: `{s} answered with HTTP 401`,
      wikipedia: '{s} answered with HTTP 401',
      duckduckgo: '{s} answered with HTTP 401',
    },
  ],
  [
    '402',
    answer({ status: 402, body: { error: 'pay', tag: 'NO_MORE_CREDITS' } }),
    {
      keyed: USED_UP,
      localOllama: '{s} answered with HTTP 402 (pay)',
      other: '{s} answered with HTTP 402',
    },
  ],
  [
    '403',
    answer({ status: 403, body: 'Forbidden' }),
    {
      keyed: `${NOT_ACCEPTED} for this search`,
      localOllama: '{s} has its cloud features turned off',
      searxng: '{s} does not allow JSON; enable `json` under search.formats in its settings.yml',
      wikipedia: '{s} answered with HTTP 403',
      duckduckgo:
        '{s} takes Lam for a robot and shows a test instead of results; Lam asks it again in 10 minutes',
    },
  ],
  [
    '404',
    answer({ status: 404, type: 'text/plain', body: '404 page not found' }),
    {
      localOllama: '{s} cannot search the web; a newer Ollama can',
      other: '{s} answered with HTTP 404',
    },
  ],
  ['429', answer({ status: 429 }), '{s} answered "too many requests"; wait a minute and try again'],
  [
    '429 with seconds',
    answer({ status: 429, headers: { 'retry-after': '90' }, body: {} }),
    '{s} answered "too many requests"; wait 90 seconds and try again',
  ],
  [
    '429 with a date',
    answer({ status: 429, headers: { 'retry-after': 'Sat, 14 Mar 2026 15:00:00 GMT' } }),
    '{s} answered "too many requests"; wait 3 hours and try again',
  ],
  [
    '429 with nonsense',
    answer({ status: 429, headers: { 'retry-after': 'soon' } }),
    '{s} answered "too many requests"; wait a minute and try again',
  ],
  ['500', answer({ status: 500, body: {} }), '{s} has a problem of its own (HTTP 500)'],
  ['503 as a page', html(503), '{s} has a problem of its own (HTTP 503)'],
  [
    'a page',
    html(),
    {
      other: '{s} answered with a web page instead of results',
      duckduckgo: '{s} answered with a page without a list of results',
    },
  ],
  [
    'an empty body',
    answer({ body: '' }),
    {
      other: '{s} answered with an empty body instead of results',
      duckduckgo: '{s} answered with a page without a list of results',
    },
  ],
  ['no JSON', answer({ body: 'oops' }), NOT_JSON],
  ['half JSON', answer({ body: '{"results":[{"title":' }), NOT_JSON],
  ['null', answer({ body: null }), NO_LIST],
  ['a list', answer({ body: [] }), NO_LIST],
  ['an object of another form', answer({ body: { type: 'other', data: [] } }), NO_LIST],
  [
    'a list of another form',
    answer({ body: { results: 'none', web: { results: 5 }, query: { search: {} } } }),
    NO_LIST,
  ],
  [
    'rows that cannot be read',
    answer({ body: rowsFor([1, null, 'x', { title: 5 }, { url: [] }]) }),
    { other: '{s} sent results that cannot be read', duckduckgo: NO_LIST.duckduckgo },
  ],
  [
    'too much',
    answer({ body: JSON.stringify({ results: [], pad: 'x'.repeat(2_200_000) }) }),
    '{s} could not be searched (the answer of {h} is too large)',
  ],
  [
    'a connection that breaks',
    { does: 'break' },
    '{s} could not be searched (the connection to {h} ended in the middle of the answer)',
  ],
  ['silence', { does: 'hang' }, '{s} did not answer in time'],
  ['one byte at a time', { does: 'drip' }, '{s} took too long'],
];

function rowsFor(rows: unknown[]): object {
  return { results: rows, web: { results: rows }, query: { search: rows } };
}

function sentence(sentences: Sentences, name: ServiceName, service: SearchService): string {
  const key = KEYS[name];
  const found =
    typeof sentences === 'string'
      ? sentences
      : (sentences[name] ?? (key === undefined ? undefined : sentences.keyed) ?? sentences.other);
  return (found ?? `no sentence for ${name}`)
    .replaceAll('{s}', NAMES[name](service))
    .replaceAll('{h}', service.hostAndPort)
    .replaceAll('{k}', key ?? '');
}

/** Limits short enough for a test; SearXNG and a local Ollama have fetchers of their own, with the real ones. */
const LIMITS = { headerTimeoutMs: 300, totalTimeoutMs: 900 };
const isSlow = ({ does }: Behaviour) => does === 'hang' || does === 'drip';

const TABLE = FAILURES.flatMap(([what, behaviour, sentences]) =>
  SERVICES.filter(
    (name) => !isSlow(behaviour) || (name !== 'searxng' && name !== 'localOllama'),
  ).map((name) => ({ what, name, behaviour, sentences })),
);

describe('what goes wrong', () => {
  it.each(TABLE)('$what at $name', async ({ name, behaviour, sentences }) => {
    const service = at(name);
    service.behaviour = behaviour;
    const outcome = await portFor(name, service, { fetcher: LIMITS })('how does tea grow?', live());
    const message = outcome.ok ? 'no failure' : outcome.message;
    expect(message).toBe(sentence(sentences, name, service));
    expect(JSON.stringify(outcome)).not.toContain(GOOD_KEY.slice(0, 8));
    expect(service.requests).toHaveLength(1);
  });

  it.each(SERVICES)('an abort at %s', async (name) => {
    const service = at(name);
    service.behaviour = { does: 'hang' };
    const control = new AbortController();
    const pending = portFor(name, service)('tea', control.signal);
    await expect.poll(() => service.requests.length).toBe(1);
    control.abort();
    expect(await pending).toEqual({ ok: false, message: 'the search was stopped' });
  });

  it.each(SERVICES)('%s is not there', async (name) => {
    const gone = await startSearchService(name);
    await gone.close();
    const outcome = await portFor(name, gone)('tea', live());
    expect(outcome).toEqual({ ok: false, message: `${NAMES[name](gone)} refused the connection` });
  });

  it.each(SERVICES)('rows among others that cannot be read at %s survive', async (name) => {
    const service = at(name);
    const good = {
      title: 'A',
      url: 'https://a.example/',
      content: 'b',
      description: 'b',
      highlights: ['b'],
    };
    service.behaviour = answer(
      name === 'duckduckgo'
        ? {
            type: 'text/html',
            body: '<div class="result"><a class="result__a" href="">No</a></div><div class="result"><a class="result__a" href="https://a.example/">A</a><a class="result__snippet">b</a></div><div class="result"><a class="result__a">',
          }
        : { body: rowsFor([1, { title: {} }, { ...good, snippet: 'b' }, null]) },
    );
    const outcome = await portFor(name, service)('tea', live());
    expect(outcome.ok ? outcome.hits.map(({ title }) => title) : outcome.message).toEqual(['A']);
  });
});

describe('a key', () => {
  const KEYED: ServiceName[] = ['brave', 'tavily', 'exa', 'ollama'];

  it.each(KEYED)(
    'that %s does not know is named by its preference, in the service’s own form',
    async (name) => {
      const service = at(name);
      service.behaviour = { does: 'find', pages: PAGES };
      const outcome = await portFor(name, service, { key: 'another-key' })('tea', live());
      expect(outcome.ok ? '' : outcome.message).toBe(sentence(NOT_ACCEPTED, name, service));
    },
  );

  it.each(KEYED)('for %s with characters that no header holds is never sent', async (name) => {
    const service = at(name);
    for (const key of ['two\nlines', 'sch\u00f6n', 'a b']) {
      const outcome = await portFor(name, service, { key })('tea', live());
      expect(outcome.ok ? '' : outcome.message).toBe(
        `the ${KEYS[name] ?? ''} holds characters that no key has; copy it once more`,
      );
    }
    expect(service.requests).toEqual([]);
  });

  it.each<ServiceName>([...KEYED, 'localOllama', 'duckduckgo'])(
    'for %s and the question go nowhere else by a redirect',
    async (name) => {
      for (const status of [301, 302, 303, 307, 308]) {
        const service = at(name);
        elsewhere.requests.length = 0;
        service.behaviour = answer({ status, headers: { location: `${elsewhere.origin}/take` } });
        const port = portFor(name, service, {
          fetcher: { allowLoopback: [service.hostAndPort, elsewhere.hostAndPort] },
        });
        const outcome = await port('a private question', live());
        expect(outcome.ok ? '' : outcome.message).toBe(
          `${NAMES[name](service)} redirected the request to ${elsewhere.origin}; it was not sent there`,
        );
        expect(elsewhere.requests).toEqual([]);
      }
    },
  );

  it.each(KEYED)('goes with a redirect on the same host at %s', async (name) => {
    const service = at(name);
    service.behaviour = answer({ status: 308, headers: { location: '/next' } });
    // The next answer redirects again, so the redirects run out: all that counts is what was sent.
    await portFor(name, service)('tea', live());
    expect(service.requests.length).toBeGreaterThan(1);
    const [first, second] = service.requests;
    expect(second).toMatchObject({ method: first?.method, path: '/next', body: first?.body });
    expect(JSON.stringify(second?.headers)).toContain(GOOD_KEY);
  });

  it.each([301, 302, 303])(
    'goes on without the question where a POST was redirected with %i on the same host',
    async (status) => {
      const service = at('exa');
      service.behaviour = answer({ status, headers: { location: '/next' } });
      await portFor('exa', service)('a private question', live());
      const [first, second] = service.requests;
      expect(first).toMatchObject({ method: 'POST', path: '/search' });
      expect(second).toMatchObject({ method: 'GET', path: '/next', body: '' });
      expect(second?.headers['x-api-key']).toBe(GOOD_KEY);
      expect(second?.headers['content-type']).toBeUndefined();
    },
  );

  it.each<[string, string]>([
    ['whole', `unknown option for ${GOOD_KEY}`],
    [
      'with its middle blanked out',
      `bad request by ${GOOD_KEY.slice(0, 7)}***${GOOD_KEY.slice(-6)}`,
    ],
  ])('that a service repeats %s is not passed on', async (_, words) => {
    const service = at('exa');
    service.behaviour = answer({ status: 400, body: { error: words, tag: 'INVALID_REQUEST' } });
    const outcome = await portFor('exa', service)('tea', live());
    expect(outcome).toEqual({ ok: false, message: 'Exa answered with HTTP 400' });
  });
});

describe('what single services say', () => {
  const CASES: [ServiceName, string, Behaviour, string][] = [
    ['tavily', '432', answer({ status: 432, body: { detail: { error: 'x' } } }), USED_UP],
    ['tavily', '433', answer({ status: 433, body: { detail: { error: 'x' } } }), USED_UP],
    [
      'tavily',
      '400',
      answer({ status: 400, body: { detail: { error: 'Query is too long.' } } }),
      '{s} answered with HTTP 400 (Query is too long)',
    ],
    [
      'brave',
      '429 of the month',
      answer({
        status: 429,
        body: {
          type: 'ErrorResponse',
          error: { code: 'RATE_LIMITED', meta: { quota_limit: 2_000, quota_current: 2_000 } },
        },
      }),
      USED_UP,
    ],
    [
      'brave',
      '429 of the second',
      answer({
        status: 429,
        body: {
          type: 'ErrorResponse',
          error: { code: 'RATE_LIMITED', meta: { quota_limit: 2_000, quota_current: 7 } },
        },
      }),
      '{s} answered "too many requests"; wait a minute and try again',
    ],
    [
      'brave',
      '422 that is not about the key',
      answer({
        status: 422,
        body: { error: { code: 'VALIDATION', detail: 'Unable to validate request parameter(s)' } },
      }),
      '{s} answered with HTTP 422 (Unable to validate request parameter(s))',
    ],
    [
      'exa',
      '400',
      answer({ status: 400, body: { requestId: 'r', error: 'Invalid\n request', tag: 'X' } }),
      '{s} answered with HTTP 400 (Invalid request)',
    ],
    [
      'localOllama',
      '502 of its way to the cloud',
      answer({ status: 502, body: { error: 'dial tcp: lookup ollama.com' } }),
      '{s} has a problem of its own (HTTP 502)',
    ],
    [
      'wikipedia',
      'an error with status 200',
      answer({ body: { error: { code: 'x', info: 'The query is too long.' } } }),
      '{s} answered with an error (The query is too long.)',
    ],
  ];

  it.each(CASES)('%s: %s', async (name, _what, behaviour, says) => {
    const service = at(name);
    service.behaviour = behaviour;
    const outcome = await portFor(name, service)('tea', live());
    expect(outcome.ok ? '' : outcome.message).toBe(sentence(says, name, service));
  });
});
