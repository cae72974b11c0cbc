import type { IncomingMessage, ServerResponse } from 'node:http';

import { startWebServer } from './web-server';

/** A page that a service finds. */
interface FoundPage {
  title: string;
  url: string;
  text: string;
  /** ISO. */
  date?: string;
}

interface Received {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What a service does with the next requests. */
export type Behaviour =
  | { does: 'find'; pages: FoundPage[] }
  | {
      does: 'answer';
      status?: number;
      type?: string;
      headers?: Record<string, string>;
      body?: unknown;
    }
  /** Takes the request and never answers. */
  | { does: 'hang' }
  /** Sends its head and then a byte now and then. */
  | { does: 'drip' }
  /** Ends the connection in the middle of an answer. */
  | { does: 'break' };

export const SERVICES = [
  'brave',
  'tavily',
  'exa',
  'ollama',
  'localOllama',
  'searxng',
  'wikipedia',
  'duckduckgo',
] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface SearchService {
  origin: string;
  hostAndPort: string;
  requests: Received[];
  behaviour: Behaviour;
  close(): Promise<void>;
}

/** The key that the services with keys accept. */
export const GOOD_KEY = 'key-Zq7Xw9Kv3Lm5Np';

/**
 * A search service on this machine that speaks the wire format of one provider: it looks at method, path, key and the
 * query as the provider does, and answers in its form, also when it refuses.
 */
export async function startSearchService(name: ServiceName): Promise<SearchService> {
  const dialect = DIALECTS[name];
  const timers = new Set<NodeJS.Timeout>();
  const server = await startWebServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body };
      service.requests.push(received);
      const { behaviour } = service;
      if (behaviour.does === 'hang') return;
      if (behaviour.does === 'drip') {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        timers.add(setInterval(() => response.write(' '), 20));
        return;
      }
      if (behaviour.does === 'break') {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 5_000 });
        response.write('{"results": [', () => response.destroy());
        return;
      }
      const answer =
        behaviour.does === 'answer'
          ? behaviour
          : (refusal(received, dialect) ?? dialect.find(behaviour.pages, received));
      send(response, answer);
    });
  });
  const service: SearchService = {
    origin: server.origin,
    hostAndPort: server.hostAndPort,
    requests: [],
    behaviour: { does: 'find', pages: [] },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await server.close();
    },
  };
  return service;
}

type Answer = Omit<Extract<Behaviour, { does: 'answer' }>, 'does'>;

function send(
  response: ServerResponse,
  { status = 200, type = 'application/json', headers = {}, body }: Answer,
): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
}

interface Dialect {
  method: 'GET' | 'POST';
  path: string;
  /** The key as it was sent; absent = the service has none. */
  keyOf?: (headers: IncomingMessage['headers']) => string | undefined;
  wrongKey?: Answer;
  /** The words that are looked for. */
  queryOf: (received: Received) => unknown;
  find: (pages: FoundPage[], received: Received) => Answer;
}

function refusal(received: Received, dialect: Dialect): Answer | undefined {
  const path = new URL(received.path, 'http://x.example').pathname;
  if (path !== dialect.path) return { status: 404, body: { error: 'no such path' } };
  if (received.method !== dialect.method) return { status: 405, body: { error: 'wrong method' } };
  if (dialect.keyOf !== undefined && dialect.keyOf(received.headers) !== GOOD_KEY)
    return dialect.wrongKey ?? { status: 401 };
  const query = dialect.queryOf(received);
  return typeof query === 'string' && query !== ''
    ? undefined
    : { status: 400, body: { error: 'no query' } };
}

const parameter =
  (name: string) =>
  ({ path }: Received): unknown =>
    new URL(path, 'http://x.example').searchParams.get(name);

/** A field of the JSON that was sent, if it was declared as JSON. */
const jsonField =
  (name: string) =>
  ({ body, headers }: Received): unknown => {
    if (headers['content-type'] !== 'application/json') return undefined;
    const value = JSON.parse(body) as Record<string, unknown>; // what this test's own side has sent
    return value[name];
  };

const bearer = ({ authorization }: IncomingMessage['headers']) =>
  /^Bearer (.*)$/.exec(authorization ?? '')?.[1];

const ollamaFind: Dialect['find'] = (pages) => ({
  body: { results: pages.map(({ title, url, text }) => ({ title, url, content: text })) },
});

