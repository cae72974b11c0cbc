import { afterEach, describe, expect, it } from 'vitest';

import type { ToolCallRecord } from '../lib/types';
import { ask, drawn, shown, sourceEntries, untilTurn } from './support/chat-pane';
import { encoded } from './support/encodings';
import { createGate, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { startShelf, type Shelf, type ShelfOptions, type ShelfPage } from './support/page-shelf';
import { pdfFile } from './support/pdf-files';
import type { Stage } from './support/stage';
import { stages } from './support/stages';
import { storedConversation } from './support/store-files';
import { pageText, toolResults } from './support/tool-results';

const stage = stages();
const shelves: Shelf[] = [];
afterEach(async () => {
  await Promise.all(shelves.splice(0).map((shelf) => shelf.close()));
});

interface Laid extends Pick<Stage, 'model' | 'supportPath'> {
  shelf: Shelf;
  open: () => Promise<Pane>;
}

/** A stage whose web is a shelf of pages. */
async function laid(
  options: ShelfOptions,
  steps: (shelf: Shelf) => readonly Step[],
): Promise<Laid> {
  const shelf = await startShelf(options);
  shelves.push(shelf);
  const { model, supportPath, open } = await stage({ steps: () => steps(shelf) });
  return {
    shelf,
    model,
    supportPath,
    open: () =>
      open({
        preferences: { searxngUrl: shelf.searchUrl },
        env: { LAM_TEST_ALLOW_ORIGINS: shelf.allow },
      }),
  };
}

const QUESTION = 'What does it say?';

async function answered({ open }: Laid): Promise<Pane> {
  const pane = await open();
  await ask(pane, QUESTION);
  await untilTurn(pane, 'done');
  return pane;
}

/** The calls of the answer as they are stored. */
async function storedCalls({ supportPath }: Laid, pane: Pane): Promise<ToolCallRecord[]> {
  const turn = await pane.waitFor(
    () => storedConversation(supportPath).turns.find(({ state }) => state === 'done'),
    { label: 'the answer on disk' },
  );
  return turn.toolCalls;
}

const fetchCall = (url: string, offset?: number) => ({
  name: 'web_fetch',
  arguments: offset === undefined ? { url } : { url, offset },
});
const searchCall = (query: string) => ({ name: 'web_search', arguments: { query } });

/** What a result says before its first empty line, or before the text of its page. */
const said = (result = ''): string =>
  result.split(/\n\n|\nThe page text stands between/, 1)[0] ?? '';
const nextOffset = (result: string): number | undefined => {
  const [, offset] = /next: offset (\d+)\./.exec(result) ?? [];
  return offset === undefined ? undefined : Number(offset);
};
/** Asks for the part that the last result names. */
const readOn =
  (url: string): Step =>
  ({ body }) => ({
    calls: [fetchCall(url, nextOffset(toolResults(body).at(-1) ?? '') ?? 999_999)],
  });

/** Sentences that all differ, so that no part of a text passes for another. */
function sentences(from: number, count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) => `Sentence ${from + n} tells of bush ${((from + n) * 7919) % 10_007} in the fog.`,
  );
}

