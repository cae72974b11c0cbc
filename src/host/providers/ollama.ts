import * as z from 'zod/mini';

import type { ModelInfo } from '../../lib/types';

import { connect, takenCallIds, type Connection, type ConnectionOptions } from './connection';
import { failureOf } from './failures';
import { maybe, tokenCount } from './lenient';
import { failedServer, type ModelServer } from './models';
import { createOllamaDecoder, ollamaRequest } from './ollama-wire';

/**
 * Tokens of context asked for (`num_ctx`), at most: a model that was made for fewer gets what it was made for. Ollama's own default, 4,096 on most machines, silently drops the question
 * as soon as one page was read. The agent loop keeps the tool results of a request to about 11,000 tokens
 * (`MAX_REQUEST_RESULT_CHARS`), which leaves some 5,000 for everything else. Not more, because the cache of an 8B model takes about
 * 140 KB a token: 2.3 GB at 16,384 fits beside 5 GB of weights on a card of 8 GB, twice that does not, and Ollama
 * would move layers to the CPU.
 */
const OLLAMA_CONTEXT_TOKENS = 16_384;

/** Models that are looked up, most recently used first as Ollama lists them. */
const MAX_LOOKED_UP = 40;

/** Look-ups at a time: each reads a file's header. */
const LOOK_UPS_AT_A_TIME = 4;

export interface OllamaProviderOptions extends ConnectionOptions {
  /** `num_ctx`, whatever the model; 0 = leave it to the server. Default: the model's, up to OLLAMA_CONTEXT_TOKENS. */
  contextTokens?: number | undefined;
}

const TagsSchema = z.object({
  models: z.array(
    maybe(
      z.object({
        name: maybe(z.string()),
        model: maybe(z.string()),
        digest: maybe(z.string()),
      }),
    ),
  ),
});

const ShowSchema = z.object({
  capabilities: maybe(z.array(z.string())),
  template: maybe(z.string()),
  model_info: maybe(z.record(z.string(), z.unknown())),
});

type Shown = z.infer<typeof ShowSchema>;

/**
 * Ollama's own API. The contract is `ChatProvider`: nothing throws or rejects, a bad address included.
 * `listModels` says of every model what it can do, as far as Ollama tells; models that do not chat are left out. What was
 * looked up once is kept for the life of the provider, by the digest of the model's files.
 */
export function createOllamaProvider(options: OllamaProviderOptions): ModelServer {
  const outcome = connect('ollama', options);
  if (!outcome.ok) return failedServer(outcome.failure);
  const { connection } = outcome;
  const { server } = connection;
  /** By id and digest. */
  const shown = new Map<string, Shown>();
  /** By id: what the model was made for. */
  const contexts = new Map<string, number>();
  const contextTokens = (model: string) =>
    options.contextTokens ??
    Math.min(contexts.get(model) ?? OLLAMA_CONTEXT_TOKENS, OLLAMA_CONTEXT_TOKENS);

  function described(id: string, facts: Shown | undefined): ModelInfo | undefined {
    const { capabilities } = facts ?? {};
    if (capabilities && !capabilities.includes('completion')) return undefined;
    const length = contextLength(facts?.model_info);
    if (length !== undefined) contexts.set(id, length);
    const canCallTools = facts && toolsOf(facts);
    const usable = contextTokens(id);
    return {
      id,
      ...(canCallTools === undefined ? {} : { canCallTools }),
      ...(capabilities ? { canSeeImages: capabilities.includes('vision') } : {}),
      ...(length === undefined || usable === 0 ? {} : { contextTokens: usable }),
    };
  }

  return {
    stream: (request, signal) =>
      connection.converse(
        {
          model: request.model,
          path: '/api/chat',
          accept: 'application/x-ndjson',
          body: () => ollamaRequest(request, { contextTokens: contextTokens(request.model) }),
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
      const rows = tags.data.models.flatMap((row) => {
        const id = row?.name ?? row?.model;
        return id === undefined ? [] : [{ id, key: `${id} ${row?.digest ?? ''}` }];
      });
      await lookUp(connection, rows.slice(0, MAX_LOOKED_UP), shown, signal);
      return signal.aborted
        ? { ok: false, failure: failureOf('aborted', server) }
        : { ok: true, models: rows.flatMap(({ id, key }) => described(id, shown.get(key)) ?? []) };
    },
  };
}

/** Asks about the models that are not in `shown` yet; a failed look-up leaves its model out, to be tried again next time. */
async function lookUp(
  connection: Connection,
  rows: readonly { id: string; key: string }[],
  shown: Map<string, Shown>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = rows.filter(({ key }) => !shown.has(key));
  const worker = async () => {
    for (let row = waiting.shift(); row && !signal.aborted; row = waiting.shift()) {
      const answer = await connection.fetchJson('/api/show', signal, { model: row.id });
      const facts = ShowSchema.safeParse(answer.ok ? answer.json : undefined);
      if (facts.success) shown.set(row.key, facts.data);
    }
  };
  await Promise.all(Array.from({ length: LOOK_UPS_AT_A_TIME }, worker));
}

/** Before Ollama listed capabilities (0.6.4), it decided by the template itself, in this way. */
function toolsOf({ capabilities, template }: Shown): boolean | undefined {
  if (capabilities) return capabilities.includes('tools');
  return template ? template.includes('.Tools') : undefined;
}

/** `llama.context_length`, `qwen3.context_length`, …: under the name of the architecture. */
function contextLength(info: Shown['model_info']): number | undefined {
  const named = info?.['general.architecture'];
  const length = typeof named === 'string' ? info?.[`${named}.context_length`] : undefined;
  return tokenCount.parse(length);
}
