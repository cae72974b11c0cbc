import { threadOf, variantsOf } from '../lib/thread';
import type { Conversation, Turn } from '../lib/types';

/**
 * The versions before and after what is shown: of the selected exchange, or, where that has only one, of the newest exchange
 * that has several. Showing an earlier version can bring back exchanges that followed it, and the first row is then one of
 * those: the way back must not end there.
 */
export function neighbours(
  conversation: Conversation,
  selected: Turn,
): { earlier?: Turn | undefined; later?: Turn | undefined } {
  const hasSeveral = ({ id }: Turn) => variantsOf(conversation, id).length > 1;
  const turn = hasSeveral(selected) ? selected : threadOf(conversation).findLast(hasSeveral);
  if (turn === undefined) return {};
  const versions = variantsOf(conversation, turn.id);
  const place = versions.findIndex(({ id }) => id === turn.id);
  return { earlier: versions[place - 1], later: versions[place + 1] };
}
