import { clearSearchBar, openExtensionPreferences } from '@vicinae/api';

import { copyText } from '../host/clipboard';
import type { ChatSession } from '../host/session';
import type { ChatState } from '../host/session/state';
import { sessionToPlainText, turnToMarkdown } from '../lib/markdown';
import type { Turn } from '../lib/types';
import type { ActionId } from './action-table';

/** What an action needs from the view it is in. What a view does not offer is not in its table either. */
interface Navigation {
  back?: () => void;
  openAnswer?: (turnId: string) => void;
  openConversation?: () => void;
  openConversations?: () => void;
  /** True when the first row is selected, where the next exchange will appear. */
  atTop?: boolean;
}

const nothing = () => undefined;

/** What each action does, for the exchange that is selected. */
export function useChatHandlers(
  session: ChatSession,
  state: ChatState,
  turn: Turn | undefined,
  navigation: Navigation,
): Record<Exclude<ActionId, 'openSource'>, () => unknown> {
  const { back = nothing, openAnswer, openConversation, openConversations } = navigation;
  return {
    ask: () => {
      const accepted = session.ask(state.draft);
      // The launcher selects the first row only when its own search bar changes, so let it clear the bar itself.
      if (accepted && navigation.atTop === false) return clearSearchBar();
      return undefined;
    },
    stop: () => {
      session.stop();
    },
    openAnswer: () => {
      if (turn !== undefined) openAnswer?.(turn.id);
    },
    backToChat: back,
    continue: () => {
      session.continueTurn();
    },
    tryAgain: () => {
      session.retry();
    },
    copyAnswer: () => (turn === undefined ? undefined : copyText(turnToMarkdown(turn), 'Answer')),
    copyConversation: () => copyText(sessionToPlainText(state.conversation.turns), 'Conversation'),
    wholeConversation: openConversation ?? nothing,
    newConversation: () => {
      session.newConversation();
    },
    conversations: openConversations ?? nothing,
    showToolCalls: () => {
      session.setShowToolCalls(true);
    },
    hideToolCalls: () => {
      session.setShowToolCalls(false);
    },
    showReasoning: () => {
      session.setShowReasoning(true);
    },
    hideReasoning: () => {
      session.setShowReasoning(false);
    },
    checkServer: () => {
      session.refreshServer();
    },
    preferences: () => openExtensionPreferences(),
  };
}