describe('a document with pages', () => {
  it('is read with marks for its pages, and on from the offset that is named', async () => {
    const pages = Array.from({ length: 10 }, (_, n) => ({ lines: sentences(n * 1000, 50) }));
    const laidOut = await laid(
      {
        pages: () => ({
          '/report': {
            type: 'application/octet-stream',
            body: pdfFile({ pages, title: 'The garden report', deflate: true }),
          },
        }),
      },
      ({ origin }) => [
        { calls: [fetchCall(`${origin}/report`)] },
        readOn(`${origin}/report`),
        { text: 'It tells of bushes [1].' },
      ],
    );
    const pane = await answered(laidOut);
    const { model, shelf } = laidOut;
    const [first = '', second = ''] = (await storedCalls(laidOut, pane)).map(
      ({ result }) => result,
    );
    expect(toolResults(model.requests[1]?.body)).toEqual([first]);
    expect(toolResults(model.requests[2]?.body)[1]).toBe(second);
    const end = nextOffset(first) ?? 0;
    expect(said(first)).toMatch(
      new RegExp(
        `^\\[1\\] The garden report\nURL: ${shelf.origin}/report\nShown: characters 0–${end} of \\d+ \\(pages 1–8 of 10\\); next: offset ${end}\\. To read on, call web_fetch with the same url and offset ${end}\\.$`,
      ),
    );
    expect(said(second)).toMatch(
      new RegExp(
        `\nShown: characters ${end}–(\\d+) of \\1 \\(pages 9–10 of 10\\); the end of the page$`,
      ),
    );
    const whole = (pageText(first) + pageText(second)).replace(/\s+/g, ' ');
    expect(whole).toBe(
      pages.map(({ lines }, n) => `— page ${n + 1} of 10 — ${lines.join(' ')}`).join(' '),
    );
    expect(shelf.pages).toEqual([`${shelf.origin}/report`]);
    expect(sourceEntries(pane)).toEqual(['[1] The garden report — read in part']);
    model.assertComplete();
  });
});

describe('a long page', () => {
  it('is read by offsets to its end: the parts join to the whole', async () => {
    // Without line ends in reach, with pairs at the cuts, and longer than four results.
    const text = `${sentences(0, 900).join('\n')}\n${'🍃茶'.repeat(12_000)}\n${sentences(5000, 500).join(' ')}`;
    const laidOut = await laid(
      { pages: () => ({ '/long.txt': { type: 'text/plain; charset=utf-8', body: text } }) },
      ({ origin }) => [
        { calls: [fetchCall(`${origin}/long.txt`)] },
        ...Array.from({ length: 5 }, () => readOn(`${origin}/long.txt`)),
        { text: 'It is long [1].' },
      ],
    );
    const pane = await answered(laidOut);
    const { model, shelf } = laidOut;
    const stored = await storedCalls(laidOut, pane);
    let at = 0;
    let whole = '';
    for (const [n, { result }] of stored.entries()) {
      const part = pageText(result);
      const end = at + part.length;
      const rest =
        n < stored.length - 1
          ? `next: offset ${end}. To read on, call web_fetch with the same url and offset ${end}.`
          : 'the end of the page';
      expect(said(result)).toBe(
        `[1] long.txt\nURL: ${shelf.origin}/long.txt\nShown: characters ${at}–${end} of ${text.length}; ${rest}`,
      );
      expect(part).not.toMatch(/\p{Surrogate}/u);
      whole += part;
      at = end;
    }
    expect(whole.length).toBe(text.length);
    expect(whole === text).toBe(true);
    expect(shelf.pages).toHaveLength(1);
    model.assertComplete();
  });
});

