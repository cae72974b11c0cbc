import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createActivity } from '../host/session/activity';
import { runAgent, type AgentEvent } from '../lib/agent';
import type { PageOutcome, PagePort } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, say, scriptedProvider } from './support/scripted-provider';

const read = (url: string, offset?: number) => ({
  name: 'web_fetch',
  arguments: offset === undefined ? { url } : { url, offset },
});
const page = (url: string, text = `Text of ${url}.`): PageOutcome => ({
  ok: true,
  page: { title: 'Tea', url, text },
});

/** Plays rounds of fetches against a port and gives the turn and the addresses that were really asked for. */
async function play(rounds: ReturnType<typeof read>[][], fetchPage: PagePort) {
  const provider = scriptedProvider([...rounds.map((calls) => ask(calls)), say('Done.')]);
  const fetched: string[] = [];
  const turn = await runAgent(
    agentOptions({
      ports: {
        provider,
        fetchPage: (url, signal) => {
          fetched.push(url);
          return fetchPage(url, signal);
        },
      },
    }),
  );
  return { turn, fetched, results: turn.toolCalls.map(({ result }) => result) };
}

describe('a page of a turn', () => {
  const A = 'https://a.example/page';
  const long = 'word '.repeat(9_000);

  it('is fetched once for all its parts, in one round or several', async () => {
    const { fetched, results } = await play(
      [[read(A)], [read(A, 20_000)], [read(A, 30_000), read(A, 40_000)]],
      (url) => Promise.resolve(page(url, long)),
    );
    expect(fetched).toEqual([A]);
    expect(results.map((result) => /Shown: characters (\d+)/.exec(result)?.[1])).toEqual([
      '0',
      '20000',
      '30000',
      '40000',
    ]);
    const both = await play([[read(A), read(A, 20_000)]], (url) =>
      Promise.resolve(page(url, long)),
    );
    expect(both.fetched).toEqual([A]);
    expect(both.turn.toolCalls.map(({ isError }) => isError)).toEqual([false, false]);
  });

  it.each([
    ['a fragment', 'https://a.example/page#part'],
    ['http', 'http://a.example/page'],
    ['what tells where a reader came from', 'https://a.example/page?utm_source=x'],
    ['the address it was redirected to', 'https://b.example/other'],
  ])('is the same under %s', async (_, other) => {
    const { fetched, turn } = await play([[read(A)], [read(other, 5)]], (url) =>
      Promise.resolve(
        other.includes('b.example')
          ? { ok: true, page: { title: 'Tea', url: other, text: long } }
          : page(url, long),
      ),
    );
    expect(fetched).toEqual([A]);
    expect(turn.toolCalls.map(({ isError }) => isError)).toEqual([false, false]);
  });

  it.each([
    ['another query', 'https://a.example/page?n=2'],
    ['another path', 'https://a.example/page/'],
    ['a route', 'https://a.example/page#/2'],
    ['another host', 'https://www.a.example/page'],
  ])('is another under %s', async (_, other) => {
    const { fetched } = await play([[read(A)], [read(other)]], (url) => Promise.resolve(page(url)));
    expect(fetched).toEqual([A, other]);
  });

  it('is not one that only claims the same address for itself', async () => {
    const second = 'https://a.example/page?n=2';
    const { fetched, results } = await play([[read(second)], [read(A)]], (url) =>
      Promise.resolve({
        ok: true,
        page: { title: 'Tea', url, canonical: A, text: `Text of ${url}.` },
      }),
    );
    expect(fetched).toEqual([second, A]);
    expect(results[1]).toContain(`Text of ${A}.`);
  });

  it.each<[Extract<PageOutcome, { ok: false }>['status'], number]>([
    ['blocked', 1],
    ['needs-browser', 1],
    ['not-found', 1],
    ['refused', 1],
    ['too-large', 1],
    ['timed-out', 2],
    ['unreadable', 2],
  ])('that was %s is asked for %i time(s)', async (status, times) => {
    const { fetched, results } = await play([[read(A)], [read(A, 5)]], () =>
      Promise.resolve({ ok: false, status, message: 'That is why.' }),
    );
    expect(fetched).toHaveLength(times);
    expect(results[1]).toContain(`could not be read (${status}): That is why.`);
  });

  it('that asked for a pause is asked for again, though it is blocked for now', async () => {
    const { fetched } = await play([[read(A)], [read(A, 5)]], () =>
      Promise.resolve({ ok: false, status: 'blocked', message: 'A pause.', isPassing: true }),
    );
    expect(fetched).toHaveLength(2);
  });

  it('that failed under https is tried under http', async () => {
    const { fetched } = await play([[read(A)], [read(A.replace('https', 'http'))]], () =>
      Promise.resolve({ ok: false, status: 'not-found', message: 'Not there.' }),
    );
    expect(fetched).toHaveLength(2);
  });

  it('is fetched anew in another turn', async () => {
    const port: PagePort = (url) => Promise.resolve(page(url));
    expect((await play([[read(A)]], port)).fetched).toEqual([A]);
    expect((await play([[read(A)]], port)).fetched).toEqual([A]);
  });

  it('leaves when later ones need its room', async () => {
    const huge = (n: number) => `https://h${n}.example/`;
    const port: PagePort = (url) => Promise.resolve(page(url, 'x'.repeat(3_000_000)));
    const rounds = [0, 1, 2, 2, 0].map((n, k) => [read(huge(n), k)]);
    expect((await play(rounds, port)).fetched).toEqual([0, 1, 2, 0].map(huge));
  });

  it('whose port breaks its contract takes nobody’s place', async () => {
    const { fetched, turn } = await play(
      [[read('https://a.example/1'), read('https://a.example/2')]],
      (url) =>
        url.endsWith('1') ? Promise.reject(new Error('secret')) : Promise.resolve(page(url)),
    );
    expect(fetched).toHaveLength(2);
    expect(turn.toolCalls.map(({ isError }) => isError)).toEqual([true, false]);
  });
});

