import { afterEach, describe, expect, it } from 'vitest';

import type { ChatEvent } from '../lib/types';
import { createOllamaProvider } from '../host/providers/ollama';
import { createOpenAiProvider } from '../host/providers/openai';
import {
  collect,
  merged,
  ndjson,
  question,
  sse,
  startModelServer,
  type FixedStep,
  type ModelServer,
} from './support/model-server';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

type Dialect = 'openai' | 'ollama';

async function ask(dialect: Dialect, step: FixedStep): Promise<ChatEvent[]> {
  const server = await startModelServer({ dialect, steps: [step] });
  servers.push(server);
  const create = dialect === 'openai' ? createOpenAiProvider : createOllamaProvider;
  const provider = create({ baseUrl: server.baseUrl });
  const events = await collect(provider.stream(question(), new AbortController().signal));
  server.assertComplete();
  return merged(events);
}

const raw = (body: string): FixedStep => ({ raw: { body } });
/** A chunk of the OpenAI dialect. */
const delta = (part: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: part, finish_reason: finish }],
});
const called = (...calls: object[]) => delta({ tool_calls: calls });
const stop = delta({}, 'stop');
const DONE = '[DONE]';
/** A line of Ollama's dialect. */
const line = (message: object, rest: object = { done: false }) => ({
  message: { role: 'assistant', content: '', ...message },
  ...rest,
});
const done = line({}, { done: true, done_reason: 'stop' });

const text = (words: string): ChatEvent => ({ type: 'text-delta', text: words });
const reasoning = (words: string): ChatEvent => ({ type: 'reasoning-delta', text: words });
const call = (id: string, name: string, args: unknown): ChatEvent => ({
  type: 'tool-call',
  call: { id, name, arguments: args },
});
const usage = (inputTokens: number, outputTokens: number): ChatEvent => ({
  type: 'usage',
  usage: { inputTokens, outputTokens },
});
const end = (reason: Extract<ChatEvent, { type: 'end' }>['reason']): ChatEvent => ({
  type: 'end',
  reason,
});
const error = (kind: string): object => ({
  type: 'error',
  failure: { kind, message: expect.any(String) as string },
});

