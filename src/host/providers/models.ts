import type { Failure } from '../../lib/types';

import { failureOf, type ServerFacts } from './failures';

/** A model a server offers. */
export interface OfferedModel {
  id: string;
  /** Whether it can call tools; absent = the server does not say. */
  tools?: boolean;
}

export type ModelListOutcome =
  { ok: true; models: OfferedModel[] } | { ok: false; failure: Failure };

/** Words in the names of models that do not chat, in the lists of OpenAI, LM Studio and llama.cpp. */
const NO_CHAT =
  /embed|whisper|\btts\b|dall-e|moderation|rerank|transcribe|image|audio|realtime|\bsora\b|\bbge-/i;

/**
 * Chooses the model for a question. Pure.
 *
 * A wanted model is taken as it is, also when the list lacks it (lists may be incomplete, and the server's own
 * "no such model" says more); for Ollama `qwen3` finds `qwen3:latest`. Without a wish: the first model that says it can
 * call tools, else the first that does not say and whose name does not speak against it.
 *
 * @returns undefined when nothing fits.
 */
export function chooseModel(
  models: readonly OfferedModel[],
  wanted?: string,
): OfferedModel | undefined {
  const wish = wanted?.trim() ?? '';
  if (wish !== '')
    return (
      models.find(({ id }) => id === wish) ??
      models.find(({ id }) => id === `${wish}:latest`) ?? { id: wish }
    );
  return (
    models.find(({ tools }) => tools === true) ??
    models.find(({ id, tools }) => tools === undefined && !NO_CHAT.test(id))
  );
}

/** What to say when `chooseModel` found nothing. */
export function noModelFailure(server: Pick<ServerFacts, 'dialect' | 'origin'>): Failure {
  return failureOf('no-model', { ...server, secrets: [], hasKey: false });
}
