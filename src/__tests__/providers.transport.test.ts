import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';

import type { ChatEvent, ChatProvider } from '../lib/types';
import { FIRST_TOKEN_LOCAL_MS, IDLE_MS, TRAILER_MS } from '../host/providers/connection';
import { CONNECT_MS, ERROR_BODY_MS, exchange } from '../host/providers/http-exchange';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import {
  collect,
  createGate,
  createManualTimers,
  merged,
  question,
  sse,
  startModelServer,
  type FixedStep,
  type ModelServer,
} from './support/model-server';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function scripted(...steps: FixedStep[]): Promise<ModelServer> {
  const server = await startModelServer({ dialect: 'openai', steps });
  closers.push(() => server.close());
  return server;
}

/** A TCP server that says one thing. */
async function tcp(answer: string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.resume(); // unread data would keep the connection open
    socket.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  );
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port.');
  return address.port;
}

/** A port where nothing listens. */
async function freePort(): Promise<number> {
  const port = await tcp('');
  await closers.pop()?.();
  return port;
}

const never = () => new AbortController().signal;
const ask = (provider: ChatProvider, signal = never()) =>
  collect(provider.stream(question(), signal)).then(merged);
const delta = (content: string, finish: string | null = null) => ({
  choices: [{ delta: { content }, finish_reason: finish }],
});
const failure = (kind: string, message: RegExp, title?: string): object => ({
  type: 'error',
  failure: {
    kind,
    message: expect.stringMatching(message) as string,
    ...(title === undefined ? {} : { title }),
  },
});
const aborted = failure('aborted', /^Stopped\.$/);

describe('no answer at all', () => {
  it('says that Ollama is not running', async () => {
    const port = await freePort();
    const provider = createOllamaProvider({ baseUrl: `127.0.0.1:${port}` });
    expect(await ask(provider)).toEqual([
      {
        type: 'error',
        failure: {
          kind: 'not-running',
          message: `Ollama is not running at http://127.0.0.1:${port}. Start it with \`ollama serve\`, or set another model server in Lam's preferences.`,
        },
      },
    ]);
  });

  it('says so also for a name with several addresses', async () => {
    const port = await freePort();
    const provider = createOpenAiProvider({ baseUrl: `localhost:${port}` });
    expect(await ask(provider)).toEqual([failure('not-running', /No model server is running at/)]);
  });

  it('refuses a bad address without a request', async () => {
    const provider = createOpenAiProvider({ baseUrl: 'ftp://models.example' });
    expect(await ask(provider)).toEqual([failure('wrong-address', /does not begin with http/)]);
    expect(await provider.listModels(never())).toMatchObject({ ok: false });
  });

  it('tells a server that speaks no HTTP', async () => {
    const provider = createOpenAiProvider({ baseUrl: `127.0.0.1:${await tcp('SSH-2.0-x\r\n')}` });
    expect(await ask(provider)).toEqual([failure('wrong-address', /does not speak HTTP/)]);
  });

  it('tells https where the server speaks http', async () => {
    const { port } = await scripted();
    const provider = createOpenAiProvider({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await ask(provider)).toEqual([
      failure('wrong-address', /No secure connection/, 'No secure connection'),
    ]);
  });

  it('refuses a key that no header can carry', async () => {
    const server = await scripted();
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl, apiKey: 'abc\ndef–ghi' });
    expect(await ask(provider)).toEqual([
      failure('unauthorized', /characters that no key has/, 'The API key is damaged'),
    ]);
    expect(server.requests).toHaveLength(0);
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('tells a name that does not resolve (%s)', async (code) => {
    const outcome = await exchange(
      { method: 'GET', url: 'http://models.example/v1/models', headers: {} },
      {
        signal: never(),
        timers: createManualTimers(),
        idleMs: () => 1,
        lookup(_host, _options, callback) {
          callback(Object.assign(new Error(code), { code }), []);
        },
      },
    );
    expect(outcome).toEqual({ ok: false, problem: { type: 'dns' } });
  });

  it('gives up a connection that is not taken', async () => {
    const timers = createManualTimers();
    const outcome = exchange(
      { method: 'GET', url: 'http://models.example/v1/models', headers: {} },
      { signal: never(), timers, idleMs: () => 1, lookup() {} },
    );
    await timers.fire(CONNECT_MS);
    expect(await outcome).toEqual({
      ok: false,
      problem: { type: 'connect-timeout', ms: CONNECT_MS },
    });
    expect(timers.pending()).toEqual([]);
  });
});

describe('abort', () => {
  it('asks nothing when the signal has fired before', async () => {
    const server = await scripted();
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    expect(await ask(provider, AbortSignal.abort())).toEqual([aborted]);
    expect(server.paths).toEqual([]);
  });

  it('ends during the name look-up', async () => {
    const abort = new AbortController();
    const outcome = exchange(
      { method: 'GET', url: 'http://models.example/v1/models', headers: {} },
      { signal: abort.signal, timers: createManualTimers(), idleMs: () => 1, lookup() {} },
    );
    abort.abort();
    expect(await outcome).toEqual({ ok: false, problem: { type: 'aborted' } });
  });

  it('ends before the headers and closes the socket', async () => {
    const gate = createGate();
    const server = await scripted({ holdBefore: gate, text: 'Salt.' });
    const abort = new AbortController();
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl }), abort.signal);
    await gate.reached;
    abort.abort();
    expect(await events).toEqual([aborted]);
    await server.requests[0]?.closed;
    expect(server.requests[0]?.abandoned).toBe(true);
  });

  it('ends in mid-answer, keeps the text and closes the socket', async () => {
    const gate = createGate();
    const server = await scripted({ text: ['Sal', gate, 't.'] });
    const abort = new AbortController();
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const events: ChatEvent[] = [];
    for await (const event of provider.stream(question(), abort.signal)) {
      events.push(event);
      if (event.type === 'text-delta') abort.abort();
    }
    expect(events).toEqual([{ type: 'text-delta', text: 'Sal' }, aborted]);
    await server.requests[0]?.closed;
    expect(server.requests[0]?.abandoned).toBe(true);
  });

  it('says nothing more after the signal, also if it has already arrived', async () => {
    const server = await scripted({
      raw: { body: sse(delta('Sal'), delta('t.'), delta('', 'stop'), '[DONE]') },
    });
    const abort = new AbortController();
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const events: ChatEvent[] = [];
    for await (const event of provider.stream(question(), abort.signal)) {
      events.push(event);
      abort.abort();
    }
    expect(events).toEqual([{ type: 'text-delta', text: 'Sal' }, aborted]);
  });

  it('closes the socket when the reader stops reading', async () => {
    const gate = createGate();
    const server = await scripted({ text: ['Sal', gate, 't.'] });
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    for await (const event of provider.stream(question(), never()))
      if (event.type === 'text-delta') break;
    await server.requests[0]?.closed;
    expect(server.requests[0]?.abandoned).toBe(true);
  });

  it('leaves no timer and no listener behind', async () => {
    const timers = createManualTimers();
    const server = await scripted({ text: 'Salt.' });
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners = 0;
      remove(...args);
    };
    const events = await ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }), signal);
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
    expect(timers.pending()).toEqual([]);
    expect(listeners).toBe(0);
  });
});

