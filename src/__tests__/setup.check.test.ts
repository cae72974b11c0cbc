import { afterEach, describe, expect, it } from 'vitest';

import { readPreferences, type Preferences } from '../host/preferences';
import type { ServerPorts } from '../host/providers/server';
import { checkSetup, type CheckOptions } from '../host/setup/check';
import { createModelServer } from '../host/providers/server';
import type { SetupStep, StepId } from '../host/setup/steps';
import type { ModelInfo, SearchOutcome } from '../lib/types';
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';
import { ask, failure, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallWeb, type SmallWeb } from './support/small-web';

const HIT = { title: 'Vicinae', url: 'https://vicinae.example/', content: 'A launcher.' };
const FOUND: SmallWeb = {
  searches: { 'Vicinae launcher': [HIT] },
  pages: { 'https://vicinae.example/': { title: 'Vicinae, a launcher', text: 'x'.repeat(1234) } },
};
const SURE_PAGE = 'https://en.wikipedia.org/wiki/Main_Page';
const CALL = ask([{ name: 'repeat_word', arguments: { word: 'lighthouse' } }]);
const SMALL: ModelInfo[] = [{ id: 'small', canCallTools: true }];

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A clock that only `fire` moves: it lets every limit pass that is waiting. */
function manualClock() {
  const waiting = new Set<() => void>();
  let at = 1_000;
  return {
    now: () => at,
    after: (_ms: number, run: () => void) => {
      waiting.add(run);
      return () => waiting.delete(run);
    },
    fire(ms: number) {
      at += ms;
      for (const run of [...waiting]) run();
    },
    waiting,
  };
}

interface Setup {
  models?: ModelInfo[];
  list?: ServerPorts['server']['listModels'];
  steps?: readonly ScriptStep[];
  settings?: Partial<Preferences>;
  web?: SmallWeb;
  more?: Partial<CheckOptions>;
  /** Called with each list of steps. */
  onStep?: (steps: readonly SetupStep[], clock: ReturnType<typeof manualClock>) => void;
}

/** Checks a setup of which everything works unless it is said otherwise. */
async function check({
  models = SMALL,
  list,
  steps = [say('Ready'), CALL],
  settings = {},
  web = FOUND,
  more = {},
  onStep,
}: Setup = {}) {
  const clock = manualClock();
  const provider = scriptedProvider(steps);
  const seen: (readonly SetupStep[])[] = [];
  const result = await checkSetup({
    server: {
      stream: (request, signal) => provider.stream(request, signal),
      listModels: list ?? (() => Promise.resolve({ ok: true, models })),
    },
    chooseModel: createModelServer({ kind: 'ollama', address: '', apiKey: '' }).chooseModel,
    ...smallWeb(web),
    searchService: 'searxng',
    settings: { ...readPreferences({}).preferences, ...settings },
    now: clock.now,
    after: clock.after,
    signal: new AbortController().signal,
    onStep: (now) => {
      seen.push(now);
      onStep?.(now, clock);
    },
    ...more,
  });
  const of = (id: StepId) => result.find((step) => step.id === id);
  return { result, seen, provider, clock, of };
}

const states = (steps: readonly SetupStep[]) => steps.map(({ state }) => state).join(' ');

