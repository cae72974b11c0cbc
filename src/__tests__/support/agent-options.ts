import type { AgentOptions, AgentPorts } from '../../lib/agent';
import { scriptedProvider } from './scripted-provider';
import { boundaries, smallWeb } from './small-web';

/** A timer that only a test moves. `pending` are the times that were asked for and neither fired nor cancelled. */
export interface ManualTimer {
  after: AgentPorts['after'];
  pending: () => number[];
  /** Fires the oldest one that is pending. */
  fire: () => void;
}

export function manualTimer(): ManualTimer {
  const timers = new Map<symbol, { ms: number; callback: () => void }>();
  return {
    after(ms, callback) {
      const id = Symbol('timer');
      timers.set(id, { ms, callback });
      return () => timers.delete(id);
    },
    pending: () => [...timers.values()].map(({ ms }) => ms),
    fire() {
      const next = [...timers][0];
      if (!next) throw new Error('no timer is pending');
      timers.delete(next[0]);
      next[1].callback();
    },
  };
}

/** Options of a turn with full defaults: an empty web, a model without a script, a clock that stands still. */
export function agentOptions(
  overrides: Partial<Omit<AgentOptions, 'ports'>> & { ports?: Partial<AgentPorts> } = {},
): AgentOptions {
  const { ports, ...rest } = overrides;
  return {
    question: 'What is it?',
    history: [],
    model: 'small-model',
    system: 'Be brief.',
    signal: new AbortController().signal,
    ...rest,
    ports: {
      ...smallWeb({}),
      provider: scriptedProvider([]),
      boundary: boundaries(),
      now: () => 1_000,
      after: manualTimer().after,
      ...ports,
    },
  };
}
