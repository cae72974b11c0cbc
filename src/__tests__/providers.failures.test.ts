import { afterEach, describe, expect, it } from 'vitest';

import type { Failure, FailureKind } from '../lib/types';
import { statusFailure } from '../host/providers/failures';
import { retryAfterMs } from '../host/providers/failures/answers';
import { createAnthropicProvider } from '../host/providers/anthropic';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import { quote } from '../host/providers/quote';
import {
  collect,
  question,
  startModelServer,
  type ModelServer,
  type RawStep,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const CREATE = {
  openai: createOpenAiProvider,
  ollama: createOllamaProvider,
  anthropic: createAnthropicProvider,
};
type Dialect = keyof typeof CREATE;

const KEY = 'sk-test-4f9a8b7c6d5e';

async function failureOfAnswer(
  dialect: Dialect,
  step: RawStep['raw'],
  apiKey: string,
): Promise<Failure> {
  const server = await startModelServer({ dialect, steps: [{ raw: step }] });
  servers.push(server);
  const provider = CREATE[dialect]({ baseUrl: server.baseUrl, apiKey });
  const stream = provider.stream(question({ model: 'qwen3' }), new AbortController().signal);
  const events = await collect(stream);
  expect(events).toHaveLength(1);
  const [event] = events;
  if (event?.type !== 'error') throw new Error('No failure.');
  return event.failure;
}

type Row = [
  dialect: Dialect,
  name: string,
  status: number,
  body: unknown,
  kind: FailureKind,
  message: RegExp,
];

/** An error as the Messages API words it. */
const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
});