describe('a setup that works', () => {
  it('says of each step what it found', async () => {
    const { result, provider, clock } = await check();
    expect(result).toEqual([
      { id: 'server', state: 'ok', ms: 0, said: 'Ollama at http://127.0.0.1:11434 answers.' },
      {
        id: 'model',
        state: 'ok',
        ms: 0,
        said: 'small, of 1 model, as the preference Model is empty.',
      },
      { id: 'answer', state: 'ok', ms: 0, said: 'small began to answer after 0.0 s: “Ready”' },
      { id: 'tools', state: 'ok', ms: 0, said: 'small calls tools properly.' },
      { id: 'search', state: 'ok', ms: 0, said: 'SearXNG found 1 page for “Vicinae launcher”.' },
      {
        id: 'fetch',
        state: 'ok',
        ms: 0,
        said: 'Read 1,234 characters of “Vicinae, a launcher” (vicinae.example).',
      },
    ]);
    provider.assertComplete();
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([0, 1]);
    expect(clock.waiting.size).toBe(0);
  });

  it('tells each change, one step at a time', async () => {
    const { seen, result } = await check();
    expect(seen.map(states)).toEqual([
      'waiting waiting waiting waiting waiting waiting',
      'running waiting waiting waiting waiting waiting',
      'ok waiting waiting waiting waiting waiting',
      'ok running waiting waiting waiting waiting',
      'ok ok waiting waiting waiting waiting',
      'ok ok running waiting waiting waiting',
      'ok ok ok waiting waiting waiting',
      'ok ok ok running waiting waiting',
      'ok ok ok ok waiting waiting',
      'ok ok ok ok running waiting',
      'ok ok ok ok ok waiting',
      'ok ok ok ok ok running',
      'ok ok ok ok ok ok',
    ]);
    expect(seen.at(-1)).toEqual(result);
  });

  it.each<[NonNullable<ModelServerOptions['dialect']>, Preferences['modelServer']]>([
    ['ollama', 'ollama'],
    ['openai', 'openai-compatible'],
    ['anthropic', 'anthropic'],
  ])('over a real connection (%s)', async (dialect, kind) => {
    const server = await startModelServer({
      dialect,
      models: [{ id: 'small' }],
      steps: [
        { text: 'Ready' },
        { calls: [{ name: 'repeat_word', arguments: { word: 'lighthouse' } }] },
      ],
    });
    servers.push(server);
    const ports = createModelServer({ kind, address: server.baseUrl, apiKey: 'key-1234567' });
    const settings = { modelServer: kind, address: server.baseUrl, apiKey: 'key-1234567' };
    const { result, of } = await check({ settings, more: ports });
    expect(states(result)).toBe('ok ok ok ok ok ok');
    expect(of('server')?.said).toContain(`at ${server.origin} answers.`);
    server.assertComplete();
  });
});

describe('the model server', () => {
  const refused = (kind: 'not-running' | 'unauthorized' | 'wrong-address', message: string) => () =>
    Promise.resolve({ ok: false as const, failure: { kind, message } });

  it('that does not answer leaves out what needs it; search and fetch run', async () => {
    const list = refused('not-running', 'Ollama is not running.');
    const { result, of, provider } = await check({ list, steps: [] });
    expect(states(result)).toBe('failed skipped skipped skipped ok ok');
    expect(of('server')).toMatchObject({ command: 'ollama serve', isPreference: false });
    expect(of('server')?.said).toMatch(/^Ollama is not running\. Not installed yet\?/);
    expect(of('answer')).toEqual({
      id: 'answer',
      state: 'skipped',
      said: 'Needs the model server.',
    });
    expect(provider.requests).toHaveLength(0);
  });

  it('that wants a key is put right in the preferences', async () => {
    const { of } = await check({ list: refused('unauthorized', 'It wants a key.'), steps: [] });
    expect(of('server')).toMatchObject({ state: 'failed', isPreference: true });
  });

  it('without a list is asked all the same if a model is set', async () => {
    const { result, of } = await check({
      list: refused('wrong-address', 'No such path.'),
      settings: { model: 'mine' },
    });
    expect(states(result)).toBe('warning warning ok ok ok ok');
    expect(of('server')?.said).toBe('Its models cannot be listed: No such path.');
    expect(of('answer')?.said).toContain('mine began to answer');
  });

  it.each(['not-running', 'unauthorized'] as const)(
    'that is %s is not asked, also if a model is set',
    async (kind) => {
      const list = refused(kind, 'No.');
      const { result } = await check({ list, steps: [], settings: { model: 'mine' } });
      expect(states(result)).toBe('failed skipped skipped skipped ok ok');
    },
  );

  it('that never says anything is given up after its limit', async () => {
    const { of, result } = await check({
      list: () => new Promise(() => undefined),
      steps: [],
      onStep: (steps, clock) => {
        if (steps[0]?.state === 'running')
          queueMicrotask(() => {
            clock.fire(20_000);
          });
      },
    });
    expect(of('server')).toMatchObject({
      state: 'failed',
      ms: 20_000,
      said: 'The model server did not answer within 20 seconds.',
    });
    expect(states(result)).toBe('failed skipped skipped skipped ok ok');
  });

  it('that breaks its contract is a failed step', async () => {
    const { of } = await check({ list: () => Promise.reject(new Error('broken')), steps: [] });
    expect(of('server')).toMatchObject({
      state: 'failed',
      said: 'Something went wrong in Lam: broken',
    });
  });
});

