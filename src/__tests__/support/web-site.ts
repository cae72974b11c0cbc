import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { GARDENS, SITE_PAGES, type SitePage } from './web-pages';

export interface WebSite {
  /** `http://127.0.0.1:<port>`, without a final slash. */
  origin: string;
  /** `127.0.0.1:<port>`, as the fetcher's `allowLoopback` wants it. */
  hostAndPort: string;
  /** What to set as the SearXNG address. */
  searchUrl: string;
  /** Every request so far, as `GET /path?query`. */
  requests: string[];
  close(): Promise<void>;
}

/** Milliseconds that `/slow` waits before it answers. */
const SLOW_MS = 3_000;
/** Paragraphs of `/huge`, about 3 MB. */
const HUGE_PARAGRAPHS = 30_000;

/**
 * A small web site on this machine: seven pages about tea on an island that does not exist (one in windows-1252), a
 * JSON file, `/moved` (redirects to /growing), `/slow`, `/huge`, 404 for the rest, and `/search?q=…&format=json`, which
 * really matches words and answers in SearXNG's JSON format. Every answer takes `paceMs` milliseconds (default 0).
 */
export async function startWebSite({ paceMs = 0 }: { paceMs?: number } = {}): Promise<WebSite> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let origin = '';
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const later = (ms: number, run: () => void): void => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
    };
    later(paceMs, () => {
      answer(request, response, origin, (run) => {
        later(SLOW_MS, run);
      });
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address object
  origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    hostAndPort: `127.0.0.1:${port}`,
    searchUrl: `${origin}/`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  later: (run: () => void) => void,
): void {
  const url = new URL(request.url ?? '/', origin);
  const send = (status: number, type: string, body: string | Buffer): void => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };
  const page = SITE_PAGES.find(({ path }) => path === url.pathname);
  if (page !== undefined) {
    if (page.charset === undefined) send(200, 'text/html; charset=utf-8', document(page));
    else send(200, `text/html; charset=${page.charset}`, windows1252(document(page)));
    return;
  }
  switch (url.pathname) {
    case '/':
      send(200, 'text/html; charset=utf-8', document(index()));
      return;
    case '/search':
      if (url.searchParams.get('format') === 'json')
        send(
          200,
          'application/json',
          JSON.stringify(search(url.searchParams.get('q') ?? '', origin)),
        );
      else send(200, 'text/html; charset=utf-8', document(index()));
      return;
    case '/data/gardens.json':
      send(200, 'application/json', JSON.stringify(GARDENS));
      return;
    case '/moved':
      response.writeHead(301, { location: '/growing' }).end();
      return;
    case '/slow':
      later(() => {
        send(200, 'text/html; charset=utf-8', document(index()));
      });
      return;
    case '/huge':
      send(200, 'text/html; charset=utf-8', document(huge()));
      return;
    default:
      send(
        404,
        'text/html; charset=utf-8',
        document({
          path: url.pathname,
          title: 'Page not found',
          body: '<p>There is no such page.</p>',
        }),
      );
  }
}

function index(): SitePage {
  const entries = SITE_PAGES.map(({ path, title }) => `<li><a href="${path}">${title}</a></li>`);
  return {
    path: '/',
    title: 'The tea of Verdel',
    body: `<h1>The tea of Verdel</h1>
<p>Verdel is a small island with a lot of fog and 48 hectares of tea. These pages tell how it is grown and drunk.</p>
<ul>${entries.join('')}</ul>`,
  };
}

function huge(): SitePage {
  const rows = Array.from(
    { length: HUGE_PARAGRAPHS },
    (_, row) =>
      `<p>Log line ${row}: fog over the Cloud Garden, wind from the west, leaf hoppers none, walls sound.</p>`,
  );
  return { path: '/huge', title: 'The garden log', body: rows.join('\n') };
}

function document({ path, title, body, charset }: SitePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="${charset ?? 'utf-8'}">
<title>${title}</title>
<link rel="canonical" href="${path}">
<style>body { max-width: 40em; margin: auto }</style>
</head>
<body>
<header><a href="/">The tea of Verdel</a></header>
<nav><a href="/history">History</a> <a href="/growing">Growing</a> <a href="/brewing">Brewing</a></nav>
<main>${body}</main>
<footer>Written by the Gardeners' League of Verdel. No cookies, no scripts.</footer>
</body>
</html>
`;
}

/** The few characters of windows-1252 that latin1 lacks and these pages use. */
const WINDOWS_1252 = new Map([
  ['€', 0x80],
  ['…', 0x85],
  ['’', 0x92],
  ['“', 0x93],
  ['”', 0x94],
  ['–', 0x96],
]);

function windows1252(text: string): Buffer {
  return Buffer.from(Array.from(text, (char) => WINDOWS_1252.get(char) ?? char.charCodeAt(0)));
}

const STOP_WORDS = new Set(
  'the and for with how what when where why who does did are was from that this'.split(' '),
);

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => word.length > 2 && !STOP_WORDS.has(word),
  );
}

/** Pages that hold words of the query, best first; a word in the title counts five times. */
function search(query: string, origin: string): Record<string, unknown> {
  const wanted = [...new Set(wordsOf(query))];
  const results = SITE_PAGES.map((page) => {
    const text = page.body
      .replace(/<[^<>]*>/g, ' ')
      .replaceAll('&lt;', '<')
      .replace(/\s+/g, ' ')
      .trim();
    const count = (words: string[], word: string): number =>
      words.filter((other) => other === word || other === `${word}s` || `${other}s` === word)
        .length;
    const body = wordsOf(text);
    const title = wordsOf(page.title);
    const found = wanted.filter((word) => count(body, word) + count(title, word) > 0);
    const score = found.reduce(
      (sum, word) => sum + 5 * count(title, word) + Math.min(3, count(body, word)),
      found.length * found.length,
    );
    return { page, text, found, score };
  })
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ page, text, found, score }) => ({
      url: `${origin}${page.path}`,
      title: page.title,
      content: snippet(text, page.title, found),
      engine: 'verdel',
      engines: ['verdel'],
      category: 'general',
      score,
    }));
  return {
    query,
    number_of_results: results.length,
    results,
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  };
}

/** The sentence with the most words of the query. */
function snippet(text: string, title: string, words: string[]): string {
  const bare = text.startsWith(title) ? text.slice(title.length).trim() : text;
  const sentences = bare.split(/(?<=[.!?]) /);
  const hits = (sentence: string): number =>
    words.filter((word) => sentence.toLowerCase().includes(word)).length;
  const [first = '', ...rest] = sentences;
  const best = rest.reduce((top, next) => (hits(next) > hits(top) ? next : top), first);
  return best.trim().slice(0, 300);
}
