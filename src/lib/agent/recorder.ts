import { citedCarried, citedIndices, numberedSources } from '../citations';
import { findEvidence } from '../evidence';
import type { Turn } from '../types';
import { foldTurn, type AgentEvent, type FinishedTurn } from './event';
import type { AgentOptions, HistoryTurn } from './options';

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
  const { question, history, model, resume, ports, onEvent } = options;
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
        ...evidenceOf(answered, history),
        ...(settled === undefined ? {} : { response: settled }),
        ...(failure ? { failure } : {}),
        at: clock(ports.now),
      });
      const { response, reasoning, toolCalls, carried, error, notice, usage, endedAt } = turn;
      const { evidence, quotes } = turn;
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
        ...(evidence === undefined ? {} : { evidence }),
        ...(quotes === undefined ? {} : { quotes }),
        ...(usage === undefined ? {} : { usage }),
        ...(endedAt === undefined ? {} : { endedAt }),
      };
    },
  };
}

/**
 * What the turn keeps of the passages behind its citations. Nothing where nothing is cited; an empty list where no passage is
 * clearly close. A failure costs the evidence, and no more.
 */
function evidenceOf(
  turn: Turn,
  history: readonly HistoryTurn[],
): Pick<FinishedTurn, 'evidence' | 'quotes'> {
  try {
    const sources = turn.response === '' ? [] : numberedSources(turn);
    if (sources.length === 0) return {};
    const { evidence, quotes } = findEvidence(turn, history);
    const isCited = evidence.length > 0 || citedIndices(turn.response, sources).size > 0;
    return {
      ...(isCited ? { evidence } : {}),
      ...(quotes.length > 0 ? { quotes } : {}),
    };
  } catch {
    return {};
  }
}

function clock(now: () => number): number {
  try {
    return now();
  } catch {
    return 0;
  }
}
