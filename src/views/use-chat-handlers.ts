import { clearSearchBar, openExtensionPreferences } from '@vicinae/api';

import { copyText } from '../host/clipboard';
import { openTarget } from '../host/open';
import { notify } from '../host/toast';
import type { ChatSession } from '../host/session';
import type { ChatState } from '../host/session/state';
import type { CodeBlock } from '../lib/render';
import type { Turn } from '../lib/types';
import type { ChatHandlers } from './action-table';
import { codeOf, lineCount } from './code-copies';
import { contentOf, copySaid, type Copy } from './copies';

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

const SHOWN_LATER = 'Shown when the answer is complete';
const HIDDEN_LATER = 'Stays hidden when the answer is complete';

/** What each action does, for the exchange that is selected. */
export function useChatHandlers(
  session: ChatSession,
  state: ChatState,
  turn: Turn | undefined,
  navigation: Navigation,
): ChatHandlers {
  const { back = nothing, openAnswer, openConversation, openConversations } = navigation;
  /** Nothing may be put above an answer that grows, so there is nothing to see yet. */
  const sayLater = (title: string) => {
    if (turn !== undefined && turn.id === state.running?.turnId)
      notify({ style: 'success', title });
  };
  const copyAs = (copy: Copy) => {
    const content = contentOf(copy, { turn, turns: state.conversation.turns });
    const { what, how } = copySaid(copy);
    return content === undefined ? undefined : copyText(content, what, how);
  };
  const copyCodeBlock = (block: CodeBlock) => copyText(block.code, 'Code', lineCount(block));
  return {
    ask: () => {
      if (state.draft.trim() === '') {
        notify({ style: 'failure', title: 'Type a question first' });
        return undefined;
      }
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
    copyAnswer: () => copyAs({ part: 'answer', format: 'markdown' }),
    copyAnswerText: () => copyAs({ part: 'answer', format: 'text' }),
    copyConversation: () => copyAs({ part: 'conversation', format: 'markdown' }),
    copyCode: () => {
      const [block] = turn === undefined ? [] : codeOf(turn);
      return block === undefined ? undefined : copyCodeBlock(block);
    },
    copyAs,
    copyCodeBlock,
    openSource: (source) => openTarget(source.url),
    wholeConversation: openConversation ?? nothing,
    newConversation: () => {
      session.newConversation();
    },
    conversations: openConversations ?? nothing,
    showToolCalls: () => {
      session.setShowToolCalls(true);
      sayLater(SHOWN_LATER);
    },
    hideToolCalls: () => {
      session.setShowToolCalls(false);
      sayLater(HIDDEN_LATER);
    },
    showReasoning: () => {
      session.setShowReasoning(true);
      sayLater(SHOWN_LATER);
    },
    hideReasoning: () => {
      session.setShowReasoning(false);
      sayLater(HIDDEN_LATER);
    },
    checkServer: () => {
      session.refreshServer();
    },
    preferences: () => openExtensionPreferences(),
  };
}
