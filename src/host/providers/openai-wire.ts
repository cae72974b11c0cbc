import { createParser } from 'eventsource-parser';
import * as z from 'zod/mini';

import type { ChatEvent, ChatRequest, Usage } from '../../lib/types';

import { readErrorObject } from './error-body';
import { failureOf } from './failures';
import { maybe, parseJson } from './lenient';
import {
  createAnswerState,
  type AnswerContext,
  type AnswerState,
  type EndReason,
  type WireDecoder,
} from './wire';

/** Characters of one event, or of a whole document. An answer is a few hundred kilobytes; more is a runaway server. */
const MAX_BUFFER_CHARS = 8 * 1024 * 1024;

/** The body of `POST …/chat/completions`. */
export function openAiRequest(request: ChatRequest, options: { usage: boolean }): string {
  return JSON.stringify({
    model: request.model,
    messages: request.messages.map((message) => {
      switch (message.role) {
        case 'system':
        case 'user':
          return { role: message.role, content: message.content };
        case 'assistant':
          return {
            role: 'assistant',
            // Empty text and not null: some chat templates call string methods on it.
            content: message.content,
            ...(message.toolCalls?.length
              ? {
                  tool_calls: message.toolCalls.map((call) => ({
                    id: call.id,
                    type: 'function',
                    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
                  })),
                }
              : {}),
          };
        case 'tool':
          return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
      }
    }),
    ...(request.tools.length > 0
      ? { tools: request.tools.map((tool) => ({ type: 'function', function: tool })) }
      : {}),
    stream: true,
    ...(options.usage ? { stream_options: { include_usage: true } } : {}),
  });
}

const FunctionSchema = z.object({
  name: maybe(z.string()),
  arguments: z.optional(z.unknown()),
});

const CallSchema = z.object({
  index: maybe(z.union([z.string(), z.number()])),
  id: maybe(z.string()),
  function: maybe(FunctionSchema),
});

/** A part of content that is a list (Mistral): text, or thinking that is text or again a list. */
const PartSchema = z.object({
  type: maybe(z.string()),
  text: maybe(z.string()),
  thinking: maybe(z.union([z.string(), z.array(z.object({ text: maybe(z.string()) }))])),
});

const MessageSchema = z.object({
  content: maybe(z.union([z.string(), z.array(maybe(PartSchema))])),
  refusal: maybe(z.string()),
  reasoning_content: maybe(z.string()),
  reasoning: maybe(z.string()),
  reasoning_details: maybe(
    z.array(z.object({ text: maybe(z.string()), summary: maybe(z.string()) })),
  ),
  tool_calls: maybe(z.array(maybe(CallSchema))),
  function_call: maybe(FunctionSchema),
});

const ChunkSchema = z.object({
  choices: maybe(
    z.array(
      z.object({
        index: maybe(z.number()),
        delta: maybe(MessageSchema),
        message: maybe(MessageSchema),
        finish_reason: maybe(z.string()),
      }),
    ),
  ),
  usage: maybe(
    z.object({ prompt_tokens: maybe(z.number()), completion_tokens: maybe(z.number()) }),
  ),
  error: z.optional(z.unknown()),
});

type Message = z.infer<typeof MessageSchema>;

const END_REASONS: Readonly<Record<string, EndReason>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'filtered',
  safety: 'filtered',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
};

/**
 * Decodes the body of a chat completion: server-sent events, or the one JSON document some servers send although a
 * stream was asked for. Which of them it is shows its first character; content types are not to be relied on.
 */
export function createOpenAiDecoder(context: AnswerContext): WireDecoder {
  const { server } = context;
  const state = createAnswerState(context);
  const text = new TextDecoder();
  let form: 'unknown' | 'events' | 'document' = 'unknown';
  let document = '';
  let events: ChatEvent[] = [];
  let closing = false;
  let sawChunk = false;
  let noise = false;

  const emit = (more: ChatEvent[]) => {
    events.push(...more);
  };

  const parser = createParser({
    maxBufferSize: MAX_BUFFER_CHARS,
    onEvent({ event, data }) {
      if (state.phase === 'over' || data.trim() === '') return;
      if (emitEvent(data, event)) return;
      // Servers that end events with one line break instead of two: every line is an event of its own.
      const lines = data.split('\n');
      if (lines.length > 1 && lines.every((line) => emitEvent(line, event))) return;
      // Half an event at the very end is not the server's mistake.
      emit(state.fail(failureOf(closing ? 'cut' : 'garbled', server)));
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') emit(state.fail(failureOf('garbled', server)));
      if (type === 'unknown-field') noise = true;
    },
  });

  /** False = not readable. */
  function emitEvent(data: string, event: string | undefined): boolean {
    const content = data.trim();
    if (content === '' || state.phase === 'over') return true;
    if (content === '[DONE]') {
      emit(state.complete());
      return true;
    }
    const json = parseJson(content);
    if (json === undefined) return false;
    sawChunk = true;
    emit(chunkEvents(json, state, { isError: event === 'error' }));
    return true;
  }

  function feed(piece: string): void {
    if (state.phase === 'over' || piece === '') return;
    if (form === 'events') {
      parser.feed(piece);
      return;
    }
    document += piece;
    if (form === 'unknown') {
      const first = /\S/.exec(document)?.[0];
      if (first === '<') emit(state.fail(failureOf('html', server)));
      else if (first === '{' || first === '[') form = 'document';
      else if (first !== undefined) {
        form = 'events';
        parser.feed(document);
        document = '';
      }
    }
    if (document.length > MAX_BUFFER_CHARS) emit(state.fail(failureOf('not-a-stream', server)));
  }

  const taken = () => {
    const result = events;
    events = [];
    return result;
  };

  return {
    get phase() {
      return state.phase;
    },
    push(bytes) {
      feed(text.decode(bytes, { stream: true }));
      return taken();
    },
    close(failure) {
      if (failure) {
        emit(state.breakOff(failure));
        return taken();
      }
      closing = true;
      feed(text.decode());
      if (state.phase !== 'over' && form === 'document')
        emit(documentEvents(document, state, server));
      // The last event may lack its blank line.
      if (state.phase !== 'over' && form === 'events') parser.feed('\n\n');
      const nothing = state.phase === 'waiting' && !sawChunk;
      emit(state.breakOff(failureOf(nothing ? (noise ? 'not-json' : 'empty') : 'cut', server)));
      return taken();
    },
  };
}

