import { afterEach, describe, expect, it } from 'vitest';

import { chooseModel, noModelFailure, type OfferedModel } from '../host/providers/models';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function list(options: ModelServerOptions, signal = new AbortController().signal) {
  const server = await startModelServer(options);
  servers.push(server);
  const create = options.dialect === 'openai' ? createOpenAiProvider : createOllamaProvider;
  return create({ baseUrl: server.baseUrl }).listModels(signal);
}

const json = (body: unknown) => ({ raw: { body: JSON.stringify(body) } });

describe('list of models', () => {
  it('of Ollama says which can call tools', async () => {
    const outcome = await list({
      dialect: 'ollama',
      models: [
        { id: 'nomic-embed', capabilities: ['embedding'] },
        { id: 'gemma3', capabilities: ['completion', 'vision'] },
        { id: 'qwen3' },
        { id: 'old-with-tools', capabilities: null, template: '{{ if .Tools }}…{{ end }}' },
        { id: 'old-without', capabilities: null, template: '{{ .Prompt }}' },
        { id: 'old-silent', capabilities: null },
      ],
    });
    expect(outcome).toEqual({
      ok: true,
      models: [
        { id: 'nomic-embed', tools: false },
        { id: 'gemma3', tools: false },
        { id: 'qwen3', tools: true },
        { id: 'old-with-tools', tools: true },
        { id: 'old-without', tools: false },
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
      { id: 'embedder', capabilities: { completion_chat: false } },
      { name: 'no id' },
      null,
    ];
    const outcome = await list({ dialect: 'openai', routes: { '/v1/models': json({ data }) } });
    expect(outcome).toEqual({
      ok: true,
      models: [
        { id: 'plain' },
        { id: 'router/tools', tools: true },
        { id: 'router/none', tools: false },
        { id: 'capable', tools: true },
      ],
    });
  });

  it('may be empty', async () => {
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

  it.each(['openai', 'ollama'] as const)('ends with the signal (%s)', async (dialect) => {
    const path = dialect === 'openai' ? '/v1/models' : '/api/tags';
    const abort = new AbortController();
    const outcome = list(
      { dialect, routes: { [path]: { raw: { body: '{', hang: 'after-body' } } } },
      abort.signal,
    );
    abort.abort();
    expect(await outcome).toEqual({ ok: false, failure: { kind: 'aborted', message: 'Stopped.' } });
  });

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
  const models: OfferedModel[] = [
    { id: 'text-embedding-3' },
    { id: 'mystery' },
    { id: 'gemma3:4b', tools: false },
    { id: 'qwen3:latest', tools: true },
    { id: 'llama3.1:8b', tools: true },
  ];

  it.each<
    [name: string, models: OfferedModel[], wanted: string | undefined, id: string | undefined]
  >([
    ['the first that can call tools', models, undefined, 'qwen3:latest'],
    ['a blank wish is none', models, '  ', 'qwen3:latest'],
    ['the wanted one', models, 'llama3.1:8b', 'llama3.1:8b'],
    ['the wanted one although it cannot', models, 'gemma3:4b', 'gemma3:4b'],
    ['latest is implied', models, 'qwen3', 'qwen3:latest'],
    ['the wanted one although it is not listed', models, 'other', 'other'],
    ['the wanted one of an empty list', [], 'other', 'other'],
    ['one that may, no embedder', models.slice(0, 3), undefined, 'mystery'],
    ['none of those that cannot', models.slice(2, 3), undefined, undefined],
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