const RUSSIAN = 'Чай на острове собирают весной. Туман поит кусты, и лист растёт медленно. '.repeat(
  6,
);
const JAPANESE = '島の茶は春に摘みます。霧が茶の木を潤し、葉はゆっくり育ちます。'.repeat(12);
const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title></head><body><article><p>${text}</p></article></body></html>`;

describe('other kinds of pages', () => {
  const kinds: [name: string, path: string, sent: ShelfPage, head: string, text: string][] = [
    [
      'a feed',
      '/feed',
      {
        type: 'text/html',
        body: '<?xml version="1.0"?><rss version="2.0"><channel><title>Garden news</title><item><title>Fog</title><link>/fog</link><pubDate>Sat, 07 Mar 2026 08:30:00 GMT</pubDate><description>&lt;p&gt;It &lt;b&gt;came&lt;/b&gt;.&lt;/p&gt;</description></item><item><title>Sun</title><link>/sun</link></item></channel></rss>',
      },
      '[1] Garden news',
      '# Garden news\n\n## [Fog](ORIGIN/fog)\n\n2026-03-07 08:30 UTC\n\nIt **came**.\n\n## [Sun](ORIGIN/sun)',
    ],
    [
      'a CSV file',
      '/gardens.csv',
      { type: 'text/csv', body: 'garden;area\n"Low; Terrace";22\nCloud | Garden;9\n' },
      '[1] gardens.csv',
      '| garden | area |\n| --- | --- |\n| Low; Terrace | 22 |\n| Cloud \\| Garden | 9 |',
    ],
    [
      'a JSON file',
      '/gardens.json',
      {
        type: 'application/json',
        body: '{"gardens":[{"name":"Low Terrace","n":12345678901234567890}]}',
      },
      '[1] gardens.json',
      '{\n  "gardens": [\n    {\n      "name": "Low Terrace",\n      "n": 12345678901234567890\n    }\n  ]\n}',
    ],
    [
      'an XML file',
      '/gardens.xml',
      {
        type: 'application/xml',
        body: '<?xml version="1.0"?><gardens island="Verdel"><garden><name>Low Terrace</name><area unit="ha">22</area></garden></gardens>',
      },
      '[1] gardens.xml',
      'gardens island=Verdel\n  garden\n    name: Low Terrace\n    area unit=ha: 22',
    ],
    [
      'a Markdown file',
      '/README.md',
      {
        type: 'text/markdown',
        body: '# Gardens\r\n\r\n- *Low* Terrace\r\n- <b>Cloud</b> Garden\r\n',
      },
      '[1] README.md',
      '# Gardens\n\n- *Low* Terrace\n- <b>Cloud</b> Garden\n',
    ],
    [
      'windows-1251, said in the header',
      '/chai',
      {
        type: 'text/html; charset=windows-1251',
        body: encoded('windows-1251', page('Чай', RUSSIAN)),
      },
      '[1] Чай',
      RUSSIAN.trim(),
    ],
    [
      'Shift_JIS, said in the page',
      '/ocha',
      {
        type: 'text/html',
        body: encoded(
          'shift_jis',
          page('お茶', JAPANESE).replace('<head>', '<head><meta charset="Shift_JIS">'),
        ),
      },
      '[1] お茶',
      JAPANESE,
    ],
  ];

  it.each(kinds)('%s', async (_name, path, sent, head, text) => {
    const laidOut = await laid({ pages: () => ({ [path]: sent }) }, ({ origin }) => [
      { calls: [fetchCall(origin + path)] },
      { text: 'So it says [1].' },
    ]);
    const pane = await answered(laidOut);
    const { model, shelf } = laidOut;
    const [result = ''] = toolResults(model.requests[1]?.body);
    const expected = text.replaceAll('ORIGIN', shelf.origin);
    expect(said(result)).toBe(
      `${head}\nURL: ${shelf.origin}${path}\nShown: characters 0–${expected.length} of ${expected.length}; the whole page`,
    );
    expect(pageText(result)).toBe(expected);
    expect(sourceEntries(pane)).toEqual([head]);
    expect(drawn(pane).links.map(({ text: words, href }) => [words, href])).toEqual([
      ['[1]', shelf.origin + path],
      ['[1]', shelf.origin + path],
    ]);
  });
});

/** Opens a port that Lam was not allowed to read on this machine. */
const INWARD = 'http://127.0.0.1:9/';

describe('a page that cannot be read', () => {
  interface Failing {
    name: string;
    path: string;
    sent: ShelfPage;
    /** What the model reads as the reason; `HOST` is host and port. */
    status: string;
    sentence: string;
    /** What the person sees beside the title of the page under Open Source. */
    words: string;
  }
  const SCRIPT = '<script src="/app.js"></script>';
  const failing: Failing[] = [
    {
      name: 'a robot wall with status 403',
      path: '/robot',
      sent: {
        status: 403,
        headers: { 'cf-mitigated': 'challenge' },
        body: '<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>',
      },
      status: 'blocked',
      sentence: 'HOST wants proof that a person is reading (HTTP 403).',
      words: 'page was blocked',
    },
    {
      name: 'a robot wall with status 200',
      path: '/robot-200',
      sent: { body: '<title>Just a moment...</title><p>Checking your browser.</p>' },
      status: 'blocked',
      sentence:
        'HOST shows a check that a person is reading ("Just a moment...") instead of the page.',
      words: 'page was blocked',
    },
    {
      name: 'a consent wall',
      path: '/consent',
      sent: {
        body: '<title>Before you continue to Verdel</title><p>We use cookies and data to deliver our services.</p><button>Accept all</button>',
      },
      status: 'blocked',
      sentence: 'HOST shows a consent page ("Before you continue to Verdel") instead of the page.',
      words: 'page was blocked',
    },
    {
      name: 'an empty shell of an app',
      path: '/app',
      sent: { body: `<title>Verdel App</title><div id="root"></div>${SCRIPT}` },
      status: 'needs-browser',
      sentence:
        'The page at HOST draws itself with scripts; without a browser there is no text to read.',
      words: 'needs a browser',
    },
    {
      name: 'a page that is not there',
      path: '/gone',
      sent: { status: 404, body: '<p>Not found</p>' },
      status: 'not-found',
      sentence: 'There is no such page at HOST (HTTP 404).',
      words: 'page not found',
    },
    {
      name: 'a redirect into this machine',
      path: '/inward',
      sent: { status: 302, headers: { location: INWARD } },
      status: 'refused',
      sentence:
        'HOST redirects elsewhere: 127.0.0.1:9 is on this machine or a private network, which is not read.',
      words: 'not opened',
    },
    {
      name: 'a document that is too large',
      path: '/huge.pdf',
      sent: {
        type: 'application/pdf',
        body: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(17 * 1024 * 1024, 'a')]),
      },
      status: 'too-large',
      sentence: 'The answer of HOST is too large.',
      words: 'too large to read',
    },
    {
      name: 'an archive named like a page',
      path: '/page.html',
      sent: { body: Buffer.from('PK\x03\x04\x14\0\0\0\0\0name.txt', 'latin1') },
      status: 'unreadable',
      sentence: 'page.html at HOST is a ZIP archive, not a page with text.',
      words: 'could not be read',
    },
  ];
  const pages = (): Record<string, ShelfPage> =>
    Object.fromEntries(
      failing.map(({ name, path, sent }) => [path, { ...sent, row: { title: `About ${name}` } }]),
    );

  it.each(failing)('$name', async ({ name, path, status, sentence, words }) => {
    const laidOut = await laid({ pages }, ({ origin }) => [
      { calls: [fetchCall(origin + path)] },
      { calls: [searchCall(`About ${name}`)] },
      { calls: [fetchCall(`${origin}${path}#again`)] },
      { text: 'I could not read it, but it is there [1].' },
    ]);
    const pane = await answered(laidOut);
    const { model, shelf } = laidOut;
    const host = new URL(shelf.origin).host;
    const why = `could not be read (${status}): ${sentence.replaceAll('HOST', host)}`;
    const results = toolResults(model.requests[3]?.body);
    // Before it was found, the page had no number, and got none.
    expect(toolResults(model.requests[1]?.body)).toEqual([
      `${shelf.origin}${path} ${why}\n\nNo source has a number yet: cite nothing.`,
    ]);
    expect(results[1]).toContain(`[1] About ${name}\n   ${shelf.origin}${path}`);
    expect(said(results[2])).toBe(
      `${shelf.origin}${path}#again ${why} It keeps the number [1], but was not opened: cite only what was shown of it.`,
    );
    const calls = await storedCalls(laidOut, pane);
    expect(calls.map(({ isError, statuses = [] }) => [isError, statuses])).toEqual([
      [true, []],
      [false, [{ index: 1, status: 'hit' }]],
      [true, [{ index: 1, status }]],
    ]);
    expect(sourceEntries(pane)).toEqual([`[1] About ${name} — ${words}`]);
    // The list is silent about it: the answer is what tells.
    expect(shown(pane)).toMatch(/_Sources_\n\n- \[\\\[1\\\]\]\(\S+\) About [^\n]*$/);
    model.assertComplete();
  });

  it('a server that says nothing is given up, and the answer does without', async () => {
    const laidOut = await laid(
      { pages: () => ({ '/silent': { silent: true, row: { title: 'A silent page' } } }) },
      ({ origin }) => [
        { calls: [searchCall('silent')] },
        { calls: [fetchCall(`${origin}/silent`)] },
        { text: 'It does not answer.' },
      ],
    );
    const pane = await answered(laidOut);
    const { origin } = laidOut.shelf;
    const host = new URL(origin).host;
    expect(said(toolResults(laidOut.model.requests[2]?.body)[1])).toBe(
      `${origin}/silent could not be read (timed-out): ${host} did not answer in time. It keeps the number [1], but was not opened: cite only what was shown of it.`,
    );
    expect(sourceEntries(pane)).toEqual(['[1] A silent page — did not answer in time']);
  });

  it('of a page that is too large as much is read as came, and that is said', async () => {
    const body = `<title>The log</title><main>${sentences(0, 60_000)
      .map((sentence) => `<p>${sentence}</p>`)
      .join('')}</main>`;
    const laidOut = await laid({ pages: () => ({ '/log': { body } }) }, ({ origin }) => [
      { calls: [fetchCall(`${origin}/log`)] },
      ({ body: asked }) => {
        const [, total] =
          /^Shown: characters 0–\d+ of (\d+);/m.exec(toolResults(asked)[0] ?? '') ?? [];
        return { calls: [fetchCall(`${origin}/log`, Number(total) - 500)] };
      },
      { text: 'It begins with fog [1].' },
    ]);
    const pane = await answered(laidOut);
    const [, end] = toolResults(laidOut.model.requests[2]?.body);
    expect(said(end)).toMatch(
      /\nShown: characters \d+–(\d+) of \1; the page goes on, but the rest was not read$/,
    );
    expect(sourceEntries(pane)).toEqual(['[1] The log — read in part']);
    expect(laidOut.shelf.pages).toHaveLength(1);
  });
});

