import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createSearch } from '../host/web/search';
import { readDuckDuckGoPage } from '../host/web/search/duckduckgo-page';
import { NO_SETTINGS, searchOptions } from './support/search-ports';
import {
  DUCKDUCKGO_TEST_PAGE,
  startSearchService,
  type SearchService,
} from './support/search-services';

const live = (): AbortSignal => new AbortController().signal;
const BASE = new URL('https://html.duckduckgo.com/html/');

let service: SearchService;
beforeAll(async () => {
  service = await startSearchService('duckduckgo');
});
afterAll(() => service.close());
beforeEach(() => {
  service.requests.length = 0;
  service.behaviour = { does: 'find', pages: [] };
});

/** A search whose clock moves only when something waits, or is set. */
function paced() {
  let time = 1_000_000;
  const waits: number[] = [];
  const pending: (() => void)[] = [];
  const search = createSearch(
    searchOptions([service], {
      settings: { ...NO_SETTINGS, searchProvider: 'duckduckgo' },
      addresses: { duckduckgo: service.origin },
      now: () => time,
      after: (ms, run) => {
        waits.push(ms);
        pending.push(run);
        return () => undefined;
      },
    }),
  );
  return {
    waits,
    search: async (signal = live()) => {
      const outcome = await search('tea', signal);
      return outcome.ok ? 'found' : outcome.message;
    },
    release: () => {
      for (const run of pending.splice(0)) run();
    },
    pass: (ms: number) => (time += ms),
  };
}

const TOO_MANY = 'DuckDuckGo is asked at most once in 2 seconds and too many searches are waiting';
const blockedFor = (wait: string) =>
  `DuckDuckGo takes Lam for a robot and shows a test instead of results; Lam asks it again in ${wait}`;

describe('pace', () => {
  it('searches wait for their turn, two seconds apart; who would wait too long is refused', async () => {
    const { search, waits, release } = paced();
    const all = Array.from({ length: 10 }, () => search());
    release();
    const outcomes = await Promise.all(all);
    expect(waits).toEqual([2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 14_000]);
    expect(outcomes.filter((each) => each === 'found')).toHaveLength(8);
    expect(outcomes.filter((each) => each === TOO_MANY)).toHaveLength(2);
    expect(service.requests).toHaveLength(8);
  });

  it('nobody waits when two seconds have gone by', async () => {
    const { search, waits, pass } = paced();
    for (let n = 0; n < 3; n += 1) {
      expect(await search()).toBe('found');
      pass(2_000);
    }
    expect(waits).toEqual([]);
  });

  it('a clock that is set back stops nothing', async () => {
    const { search, pass } = paced();
    await search();
    pass(-600_000);
    expect(await search()).toBe('found');
  });

  it('a search that was stopped leaves its turn to the next one', async () => {
    const { search, waits, release } = paced();
    await search();
    const control = new AbortController();
    const stopped = Array.from({ length: 7 }, () => search(control.signal));
    control.abort();
    await Promise.all(stopped);
    const next = [search(), search()];
    release();
    expect(await Promise.all(next)).toEqual(['found', 'found']);
    expect(waits.slice(7)).toEqual([2_000, 4_000]);
    expect(service.requests).toHaveLength(3);
  });

  it('a turn that was given back is taken, and those of the others stay', async () => {
    const { search, waits, release } = paced();
    await search();
    const control = new AbortController();
    const [stopped, other] = [search(control.signal), search()];
    control.abort();
    await stopped;
    const next = [search(), search()];
    release();
    expect(await Promise.all([other, ...next])).toEqual(['found', 'found', 'found']);
    expect(waits).toEqual([2_000, 4_000, 2_000, 6_000]);
  });

  it('one that is stopped before it begins takes no turn', async () => {
    const { search, waits } = paced();
    expect(await search(AbortSignal.abort())).toBe('the search was stopped');
    expect(await search()).toBe('found');
    expect(waits).toEqual([]);
  });

  it('an abort ends the wait, and nothing is sent', async () => {
    const { search } = paced();
    await search();
    const control = new AbortController();
    const waiting = search(control.signal);
    control.abort();
    expect(await waiting).toBe('the search was stopped');
    expect(service.requests).toHaveLength(1);
  });
});

