import { escapeMarkdown } from '../../lib/code';
import { turnMarkdown } from '../../lib/markdown';
import { plain } from '../../lib/render';
import { threadOf } from '../../lib/thread';
import type { Conversation } from '../../lib/types';
import { ageOf } from '../ages';
import { oneLine } from '../row-text';

/**
 * A conversation as it stands beside its row: what the row has no room for, then one exchange: the newest one, or the one in
 * which the search found its words.
 *
 * @param turnId the exchange to show; it may belong to a variant that is not shown
 * @param at milliseconds since the epoch
 */
export function previewMarkdown(
  conversation: Conversation,
  { turnId, at }: { turnId?: string; at: number },
): string {
  const { title, turns, updatedAt } = conversation;
  const thread = threadOf(conversation);
  const turn = turns.find(({ id }) => id === turnId) ?? thread.at(-1);
  const count = thread.length;
  const facts = [plain`${count} question${count === 1 ? '' : 's'}`, ageOf(updatedAt, at)];
  const heading = `**${escapeMarkdown(oneLine(title))}**`;
  if (turn === undefined) return `${heading}\n\n${facts.join(' · ')}`;
  const place = thread.indexOf(turn);
  if (place < 0) facts.push(plain`from another version:`);
  else if (place < count - 1) facts.push(plain`question ${place + 1}:`);
  return [
    ...(isBegun(turn.question, title) ? [] : [heading]),
    facts.join(' · '),
    '---',
    turnMarkdown(turn, { followedUp: true }),
  ].join('\n\n');
}

/** Whether a question begins with a title, which was made from it then: both would say the same. */
function isBegun(question: string, title: string): boolean {
  return oneLine(question).startsWith(oneLine(title).replace(/(?:…|\.\.\.)$/u, ''));
}