describe('several pages at once', () => {
  it('are read three at a time and one of a host, and the title counts them', async () => {
    const gates = ['/a', '/b', '/c', '/d', '/e'].map((path) => [path, createGate()] as const);
    const laidOut = await laid(
      {
        servers: 4,
        pages: () =>
          Object.fromEntries(
            gates.map(([path, gate]) => [
              path,
              { type: 'text/plain', body: `This is ${path}.`, gate },
            ]),
          ),
      },
      // The first two are of one host.
      ({ origins }) => [
        {
          calls: gates.map(([path], n) => fetchCall(`${origins[Math.max(0, n - 1)] ?? ''}${path}`)),
        },
        { text: 'All is read [1][5].' },
      ],
    );
    const { shelf, model } = laidOut;
    const pane = await laidOut.open();
    await ask(pane, QUESTION);
    const hosts = gates.map((_, n) => new URL(shelf.origins[Math.max(0, n - 1)] ?? '').host);
    for (const [n, [, gate]] of gates.entries()) {
      await gate.reached;
      await pane.waitFor(
        () => pane.list().navigationTitle === `Reading ${hosts[n] ?? ''}… ${n + 1} of 5`,
        { label: `the title of page ${n + 1}` },
      );
      gate.open();
    }
    await untilTurn(pane, 'done');
    expect(pane.list().navigationTitle).toBe('Chat with Lam');
    expect(shelf.most).toEqual({ all: 3, one: 1 });
    // The second page waited for its host; the fifth for a place.
    const order = shelf.pages.map((url) => new URL(url).pathname);
    expect(order.slice(0, 3).sort()).toEqual(['/a', '/c', '/d']);
    expect(order.slice(3)).toEqual(['/b', '/e']);
    expect(
      toolResults(model.requests[1]?.body).map((result) => said(result).split('\n')[0]),
    ).toEqual(['[1] a', '[2] b', '[3] c', '[4] d', '[5] e']);
  });

  it('the same page twice is one request and one number, and the earlier result is named', async () => {
    const laidOut = await laid(
      { pages: () => ({ '/tea': { type: 'text/plain', body: 'Tea likes fog.' } }) },
      ({ origin }) => [
        { calls: [fetchCall(`${origin}/tea`), fetchCall(`${origin}/tea`)] },
        { calls: [fetchCall(`${origin}/tea#fog`), fetchCall(`${origin}/tea`)] },
        { text: 'It likes fog [1].' },
      ],
    );
    const pane = await answered(laidOut);
    const { shelf, model } = laidOut;
    const before = `You already did this in this turn: see the result of web_fetch for {"url":"${shelf.origin}/tea"} above. It was not run again. Use it, or ask for something else.`;
    const read = (url: string): string =>
      `[1] tea\nURL: ${url}\nShown: characters 0–14 of 14; the whole page`;
    const results = toolResults(model.requests[2]?.body);
    expect(results.map(said)).toEqual([
      read(`${shelf.origin}/tea`),
      before,
      read(`${shelf.origin}/tea`),
      before,
    ]);
    expect(shelf.pages).toEqual([`${shelf.origin}/tea`]);
    expect(sourceEntries(pane)).toEqual(['[1] tea']);
    expect(drawn(pane).text).toContain(
      'The model repeated a tool call; it was pointed to the earlier result.',
    );
  });
});

