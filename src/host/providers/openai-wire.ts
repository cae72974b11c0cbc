import * as z from 'zod/mini';

import type { ChatEvent, ChatMessage, ChatRequest, NamedSource, Usage } from '../../lib/types';

import { readErrorObject } from './error-body';
import { createEventStreamDecoder } from './event-stream';
import { failureOf } from './failures';
import { maybe } from './lenient';
import {
  createAnswerState,
  type AnswerContext,
  type AnswerState,
  type EndReason,
  type WireDecoder,
} from './wire';

/** The body of `POST …/chat/completions`. */
export function openAiRequest(request: ChatRequest, options: { usage: boolean }): string {
  return JSON.stringify({
    model: request.model,
    messages: request.messages.map((message) => {
      switch (message.role) {
        case 'system':
          return { role: 'system', content: message.content };
        case 'user':
          return { role: 'user', content: userContent(message) };
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

/** Text alone stays text: servers of models that cannot see often know no list of parts. */
function userContent({ content, images = [] }: Extract<ChatMessage, { role: 'user' }>) {
  if (images.length === 0) return content;
  return [
    { type: 'text', text: content },
    ...images.map(({ mediaType, data }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${data}` },
    })),
  ];
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

const PageSchema = z.object({ url: z.string(), title: maybe(z.string()) });

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
  // OpenAI, OpenRouter: { type: 'url_citation', url_citation: { url, title, start_index, end_index } }
  annotations: maybe(z.array(maybe(z.object({ url_citation: maybe(PageSchema) })))),
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
  // Perplexity, xAI: addresses; Perplexity's newer form has titles. Both may come, in every chunk or in the last one.
  citations: maybe(z.array(maybe(z.union([z.string(), PageSchema])))),
  search_results: maybe(z.array(maybe(PageSchema))),
  error: z.optional(z.unknown()),
});

type Chunk = z.infer<typeof ChunkSchema>;
type Message = z.infer<typeof MessageSchema>;

const END_REASONS: Readonly<Record<string, EndReason>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'filtered',
  safety: 'filtered',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
};

/** Decodes the body of a chat completion. */
export function createOpenAiDecoder(context: AnswerContext): WireDecoder {
  const { server } = context;
  const state = createAnswerState(context);
  const pages = createPageLists(context);
  return createEventStreamDecoder(state, server, {
    event: (json, name) => chunkEvents(json, state, pages, { isError: name === 'error' }),
    document: (json) => documentEvents(json, state, pages, context),
  });
}

/** The events of one chunk; none for JSON of an unknown shape. */
function chunkEvents(
  json: unknown,
  state: AnswerState,
  pages: PageLists,
  { isError = false } = {},
): ChatEvent[] {
  const parsed = ChunkSchema.safeParse(json);
  if (!parsed.success) return [];
  const { choices, usage, error } = parsed.data;
  const result = pages.listed(parsed.data).flatMap((source) => state.source(source));
  state.usage(usageOf(usage));
  let failed = isError || (error !== undefined && error !== null);
  for (const choice of choices ?? []) {
    // We ask for one answer; a second one would be mixed into the first.
    if ((choice.index ?? 0) !== 0) continue;
    if (choice.delta) result.push(...messageEvents(choice.delta, state));
    if (choice.message) result.push(...messageEvents(unsaid(choice.message, state), state));
    for (const message of [choice.delta, choice.message])
      for (const source of pages.annotated(message)) result.push(...state.source(source));
    const reason = choice.finish_reason?.toLowerCase();
    if (reason === 'error') failed = true;
    else if (reason) state.reason(END_REASONS[reason] ?? 'stop');
  }
  if (failed) result.push(...state.failWith(readErrorObject(json)));
  return result;
}

/**
 * Models whose text has numbers that mean the rows of the server's list, also where a gateway turns the list into annotations
 * in the same order (OpenRouter with Perplexity's models). Elsewhere neither is numbered: annotations belong to links in the
 * text, and the list of xAI is what was read, in no order that the text knows.
 */
const NUMBERING_MODEL = /\bperplexity\/|\bsonar\b/i;

/** Everything that is served there is such a model. */
const NUMBERING_ORIGIN = /^https:\/\/(?:[\w-]+\.)*perplexity\.ai(?::\d+)?$/i;

interface PageLists {
  /** The pages that a chunk lists beside the answer. */
  listed(chunk: Chunk): NamedSource[];
  /** The pages that are annotations of a message, or of a piece of it. */
  annotated(message: Message | undefined): NamedSource[];
}

/** Reads the pages that an answer names, and their numbers if it has some. A row without an address has its number too. */
function createPageLists({ model, server }: AnswerContext): PageLists {
  const isNumbered = NUMBERING_MODEL.test(model) || NUMBERING_ORIGIN.test(server.origin);
  /** Addresses of the annotations so far. */
  let annotated: readonly string[] = [];

  function sources(
    rows: readonly { title?: string | undefined; url: string }[],
    first = 1,
  ): NamedSource[] {
    return rows.flatMap(({ title = '', url }, n) => {
      if (isNumbered) return [{ title, url, number: first + n }];
      return url === '' ? [] : [{ title, url }];
    });
  }

  return {
    listed({ citations, search_results }) {
      const titles = new Map(search_results?.map((row) => [row?.url, row?.title]));
      const rows = citations?.length ? citations : (search_results ?? []);
      return sources(
        rows.map((row) => {
          const { url = '', title } = typeof row === 'string' ? { url: row } : (row ?? {});
          return { url, title: title ?? titles.get(url) };
        }),
      );
    },
    annotated(message) {
      const pages = (message?.annotations ?? []).map(
        (annotation) => annotation?.url_citation ?? { url: '' },
      );
      const urls = pages.map(({ url }) => url);
      // Some servers send all of them again each time, others only the new ones.
      const isRepeat = annotated.every((url, n) => n >= urls.length || url === urls[n]);
      const first = isRepeat ? 1 : annotated.length + 1;
      annotated =
        isRepeat && urls.length < annotated.length
          ? annotated
          : [...annotated.slice(0, first - 1), ...urls];
      return sources(pages, first);
    },
  };
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
  json: unknown,
  state: AnswerState,
  pages: PageLists,
  { server }: AnswerContext,
): ChatEvent[] {
  // Google's gateway wraps errors in an array.
  const first: unknown = Array.isArray(json) ? (json as unknown[])[0] : json;
  const parsed = ChunkSchema.safeParse(first);
  if (!parsed.success) return state.fail(failureOf('not-a-stream', server));
  if (parsed.data.choices?.some(({ message, delta }) => message ?? delta))
    return [...chunkEvents(first, state, pages), ...state.complete()];
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
