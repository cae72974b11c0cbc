import * as z from 'zod/mini';

import type { ChatProvider } from '../../lib/types';

import { connect, failedStream, takenCallIds, type ConnectionOptions } from './connection';
import { failureOf } from './failures';
import { maybe } from './lenient';
import type { ModelListOutcome, OfferedModel } from './models';
import { createOpenAiDecoder, openAiRequest } from './openai-wire';

/** A model server that can also say which models it has. */
export interface ModelServer extends ChatProvider {
  /** Never rejects; ends within 100 ms of an abort. */
  listModels(signal: AbortSignal): Promise<ModelListOutcome>;
}

export type OpenAiProviderOptions = ConnectionOptions;

const ListSchema = z.object({
  data: z.array(
    maybe(
      z.object({
        id: z.string(),
        // OpenRouter.
        supported_parameters: maybe(z.array(z.string())),
        // Mistral.
        capabilities: maybe(
          z.object({ function_calling: maybe(z.boolean()), completion_chat: maybe(z.boolean()) }),
        ),
      }),
    ),
  ),
});

/**
 * A server that speaks the chat completions of OpenAI: OpenAI, OpenRouter, LM Studio, llama.cpp, vLLM, Groq, Mistral…
 *
 * The contract is `ChatProvider`: nothing throws or rejects, a bad address included; every failure is an event.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): ModelServer {
  const outcome = connect('openai', options);
  if (!outcome.ok) {
    const { failure } = outcome;
    return {
      stream: () => failedStream(failure),
      listModels: () => Promise.resolve({ ok: false, failure }),
    };
  }
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
      const models = list.data.data.flatMap((model): OfferedModel[] => {
        if (!model || model.capabilities?.completion_chat === false) return [];
        const tools =
          model.supported_parameters?.includes('tools') ?? model.capabilities?.function_calling;
        return [tools === undefined ? { id: model.id } : { id: model.id, tools }];
      });
      return { ok: true, models };
    },
  };
}
