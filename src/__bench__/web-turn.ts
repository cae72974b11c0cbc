import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import * as z from 'zod/mini';

import { agentOptions } from '../__tests__/support/agent-options';
import { ask, say, scriptedProvider } from '../__tests__/support/scripted-provider';
import { startWebServer, type WebServer } from '../__tests__/support/web-server';
import { createFetcher } from '../host/web/http';
import { runAgent } from '../lib/agent';
import type { PagePort, SearchPort } from '../lib/types';

import { median } from './statistics';

const RUNS = 5;
const SEARCHES = 5;
const PAGES = 10;
/** Milliseconds that the servers take, the slowest last. */
const PACES = [20, 40, 60, 80, 100, 120, 140, 160, 180, 300];
const BODY_BYTES = 50 * 1024 * 1024;

const GcSchema = z.custom<() => void>((value) => typeof value === 'function');

/** The wall time of a turn that looks much up, in milliseconds. */
export interface TurnTime {
  turn: number;
  /** What its slowest server took to answer. */
  slowest: number;
  /** What all of them took together: the turn, had it asked one after the other. */
  sum: number;
}

/** Five searches and ten pages of ten servers in one turn of two rounds; the model answers at once. */
export async function webTurn(): Promise<TurnTime> {
  const servers: WebServer[] = [];
  for (const pace of PACES)
    servers.push(
      await startWebServer((_request, response) => {
        setTimeout(() => response.end('Tea likes fog. '.repeat(200)), pace);
      }),
    );
  const fetcher = createFetcher({
    userAgent: 'Lam-bench',
    allowLoopback: servers.map(({ hostAndPort }) => hostAndPort),
  });
  const load = async (url: string, signal: AbortSignal): Promise<string> => {
    const result = await fetcher({ url }, signal);
    if (!result.ok) throw new Error(result.message);
    return Buffer.from(result.bytes).toString();
  };
  const origin = (n: number): string => servers[n % servers.length]?.origin ?? '';
  const fetchPage: PagePort = async (url, signal) => ({
    ok: true,
    page: { title: 'Tea', url, text: await load(url, signal) },
  });
  const search: SearchPort = async (query, signal) => {
    const content = await load(`${origin(Number(query))}/search`, signal);
    return { ok: true, hits: [{ title: 'Tea', url: `https://${query}.example/`, content }] };
  };
  const step = (n: number) => ({ name: 'web_fetch', arguments: { url: `${origin(n)}/${n}` } });
  const times: number[] = [];
  try {
    for (let run = 0; run < RUNS; run += 1) {
      const searches = Array.from({ length: SEARCHES }, (_, n) => ({
        name: 'web_search',
        arguments: { query: String(n) },
      }));
      const pages = Array.from({ length: PAGES }, (_, n) => step(n));
      const provider = scriptedProvider([
        ask([...searches, ...pages.slice(0, 3)]),
        ask(pages.slice(3)),
        say('Done.'),
      ]);
      const before = performance.now();
      const turn = await runAgent(agentOptions({ ports: { provider, fetchPage, search } }));
      times.push(performance.now() - before);
      if (turn.toolCalls.some(({ isError }) => isError))
        throw new Error('A call of the bench failed.');
    }
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
  return {
    turn: median(times),
    slowest: Math.max(...PACES),
    sum: [...PACES, ...PACES.slice(0, SEARCHES)].reduce((sum, pace) => sum + pace, 0),
  };
}

/** What it takes to refuse a body that is too large. */
export interface RefusalCost {
  /** Bytes that the server has to send. */
  body: number;
  /** Bytes that stay behind in memory, outside the heap included. */
  left: number;
  /** Bytes that memory grew by at most on the way. */
  peak: number;
  /** Bytes that the server could send before the connection was closed. */
  sent: number;
}

/** A body of 50 MB, asked for by a reader that takes two and refuses what is longer. */
export async function refusalCost(): Promise<RefusalCost> {
  setFlagsFromString('--expose-gc');
  const gc = GcSchema.parse(runInNewContext('gc'));
  const piece = Buffer.alloc(64 * 1024, 97);
  let sent = 0;
  const server = await startWebServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': BODY_BYTES });
    const more = (): void => {
      while (sent < BODY_BYTES && !response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) return;
      }
    };
    response.on('drain', more);
    response.on('error', () => undefined);
    more();
  });
  const inUse = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const fetcher = createFetcher({ userAgent: 'Lam-bench', allowLoopback: [server.hostAndPort] });
  const refuse = async (): Promise<void> => {
    const result = await fetcher(
      { url: server.origin, onCap: 'fail' },
      new AbortController().signal,
    );
    if (result.ok || result.reason !== 'too-large') throw new Error('It was not refused.');
  };
  try {
    await refuse(); // loads what is needed
    gc();
    const before = inUse();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, inUse());
    }, 1);
    sent = 0;
    await refuse();
    peak = Math.max(peak, inUse());
    clearInterval(watch);
    gc();
    return { body: BODY_BYTES, left: Math.max(0, inUse() - before), peak: peak - before, sent };
  } finally {
    await server.close();
  }
}
