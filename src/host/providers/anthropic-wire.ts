import * as z from 'zod/mini';

import type {
  ChatEvent,
  ChatImage,
  ChatMessage,
  ChatRequest,
  ToolSpec,
  Usage,
} from '../../lib/types';

import { readErrorObject } from './error-body';
import { createEventStreamDecoder } from './event-stream';
import { failureOf } from './failures';
import { maybe } from './lenient';
import { createAnswerState, type AnswerContext, type EndReason, type WireDecoder } from './wire';

type SentBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  | { type: 'tool_result'; tool_use_id: string; content: string };

interface SentMessage {
  role: 'user' | 'assistant';
  content: SentBlock[];
}

/**
 * The body of `POST /v1/messages`.
 *
 * Thinking is not asked for: where it is on, its signed blocks would have to go back with each tool result, and answers with
 * sources gain little from it. A server that thinks unasked is read all the same.
 *
 * @param options.maxTokens tokens of the answer; the API requires a number
 */
export function anthropicRequest(request: ChatRequest, options: { maxTokens: number }): string {
  const system = request.messages
    .flatMap(({ role, content }) => (role === 'system' && content.trim() !== '' ? [content] : []))
    .join('\n\n');
  const offered = request.tools.map(sentTool);
  const tools = offered.length > 0 ? offered : calledTools(request.messages);
  return JSON.stringify({
    model: request.model,
    max_tokens: options.maxTokens,
    ...(system === '' ? {} : { system }),
    messages: sentMessages(request.messages),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && offered.length === 0 ? { tool_choice: { type: 'none' } } : {}),
    stream: true,
  });
}

function sentTool({ name, description, parameters }: ToolSpec) {
  return { name, description, input_schema: parameters };
}

/** With tools off: a request with calls in its conversation must still define the tools that were called, or it is refused. */
function calledTools(messages: readonly ChatMessage[]) {
  const names = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : [],
  );
  return [...new Set(names)].map((name) => ({ name, input_schema: { type: 'object' } }));
}

/**
 * The conversation as the API takes it: roles take turns, so neighbours of one role become one message, and all results of a
 * round stand in the one that follows its calls. Text must not be empty, nor end in white space where an answer is continued.
 */
function sentMessages(messages: readonly ChatMessage[]): SentMessage[] {
  const sent: SentMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(message);
    const last = sent.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else sent.push({ role, content });
  }
  return sent;
}

function blocksOf(message: Exclude<ChatMessage, { role: 'system' }>): SentBlock[] {
  const text: SentBlock[] =
    message.content.trim() === '' ? [] : [{ type: 'text', text: message.content.trimEnd() }];
  switch (message.role) {
    case 'user':
      // Before the text, as Anthropic recommends: the question is then about what was seen.
      return [...(message.images ?? []).map(imageBlock), ...text];
    case 'assistant':
      return [
        ...text,
        ...(message.toolCalls ?? []).map((call): SentBlock => ({
          type: 'tool_use',
          id: call.id,
          name: call.name,
          input: call.arguments,
        })),
      ];
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }];
  }
}

function imageBlock({ mediaType, data }: ChatImage): SentBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

const UsageSchema = z.object({
  input_tokens: maybe(z.number()),
  cache_creation_input_tokens: maybe(z.number()),
  cache_read_input_tokens: maybe(z.number()),
  output_tokens: maybe(z.number()),
});

/** A citation of a page has a `url`; one of a document that was sent along has none. */
const CitationSchema = z.object({ url: z.string(), title: maybe(z.string()) });

const BlockSchema = z.object({
  type: z.string(),
  text: maybe(z.string()),
  thinking: maybe(z.string()),
  id: maybe(z.string()),
  name: maybe(z.string()),
  input: maybe(z.record(z.string(), z.unknown())),
  citations: maybe(z.array(maybe(CitationSchema))),
});

const DeltaSchema = z.object({
  type: maybe(z.string()),
  text: maybe(z.string()),
  thinking: maybe(z.string()),
  partial_json: maybe(z.string()),
  citation: maybe(CitationSchema),
  stop_reason: maybe(z.string()),
});

const EventSchema = z.object({
  type: z.string(),
  index: maybe(z.number()),
  message: maybe(z.object({ usage: maybe(UsageSchema), content: maybe(z.array(BlockSchema)) })),
  content_block: maybe(BlockSchema),
  delta: maybe(DeltaSchema),
  usage: maybe(UsageSchema),
  error: z.optional(z.unknown()),
});

/** A whole message where a stream was due. */
const DocumentSchema = z.object({
  content: z.array(maybe(BlockSchema)),
  stop_reason: maybe(z.string()),
  usage: maybe(UsageSchema),
});