const openAi: [name: string, step: FixedStep, events: object[]][] = [
  [
    'reasoning, text, calls and usage of a well-behaved server',
    {
      reasoning: ['Sea', '?'],
      text: ['Salt', '.'],
      calls: [
        { name: 'web_search', arguments: { query: 'salt' } },
        { name: 'now', arguments: {} },
      ],
      usage: { inputTokens: 9, outputTokens: 4 },
    },
    [
      reasoning('Sea?'),
      text('Salt.'),
      call('call_s1', 'web_search', '{"query":"salt"}'),
      call('call_s2', 'now', '{}'),
      usage(9, 4),
      end('tool-calls'),
    ],
  ],
  [
    'text',
    raw(sse(delta({ content: 'Salt' }), delta({ content: '.' }), stop, DONE)),
    [text('Salt.'), end('stop')],
  ],
  [
    'CRLF line ends',
    raw(sse(delta({ content: 'Salt.' }), stop, DONE).replaceAll('\n', '\r\n')),
    [text('Salt.'), end('stop')],
  ],
  [
    'comments',
    raw(`: OPENROUTER PROCESSING\n\n${sse(delta({ content: 'Salt.' }), stop, DONE)}`),
    [text('Salt.'), end('stop')],
  ],
  [
    'byte order mark',
    raw(`\uFEFF${sse(delta({ content: 'Salt.' }), stop, DONE)}`),
    [text('Salt.'), end('stop')],
  ],
  [
    'no space after data:',
    raw(sse(delta({ content: 'Salt.' }), stop, DONE).replaceAll('data: ', 'data:')),
    [text('Salt.'), end('stop')],
  ],
  [
    'one line break between events',
    raw(
      sse(delta({ content: 'Salt' }), delta({ content: '.' }), stop, DONE).replaceAll('\n\n', '\n'),
    ),
    [text('Salt.'), end('stop')],
  ],
  [
    'no blank line after the last event',
    raw(sse(delta({ content: 'Salt.' }), stop).trimEnd()),
    [text('Salt.'), end('stop')],
  ],
  [
    'finish_reason and no [DONE]',
    raw(sse(delta({ content: 'Salt.' }), stop)),
    [text('Salt.'), end('stop')],
  ],
  [
    '[DONE] and no finish_reason',
    raw(sse(delta({ content: 'Salt.' }), DONE)),
    [text('Salt.'), end('stop')],
  ],
  [
    'nothing after [DONE] counts',
    raw(sse(delta({ content: 'Salt.' }), DONE, delta({ content: '!' }))),
    [text('Salt.'), end('stop')],
  ],
  [
    'null in every optional field',
    raw(
      sse(
        {
          choices: [
            {
              index: null,
              delta: {
                role: null,
                content: 'Salt.',
                tool_calls: null,
                function_call: null,
                reasoning: null,
                refusal: null,
              },
              finish_reason: null,
              logprobs: null,
            },
          ],
          usage: null,
          error: null,
        },
        stop,
        DONE,
      ),
    ),
    [text('Salt.'), end('stop')],
  ],
  [
    'fields of unexpected types',
    raw(
      sse(
        {
          choices: [{ delta: { content: 'Salt.', tool_calls: 'none', reasoning: { effort: 1 } } }],
          usage: 'none',
        },
        { choices: null },
        { choices: 7 },
        [1],
        7,
        stop,
        DONE,
      ),
    ),
    [text('Salt.'), end('stop')],
  ],
  [
    'a second choice is left out',
    raw(
      sse(
        { choices: [{ index: 1, delta: { content: 'No.' } }] },
        delta({ content: 'Salt.' }),
        stop,
        DONE,
      ),
    ),
    [text('Salt.'), end('stop')],
  ],
  [
    'reasoning_content',
    raw(sse(delta({ reasoning_content: 'Sea?' }), delta({ content: 'Salt.' }), stop)),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'reasoning',
    raw(sse(delta({ reasoning: 'Sea?' }), delta({ content: 'Salt.' }), stop)),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'reasoning and reasoning_details with the same words',
    raw(
      sse(
        delta({
          content: '',
          reasoning: 'Sea?',
          reasoning_details: [{ type: 'reasoning.text', text: 'Sea?' }],
        }),
        delta({ content: 'Salt.' }),
        stop,
      ),
    ),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'reasoning_details alone',
    raw(
      sse(
        delta({
          reasoning_details: [
            { type: 'reasoning.summary', summary: 'Sea' },
            { type: 'reasoning.encrypted', data: 'x' },
            { type: 'reasoning.text', text: '?' },
          ],
        }),
        delta({ content: 'Salt.' }),
        stop,
      ),
    ),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'think tags in content',
    raw(
      sse(
        delta({ content: '<thi' }),
        delta({ content: 'nk>Sea?</th' }),
        delta({ content: 'ink>\n\nSalt.' }),
        stop,
      ),
    ),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'an unclosed think tag',
    raw(sse(delta({ content: '<think>Sea?' }), stop)),
    [reasoning('Sea?'), end('stop')],
  ],
  [
    'content as a list of parts',
    raw(
      sse(
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Sea?' }] }] }),
        delta({ content: [{ type: 'text', text: 'Salt.' }, null] }),
        stop,
      ),
    ),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'a refusal',
    raw(sse(delta({ refusal: 'I will not.' }), stop)),
    [text('I will not.'), end('stop')],
  ],
  [
    'a call in fragments, stop as the reason',
    raw(
      sse(
        called({ index: 0, id: 'a', function: { name: 'web_search', arguments: '' } }),
        called({ index: 0, function: { arguments: '{"query":' } }),
        called({ index: 0, function: { arguments: '"x"}' } }),
        stop,
        DONE,
      ),
    ),
    [call('a', 'web_search', '{"query":"x"}'), end('tool-calls')],
  ],
  [
    'two calls, index 0 for both',
    raw(
      sse(
        called({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
        called({ index: 0, id: 'b', function: { name: 'y', arguments: '{}' } }),
        delta({}, 'tool_calls'),
      ),
    ),
    [call('a', 'x', '{}'), call('b', 'y', '{}'), end('tool-calls')],
  ],
  [
    'calls without index and id',
    raw(
      sse(
        called({ function: { name: 'x', arguments: { q: 1 } } }, { function: { name: 'y' } }),
        delta({}, 'tool_calls'),
      ),
    ),
    [call('call_1', 'x', { q: 1 }), call('call_2', 'y', {}), end('tool-calls')],
  ],
  [
    'function_call',
    raw(
      sse(
        delta({ function_call: { name: 'x', arguments: '' } }),
        delta({ function_call: { arguments: '{"q":1}' } }),
        delta({}, 'function_call'),
      ),
    ),
    [call('call_1', 'x', '{"q":1}'), end('tool-calls')],
  ],
  [
    'calls only in a final message',
    raw(
      sse(
        delta({ content: 'Wait.' }),
        {
          choices: [
            {
              message: {
                content: 'Wait.',
                tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{}' } }],
              },
              finish_reason: 'tool_calls',
            },
          ],
        },
        DONE,
      ),
    ),
    [text('Wait.'), call('a', 'x', '{}'), end('tool-calls')],
  ],
  [
    'tool_calls as the reason without calls',
    raw(sse(delta({ content: 'Salt.' }), delta({}, 'tool_calls'))),
    [text('Salt.'), end('stop')],
  ],
  [
    'length',
    raw(sse(delta({ content: 'Sal' }), delta({}, 'length'), DONE)),
    [text('Sal'), end('length')],
  ],
  [
    'length in the middle of a call',
    raw(
      sse(
        called({ index: 0, id: 'a', function: { name: 'x', arguments: '{"q' } }),
        delta({}, 'length'),
        DONE,
      ),
    ),
    [end('length')],
  ],
  ['content_filter', raw(sse(delta({}, 'content_filter'), DONE)), [end('filtered')]],
  [
    'usage in a last chunk without choices',
    raw(
      sse(
        delta({ content: 'Salt.' }),
        stop,
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
        DONE,
      ),
    ),
    [text('Salt.'), usage(5, 2), end('stop')],
  ],
  [
    'usage in every chunk: the last counts',
    raw(
      sse(
        { ...delta({ content: 'Salt.' }), usage: { prompt_tokens: 5, completion_tokens: 1 } },
        { ...stop, usage: { prompt_tokens: 5, completion_tokens: 2 } },
        DONE,
      ),
    ),
    [text('Salt.'), usage(5, 2), end('stop')],
  ],
  [
    'a complete JSON answer instead of a stream',
    {
      raw: {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(
          {
            choices: [
              {
                message: { role: 'assistant', content: 'Salt.', reasoning_content: 'Sea?' },
                finish_reason: 'stop',
              },
            ],
            usage: { prompt_tokens: 5, completion_tokens: 2 },
          },
          null,
          2,
        ),
      },
    },
    [reasoning('Sea?'), text('Salt.'), usage(5, 2), end('stop')],
  ],
  [
    'a JSON answer with calls',
    raw(
      JSON.stringify({
        choices: [
          {
            message: {
              content: null,
              tool_calls: [
                { id: 'a', type: 'function', function: { name: 'x', arguments: '{"q":1}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ),
    [call('a', 'x', '{"q":1}'), end('tool-calls')],
  ],
  [
    'two-byte and four-byte characters cut by every write',
    { raw: { body: sse(delta({ content: 'Sältz 🧂 is 塩' }), stop, DONE), splitEvery: 1 } },
    [text('Sältz 🧂 is 塩'), end('stop')],
  ],
  [
    'a cut after the reason to end costs nothing',
    {
      raw: {
        body: sse(delta({ content: 'Salt.' }), stop),
        cutAfterBytes: Buffer.byteLength(sse(delta({ content: 'Salt.' }), stop)),
      },
    },
    [text('Salt.'), end('stop')],
  ],
  ['JSON that holds no answer', raw('{"models":[]}'), [error('not-a-stream')]],
  ['HTML with status 200', raw('<!doctype html><title>Sign in</title>'), [error('not-json')]],
  ['plain text with status 200', raw('Internal trouble\n'), [error('not-json')]],
  [
    'an error document with status 200',
    raw('{"error":{"message":"boom"}}'),
    [error('stream-error')],
  ],
  [
    'an error in mid-stream',
    raw(sse(delta({ content: 'Sal' }), { error: { message: 'boom' } })),
    [text('Sal'), error('stream-error')],
  ],
  [
    'an error event',
    raw(`${sse(delta({ content: 'Sal' }))}event: error\ndata: {"message":"boom"}\n\n`),
    [text('Sal'), error('stream-error')],
  ],
  [
    'an error chunk with choices',
    raw(
      sse(delta({ content: 'Sal' }), {
        error: { code: 502, message: 'boom' },
        choices: [{ delta: { content: 't' }, finish_reason: 'error' }],
      }),
    ),
    [text('Salt'), error('stream-error')],
  ],
  [
    'error as the reason to end',
    raw(sse(delta({ content: 'Sal' }), delta({}, 'error'))),
    [text('Sal'), error('stream-error')],
  ],
  [
    'a context error in mid-stream',
    raw(sse({ error: { code: 'context_length_exceeded', message: 'too long' } })),
    [error('context-length')],
  ],
  [
    'a line that is not JSON',
    raw(`${sse(delta({ content: 'Sal' }))}data: {"cho\n\n${sse(stop)}`),
    [text('Sal'), error('stream-error')],
  ],
  [
    'a stream that ends without a reason',
    raw(sse(delta({ content: 'Sal' }))),
    [text('Sal'), error('cut')],
  ],
  [
    'a stream that ends in half an event',
    raw(`${sse(delta({ content: 'Sal' }))}data: {"cho`),
    [text('Sal'), error('cut')],
  ],
  [
    'a socket cut in mid-answer, with a tag held back',
    {
      raw: {
        body: sse(delta({ content: '<thi' }), delta({ content: 'x' })),
        cutAfterBytes: Buffer.byteLength(sse(delta({ content: '<thi' }))),
      },
    },
    [text('<thi'), error('cut')],
  ],
  ['a socket cut before the headers', { raw: { reset: true } }, [error('cut')]],
  ['an empty body', raw(''), [error('empty')]],
  ['only comments', raw(': waiting\n\n'), [error('empty')]],
  ['only [DONE]', raw(sse(DONE)), [error('empty')]],
  [
    'a proper end and nothing said',
    raw(sse(delta({ role: 'assistant', content: '' }), stop, DONE)),
    [error('empty')],
  ],
];

const ollama: [name: string, step: FixedStep, events: object[]][] = [
  [
    'reasoning, text, calls and usage of a well-behaved server',
    {
      reasoning: ['Sea', '?'],
      text: ['Salt', '.'],
      calls: [
        { name: 'web_search', arguments: { query: 'salt' } },
        { name: 'now', arguments: {} },
      ],
      usage: { inputTokens: 9, outputTokens: 4 },
    },
    [
      reasoning('Sea?'),
      text('Salt.'),
      call('call_1', 'web_search', { query: 'salt' }),
      call('call_2', 'now', {}),
      usage(9, 4),
      end('tool-calls'),
    ],
  ],
  [
    'text',
    raw(ndjson(line({ content: 'Salt' }), line({ content: '.' }), done)),
    [text('Salt.'), end('stop')],
  ],
  [
    'CRLF and empty lines',
    raw(ndjson(line({ content: 'Salt.' }), done).replaceAll('\n', '\r\n\r\n')),
    [text('Salt.'), end('stop')],
  ],
  [
    'no line break at the end',
    raw(ndjson(line({ content: 'Salt.' }), done).trimEnd()),
    [text('Salt.'), end('stop')],
  ],
  [
    'one document, not streamed',
    raw(JSON.stringify(line({ content: 'Salt.' }, { done: true }))),
    [text('Salt.'), end('stop')],
  ],
  [
    'think tags of an old server',
    raw(
      ndjson(
        line({ content: '<think>' }),
        line({ content: 'Sea?' }),
        line({ content: '</think>\n\nSalt.' }),
        done,
      ),
    ),
    [reasoning('Sea?'), text('Salt.'), end('stop')],
  ],
  [
    'several calls with the same index, ids of the server',
    raw(
      ndjson(
        line({ tool_calls: [{ id: 'a', function: { index: 0, name: 'x', arguments: { q: 1 } } }] }),
        line({ tool_calls: [{ id: 'b', function: { index: 0, name: 'x', arguments: { q: 1 } } }] }),
        done,
      ),
    ),
    [call('a', 'x', { q: 1 }), call('b', 'x', { q: 1 }), end('tool-calls')],
  ],
  [
    'null fields',
    raw(
      ndjson(
        {
          message: { content: 'Salt.', thinking: null, tool_calls: null },
          done: false,
          error: null,
        },
        done,
      ),
    ),
    [text('Salt.'), end('stop')],
  ],
  [
    'length',
    raw(ndjson(line({ content: 'Sal' }), line({}, { done: true, done_reason: 'length' }))),
    [text('Sal'), end('length')],
  ],
  [
    'an error in mid-stream',
    raw(ndjson(line({ content: 'Sal' }), { error: 'model runner has unexpectedly stopped' })),
    [text('Sal'), error('stream-error')],
  ],
  [
    'a line that is not JSON',
    raw(`${ndjson(line({ content: 'Sal' }))}{"mess\n${ndjson(done)}`),
    [text('Sal'), error('stream-error')],
  ],
  [
    'a stream that ends without done',
    raw(ndjson(line({ content: 'Sal' }))),
    [text('Sal'), error('cut')],
  ],
  [
    'a stream that ends in half a line',
    raw(`${ndjson(line({ content: 'Sal' }))}{"mess`),
    [text('Sal'), error('cut')],
  ],
  ['HTML with status 200', raw('<!doctype html>\n<title>Sign in</title>\n'), [error('not-json')]],
  ['plain text with status 200', raw('Ollama is running'), [error('not-json')]],
  ['JSON that holds no answer', raw('{"models":[]}'), [error('not-a-stream')]],
  ['an empty body', raw(''), [error('empty')]],
  ['a proper end and nothing said', raw(ndjson(done)), [error('empty')]],
  [
    'characters cut by every write',
    { raw: { body: ndjson(line({ content: 'Sältz 🧂' }), done), splitEvery: 1 } },
    [text('Sältz 🧂'), end('stop')],
  ],
];

describe('OpenAI dialect', () => {
  it.each(openAi)('%s', async (_name, step, events) => {
    expect(await ask('openai', step)).toEqual(events);
  });
});

describe('Ollama dialect', () => {
  it.each(ollama)('%s', async (_name, step, events) => {
    expect(await ask('ollama', step)).toEqual(events);
  });
});
