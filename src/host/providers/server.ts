import type { Failure, ModelInfo } from '../../lib/types';
import type { ModelServerKind } from '../preferences';
import { createAnthropicProvider } from './anthropic';
import { DIALECTS, parseBaseUrl } from './base-url';
import type { ConnectionOptions } from './connection';
import { chooseModel, noModelFailure, type ModelServer } from './models';
import { createOllamaProvider } from './ollama';
import { createOpenAiProvider } from './openai';

/** What the preferences say about the model server. */
export interface ModelServerOptions {
  kind: ModelServerKind;
  /** As it was typed; empty = the one that this kind of server has by default. */
  address: string;
  /** Empty = none. */
  apiKey: string;
}

/** The model that is asked, or why there is none. */
type ChosenModel = { ok: true; model: string } | { ok: false; failure: Failure };

/** A model server, and the choice among what it has. */
export interface ServerPorts {
  server: ModelServer;
  /** Picks a model from what the server offers. `wanted` is taken even if the list lacks it. */
  chooseModel: (models: readonly ModelInfo[], wanted?: string) => ChosenModel;
}

/** One row a kind of model server, by its name in the preferences. */
const CREATE: Record<ModelServerKind, (options: ConnectionOptions) => ModelServer> = {
  ollama: createOllamaProvider,
  'openai-compatible': createOpenAiProvider,
  anthropic: createAnthropicProvider,
};

/** The model server of the preferences. Never throws: with an address that is none, everything asked of it fails. */
export function createModelServer({ kind, address, apiKey }: ModelServerOptions): ServerPorts {
  const dialect = DIALECTS[kind];
  const parsed = parseBaseUrl(address, dialect);
  const origin = parsed.ok ? parsed.address.origin : address;
  return {
    server: CREATE[kind]({ baseUrl: address, apiKey }),
    chooseModel(models, wanted) {
      const model = chooseModel(models, wanted);
      return model === undefined
        ? { ok: false, failure: noModelFailure({ dialect, origin }) }
        : { ok: true, model: model.id };
    },
  };
}