describe('the model', () => {
  it.each<[string, ModelInfo[], Partial<Preferences>, Partial<SetupStep>]>([
    [
      'none at all',
      [],
      {},
      { state: 'failed', command: 'ollama pull qwen3:4b', isPreference: false },
    ],
    [
      'not in the list of Ollama',
      SMALL,
      { model: 'gone:8b' },
      {
        state: 'warning',
        said: 'The server lists 1 model, but not gone:8b.',
        advice: 'Get it with `ollama pull gone:8b`, or correct the preference Model.',
        command: 'ollama pull gone:8b',
      },
    ],
    [
      'not in the list of another server',
      SMALL,
      { model: 'gone', modelServer: 'openai-compatible', address: 'https://api.example' },
      { state: 'warning', advice: 'Correct the preference Model if the next step fails.' },
    ],
    [
      'set, and the list is empty',
      [],
      { model: 'mine', modelServer: 'openai-compatible', address: 'https://api.example' },
      {
        state: 'warning',
        said: 'The server lists no models; mine is set in the preferences.',
      },
    ],
    [
      'set and there',
      [...SMALL, { id: 'other' }],
      { model: 'other' },
      { state: 'ok', said: 'other, as set in the preferences.' },
    ],
    [
      'set without its tag',
      [{ id: 'qwen3:latest' }],
      { model: 'qwen3' },
      { state: 'ok', said: 'qwen3:latest, as set in the preferences.' },
    ],
  ])('%s', async (_name, models, settings, expected) => {
    const { of } = await check({ models, settings });
    expect(of('model')).toMatchObject(expected);
  });

  it('a name that a shell would act on is no command', async () => {
    const { of } = await check({ settings: { model: 'a; rm -rf ~' } });
    expect(of('model')?.state).toBe('warning');
    expect(of('model')?.command).toBeUndefined();
  });

  it('without one nothing is asked', async () => {
    const { result, provider } = await check({ models: [], steps: [] });
    expect(states(result)).toBe('ok failed skipped skipped ok ok');
    expect(provider.requests).toHaveLength(0);
  });
});

describe('the answer', () => {
  it.each<[string, ScriptStep, Partial<SetupStep>]>([
    [
      'is long: enough is enough',
      [...say('word '.repeat(60)).slice(0, -1), 'deaf'],
      { state: 'ok' },
    ],
    [
      'is a failure',
      [failure('model-not-found', 'No such model.')],
      { state: 'failed', said: 'No such model.' },
    ],
    [
      'breaks off',
      [...say('Rea').slice(0, -1), failure('cut', 'The connection was cut.')],
      { state: 'warning', said: 'The connection was cut.' },
    ],
    [
      'is thought only',
      [
        { type: 'reasoning-delta', text: 'Hm.' },
        { type: 'end', reason: 'length' },
      ],
      { state: 'warning', said: 'small thought and then wrote no answer.' },
    ],
    ['is empty', say(' '), { state: 'failed', said: 'small sent an empty answer.' }],
    ['has no end', say('Ready').slice(0, -1), { state: 'ok' }],
    [
      'is an exception',
      [new Error('torn')],
      { state: 'failed', said: 'Something went wrong in Lam: torn' },
    ],
  ])('%s', async (_name, step, expected) => {
    const { of } = await check({ steps: [step, CALL] });
    expect(of('answer')).toMatchObject(expected);
    expect(of('tools')?.state).toBe(expected.state === 'failed' ? 'skipped' : 'ok');
  });

  it.each<[string, ScriptStep, Partial<SetupStep>]>([
    ['nothing', ['deaf'], { state: 'failed', said: 'small sent nothing for 60 seconds.' }],
    [
      'thoughts',
      [{ type: 'reasoning-delta', text: 'Hm.' }, 'deaf'],
      { state: 'warning', said: 'small was still thinking after 60 seconds.' },
    ],
    ['some words', [...say('Rea').slice(0, -1), 'deaf'], { state: 'ok' }],
  ])('after a minute of %s', async (_name, step, expected) => {
    const { of } = await check({
      steps: [step, CALL],
      onStep: (steps, clock) => {
        if (steps[2]?.state === 'running')
          setImmediate(() => {
            clock.fire(60_000);
          });
      },
    });
    expect(of('answer')).toMatchObject({ ...expected, ms: 60_000 });
  });
});

