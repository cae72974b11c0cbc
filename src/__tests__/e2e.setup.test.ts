import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { version } from '../../package.json';
import { ask, chosenModel, copied, drawn, firstAction, untilTurn } from './support/chat-pane';
import { createGate, type RawStep, type Step } from './support/model-server';
import { checkShortcuts, type Pane } from './support/pane';
import type { Stage } from './support/stage';
import { stages } from './support/stages';
import { filesIn } from './support/store-files';

const stage = stages();

/** One for each preference that holds a secret, and the password of an address. None is a part of another. */
const KEYS = {
  apiKey: 'sk-model-4f9a8b7c6d5e',
  braveKey: 'BSA-brave-1a2b3c4d5e',
  tavilyKey: 'tvly-tavily-9z8y7x6w',
  exaKey: 'exa-key-0q1w2e3r4t5',
  ollamaKey: 'olk-ollama-5t6y7u8i',
};
const PASSWORD = 'pw-proxy-7g6h5j4k';
const SECRETS = [...Object.values(KEYS), PASSWORD];
const ECHO = SECRETS.join(' ');

const Asked = z.object({ model: z.string() });

const READY: Step = { text: 'ready' };
const CALLS: Step = { calls: [{ name: 'repeat_word', arguments: { word: 'lighthouse' } }] };

/** Names of the steps as they are shown, with how each stands. */
const STEPS = ['Model server', 'Model', 'Answer', 'Tool calls', 'Search', 'Reading a page'];
const OK = 'check-circle';
const WARNING = 'warning';
const FAILED = 'x-mark-circle';
const LEFT_OUT = 'stop';

const states = (pane: Pane): (string | undefined)[] => pane.list().items.map(({ icon }) => icon);
const detail = (pane: Pane): string => pane.list().selected?.detail ?? '';

