import type { Gate } from './gate';
import { ndjson, sse, type AnswerStep, type Piece } from './steps';

/** A model as the server's lists show it. */
export interface ScriptedModel {
  id: string;
  /** Default `['completion', 'tools']`; null = a server too old to say. */
  capabilities?: readonly string[] | null;
  /** Ollama's prompt template; shown only if set. */
  template?: string;
  /** What Ollama says the model was made for; shown only if set. */
  contextTokens?: number;
}

/** What differs between the dialects: paths, chunks, lists. */
export interface ServerDialect {
  chatPath: string;
  contentType: string;
  /** The chunks of an answer in order; gates among them. */
  chunks(step: AnswerStep): (string | Gate)[];
  /** JSON for the paths that are not the chat; undefined = no such path. */
  list(path: string, body: unknown, models: readonly ScriptedModel[]): ListAnswer | undefined;
  /** The body of an error answer. */
  error(message: string): unknown;
}

interface ListAnswer {
  status: number;
  json: unknown;
}

const DEFAULT_CAPABILITIES = ['completion', 'tools'];

function pieces(value: string | readonly Piece[] | undefined): readonly Piece[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function map(value: string | readonly Piece[] | undefined, write: (text: string) => string) {
  return pieces(value).map((piece) => (typeof piece === 'string' ? write(piece) : piece));
}

export const openAiDialect: ServerDialect = {
  chatPath: '/v1/chat/completions',
  contentType: 'text/event-stream',
  chunks(step) {
    const chunk = (delta: unknown, finishReason: string | null = null) =>
      sse({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finishReason }],
      });
    const calls = step.calls ?? [];
    return [
      chunk({ role: 'assistant', content: '' }),
      ...map(step.reasoning, (text) => chunk({ reasoning_content: text })),
      ...map(step.text, (text) => chunk({ content: text })),
      ...(step.holdAfter ? [step.holdAfter] : []),
      ...calls.flatMap((call, index) => {
        const id = call.id ?? `call_s${index + 1}`;
        const json = JSON.stringify(call.arguments);
        const half = Math.ceil(json.length / 2);
        const called = (fragment: object) => chunk({ tool_calls: [{ index, ...fragment }] });
        return [
          called({ id, type: 'function', function: { name: call.name, arguments: '' } }),
          called({ function: { arguments: json.slice(0, half) } }),
          called({ function: { arguments: json.slice(half) } }),
        ];
      }),
      chunk({}, step.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      ...(step.usage
        ? [
            sse({
              choices: [],
              usage: {
                prompt_tokens: step.usage.inputTokens,
                completion_tokens: step.usage.outputTokens,
              },
            }),
          ]
        : []),
      sse('[DONE]'),
    ];
  },
  list: (path, _body, models) =>
    path === '/v1/models'
      ? {
          status: 200,
          json: { object: 'list', data: models.map(({ id }) => ({ id, object: 'model' })) },
        }
      : undefined,
  error: (message) => ({ error: { message, type: 'server_error', code: null } }),
};

export const ollamaDialect: ServerDialect = {
  chatPath: '/api/chat',
  contentType: 'application/x-ndjson',
  chunks(step) {
    const message = (part: object) =>
      ndjson({
        model: 'scripted',
        message: { role: 'assistant', content: '', ...part },
        done: false,
      });
    return [
      ...map(step.reasoning, (thinking) => message({ thinking })),
      ...map(step.text, (content) => message({ content })),
      ...(step.holdAfter ? [step.holdAfter] : []),
      ...(step.calls ?? []).map((call) =>
        message({ tool_calls: [{ function: { name: call.name, arguments: call.arguments } }] }),
      ),
      ndjson({
        model: 'scripted',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: step.finishReason ?? 'stop',
        ...(step.usage
          ? { prompt_eval_count: step.usage.inputTokens, eval_count: step.usage.outputTokens }
          : {}),
      }),
    ];
  },
  list(path, body, models) {
    if (path === '/api/tags')
      return { status: 200, json: { models: models.map(({ id }) => ({ name: id, model: id })) } };
    if (path !== '/api/show') return undefined;
    const wanted =
      typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
    const model = models.find(({ id }) => id === wanted);
    if (!model) return { status: 404, json: { error: `model '${String(wanted)}' not found` } };
    return {
      status: 200,
      json: {
        ...(model.capabilities === null
          ? {}
          : { capabilities: model.capabilities ?? DEFAULT_CAPABILITIES }),
        ...(model.template === undefined ? {} : { template: model.template }),
        ...(model.contextTokens === undefined
          ? {}
          : {
              model_info: {
                'general.architecture': 'scripted',
                'scripted.context_length': model.contextTokens,
              },
            }),
      },
    };
  },
  error: (message) => ({ error: message }),
};

/** An event of the Messages API, whose name stands in it and beside it. */
export function named(type: string, rest: object = {}): string {
  return `event: ${type}\n${sse({ type, ...rest })}`;
}

export const anthropicDialect: ServerDialect = {
  chatPath: '/v1/messages',
  contentType: 'text/event-stream',
  chunks(step) {
    const { inputTokens = 0, outputTokens = 0 } = step.usage ?? {};
    const calls = step.calls ?? [];
    let count = 0;
    const block = (content: object, deltas: (index: number) => (string | Gate)[]) => {
      const index = count;
      count += 1;
      return [
        named('content_block_start', { index, content_block: content }),
        ...deltas(index),
        named('content_block_stop', { index }),
      ];
    };
    const delta = (index: number, part: object) =>
      named('content_block_delta', { index, delta: part });
    return [
      named('message_start', {
        message: { role: 'assistant', content: [], usage: { input_tokens: inputTokens } },
      }),
      named('ping'),
      ...(step.reasoning === undefined
        ? []
        : block({ type: 'thinking', thinking: '', signature: '' }, (index) => [
            ...map(step.reasoning, (thinking) =>
              delta(index, { type: 'thinking_delta', thinking }),
            ),
            delta(index, { type: 'signature_delta', signature: 'c2lnbmVk' }),
          ])),
      ...(step.text === undefined
        ? []
        : block({ type: 'text', text: '' }, (index) =>
            map(step.text, (text) => delta(index, { type: 'text_delta', text })),
          )),
      ...(step.holdAfter ? [step.holdAfter] : []),
      ...calls.flatMap((call, n) => {
        const json = JSON.stringify(call.arguments);
        const half = Math.ceil(json.length / 2);
        const id = call.id ?? `toolu_${n + 1}`;
        return block({ type: 'tool_use', id, name: call.name, input: {} }, (index) =>
          ['', json.slice(0, half), json.slice(half)].map((partial_json) =>
            delta(index, { type: 'input_json_delta', partial_json }),
          ),
        );
      }),
      named('message_delta', {
        delta: { stop_reason: step.finishReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn') },
        usage: { output_tokens: outputTokens },
      }),
      named('message_stop'),
    ];
  },
  list: (path, _body, models) =>
    path === '/v1/models'
      ? {
          status: 200,
          json: {
            data: models.map(({ id }) => ({ type: 'model', id, display_name: id })),
            has_more: false,
          },
        }
      : undefined,
  error: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
};
