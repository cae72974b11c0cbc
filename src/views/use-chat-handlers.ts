import { openExtensionPreferences } from '@vicinae/api';

import { copyText } from '../host/clipboard';
import { conversationLink } from '../host/launch';
import { openTarget } from '../host/open';
import { selectedPart, selectedText } from '../host/selection';
import { notify } from '../host/toast';
import type { ChatSession } from '../host/session';
import type { ComposeTarget } from '../host/session/composing';
import type { ChatState } from '../host/session/state';
import { quoteOf, sourceListMarkdown, sourceMarkdown } from '../lib/markdown';
import type { CodeBlock } from '../lib/render';
import { threadOf } from '../lib/thread';
import type { Turn } from '../lib/types';
import type { ChatHandlers } from './action-table';
import { codeOf, lineCount } from './code-copies';
import { contentOf, copySaid, type Copy } from './copies';
import { deleteExchange } from './delete-exchange';
import { neighbours } from './versions';

/** What an action needs from the view it is in. What a view does not offer is not in its table either. */
interface Navigation {
  back?: () => void;
  openAnswer?: (turnId: string) => void;
  openConversation?: () => void;
  openConversations?: () => void;
  /** Shows the form; with text behind what was written into it, or with an earlier question. */
  compose?: (target: ComposeTarget, text?: string) => void;
  chooseModel?: () => void;
  regenerateWith?: (turnId: string) => void;
  checkSetup?: () => void;
  showEvidence?: () => void;
  /** Selects the first row, where the next exchange appears. */
  toTop?: () => void;
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
  const { compose, chooseModel, regenerateWith, checkSetup } = navigation;
  /** Nothing may be put above an answer that grows, so there is nothing to see yet. */
  const sayLater = (title: string) => {
    if (turn !== undefined && turn.id === state.running?.turnId)
      notify({ style: 'success', title });
  };
  const copyAs = (copy: Copy) => {
    const content = contentOf(copy, { turn, turns: threadOf(state.conversation) });
    const { what, how } = copySaid(copy);
    return content === undefined ? undefined : copyText(content, what, how);
  };
  const showNeighbour = (side: 'earlier' | 'later') => {
    const next = turn === undefined ? undefined : neighbours(state.conversation, turn)[side];
    if (next !== undefined) session.showVariant(next.id);
  };
  const copyCodeBlock = (block: CodeBlock) => copyText(block.code, 'Code', lineCount(block));
  return {
    ask: () => {
      if (state.draft.trim() === '') {
        notify({ style: 'failure', title: 'Type a question first' });
        return undefined;
      }
      if (session.ask(state.draft)) navigation.toTop?.();
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
    withSource: (source, use) => {
      if (use === 'open') return openTarget(source.url);
      return use === 'copyLink'
        ? copyText(source.url, 'Link', source.url)
        : copyText(sourceMarkdown(source), 'Source');
    },
    copySources: () =>
      turn === undefined ? undefined : copyText(sourceListMarkdown(turn), 'Source list'),
    copyLink: () => {
      const link = conversationLink(state.conversation.id);
      return copyText(link, 'Link to this conversation', 'Opens it in Lam');
    },
    compose: () => compose?.({ kind: 'new' }),
    quote: async () => {
      if (turn === undefined) return;
      compose?.({ kind: 'new' }, quoteOf(await selectedPart(turn.response)));
    },
    quoteSelection: async () => {
      const selected = await selectedText();
      if (selected === undefined)
        notify({ style: 'failure', title: 'No text is selected', message: 'Select some anywhere' });
      else compose?.({ kind: 'new' }, quoteOf(selected));
    },
    editQuestion: () => {
      if (turn !== undefined) compose?.({ kind: 'edit', turn });
    },
    regenerate: () => {
      if (turn !== undefined && session.regenerate(turn.id)) navigation.toTop?.();
    },
    regenerateWith: () => {
      if (turn !== undefined) regenerateWith?.(turn.id);
    },
    earlierVariant: () => {
      showNeighbour('earlier');
    },
    laterVariant: () => {
      showNeighbour('later');
    },
    deleteExchange: () => (turn === undefined ? undefined : deleteExchange(session, state, turn)),
    chooseModel: chooseModel ?? nothing,
    checkSetup: checkSetup ?? nothing,
    showEvidence: navigation.showEvidence ?? nothing,
    copyCommand: () => {
      const { server } = state;
      const command = server.kind === 'failed' ? server.remedy.command : undefined;
      return command === undefined ? undefined : copyText(command, 'Command', command);
    },
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
