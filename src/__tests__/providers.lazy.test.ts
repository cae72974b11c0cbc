import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { readPreferences } from '../host/preferences';
import { lazyModelServer } from '../host/providers/lazy-server';
import { lazySetup } from '../host/setup/lazy-setup';
import type { SetupProgress } from '../host/setup/steps';
import {
  collect,
  createGate,
  merged,
  question,
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';
import { smallWeb } from './support/small-web';
import { tempFolders } from './support/temp-folder';

const ASSETS = join(import.meta.dirname, '../../assets');
const live = (): AbortSignal => new AbortController().signal;

const tempFolder = tempFolders();
const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

const lazy = (
  assetsPath: string,
  options: Partial<Omit<Parameters<typeof lazyModelServer>[0], 'assetsPath'>> = {},
) => lazyModelServer({ assetsPath, kind: 'ollama', address: '', apiKey: '', ...options });

/** A folder with this as `providers.js`. */
function assetsWith(code: string): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'providers.js'), code);
  return folder;
}

describe('the built file', () => {
  it.each([
    ['ollama', 'ollama'],
    ['openai', 'openai-compatible'],
    ['anthropic', 'anthropic'],
  ] as const)('talks to a server (%s)', async (dialect, kind) => {
    const scripted = await serve({ dialect, steps: [{ text: ['The ', 'moon.'] }] });
    const { server, chooseModel } = lazy(ASSETS, { kind, address: scripted.baseUrl });
    const listed = await server.listModels(live());
    expect(chooseModel(listed.ok ? listed.models : [])).toEqual({ ok: true, model: 'scripted' });
    expect(merged(await collect(server.stream(question(), live())))).toEqual(
      expect.arrayContaining([
        { type: 'text-delta', text: 'The moon.' },
        { type: 'end', reason: 'stop' },
      ]),
    );
    scripted.assertComplete();
  });

  it('says which model is missing', () => {
    const chosen = lazy(ASSETS).chooseModel([]);
    expect(chosen).toMatchObject({ ok: false, failure: { kind: 'no-model' } });
    expect(chosen.ok ? '' : chosen.failure.message).toContain('http://127.0.0.1:11434');
    expect(lazy(ASSETS).chooseModel([], 'mine')).toEqual({ ok: true, model: 'mine' });
  });

  it('takes an address that is none as a failure of everything', async () => {
    const { server } = lazy(ASSETS, { kind: 'openai-compatible' });
    expect(await server.listModels(live())).toMatchObject({
      ok: false,
      failure: { kind: 'wrong-address', title: 'No server address yet' },
    });
    expect(await collect(server.stream(question(), live()))).toMatchObject([{ type: 'error' }]);
  });

  it('stops in the middle of an answer', async () => {
    const gate = createGate();
    const scripted = await serve({ dialect: 'openai', steps: [{ text: ['One', gate, 'two'] }] });
    const { server } = lazy(ASSETS, { kind: 'openai-compatible', address: scripted.baseUrl });
    const stop = new AbortController();
    const events = collect(server.stream(question(), stop.signal));
    await gate.reached;
    stop.abort();
    expect((await events).at(-1)).toMatchObject({ type: 'error', failure: { kind: 'aborted' } });
    gate.open();
  });

  it('is what the commands leave out: servers, failures, and the check', () => {
    const text = readFileSync(join(ASSETS, 'providers.js'), 'utf8');
    for (const mark of ['anthropic-version', 'num_ctx', 'stream_options', 'repeat_word'])
      expect(text).toContain(mark);
  });
});

const MADE = `{
  server: {
    stream: async function* () { yield { type: 'text-delta', text: 'Load ' + loads }; yield { type: 'end', reason: 'stop' }; },
    listModels: () => Promise.resolve({ ok: true, models: [{ id: 'load-' + loads }] }),
  },
  chooseModel: (models) => ({ ok: true, model: models[0].id }),
}`;

it('is loaded with the first use, once, and not before', async () => {
  const folder =
    assetsWith(`globalThis.serverLoads = (globalThis.serverLoads ?? 0) + 1; const loads = globalThis.serverLoads;
exports.createModelServer = () => (${MADE});`);
  const { server, chooseModel } = lazy(folder);
  expect(globalThis).not.toHaveProperty('serverLoads');
  const listed = await server.listModels(live());
  expect(listed).toEqual({ ok: true, models: [{ id: 'load-1' }] });
  writeFileSync(join(folder, 'providers.js'), 'throw new Error("replaced")');
  expect(await collect(server.stream(question(), live()))).toEqual([
    { type: 'text-delta', text: 'Load 1' },
    { type: 'end', reason: 'stop' },
  ]);
  expect(chooseModel([{ id: 'a' }])).toEqual({ ok: true, model: 'a' });
});

