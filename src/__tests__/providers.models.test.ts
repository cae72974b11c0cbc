import { createServer, type RequestListener } from 'node:http';

import { afterEach, describe, expect, it } from 'vitest';

import { createAnthropicProvider } from '../host/providers/anthropic';
import { chooseModel, noModelFailure } from '../host/providers/models';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import type { ModelInfo } from '../lib/types';
import {
  collect,
  createGate,
  question,
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
  type RawStep,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function list(options: ModelServerOptions, signal = new AbortController().signal) {
  const server = await startModelServer(options);
  servers.push(server);
  return CREATE[options.dialect]({ baseUrl: server.baseUrl }).listModels(signal);
}

const CREATE = {
  openai: createOpenAiProvider,
  ollama: createOllamaProvider,
  anthropic: createAnthropicProvider,
};

const json = (body: unknown) => ({ raw: { body: JSON.stringify(body) } });

/** A server for what a script of steps cannot say: answers that depend on the query. */
async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${address.port}`, close };
}

describe('list of models', () => {
  it('of Ollama says what each can do, and leaves out what does not chat', async () => {
    const outcome = await list({
      dialect: 'ollama',
      models: [
        { id: 'nomic-embed', capabilities: ['embedding'] },
        { id: 'gemma3', capabilities: ['completion', 'vision'] },
        { id: 'qwen3', contextTokens: 40_960 },
        { id: 'tiny', contextTokens: 2_048 },
        { id: 'old-with-tools', capabilities: null, template: '{{ if .Tools }}…{{ end }}' },
        { id: 'old-without', capabilities: null, template: '{{ .Prompt }}' },
        { id: 'old-silent', capabilities: null },
      ],
    });
    expect(outcome).toEqual({
      ok: true,
      models: [
        { id: 'gemma3', canCallTools: false, canSeeImages: true },
        { id: 'qwen3', canCallTools: true, canSeeImages: false, contextTokens: 16_384 },
        { id: 'tiny', canCallTools: true, canSeeImages: false, contextTokens: 2_048 },
        { id: 'old-with-tools', canCallTools: true },
        { id: 'old-without', canCallTools: false },
        { id: 'old-silent' },
      ],
    });
  });

  it('of Ollama is whole also when a look-up fails', async () => {
    const outcome = await list({
      dialect: 'ollama',
      models: [{ id: 'qwen3' }],
      routes: { '/api/show': { raw: { status: 500, body: '{"error":"broken file"}' } } },
    });
    expect(outcome).toEqual({ ok: true, models: [{ id: 'qwen3' }] });
  });

  it('of an OpenAI-compatible server', async () => {
    const data = [
      { id: 'plain' },
      { id: 'router/tools', supported_parameters: ['tools', 'seed'] },
      { id: 'router/none', supported_parameters: ['seed'] },
      { id: 'capable', capabilities: { completion_chat: true, function_calling: true } },
      { id: 'router/long', context_length: 262_144, architecture: { input_modalities: ['image'] } },
      { id: 'mistral', max_context_length: 131_072, capabilities: { vision: false } },
      { id: 'vllm', max_model_len: 8_192 },
      { id: 'groq', context_window: 131_072 },
      { id: 'llama.cpp', meta: { n_ctx_train: 32_768 } },
      { id: 'llama.cpp, run with less', meta: { n_ctx: 4_096, n_ctx_train: 32_768 } },
      { id: 'unknown as 0', context_length: 0, max_model_len: 8_192 },
      { id: 'unknown as -1', context_length: -1, max_context_length: 0.5, context_window: 8_192 },
      { id: 'unknown', context_length: 0, meta: { n_ctx: 0, n_ctx_train: 32_768 } },
      { id: 'odd', context_length: '4k', supported_parameters: 'tools' },
      { id: 'embedder', capabilities: { completion_chat: false } },
      { name: 'no id' },
      null,
    ];
    const outcome = await list({ dialect: 'openai', routes: { '/v1/models': json({ data }) } });
    expect(outcome).toEqual({
      ok: true,
      models: [
        { id: 'plain' },
        { id: 'router/tools', canCallTools: true },
        { id: 'router/none', canCallTools: false },
        { id: 'capable', canCallTools: true },
        { id: 'router/long', canSeeImages: true, contextTokens: 262_144 },
        { id: 'mistral', canSeeImages: false, contextTokens: 131_072 },
        { id: 'vllm', contextTokens: 8_192 },
        { id: 'groq', contextTokens: 131_072 },
        { id: 'llama.cpp' },
        { id: 'llama.cpp, run with less', contextTokens: 4_096 },
        { id: 'unknown as 0', contextTokens: 8_192 },
        { id: 'unknown as -1', contextTokens: 8_192 },
        { id: 'unknown' },
        { id: 'odd' },
      ],
    });
  });

  it('of Ollama is looked up once for each version of a model', async () => {
    const tags = (digest: string) => json({ models: [{ name: 'qwen3', digest }] });
    const routes: Record<string, RawStep> = { '/api/tags': tags('one') };
    const server = await startModelServer({ dialect: 'ollama', models: [{ id: 'qwen3' }], routes });
    servers.push(server);
    const provider = createOllamaProvider({ baseUrl: server.baseUrl });
    const signal = new AbortController().signal;
    const shows = () => server.paths.filter((path) => path === '/api/show').length;
    const first = await provider.listModels(signal);
    expect(await provider.listModels(signal)).toEqual(first);
    expect(shows()).toBe(1);
    routes['/api/tags'] = tags('two');
    await provider.listModels(signal);
    expect(shows()).toBe(2);
  });

  it('of Ollama is looked up by few requests at a time', async () => {
    const gate = createGate();
    const models = Array.from({ length: 9 }, (_, n) => ({ id: `model-${n}` }));
    const show: RawStep = { raw: { body: [gate, '{"capabilities":["completion"]}'] } };
    const server = await startModelServer({
      dialect: 'ollama',
      models,
      routes: { '/api/show': show },
    });
    servers.push(server);
    const provider = createOllamaProvider({ baseUrl: server.baseUrl });
    const listed = provider.listModels(new AbortController().signal);
    const shows = () => server.paths.filter((path) => path === '/api/show').length;
    await expect.poll(shows).toBe(4);
    gate.open();
    expect(await listed).toMatchObject({ ok: true, models: { length: 9 } });
    expect(shows()).toBe(9);
  });

  it('decides how much context Ollama is asked for', async () => {
    const server = await startModelServer({
      dialect: 'ollama',
      models: [
        { id: 'tiny', contextTokens: 2_048 },
        { id: 'large', contextTokens: 131_072 },
      ],
      steps: () => ({ text: 'Salt.' }),
    });
    servers.push(server);
    const provider = createOllamaProvider({ baseUrl: server.baseUrl });
    const signal = new AbortController().signal;
    await provider.listModels(signal);
    for (const model of ['tiny', 'large', 'unknown'])
      await collect(provider.stream(question({ model }), signal));
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      { options: { num_ctx: 2_048 } },
      { options: { num_ctx: 16_384 } },
      { options: { num_ctx: 16_384 } },
    ]);
  });

  it('of Anthropic is read page by page', async () => {
    const queries: (string | undefined)[] = [];
    const rows = [
      {
        id: 'claude-a',
        max_input_tokens: 200_000,
        capabilities: { image_input: { supported: true } },
      },
      { id: 'claude-b', max_input_tokens: null, capabilities: null },
    ];
    const { origin, close } = await listen((request, response) => {
      queries.push(request.url);
      const isFirst = !request.url?.includes('after_id');
      response.end(
        JSON.stringify({
          data: isFirst ? rows.slice(0, 1) : rows.slice(1),
          has_more: isFirst,
          last_id: isFirst ? 'claude a' : 'claude-b',
        }),
      );
    });
    try {
      const provider = createAnthropicProvider({ baseUrl: origin, apiKey: 'key' });
      expect(await provider.listModels(new AbortController().signal)).toEqual({
        ok: true,
        models: [
          { id: 'claude-a', canSeeImages: true, contextTokens: 200_000 },
          { id: 'claude-b' },
        ],
      });
      expect(queries).toEqual([
        '/v1/models?limit=1000',
        '/v1/models?limit=1000&after_id=claude%20a',
      ]);
    } finally {
      await close();
    }
  });

  it('of other servers of the Messages API has their contexts', async () => {
    const data = [
      { id: 'vllm', max_model_len: 8_192 },
      { id: 'llama.cpp', max_input_tokens: 0, meta: { n_ctx: 4_096, n_ctx_train: 32_768 } },
      { id: 'unknown', max_input_tokens: -1, meta: { n_ctx_train: 32_768 } },
    ];
    const outcome = await list({ dialect: 'anthropic', routes: { '/v1/models': json({ data }) } });
    expect(outcome).toEqual({
      ok: true,
      models: [
        { id: 'vllm', contextTokens: 8_192 },
        { id: 'llama.cpp', contextTokens: 4_096 },
        { id: 'unknown' },
      ],
    });
  });

  it('of Anthropic that never ends is cut', async () => {
    let pages = 0;
    const { origin, close } = await listen((_request, response) => {
      pages += 1;
      response.end('{"data":[{"id":"same"}],"has_more":true,"last_id":"same"}');
    });
    try {
      const provider = createAnthropicProvider({ baseUrl: origin });
      const outcome = await provider.listModels(new AbortController().signal);
      expect(outcome).toMatchObject({ ok: true, models: { length: 5 } });
      expect(pages).toBe(5);
    } finally {
      await close();
    }
  });

  it('may be empty', async () => {
    expect(await list({ dialect: 'anthropic', models: [] })).toEqual({ ok: true, models: [] });
    expect(await list({ dialect: 'ollama', models: [] })).toEqual({ ok: true, models: [] });
    expect(await list({ dialect: 'openai', models: [] })).toEqual({ ok: true, models: [] });
  });

  it.each<[name: string, options: ModelServerOptions, kind: string]>([
    [
      'wrong key',
      { dialect: 'openai', routes: { '/v1/models': { raw: { status: 401, body: '{}' } } } },
      'unauthorized',
    ],
    [
      'web page',
      { dialect: 'openai', routes: { '/v1/models': { raw: { body: '<html>' } } } },
      'not-json',
    ],
    [
      'no JSON',
      { dialect: 'ollama', routes: { '/api/tags': { raw: { body: 'hello' } } } },
      'not-json',
    ],
    [
      'other JSON',
      { dialect: 'openai', routes: { '/v1/models': json({ ok: true }) } },
      'wrong-address',
    ],
    ['other JSON', { dialect: 'ollama', routes: { '/api/tags': json([]) } }, 'wrong-address'],
    [
      'no such path',
      {
        dialect: 'ollama',
        routes: { '/api/tags': { raw: { status: 404, body: '404 page not found' } } },
      },
      'wrong-address',
    ],
    [
      'wrong key',
      { dialect: 'anthropic', routes: { '/v1/models': { raw: { status: 401, body: '{}' } } } },
      'unauthorized',
    ],
    ['other JSON', { dialect: 'anthropic', routes: { '/v1/models': json({}) } }, 'wrong-address'],
    [
      'cut',
      {
        dialect: 'openai',
        routes: { '/v1/models': { raw: { body: '{"data":[', cutAfterBytes: 5 } } },
      },
      'cut',
    ],
  ])('fails: %s', async (_name, options, kind) => {
    expect(await list(options)).toMatchObject({ ok: false, failure: { kind } });
  });

  it.each(['openai', 'ollama', 'anthropic'] as const)(
    'ends with the signal (%s)',
    async (dialect) => {
      const path = dialect === 'ollama' ? '/api/tags' : '/v1/models';
      const abort = new AbortController();
      const outcome = list(
        { dialect, routes: { [path]: { raw: { body: '{', hang: 'after-body' } } } },
        abort.signal,
      );
      abort.abort();
      expect(await outcome).toEqual({
        ok: false,
        failure: { kind: 'aborted', message: 'Stopped.' },
      });
    },
  );

  it('ends with the signal during the look-ups', async () => {
    const server = await startModelServer({
      dialect: 'ollama',
      routes: { '/api/show': { raw: { hang: 'before-headers' } } },
    });
    servers.push(server);
    const abort = new AbortController();
    const outcome = createOllamaProvider({ baseUrl: server.baseUrl }).listModels(abort.signal);
    await expect.poll(() => server.paths).toContain('/api/show');
    abort.abort();
    expect(await outcome).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
  });
});

describe('choice of a model', () => {
  const models: ModelInfo[] = [
    { id: 'text-embedding-3' },
    { id: 'mystery' },
    { id: 'gemma3:4b', canCallTools: false },
    { id: 'qwen3:latest', canCallTools: true },
    { id: 'llama3.1:8b', canCallTools: true },
  ];

  it.each<[name: string, models: ModelInfo[], wanted: string | undefined, id: string | undefined]>([
    ['the first that can call tools', models, undefined, 'qwen3:latest'],
    ['a blank wish is none', models, '  ', 'qwen3:latest'],
    ['the wanted one', models, 'llama3.1:8b', 'llama3.1:8b'],
    ['the wanted one although it cannot', models, 'gemma3:4b', 'gemma3:4b'],
    ['latest is implied', models, 'qwen3', 'qwen3:latest'],
    ['the wanted one although it is not listed', models, 'other', 'other'],
    ['the wanted one of an empty list', [], 'other', 'other'],
    ['one that may, no embedder', models.slice(0, 3), undefined, 'mystery'],
    ['one that cannot, rather than none', models.slice(2, 3), undefined, 'gemma3:4b'],
    ['no embedder that cannot', [{ id: 'bge-m3', canCallTools: false }], undefined, undefined],
    ['none of none', [], undefined, undefined],
  ])('%s', (_name, offered, wanted, id) => {
    expect(chooseModel(offered, wanted)?.id).toBe(id);
  });

  it('says what to do without one', () => {
    const failure = noModelFailure({ dialect: 'ollama', origin: 'http://127.0.0.1:11434' });
    expect(failure.kind).toBe('no-model');
    expect(failure.message).toContain('ollama pull');
  });
});
