import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  ask,
  askAll,
  copied,
  everyExchange,
  shown,
  untilTurn,
  wholeConversation,
} from './support/chat-pane';
import { cmark, cmarkMissing } from './support/cmark';
import { htmlLinks, type Link } from './support/html-links';
import { createGate, words, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { stages } from './support/stages';

const stage = stages();
const missing = cmarkMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.nullish(z.string()) })),
});
type Received = { role: string; content: string }[];

/** The messages of a request, as the model reads them. */
const received = (body: unknown): Received =>
  Request.parse(body).messages.map(({ role, content }) => ({ role, content: content ?? '' }));

/** Lines that give an address its number: a search row, a page that was read, a carried source. */
const NUMBERED = /^\[(\d+)\] [^\n]*?(?:\n {3}|\nURL: | — )(http\S+)$/gm;

/** What each number means in a request; throws when one number is given to two addresses. */
function numbersIn(messages: Received): Map<number, string> {
  const meaning = new Map<number, string>();
  for (const { content } of messages.filter(({ role }) => role === 'user' || role === 'tool')) {
    for (const [, digits, url = ''] of content.matchAll(NUMBERED)) {
      const number = Number(digits);
      const before = meaning.get(number) ?? url;
      if (before !== url) throw new Error(`[${number}] is both ${before} and ${url}`);
      meaning.set(number, url);
    }
  }
  return meaning;
}

/** The lines that announce sources of earlier turns before the question. */
const announced = (messages: Received): string[] =>
  messages.findLast(({ role }) => role === 'user')?.content.match(/^\[\d+\] .* — http\S+$/gm) ?? [];
/** Earlier answers, as the model reads them again before its first call in a turn. */
const earlier = (messages: Received): string[] =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);

/** A statement of an answer, and the page that says so. */
interface Claim {
  path: string;
  /** Stands in the answer and on the page. */
  fact: string;
}

const FOG: Claim = { path: '/growing', fact: '140 mornings' };
const FLUSH: Claim = { path: '/harvest-calendar', fact: '24 days later' };
const WATER: Claim = { path: '/brewing', fact: '85 °C' };
const FOUNDER: Claim = { path: '/history', fact: 'Ilse Marant' };
const HEIGHT: Claim = { path: '/data/gardens.json', fact: 'altitude_m' };

type Spelling = (number: number) => string;
const PLAIN: Spelling = (number) => `[${number}]`;

/** Sentences in which each claim has the number that its page has in this very request. */
function sentences(body: unknown, claims: readonly Claim[], spelling = PLAIN): string {
  const meaning = [...numbersIn(received(body))];
  return claims
    .map(({ path, fact }) => {
      const [number] = meaning.find(([, url]) => url.endsWith(path)) ?? [];
      if (number === undefined) throw new Error(`The model was never shown ${path}`);
      return `It says ${fact} ${spelling(number)}.`;
    })
    .join(' ');
}
const stating =
  (claims: readonly Claim[], spelling = PLAIN): Step =>
  ({ body }) => ({ text: words(sentences(body, claims, spelling)) });
const reading = (origin: string, ...paths: string[]): Step => ({
  calls: paths.map((path) => ({ name: 'web_fetch', arguments: { url: origin + path } })),
});
const searching = (query: string): Step => ({
  calls: [{ name: 'web_search', arguments: { query } }],
});

/** What each turn states, in order, and the number it must have there. */
const TURNS: readonly { question: string; cites: readonly [number, Claim][] }[] = [
  {
    question: 'How does tea grow on Verdel?',
    cites: [
      [1, FOG],
      [3, WATER],
    ],
  },
  {
    question: 'When is it picked, and since when?',
    cites: [
      [3, FLUSH],
      [2, WATER],
      [4, FOUNDER],
      [3, FLUSH],
    ],
  },
  {
    question: 'How high, then?',
    cites: [
      [3, FOUNDER],
      [5, HEIGHT],
      [4, FOG],
      [1, WATER],
    ],
  },
];
const claimsOf = (turn: number): Claim[] => (TURNS[turn]?.cites ?? []).map(([, claim]) => claim);

/** The second turn finds a page of the first again, the third cites pages of both. */
const threeTurns = (origin: string): Step[] => [
  searching('tea growing harvest'),
  reading(origin, '/growing', '/brewing'),
  stating(claimsOf(0)),
  searching('brewing harvest'),
  reading(origin, '/harvest-calendar', '/history'),
  stating(claimsOf(1), (number) => `【${number}】`),
  reading(origin, '/data/gardens.json'),
  stating(claimsOf(2), (number) => `[^${number}]`),
];

