import { afterEach, describe, expect, it } from 'vitest';

import { createAnthropicProvider } from '../host/providers/anthropic';
import { identityHeaders } from '../host/providers/connection';
import type { ChatEvent, ChatMessage, ToolSpec } from '../lib/types';
import {
  collect,
  merged,
  named,
  question,
  sse,
  startModelServer,
  type FixedStep,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: Omit<ModelServerOptions, 'dialect'>): Promise<ModelServer> {
  const server = await startModelServer({ dialect: 'anthropic', ...options });
  servers.push(server);
  return server;
}

async function ask(step: FixedStep): Promise<ChatEvent[]> {
  const server = await start({ steps: [step] });
  const provider = createAnthropicProvider({ baseUrl: server.baseUrl });
  const events = await collect(provider.stream(question(), new AbortController().signal));
  server.assertComplete();
  return merged(events);
}

const text = (words: string): ChatEvent => ({ type: 'text-delta', text: words });
const reasoning = (words: string): ChatEvent => ({ type: 'reasoning-delta', text: words });
const call = (id: string, args: unknown): ChatEvent => ({
  type: 'tool-call',
  call: { id, name: 'web_search', arguments: args },
});
const end = (reason: Extract<ChatEvent, { type: 'end' }>['reason']): ChatEvent => ({
  type: 'end',
  reason,
});
const error = (kind: string, message = '', title?: string): object => ({
  type: 'error',
  failure: {
    kind,
    message: expect.stringContaining(message) as string,
    ...(title === undefined ? {} : { title }),
  },
});

const begin = (index: number, content_block: object) =>
  named('content_block_start', { index, content_block });
const delta = (index: number, part: object) => named('content_block_delta', { index, delta: part });
const salt = delta(0, { type: 'text_delta', text: 'Salt.' });
const stop = (stop_reason: string, usage: object = {}) =>
  named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
const raw = (...events: string[]): FixedStep => ({ raw: { body: events.join('') } });
const over = named('message_stop');
const cited = (citation: object) => delta(0, { type: 'citations_delta', citation });