const rows: Row[] = [
  [
    'anthropic',
    'wrong key',
    401,
    anthropicError('authentication_error', 'invalid x-api-key'),
    'unauthorized',
    /refused the API key \(401\).*“invalid x-api-key”/,
  ],
  [
    'anthropic',
    'key without rights',
    403,
    anthropicError('permission_error', 'Your key may not use this.'),
    'unauthorized',
    /\(403\).*“Your key may not use this\.”/,
  ],
  [
    'anthropic',
    'no credit',
    400,
    anthropicError(
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API.',
    ),
    'unauthorized',
    /no credit left/,
  ],
  [
    'anthropic',
    'no such model',
    404,
    anthropicError('not_found_error', 'model: qwen3'),
    'model-not-found',
    /does not have the model "qwen3"/,
  ],
  [
    'anthropic',
    'no such path',
    404,
    anthropicError('not_found_error', 'Not Found'),
    'wrong-address',
    /not as a server of the Anthropic Messages API \(404\).*before \/v1\/messages/,
  ],
  [
    'anthropic',
    'a conversation that is too long',
    400,
    anthropicError('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
    'context-length',
    /too long for the model "qwen3"/,
  ],
  [
    'anthropic',
    'a conversation that leaves no room for the answer',
    400,
    anthropicError(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000',
    ),
    'context-length',
    /too long/,
  ],
  [
    'anthropic',
    'a request of too many bytes',
    413,
    anthropicError('request_too_large', 'Request exceeds the maximum size'),
    'context-length',
    /too long/,
  ],
  [
    'anthropic',
    'a request it does not like',
    400,
    anthropicError('invalid_request_error', 'messages: roles must alternate'),
    'bad-request',
    /\(400\).*“messages: roles must alternate”/,
  ],
  [
    'anthropic',
    'too many requests',
    429,
    anthropicError('rate_limit_error', 'Number of requests has exceeded your limit'),
    'rate-limited',
    /no more requests for now \(429\)/,
  ],
  [
    'anthropic',
    'a fault of its own',
    500,
    anthropicError('api_error', 'Internal server error'),
    'server-error',
    /failed \(500\)/,
  ],
  [
    'anthropic',
    'overload',
    529,
    anthropicError('overloaded_error', 'Overloaded'),
    'server-error',
    /is overloaded \(529\)\. Ask again in a minute/,
  ],
  [
    'openai',
    'wrong key',
    401,
    { error: { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' } },
    'unauthorized',
    /refused the API key \(401\)\. Check the key/,
  ],
  [
    'openai',
    'key without rights',
    403,
    { error: { message: 'Project archived.' } },
    'unauthorized',
    /\(403\).*“Project archived\.”/,
  ],
  [
    'openai',
    'no credit',
    402,
    { error: { code: 402, message: 'Insufficient credits' } },
    'unauthorized',
    /no credit left/,
  ],
  [
    'openai',
    'no such model',
    404,
    { error: { message: 'The model does not exist.', code: 'model_not_found' } },
    'model-not-found',
    /does not have the model "qwen3"/,
  ],
  [
    'openai',
    'no such model, vLLM',
    404,
    {
      object: 'error',
      message: 'The model `qwen3` does not exist.',
      type: 'NotFoundError',
      code: 404,
    },
    'model-not-found',
    /"qwen3"/,
  ],
  [
    'openai',
    'no such model, OpenRouter',
    400,
    { error: { message: 'qwen3 is not a valid model ID', code: 400 } },
    'model-not-found',
    /"qwen3"/,
  ],
  [
    'ollama',
    'no such model',
    404,
    { error: "model 'qwen3' not found" },
    'model-not-found',
    /Get it with `ollama pull qwen3`/,
  ],
  [
    'openai',
    'web page for 404',
    404,
    '<html>Not Found</html>',
    'wrong-address',
    /not as an OpenAI-compatible model server \(404\)\. Check the address in Lam's preferences; it often ends in \/v1\. Then start Lam again\.$/,
  ],
  [
    'openai',
    'JSON for an unknown route',
    404,
    { detail: 'Not Found' },
    'wrong-address',
    /“Not Found”/,
  ],
  ['openai', 'method not allowed', 405, '', 'wrong-address', /\(405\)/],
  [
    'ollama',
    'another server',
    404,
    '404 page not found',
    'wrong-address',
    /not as Ollama \(404\)\. .* If it is not Ollama, set Model Server to OpenAI-compatible\./,
  ],
  [
    'ollama',
    'a web page',
    200,
    '<html>Welcome</html>',
    'not-json',
    /a web page, .* If it is not Ollama, set Model Server to OpenAI-compatible\./,
  ],
  [
    'openai',
    'LM Studio, wrong path',
    200,
    { error: 'Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway' },
    'wrong-address',
    /Check the address/,
  ],
  [
    'openai',
    'redirect',
    301,
    '',
    'wrong-address',
    /redirects to https:\/\/models\.example\/v1;.*Then start Lam again\./,
  ],
  [
    'ollama',
    'no tools',
    400,
    { error: 'registry.ollama.ai/library/qwen3 does not support tools' },
    'no-tools',
    /"qwen3" cannot call tools/,
  ],
  [
    'openai',
    'no tools, OpenRouter',
    404,
    { error: { message: 'No endpoints found that support tool use.', code: 404 } },
    'no-tools',
    /cannot call tools/,
  ],
  [
    'openai',
    'no tools, vLLM',
    400,
    {
      message:
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      code: 400,
    },
    'no-tools',
    /cannot call tools/,
  ],
  [
    'openai',
    'no tools, llama.cpp',
    500,
    { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
    'no-tools',
    /--jinja/,
  ],
  [
    'openai',
    'too long, by code',
    400,
    { error: { message: 'Too long.', code: 'context_length_exceeded' } },
    'context-length',
    /too long for the model "qwen3"/,
  ],
  [
    'openai',
    'too long, llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'request (9412 tokens) exceeds the available context size',
        type: 'exceed_context_size_error',
      },
    },
    'context-length',
    /too long/,
  ],
  [
    'openai',
    'too long, vLLM',
    400,
    {
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      code: 400,
    },
    'context-length',
    /4096 tokens/,
  ],
  [
    'openai',
    'too long, LM Studio',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length.',
    },
    'context-length',
    /too long/,
  ],
  [
    'ollama',
    'too long',
    400,
    { error: 'the input length exceeds the context length' },
    'context-length',
    /too long/,
  ],
  ['openai', 'payload too large', 413, '<html>', 'context-length', /too long/],
  [
    'openai',
    'any other 400',
    400,
    { error: { message: 'Unknown parameter.' } },
    'bad-request',
    /did not accept the request \(400\).*“Unknown parameter\.”/,
  ],
  [
    'openai',
    'FastAPI validation',
    422,
    { detail: [{ loc: ['body', 'model'], msg: 'field required' }] },
    'bad-request',
    /field required/,
  ],
  [
    'openai',
    'too many requests',
    429,
    { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } },
    'rate-limited',
    /Ask again in 20 seconds\./,
  ],
  [
    'openai',
    'quota used up',
    429,
    { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } },
    'rate-limited',
    /quota of the API key is used up/,
  ],
  [
    'openai',
    'loading, llama.cpp',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    'server-error',
    /still loading its model/,
  ],
  [
    'openai',
    'proxy in front of nothing',
    502,
    '<html>Bad Gateway</html>',
    'server-error',
    /failed \(502\)/,
  ],
  [
    'openai',
    'Google, error in a list',
    400,
    [{ error: { code: 400, message: 'Please ask otherwise.', status: 'INVALID_ARGUMENT' } }],
    'bad-request',
    /“Please ask otherwise\.”/,
  ],
  [
    'openai',
    'OpenRouter, words of the server behind',
    500,
    {
      error: {
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"GPU on fire"}}' },
      },
    },
    'server-error',
    /GPU on fire/,
  ],
  [
    'ollama',
    'out of memory',
    500,
    { error: 'model requires more system memory (5.6 GiB) than is available (3.1 GiB)' },
    'server-error',
    /5\.6 GiB/,
  ],
];

