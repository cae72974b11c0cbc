import { ATTACHED_FILE } from '../../lib/constants';
import { withChild, withNext } from '../../lib/thread';
import type { Attachment, Conversation, Turn } from '../../lib/types';

/** Code points of a conversation's title: about what a list row of the launcher can show without a detail pane. */
const MAX_TITLE_CODE_POINTS = 80;

/** A conversation is called what was asked first: one line, at most 80 code points, cut with an ellipsis. */
export function titleOf(question: string): string {
  const line = question.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line);
  if (points.length <= MAX_TITLE_CODE_POINTS) return line;
  return `${points
    .slice(0, MAX_TITLE_CODE_POINTS - 1)
    .join('')
    .trimEnd()}…`;
}

/** The conversation with this turn in the place of the one with its id, or behind what is shown last if there is none. */
export function replaceTurn(conversation: Conversation, turn: Turn): Conversation {
  const place = conversation.turns.findIndex(({ id }) => id === turn.id);
  if (place < 0)
    return turn.parent === undefined ? withNext(conversation, turn) : withChild(conversation, turn);
  const { parent } = conversation.turns[place] ?? {};
  const kept = parent === undefined ? turn : { ...turn, parent };
  return { ...conversation, turns: conversation.turns.with(place, kept) };
}

/**
 * Whether what was written of a turn here is to be kept although another launch took its conversation over.
 *
 * @param theirs the turn as that launch has stored it; undefined if it is not there
 * @returns true unless the stored one has ended by itself or holds other text: a takeover stores it as interrupted, as
 *   it stood in the last save, and what came after that save is only here
 */
export function goesFurther(ours: Turn, theirs: Turn | undefined): boolean {
  if (theirs === undefined) return true;
  return theirs.state === 'interrupted' && ours.response.startsWith(theirs.response);
}

/** `Monday, 30 November 2026`, in this machine's time zone: what the model is told about today. */
export function dateInWords(now: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' }).format(now);
}

/**
 * Whether the answer can be taken up where it stopped: it was ended before its time by the person, the launcher or the
 * server, or it reached the length the model may write.
 */
export function isUnfinished({ state, cut }: Turn): boolean {
  return (state !== 'done' && state !== 'running') || cut === true;
}

/** Whether anything has come of this turn that a person may want to keep. */
export function hasContent({ response, toolCalls }: Turn): boolean {
  return response !== '' || toolCalls.some(({ name }) => name !== ATTACHED_FILE);
}

/** Whether the text of this document is in the turn already, from an earlier variant or before it was cut off. */
export function wasRead({ toolCalls }: Turn, { path, name }: Attachment): boolean {
  return toolCalls.some(
    (call) =>
      call.name === ATTACHED_FILE &&
      (call.sources?.some(({ url }) => url === path) ?? call.arguments['name'] === name),
  );
}

/** What an earlier variant has read of these files. */
export function recordsOf(turn: Turn, kept: readonly Attachment[]): Turn['toolCalls'] {
  return turn.toolCalls.filter(
    (call) =>
      call.name === ATTACHED_FILE &&
      kept.some((attachment) => wasRead({ ...turn, toolCalls: [call] }, attachment)),
  );
}

/**
 * The same question once more, with nothing of its answer. The files that were attached stay as they were read: they may be
 * gone or changed by now, and the question was about these.
 *
 * @param at milliseconds since the epoch
 */
export function askedAgain(turn: Turn, id: string, at: number): Turn {
  const { question, attachments, web, toolCalls } = turn;
  return {
    id,
    question,
    response: '',
    toolCalls: toolCalls.filter(({ name }) => name === ATTACHED_FILE),
    ...(attachments === undefined ? {} : { attachments }),
    ...(web === undefined ? {} : { web }),
    state: 'running',
    startedAt: at,
  };
}