describe('the Messages API', () => {
  it.each<[name: string, step: FixedStep, events: object[]]>([
    [
      'thinking, text, calls and usage',
      {
        reasoning: ['Sea', '?'],
        text: ['Salt', '.'],
        calls: [
          { name: 'web_search', arguments: { query: 'sält' } },
          { name: 'web_search', arguments: {} },
        ],
        usage: { inputTokens: 9, outputTokens: 4 },
      },
      [
        reasoning('Sea?'),
        text('Salt.'),
        call('toolu_1', '{"query":"sält"}'),
        call('toolu_2', '{}'),
        { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } },
        end('tool-calls'),
      ],
    ],
    [
      'counts of what the cache held, and totals that grow',
      raw(
        named('message_start', {
          message: {
            usage: {
              input_tokens: 3,
              cache_creation_input_tokens: 20,
              cache_read_input_tokens: 100,
              output_tokens: 1,
            },
          },
        }),
        salt,
        stop('end_turn', { output_tokens: 15 }),
        over,
      ),
      [
        text('Salt.'),
        { type: 'usage', usage: { inputTokens: 123, outputTokens: 15 } },
        end('stop'),
      ],
    ],
    [
      'text in the start of a block',
      raw(begin(0, { type: 'text', text: 'Sea ' }), salt, stop('end_turn'), over),
      [text('Sea Salt.'), end('stop')],
    ],
    [
      'several blocks of text, joined as they are',
      raw(
        begin(0, { type: 'text', text: '' }),
        salt,
        begin(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: ' Much.' }),
        stop('end_turn'),
        over,
      ),
      [text('Salt. Much.'), end('stop')],
    ],
    [
      'a call that came whole',
      raw(
        begin(0, { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: { query: 'salt' } }),
        stop('tool_use'),
        over,
      ),
      [call('toolu_1', { query: 'salt' }), end('tool-calls')],
    ],
    [
      'a tool that the server runs itself is none of ours',
      raw(
        begin(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"query":"salt"}' }),
        begin(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
        delta(2, { type: 'text_delta', text: 'Salt.' }),
        stop('end_turn'),
        over,
      ),
      [text('Salt.'), end('stop')],
    ],
    [
      'sources, once each, and none of a file',
      raw(
        salt,
        cited({ type: 'web_search_result_location', url: 'https://a.example', title: 'A' }),
        cited({ type: 'web_search_result_location', url: 'https://b.example', title: null }),
        cited({ type: 'web_search_result_location', url: 'https://a.example', title: 'A' }),
        cited({ type: 'char_location', document_title: 'File', cited_text: 'x' }),
        stop('end_turn'),
        over,
      ),
      [
        text('Salt.'),
        { type: 'source', title: 'A', url: 'https://a.example' },
        { type: 'source', title: '', url: 'https://b.example' },
        end('stop'),
      ],
    ],
    [
      'hidden thinking, signatures, pings and events to come',
      raw(
        begin(0, { type: 'redacted_thinking', data: 'xyz' }),
        delta(1, { type: 'signature_delta', signature: 'c2ln' }),
        named('ping'),
        named('future_event', { delta: 'text' }),
        salt,
        delta(0, { type: 'future_delta', text: 'no' }),
        stop('end_turn'),
        over,
      ),
      [text('Salt.'), end('stop')],
    ],
    ...(
      [
        ['end_turn', 'stop'],
        ['stop_sequence', 'stop'],
        ['pause_turn', 'stop'],
        ['max_tokens', 'length'],
        ['model_context_window_exceeded', 'length'],
        ['refusal', 'filtered'],
      ] as const
    ).map(([reason, ending]): [string, FixedStep, object[]] => [
      `ends because of ${reason}`,
      raw(salt, stop(reason), over),
      [text('Salt.'), end(ending)],
    ]),
    [
      'a call that is cut before its arguments began',
      raw(
        salt,
        begin(1, { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '' }),
        stop('max_tokens'),
        over,
      ),
      [text('Salt.'), end('length')],
    ],
    [
      'input that is counted again as 0 at the end',
      raw(
        named('message_start', { message: { usage: { input_tokens: 9, output_tokens: 1 } } }),
        salt,
        stop('end_turn', { input_tokens: 0, output_tokens: 4 }),
        over,
      ),
      [text('Salt.'), { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } }, end('stop')],
    ],
    [
      'an error in an event of another name',
      raw(salt, named('failure', { error: { type: 'api_error', message: 'Oh no' } })),
      [text('Salt.'), error('stream-error', 'Oh no')],
    ],
    ['a refusal without a word', raw(stop('refusal'), over), [end('filtered')]],
    ['nothing at all', raw(named('message_start'), stop('end_turn'), over), [error('empty')]],
    [
      'an end that is cut behind the reason',
      raw(salt, stop('end_turn')),
      [text('Salt.'), end('stop')],
    ],
    ['cut in mid-answer', raw(salt), [text('Salt.'), error('cut', 'Continue goes on')]],
    [
      'overload in mid-answer',
      raw(salt, named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })),
      [text('Salt.'), error('server-error', 'is overloaded (529)', 'The server is overloaded')],
    ],
    [
      'a rate limit in mid-answer',
      raw(salt, named('error', { error: { type: 'rate_limit_error', message: 'Slow down' } })),
      [text('Salt.'), error('rate-limited', 'Slow down')],
    ],
    [
      'another error in mid-answer',
      raw(salt, named('error', { error: { type: 'api_error', message: 'Oh no' } })),
      [text('Salt.'), error('stream-error', 'Oh no')],
    ],
    [
      'an error without a type',
      raw(salt, sse({ error: { message: 'Oh no' } })),
      [text('Salt.'), error('stream-error', 'Oh no')],
    ],
    [
      'one document instead of a stream',
      raw(
        JSON.stringify({
          type: 'message',
          content: [
            { type: 'thinking', thinking: 'Sea?' },
            { type: 'text', text: 'Salt.' },
            { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: {} },
          ],
          stop_reason: 'tool_use',
          usage: { input_tokens: 9, output_tokens: 4 },
        }),
      ),
      [
        reasoning('Sea?'),
        text('Salt.'),
        call('toolu_1', {}),
        { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } },
        end('tool-calls'),
      ],
    ],
    [
      'one document that is an error',
      raw('{"type":"error","error":{"type":"api_error","message":"Oh no"}}'),
      [error('stream-error', 'Oh no')],
    ],
    ['one document that is no answer', raw('{"ok":true}'), [error('not-a-stream')]],
    ['a web page', raw('<html>'), [error('not-json')]],
    [
      'garbage in mid-stream',
      raw(salt, 'data: {"x\n\n', over),
      [text('Salt.'), error('stream-error')],
    ],
    ['half an event at the end', raw(salt, 'data: {"x'), [text('Salt.'), error('cut')]],
  ])('%s', async (_name, step, events) => {
    expect(await ask(step)).toEqual(events);
  });
});