describe('silence', () => {
  it('before the first token', async () => {
    const timers = createManualTimers();
    const server = await scripted({ raw: { hang: 'before-headers' } });
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }));
    await timers.fire(FIRST_TOKEN_LOCAL_MS);
    expect(await events).toEqual([failure('silent', /sent nothing for about 5 minutes/)]);
  });

  it('after comments only, the first token is still awaited', async () => {
    const timers = createManualTimers();
    const gate = createGate();
    const server = await scripted({
      raw: { body: [': PROCESSING\n\n', gate], hang: 'after-body' },
    });
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }));
    await gate.reached;
    await timers.fire(FIRST_TOKEN_LOCAL_MS);
    expect(await events).toEqual([failure('silent', /sent nothing/)]);
  });

  it('in mid-answer keeps the text', async () => {
    const timers = createManualTimers();
    const server = await scripted({ raw: { body: sse(delta('Sal')), hang: 'after-body' } });
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }));
    await timers.fire(IDLE_MS);
    expect(await events).toEqual([
      { type: 'text-delta', text: 'Sal' },
      failure('silent', /sent nothing for 60 seconds/),
    ]);
  });

  it('after the reason to end is no failure', async () => {
    const timers = createManualTimers();
    const server = await scripted({
      raw: { body: sse(delta('Salt.'), delta('', 'stop')), hang: 'after-body' },
    });
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }));
    await timers.fire(TRAILER_MS);
    expect(await events).toEqual([
      { type: 'text-delta', text: 'Salt.' },
      { type: 'end', reason: 'stop' },
    ]);
  });

  it('in the body of an error answer leaves what was read', async () => {
    const timers = createManualTimers();
    const server = await scripted({
      raw: { status: 500, body: '{"error":"GPU on fire"}', hang: 'after-body' },
    });
    const events = ask(createOpenAiProvider({ baseUrl: server.baseUrl, timers }));
    await timers.fire(ERROR_BODY_MS);
    expect(await events).toEqual([failure('server-error', /failed \(500\)/)]);
  });

  it('is as long as the owner says', async () => {
    const timers = createManualTimers();
    const server = await scripted({ raw: { hang: 'before-headers' } });
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl, timers, idleMs: 3_000 });
    const events = ask(provider);
    await timers.fire(3_000);
    expect(await events).toEqual([failure('silent', /sent nothing for 3 seconds/)]);
  });

  it('does not count while the reader is busy', async () => {
    const timers = createManualTimers();
    const server = await scripted({ text: ['Sal', 't.'] });
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl, timers });
    const pending: number[][] = [];
    for await (const event of provider.stream(question(), never()))
      if (event.type === 'text-delta') pending.push(timers.pending());
    expect(pending.flat()).toEqual([]);
  });
});

