import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ChatEvent } from '../lib/types';
import { createAnthropicDecoder } from '../host/providers/anthropic-wire';
import { createOllamaDecoder } from '../host/providers/ollama-wire';
import { createOpenAiDecoder } from '../host/providers/openai-wire';
import type { AnswerContext, WireDecoder } from '../host/providers/wire';
import { merged, named, ndjson, sse } from './support/model-server';

const context: AnswerContext = {
  server: { dialect: 'openai', origin: 'http://127.0.0.1:1', secrets: [], hasKey: false },
  model: 'scripted',
  takenIds: [],
};

function decode(decoder: WireDecoder, chunks: readonly Uint8Array[]): ChatEvent[] {
  return merged([...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.close()]);
}

/** Cuts the bytes at the given places, repeated as often as needed. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.byteLength; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const words = fc.constantFrom('salt ', 'ä', '🧂', '<think>', '</think>', '\n', '"', '[1]', '<');
const annotations = [{ type: 'url_citation', url_citation: { url: 'https://ä.example/' } }];
const delta = fc.oneof(
  fc.constant({ content: '[1]', annotations }),
  fc.record({ content: words }),
  fc.record({ reasoning_content: words }),
  fc.record({
    tool_calls: fc.array(
      fc.record({
        index: fc.nat(1),
        id: fc.constantFrom('', 'a', 'b'),
        function: fc.record({
          name: fc.constantFrom('', 'search'),
          arguments: fc.constantFrom('', '{}', '{"q":', '"ü"}'),
        }),
      }),
      { maxLength: 2 },
    ),
  }),
);
const openAiBody = fc
  .tuple(
    fc.array(
      fc
        .tuple(delta, fc.constantFrom(null, null, null, null, 'stop', 'length'))
        .map(([part, reason]) => ({ choices: [{ index: 0, delta: part, finish_reason: reason }] })),
      { maxLength: 12 },
    ),
    fc.constantFrom('', sse('[DONE]'), sse({ error: { message: 'boom' } }), 'data: {"x', '<p>'),
    fc.constantFrom('', ': waiting\n\n', '\uFEFF', '{"choices":[', '<html>'),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([chunks, last, first, lineEnd]) =>
    (first + sse(...chunks) + last).replaceAll('\n', lineEnd),
  );

const ollamaBody = fc
  .tuple(
    fc.array(
      fc.record({
        message: fc.record(
          {
            content: words,
            thinking: words,
            tool_calls: fc.constant([{ function: { name: 'search', arguments: { q: 'ü' } } }]),
          },
          { requiredKeys: [] },
        ),
        done: fc.constantFrom(false, false, false, true),
      }),
      { maxLength: 12 },
    ),
    fc.constantFrom('', '{"error":"boom"}', '{"mess', '<html>\n', '\n\n'),
  )
  .map(([lines, last]) => ndjson(...lines) + last);

const citation = fc.constantFrom(
  { type: 'web_search_result_location', url: 'https://salt.example/ä', title: 'Sält' },
  { type: 'char_location', document_title: 'A file' },
);
const blockDelta = fc.oneof(
  fc.record({ type: fc.constant('text_delta'), text: words }),
  fc.record({ type: fc.constant('thinking_delta'), thinking: words }),
  fc.record({
    type: fc.constant('input_json_delta'),
    partial_json: fc.constantFrom('', '{"q":', '"ü"}', '{}'),
  }),
  fc.record({ type: fc.constant('citations_delta'), citation }),
  fc.constant({ type: 'signature_delta', signature: 'c2ln' }),
);
const block = fc.constantFrom<object>(
  { type: 'text', text: '' },
  { type: 'thinking', thinking: '' },
  { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
);
const anthropicBody = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc
          .tuple(fc.nat(2), block)
          .map(([index, content_block]) => named('content_block_start', { index, content_block })),
        fc
          .tuple(fc.nat(2), blockDelta)
          .map(([index, delta]) => named('content_block_delta', { index, delta })),
        fc.constant(named('ping')),
      ),
      { maxLength: 12 },
    ),
    fc.constantFrom('', 'end_turn', 'tool_use', 'max_tokens', 'refusal'),
    fc.constantFrom(
      '',
      named('message_stop'),
      named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
      'event: mess',
      'data: {"x',
      '<p>',
    ),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([events, reason, last, lineEnd]) => {
    const delta = reason === '' ? '' : named('message_delta', { delta: { stop_reason: reason } });
    return (named('message_start') + events.join('') + delta + last).replaceAll('\n', lineEnd);
  });

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

describe.each([
  ['OpenAI', () => createOpenAiDecoder(context), openAiBody],
  ['Ollama', () => createOllamaDecoder(context), ollamaBody],
  ['Anthropic', () => createAnthropicDecoder(context), anthropicBody],
] as const)('%s decoder', (_name, create, body) => {
  it('gives the same events however the bytes are cut', () => {
    fc.assert(
      fc.property(body, sizes, (text, cuts) => {
        const bytes = Buffer.from(text);
        const whole = decode(create(), [bytes]);
        expect(decode(create(), cut(bytes, cuts))).toEqual(whole);
        expect(decode(create(), cut(bytes, [1]))).toEqual(whole);
      }),
    );
  });

  it('ends with exactly one end or error, whatever arrives', () => {
    const anything = fc.oneof(
      body.map((text) => new Uint8Array(Buffer.from(text))),
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new Uint8Array(Buffer.from(`data: ${text}\n\n`))),
      fc.json().map((text) => new Uint8Array(Buffer.from(`${text}\n`))),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 3 }), (chunks) => {
        const events = decode(create(), chunks);
        const finals = events.filter(({ type }) => type === 'end' || type === 'error');
        expect(finals).toHaveLength(1);
        expect(events.at(-1)).toBe(finals[0]);
      }),
    );
  });
});