describe('a request', () => {
  const tool: ToolSpec = {
    name: 'web_search',
    description: 'Searches.',
    parameters: { type: 'object' },
  };
  const calls = [
    { id: 'toolu_1', name: 'web_search', arguments: { query: 'salt' } },
    { id: 'toolu_2', name: 'web_fetch', arguments: { url: 'https://salt.example' } },
  ];
  const talk: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hi. ' },
    { role: 'user', content: 'Why is the sea salty?' },
    { role: 'assistant', content: '', toolCalls: calls },
    { role: 'tool', toolCallId: 'toolu_1', toolName: 'web_search', content: 'One.' },
    { role: 'tool', toolCallId: 'toolu_2', toolName: 'web_fetch', content: 'Two.' },
    { role: 'user', content: 'Answer now.' },
  ];

  async function sent(messages: ChatMessage[], tools: ToolSpec[], apiKey = 'key-1') {
    const server = await start({ steps: [{ text: 'Salt.' }] });
    const provider = createAnthropicProvider({ baseUrl: server.baseUrl, apiKey });
    await collect(provider.stream(question({ messages, tools }), new AbortController().signal));
    const [request] = server.requests;
    if (!request) throw new Error('No request.');
    return request;
  }

  it('carries key, version, system prompt, conversation and tools', async () => {
    const { headers, body } = await sent(talk, [tool]);
    expect(headers).toMatchObject({
      'x-api-key': 'key-1',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      accept: 'text/event-stream',
    });
    // Gateways want the key in this header.
    expect(headers.authorization).toBe('Bearer key-1');
    expect(body).toEqual({
      model: 'scripted',
      max_tokens: 8_192,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Why is the sea salty?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: { query: 'salt' } },
            {
              type: 'tool_use',
              id: 'toolu_2',
              name: 'web_fetch',
              input: { url: 'https://salt.example' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'One.' },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'Two.' },
            { type: 'text', text: 'Answer now.' },
          ],
        },
      ],
      tools: [{ name: 'web_search', description: 'Searches.', input_schema: { type: 'object' } }],
      stream: true,
    });
  });

  it('without tools defines those that were called, and lets none be called', async () => {
    const { body } = await sent(talk, []);
    expect(body).toMatchObject({
      tools: [
        { name: 'web_search', input_schema: { type: 'object' } },
        { name: 'web_fetch', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'none' },
    });
  });

  it('has no empty text, and roles take turns all the same', async () => {
    const { body, headers } = await sent(
      [
        { role: 'system', content: ' ' },
        { role: 'user', content: 'One.' },
        { role: 'assistant', content: ' ' },
        { role: 'user', content: 'Two.' },
      ],
      [],
      '',
    );
    expect(headers['x-api-key']).toBeUndefined();
    expect(body).toEqual({
      model: 'scripted',
      max_tokens: 8_192,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
      ],
      stream: true,
    });
  });

  it.each<[said: object, asked: number]>([
    [{ max_tokens: 4_096 }, 4_096],
    [{ max_tokens: 64_000 }, 16_384],
    [{ max_tokens: 0 }, 8_192],
    [{ max_tokens: 64_000, max_input_tokens: 200_000 }, 16_384],
    [{ max_model_len: 8_192 }, 2_048],
    [{ max_tokens: 1_024, max_model_len: 8_192 }, 1_024],
    [{ meta: { n_ctx: 4_096 } }, 1_024],
    [{ meta: { n_ctx: 2 } }, 1],
  ])('asks for what the list and the context allow: %j', async (said, asked) => {
    const list = JSON.stringify({ data: [{ id: 'scripted', ...said }] });
    const server = await start({
      steps: [{ text: 'Salt.' }],
      routes: { '/v1/models': { raw: { body: list } } },
    });
    const provider = createAnthropicProvider({ baseUrl: server.baseUrl });
    const { signal } = new AbortController();
    await provider.listModels(signal);
    await collect(provider.stream(question(), signal));
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: asked });
  });

  it('for a longer answer than the model gives is repeated with the limit it names', async () => {
    const refusal: FixedStep = {
      raw: {
        status: 400,
        body: JSON.stringify({
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message:
              'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for scripted',
          },
        }),
      },
    };
    const server = await start({ steps: [refusal, { text: 'Salt.' }, { text: 'Again.' }] });
    const provider = createAnthropicProvider({ baseUrl: server.baseUrl });
    const { signal } = new AbortController();
    expect(merged(await collect(provider.stream(question(), signal)))[0]).toEqual(text('Salt.'));
    await collect(provider.stream(question(), signal));
    server.assertComplete();
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      { max_tokens: 8_192 },
      { max_tokens: 4_096 },
      { max_tokens: 4_096 },
    ]);
  });

  it.each<[origin: string, basicAuth: string | undefined, authorization: string | undefined]>([
    ['https://api.anthropic.com', undefined, undefined],
    ['https://gateway.example', undefined, 'Bearer key-1'],
    ['https://gateway.example', 'Basic dTpw', 'Basic dTpw'],
    ['https://api.anthropic.com', 'Basic dTpw', 'Basic dTpw'],
  ])('to %s with %s says who asks', (origin, basicAuth, authorization) => {
    const address = { origin, ...(basicAuth === undefined ? {} : { basicAuth }) };
    const headers = identityHeaders('anthropic', 'key-1', address);
    expect(headers['x-api-key']).toBe('key-1');
    expect(headers.authorization).toBe(authorization);
    expect(identityHeaders('anthropic', '', { origin }).authorization).toBeUndefined();
  });

  it('makes up ids for calls that have none', async () => {
    const step = raw(begin(0, { type: 'tool_use', name: 'web_search' }), stop('tool_use'), over);
    expect(await ask(step)).toEqual([call('call_1', {}), end('tool-calls')]);
  });

  it('to an address that is none fails without being sent', async () => {
    const provider = createAnthropicProvider({ baseUrl: 'ftp://models.example' });
    const { signal } = new AbortController();
    expect(await collect(provider.stream(question(), signal))).toEqual([error('wrong-address')]);
    expect(await provider.listModels(signal)).toMatchObject({ ok: false });
  });

  it('ends with the signal and closes the socket', async () => {
    const server = await start({ steps: [{ raw: { body: salt, hang: 'after-body' } }] });
    const provider = createAnthropicProvider({ baseUrl: server.baseUrl });
    const abort = new AbortController();
    const events: ChatEvent[] = [];
    for await (const event of provider.stream(question(), abort.signal)) {
      events.push(event);
      abort.abort();
    }
    expect(events).toEqual([text('Salt.'), error('aborted')]);
    await server.requests[0]?.closed;
    expect(server.requests[0]?.abandoned).toBe(true);
  });
});
