import { foldTurn, type AgentEvent } from '../../lib/agent';
import { citedIndices, turnSources } from '../../lib/citations';
import { createRenderStream } from '../../lib/render';
import type { Source, Turn } from '../../lib/types';
import { createActivity, THINKING } from './activity';
import type { RunningState } from './state';

/** One turn while it is being written: the record, and the answer as the pane draws it so far. */
export interface Run {
  readonly id: string;
  readonly controller: AbortController;
  /** The record as far as it has come. */
  turn(): Turn;
  /** Notes which model answers. */
  use(model: string): void;
  /** Takes one event of the agent loop; true when it should be seen at once rather than with the next frame. */
  take(event: AgentEvent): boolean;
  /** Renders what has arrived since the last call. */
  picture(): RunningState;
}

/**
 * @param start the turn as it stands: empty for a new question, with its text and calls when it is continued.
 */
export function createRun(start: Turn): Run {
  let turn = start;
  let unrendered = start.response;
  let answer = '';
  let activity = THINKING;
  const follow = createActivity();
  const stream = createRenderStream({ sources: turnSources(start) });

  return {
    id: start.id,
    controller: new AbortController(),
    turn: () => turn,
    use(model) {
      turn = { ...turn, model };
    },
    take(event) {
      const before = turn;
      turn = foldTurn(before, event);
      const line = follow(event);
      const telling = line !== activity;
      activity = line;
      if (event.type === 'text-delta') unrendered += event.text;
      if (event.type === 'turn-start' || event.type === 'call-end')
        stream.setSources(turnSources(turn));
      return telling;
    },
    picture() {
      if (unrendered !== '') {
        const chunk = unrendered;
        unrendered = '';
        try {
          answer = stream.push(chunk);
        } catch {
          // Called from a timer, where an exception ends the command. The finished answer is rendered from the record.
        }
      }
      return { turnId: start.id, answer, activity };
    },
  };
}

/**
 * A turn that the launcher cut off, as it is kept. Of the sources that earlier turns offered, only those the answer
 * cites belong to it, as at every other end.
 *
 * @param at milliseconds since the epoch
 */
export function interrupted(turn: Turn, at: number): Turn {
  const rest = { ...turn };
  delete rest.carried;
  const kept = citedCarried(turn);
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { carried: kept }),
    state: 'interrupted',
    endedAt: at,
  };
}

function citedCarried(turn: Turn): Source[] {
  const { carried = [] } = turn;
  try {
    const cited = citedIndices(turn.response, turnSources(turn));
    return carried.filter(({ index }) => cited.has(index));
  } catch {
    // Called while the command is unloaded: rather a source too many than an answer that is not stored.
    return carried;
  }
}
