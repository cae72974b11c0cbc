import * as z from 'zod/mini';

import type { ChatEvent, ChatRequest } from '../../lib/types';

import { readErrorObject } from './error-body';
import { failureOf } from './failures';
import { maybe, parseJson } from './lenient';
import { createAnswerState, type AnswerContext, type WireDecoder } from './wire';

/** Characters of one line. A line holds a token, or one tool call; more is a runaway server. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;

/** The body of `POST /api/chat`. `contextTokens` 0 = the server's own setting. */
export function ollamaRequest(request: ChatRequest, options: { contextTokens: number }): string {
  return JSON.stringify({
    model: request.model,
    messages: request.messages.map((message) => {
      switch (message.role) {
        case 'system':
          return { role: 'system', content: message.content };
        case 'user':
          return {
            role: 'user',
            content: message.content,
            ...(message.images?.length ? { images: message.images.map(({ data }) => data) } : {}),
          };
        case 'assistant':
          return {
            role: 'assistant',
            content: message.content,
            ...(message.toolCalls?.length
              ? {
                  tool_calls: message.toolCalls.map((call) => ({
                    id: call.id,
                    function: { name: call.name, arguments: call.arguments },
                  })),
                }
              : {}),
          };
        case 'tool':
          return {
            role: 'tool',
            tool_name: message.toolName,
            tool_call_id: message.toolCallId,
            content: message.content,
          };
      }
    }),
    ...(request.tools.length > 0
      ? { tools: request.tools.map((tool) => ({ type: 'function', function: tool })) }
      : {}),
    stream: true,
    ...(options.contextTokens > 0 ? { options: { num_ctx: options.contextTokens } } : {}),
  });
}

const ChunkSchema = z.object({
  message: maybe(
    z.object({
      content: maybe(z.string()),
      thinking: maybe(z.string()),
      tool_calls: maybe(
        z.array(
          maybe(
            z.object({
              id: maybe(z.string()),
              function: maybe(
                z.object({ name: maybe(z.string()), arguments: z.optional(z.unknown()) }),
              ),
            }),
          ),
        ),
      ),
    }),
  ),
  done: maybe(z.boolean()),
  done_reason: maybe(z.string()),
  prompt_eval_count: maybe(z.number()),
  eval_count: maybe(z.number()),
  error: z.optional(z.unknown()),
});

/** Decodes the NDJSON of `/api/chat`. */
export function createOllamaDecoder(context: AnswerContext): WireDecoder {
  const { server } = context;
  const state = createAnswerState(context);
  const text = new TextDecoder();
  let partial: string[] = [];
  let held = 0;
  let anyLine = false;
  /** Ollama sends every call whole: each is a call of its own, whatever index it carries. */
  let callCount = 0;

  function lineEvents(line: string): ChatEvent[] {
    const content = line.trim();
    if (content === '' || state.phase === 'over') return [];
    const json = parseJson(content);
    if (json === undefined) {
      if (anyLine) return state.fail(failureOf('garbled', server));
      return state.fail(failureOf(content.startsWith('<') ? 'html' : 'not-json', server));
    }
    const parsed = ChunkSchema.safeParse(json);
    if (!parsed.success) return [];
    const chunk = parsed.data;
    anyLine = true;
    if (chunk.error !== undefined && chunk.error !== null)
      return state.failWith(readErrorObject(json));
    if (!chunk.message && chunk.done === undefined && state.phase === 'waiting')
      return state.fail(failureOf('not-a-stream', server));

    const { message } = chunk;
    const result = [
      ...state.reasoning(message?.thinking ?? ''),
      ...state.text(message?.content ?? ''),
    ];
    for (const call of message?.tool_calls ?? []) {
      if (!call) continue;
      state.calls([
        {
          index: callCount,
          id: call.id,
          name: call.function?.name,
          arguments: call.function?.arguments,
        },
      ]);
      callCount += 1;
    }
    if (chunk.done !== true) return result;
    state.usage({
      ...(chunk.prompt_eval_count === undefined ? {} : { inputTokens: chunk.prompt_eval_count }),
      ...(chunk.eval_count === undefined ? {} : { outputTokens: chunk.eval_count }),
    });
    state.reason(chunk.done_reason === 'length' ? 'length' : 'stop');
    return [...result, ...state.complete()];
  }

  function feed(piece: string): ChatEvent[] {
    const lines = piece.split('\n');
    const rest = lines.pop() ?? '';
    const result: ChatEvent[] = [];
    for (const line of lines) {
      result.push(...lineEvents(partial.join('') + line));
      partial = [];
      held = 0;
    }
    if (rest !== '') partial.push(rest);
    held += rest.length;
    if (held > MAX_LINE_CHARS) result.push(...state.fail(failureOf('garbled', server)));
    return result;
  }

  return {
    get phase() {
      return state.phase;
    },
    push(bytes) {
      if (state.phase === 'over') return [];
      return feed(text.decode(bytes, { stream: true }));
    },
    close(failure) {
      if (failure) return state.breakOff(failure);
      const result = feed(text.decode());
      const last = partial.join('').trim();
      // Half a line at the very end is not the server's mistake.
      if (!anyLine || parseJson(last) !== undefined) result.push(...lineEvents(last));
      const cause = anyLine ? 'cut' : 'empty';
      return [...result, ...state.breakOff(failureOf(cause, server))];
    },
  };
}