describe('requests', () => {
  it('carry the conversation, the tools and the key in the OpenAI dialect', async () => {
    const server = await scripted({ text: 'Salt.' });
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl, apiKey: ' Bearer k3y ' });
    const parameters = { type: 'object', properties: { query: { type: 'string' } } };
    const request = question({
      messages: [
        { role: 'system', content: 'Cite.' },
        { role: 'user', content: 'Why?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'a', name: 'web_search', arguments: { query: 'salt' } }],
        },
        { role: 'tool', toolCallId: 'a', toolName: 'web_search', content: '[1] Sea' },
        { role: 'assistant', content: 'Rivers [1].' },
      ],
      tools: [{ name: 'web_search', description: 'Searches.', parameters }],
    });
    await collect(provider.stream(request, never()));
    expect(server.requests[0]?.headers.authorization).toBe('Bearer k3y');
    expect(server.requests[0]?.body).toEqual({
      model: 'scripted',
      messages: [
        { role: 'system', content: 'Cite.' },
        { role: 'user', content: 'Why?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'web_search', arguments: '{"query":"salt"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '[1] Sea' },
        { role: 'assistant', content: 'Rivers [1].' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'web_search', description: 'Searches.', parameters },
        },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('carry them in the dialect of Ollama', async () => {
    const server = await startModelServer({ dialect: 'ollama', steps: [{ text: 'Salt.' }] });
    closers.push(() => server.close());
    const provider = createOllamaProvider({ baseUrl: server.baseUrl, contextTokens: 8192 });
    const request = question({
      messages: [
        { role: 'user', content: 'Why?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'a', name: 'web_search', arguments: { query: 'salt' } }],
        },
        { role: 'tool', toolCallId: 'a', toolName: 'web_search', content: '[1] Sea' },
      ],
    });
    await collect(provider.stream(request, never()));
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body).toEqual({
      model: 'scripted',
      messages: [
        { role: 'user', content: 'Why?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'a', function: { name: 'web_search', arguments: { query: 'salt' } } }],
        },
        { role: 'tool', tool_call_id: 'a', tool_name: 'web_search', content: '[1] Sea' },
      ],
      stream: true,
      options: { num_ctx: 8192 },
    });
  });

  it('makes up call ids that the conversation does not have yet', async () => {
    const body = sse({
      choices: [{ delta: { tool_calls: [{ function: { name: 'now' } }] }, finish_reason: 'stop' }],
    });
    const server = await scripted({ raw: { body } });
    const messages = [
      {
        role: 'assistant' as const,
        content: '',
        toolCalls: [{ id: 'call_1', name: 'now', arguments: {} }],
      },
    ];
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const events = await collect(provider.stream(question({ messages }), never()));
    expect(events[0]).toMatchObject({ type: 'tool-call', call: { id: 'call_2' } });
  });

  it.each([400, 422])(
    'leave stream_options out where they are refused (%s), and remember it',
    async (status) => {
      const refusal = JSON.stringify({ error: { message: 'Unknown field: stream_options' } });
      const server = await scripted(
        { raw: { status, body: refusal } },
        { text: 'Salt.' },
        { text: 'Again.' },
      );
      const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
      expect(await ask(provider)).toEqual([
        { type: 'text-delta', text: 'Salt.' },
        { type: 'end', reason: 'stop' },
      ]);
      expect((await ask(provider))[0]).toEqual({ type: 'text-delta', text: 'Again.' });
      const withOptions = server.requests.map(({ body }) =>
        JSON.stringify(body).includes('stream_options'),
      );
      expect(withOptions).toEqual([true, false, false]);
      server.assertComplete();
    },
  );

  it('are repeated only once', async () => {
    const refused = { raw: { status: 400, body: '{"error":"stream_options"}' } };
    const server = await scripted(refused, refused);
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    expect(await ask(provider)).toEqual([failure('bad-request', /did not accept/)]);
    server.assertComplete();
  });

  it('that cannot be written as JSON are a failure', async () => {
    const server = await scripted();
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const tools = [{ name: 'x', description: '', parameters: { limit: 1n } }];
    const events = await collect(provider.stream(question({ tools }), never()));
    expect(events).toEqual([failure('bad-request', /BigInt/)]);
  });

  it('read an answer that a proxy compressed', async () => {
    const body = gzipSync(sse(delta('Salt.'), delta('', 'stop'), '[DONE]'));
    const server = await scripted({ raw: { headers: { 'content-encoding': 'gzip' }, body } });
    expect((await ask(createOpenAiProvider({ baseUrl: server.baseUrl })))[0]).toEqual({
      type: 'text-delta',
      text: 'Salt.',
    });
  });
});
