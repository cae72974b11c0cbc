import type { Conversation, Turn } from '../../lib/types';

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

/** The conversation with this turn in the place of the one with its id, or at the end if there is none. */
export function replaceTurn(conversation: Conversation, turn: Turn): Conversation {
  const place = conversation.turns.findIndex(({ id }) => id === turn.id);
  const turns = place < 0 ? [...conversation.turns, turn] : conversation.turns.with(place, turn);
  return { ...conversation, turns };
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

/** What came before the turn with this id, oldest first. */
export function turnsBefore(turns: readonly Turn[], id: string): Turn[] {
  const place = turns.findIndex((turn) => turn.id === id);
  return place < 0 ? [...turns] : turns.slice(0, place);
}

/** `Monday, 30 November 2026`, in this machine's time zone: what the model is told about today. */
export function dateInWords(now: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' }).format(now);
}
