import type { Failure, ModelInfo } from '../../lib/types';
import type { ModelServer } from '../providers/lazy-server';
import type { Remedy } from '../setup/first-run';
import type { ServerState } from './state';

type Chosen = { ok: true; model: string } | { ok: false; failure: Failure };
/** `about`: what the server says of the model; absent if it does not list it, or has not been asked yet. */
type Resolved = { ok: true; model: string; about?: ModelInfo } | { ok: false; failure: Failure };

/** Picks a model from what the server offers. `wanted` is taken even if the list lacks it. */
export type ChooseModel = (models: readonly ModelInfo[], wanted?: string) => Chosen;

/** The model that was chosen in the window, kept from launch to launch. Nothing here throws. */
export interface ModelMemory {
  /** '' = none was chosen, or it was for another server or before the preference was changed. */
  load: () => string;
  /** '' forgets. */
  save: (model: string) => void;
}

export interface ModelChoice {
  /**
   * The model to ask. Asks the server what it has unless that is known. Never rejects.
   *
   * @param instead another model for this question alone
   */
  resolve: (signal: AbortSignal, instead?: string) => Promise<Resolved>;
  /** Asks the server again and reports through `onServer`. Never rejects. */
  refresh: (signal: AbortSignal) => Promise<void>;
  /** From now on this model is asked, also at the next launch. */
  choose: (model: string) => void;
  /** After a failure: ask the server again the next time. What it said of a model that is set stays: that is not asked for. */
  forget: () => void;
}

/**
 * Knows which model to talk to: the one chosen in the window, else the one that is set, else what the server offers.
 *
 * A model that is set is used even when the server cannot list its models (some have no such endpoint): the answer to
 * the question itself tells what is wrong. One that was chosen in the window is dropped when the server no longer has it.
 */
export function createModelChoice(options: {
  server: ModelServer;
  choose: ChooseModel;
  /** The preference; empty = the first that can call tools. */
  wanted: string;
  memory: ModelMemory;
  /** What to say and to offer when the server is not ready. */
  remedyFor: (failure: Failure) => Remedy;
  onServer: (state: ServerState) => void;
  /** Told what the server offers. */
  onModels: (models: readonly ModelInfo[]) => void;
}): ModelChoice {
  const { server, choose, memory, onServer, onModels } = options;
  let picked = memory.load();
  let listed: readonly ModelInfo[] = [];
  let known: Extract<Resolved, { ok: true }> | undefined;

  const wanted = () => (picked === '' ? options.wanted : picked);

  function withFacts(model: string): Extract<Resolved, { ok: true }> {
    const about = listed.find(({ id }) => id === model);
    return { ok: true, model, ...(about ? { about } : {}) };
  }

  function settle(model: string): Extract<Resolved, { ok: true }> {
    known = withFacts(model);
    const { about } = known;
    onServer({ kind: 'ready', model, searches: about?.canCallTools !== false });
    return known;
  }

  async function look(signal: AbortSignal): Promise<Resolved> {
    const answer = await server.listModels(signal);
    if (signal.aborted) return { ok: false, failure: ABORTED };
    if (answer.ok) {
      listed = answer.models;
      onModels(listed);
      if (picked !== '' && listed.length > 0 && !listed.some(({ id }) => id === picked)) {
        picked = '';
        memory.save('');
      }
    }
    const wish = wanted();
    const chosen = answer.ok ? choose(listed, wish === '' ? undefined : wish) : answer;
    if (chosen.ok) return settle(chosen.model);
    const { failure } = chosen;
    onServer({ kind: 'failed', failure, remedy: options.remedyFor(failure) });
    return chosen;
  }

  return {
    async resolve(signal, instead) {
      if (instead !== undefined) return withFacts(instead);
      // What a list says about the model that is set may still be on its way: not worth waiting for.
      const wish = wanted();
      if (wish !== '') return known ?? { ok: true, model: wish };
      return known ?? look(signal);
    },
    async refresh(signal) {
      onServer({ kind: 'checking' });
      await look(signal);
    },
    choose(model) {
      picked = model;
      memory.save(model);
      settle(model);
    },
    forget() {
      if (wanted() === '') known = undefined;
    },
  };
}

const ABORTED: Failure = { kind: 'aborted', message: 'Stopped.' };
