import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { ask, shown } from './support/chat-pane';
import { createGate, words, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { stages } from './support/stages';

const stage = stages();
const rowIs = (pane: Pane, icon: string): boolean => pane.list().items[0]?.icon === icon;
const answered = (pane: Pane): Promise<unknown> =>
  pane.waitFor(() => rowIs(pane, 'check-circle'), { label: 'the answer', timeoutMs: 30_000 });

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.nullish(z.string()) })),
  tools: z.optional(z.array(z.unknown())),
});
/** What the model read as tool results in a request, oldest first. */
const toolResults = (body: unknown): string[] =>
  Request.parse(body)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content ?? '');

const searchThenRead = (origin: string): Step[] => [
  {
    reasoning: ['I should ', 'look this up.'],
    calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }],
  },
  {
    calls: [
      { name: 'web_fetch', arguments: { url: `${origin}/growing` } },
      { name: 'web_fetch', arguments: { url: `${origin}/no-such-page` } },
    ],
  },
  {
    text: words('Tea likes fog [1]. Use `rows[1]` in code.'),
    usage: { inputTokens: 9, outputTokens: 5 },
  },
];

describe('a question', () => {
  it('is searched, read and answered with links and a list; a page found and then read keeps its number', async () => {
    const { open, model, site } = await stage({ steps: searchThenRead });
    const pane = await open();
    await ask(pane, 'How does tea grow on Verdel?');
    await answered(pane);

    const drawn = drawPane(shown(pane));
    expect(drawn.text).toContain('How does tea grow on Verdel?');
    expect(drawn.text).toContain('Tea likes fog [1]. Use rows[1] in code.');
    const links = drawn.links.map(({ text, href }) => [text, href]);
    expect(links).toEqual([
      ['[1]', `${site.origin}/growing`],
      ['[1]', `${site.origin}/growing`],
    ]);
    expect(shown(pane)).toMatch(/_Sources_\n\n- \[\\\[1\\\]\]\(\S+\) Growing tea on Verdel$/);

    const [search = '', page = '', missing = ''] = toolResults(model.requests[2]?.body);
    expect(search).toContain(`[1] Growing tea on Verdel\n   ${site.origin}/growing`);
    expect(page).toMatch(/^\[1\] Growing tea on Verdel\nURL: /);
    expect(missing).toMatch(/not found|404/i);
    expect(missing).not.toMatch(/^\[\d+\]/);
    expect(pane.markdownResets()).toEqual([]);
    expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
    model.assertComplete();
  });

  it('goes on counting in a second search, and lists all that was consulted when nothing is cited', async () => {
    const { open, model } = await stage({
      steps: () => [
        { calls: [{ name: 'web_search', arguments: { query: 'brewing' } }] },
        { calls: [{ name: 'web_search', arguments: { query: 'sayings' } }] },
        { text: words('Nothing cited here.') },
      ],
    });
    const pane = await open();
    await ask(pane, 'What do growers say about brewing?');
    await answered(pane);
    const numbers = toolResults(model.requests[2]?.body).map((result) =>
      [...result.matchAll(/^\[(\d+)\] /gm)].map((match) => Number(match[1])),
    );
    const all = [...new Set(numbers.flat())];
    expect(numbers[0]?.[0]).toBe(1);
    expect(all).toEqual(all.map((_, i) => i + 1));
    expect(all.length).toBeGreaterThan(numbers[0]?.length ?? 0);
    expect(drawPane(shown(pane)).links.map(({ text }) => text)).toEqual(
      all.slice(0, 12).map((number) => `[${String(number)}]`),
    );
  });

  it('streams by appending only, while the next question can be typed', async () => {
    const gate = createGate();
    const { open } = await stage({
      steps: () => [
        {
          text: [
            ...words('# Tea\n\nIt likes **fog** and'),
            gate,
            ...words(' shade.\n\n- one\n- two'),
          ],
        },
      ],
    });
    const pane = await open();
    await ask(pane, 'Tea?');
    await gate.reached;
    await pane.waitFor(() => shown(pane).includes('fog'), { label: 'the first half' });
    await pane.type('And coffee');
    expect(pane.list().searchText).toBe('And coffee');
    expect(pane.actions()[0]?.title).toBe('Ask');
    await pane.enter();
    await pane.waitFor(() => pane.toasts.at(-1)?.title === 'Still answering', {
      label: 'the toast',
    });
    expect(pane.list().searchText).toBe('And coffee');
    gate.open();
    await answered(pane);
    expect(shown(pane)).toBe('> Tea?\n\n# Tea\n\nIt likes **fog** and shade.\n\n- one\n- two');
    expect(pane.markdownResets()).toEqual([]);
  });

  it('keeps what there is when it is stopped in mid-answer', async () => {
    const gate = createGate();
    const { open, model } = await stage({
      steps: () => [{ text: ['Half of it', gate, ' and more.'] }],
    });
    const pane = await open();
    await ask(pane, 'Long story?');
    await pane.waitFor(() => shown(pane).includes('Half of it'), { label: 'the first half' });
    await pane.shortcut('ctrl+.');
    await pane.waitFor(() => shown(pane).includes('Stopped.'), { label: 'the stop' });
    expect(shown(pane)).toContain('Half of it');
    expect(pane.list().isLoading).toBe(false);
    await model.requests[0]?.closed;
    expect(model.requests[0]?.abandoned).toBe(true);
    gate.open();
  });

  it('opens full width with Enter, and Enter there goes back for the follow-up', async () => {
    const gate = createGate();
    const { open } = await stage({ steps: () => [{ text: ['Begin', gate, ' end.'] }] });
    const pane = await open();
    await ask(pane, 'Wide?');
    await pane.waitFor(() => shown(pane).includes('Begin'), { label: 'the first word' });
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2, { label: 'the pushed answer' });
    gate.open();
    await pane.waitFor(() => pane.detail().markdown.includes('Begin end.'), { label: 'the rest' });
    expect(pane.detail().markdown).toBe('> Wide?\n\nBegin end.');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1, { label: 'the way back' });
  });

  it('gives the follow-up earlier answers under this turn’s numbers', async () => {
    const { open, model, site } = await stage({
      steps: (origin) => [
        { calls: [{ name: 'web_search', arguments: { query: 'harvest' } }] },
        { text: 'Harvest is in spring [2].' },
        { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/sayings` } }] },
        { text: 'As said [1], and they say [2].' },
      ],
    });
    const pane = await open();
    await ask(pane, 'When is the harvest?');
    await answered(pane);
    const first = drawPane(shown(pane)).links[0];
    await ask(pane, 'What do they say?');
    await pane.waitFor(() => pane.list().items.length === 2 && rowIs(pane, 'check-circle'), {
      label: 'the follow-up',
    });

    const told = Request.parse(model.requests[2]?.body).messages;
    expect(told.find(({ role }) => role === 'assistant')?.content).toBe(
      'Harvest is in spring [1].',
    );
    expect(toolResults(model.requests[3]?.body).at(-1)).toMatch(
      /^\[2\] Sayings of the Verdel growers/,
    );
    const links = drawPane(shown(pane)).links.map(({ text, href }) => [text, href]);
    expect(links.slice(0, 2)).toEqual([
      ['[1]', first?.href],
      ['[2]', `${site.origin}/sayings`],
    ]);
    await pane.action('Show Whole Conversation');
    await pane.waitFor(() => pane.depth === 2, { label: 'the whole conversation' });
    const whole = drawPane(pane.detail().markdown);
    expect(whole.text.indexOf('When is the harvest?')).toBeLessThan(
      whole.text.indexOf('What do they say?'),
    );
    expect(whole.links.filter(({ text }) => text === '[2]').map(({ href }) => href)).toContain(
      first?.href,
    );
  });

  it('is copied as Markdown with the same links, the window staying open', async () => {
    const { open, site } = await stage({ steps: searchThenRead });
    const pane = await open();
    await ask(pane, 'How does tea grow?');
    await answered(pane);
    await pane.shortcut('ctrl+shift+c');
    await pane.waitFor(() => pane.clipboard !== null, { label: 'the copy' });
    expect(pane.clipboard?.text).toBe(
      `Tea likes fog [\\[1\\]](${site.origin}/growing). Use \`rows[1]\` in code.\n\n_Sources_\n\n- [\\[1\\]](${site.origin}/growing) Growing tea on Verdel`,
    );
    await pane.action('Copy Conversation as Markdown');
    await pane.waitFor(() => pane.clipboard?.text?.startsWith('> How does tea grow?') ?? false, {
      label: 'the second copy',
    });
    expect(pane.windowOpen).toBe(true);
    await pane.waitFor(() => pane.toasts[1], { label: 'the second toast' });
    expect(pane.toasts.map(({ title }) => title)).toEqual(['Answer copied', 'Conversation copied']);
    await pane.action('[1] Growing tea on Verdel');
    await pane.waitFor(() => pane.opened.length > 0, { label: 'the browser' });
    expect(pane.opened).toEqual([`${site.origin}/growing`]);
  });

  it('tells the model about bad calls and goes on', async () => {
    const { open, model } = await stage({
      steps: (origin) => [
        {
          calls: [
            { name: 'web_search', arguments: {} },
            { name: 'no_such_tool', arguments: { x: 1 } },
            { name: 'web_fetch', arguments: { url: 'http://10.0.0.1/private' } },
            { name: 'web_fetch', arguments: { url: 'file:///etc/hostname' } },
            { name: 'web_search', arguments: { query: 'zzzz-nothing-matches' } },
            { name: 'web_fetch', arguments: { url: `${origin}/moved` } },
          ],
        },
        { text: 'So it is [1].' },
      ],
    });
    const pane = await open();
    await ask(pane, 'Try everything?');
    await answered(pane);
    const results = toolResults(model.requests[1]?.body);
    expect(results).toHaveLength(6);
    expect(results[0]).toMatch(/query/);
    expect(results[1]).toMatch(/no_such_tool/);
    expect(results[2]).toMatch(/private|refused/i);
    expect(results[3]).toMatch(/http/);
    expect(results[4]).toMatch(/nothing|no results/i);
    expect(results[5]).toMatch(/^\[1\] Growing tea on Verdel/);
    expect(drawPane(shown(pane)).links[0]?.text).toBe('[1]');
  });

  it('is stored where only this person can read it', async () => {
    const { open, supportPath } = await stage({ steps: () => [{ text: 'Yes.' }] });
    const pane = await open();
    await ask(pane, 'Stored?');
    await answered(pane);
    await pane.unload();
    const folder = join(supportPath, 'conversations');
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(files).toHaveLength(1);
    const file = join(folder, files[0] ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('Stored?');
  });

  it('works with Ollama’s own protocol, and with the first model that can call tools', async () => {
    const { open, model } = await stage({
      dialect: 'ollama',
      steps: () => [
        { calls: [{ name: 'web_search', arguments: { query: 'brewing' } }] },
        { text: words('Brew it [1].') },
      ],
    });
    const pane = await open();
    await ask(pane, 'How to brew?');
    await answered(pane);
    expect(drawPane(shown(pane)).links[0]?.text).toBe('[1]');
    expect(model.requests.map(({ path }) => path)).toEqual(['/api/chat', '/api/chat']);
    model.assertComplete();
  });

  it('can come from the launcher: an argument is asked, a fallback text waits in the search bar', async () => {
    const { open, model } = await stage({ steps: () => [{ text: 'Asked at once.' }] });
    const pane = await open({ arguments: { question: 'From the launcher?' } });
    await answered(pane);
    expect(shown(pane)).toContain('Asked at once.');
    await pane.unload();
    const second = await open({ fallbackText: 'typed in root search' });
    await second.waitFor(() => second.list().searchText === 'typed in root search', {
      label: 'the text',
    });
    await second.settled();
    expect(model.requests).toHaveLength(1);
  });
});
