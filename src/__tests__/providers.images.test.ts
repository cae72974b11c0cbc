import { afterEach, describe, expect, it } from 'vitest';

import { createAnthropicProvider } from '../host/providers/anthropic';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import type { ChatImage, ChatMessage } from '../lib/types';
import {
  collect,
  merged,
  question,
  startModelServer,
  type FixedStep,
  type ModelServer,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const PROVIDERS = {
  openai: createOpenAiProvider,
  ollama: createOllamaProvider,
  anthropic: createAnthropicProvider,
};
type Dialect = keyof typeof PROVIDERS;

/** One request with these messages: the messages as the server gets them, and what comes of it. */
async function ask(
  dialect: Dialect,
  messages: ChatMessage[],
  step: FixedStep = { text: ['A leaf.'] },
) {
  const server = await startModelServer({ dialect, steps: [step] });
  servers.push(server);
  const provider = PROVIDERS[dialect]({ baseUrl: server.baseUrl, apiKey: 'key-of-the-test' });
  const request = { ...question(), messages };
  const events = await collect(provider.stream(request, new AbortController().signal));
  server.assertComplete();
  const body = server.requests[0]?.body;
  const sent = typeof body === 'object' && body !== null && 'messages' in body ? body.messages : [];
  return { sent, body, events: merged(events), origin: server.origin };
}

const PNG: ChatImage = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const JPEG: ChatImage = { mediaType: 'image/jpeg', data: '/9j/4AA=' };
const SEEN: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What was that?', images: [JPEG] },
  { role: 'assistant', content: 'A pot.' },
  { role: 'user', content: 'And these?', images: [PNG, JPEG] },
];

describe('images go with the message they belong to', () => {
  it.each<[dialect: Dialect, messages: object[]]>([
    [
      'openai',
      [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What was that?' },
            { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AA=' } },
          ],
        },
        { role: 'assistant', content: 'A pot.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And these?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AA=' } },
          ],
        },
      ],
    ],
    [
      'ollama',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What was that?', images: ['/9j/4AA='] },
        { role: 'assistant', content: 'A pot.' },
        { role: 'user', content: 'And these?', images: ['iVBORw0KGgo=', '/9j/4AA='] },
      ],
    ],
    [
      'anthropic',
      [
        {
          role: 'user',
          content: [
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AA=' },
            },
            { type: 'text', text: 'What was that?' },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'A pot.' }] },
        {
          role: 'user',
          content: [
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
            },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AA=' },
            },
            { type: 'text', text: 'And these?' },
          ],
        },
      ],
    ],
  ])('%s', async (dialect, messages) => {
    const { sent, events } = await ask(dialect, SEEN);
    expect(sent).toEqual(messages);
    expect(events).toContainEqual({ type: 'text-delta', text: 'A leaf.' });
  });
});

describe('a request without images', () => {
  const plain: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Tea?' },
  ];
  it.each<[dialect: Dialect, messages: string]>([
    ['openai', '[{"role":"system","content":"Be brief."},{"role":"user","content":"Tea?"}]'],
    ['ollama', '[{"role":"system","content":"Be brief."},{"role":"user","content":"Tea?"}]'],
    ['anthropic', '[{"role":"user","content":[{"type":"text","text":"Tea?"}]}]'],
  ])(
    'is the same, byte for byte, whether or not images were thought of: %s',
    async (dialect, messages) => {
      const none = plain.map((message) =>
        message.role === 'user' ? { ...message, images: [] } : message,
      );
      const [bare, empty] = [await ask(dialect, plain), await ask(dialect, none)];
      expect(JSON.stringify(bare.sent)).toBe(messages);
      expect(JSON.stringify(empty.body)).toBe(JSON.stringify(bare.body));
    },
  );
});

describe('an image as large as it may be', () => {
  it.each<Dialect>(['openai', 'ollama', 'anthropic'])('arrives whole at %s', async (dialect) => {
    const data = 'A'.repeat(5 * 1024 * 1024);
    const image = { mediaType: 'image/png', data };
    const { body } = await ask(dialect, [
      { role: 'user', content: 'What is it?', images: [image] },
    ]);
    expect(JSON.stringify(body).split(data)).toHaveLength(2);
  });
});

describe('a server whose model cannot see', () => {
  it.each<[name: string, dialect: Dialect, status: number, body: string, said: string]>([
    [
      'OpenAI',
      'openai',
      400,
      '{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[1].content.[1].type","code":null}}',
      'Invalid content type. image_url is only supported by certain models.',
    ],
    [
      'OpenRouter',
      'openai',
      404,
      '{"error":{"message":"No endpoints found that support image input","code":404}}',
      'No endpoints found that support image input',
    ],
    [
      'LM Studio',
      'openai',
      400,
      '{"error":"Model does not support images. Please use a model that does."}',
      'Model does not support images. Please use a model that does.',
    ],
    [
      'llama.cpp',
      'openai',
      500,
      '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
      'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    ],
    [
      'vLLM',
      'openai',
      400,
      '{"error":{"message":"tea-7b is not a multimodal model","type":"BadRequestError","code":400}}',
      'tea-7b is not a multimodal model',
    ],
    [
      'Ollama',
      'ollama',
      400,
      '{"error":"this model does not support images"}',
      'this model does not support images',
    ],
  ])('%s: is one sentence that says what to do', async (_name, dialect, status, body, said) => {
    const { events, origin } = await ask(dialect, SEEN, { raw: { status, body } });
    expect(events).toEqual([
      {
        type: 'error',
        failure: {
          kind: 'bad-request',
          title: 'The model cannot see',
          message: `The model "${question().model}" cannot see images at ${origin}. Choose a model that can, or ask without the image. It said: “${said}”`,
        },
      },
    ]);
  });
});
