import type { Failure, ModelInfo } from '../../lib/types';
import type { ModelServer } from '../providers/models';
import type { ServerState } from './state';

type Chosen = { ok: true; model: string } | { ok: false; failure: Failure };
/** `about`: what the server says of the model; absent if it does not list it, or has not been asked yet. */
type Resolved = { ok: true; model: string; about?: ModelInfo } | { ok: false; failure: Failure };

/** Picks a model from what the server offers. `wanted` is taken even if the list lacks it. */
export type ChooseModel = (models: readonly ModelInfo[], wanted?: string) => Chosen;

export interface ModelChoice {
  /** The model to ask. Asks the server what it has unless that is known. Never rejects. */
  resolve(signal: AbortSignal): Promise<Resolved>;
  /** Asks the server again and reports through `onServer`. Never rejects. */
  refresh(signal: AbortSignal): Promise<void>;
  /** After a failure: ask the server again the next time. What it said of a model that is set stays: that is not asked for. */
  forget(): void;
}

/**
 * Knows which model to talk to: the one that is set, else what the server offers.
 *
 * A model that is set is used even when the server cannot list its models (some have no such endpoint): the answer to
 * the question itself tells what is wrong.
 */
export function createModelChoice(options: {
  server: ModelServer;
  choose: ChooseModel;
  /** Empty = the first that can call tools. */
  wanted: string;
  onServer: (state: ServerState) => void;
}): ModelChoice {
  const { server, choose, wanted, onServer } = options;
  let known: Extract<Resolved, { ok: true }> | undefined;

  async function look(signal: AbortSignal): Promise<Resolved> {
    const listed = await server.listModels(signal);
    if (signal.aborted) return { ok: false, failure: ABORTED };
    const chosen = listed.ok ? choose(listed.models, wanted === '' ? undefined : wanted) : listed;
    if (!chosen.ok) {
      onServer({ kind: 'failed', failure: chosen.failure });
      return chosen;
    }
    const { model } = chosen;
    const about = listed.ok ? listed.models.find(({ id }) => id === model) : undefined;
    known = { ok: true, model, ...(about ? { about } : {}) };
    onServer({ kind: 'ready', model, searches: about?.canCallTools !== false });
    return known;
  }

  return {
    async resolve(signal) {
      // What a list says about the model that is set may still be on its way: not worth waiting for.
      if (wanted !== '') return known ?? { ok: true, model: wanted };
      return known ?? look(signal);
    },
    async refresh(signal) {
      onServer({ kind: 'checking' });
      await look(signal);
    },
    forget() {
      if (wanted === '') known = undefined;
    },
  };
}

const ABORTED: Failure = { kind: 'aborted', message: 'Stopped.' };
