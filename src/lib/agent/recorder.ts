import { citedCarried } from '../citations';
import type { Turn } from '../types';
import { foldTurn, type AgentEvent, type FinishedTurn } from './event';
import type { AgentOptions } from './options';

/** How a turn ends. `response`: what stands for the answer from now on; absent = as it was written. */
export type Ending = Pick<FinishedTurn, 'state' | 'failure' | 'cut'> & { response?: string };

/** Keeps the turn as the fold of its own events, so that what is returned and what listeners saw cannot differ. */
export interface Recorder {
  emit: (event: AgentEvent) => void;
  turn: () => Turn;
  /** Emits `turn-end`. */
  finish: (ending: Ending) => FinishedTurn;
}

export function createRecorder(options: AgentOptions): Recorder {
  const { question, model, resume, ports, onEvent } = options;
  let turn: Turn = {
    id: '',
    question,
    response: resume?.response ?? '',
    ...(resume?.reasoning === undefined ? {} : { reasoning: resume.reasoning }),
    toolCalls: [...(resume?.toolCalls ?? [])],
    ...(resume?.carried ? { carried: [...resume.carried] } : {}),
    ...(resume?.usage ? { usage: resume.usage } : {}),
    state: 'running',
    model,
    startedAt: 0,
  };
  const emit = (event: AgentEvent) => {
    turn = foldTurn(turn, event);
    try {
      onEvent?.(event);
    } catch {
      // A view that cannot draw an event must not cost the answer.
    }
  };
  return {
    emit,
    turn: () => turn,
    finish({ state, failure, cut = false, response: settled }) {
      const answered = settled === undefined ? turn : { ...turn, response: settled };
      emit({
        type: 'turn-end',
        state,
        carried: state === 'done' && !cut ? citedCarried(answered) : (turn.carried ?? []),
        ...(cut ? { cut } : {}),
        ...(settled === undefined ? {} : { response: settled }),
        ...(failure ? { failure } : {}),
        at: clock(ports.now),
      });
      const { response, reasoning, toolCalls, carried, error, notice, usage, endedAt } = turn;
      return {
        response,
        ...(reasoning === undefined ? {} : { reasoning }),
        toolCalls,
        ...(carried === undefined ? {} : { carried }),
        state,
        ...(error === undefined ? {} : { error }),
        ...(failure === undefined ? {} : { failure }),
        ...(notice === undefined ? {} : { notice }),
        ...(cut ? { cut } : {}),
        ...(usage === undefined ? {} : { usage }),
        ...(endedAt === undefined ? {} : { endedAt }),
      };
    },
  };
}

function clock(now: () => number): number {
  try {
    return now();
  } catch {
    return 0;
  }
}