describe('tool calls', () => {
  it.each<[string, ScriptStep, Partial<SetupStep>]>([
    [
      'as JSON text, with other case and blanks',
      ask([{ name: 'repeat_word', arguments: '{"word":" Lighthouse "}' }]),
      { state: 'ok' },
    ],
    [
      'of another tool',
      ask([{ name: 'other', arguments: { word: 'lighthouse' } }]),
      { state: 'warning' },
    ],
    [
      'with another word',
      ask([{ name: 'repeat_word', arguments: { word: 'x' } }]),
      { state: 'warning' },
    ],
    ['with no JSON', ask([{ name: 'repeat_word', arguments: '{"word":' }]), { state: 'warning' }],
    ['with a number', ask([{ name: 'repeat_word', arguments: { word: 7 } }]), { state: 'warning' }],
    ['with null', ask([{ name: 'repeat_word', arguments: null }]), { state: 'warning' }],
    [
      'that do not come',
      say('lighthouse'),
      {
        state: 'warning',
        said: 'small answered without calling the tool, so it may answer without searching.',
        advice: 'For better answers choose a model that can call tools, such as qwen3:4b.',
      },
    ],
    [
      'that are refused',
      [failure('no-tools', 'It cannot call tools.')],
      { state: 'warning', said: 'It cannot call tools.', isPreference: true },
    ],
    ['that fail', [failure('server-error', 'It failed.')], { state: 'failed', said: 'It failed.' }],
  ])('%s', async (_name, step, expected) => {
    const { of } = await check({ steps: [say('Ready'), step] });
    expect(of('tools')).toMatchObject(expected);
  });

  it('are not asked of a model that has none', async () => {
    const models = [{ id: 'small', canCallTools: false }];
    const { of, provider } = await check({ models, steps: [say('Ready')] });
    expect(of('tools')).toMatchObject({ state: 'warning', isPreference: true });
    expect(of('tools')?.said).toContain('cannot call tools');
    provider.assertComplete();
  });

  it('that do not come within a minute', async () => {
    const { of } = await check({
      steps: [say('Ready'), ['deaf']],
      onStep: (steps, clock) => {
        if (steps[3]?.state === 'running')
          setImmediate(() => {
            clock.fire(60_000);
          });
      },
    });
    expect(of('tools')).toMatchObject({
      state: 'warning',
      said: 'small had not called the tool after 60 seconds.',
    });
  });
});

