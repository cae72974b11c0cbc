import * as z from 'zod/mini';

import { ANSWER_SHARE } from '../../lib/constants';
import type { ModelInfo } from '../../lib/types';

import { anthropicRequest, createAnthropicDecoder } from './anthropic-wire';
import { connect, takenCallIds, type ConnectionOptions } from './connection';
import { failureOf } from './failures';
import { maybe, tokenCount } from './lenient';
import { failedServer, type ModelServer } from './models';

/**
 * Tokens of an answer where the list of models says nothing: what all models since Claude 3.5 allow, and some 6,000 words.
 * One that allows less names its limit when it refuses, and is asked once more.
 */
const DEFAULT_ANSWER_TOKENS = 8_192;

/** The most that is asked for. An answer in a small window is never longer, and some servers reserve it in the context. */
const MAX_ANSWER_TOKENS = 16_384;

/** Models a page of the list; the most the API gives. */
const PAGE_ROWS = 1_000;

/** Pages of the list that are read: one holds all models there are, and a server whose list never ends must not hang. */
const MAX_PAGES = 5;

const ListSchema = z.object({
  data: z.array(
    maybe(
      z.object({
        id: z.string(),
        max_input_tokens: tokenCount,
        max_tokens: tokenCount,
        capabilities: maybe(
          z.object({ image_input: maybe(z.object({ supported: maybe(z.boolean()) })) }),
        ),
        // vLLM and llama.cpp, which speak this dialect too.
        max_model_len: tokenCount,
        meta: maybe(z.object({ n_ctx: tokenCount })),
      }),
    ),
  ),
  has_more: maybe(z.boolean()),
  last_id: maybe(z.string()),
});

type Row = NonNullable<z.infer<typeof ListSchema>['data'][number]>;

/** The refusal of a too large answer: `max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for …`. */
const ANSWER_LIMIT = /max_tokens: \d+ > (\d{1,7})/;

/**
 * A server of the Anthropic Messages API: Anthropic itself, llama.cpp, gateways. The contract is `ChatProvider`: nothing
 * throws or rejects, a bad address included. `listModels` says nothing about tools: the API does not, and all its models can.
 */
export function createAnthropicProvider(options: ConnectionOptions): ModelServer {
  const outcome = connect('anthropic', options);
  if (!outcome.ok) return failedServer(outcome.failure);
  const { connection } = outcome;
  const { server } = connection;
  /** By model, as far as it has been said. */
  const answerTokens = new Map<string, number>();
  const contexts = new Map<string, number>();
  /** No more than the loop keeps free for the answer: servers refuse a request whose answer might run over the context. */
  const maxTokens = (model: string) =>
    Math.max(
      1,
      Math.min(
        answerTokens.get(model) ?? DEFAULT_ANSWER_TOKENS,
        Math.floor((contexts.get(model) ?? Infinity) * ANSWER_SHARE),
      ),
    );

  function offered(row: Row): ModelInfo {
    if (row.max_tokens !== undefined)
      answerTokens.set(row.id, Math.min(row.max_tokens, MAX_ANSWER_TOKENS));
    const contextTokens = row.max_input_tokens ?? row.max_model_len ?? row.meta?.n_ctx;
    if (contextTokens !== undefined) contexts.set(row.id, contextTokens);
    const canSeeImages = row.capabilities?.image_input?.supported;
    return {
      id: row.id,
      ...(canSeeImages === undefined ? {} : { canSeeImages }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }

  return {
    stream: (request, signal) =>
      connection.converse(
        {
          model: request.model,
          path: '/v1/messages',
          accept: 'text/event-stream',
          body: () => anthropicRequest(request, { maxTokens: maxTokens(request.model) }),
          decoder: () =>
            createAnthropicDecoder({
              server,
              model: request.model,
              takenIds: takenCallIds(request.messages),
            }),
          retry({ status, body }) {
            const limit = Number(ANSWER_LIMIT.exec(body)?.[1] ?? 0);
            if (status !== 400 || limit < 1 || limit >= maxTokens(request.model)) return false;
            answerTokens.set(request.model, limit);
            return true;
          },
        },
        signal,
      ),

    async listModels(signal) {
      const models: ModelInfo[] = [];
      let after = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await connection.fetchJson(`/v1/models?limit=${PAGE_ROWS}${after}`, signal);
        if (!answer.ok) return answer;
        const list = ListSchema.safeParse(answer.json);
        if (!list.success)
          return { ok: false, failure: failureOf('wrong-address', server, { status: 200 }) };
        const { data, has_more, last_id } = list.data;
        models.push(...data.flatMap((row) => (row ? [offered(row)] : [])));
        if (has_more !== true || !last_id) break;
        after = `&after_id=${encodeURIComponent(last_id)}`;
      }
      return { ok: true, models };
    },
  };
}