/** The search service and the page are on the model server, so that each may say what a test wants. */
type Routes = Record<string, RawStep>;
const searchReply = (url: string): RawStep => ({
  raw: {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ results: [{ url, title: 'A launcher', content: 'It launches.' }] }),
  },
});
const page = (title: string): RawStep => ({
  raw: {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>${title}</title><article><p>It launches programs.</p></article>`,
  },
});

/** A web of one page, which the one search finds; `routes` of the stage must be this object. */
function web({ model }: Pick<Stage, 'model'>, routes: Routes, title = 'A launcher') {
  routes['/search'] = searchReply(`${model.origin}/page`);
  routes['/page'] = page(title);
  return {
    preferences: { searxngUrl: `${model.origin}/` },
    env: { LAM_TEST_ALLOW_ORIGINS: `127.0.0.1:${model.port}` },
  };
}

async function openSetup(pane: Pane): Promise<void> {
  await pane.action('Check Setup…');
  await pane.waitFor(() => pane.depth === 2 && pane.list().items.length === STEPS.length, {
    label: 'the steps',
  });
}

const untilChecked = (pane: Pane): Promise<unknown> =>
  pane.waitFor(() => !pane.list().isLoading, { label: 'the end of the check' });

function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

/** Times and what the page weighs differ from run to run. */
const steady = (report: string): string =>
  report.replaceAll(/\d+\.\d s/gu, '# s').replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:#');

describe('Check Setup', () => {
  it('goes from the chat to the whole report on the clipboard', async () => {
    const routes: Routes = {};
    const here = await stage({ routes, steps: () => [READY, CALLS] });
    const pane = await here.open(web(here, routes));
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    await openSetup(pane);
    expect(pane.list().items.map(({ title }) => title)).toEqual(STEPS);
    await untilChecked(pane);
    expect(states(pane)).toEqual([OK, OK, OK, OK, OK, OK]);
    expect(pane.list().navigationTitle).toBe('Check Setup: everything works');
    const { text, said } = await copied(pane, 'Copy Report');
    expect(said).toEqual(['Report copied', 'as Markdown, without keys']);
    expect(steady(text).split('\n')).toEqual([
      '## Lam: Check Setup',
      '',
      `Lam ${version}, Vicinae v0.26.3, Node ${process.version}`,
      '',
      '- Model server: ok (# s). The server at http://127.0.0.1:# answers.',
      expect.stringMatching(/^- Model: ok \(# s\)\. test-model, (?!as set in the preferences)/u),
      '- Answer: ok (# s). test-model began to answer after # s: “ready”',
      '- Tool calls: ok (# s). test-model calls tools properly.',
      '- Search: ok (# s). SearXNG found 1 page for “Vicinae launcher”.',
      '- Reading a page: ok (# s). Read 21 characters of “A launcher” (127.0.0.1:#).',
      '',
      'Preferences:',
      '',
      '- modelServer: openai-compatible',
      '- address: http://127.0.0.1:#/v1',
      '- apiKey: not set',
      '- model: not set',
      '- searchProvider: auto',
      '- searxngUrl: http://127.0.0.1:#/',
      '- braveKey: not set',
      '- tavilyKey: not set',
      '- exaKey: not set',
      '- ollamaKey: not set',
      '- searchLanguage: not set',
      '- documents: not set',
      '- embeddingModel: not set',
      '- extraInstructions: not set',
      '- place: not set',
      '- showToolCalls: no',
      '- showReasoning: no',
      '- remoteImages: no',
      '- evidenceLine: problems',
      '- titles: never',
      '- continueWithin: 30',
      '- quoteSelection: no',
      '- webTools: yes',
      '',
    ]);
    expect(pane.windowOpen).toBe(true);
    here.model.assertComplete();
    expectSound(pane);
  });

  it('asks the model that the chat asks, and tells it apart from the preference', async () => {
    const routes: Routes = {};
    const here = await stage({
      dialect: 'ollama',
      models: [{ id: 'small-model' }, { id: 'large-model' }],
      routes,
      steps: () => [READY, CALLS],
    });
    const { env, preferences } = web(here, routes);
    const pane = await here.open({ env, preferences: { ...preferences, model: 'small-model' } });
    await pane.waitFor(() => chosenModel(pane) === 'small-model', { label: 'the model' });
    await pane.choose('large-model');
    await openSetup(pane);
    await untilChecked(pane);
    expect(here.model.requests.map(({ body }) => Asked.parse(body).model)).toEqual([
      'large-model',
      'large-model',
    ]);
    const { text } = await copied(pane, 'Copy Report');
    expect(text).toContain('- model: small-model\n');
    expect(text).not.toContain('large-model, as set in the preferences');
    expectSound(pane);
  });

  it('says how each step ended beside its row', async () => {
    const routes: Routes = {};
    const here = await stage({
      dialect: 'ollama',
      models: [{ id: 'plain-model', capabilities: ['completion'] }],
      routes,
      steps: () => [READY],
    });
    const pane = await here.open(web(here, routes));
    await openSetup(pane);
    await untilChecked(pane);
    expect(states(pane)).toEqual([OK, OK, OK, WARNING, OK, OK]);
    expect(pane.list().navigationTitle).toBe('Check Setup: works, 1 warning');
    await pane.select('tools');
    await pane.waitFor(() => detail(pane) !== '', { label: 'what is said' });
    expect(detail(pane)).toContain('### Tool calls: works, but could be better');
    expect(detail(pane)).toContain('plain-model cannot call tools');
    expect(firstAction(pane)).toBe('Preferences');
    await pane.enter();
    await pane.waitFor(() => pane.preferencesOpened === 1, { label: 'the preferences' });
    // They are another window of the launcher; behind it the check stays where it is.
    await pane.reopen();
    expect(pane.depth).toBe(2);
    expectSound(pane);
  });

  it('keeps every key out of the report and off the screen, whoever repeats it', async () => {
    const routes: Routes = {};
    const here = await stage({
      dialect: 'anthropic',
      routes,
      steps: () => [
        { text: `ready ${ECHO}` },
        { raw: { status: 500, body: JSON.stringify({ error: { message: `Bearer ${ECHO}` } }) } },
        { text: `ready ${ECHO}` },
        { calls: [{ name: ECHO, arguments: { word: ECHO } }] },
      ],
    });
    const { env, preferences } = web(here, routes, ECHO);
    const pane = await here.open({
      env,
      preferences: {
        ...preferences,
        ...KEYS,
        // Of a proxy in front of the server, which has a key of its own.
        address: `http://me:${PASSWORD}@127.0.0.1:${here.model.port}/?k=${PASSWORD}`,
        extraInstructions: 'I am writing about llamas.',
        place: 'Upper Verdel',
      },
    });
    await openSetup(pane);
    await untilChecked(pane);
    const first = await copied(pane, 'Copy Report');
    expect(states(pane)).toEqual([OK, OK, OK, FAILED, OK, OK]);
    for (const name of Object.keys(KEYS)) expect(first.text).toContain(`- ${name}: set\n`);
    expect(steady(first.text)).toContain('- address: http://127.0.0.1:#/\n');
    expect(first.text).toContain('- extraInstructions: set\n- place: set\n');
    await pane.action('Run Again');
    await pane.waitFor(() => pane.list().isLoading, { label: 'the second run' });
    await untilChecked(pane);
    const second = await copied(pane, 'Copy Report');
    expect(states(pane)[3]).toBe(WARNING);
    for (const [place] of STEPS.entries()) {
      await pane.select(place);
      await pane.settled();
    }
    await pane.unload();
    const seen = JSON.stringify([
      first,
      second,
      pane.frames,
      pane.toasts,
      pane.clipboard,
      [...pane.storage],
      pane.output,
      filesIn(here.supportPath),
    ]);
    expect([...SECRETS, 'llamas', 'Upper Verdel'].filter((word) => seen.includes(word))).toEqual(
      [],
    );
    // They did reach the one who asks for them.
    expect(here.model.requests[0]?.headers).toMatchObject({
      'x-api-key': KEYS.apiKey,
      authorization: `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`,
    });
    here.model.assertComplete();
  });

  it('leaves out what needs the server, and finds it with Run Again', async () => {
    const routes: Routes = { '/v1/models': { raw: { status: 401, body: '{}' } } };
    const here = await stage({ routes, steps: () => [READY, CALLS] });
    const pane = await here.open(web(here, routes));
    await openSetup(pane);
    await untilChecked(pane);
    expect(states(pane)).toEqual([FAILED, LEFT_OUT, LEFT_OUT, LEFT_OUT, OK, OK]);
    expect(pane.list().navigationTitle).toBe('Check Setup: 1 of 6 does not work');
    expect(firstAction(pane)).toBe('Preferences');
    expect((await copied(pane, 'Copy Report')).text).toContain(
      '- Model: left out. Needs the model server.\n',
    );
    delete routes['/v1/models'];
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => states(pane).every((icon) => icon === OK), { label: 'six times ok' });
    await untilChecked(pane);
    expect(pane.list().navigationTitle).toBe('Check Setup: everything works');
    here.model.assertComplete();
    expectSound(pane);
  });

  it('is stopped in the middle, and run again from the start', async () => {
    const gate = createGate();
    const routes: Routes = {};
    const here = await stage({
      routes,
      steps: () => [{ holdBefore: gate, text: 'late' }, READY, CALLS],
    });
    const pane = await here.open(web(here, routes));
    await openSetup(pane);
    await gate.reached;
    await pane.waitFor(() => pane.list().navigationTitle === 'Checking: Answer…', {
      label: 'what is checked',
    });
    await pane.shortcut('ctrl+.');
    await untilChecked(pane);
    expect(states(pane)).toEqual([OK, OK, LEFT_OUT, LEFT_OUT, LEFT_OUT, LEFT_OUT]);
    expect(pane.list().navigationTitle).toBe('Check Setup: 2 of 6 steps checked');
    await here.model.requests[0]?.closed;
    expect(here.model.requests[0]?.abandoned).toBe(true);
    expect(here.model.paths).not.toContain('/search');
    const { text } = await copied(pane, 'Copy Report');
    expect(text.match(/: left out\. .*/gu)).toEqual([
      ': left out. The check was stopped.',
      ': left out. The check was stopped.',
      ': left out. The check was stopped.',
      ': left out. The check was stopped.',
    ]);
    await pane.action('Run Again');
    await pane.waitFor(() => states(pane).every((icon) => icon === OK), { label: 'six times ok' });
    here.model.assertComplete();
    gate.open();
    expectSound(pane);
  });

  it.each(['Back to Chat', 'Escape'])('ends when it is left: %s', async (way) => {
    const gate = createGate();
    const { open, model } = await stage({
      steps: () => [{ holdBefore: gate, text: 'late' }, { text: 'All is well.' }],
    });
    const pane = await open();
    await openSetup(pane);
    await gate.reached;
    await (way === 'Escape' ? pane.back() : pane.action(way));
    await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
    await model.requests[0]?.closed;
    expect(model.requests[0]?.abandoned).toBe(true);
    await ask(pane, 'Well?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('All is well.');
    gate.open();
    model.assertComplete();
    expectSound(pane);
  });

  it.each<[string, { models: { id: string }[]; wanted: string }, string]>([
    ['there is no model', { models: [], wanted: '' }, 'ollama pull qwen3:4b'],
    [
      'the server lacks the model of the preferences',
      { models: [{ id: 'other' }], wanted: 'mine:7b' },
      'ollama pull mine:7b',
    ],
  ])('copies the command that helps when %s', async (_name, { models, wanted }, command) => {
    const routes: Routes = {};
    const here = await stage({
      dialect: 'ollama',
      models,
      routes,
      steps: () => (wanted === '' ? [] : [READY, CALLS]),
    });
    const { env, preferences } = web(here, routes);
    const pane = await here.open({ env, preferences: { ...preferences, model: wanted } });
    await openSetup(pane);
    await untilChecked(pane);
    await pane.select('model');
    await pane.waitFor(() => firstAction(pane) === 'Copy Command', { label: 'the command' });
    expect(detail(pane)).toContain(command);
    await pane.enter();
    await pane.waitFor(() => pane.clipboard?.text === command, { label: 'the clipboard' });
    expect(pane.toast).toMatchObject({ title: 'Command copied', message: command });
    expectSound(pane);
  });

  it('with Web off searches nothing and reads nothing', async () => {
    const { open, site, model } = await stage({
      preferences: { webTools: false },
      steps: () => [READY, CALLS],
    });
    const pane = await open();
    await openSetup(pane);
    await untilChecked(pane);
    expect(states(pane)).toEqual([OK, OK, OK, OK, LEFT_OUT, LEFT_OUT]);
    const { text } = await copied(pane, 'Copy Report');
    expect(text).toContain('- Search: left out. The preference Web is off.\n');
    expect(text).toContain('- webTools: no\n');
    expect(site.requests).toEqual([]);
    model.assertComplete();
  });
});

