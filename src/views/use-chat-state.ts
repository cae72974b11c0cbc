import { useRef, useSyncExternalStore } from 'react';

import type { ChatSession } from '../host/session';
import type { ChatState } from '../host/session/state';

/**
 * The session's state as a component sees it.
 *
 * @param covered true while another view lies on top. Views below the top stay mounted and are shipped with every
 *   frame, so a covered one keeps its last picture instead of following the stream.
 */
export function useChatState(session: ChatSession, covered = false): ChatState {
  const seen = useRef<ChatState>(undefined);
  return useSyncExternalStore(session.subscribe, () => {
    if (!covered || seen.current === undefined) seen.current = session.getState();
    return seen.current;
  });
}
