import * as z from 'zod/mini';

import {
  connect,
  failedStream,
  takenCallIds,
  type Connection,
  type ConnectionOptions,
} from './connection';
import { failureOf } from './failures';
import { maybe } from './lenient';
import type { OfferedModel } from './models';
import { createOllamaDecoder, ollamaRequest } from './ollama-wire';
import type { ModelServer } from './openai';

/**
 * Tokens of context asked for (`num_ctx`). Ollama's own default, 4,096 on most machines, silently drops the question
 * as soon as one page was read. The agent loop keeps the tool results of a request to about 11,000 tokens
 * (`MAX_REQUEST_RESULT_CHARS`), which leaves some 5,000 for everything else. Not more, because the cache of an 8B model takes about
 * 140 KB a token: 2.3 GB at 16,384 fits beside 5 GB of weights on a card of 8 GB, twice that does not, and Ollama
 * would move layers to the CPU.
 */
const OLLAMA_CONTEXT_TOKENS = 16_384;

/** Models whose abilities are looked up, most recently used first as Ollama lists them. */
const MAX_LOOKED_UP = 40;

/** Look-ups at a time: each reads a file's header. */
const LOOK_UPS_AT_A_TIME = 4;

export interface OllamaProviderOptions extends ConnectionOptions {
  /** `num_ctx`; 0 = leave it to the server. Default OLLAMA_CONTEXT_TOKENS. */
  contextTokens?: number | undefined;
}

const TagsSchema = z.object({
  models: z.array(
    maybe(
      z.object({
        name: maybe(z.string()),
        model: maybe(z.string()),
        capabilities: maybe(z.array(z.string())),
      }),
    ),
  ),
});

const ShowSchema = z.object({
  capabilities: maybe(z.array(z.string())),
  template: maybe(z.string()),
});

/**
 * Ollama's own API. The contract is `ChatProvider`: nothing throws or rejects, a bad address included.
 * `listModels` says of every model whether it can call tools, as far as Ollama tells.
 */
export function createOllamaProvider(options: OllamaProviderOptions): ModelServer {
  const outcome = connect('ollama', options);
  if (!outcome.ok) {
    const { failure } = outcome;
    return {
      stream: () => failedStream(failure),
      listModels: () => Promise.resolve({ ok: false, failure }),
    };
  }
  const { connection } = outcome;
  const { server } = connection;
  const contextTokens = options.contextTokens ?? OLLAMA_CONTEXT_TOKENS;

  return {
    stream: (request, signal) =>
      connection.converse(
        {
          model: request.model,
          path: '/api/chat',
          accept: 'application/x-ndjson',
          body: () => ollamaRequest(request, { contextTokens }),
          decoder: () =>
            createOllamaDecoder({
              server,
              model: request.model,
              takenIds: takenCallIds(request.messages),
            }),
        },
        signal,
      ),

    async listModels(signal) {
      const answer = await connection.fetchJson('/api/tags', signal);
      if (!answer.ok) return answer;
      const tags = TagsSchema.safeParse(answer.json);
      if (!tags.success)
        return { ok: false, failure: failureOf('wrong-address', server, { status: 200 }) };
      const models = tags.data.models.flatMap((row) => {
        const id = row?.name ?? row?.model;
        return id === undefined ? [] : [offered(id, toolsOf({ capabilities: row?.capabilities }))];
      });
      await lookUpTools(connection, models.slice(0, MAX_LOOKED_UP), signal);
      return signal.aborted
        ? { ok: false, failure: failureOf('aborted', server) }
        : { ok: true, models };
    },
  };
}

/** Fills in `tools` where it is unknown; a failed look-up leaves it unknown. */
async function lookUpTools(
  connection: Connection,
  models: readonly OfferedModel[],
  signal: AbortSignal,
): Promise<void> {
  const waiting = models.filter(({ tools }) => tools === undefined);
  const worker = async () => {
    for (let model = waiting.shift(); model && !signal.aborted; model = waiting.shift()) {
      const answer = await connection.fetchJson('/api/show', signal, { model: model.id });
      const shown = ShowSchema.safeParse(answer.ok ? answer.json : undefined);
      const tools = shown.success ? toolsOf(shown.data) : undefined;
      if (tools !== undefined) model.tools = tools;
    }
  };
  await Promise.all(Array.from({ length: LOOK_UPS_AT_A_TIME }, worker));
}

/** Before Ollama listed capabilities (0.6.4), it decided by the template itself, in this way. */
function toolsOf(shown: {
  capabilities?: readonly string[] | undefined;
  template?: string | undefined;
}): boolean | undefined {
  if (shown.capabilities) return shown.capabilities.includes('tools');
  return shown.template ? shown.template.includes('.Tools') : undefined;
}

function offered(id: string, tools: boolean | undefined): OfferedModel {
  return tools === undefined ? { id } : { id, tools };
}