describe('the first run', () => {
  it('puts the command for a model on the clipboard with Return, and finds the model then', async () => {
    const models: { id: string; capabilities: string[] }[] = [];
    const { open } = await stage({ dialect: 'ollama', models, steps: () => [{ text: 'Hello.' }] });
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'Ollama has no model yet', {
      label: 'what is missing',
    });
    expect(firstAction(pane)).toBe('Copy Command');
    await pane.enter();
    await pane.waitFor(() => pane.clipboard?.text === 'ollama pull qwen3:4b', {
      label: 'the clipboard',
    });
    expect(pane.toast).toMatchObject({ title: 'Command copied', message: 'ollama pull qwen3:4b' });
    expect(pane.windowOpen).toBe(true);
    models.push({ id: 'qwen3:4b', capabilities: ['completion', 'tools'] });
    await pane.action('Check Again');
    await pane.waitFor(() => chosenModel(pane) === 'qwen3:4b', { label: 'the model' });
    await ask(pane, 'Hello?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('Hello.');
    expectSound(pane);
  });

  it('copies the command that starts Ollama when it does not run', async () => {
    const { open, model } = await stage({ dialect: 'ollama' });
    await model.close();
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'Ollama is not running', {
      label: 'what is missing',
    });
    expect((await copied(pane, 'Copy Command')).text).toBe('ollama serve');
    expectSound(pane);
  });

  it.each(['Check Setup…', 'Preferences'])('offers %s when nothing works', async (title) => {
    const { open } = await stage({ preferences: { address: '', webTools: false } });
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'No server address yet', {
      label: 'what is missing',
    });
    await pane.action(title);
    if (title === 'Preferences')
      await pane.waitFor(() => pane.preferencesOpened === 1, { label: 'the preferences' });
    else await pane.waitFor(() => states(pane)[0] === FAILED, { label: 'the first step' });
    expectSound(pane);
  });
});

describe('Preferences', () => {
  it('opens them from the chat, with exchanges and without', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Hello.' }] });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    await pane.action('Preferences');
    await pane.waitFor(() => pane.preferencesOpened === 1, { label: 'the preferences' });
    await pane.reopen();
    await ask(pane, 'Hello?');
    await untilTurn(pane, 'done');
    await pane.action('Preferences');
    await pane.waitFor(() => pane.preferencesOpened === 2, { label: 'the preferences again' });
    expectSound(pane);
  });
});