type Block = z.infer<typeof BlockSchema>;
type Event = z.infer<typeof EventSchema>;

/** `end_turn`, `tool_use`, `stop_sequence` and `pause_turn` (a server tool that goes on; Lam asks for none) are ordinary. */
const END_REASONS: Readonly<Record<string, EndReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'filtered',
};

/** Decodes the server-sent events of `/v1/messages`. */
export function createAnthropicDecoder(context: AnswerContext): WireDecoder {
  const { server } = context;
  const state = createAnswerState(context);
  /** Places of the blocks that are calls for Lam; JSON of other blocks belongs to tools that the server runs itself. */
  const ownCalls = new Set<number>();
  let inputTokens = 0;

  function blockEvents(block: Block, index: number): ChatEvent[] {
    if (block.type === 'tool_use') {
      ownCalls.add(index);
      // A block begins with an empty input, which its deltas fill; a few servers send it whole.
      const whole = Object.keys(block.input ?? {}).length > 0;
      state.calls([
        { index, id: block.id, name: block.name, ...(whole ? { arguments: block.input } : {}) },
      ]);
    }
    if (block.type === 'thinking') return state.reasoning(block.thinking ?? '');
    if (block.type !== 'text') return [];
    return [...state.text(block.text ?? ''), ...(block.citations ?? []).flatMap(sourceEvents)];
  }

  function sourceEvents(citation: z.infer<typeof CitationSchema> | undefined): ChatEvent[] {
    return citation ? state.source({ title: citation.title ?? '', url: citation.url }) : [];
  }

  function deltaEvents({ delta, index = 0 }: Event): ChatEvent[] {
    switch (delta?.type) {
      case 'text_delta':
        return state.text(delta.text ?? '');
      case 'thinking_delta':
        return state.reasoning(delta.thinking ?? '');
      case 'citations_delta':
        return sourceEvents(delta.citation);
      case 'input_json_delta':
        if (ownCalls.has(index)) state.calls([{ index, arguments: delta.partial_json ?? '' }]);
        return [];
      default:
        // `signature_delta`, and whatever comes to be.
        return [];
    }
  }

  /** Counts are totals so far, and some servers repeat the input as 0 at the end. */
  function count(usage: z.infer<typeof UsageSchema> | undefined): void {
    const counted = usageOf(usage);
    inputTokens = Math.max(inputTokens, counted.inputTokens ?? 0);
    state.usage(counted.inputTokens === undefined ? counted : { ...counted, inputTokens });
  }

  function end(stopReason: string | undefined): void {
    if (stopReason) state.reason(END_REASONS[stopReason] ?? 'stop');
  }

  function events(json: unknown): ChatEvent[] {
    const parsed = EventSchema.safeParse(json);
    if (!parsed.success) return hasError(json) ? state.failWith(readErrorObject(json)) : [];
    const event = parsed.data;
    switch (event.type) {
      case 'message_start':
        count(event.message?.usage);
        return (event.message?.content ?? []).flatMap(blockEvents);
      case 'content_block_start':
        return event.content_block ? blockEvents(event.content_block, event.index ?? 0) : [];
      case 'content_block_delta':
        return deltaEvents(event);
      case 'message_delta':
        count(event.usage);
        end(event.delta?.stop_reason);
        return [];
      case 'message_stop':
        return state.complete();
      case 'error':
        return state.failWith(readErrorObject(json));
      default:
        // `ping`, `content_block_stop`, and whatever comes to be.
        return hasError(json) ? state.failWith(readErrorObject(json)) : [];
    }
  }

  return createEventStreamDecoder(state, server, {
    event: events,
    document(json) {
      const parsed = DocumentSchema.safeParse(json);
      if (!parsed.success)
        return hasError(json)
          ? state.failWith(readErrorObject(json))
          : state.fail(failureOf('not-a-stream', server));
      const { content, usage, stop_reason } = parsed.data;
      const said = content.flatMap((block, n) => (block ? blockEvents(block, n) : []));
      count(usage);
      end(stop_reason);
      return [...said, ...state.complete()];
    },
  });
}

/** What a cache spared the server from reading again was read by the model all the same. */
function usageOf(usage: z.infer<typeof UsageSchema> | undefined): Usage {
  const counted: Usage = {};
  if (!usage) return counted;
  if (usage.input_tokens !== undefined)
    counted.inputTokens =
      usage.input_tokens +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0);
  if (usage.output_tokens !== undefined) counted.outputTokens = usage.output_tokens;
  return counted;
}

function hasError(json: unknown): boolean {
  return (
    typeof json === 'object' &&
    json !== null &&
    'error' in json &&
    json.error !== null &&
    json.error !== undefined
  );
}
