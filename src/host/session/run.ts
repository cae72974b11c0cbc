import { foldTurn, type AgentEvent } from '../../lib/agent';
import { numberedSources } from '../../lib/citations';
import { createRenderStream, plain, type PlainText } from '../../lib/render';
import type { Attachment, Turn } from '../../lib/types';
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
  /** What is going on before the agent loop begins. */
  say(line: PlainText): void;
  /** Notes what is known of an attachment by now. */
  keep(before: Attachment, now: Attachment): void;
  /** Renders what has arrived since the last call. */
  picture(): RunningState;
}

/** Milliseconds after which the line about what is going on says how long it has been. */
const TELL_TIME_AFTER_MS = 5_000;

/**
 * @param start the turn as it stands: empty for a new question, with its text and calls when it is continued.
 * @param options `images`: what becomes of the images of the answer. `now`: milliseconds since the epoch.
 */
export function createRun(
  start: Turn,
  { images = 'link', now }: { images?: ChatState['images']; now: () => number },
): Run {
  const begunAt = now();
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
    say(line) {
      activity = line;
    },
    keep(before, known) {
      const attachments = turn.attachments?.map((each) =>
        each.path === before.path && each.kind === before.kind ? known : each,
      );
      turn = { ...turn, ...(attachments === undefined ? {} : { attachments }) };
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
      return { turnId: start.id, answer, activity: withTime(activity, now() - begunAt) };
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

/** `Thinking… 12 s`, `Reading docs.example… 1 min 5 s`; a short wait is not worth a number. */
function withTime(line: PlainText, elapsedMs: number): PlainText {
  if (elapsedMs < TELL_TIME_AFTER_MS) return line;
  const seconds = Math.floor(elapsedMs / 1_000);
  return seconds < 60
    ? plain`${line} ${seconds} s`
    : plain`${line} ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