describe('answers that are failures', () => {
  it.each(rows)('%s: %s', async (dialect, _name, status, body, kind, message) => {
    const headers = { 'retry-after': '20', location: 'https://models.example/v1' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const failure = await failureOfAnswer(dialect, { status, headers, body: text }, KEY);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toContain(KEY);
    expect(failure.message).not.toMatch(/\n/);
    // Asked to wait only where waiting helps.
    const waits = kind === 'rate-limited' && /Ask again in/.test(failure.message);
    expect(failure.retryAfterMs).toBe(waits ? 20_000 : undefined);
  });

  it('asks for a key when none was sent', async () => {
    const failure = await failureOfAnswer('openai', { status: 401, body: '{}' }, '');
    expect(failure.kind).toBe('unauthorized');
    expect(failure.message).toMatch(/wants an API key \(401\)\. Enter it in/);
  });

  it.each<[status: number, body: unknown, apiKey: string, title: string | undefined]>([
    [401, {}, '', 'An API key is needed'],
    [403, {}, '', 'An API key is needed'],
    [401, {}, KEY, undefined],
    [403, {}, KEY, undefined],
    [402, {}, KEY, 'No credit left'],
    [429, { error: { message: '', code: 'insufficient_quota' } }, KEY, 'Quota used up'],
    [429, {}, KEY, undefined],
    [301, {}, KEY, 'The address has moved'],
    [503, { error: { message: '', type: 'unavailable_error' } }, KEY, 'The model is loading'],
  ])(
    'brings a title where that of its kind would not fit: %d %j',
    async (status, body, key, title) => {
      const step = { status, body: JSON.stringify(body) };
      expect((await failureOfAnswer('openai', step, key)).title).toBe(title);
    },
  );

  it('says which preference an OpenAI-compatible server needs', async () => {
    const provider = createOpenAiProvider({ baseUrl: ' ' });
    expect(await provider.listModels(new AbortController().signal)).toEqual({
      ok: false,
      failure: {
        kind: 'wrong-address',
        title: 'No server address yet',
        message:
          "The OpenAI-compatible server needs a Server Address, such as http://127.0.0.1:1234/v1. Enter it in Lam's preferences. Then start Lam again.",
      },
    });
  });

  it.each([
    [
      '{"choices":[{"delta":{"content":"Half"}}]}',
      /Continue goes on from here; Try Again starts over\.$/,
    ],
    ['{"choices":[{"delta":{"reasoning_content":"Hm"}}]}', /complete\. Try again\.$/],
  ])('a cut after %s', async (event, message) => {
    const body = `data: ${event}\n\ndata: {"cho`;
    const server = await startModelServer({
      dialect: 'openai',
      steps: [{ raw: { body: `${body}ices":[]}`, cutAfterBytes: body.length } }],
    });
    servers.push(server);
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const events = await collect(provider.stream(question(), new AbortController().signal));
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'cut' } });
    expect(last?.type === 'error' ? last.failure.message : '').toMatch(message);
  });

  it('does not wait for a long error body', async () => {
    const failure = await failureOfAnswer(
      'openai',
      { status: 500, body: 'x'.repeat(100_000), hang: 'after-body' },
      '',
    );
    expect(failure.kind).toBe('server-error');
  });
});

describe('retry-after', () => {
  const now = Date.UTC(2030, 0, 1, 12, 0, 0);
  it.each<[headers: Record<string, string>, ms: number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Tue, 01 Jan 2030 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5x' }, undefined],
    [{ 'retry-after': '20', 'retry-after-ms': '1250' }, 1250],
  ])('%j → %s', (headers, ms) => {
    expect(retryAfterMs(headers, now)).toBe(ms);
  });

  it('is said in the sentence', () => {
    const server = {
      dialect: 'openai',
      origin: 'https://models.example',
      secrets: [],
      hasKey: true,
    } as const;
    const message = (seconds: string) =>
      statusFailure(
        { status: 429, headers: { 'retry-after': seconds }, body: '' },
        server,
        'm',
        now,
      ).message;
    expect(message('1')).toContain('Ask again in 1 second.');
    expect(message('300')).toContain('Ask again in about 5 minutes.');
    expect(message('never')).toContain('Wait a little and ask again.');
  });
});

describe('words of a server', () => {
  it.each<[message: string, quoted: string]>([
    ['plain words', 'plain words'],
    ['two\nlines\tand \u0007control\u202E characters', 'two lines and control characters'],
    [`Incorrect key ${KEY}.`, 'Incorrect key [removed].'],
    ['Incorrect key: sk-tes********6d5e.', 'Incorrect key: [removed]'],
    ['shortened 4f9a8b…', 'shortened [removed]'],
    ['header Authorization: Bearer abc.def', 'header Authorization: [removed]'],
    ['another AIzaSyExample123 key', 'another [removed] key'],
    ['', ''],
  ])('%j', (message, quoted) => {
    expect(quote(message, [KEY])).toBe(quoted);
  });

  it('are at most 200 characters, whole ones', () => {
    const quoted = quote('🧂'.repeat(5000), []);
    expect(Array.from(quoted)).toHaveLength(200);
    expect(quoted).toBe(`${'🧂'.repeat(199)}…`);
  });

  it('keep ordinary words when the key is a stand-in', () => {
    expect(quote('no x in xylophone', ['x'])).toBe('no [removed] in xylophone');
  });
});