/** The events of one chunk; none for JSON of an unknown shape. */
function chunkEvents(json: unknown, state: AnswerState, { isError = false } = {}): ChatEvent[] {
  const parsed = ChunkSchema.safeParse(json);
  if (!parsed.success) return [];
  const { choices, usage, error } = parsed.data;
  const result: ChatEvent[] = [];
  state.usage(usageOf(usage));
  let failed = isError || (error !== undefined && error !== null);
  for (const choice of choices ?? []) {
    // We ask for one answer; a second one would be mixed into the first.
    if ((choice.index ?? 0) !== 0) continue;
    if (choice.delta) result.push(...messageEvents(choice.delta, state));
    if (choice.message) result.push(...messageEvents(unsaid(choice.message, state), state));
    const reason = choice.finish_reason?.toLowerCase();
    if (reason === 'error') failed = true;
    else if (reason) state.reason(END_REASONS[reason] ?? 'stop');
  }
  if (failed) result.push(...state.failWith(readErrorObject(json)));
  return result;
}

/** A whole message at the end of a stream repeats what the deltas said: only the parts that they did not say count. */
function unsaid(message: Message, { seen }: AnswerState): Message {
  return {
    ...(seen.reasoning
      ? {}
      : pick(message, ['reasoning_content', 'reasoning', 'reasoning_details'])),
    ...(seen.text ? {} : pick(message, ['content', 'refusal'])),
    ...(seen.calls ? {} : pick(message, ['tool_calls', 'function_call'])),
  };
}

function pick(message: Message, keys: readonly (keyof Message)[]): Message {
  return Object.fromEntries(Object.entries(message).filter(([key]) => keys.some((k) => k === key)));
}

/** One JSON document where a stream was due: accepted if it holds an answer. */
function documentEvents(
  document: string,
  state: AnswerState,
  server: AnswerContext['server'],
): ChatEvent[] {
  const json = parseJson(document);
  if (json === undefined) return state.fail(failureOf('not-json', server));
  // Google's gateway wraps errors in an array.
  const first: unknown = Array.isArray(json) ? (json as unknown[])[0] : json;
  const parsed = ChunkSchema.safeParse(first);
  if (!parsed.success) return state.fail(failureOf('not-a-stream', server));
  if (parsed.data.choices?.some(({ message, delta }) => message ?? delta))
    return [...chunkEvents(first, state), ...state.complete()];
  const details = readErrorObject(first);
  return details && (details.message !== '' || parsed.data.error)
    ? state.failWith(details)
    : state.fail(failureOf('not-a-stream', server));
}

function messageEvents(message: Message, state: AnswerState): ChatEvent[] {
  const result = state.reasoning(reasoningOf(message));
  if (typeof message.content === 'string') result.push(...state.text(message.content));
  else
    for (const part of message.content ?? []) {
      const thinking = part?.thinking;
      if (typeof thinking === 'string') result.push(...state.reasoning(thinking));
      else for (const piece of thinking ?? []) result.push(...state.reasoning(piece.text ?? ''));
      if (thinking === undefined && part?.text) result.push(...state.text(part.text));
    }
  if (message.refusal) result.push(...state.text(message.refusal));
  const calls = (message.tool_calls ?? []).flatMap((call) => call ?? []);
  state.calls(
    calls.map(({ index, id, function: called }) => ({
      index,
      id,
      name: called?.name,
      arguments: called?.arguments,
    })),
  );
  const legacy = message.function_call;
  if (legacy) state.calls([{ index: 'function_call', ...legacy }]);
  return result;
}

/** OpenRouter and vLLM send the same words in two of these fields: the first that has any counts. */
function reasoningOf({ reasoning_content, reasoning, reasoning_details }: Message): string {
  if (reasoning_content) return reasoning_content;
  if (reasoning) return reasoning;
  return (reasoning_details ?? []).map(({ text, summary }) => text ?? summary ?? '').join('');
}

function usageOf(
  usage: { prompt_tokens?: number | undefined; completion_tokens?: number | undefined } | undefined,
): Usage {
  return {
    ...(usage?.prompt_tokens === undefined ? {} : { inputTokens: usage.prompt_tokens }),
    ...(usage?.completion_tokens === undefined ? {} : { outputTokens: usage.completion_tokens }),
  };
}
