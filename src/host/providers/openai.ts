import * as z from 'zod/mini';

import type { ModelInfo } from '../../lib/types';

import { connect, takenCallIds, type ConnectionOptions } from './connection';
import { failureOf } from './failures';
import { maybe, tokenCount } from './lenient';
import { failedServer, type ModelServer } from './models';
import { createOpenAiDecoder, openAiRequest } from './openai-wire';

export type { ModelServer } from './models';

export type OpenAiProviderOptions = ConnectionOptions;

const ListSchema = z.object({
  data: z.array(
    maybe(
      z.object({
        id: z.string(),
        // OpenRouter.
        supported_parameters: maybe(z.array(z.string())),
        context_length: tokenCount,
        architecture: maybe(z.object({ input_modalities: maybe(z.array(z.string())) })),
        // Mistral.
        capabilities: maybe(
          z.object({
            function_calling: maybe(z.boolean()),
            completion_chat: maybe(z.boolean()),
            vision: maybe(z.boolean()),
          }),
        ),
        max_context_length: tokenCount,
        // vLLM.
        max_model_len: tokenCount,
        // Groq.
        context_window: tokenCount,
        // llama.cpp: of the running server. What the model was made for, `n_ctx_train`, may be far more than it was given.
        meta: maybe(z.object({ n_ctx: tokenCount })),
      }),
    ),
  ),
});

type Row = NonNullable<z.infer<typeof ListSchema>['data'][number]>;

/** Undefined = no model to chat with. */
function offered(row: Row): ModelInfo | undefined {
  const { capabilities, meta } = row;
  if (capabilities?.completion_chat === false) return undefined;
  const canCallTools =
    row.supported_parameters?.includes('tools') ?? capabilities?.function_calling;
  const canSeeImages =
    row.architecture?.input_modalities?.includes('image') ?? capabilities?.vision;
  const contextTokens =
    row.context_length ??
    row.max_context_length ??
    row.max_model_len ??
    row.context_window ??
    meta?.n_ctx;
  return {
    id: row.id,
    ...(canCallTools === undefined ? {} : { canCallTools }),
    ...(canSeeImages === undefined ? {} : { canSeeImages }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

/**
 * A server that speaks the chat completions of OpenAI: OpenAI, OpenRouter, LM Studio, llama.cpp, vLLM, Groq, Mistral…
 *
 * The contract is `ChatProvider`: nothing throws or rejects, a bad address included; every failure is an event.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): ModelServer {
  const outcome = connect('openai', options);
  if (!outcome.ok) return failedServer(outcome.failure);
  const { connection } = outcome;
  const { server } = connection;
  // Kept for the life of the provider: a server that knows no stream_options will not learn it.
  let usage = true;

  return {
    stream: (request, signal) =>
      connection.converse(
        {
          model: request.model,
          path: '/chat/completions',
          accept: 'text/event-stream',
          body: () => openAiRequest(request, { usage }),
          decoder: () =>
            createOpenAiDecoder({
              server,
              model: request.model,
              takenIds: takenCallIds(request.messages),
            }),
          retry({ status, body }) {
            if (!usage || (status !== 400 && status !== 422) || !body.includes('stream_options'))
              return false;
            usage = false;
            return true;
          },
        },
        signal,
      ),

    async listModels(signal) {
      const answer = await connection.fetchJson('/models', signal);
      if (!answer.ok) return answer;
      const list = ListSchema.safeParse(answer.json);
      if (!list.success)
        return { ok: false, failure: failureOf('wrong-address', server, { status: 200 }) };
      const models = list.data.data.flatMap((row) => (row && offered(row)) ?? []);
      return { ok: true, models };
    },
  };
}