describe('a search', () => {
  const ANSWER = 'I found nothing about it.';
  const asked = async (options: Partial<ShelfOptions>, queries: string[]) => {
    const laidOut = await laid(
      {
        pages: () => ({ '/tea': { body: 'x', row: { title: 'Growing tea' } } }),
        ...options,
      },
      () => [{ calls: queries.map(searchCall) }, { text: ANSWER }],
    );
    const pane = await answered(laidOut);
    const { origin } = laidOut.shelf;
    return { pane, host: new URL(origin).host, ...laidOut };
  };

  it('that found nothing is told to the model, and is no trouble for the person', async () => {
    const { pane, model } = await asked({}, ['zzzz']);
    expect(said(toolResults(model.requests[1]?.body)[0])).toBe(
      'No web results for "zzzz". The search worked and found nothing; fewer or other words may help.',
    );
    expect(shown(pane)).toBe(`> ${QUESTION}\n\n${ANSWER}`);
    await pane.action('Show Tool Calls');
    await pane.waitFor(() => shown(pane).includes('_Tool calls_'), { label: 'the calls' });
    expect(drawn(pane).text).toContain('• Searched for: zzzz (nothing found)\n');
    expect(sourceEntries(pane)).toEqual([]);
  });

  it('that failed is told to both, with what to do', async () => {
    const { pane, model, host } = await asked({ searchStatus: 503 }, ['zzzz']);
    const reason = `SearXNG at ${host} has a problem of its own (HTTP 503)`;
    expect(said(toolResults(model.requests[1]?.body)[0])).toBe(
      `The web search for "zzzz" failed: ${reason}. Tell the person that the search failed.`,
    );
    const { text } = drawn(pane);
    expect(text).toContain(ANSWER);
    expect(text).toMatch(
      new RegExp(`\nNo search worked: ${reason.replace(/[.()]/g, '\\$&')}\\. .*preferences\\.$`),
    );
    await pane.action('Show Tool Calls');
    await pane.waitFor(() => shown(pane).includes('_Tool calls_'), { label: 'the calls' });
    expect(drawn(pane).text).toContain(`• Searched for: zzzz (failed: ${reason})\n`);
  });
});
