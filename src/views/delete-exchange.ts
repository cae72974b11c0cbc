import { Alert, confirmAlert } from '@vicinae/api';

import type { ChatSession } from '../host/session';
import type { ChatState } from '../host/session/state';
import { notify } from '../host/toast';
import { plain } from '../lib/render';
import { variantsOf } from '../lib/thread';
import type { Turn } from '../lib/types';
import { oneLine } from './row-text';

/** Asks, and removes the exchange. The last one takes its conversation into the trash. */
export async function deleteExchange(
  session: ChatSession,
  { conversation }: ChatState,
  turn: Turn,
): Promise<void> {
  const isLast = conversation.turns.length === 1;
  const versions = variantsOf(conversation, turn.id);
  const place = versions.findIndex(({ id }) => id === turn.id) + 1;
  const confirmed = await confirmAlert({
    title: isLast
      ? 'Delete this conversation?'
      : versions.length > 1
        ? 'Delete this version?'
        : 'Delete this exchange?',
    message: isLast
      ? plain`“${oneLine(turn.question)}” is its only exchange. It stays in the trash for 30 days.`
      : versions.length > 1
        ? plain`Version ${place} of ${versions.length} cannot be brought back. The others stay.`
        : plain`“${oneLine(turn.question)}” and its answer cannot be brought back.`,
    primaryAction: { title: 'Delete', style: Alert.ActionStyle.Destructive },
  });
  if (!confirmed) return;
  const outcome = await session.deleteTurn(turn.id);
  if (outcome.kind === 'failed')
    notify({ style: 'failure', title: 'Not deleted', message: outcome.message });
  else if (isLast)
    notify({
      style: 'success',
      title: 'Conversation deleted',
      message: 'In the trash for 30 days',
    });
  else notify({ style: 'success', title: 'Exchange deleted' });
}