const linksOf = (markdown: string): Link[] =>
  drawPane(markdown).links.map(({ text, href }) => [text, href]);

/** The links of an exchange: its markers in the order of the text, then its list in the order of the numbers. */
function expectedLinks(origin: string, cites: readonly [number, Claim][]): Link[] {
  const inText = cites.map(([number, { path }]): Link => [`[${number}]`, origin + path]);
  const listed = new Map([...cites].sort(([a], [b]) => a - b));
  return [
    ...inText,
    ...[...listed].map(([number, { path }]): Link => [`[${number}]`, origin + path]),
  ];
}

/** Every exchange beside its row, oldest first, and then all of them in one document. */
async function everyView(pane: Pane): Promise<{ exchanges: string[]; document: string }> {
  const exchanges = await everyExchange(pane);
  return { exchanges: exchanges.reverse(), document: await wholeConversation(pane) };
}

describe('three turns about the same pages', () => {
  it('give the model one meaning for a number, and the reader the right page for every marker', async () => {
    const { open, model, site } = await stage({ steps: threeTurns });
    const pane = await open();
    await askAll(
      pane,
      TURNS.map(({ question }) => question),
    );

    const asked = model.requests.map(({ body }) => received(body));
    asked.forEach(numbersIn); // throws when a number has two meanings
    const [, , , second = [], , , third = []] = asked;
    expect(earlier(second)).toEqual(['It says 140 mornings [1]. It says 85 °C [2].']);
    expect(announced(second)).toEqual([
      `[1] Growing tea on Verdel — ${site.origin}/growing`,
      `[2] Brewing Verdel tea — ${site.origin}/brewing`,
    ]);
    expect(earlier(third)).toEqual([
      'It says 140 mornings [4]. It says 85 °C [1].',
      'It says 24 days later [2]. It says 85 °C [1]. It says Ilse Marant [3]. It says 24 days later [2].',
    ]);
    expect(announced(third)).toEqual([
      `[1] Brewing Verdel tea — ${site.origin}/brewing`,
      `[2] The Verdel harvest calendar — ${site.origin}/harvest-calendar`,
      `[3] How tea came to Verdel — ${site.origin}/history`,
      `[4] Growing tea on Verdel — ${site.origin}/growing`,
    ]);
    model.assertComplete();

    const before = await everyView(pane);
    const expected = TURNS.map(({ cites }) => expectedLinks(site.origin, cites));
    expect(before.exchanges.map(linksOf)).toEqual(expected);
    expect(linksOf(before.document)).toEqual(expected.flat());
    for (const [n, { cites }] of TURNS.entries()) {
      for (const [at, [, { fact }]] of cites.entries()) {
        const page = await fetch(expected[n]?.[at]?.[1] ?? '');
        expect(await page.text()).toContain(fact);
      }
    }
    await pane.unload();

    const again = await open();
    await untilTurn(again, 'done', TURNS.length);
    expect(await everyView(again)).toEqual(before);
  });

  it.skipIf(missing !== undefined)(
    'are copied with the links that were drawn, in order',
    async () => {
      const { open } = await stage({ steps: threeTurns });
      const pane = await open();
      await askAll(
        pane,
        TURNS.map(({ question }) => question),
      );
      const { exchanges, document } = await everyView(pane);
      const { text } = await copied(pane, 'Copy Conversation as Markdown');
      const links = htmlLinks(cmark(text));
      expect(links).toHaveLength(19);
      expect(links).toEqual(linksOf(document));
      expect(links).toEqual(exchanges.flatMap(linksOf));
    },
  );
});

