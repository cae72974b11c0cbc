import { afterEach, describe, expect, it } from 'vitest';

import { createOpenAiProvider } from '../host/providers/openai';
import { createOpenAiDecoder } from '../host/providers/openai-wire';
import type { ChatEvent } from '../lib/types';
import { collect, question, sse, startModelServer, type ModelServer } from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** The sources that an answer of these chunks names, and whether it ended well. */
async function sources(chunks: readonly unknown[], model = 'scripted') {
  const server = await startModelServer({
    dialect: 'openai',
    steps: [{ raw: { body: sse(...chunks, '[DONE]'), splitEvery: 7 } }],
  });
  servers.push(server);
  const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
  const stream = provider.stream(question({ model }), new AbortController().signal);
  const events = await collect(stream);
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
  return events.filter((event) => event.type === 'source');
}

const A = 'https://a.example/';
const B = 'https://b.example/';
const source = (title: string, url: string, number?: number): ChatEvent => ({
  type: 'source',
  title,
  url,
  ...(number === undefined ? {} : { number }),
});
const chunk = (part: object, rest: object = {}) => ({
  choices: [{ index: 0, delta: { content: 'Salt [1].', ...part }, finish_reason: null }],
  ...rest,
});
const annotation = (url: string, title?: string) => ({
  type: 'url_citation',
  url_citation: { url, title, start_index: 0, end_index: 4 },
});

describe('sources that the server names', () => {
  it.each<[name: string, chunks: unknown[], named: ChatEvent[]]>([
    [
      'annotations of a delta, over several chunks',
      [
        chunk({ annotations: [annotation(A, 'A')] }),
        chunk({ annotations: [annotation(A, 'A'), annotation(B)] }),
      ],
      [source('A', A), source('', B)],
    ],
    [
      'annotations of the whole message at the end',
      [
        chunk({}),
        {
          choices: [{ message: { content: 'Salt [1].', annotations: [annotation(A, 'A')] } }],
        },
      ],
      [source('A', A)],
    ],
    [
      'a list, which the text of most models does not count on',
      [chunk({}), chunk({}, { citations: [A, B, A, 7], search_results: [{ url: B, title: 'B' }] })],
      [source('', A), source('B', B)],
    ],
    [
      'odd shapes are none',
      [
        chunk({ annotations: 'x' }, { citations: { 1: A }, search_results: [[A]] }),
        chunk({ annotations: [null, { type: 'file' }, { url_citation: { title: 'no address' } }] }),
        chunk({}, { citations: ['', ' '] }),
      ],
      [],
    ],
  ])('%s', async (_name, chunks, named) => {
    expect(await sources(chunks)).toEqual(named);
  });

  it.each<[name: string, chunks: unknown[], named: ChatEvent[]]>([
    [
      'a list of addresses, repeated in every chunk',
      [chunk({}, { citations: [A, B] }), chunk({}, { citations: [A, B] })],
      [source('', A, 1), source('', B, 2)],
    ],
    [
      'a list with titles beside it',
      [chunk({}), chunk({}, { citations: [A, B], search_results: [{ url: B, title: 'B' }] })],
      [source('', A, 1), source('B', B, 2)],
    ],
    [
      'a list of results alone',
      [chunk({}, { search_results: [{ url: A, title: 'A', date: null }, { url: B }] })],
      [source('A', A, 1), source('', B, 2)],
    ],
    [
      'a list that holds a page twice counts both',
      [chunk({}, { citations: [A, A, B] })],
      [source('', A, 1), source('', A, 2), source('', B, 3)],
    ],
    [
      'a row that cannot be read keeps its number, and says so',
      [chunk({}, { citations: [7, B, null, ''] })],
      [source('', '', 1), source('', B, 2), source('', '', 3), source('', '', 4)],
    ],
    [
      'annotations',
      [chunk({ annotations: [annotation(A, 'A'), annotation(B)] })],
      [source('A', A, 1), source('', B, 2)],
    ],
    [
      'annotations, the new ones in each chunk',
      [chunk({ annotations: [annotation(A)] }), chunk({ annotations: [annotation(B)] })],
      [source('', A, 1), source('', B, 2)],
    ],
    [
      'annotations, all of them again in each chunk and at the end',
      [
        chunk({ annotations: [annotation(A)] }),
        chunk({}),
        chunk({ annotations: [annotation(A), annotation(B)] }),
        { choices: [{ message: { annotations: [annotation(A), annotation(B)] } }] },
      ],
      [source('', A, 1), source('', B, 2)],
    ],
    [
      'annotations that cannot be read keep their number',
      [chunk({ annotations: [null, annotation(B)] })],
      [source('', '', 1), source('', B, 2)],
    ],
  ])(
    'has the numbers of its order where the text counts on it: %s',
    async (_name, chunks, named) => {
      expect(await sources(chunks, 'perplexity/sonar-pro')).toEqual(named);
      expect(await sources(chunks, 'sonar')).toEqual(named);
    },
  );

  it.each([
    ['https://api.perplexity.ai', 1],
    ['https://perplexity.ai', 1],
    ['https://notperplexity.ai', undefined],
    ['https://perplexity.ai.example', undefined],
  ])('has numbers by its host: %s %s', (origin, number) => {
    const server = { dialect: 'openai' as const, origin, secrets: [], hasKey: true };
    const decoder = createOpenAiDecoder({ server, model: 'any', takenIds: [] });
    const bytes = new TextEncoder().encode(sse(chunk({}, { citations: [A] })));
    expect(decoder.push(bytes)).toContainEqual(source('', A, number));
  });

  it('of a runaway server are cut', async () => {
    const citations = Array.from({ length: 5_000 }, (_, n) => `${A}${n}`);
    expect(await sources([chunk({}, { citations })])).toHaveLength(64);
  });

  it('of a document that came instead of a stream count too', async () => {
    const server = await startModelServer({
      dialect: 'openai',
      steps: [
        {
          raw: {
            body: JSON.stringify({
              choices: [{ message: { content: 'Salt [1].' }, finish_reason: 'stop' }],
              citations: [A],
            }),
          },
        },
      ],
    });
    servers.push(server);
    const provider = createOpenAiProvider({ baseUrl: server.baseUrl });
    const events = await collect(provider.stream(question(), new AbortController().signal));
    expect(events).toContainEqual(source('', A));
  });
});
