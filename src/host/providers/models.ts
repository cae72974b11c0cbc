import type { ChatProvider, Failure, ModelInfo } from '../../lib/types';

import { failedStream } from './connection';
import { failureOf, type ServerFacts } from './failures';

type ModelListOutcome = { ok: true; models: ModelInfo[] } | { ok: false; failure: Failure };

/** A model server that can also say which models it has. */
export interface ModelServer extends ChatProvider {
  /** Never rejects; ends within 100 ms of an abort. */
  listModels(signal: AbortSignal): Promise<ModelListOutcome>;
}

/** Stands for a server whose address is none: everything asked of it fails in the same way. */
export function failedServer(failure: Failure): ModelServer {
  return {
    stream: () => failedStream(failure),
    listModels: () => Promise.resolve({ ok: false, failure }),
  };
}

/** Words in the names of models that do not chat, in the lists of OpenAI, LM Studio and llama.cpp. */
const NO_CHAT =
  /embed|whisper|\btts\b|dall-e|moderation|rerank|transcribe|image|audio|realtime|\bsora\b|\bbge-/i;

/**
 * Chooses the model for a question. Pure.
 *
 * A wanted model is taken as it is, also when the list lacks it (lists may be incomplete, and the server's own
 * "no such model" says more); for Ollama `qwen3` finds `qwen3:latest`. Without a wish: the first model that says it can
 * call tools, else the first that does not say, else the first that cannot (Lam then searches for it); of the latter two
 * only one whose name does not speak against chatting.
 *
 * @returns undefined when nothing fits.
 */
export function chooseModel(models: readonly ModelInfo[], wanted?: string): ModelInfo | undefined {
  const wish = wanted?.trim() ?? '';
  if (wish !== '')
    return (
      models.find(({ id }) => id === wish) ??
      models.find(({ id }) => id === `${wish}:latest`) ?? { id: wish }
    );
  return (
    models.find(({ canCallTools }) => canCallTools === true) ??
    models.find(({ id, canCallTools }) => canCallTools === undefined && !NO_CHAT.test(id)) ??
    models.find(({ id }) => !NO_CHAT.test(id))
  );
}

/** What to say when `chooseModel` found nothing. */
export function noModelFailure(server: Pick<ServerFacts, 'dialect' | 'origin'>): Failure {
  return failureOf('no-model', { ...server, secrets: [], hasKey: false });
}