describe('the robot test', () => {
  it.each([200, 202, 403])(
    'with status %i is said, and nothing is asked for ten minutes',
    async (status) => {
      const { search, pass } = paced();
      service.behaviour = { does: 'answer', status, type: 'text/html', body: DUCKDUCKGO_TEST_PAGE };
      expect(await search()).toBe(blockedFor('10 minutes'));
      pass(9 * 60_000 + 1);
      expect(await search()).toBe(blockedFor('60 seconds'));
      expect(service.requests).toHaveLength(1);
      pass(60_000);
      service.behaviour = { does: 'find', pages: [] };
      expect(await search()).toBe('found');
    },
  );

  it('stops those that are waiting', async () => {
    const { search, release } = paced();
    service.behaviour = {
      does: 'answer',
      status: 202,
      type: 'text/html',
      body: DUCKDUCKGO_TEST_PAGE,
    };
    const first = search();
    const second = search();
    expect(await first).toBe(blockedFor('10 minutes'));
    release();
    expect(await second).toBe(blockedFor('10 minutes'));
    expect(service.requests).toHaveLength(1);
  });
});

describe('the page', () => {
  const link = (href: string, title = 'T') =>
    `<div class="result"><a class="result__a" href="${href}">${title}</a></div>`;

  it.each<[string, string[]]>([
    [
      link('//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fx%3D1%26y&amp;rut=1'),
      ['https://a.example/?x=1&y'],
    ],
    [link('https://a.example/b'), ['https://a.example/b']],
    [link('https://duckduckgo.com/y.js?ad_domain=x'), []],
    [link('//duckduckgo.com/l/?rut=1'), []],
    [link('http://['), []],
    [link(''), []],
    [`<a class='result__a' href='https://a.example/'>T</a>`, ['https://a.example/']],
    ['<a class="result__a">T</a>', []],
    ['<a class="not-result__a" href="https://a.example/">T</a>', []],
  ])('%s', (html, urls) => {
    expect(readDuckDuckGoPage(html, BASE).rows.map(({ url }) => url)).toEqual(urls);
  });

  it('a title that is not closed is empty, and its neighbours stay', () => {
    const html = `${link('https://a.example/', 'One')}<a class="result__a" href="https://b.example/">Two`;
    expect(readDuckDuckGoPage(html, BASE).rows.map(({ title }) => title)).toEqual(['One', '']);
  });

  it('words of a row that look like the test are only words', () => {
    const html = link('https://a.example/', '&lt;form id="challenge-form"&gt; anomaly-modal');
    const page = readDuckDuckGoPage(html, BASE);
    expect(page.isTest).toBe(false);
    expect(page.rows[0]?.title).toBe('<form id="challenge-form"> anomaly-modal');
  });

  it('takes any text, and no page long', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '<a class="result__a" href="',
            'https://a.example/',
            '">',
            '</a>',
            '<div class="result',
            '<',
            '>',
            '"',
            "'",
            '<span>&nbsp;',
            '2026-03-14T',
            '<a class="result__snippet">',
            ' class="',
          ),
          { maxLength: 60 },
        ),
        (parts) => {
          for (const { url, title } of readDuckDuckGoPage(parts.join(''), BASE).rows) {
            expect(url).not.toBe('');
            expect(title).not.toMatch(/\n/);
          }
        },
      ),
    );
    const many = '<a class="result__a" href="https://a.example/">'.repeat(40_000);
    expect(readDuckDuckGoPage(many, BASE).rows.length).toBeLessThan(50);
  });
});
