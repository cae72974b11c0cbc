import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  ask,
  chosenModel,
  copied,
  drawn,
  questions,
  shown,
  untilTurn,
  wholeConversation,
} from './support/chat-pane';
import { type RawStep, type Step } from './support/model-server';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import { filesIn, storedConversation } from './support/store-files';
import { tempFolders } from './support/temp-folder';

// Cleaned up in reverse order: the stages must end before their folders go.
const tempFolder = tempFolders();
const stage = stages();

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.optional(z.array(z.object({ function: z.object({ name: z.string() }) }))),
});
type Asked = { requests: readonly { body: unknown }[] };

/** Names of the tools that each request offered. */
const toolsOffered = (model: Asked): string[][] =>
  model.requests.map(({ body }) =>
    (Request.parse(body).tools ?? []).map((tool) => tool.function.name),
  );
/** The system prompt of each request. */
const prompts = (model: Asked): string[] =>
  model.requests.map(({ body }) => {
    const { messages } = Request.parse(body);
    return z.string().parse(messages.find(({ role }) => role === 'system')?.content);
  });

const SEARCH: Step = { calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }] };
const TOOLS = ['web_search', 'web_fetch'];

const untilStored = (pane: Pane, supportPath: string): Promise<unknown> =>
  pane.waitFor(
    () => storedConversation(supportPath).turns.every(({ state }) => state !== 'running'),
    { label: 'the answer on disk' },
  );