const DIALECTS: Record<ServiceName, Dialect> = {
  brave: {
    method: 'GET',
    path: '/res/v1/web/search',
    keyOf: (headers) => header(headers, 'x-subscription-token'),
    wrongKey: {
      status: 422,
      body: {
        type: 'ErrorResponse',
        error: {
          code: 'SUBSCRIPTION_TOKEN_INVALID',
          detail: 'The provided subscription token is invalid.',
          status: 422,
          meta: { component: 'authentication' },
        },
        time: 1_700_000_000,
      },
    },
    queryOf: parameter('q'),
    find: (pages) => ({
      body: {
        type: 'search',
        query: { original: 'x', more_results_available: false },
        // Brave leaves `web` out when it has nothing.
        ...(pages.length === 0
          ? {}
          : {
              web: {
                type: 'search',
                results: pages.map(({ title, url, text, date }) => ({
                  type: 'search_result',
                  title,
                  url,
                  description: text,
                  ...(date === undefined ? {} : { page_age: date, age: 'March 14, 2026' }),
                })),
              },
            }),
      },
    }),
  },
  tavily: {
    method: 'POST',
    path: '/search',
    keyOf: bearer,
    wrongKey: {
      status: 401,
      body: { detail: { error: 'Unauthorized: missing or invalid API key.' } },
    },
    queryOf: jsonField('query'),
    find: (pages) => ({
      body: {
        query: 'x',
        answer: null,
        images: [],
        results: pages.map(({ title, url, text, date }) => ({
          title,
          url,
          content: text,
          score: 0.9,
          raw_content: null,
          ...(date === undefined ? {} : { published_date: new Date(date).toUTCString() }),
        })),
        response_time: 0.5,
      },
    }),
  },
  exa: {
    method: 'POST',
    path: '/search',
    keyOf: (headers) => header(headers, 'x-api-key'),
    wrongKey: {
      status: 401,
      body: { requestId: 'r1', error: 'Invalid API key', tag: 'INVALID_API_KEY' },
    },
    queryOf: jsonField('query'),
    find: (pages) => ({
      body: {
        requestId: 'r1',
        resolvedSearchType: 'neural',
        results: pages.map(({ title, url, text, date }) => ({
          id: url,
          title,
          url,
          publishedDate: date ?? null,
          author: null,
          highlights: [text],
          highlightScores: [0.5],
        })),
      },
    }),
  },
  ollama: {
    method: 'POST',
    path: '/api/web_search',
    keyOf: bearer,
    wrongKey: { status: 401, body: { error: 'unauthorized' } },
    queryOf: jsonField('query'),
    find: ollamaFind,
  },
  localOllama: {
    method: 'POST',
    path: '/api/experimental/web_search',
    queryOf: jsonField('query'),
    find: ollamaFind,
  },
  searxng: {
    method: 'GET',
    path: '/search',
    queryOf: parameter('q'),
    find: (pages, received) =>
      parameter('format')(received) === 'json'
        ? {
            body: {
              query: 'x',
              number_of_results: 0,
              results: pages.map(({ title, url, text, date }) => ({
                title,
                url,
                content: text,
                publishedDate: date ?? null,
              })),
              unresponsive_engines: [],
            },
          }
        : { type: 'text/html', body: '<!doctype html><title>SearXNG</title>' },
  },
  wikipedia: {
    method: 'GET',
    path: '/w/api.php',
    queryOf: parameter('srsearch'),
    find: (pages) => ({
      body: {
        batchcomplete: true,
        query: {
          searchinfo: { totalhits: pages.length },
          search: pages.map(({ title, text }, n) => ({
            ns: 0,
            title,
            pageid: n + 1,
            snippet: text,
          })),
        },
      },
    }),
  },
  duckduckgo: {
    method: 'POST',
    path: '/html/',
    queryOf: ({ body, headers }) =>
      headers['content-type'] === 'application/x-www-form-urlencoded'
        ? new URLSearchParams(body).get('q')
        : undefined,
    find: (pages) => ({ type: 'text/html; charset=UTF-8', body: duckDuckGoPage(pages) }),
  },
};

function header(headers: IncomingMessage['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** A page in the form of html.duckduckgo.com, with an advertisement first. */
function duckDuckGoPage(pages: readonly FoundPage[]): string {
  const link = (url: string) =>
    `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=b50856dec302f457`;
  const rows = pages.map(
    ({ title, url, text, date }) => `
      <div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="${link(url)}">${escaped(title)}</a>
          </h2>
          <div class="result__extras"><div class="result__extras__url">
            <a class="result__url" href="${link(url)}">
              ${escaped(url.replace(/^https?:\/\//, ''))}
            </a>
            ${date === undefined ? '' : `<span>&nbsp; &nbsp; ${date}</span>`}
          </div></div>
          <a class="result__snippet" href="${link(url)}"><b>${escaped(text)}</b></a>
          <div class="clear"></div>
        </div>
      </div>`,
  );
  const ad = `
      <div class="result results_links results_links_deep result--ad ">
        <h2 class="result__title">
          <a class="result__a" href="https://duckduckgo.com/y.js?ad_provider=x">Buy now</a>
        </h2>
        <a class="result__snippet" href="https://duckduckgo.com/y.js?ad_provider=x">Cheap</a>
      </div>`;
  const nothing = `<div class="no-results">No results.</div>`;
  return `<!DOCTYPE html>
<html><head><title>x at DuckDuckGo</title></head><body class="body--html">
  <form action="/html/" method="post"><input name="q" value="x" /></form>
  <div class="serp__results"><div id="links" class="results">
    ${pages.length === 0 ? nothing : [ad, ...rows].join('\n')}
  </div></div></body></html>`;
}

/** What DuckDuckGo shows to what it takes for a robot; its status is 202. */
export const DUCKDUCKGO_TEST_PAGE = `<!DOCTYPE html><html><body><div id="links" class="results"></div>
  <form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">
    <div class="anomaly-modal__mask"><div class="anomaly-modal__modal">
      <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
    </div></div></form></body></html>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