describe('numbers on screen', () => {
  const FIRST: [number, Claim][] = [
    [1, FOG],
    [3, WATER],
  ];
  const opening = (origin: string): Step[] => [
    searching('tea growing harvest'),
    reading(origin, '/growing', '/brewing'),
    stating([FOG, WATER]),
    reading(origin, '/history'),
  ];

  it('stay when an answer is stopped and continued with further pages', async () => {
    const gate = createGate();
    const { open, model, site } = await stage({
      steps: (origin) => [
        ...opening(origin),
        ({ body }) => ({
          text: [...words(sentences(body, [WATER, FOUNDER])), ' And', gate, ' never.'],
        }),
        reading(origin, '/data/gardens.json', '/growing'),
        ({ body }) => ({ text: words(` it goes on. ${sentences(body, [HEIGHT, FOG, WATER])}`) }),
      ],
    });
    const pane = await open();
    await askAll(pane, ['How does tea grow?']);
    const first = shown(pane);
    await ask(pane, 'Who began it?');
    await pane.waitFor(() => linksOf(shown(pane)).length === 2, { label: 'the first half' });
    const half: [number, Claim][] = [
      [2, WATER],
      [3, FOUNDER],
    ];
    expect(linksOf(shown(pane))).toEqual(expectedLinks(site.origin, half).slice(0, 2));
    await pane.action('Stop');
    await untilTurn(pane, 'stopped', 2);
    expect(linksOf(shown(pane))).toEqual(expectedLinks(site.origin, half));

    await pane.action('Continue');
    await untilTurn(pane, 'done', 2);
    expect(linksOf(shown(pane))).toEqual(
      expectedLinks(site.origin, [...half, [4, HEIGHT], [1, FOG], [2, WATER]]),
    );
    expect((await everyView(pane)).exchanges[0]).toBe(first);
    expect(linksOf(first)).toEqual(expectedLinks(site.origin, FIRST));
    const resumed = received(model.requests[5]?.body);
    expect(earlier(resumed)[0]).toBe('It says 140 mornings [1]. It says 85 °C [2].');
    gate.open();
  });

  it('stay in the earlier answers when the newest begins anew', async () => {
    const gate = createGate();
    const { open, model, site } = await stage({
      steps: (origin) => [
        ...opening(origin),
        ({ body }) => ({ text: [...words(sentences(body, [FOUNDER, WATER])), gate, ' never.'] }),
        searching('harvest'),
        stating([FLUSH, WATER]),
      ],
    });
    const pane = await open();
    await askAll(pane, ['How does tea grow?']);
    const first = shown(pane);
    await ask(pane, 'And then?');
    await pane.waitFor(() => linksOf(shown(pane)).length === 2, { label: 'the first half' });
    await pane.action('Stop');
    await untilTurn(pane, 'stopped', 2);
    expect(linksOf(shown(pane))).toEqual(
      expectedLinks(site.origin, [
        [3, FOUNDER],
        [2, WATER],
      ]),
    );

    await pane.action('Try Again');
    await untilTurn(pane, 'done', 2);
    // The answer that was thrown away has left nothing behind: the number 3 is free again.
    const [before = [], anew = []] = [3, 5].map((n) => received(model.requests[n]?.body));
    expect(announced(anew)).toEqual(announced(before));
    expect(earlier(anew)).toEqual(earlier(before));
    expect(linksOf(shown(pane))).toEqual(
      expectedLinks(site.origin, [
        [3, FLUSH],
        [2, WATER],
      ]),
    );
    expect((await everyView(pane)).exchanges[0]).toBe(first);
    gate.open();
  });
});

describe('a number that is no source', () => {
  const GUIDE = 'https://docs.example/guide';
  const UNUSED = 'https://docs.example/unused';
  const steps = (): Step[] => [
    { text: 'The ledger says so [1], and the rows [2] are free.' },
    { text: `See [the guide][1].\n\n[1]: ${GUIDE}` },
    { text: `Nothing here.\n\n[2]: ${UNUSED}` },
  ];
  const QUESTIONS = ['Who says so?', 'Where is it written?', 'And else?'];
  /** A line that any Markdown parser takes for the definition of a link; footnotes are another matter. */
  const DEFINITION = /^ {0,3}\[(?!\^)[^\]\\]+\]:/m;

  it('stays text when another answer of the conversation defines that number', async () => {
    const { open } = await stage({ steps });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    const { exchanges, document } = await everyView(pane);
    expect(exchanges.map(linksOf)).toEqual([[], [['the guide', GUIDE]], [[UNUSED, UNUSED]]]);
    expect(linksOf(document)).toEqual(exchanges.flatMap(linksOf));
    expect(drawPane(document).text).toContain('The ledger says so [1], and the rows [2] are free.');

    for (const title of ['Markdown', 'Markdown with Footnotes', 'Plain Text', 'Rich Text']) {
      const { text, html } = await copied(pane, `Conversation as ${title}`);
      expect(text).toContain('The ledger says so [1], and the rows [2] are free.');
      expect(text).toContain(UNUSED);
      if (title.startsWith('Markdown')) expect(text).not.toMatch(DEFINITION);
      if (title === 'Rich Text')
        expect(htmlLinks(html ?? '').map(([, href]) => href)).toEqual([GUIDE, UNUSED]);
      else expect(html).toBeUndefined();
    }
  });

  it.skipIf(missing !== undefined)('stays text for the parser of another program', async () => {
    const { open } = await stage({ steps });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    const { text } = await copied(pane, 'Copy Conversation as Markdown');
    expect(htmlLinks(cmark(text))).toEqual(linksOf(await wholeConversation(pane)));
  });
});
