import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Conversation, Turn } from '../lib/types';
import {
  createGate,
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';
import { openPane, type OpenPaneOptions, type Pane } from './support/pane';

let bundleDir: string;
let supportPath: string;
const panes: Pane[] = [];
const servers: ModelServer[] = [];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'lam-views-'));
  await build({
    bundle: true,
    entryPoints: ['src/chat.tsx', 'src/conversations.tsx'],
    external: ['react', '@vicinae/api'],
    format: 'cjs',
    outdir: bundleDir,
    platform: 'node',
    minify: true,
    jsx: 'automatic',
  });
  cpSync('package.json', join(bundleDir, 'package.json'));
  cpSync('assets', join(bundleDir, 'assets'), { recursive: true });
});
afterAll(() => {
  rmSync(bundleDir, { recursive: true, force: true });
});
beforeEach(() => {
  supportPath = mkdtempSync(join(tmpdir(), 'lam-support-'));
});
afterEach(async () => {
  await Promise.all(panes.splice(0).map((pane) => pane.kill()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(supportPath, { recursive: true, force: true });
});

async function serve(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const server = await startModelServer({ dialect: 'openai', ...options });
  servers.push(server);
  return server;
}

async function launch(
  server: { baseUrl: string } | undefined,
  options: Partial<OpenPaneOptions> = {},
): Promise<Pane> {
  const pane = await openPane({
    bundleDir,
    supportPath,
    unloadGraceMs: 200,
    ...options,
    preferences: {
      modelServer: 'openai-compatible',
      address: server?.baseUrl ?? 'http://127.0.0.1:9/v1', // discard: nothing listens
      titles: 'never',
      ...options.preferences,
    },
  });
  panes.push(pane);
  return pane;
}

async function askHere(pane: Pane, question: string): Promise<void> {
  await pane.type(question);
  await pane.enter();
}

const first = (pane: Pane) => pane.list().items[0];
const titles = (pane: Pane) => pane.actions().map(({ title }) => title);
const ended = (pane: Pane) => first(pane) !== undefined && first(pane)?.icon !== 'circle-progress';

function put(id: string, overrides: Partial<Conversation> = {}): void {
  const turn: Turn = {
    id: `${id}-1`,
    question: `What is ${id}?`,
    response: `${id} is this.`,
    toolCalls: [],
    state: 'done',
    startedAt: 1,
  };
  const conversation: Conversation = {
    version: 2,
    id,
    title: `What is ${id}?`,
    createdAt: 1,
    updatedAt: Date.now() - 3_600_000,
    turns: [turn],
    ...overrides,
  };
  mkdirSync(join(supportPath, 'conversations'), { recursive: true });
  writeFileSync(join(supportPath, 'conversations', `${id}.json`), JSON.stringify(conversation));
}

describe('an empty chat', () => {
  it('names the model and asks what is typed', async () => {
    const pane = await launch(await serve({ models: [{ id: 'small-model' }] }));
    await pane.waitFor(() => pane.list().emptyView?.description?.includes('small-model'));
    expect(pane.list()).toMatchObject({
      placeholder: 'Ask Lam…',
      emptyView: { title: 'Ask anything' },
      isShowingDetail: false,
    });
    expect(titles(pane)[0]).toBe('Ask');
    await pane.enter();
    expect(pane.toast).toMatchObject({ title: 'Type a question first' });
    expect(pane.depth).toBe(1);
    await pane.type('Why?');
    expect(titles(pane)[0]).toBe('Ask');
  });

  it('without a server says so, offers to look again, and keeps the question', async () => {
    const pane = await launch(undefined);
    await pane.waitFor(() => pane.list().emptyView?.title === 'No model server answers');
    expect(titles(pane)[0]).toBe('Check Again');
    await askHere(pane, 'Why?');
    await pane.waitFor(() => ended(pane));
    expect(first(pane)).toMatchObject({ title: 'Why?', icon: 'x-mark-circle' });
    expect(first(pane)?.detail).toContain('> Why?');
    expect(titles(pane)[0]).toBe('Try Again');
  });

  it.each([
    [{ '/v1/models': { raw: { status: 401, body: '{}' } } }, 'An API key is needed'],
    [
      {
        '/v1/models': {
          raw: { headers: { 'content-type': 'application/json' }, body: '{"data":[]}' },
        },
      },
      'No model to talk to',
    ],
  ])('case %#: %j', async (routes, title) => {
    const pane = await launch(await serve({ routes }));
    await pane.waitFor(() => pane.list().emptyView?.title === title);
    expect(pane.list().emptyView?.description).toMatch(/Then start Lam again\.$/);
    expect(titles(pane).slice(0, 2)).toEqual(['Preferences', 'Check Again']);
  });
});

describe('an exchange', () => {
  it('streams beside the row and full width, and Return goes there and back', async () => {
    const gate = createGate();
    const server = await serve({ steps: [{ text: ['One paragraph.\n\nTwo ', gate, 'words.'] }] });
    const pane = await launch(server);
    await askHere(pane, 'Why?');
    await gate.reached;
    await pane.waitFor(() => first(pane)?.detail?.includes('One paragraph.'));
    expect(pane.list()).toMatchObject({
      searchText: '',
      placeholder: 'Ask a follow-up…',
      navigationTitle: 'Writing…',
      isLoading: true,
      isShowingDetail: true,
    });
    expect(first(pane)).toMatchObject({ title: 'Why?', icon: 'circle-progress' });
    expect(titles(pane).slice(0, 3)).toEqual(['Open Answer', 'Ask with Attachments…', 'Stop']);

    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.detail()).toMatchObject({ isLoading: true, navigationTitle: 'Writing…' });
    await pane.settled();
    const beneath = pane.root();
    gate.open();
    await pane.waitFor(() => pane.detail().markdown.includes('Two words.'));
    expect(pane.root()).toEqual(beneath); // the covered list does not follow the stream
    await pane.waitFor(() => !pane.detail().isLoading);
    expect(titles(pane)[0]).toBe('Back to Chat');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1);
    await pane.waitFor(() => ended(pane));
    expect(first(pane)).toMatchObject({ icon: 'check-circle' });
    expect(first(pane)?.detail).toContain('Two words.');
    expect(pane.list()).toMatchObject({ isLoading: false, navigationTitle: 'Chat with Lam' });
    expect(pane.markdownResets()).toEqual([]);
    expect(pane.rejections).toEqual([]);
  });

  it('newest first; only the selected row carries a document', async () => {
    const pane = await launch(await serve({ steps: [{ text: 'Alpha.' }, { text: 'Beta.' }] }));
    await askHere(pane, 'First?');
    await pane.waitFor(() => ended(pane));
    await askHere(pane, 'Second?');
    await pane.waitFor(() => pane.list().items.length === 2 && ended(pane));
    expect(pane.list().items.map(({ title }) => title)).toEqual(['Second?', 'First?']);
    expect(pane.list().items.map(({ detail }) => detail !== undefined)).toEqual([true, false]);
    await pane.select(1);
    await pane.waitFor(() => pane.list().items[1]?.detail?.includes('Alpha.'));
    expect(first(pane)?.detail).toBeUndefined();
    await pane.shortcut('ctrl+shift+o');
    await pane.waitFor(() => pane.depth === 2);
    const { markdown } = pane.detail();
    expect(markdown.indexOf('Alpha.')).toBeGreaterThan(0);
    expect(markdown.indexOf('Beta.')).toBeGreaterThan(markdown.indexOf('Alpha.'));
  });

  it('a question typed while an earlier exchange is selected still shows its own answer', async () => {
    const pane = await launch(
      await serve({ steps: [{ text: 'Alpha.' }, { text: 'Beta.' }, { text: 'Gamma.' }] }),
    );
    await askHere(pane, 'First?');
    await pane.waitFor(() => ended(pane));
    await askHere(pane, 'Second?');
    await pane.waitFor(() => pane.list().items.length === 2 && ended(pane));
    await pane.type('Third?');
    await pane.select(1);
    await pane.enter();
    await pane.waitFor(() => pane.list().items.length === 3 && ended(pane));
    await pane.waitFor(() => pane.list().selected?.title === 'Third?');
    expect(pane.list()).toMatchObject({ searchText: '' });
    expect(first(pane)?.detail).toContain('Gamma.');
  });

  it('Ctrl+. stops; the answer so far stays', async () => {
    const gate = createGate();
    const pane = await launch(await serve({ steps: [{ text: ['Half an answer. ', gate] }] }));
    await askHere(pane, 'Why?');
    await gate.reached;
    await pane.waitFor(() => first(pane)?.detail?.includes('Half an'));
    await pane.shortcut('ctrl+.');
    await pane.waitFor(() => ended(pane));
    expect(first(pane)).toMatchObject({
      icon: 'stop',
      accessories: [{ text: 'stopped' }, { text: 'now' }],
    });
    expect(first(pane)?.detail).toContain('Half an answer.');
    expect(titles(pane)).toContain('Continue');
  });

  it('a question asked while one is answered stays in the search bar', async () => {
    const gate = createGate();
    const pane = await launch(await serve({ steps: [{ text: ['Half ', gate] }] }));
    await askHere(pane, 'Why?');
    await gate.reached;
    await askHere(pane, 'And?');
    expect(pane.toast).toMatchObject({
      title: 'Still answering',
      message: 'Press Return again when it is done; Ctrl+. stops it',
    });
    expect(pane.list().searchText).toBe('And?');
  });

  it('copies with the window open, and says so', async () => {
    const pane = await launch(await serve({ steps: [{ text: 'Because **so**.' }] }));
    await askHere(pane, 'Why?');
    await pane.waitFor(() => ended(pane));
    await pane.shortcut('ctrl+shift+c');
    await pane.waitFor(() => pane.clipboard);
    expect(pane.clipboard).toMatchObject({ text: 'Because **so**.' });
    expect(pane.toast).toMatchObject({ title: 'Answer copied' });
    await pane.shortcut('ctrl+shift+a');
    await pane.waitFor(() => pane.toast?.title === 'Conversation copied');
    expect(pane.clipboard?.text).toContain('> Why?');
    expect(pane.windowOpen).toBe(true);
  });

  it('cut off by an unload: Continue is what Return does', async () => {
    const gate = createGate();
    const server = await serve({ steps: [{ text: ['Half ', gate] }, { text: 'and half.' }] });
    const before = await launch(server);
    await askHere(before, 'Why?');
    await gate.reached;
    await before.waitFor(() => first(before)?.detail?.includes('Half'));
    await before.unload();
    const after = await launch(server);
    await after.waitFor(() => first(after));
    expect(first(after)).toMatchObject({
      icon: 'warning',
      accessories: [{ text: 'cut off' }, { text: 'now' }],
    });
    expect(titles(after)[0]).toBe('Continue');
    await after.enter();
    await after.waitFor(() => first(after)?.icon === 'check-circle');
    expect(first(after)?.detail).toContain('and half.');
    expect(after.list().items).toHaveLength(1);
  });

  it('hostile text acts nowhere', async () => {
    const bad = '<img src="http://tracker.example/x.png">';
    const pane = await launch(await serve({ steps: [{ text: `See ${bad} ![x](${bad})` }] }));
    await askHere(pane, `What is ${bad}?`);
    await pane.waitFor(() => ended(pane));
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  });

  it('says when tool calls and reasoning are shown that an unfinished answer hides', async () => {
    const gate = createGate();
    const pane = await launch(await serve({ steps: [{ text: ['Half ', gate] }] }));
    await askHere(pane, 'Why?');
    await gate.reached;
    for (const [title, said] of [
      ['Show Tool Calls', 'Shown when the answer is complete'],
      ['Hide Tool Calls', 'Stays hidden when the answer is complete'],
      ['Show Reasoning', 'Shown when the answer is complete'],
      ['Hide Reasoning', 'Stays hidden when the answer is complete'],
    ] as const) {
      await pane.action(title);
      await pane.waitFor(() => pane.toast?.title === said);
    }
  });

  it('of another launch: what is going on stands above it, and Ctrl+N begins another', async () => {
    put('alpha', {
      owner: { launchId: 'other', heartbeatAt: Date.now() + 3_000 },
      turns: [
        {
          id: 'a',
          question: 'Why?',
          response: 'Half',
          toolCalls: [],
          state: 'running',
          startedAt: 1,
        },
      ],
    });
    const pane = await launch(await serve());
    await pane.waitFor(() => pane.list().navigationTitle === 'This answer is still being written');
    expect(first(pane)?.detail).toMatch(
      /> \[!NOTE\]\n> This answer is still being written by an earlier start of Lam\..*\n\nHalf$/,
    );
    await askHere(pane, 'And?');
    expect(pane.toast).toMatchObject({
      title: 'This answer is still being written',
      message: 'Wait for it, or press Ctrl+N',
    });
    await pane.shortcut('ctrl+n');
    await pane.waitFor(() => pane.list().emptyView?.title === 'Ask anything');
    expect(pane.list().searchText).toBe('And?');
  });

  it('tool calls can be shown and hidden', async () => {
    const server = await serve({
      steps: [
        { calls: [{ name: 'web_search', arguments: { query: 'tides' } }] },
        { text: 'Nothing found.' },
      ],
    });
    const pane = await launch(server, {
      env: { LAM_TEST_WIKIPEDIA_URL: 'http://127.0.0.1:9', LAM_TEST_ALLOW_ORIGINS: '127.0.0.1:9' },
    });
    await askHere(pane, 'Tides?');
    await pane.waitFor(() => ended(pane));
    expect(first(pane)?.detail).not.toContain('tides');
    await pane.action('Show Tool Calls');
    await pane.waitFor(() => first(pane)?.detail?.includes('tides'));
    await pane.action('Hide Tool Calls');
    await pane.waitFor(() => first(pane)?.detail?.includes('tides') === false);
  });
});

