import { foldTurn, type AgentEvent } from '../../lib/agent';
import { numberedSources } from '../../lib/citations';
import { createRenderStream } from '../../lib/render';
import type { Turn } from '../../lib/types';
import { createActivity, THINKING } from './activity';
import type { ChatState, RunningState } from './state';

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
 * @param images what becomes of the images of the answer
 */
export function createRun(start: Turn, images: ChatState['images'] = 'link'): Run {
  let turn = start;
  let unrendered = start.response;
  let answer = '';
  let activity = THINKING;
  const follow = createActivity();
  const stream = createRenderStream({ sources: numberedSources(start), images });

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
        stream.setSources(numberedSources(turn));
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
 * A turn that the launcher cut off, as it is kept: with all that was offered of earlier turns, whose numbers the model goes
 * on with when it is continued.
 *
 * @param at milliseconds since the epoch
 */
export function interrupted(turn: Turn, at: number): Turn {
  return { ...turn, state: 'interrupted', endedAt: at };
}
