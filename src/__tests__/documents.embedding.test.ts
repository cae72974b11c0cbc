import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

import {
  createEmbedder,
  TEXTS_PER_REQUEST,
  type EmbedderOptions,
  type EmbeddingOutcome,
} from '../host/documents/embedding';
import {
  drips,
  floods,
  holds,
  says,
  startHostileServer,
  type HostileServer,
  type Behaviour,
} from './support/hostile-server';
import { startWebServer } from './support/web-server';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

interface Asked {
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: { model: string; input: string[]; encoding_format?: string };
}

type Answer = { status?: number; body: unknown } | undefined;

/** A server that answers as told (undefined = 500), and what it was asked. */
async function server(
  answer: (asked: Asked, count: number) => Answer,
): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const one: Asked = {
        url: request.url,
        headers: request.headers,
        body: JSON.parse(text) as Asked['body'],
      };
      asked.push(one);
      send(response, answer(one, asked.length));
    });
  };
  const web = await startWebServer(listener);
  closers.push(() => web.close());
  return { origin: web.origin, asked };
}

function send(response: ServerResponse, answer: Answer): void {
  const { status = 200, body } = answer ?? { status: 500, body: 'broken' };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function started(behaviour: Behaviour): Promise<HostileServer> {
  const one = await startHostileServer(behaviour);
  closers.push(() => one.close());
  return one;
}

async function hostile(behaviour: Behaviour): Promise<string> {
  const { place } = await started(behaviour);
  return `http://${place}`;
}

/** A port where nothing listens. */
async function deadOrigin(): Promise<string> {
  const web = await startWebServer(() => undefined);
  await web.close();
  return web.origin;
}

const never = () => new AbortController().signal;
const ollama = (address: string, more: Partial<EmbedderOptions> = {}) =>
  createEmbedder({ kind: 'ollama', address, apiKey: '', model: 'tiny-embed', ...more });
const openAi = (address: string, more: Partial<EmbedderOptions> = {}) =>
  ollama(address, { kind: 'openai-compatible', ...more });

/** A vector that tells its text: its length in units, and 1. */
const vectorOf = (text: string) => [text.length, 1];
const ollamaAnswer = ({ body }: Asked) => ({ body: { embeddings: body.input.map(vectorOf) } });
const openAiAnswer = ({ body }: Asked) => ({
  body: { data: body.input.map((text, index) => ({ index, embedding: vectorOf(text) })) },
});

/** The lengths of the texts, by the vectors. */
function lengthsOf(outcome: EmbeddingOutcome): number[] {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.vectors.map(([x = 0, y = 0]) => Math.round(x / y));
}

function messageOf(outcome: EmbeddingOutcome): string {
  if (outcome.ok) throw new Error('There was no failure.');
  return outcome.message;
}

const texts = (count: number) => Array.from({ length: count }, (_, at) => 'x'.repeat(at + 1));
const lengths = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('a request', () => {
  it('is Ollama’s', async () => {
    const { origin, asked } = await server(ollamaAnswer);
    const outcome = await ollama(origin)(['one', 'four'], never());
    expect(lengthsOf(outcome)).toEqual([3, 4]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toBe('/api/embed');
    expect(asked[0]?.body).toEqual({ model: 'tiny-embed', input: ['one', 'four'] });
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  it('is that of the OpenAI dialect, with the key', async () => {
    const { origin, asked } = await server(openAiAnswer);
    const embed = openAi(origin, { apiKey: ' Bearer key-1 ' });
    expect(lengthsOf(await embed(['one'], never()))).toEqual([3]);
    expect(asked[0]?.url).toBe('/v1/embeddings');
    expect(asked[0]?.headers.authorization).toBe('Bearer key-1');
    expect(asked[0]?.body).toEqual({
      model: 'tiny-embed',
      input: ['one'],
      encoding_format: 'float',
    });
  });

  it('carries the password of an address', async () => {
    const { origin, asked } = await server(openAiAnswer);
    await openAi(`${origin.replace('//', '//ann:secret@')}/api/v2`)(['one'], never());
    expect(asked[0]?.url).toBe('/api/v2/embeddings');
    expect(asked[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('ann:secret').toString('base64')}`,
    );
  });

  it.each([
    ['nomic-embed-text:v1.5', 'search_document: t', 'search_query: t'],
    ['embeddinggemma', 'title: none | text: t', 'task: search result | query: t'],
    ['intfloat/multilingual-e5-large', 'passage: t', 'query: t'],
    ['snowflake-arctic-embed2', 't', 'query: t'],
    ['mxbai-embed-large', 't', 'Represent this sentence for searching relevant passages: t'],
    ['bge-m3', 't', 't'],
    ['text-embedding-3-small', 't', 't'],
  ])('has before its texts what %s was trained with', async (model, passage, query) => {
    const { origin, asked } = await server(ollamaAnswer);
    const embed = ollama(origin, { model });
    await embed(['t'], never());
    await embed(['t'], never(), 'query');
    expect(asked.map(({ body }) => body.input)).toEqual([[passage], [query]]);
  });

  it('is not sent for no texts', async () => {
    const { origin, asked } = await server(ollamaAnswer);
    expect(await ollama(origin)([], never())).toEqual({ ok: true, vectors: [] });
    expect(asked).toEqual([]);
  });
});

describe('many texts', () => {
  it.each([ollamaAnswer, openAiAnswer])(
    'are asked for in batches, in their order',
    async (answer) => {
      const { origin, asked } = await server(answer);
      const embed = answer === ollamaAnswer ? ollama(origin) : openAi(origin);
      const count = TEXTS_PER_REQUEST * 2 + 3;
      expect(lengthsOf(await embed(texts(count), never()))).toEqual(lengths(count));
      expect(asked.map(({ body }) => body.input.length)).toEqual([
        TEXTS_PER_REQUEST,
        TEXTS_PER_REQUEST,
        3,
      ]);
    },
  );

  it('are put in order by their index', async () => {
    const { origin } = await server((asked) => {
      const { data } = openAiAnswer(asked).body;
      return { body: { data: data.reverse() } };
    });
    expect(lengthsOf(await openAi(origin)(texts(20), never()))).toEqual(lengths(20));
  });

  it('stay in the order of the answer when it has no index', async () => {
    const { origin } = await server(({ body }) => ({
      body: { data: body.input.map((text) => ({ index: null, embedding: vectorOf(text) })) },
    }));
    expect(lengthsOf(await openAi(origin)(texts(3), never()))).toEqual([1, 2, 3]);
  });

  it('are asked for in smaller batches when the server wants it, and so ever after', async () => {
    const { origin, asked } = await server((one) =>
      one.body.input.length > 4
        ? {
            status: 400,
            body: { error: { message: 'batch size is invalid, it should not be larger than 4' } },
          }
        : openAiAnswer(one),
    );
    const embed = openAi(origin);
    expect(lengthsOf(await embed(texts(9), never()))).toEqual(lengths(9));
    expect(asked.map(({ body }) => body.input.length)).toEqual([9, 4, 4, 1]);
    await embed(texts(5), never());
    expect(asked.slice(4).map(({ body }) => body.input.length)).toEqual([4, 1]);
  });
});

describe('a text that is too long for the model', () => {
  const TOO_LONG = {
    ollama: { status: 400, body: { error: 'the input length exceeds the context length' } },
    llama: {
      status: 500,
      body: {
        error: {
          message:
            'input (992 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
        },
      },
    },
  };

  it.each(Object.entries(TOO_LONG))(
    'is cut until it fits, the others are not (%s)',
    async (_name, no) => {
      const { origin, asked } = await server((one) =>
        one.body.input.some(({ length }) => length > 500) ? no : ollamaAnswer(one),
      );
      const outcome = await ollama(origin)(['x'.repeat(1_200), 'y'.repeat(200)], never());
      expect(lengthsOf(outcome)).toEqual([300, 200]);
      expect(asked).toHaveLength(3);
    },
  );

  it('is given up when even a short one is', async () => {
    const { origin, asked } = await server(() => TOO_LONG.ollama);
    const message = messageOf(await ollama(origin)(['x'.repeat(1_000)], never()));
    expect(message).toMatch(/refuses texts as short as this\. Choose another embedding model/);
    expect(asked.map(({ body }) => body.input[0]?.length)).toEqual([1_000, 500, 250, 128]);
  });
});

describe('a vector', () => {
  it('has length 1 and the direction it came with', async () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const row = fc
      .array(number, { minLength: 3, maxLength: 3 })
      .filter((numbers) => numbers.some((x) => x !== 0));
    let rows: number[][] = [];
    const { origin } = await server(() => ({ body: { embeddings: rows } }));
    const embed = ollama(origin);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (numbers) => {
        rows = numbers;
        const outcome = await embed(texts(rows.length), never());
        if (!outcome.ok) throw new Error(outcome.message);
        for (const [at, vector] of outcome.vectors.entries()) {
          expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
          const largest = Math.max(...(rows[at] ?? []).map(Math.abs));
          const ratio = Math.max(...vector.map(Math.abs));
          for (const [place, x] of vector.entries())
            expect(x).toBeCloseTo(((rows[at]?.[place] ?? 0) / largest) * ratio, 5);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('of zeros stays one', async () => {
    const { origin } = await server(() => ({ body: { embeddings: [[0, 0]] } }));
    expect(await ollama(origin)(['x'], never())).toEqual({
      ok: true,
      vectors: [Float32Array.of(0, 0)],
    });
  });
});

describe('an answer of no use', () => {
  const row = (index: unknown, embedding: unknown = [1, 2]) => ({ index, embedding });
  const cases: [string, unknown, RegExp][] = [
    ['no JSON', '<html>hello</html>', /the answer is no JSON/],
    ['nothing', '', /the answer is no JSON/],
    ['an error with status 200', { error: 'Unexpected endpoint' }, /another form/],
    ['no list', { data: { '0': row(0) } }, /another form/],
    ['a vector too few', { data: [row(0)] }, /1 vectors came for 2 texts/],
    ['a vector too many', { data: [row(0), row(1), row(2)] }, /3 vectors came for 2 texts/],
    ['one place twice', { data: [row(0), row(0)] }, /another form/],
    ['a place that is none', { data: [row(0), row(7)] }, /another form/],
    ['a place for one only', { data: [row(0), row(null)] }, /another form/],
    ['vectors of different lengths', { data: [row(0), row(1, [1])] }, /of different lengths/],
    ['vectors without numbers', { data: [row(0, []), row(1, [])] }, /has 0 numbers/],
    ['vectors without an end', { data: [row(0, Array(9_000).fill(1)), row(1)] }, /9000 numbers/],
    ['null for a number', { data: [row(0, [1, null]), row(1)] }, /another form/],
    ['NaN', '{"data":[{"index":0,"embedding":[NaN,1]},{"index":1,"embedding":[1,2]}]}', /no JSON/],
    [
      'an endless number',
      '{"data":[{"index":0,"embedding":[1e999,1]},{"index":1,"embedding":[1,2]}]}',
      /another form/,
    ],
    ['numbers as text', { data: [row(0, ['1', '2']), row(1)] }, /another form/],
    ['vectors of vectors', { data: [row(0, [[1, 2]]), row(1, [[1, 2]])] }, /another form/],
  ];

  it.each(cases)('is said: %s', async (_name, body, expected) => {
    const { origin } = await server(() => ({ body }));
    const message = messageOf(await openAi(origin)(['a', 'b'], never()));
    expect(message).toMatch(expected);
    expect(message).toMatch(
      /gave no usable embeddings: .* Choose another embedding model in Lam's preferences\./,
    );
  });

  it('is said when a later batch is of another length', async () => {
    const { origin } = await server(({ body }, count) => ({
      body: { embeddings: body.input.map(() => (count === 1 ? [1, 2] : [1, 2, 3])) },
    }));
    const message = messageOf(await ollama(origin)(texts(TEXTS_PER_REQUEST + 1), never()));
    expect(message).toMatch(/of different lengths/);
  });

  it('is not read without an end', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"data":[';
    const origin = await hostile(floods(head, '1,'.repeat(32_768)));
    expect(messageOf(await openAi(origin)(['a'], never()))).toMatch(/the answer is too large/);
  });
});

describe('a refusal', () => {
  const cases: [string, number, unknown, Partial<EmbedderOptions>, RegExp][] = [
    [
      'a model that Ollama has not',
      404,
      { error: 'model "tiny-embed" not found, try pulling it first' },
      { kind: 'ollama' },
      /^Ollama does not have the embedding model "tiny-embed"\. Get it with `ollama pull tiny-embed`\.$/,
    ],
    [
      'a model that a server has not',
      404,
      { error: { message: 'The model `tiny-embed` does not exist.', code: 'model_not_found' } },
      {},
      /does not have the embedding model "tiny-embed"\. Choose another/,
    ],
    [
      'a model id',
      400,
      { error: { message: 'x is not a valid model ID' } },
      {},
      /does not have the/,
    ],
    [
      'an old Ollama',
      404,
      '404 page not found',
      { kind: 'ollama' },
      /offers no embeddings \(404\)/,
    ],
    ['another site', 404, '<p>No such model of car</p>', {}, /offers no embeddings \(404\)/],
    [
      'a model for talking',
      501,
      {
        error: { message: 'This server does not support embeddings. Start it with `--embeddings`' },
      },
      {},
      /The model "tiny-embed" makes no embeddings at .* Choose an embedding model/,
    ],
    ['a missing key', 401, { error: 'key?' }, {}, /wants an API key \(401\)\. Enter it/],
    ['a wrong key', 401, { error: 'no' }, { apiKey: 'key-12345' }, /refused the API key \(401\)/],
    [
      'a forbidden key',
      403,
      { error: 'no' },
      { apiKey: 'key-12345' },
      /refused the API key \(403\)/,
    ],
    ['haste', 429, { error: 'slow down' }, {}, /takes no more requests for now \(429\)/],
    ['a redirect', 302, '', {}, /offers no embeddings \(302\)/],
    ['a failure', 500, 'oops', {}, /could not make embeddings with the model "tiny-embed" \(500\)/],
  ];

  it.each(cases)('is a sentence: %s', async (_name, status, body, more, expected) => {
    const { origin, asked } = await server(() => ({ status, body }));
    expect(messageOf(await openAi(origin, more)(['a', 'b'], never()))).toMatch(expected);
    expect(asked).toHaveLength(1);
  });

  it.each([200, 302, 400, 401, 403, 404, 413, 429, 500])(
    'never repeats the key (%i)',
    async (status) => {
      const apiKey = 'sk-very-secret-0123456789';
      const { origin } = await server(({ headers }) => ({
        status,
        body: { error: { message: `You sent ${String(headers.authorization)}`, code: apiKey } },
      }));
      const message = messageOf(await openAi(origin, { apiKey })(['a'], never()));
      expect(message).not.toMatch(/secret|0123/);
    },
  );
});

describe('no answer', () => {
  it.each([
    [
      'Ollama',
      ollama,
      /^Ollama is not running at http:\/\/127\.0\.0\.1:\d+\. Start it with `ollama serve`\.$/,
    ],
    ['a server', openAi, /^No model server is running at http:\/\/127\.0\.0\.1:\d+\. Start it/],
  ])('because %s is not there', async (_name, embedder, expected) => {
    expect(messageOf(await embedder(await deadOrigin())(['a'], never()))).toMatch(expected);
  });

  const ended = /ended the connection before its embeddings were complete/;
  const cases: [string, Behaviour, RegExp][] = [
    ['it was cut', says('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"embeddings":[[1'), ended],
    ['the connection was closed', says(''), ended],
    ['it is no HTTP', says('SSH-2.0-x\r\n'), /cannot be reached \(HPE_INVALID_CONSTANT\)/],
  ];

  it.each(cases)('because %s', async (_name, behaviour, expected) => {
    expect(messageOf(await ollama(await hostile(behaviour))(['a'], never()))).toMatch(expected);
  });

  it.each([
    ['no head', holds('')],
    ['half a head', holds('HTTP/1.1 200 OK\r\n')],
    ['half a body', holds('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"embeddings"')],
    ['drops of a body', drips('HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n', ' ')],
    ['half an error', holds('HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\n{"error"')],
  ])('in time, but %s: given up', async (_name, behaviour) => {
    const embed = ollama(await hostile(behaviour), { answerMs: 60 });
    expect(messageOf(await embed(['a'], never()))).toMatch(
      /made no embeddings within 1 seconds?\. Choose a smaller embedding model/,
    );
  });
});

describe('an abort', () => {
  const behaviours: [string, Behaviour][] = [
    ['before the head', holds('')],
    ['within the body', drips('HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n', ' ')],
  ];

  it.each(behaviours)('ends the request: %s', async (_name, behaviour) => {
    const met = { asked: false };
    const server = await started({
      answer: (meeting) => {
        met.asked = true;
        behaviour.answer?.(meeting);
      },
    });
    const stop = new AbortController();
    const asked = ollama(server.place)(['a'], stop.signal);
    while (!met.asked) await delay(5);
    stop.abort();
    expect(await asked).toEqual({ ok: false, message: 'Stopped.' });
    while (server.open() > 0) await delay(5); // no socket stays behind
  });

  it('before the request sends nothing', async () => {
    const { origin, asked } = await server(ollamaAnswer);
    const outcome = await ollama(origin)(['a'], AbortSignal.abort());
    expect(outcome).toEqual({ ok: false, message: 'Stopped.' });
    expect(asked).toEqual([]);
  });

  it('between two batches asks for no more', async () => {
    const stop = new AbortController();
    const { origin, asked } = await server((one) => {
      stop.abort();
      return ollamaAnswer(one);
    });
    const outcome = await ollama(origin)(texts(TEXTS_PER_REQUEST * 3), stop.signal);
    expect(outcome).toEqual({ ok: false, message: 'Stopped.' });
    expect(asked).toHaveLength(1);
  });
});

describe('settings that cannot work', () => {
  it.each<[string, Partial<EmbedderOptions>, RegExp]>([
    ['Anthropic', { kind: 'anthropic', address: '' }, /^Anthropic offers no embeddings/],
    ['no address', { kind: 'openai-compatible', address: '' }, /needs a Server Address/],
    ['an address that is none', { address: 'ftp://models.example' }, /does not begin with http/],
    [
      'no model',
      { model: ' ' },
      /^No embedding model is set\. Enter one, such as nomic-embed-text/,
    ],
    ['a damaged key', { apiKey: 'key☃12345' }, /^The API key contains characters that no key has/],
  ])('are said without a request: %s', async (_name, more, expected) => {
    const { origin, asked } = await server(ollamaAnswer);
    const message = messageOf(await ollama(origin, more)(['a'], never()));
    expect(message).toMatch(expected);
    expect(message).not.toContain('12345');
    expect(asked).toEqual([]);
  });
});