describe('the launch', () => {
  it('asks the question of the argument field at once', async () => {
    const pane = await launch(await serve({ steps: [{ text: 'Because.' }] }), {
      arguments: { question: 'Why?' },
    });
    await pane.waitFor(() => first(pane) && ended(pane));
    expect(first(pane)?.detail).toContain('Because.');
    expect(pane.list().searchText).toBe('');
  });

  it('puts the text of root search into the search bar, once', async () => {
    const pane = await launch(await serve({ steps: [{ text: 'Because.' }] }), {
      fallbackText: 'why',
    });
    await pane.waitFor(() => pane.list().searchText === 'why' && titles(pane)[0] === 'Ask');
    await pane.enter();
    await pane.waitFor(() => first(pane) && ended(pane));
    await pane.settled();
    expect(pane.list().items).toHaveLength(1);
  });

  it('restores what was typed', async () => {
    const server = await serve();
    const before = await launch(server);
    await before.type('Half a quest');
    await before.unload();
    const after = await launch(server);
    await after.waitFor(() => after.list().searchText === 'Half a quest');
    expect(titles(after)[0]).toBe('Ask');
  });
});

describe('conversations', () => {
  it('are listed, opened and deleted', async () => {
    put('alpha');
    put('beta', { updatedAt: Date.now() - 40 * 86_400_000 });
    const pane = await launch(await serve(), { command: 'conversations' });
    await pane.waitFor(() => pane.list().items.length === 2 && !pane.list().isLoading);
    expect(pane.list().items).toMatchObject([
      { title: 'What is alpha?', accessories: [{ text: '1 h' }] },
      { title: 'What is beta?', section: 'Older' },
    ]);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && pane.list().items.length === 1);
    await pane.waitFor(() => first(pane)?.detail?.includes('alpha is this.'));
    await pane.back();
    await pane.waitFor(() => pane.depth === 1 && pane.list().items.length === 2);

    await pane.action('Delete');
    await pane.waitFor(() => pane.list().items.length === 1);
    expect(first(pane)?.title).toBe('What is beta?');
    expect(pane.toasts.map(({ title }) => title)).toContain('Conversation deleted');
  });

  it('a file that is none of Lam’s cannot be deleted', async () => {
    put('not ours');
    const pane = await launch(await serve(), { command: 'conversations' });
    await pane.waitFor(() => first(pane)?.title === 'Not a file of Lam');
    expect(titles(pane)).toEqual(['Copy File Path', 'New Conversation', 'Trash…', 'Import…']);
  });

  it('none yet: says what will be here', async () => {
    const pane = await launch(await serve(), { command: 'conversations' });
    await pane.waitFor(() => pane.list().emptyView?.title === 'No conversations yet');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2);
    expect(pane.list().placeholder).toBe('Ask Lam…');
  });

  it('are reached from the chat without ending the answer that is being written', async () => {
    put('alpha');
    const gate = createGate();
    const pane = await launch(await serve({ steps: [{ text: ['Half ', gate, 'and half.'] }] }));
    await askHere(pane, 'Why?');
    await gate.reached;
    const stored = () => readdirSync(join(supportPath, 'conversations'));
    await pane.waitFor(() => stored().filter((name) => name.endsWith('.json')).length === 2);
    await pane.action('Conversations…');
    await pane.waitFor(() => pane.depth === 2 && first(pane)?.title === 'Why?');
    await pane.action('Delete');
    await pane.waitFor(() => pane.toast?.title === 'Not deleted');
    expect(pane.toast?.message).toBe('It is still being answered. Stop it first.');
    await pane.waitFor(() => pane.list().items.length === 2);
    await pane.select('alpha');
    await pane.enter();
    await pane.waitFor(() => pane.toast?.title === 'Still answering');
    expect(pane.depth).toBe(2);
    gate.open();
    await pane.back();
    await pane.waitFor(() => pane.depth === 1 && ended(pane));
    await pane.waitFor(() => first(pane)?.detail?.includes('Half and half.'));
    await pane.action('Conversations…');
    await pane.waitFor(() => pane.depth === 2 && pane.list().items.length === 2);
    await pane.select('alpha');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1 && first(pane)?.title === 'What is alpha?');
  });
});