/** A port whose answers a test lets go one by one. */
function heldPort() {
  const held: { url: string; answer: (outcome: PageOutcome) => void }[] = [];
  const started: string[] = [];
  const fetchPage: PagePort = (url) =>
    new Promise((resolve) => {
      started.push(url);
      held.push({ url, answer: resolve });
    });
  return {
    fetchPage,
    started,
    /** Answers the fetch of this address. */
    release: (url: string): void => {
      const place = held.findIndex((each) => each.url === url);
      held.splice(place, 1)[0]?.answer(page(url));
    },
    running: () => held.map(({ url }) => url),
  };
}

function start(urls: string[], fetchPage: PagePort, onEvent: (event: AgentEvent) => void) {
  const controller = new AbortController();
  const provider = scriptedProvider([ask(urls.map((url) => read(url))), say('Done.')]);
  const running = runAgent(
    agentOptions({ ports: { provider, fetchPage }, signal: controller.signal, onEvent }),
  );
  return { running, controller };
}

describe('fetches at once', () => {
  const [a1, a2, b1, c1, d1] = [
    'https://a.example/1',
    'https://a.example/2',
    'https://b.example/1',
    'https://c.example/1',
    'https://d.example/1',
  ] as const;

  it('are three, one of a host, and the line under the answer names one that runs', async () => {
    const { fetchPage, started, release, running: open } = heldPort();
    const follow = createActivity();
    let line = '';
    const { running } = start([a1, a2, b1, c1, d1], fetchPage, (event) => {
      line = follow(event);
    });
    await expect.poll(() => started).toEqual([a1, b1, c1]);
    expect(line).toBe('Reading a.example… 1 of 5');
    release(b1);
    await expect.poll(() => started).toEqual([a1, b1, c1, d1]);
    expect(line).toBe('Reading a.example… 1 of 5');
    release(a1);
    await expect.poll(() => started).toEqual([a1, b1, c1, d1, a2]);
    await expect.poll(() => line).toBe('Reading a.example… 2 of 5');
    release(a2);
    await expect.poll(() => line).toBe('Reading c.example… 4 of 5');
    expect(open()).toEqual([c1, d1]);
    release(c1);
    release(d1);
    const turn = await running;
    expect(turn.toolCalls.map(({ arguments: { url } }) => url)).toEqual([a1, a2, b1, c1, d1]);
    expect(turn.toolCalls.every(({ isError }) => !isError)).toBe(true);
  });

  it('end with the person’s stop, those that wait too, though the port does not heed it', async () => {
    const { fetchPage, started } = heldPort();
    const { running, controller } = start([a1, a2, b1, c1, d1], fetchPage, () => undefined);
    await expect.poll(() => started).toHaveLength(3);
    controller.abort();
    const turn = await running;
    expect(turn.state).toBe('stopped');
    expect(started).toHaveLength(3);
    expect(turn.toolCalls).toHaveLength(5);
    for (const { result } of turn.toolCalls) expect(result).toContain('stopped before it finished');
  });

  it('leave a host alone that timed out twice', async () => {
    const urls = Array.from({ length: 5 }, (_, n) => `https://slow.example/${n}`);
    const { fetched, results } = await play([urls.map((url) => read(url))], () =>
      Promise.resolve({ ok: false, status: 'timed-out', message: 'It did not answer in time.' }),
    );
    expect(fetched).toEqual(urls.slice(0, 2));
    expect(results.at(-1)).toContain(
      '(timed-out): slow.example did not answer in time 2 times in this turn and was not asked again.',
    );
  });

  it('never exceed the limits, whatever ends first, and all end', async () => {
    const hosts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(hosts, fc.infiniteStream(fc.nat()), async (names, picks) => {
        const { fetchPage, started, release, running: open } = heldPort();
        const urls = names.map((name, n) => `https://${name}.example/${n}`);
        const { running } = start(urls, fetchPage, () => undefined);
        for (let left = urls.length; left > 0; left -= 1) {
          await expect.poll(() => open().length, { interval: 1 }).toBeGreaterThan(0);
          const now = open();
          expect(now.length).toBeLessThanOrEqual(3);
          expect(new Set(now.map((url) => new URL(url).host)).size).toBe(now.length);
          release(now[(picks.next().value ?? 0) % now.length] ?? '');
        }
        const turn = await running;
        expect([...started].sort()).toEqual([...urls].sort());
        expect(turn.toolCalls.map(({ isError }) => isError)).toEqual(urls.map(() => false));
      }),
      { numRuns: 60 },
    );
  });
});
