import type { Failure } from '../../lib/types';
import type { ModelListOutcome, OfferedModel } from '../providers/models';
import type { ModelServer } from '../providers/openai';
import type { ServerState } from './state';

type Resolved = { ok: true; model: string } | { ok: false; failure: Failure };

/** Picks a model from what the server offers. `wanted` is taken even if the list lacks it. */
export type ChooseModel = (models: readonly OfferedModel[], wanted?: string) => Resolved;

export interface ModelChoice {
  /** The model to ask. Asks the server what it has unless that is known. Never rejects. */
  resolve(
    signal: AbortSignal,
  ): Promise<{ ok: true; model: string } | { ok: false; failure: Failure }>;
  /** Asks the server again and reports through `onServer`. Never rejects. */
  refresh(signal: AbortSignal): Promise<void>;
  /** After a failure: ask the server again the next time. */
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
  let known: string | undefined;

  async function look(signal: AbortSignal): Promise<Resolved> {
    const listed = await server.listModels(signal);
    if (signal.aborted) return { ok: false, failure: ABORTED };
    const chosen = listed.ok ? choose(listed.models, wanted === '' ? undefined : wanted) : listed;
    if (chosen.ok) known = chosen.model;
    onServer(
      chosen.ok
        ? { kind: 'ready', model: chosen.model, searches: searches(listed, chosen.model) }
        : { kind: 'failed', failure: chosen.failure },
    );
    return chosen;
  }

  return {
    async resolve(signal) {
      if (wanted !== '') return { ok: true, model: known ?? wanted };
      return known === undefined ? look(signal) : { ok: true, model: known };
    },
    async refresh(signal) {
      onServer({ kind: 'checking' });
      await look(signal);
    },
    forget() {
      known = undefined;
    },
  };
}

/** False only if the server says that the model cannot call tools. */
function searches(listed: ModelListOutcome, model: string): boolean {
  return !listed.ok || listed.models.find(({ id }) => id === model)?.tools !== false;
}

const ABORTED: Failure = { kind: 'aborted', message: 'Stopped.' };