function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('Web', () => {
  it('off: no tool is offered, nothing is searched, and the form turns it on for one question', async () => {
    const { open, model, site, supportPath } = await stage({
      preferences: { webTools: false },
      steps: () => [
        { text: 'What I know.' },
        SEARCH,
        { text: 'Tea likes fog [1].' },
        { text: 'What I still know.' },
      ],
    });
    const pane = await open();
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    expect(site.requests).toEqual([]);
    await pane.action('Ask with Attachments…');
    await pane.waitFor(() => pane.depth === 2, { label: 'the form' });
    expect(pane.form().fields.find(({ id }) => id === 'web')).toMatchObject({ value: false });
    await pane.fill('question', 'Second?');
    await pane.fill('web', true);
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
    await untilTurn(pane, 'done', 2);
    expect(site.requests.filter((request) => request.startsWith('GET /search'))).toHaveLength(1);
    expect(drawn(pane).text).toContain('Tea likes fog [1].');
    await ask(pane, 'Third?');
    await untilTurn(pane, 'done', 3);
    expect(toolsOffered(model)).toEqual([[], TOOLS, TOOLS, []]);
    expect(site.requests).toHaveLength(1);
    await untilStored(pane, supportPath);
    model.assertComplete();
    expectSound(pane);
  });

  it('off: a model that calls a tool all the same reaches nothing', async () => {
    const { open, model, site } = await stage({
      preferences: { webTools: false },
      steps: (origin) => [
        {
          calls: [
            { name: 'web_search', arguments: { query: 'tea' } },
            { name: 'web_fetch', arguments: { url: `${origin}/growing` } },
          ],
        },
        { text: 'What I know.' },
      ],
    });
    const pane = await open();
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('What I know.');
    expect(site.requests).toEqual([]);
    expect(toolsOffered(model)).toEqual([[], []]);
    model.assertComplete();
    expectSound(pane);
  });

  it('off: nothing is searched for a model without tools either', async () => {
    const { open, model, site } = await stage({
      dialect: 'ollama',
      models: [{ id: 'plain-model', capabilities: ['completion'] }],
      preferences: { webTools: false },
      steps: () => [{ text: 'What I know.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('What I know.');
    expect(site.requests).toEqual([]);
    model.assertComplete();
    expectSound(pane);
  });
});

describe('what the model is told', () => {
  const told = { extraInstructions: '  Answer in Verdelian.  ', place: 'Upper Verdel' };

  it('holds Extra Instructions and Where I Am, and nothing of them when they are empty', async () => {
    const { open, model } = await stage({
      preferences: { continueWithin: 'never' },
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open({ preferences: told });
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    await pane.unload();
    const next = await open();
    await ask(next, 'Second?');
    await untilTurn(next, 'done');
    const [first = '', second = ''] = prompts(model);
    expect(first).toMatch(/\n\nToday is [^\n]+\. The person is here: Upper Verdel\.\n\n/u);
    expect(first.endsWith("\n\nThe person's own instructions:\nAnswer in Verdelian.")).toBe(true);
    expect(second).toMatch(/\n\nToday is [^\n]+\.$/u);
    expect(second).not.toContain('Verdel');
  });

  it('a change counts at the next launch only', async () => {
    const { open, model } = await stage({
      preferences: { continueWithin: 'never' },
      steps: () => [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    const pane = await open({ preferences: { place: 'Upper Verdel' } });
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    // Somebody changes the preference, and starts Lam a second time.
    const next = await open({ preferences: { place: 'Lower Verdel', showReasoning: true } });
    await ask(next, 'Second?');
    await untilTurn(next, 'done');
    await ask(pane, 'Third?');
    await untilTurn(pane, 'done', 2);
    expect(prompts(model).map((prompt) => /here: (.*)\.$/mu.exec(prompt)?.[1])).toEqual([
      'Upper Verdel',
      'Lower Verdel',
      'Upper Verdel',
    ]);
    expect(pane.actions().map(({ title }) => title)).toContain('Show Reasoning');
    expect(next.actions().map(({ title }) => title)).toContain('Hide Reasoning');
  });
});

describe('Images', () => {
  const address = 'https://pictures.example/leaf.png';

  it.each([
    [false, `[a leaf](${address})`, []],
    [true, `![a leaf](${address})`, [address]],
  ])('drawn: %s', async (remoteImages, markdown, fetched) => {
    const { open, supportPath } = await stage({
      preferences: { remoteImages },
      steps: () => [{ text: `Look:\n\n![a leaf](${address})\n\nGreen.` }],
    });
    const pane = await open();
    await ask(pane, 'How does it look?');
    await untilTurn(pane, 'done');
    const lines = shown(pane).split('\n');
    expect(lines.filter((line) => line.includes('leaf.png'))).toEqual([markdown]);
    expect(drawn(pane).fetches).toEqual(fetched);
    expect((await wholeConversation(pane)).split('\n')).toContain(markdown);
    await untilStored(pane, supportPath);
    // What is stored is what the model wrote, so that the preference counts for old answers too.
    expect(storedConversation(supportPath).turns[0]?.response).toContain(`![a leaf](${address})`);
    expect(pane.crash).toBeNull();
    expect(pane.rejections).toEqual([]);
  });
});

describe('Search Language', () => {
  const searches = (requests: readonly string[]): (string | null)[][] =>
    requests
      .map((request) => new URL(request.replace(/^GET /u, ''), 'http://x.example'))
      .map(({ searchParams }) =>
        ['language', 'country', 'search_lang'].map((name) => searchParams.get(name)),
      );

  it.each<[string, Record<string, string>, (string | null)[]]>([
    ['SearXNG, none', {}, [null, null, null]],
    ['SearXNG, de', { searchLanguage: 'de' }, ['de', null, null]],
    ['Brave, pt-BR', { searchLanguage: 'pt-BR', searchProvider: 'brave' }, [null, 'BR', 'pt-br']],
  ])('reaches the service: %s', async (_name, preferences, sent) => {
    const { open, site, model } = await stage({
      preferences: { braveKey: 'BSA-brave-1a2b3c4d5e', ...preferences },
      steps: () => [SEARCH, { text: 'Done.' }],
    });
    const pane = await open({ env: { LAM_TEST_SEARCH_URLS: `brave=${site.origin}` } });
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    expect(searches(site.requests)).toEqual([sent]);
    model.assertComplete();
    expectSound(pane);
  });
});

describe('what is shown from the start', () => {
  const steps = (): Step[] => [
    { ...SEARCH, reasoning: 'They ask about tea.' },
    { text: 'Tea likes fog [1].' },
  ];

  it.each<[string, { showToolCalls: boolean; showReasoning: boolean }]>([
    ['neither', { showToolCalls: false, showReasoning: false }],
    ['Tool Calls', { showToolCalls: true, showReasoning: false }],
    ['Reasoning', { showToolCalls: false, showReasoning: true }],
    ['both', { showToolCalls: true, showReasoning: true }],
  ])('%s', async (_name, preferences) => {
    const { showToolCalls, showReasoning } = preferences;
    const { open } = await stage({ preferences, steps });
    const pane = await open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    await pane.waitFor(() => shown(pane).includes('Tea likes fog'), { label: 'the answer' });
    expect(shown(pane).includes('_Tool calls_')).toBe(showToolCalls);
    expect(shown(pane).includes('They ask about tea.')).toBe(showReasoning);
    const offered = pane.actions().map(({ title }) => title);
    expect(offered).toContain(showToolCalls ? 'Hide Tool Calls' : 'Show Tool Calls');
    expect(offered).toContain(showReasoning ? 'Hide Reasoning' : 'Show Reasoning');
    expectSound(pane);
  });
});

describe('a value that cannot be used', () => {
  it('is named in the empty chat, and the default counts', async () => {
    const { open, model } = await stage({
      preferences: { searchLanguage: 'a language', webTools: 'yes' },
      steps: () => [{ text: 'One.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    const description = pane.list().emptyView?.description ?? '';
    for (const title of ['Search Language', 'Web'])
      expect(description).toContain(
        `The preference "${title}" holds a value Lam cannot use; the default is used.`,
      );
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    expect(toolsOffered(model)).toEqual([TOOLS]);
    expectSound(pane);
  });
});

describe('keys', () => {
  /** One for each preference that holds a secret, and the password of an address. */
  const KEYS = {
    apiKey: 'sk-model-4f9a8b7c6d5e',
    braveKey: 'BSA-brave-1a2b3c4d5e',
    tavilyKey: 'tvly-tavily-9z8y7x6w',
    exaKey: 'exa-key-0q1w2e3r4t5',
    ollamaKey: 'olk-ollama-5t6y7u8i',
  };
  const PASSWORD = 'pw-searx-7g6h5j4k';
  const SECRETS = [...Object.values(KEYS), PASSWORD];
  const refusal = (key: string): RawStep => ({
    raw: { status: 401, body: JSON.stringify({ error: { message: `Bad key ${key}.` } }) },
  });

  it('are in no export, report, copy, stored file or output', async () => {
    const home = tempFolder();
    const downloads = join(home, 'Downloads');
    mkdirSync(downloads);
    mkdirSync(join(home, 'config'));
    writeFileSync(join(home, 'config', 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
    const { open, model, site, supportPath } = await stage({
      // The one who asks for a key says it again when refusing it.
      routes: { '/res/v1/web/search': refusal(KEYS.braveKey) },
      preferences: { ...KEYS, showToolCalls: true, titles: 'auto' },
      steps: () => [
        refusal(KEYS.apiKey),
        SEARCH,
        { text: 'I could not search.' },
        { text: 'Tea and fog' },
        SEARCH,
        { text: 'Still not.' },
      ],
    });
    const env = {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      LAM_TEST_SEARCH_URLS: `brave=${model.origin}`,
      LAM_TEST_ALLOW_ORIGINS: `${site.hostAndPort},127.0.0.1:${model.port}`,
    };
    const seen: unknown[] = [];
    const pane = await open({ env, preferences: { searchProvider: 'brave' } });
    await ask(pane, 'Where does tea grow?');
    await untilTurn(pane, 'failed');
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${KEYS.apiKey}`);
    seen.push(await copied(pane, 'Copy Conversation as Markdown'), shown(pane));
    await pane.action('Try Again');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('No search worked');
    await pane.waitFor(() => storedConversation(supportPath).title === 'Tea and fog', {
      label: 'the title',
    });
    for (const title of ['Answer', 'Exchange', 'Conversation'].flatMap((part) =>
      ['Markdown', 'Markdown with Footnotes', 'Plain Text', 'Rich Text'].map(
        (format) => `Copy As…/${part} as ${format}`,
      ),
    ))
      seen.push(await copied(pane, title));
    seen.push(await copied(pane, 'Copy Link to Conversation'), await wholeConversation(pane));
    await pane.unload();
    seen.push(pane.frames, pane.toasts, [...pane.storage], pane.output);

    // A password in the address of SearXNG is said to be unusable, and not sent.
    const other = await open({
      env,
      preferences: { searxngUrl: `http://me:${PASSWORD}@127.0.0.1:${model.port}/` },
    });
    await other.waitFor(() => questions(other).length === 1, { label: 'the conversation' });
    await ask(other, 'And now?');
    await untilTurn(other, 'done', 2);
    expect(drawn(other).text).toContain('carries a user name or password; that is not sent');
    expect(model.paths).not.toContain('/search');
    await untilStored(other, supportPath);
    await other.shortcut('ctrl+shift+f');
    await other.waitFor(() => other.depth === 2 && other.list().items.length === 1, {
      label: 'the conversations',
    });
    for (const [title, name] of [
      ['Export/As Markdown, to Read', 'Tea and fog.md'],
      ['Export/As JSON, to Import Again', 'Tea and fog.json'],
      ['Export All as JSON', 'Lam conversations '],
    ] as const) {
      await other.action(title);
      await other.waitFor(
        () => Object.keys(filesIn(downloads)).some((file) => file.startsWith(name)),
        { label: title },
      );
    }
    await other.unload();
    seen.push(other.frames, other.toasts, other.clipboard, other.output);

    expect(Object.keys(filesIn(downloads))).toHaveLength(3);
    const text = JSON.stringify([...seen, filesIn(supportPath), filesIn(home)]);
    expect(text).toContain('I could not search.');
    const parts = SECRETS.flatMap((secret) => [
      secret,
      secret.slice(-8),
      Buffer.from(`me:${secret}`).toString('base64'),
    ]);
    expect(parts.filter((part) => text.includes(part))).toEqual([]);
    model.assertComplete();
  });
});