describe('search and pages', () => {
  const searching = (outcome: SearchOutcome) => ({
    ...FOUND,
    searches: { 'Vicinae launcher': outcome },
  });

  it('a search that fails says why and what to do; a sure page is read', async () => {
    const web = smallWeb({
      ...searching({ ok: false, message: 'SearXNG at 127.0.0.1:8888 refused the connection' }),
      pages: { [SURE_PAGE]: { title: '', text: 'Welcome' } },
    });
    const search = Object.assign(web.search, { remedy: 'Check the SearXNG Address.' });
    const { of } = await check({ more: { ...web, search } });
    expect(of('search')).toMatchObject({
      state: 'failed',
      said: 'No search: SearXNG at 127.0.0.1:8888 refused the connection.',
      advice: 'Check the SearXNG Address.',
    });
    expect(of('fetch')).toMatchObject({
      state: 'ok',
      said: 'Read 7 characters (en.wikipedia.org).',
    });
  });

  it('a search that finds nothing is no success', async () => {
    const { of } = await check({ web: searching({ ok: true, hits: [] }) });
    expect(of('search')).toMatchObject({
      state: 'warning',
      said: 'SearXNG answers, but found nothing for “Vicinae launcher”.',
    });
  });

  it('a search of Wikipedia alone says so', async () => {
    const web = smallWeb(FOUND);
    const search = Object.assign(web.search, { scope: 'Wikipedia' as const });
    const { of } = await check({ more: { search, searchService: 'wikipedia' } });
    expect(of('search')).toMatchObject({
      state: 'ok',
      said: 'Wikipedia found 1 page for “Vicinae launcher”.',
    });
    expect(of('search')?.advice).toContain('Wikipedia only');
  });

  it('a page that does not let itself be read is not the fault of the setup', async () => {
    const pages = { [SURE_PAGE]: { title: 'Main Page', text: 'Welcome' } };
    const { of } = await check({ web: { ...FOUND, pages } });
    expect(of('fetch')).toMatchObject({
      state: 'ok',
      said: 'Read 7 characters of “Main Page” (en.wikipedia.org). Before that: vicinae.example: The server has no such page (404).',
    });
  });

  it('are left alone when the web is off', async () => {
    const asked: string[] = [];
    const search = (query: string) => {
      asked.push(query);
      return Promise.resolve({ ok: true as const, hits: [] });
    };
    const { of, result } = await check({ settings: { webTools: false }, more: { search } });
    expect(states(result)).toBe('ok ok ok ok skipped skipped');
    expect(of('search')?.said).toBe('The preference Web is off.');
    expect(asked).toEqual([]);
  });

  it('no page at all is', async () => {
    const { of } = await check({ web: { ...FOUND, pages: {} } });
    expect(of('fetch')).toMatchObject({ state: 'failed' });
    expect(of('fetch')?.said).toContain('en.wikipedia.org: The server has no such page (404).');
  });

  it.each(['', 'ftp://files.example/', 'not an address'])(
    'a hit at %j is not read',
    async (url) => {
      const pages = { [SURE_PAGE]: { title: '', text: 'Welcome' } };
      const { of } = await check({
        web: { searches: { 'Vicinae launcher': [{ ...HIT, url }] }, pages },
      });
      expect(of('fetch')?.said).toBe('Read 7 characters (en.wikipedia.org).');
    },
  );
});

describe('stopping', () => {
  it.each<[StepId, number, string]>([
    ['server', 0, 'skipped skipped skipped skipped skipped skipped'],
    ['answer', 2, 'ok ok skipped skipped skipped skipped'],
    ['search', 4, 'ok ok ok ok skipped skipped'],
  ])('while %s runs: it and the rest are left out, and nothing waits', async (_id, place, end) => {
    const stop = new AbortController();
    const { result, clock, of } = await check({
      more: { signal: stop.signal },
      onStep: (steps) => {
        if (steps[place]?.state === 'running') stop.abort();
      },
    });
    expect(states(result)).toBe(end);
    expect(of('fetch')?.said).toBe('The check was stopped.');
    expect(clock.waiting.size).toBe(0);
  });

  it('before it began', async () => {
    const { result, provider } = await check({ steps: [], more: { signal: AbortSignal.abort() } });
    expect(states(result)).toBe('skipped skipped skipped skipped skipped skipped');
    expect(provider.requests).toHaveLength(0);
  });
});

it('what servers say comes without secrets, in one line', async () => {
  const { result } = await check({
    settings: { apiKey: 'Bearer secret-key-of-mine', exaKey: 'other-secret-9' },
    steps: [say('secret-key-of-mine\n# Heading')],
    web: {
      searches: { 'Vicinae launcher': { ok: false, message: 'bad key other-secret-9\u202E' } },
    },
  });
  const told = JSON.stringify(result);
  expect(told).not.toMatch(/secret-key|other-secret|\u202E|\\n/);
  expect(told).toContain('[removed]');
});
