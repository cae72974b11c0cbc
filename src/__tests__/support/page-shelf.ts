import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { Gate } from './model-server/gate';

/** What stands at a path. */
export interface ShelfPage {
  /** Default 200. */
  status?: number;
  /** Default `text/html; charset=utf-8`. */
  type?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Sends nothing before it is opened. */
  gate?: Gate;
  /** Never answers. */
  silent?: boolean;
  /** How a search shows the page; it is found by any part of the title. */
  row?: { title: string; content?: string };
}

export interface Shelf {
  /** `http://127.0.0.1:<port>` of each server, without a final slash; all have the same pages. */
  origins: string[];
  /** The first of them. */
  origin: string;
  /** For the preferences: a SearXNG server on the first of them. */
  searchUrl: string;
  /** For `LAM_TEST_ALLOW_ORIGINS`. */
  allow: string;
  /** What was asked for, in order: addresses of pages, and the queries of searches. */
  pages: string[];
  queries: string[];
  /** The most pages that were being answered at once: of all servers, and of one. */
  most: { all: number; one: number };
  close(): Promise<void>;
}

export interface ShelfOptions {
  /** By path; made from the origins, whose ports are not known before. What is not there is 404. */
  pages: (origins: string[]) => Record<string, ShelfPage>;
  /** Servers. Default: 1. */
  servers?: number;
  /** Status of every search; default 200. */
  searchStatus?: number;
}

/**
 * Web servers on this machine with the pages a test lays out, and a search that finds each page whose title holds the
 * query.
 */
export async function startShelf({
  pages: layOut,
  servers: count = 1,
  searchStatus = 200,
}: ShelfOptions): Promise<Shelf> {
  const sockets = new Set<Socket>();
  const origins: string[] = [];
  const asked: string[] = [];
  const queries: string[] = [];
  const most = { all: 0, one: 0 };
  const busy = Array.from({ length: count }, () => 0);
  let shelf: Record<string, ShelfPage> = {};

  const search = (query: string, response: ServerResponse): void => {
    queries.push(query);
    const results = Object.entries(shelf).flatMap(([path, { row }]) =>
      row?.title.toLowerCase().includes(query.toLowerCase()) === true
        ? [{ url: `${origins[0] ?? ''}${path}`, title: row.title, content: row.content ?? '' }]
        : [],
    );
    response.writeHead(searchStatus, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ query, results, unresponsive_engines: [] }));
  };

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    n: number,
  ): Promise<void> => {
    const url = new URL(request.url ?? '/', origins[n]);
    if (url.pathname === '/search') {
      search(url.searchParams.get('q') ?? '', response);
      return;
    }
    asked.push(url.href);
    const page = shelf[url.pathname + url.search] ?? { status: 404, body: '<p>Nothing here.</p>' };
    busy[n] = (busy[n] ?? 0) + 1;
    most.one = Math.max(most.one, busy[n]);
    most.all = Math.max(
      most.all,
      busy.reduce((sum, each) => sum + each, 0),
    );
    let isOver = false;
    // Before its reader has the end of a page, and can ask for the next one; or when the reader is gone.
    for (const event of ['finish', 'close'])
      response.on(event, () => {
        if (!isOver) busy[n] = (busy[n] ?? 1) - 1;
        isOver = true;
      });
    await page.gate?.pass();
    if (page.silent === true || response.destroyed) return;
    response.writeHead(page.status ?? 200, {
      'content-type': page.type ?? 'text/html; charset=utf-8',
      ...page.headers,
    });
    response.end(page.body ?? '');
  };

  const servers = Array.from({ length: count }, (_, n) => {
    const server = createServer((request, response) => {
      answer(request, response, n).catch(() => {
        response.destroy();
      });
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    return server;
  });
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a listening TCP server has an address object
    origins.push(`http://127.0.0.1:${port}`);
  }
  shelf = layOut(origins);
  const origin = origins[0] ?? '';
  return {
    origins,
    origin,
    searchUrl: `${origin}/`,
    allow: origins.map((each) => new URL(each).host).join(','),
    pages: asked,
    queries,
    most,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              server.close(() => {
                resolve();
              });
            }),
        ),
      );
    },
  };
}