describe('a file that cannot be used', () => {
  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'is missing (assets/providers.js)'],
    [
      'fails',
      'throw new Error("Out of order\\nRequire stack")',
      'cannot be loaded (assets/providers.js: Out of order)',
    ],
    ['throws no error', 'throw 7', 'cannot be loaded (assets/providers.js: 7)'],
    [
      'was cut off',
      'exports.createModelServer = () => {',
      'cannot be loaded (assets/providers.js: Unexpected end of input)',
    ],
    ['is another file', 'exports.other = 1', 'does not belong to this version'],
    ['is empty', '', 'does not belong to this version'],
    ['exports nothing', 'module.exports = null', 'does not belong to this version'],
    ['has no function', 'exports.createModelServer = 1', 'does not belong to this version'],
    ['makes nothing', 'exports.createModelServer = () => undefined', 'does not belong to this'],
    [
      'makes half',
      'exports.createModelServer = () => ({ server: { stream() {} }, chooseModel() {} })',
      'does not belong to this version (assets/providers.js)',
    ],
    [
      'fails to make',
      'exports.createModelServer = () => { throw new Error("x") }',
      'cannot be loaded (assets/providers.js: x)',
    ],
    [
      'says a lot',
      `throw new Error('x'.repeat(500))`,
      `cannot be loaded (assets/providers.js: ${'x'.repeat(100)})`,
    ],
  ])('because it %s: each use says what to do', async (_name, code, said) => {
    const { server, chooseModel } = lazy(code === undefined ? tempFolder() : assetsWith(code));
    const listed = await server.listModels(live());
    const failure = listed.ok ? undefined : listed.failure;
    expect(failure).toMatchObject({ kind: 'server-error', title: 'Lam is incomplete' });
    expect(failure?.message).toContain(said);
    expect(failure?.message).toMatch(/\. Reinstall Lam, or run npm run prepare\.$/);
    expect(await collect(server.stream(question(), live()))).toEqual([{ type: 'error', failure }]);
    expect(chooseModel([{ id: 'a' }])).toEqual({ ok: false, failure });
  });

  it('is a folder', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'providers.js'));
    expect(await lazy(folder).server.listModels(live())).toMatchObject({ ok: false });
  });

  it('is looked for again by the next use', async () => {
    const folder = tempFolder();
    const { server } = lazy(folder);
    expect(await server.listModels(live())).toMatchObject({ ok: false });
    writeFileSync(
      join(folder, 'providers.js'),
      `const loads = 'later'; exports.createModelServer = () => (${MADE});`,
    );
    expect(await server.listModels(live())).toEqual({ ok: true, models: [{ id: 'load-later' }] });
  });
});

describe('Check Setup', () => {
  const setup = (assetsPath: string, address: string, vicinae: unknown) =>
    lazySetup({
      assetsPath,
      ...lazy(assetsPath, { kind: 'openai-compatible', address }),
      ...smallWeb({}),
      searchService: 'wikipedia',
      now: () => 0,
      after: () => () => undefined,
      facts: {
        lam: '1.2.3',
        vicinae,
        node: '22',
        preferences: readPreferences({ modelServer: 'openai-compatible', address }).preferences,
        problems: [],
      },
    });

  it('runs from the file, and ends with a report', async () => {
    const scripted = await serve({
      dialect: 'openai',
      steps: [
        { text: 'Ready' },
        { calls: [{ name: 'repeat_word', arguments: { word: 'lighthouse' } }] },
      ],
    });
    const seen: SetupProgress[] = [];
    const whole = await setup(ASSETS, scripted.baseUrl, { tag: 'v0.26.3' })(
      (progress) => seen.push(progress),
      live(),
    );
    expect(whole.steps.map(({ state }) => state)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'warning',
      'failed',
    ]);
    expect(seen.at(-1)).toEqual(whole);
    expect(seen.filter(({ isDone }) => isDone)).toHaveLength(1);
    expect(whole.report).toContain('Lam 1.2.3, Vicinae v0.26.3, Node 22');
    expect(whole.report).toContain('- Tool calls: ok');
    expect(seen[0]?.report).toContain('- Tool calls: not yet');
  });

  it.each([undefined, null, 'v1', {}, { tag: 7 }])(
    'does not mind what the launcher says of its version (%j)',
    async (vicinae) => {
      const { report } = await setup(
        ASSETS,
        'http://127.0.0.1:9/v1',
        vicinae,
      )(() => undefined, AbortSignal.abort());
      expect(report).toContain('Vicinae unknown');
    },
  );

  it('without the file says so in its first step', async () => {
    const seen: SetupProgress[] = [];
    const whole = await setup(
      tempFolder(),
      '',
      undefined,
    )((progress) => seen.push(progress), live());
    expect(seen).toEqual([whole]);
    expect(whole.isDone).toBe(true);
    expect(whole.steps[0]).toMatchObject({ id: 'server', state: 'failed' });
    expect(whole.steps[0]?.said).toContain('assets/providers.js');
    expect(whole.steps.slice(1).every(({ state }) => state === 'skipped')).toBe(true);
    expect(whole.report).toContain('Reinstall Lam');
  });
});
