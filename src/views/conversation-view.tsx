import { useNavigation } from '@vicinae/api';
import { useMemo } from 'react';

import type { ChatSession } from '../host/session';
import { lastTurn } from '../host/session/state';
import { threadMarkdown } from '../lib/markdown';
import { threadOf } from '../lib/thread';
import { wholeActions } from './action-table';
import { ChatActions } from './chat-actions';
import { LoadingDetail } from './loading-detail';
import { oneLine } from './row-text';
import { useChatHandlers } from './use-chat-handlers';
import { useChatState } from './use-chat-state';

/** All exchanges in one document, oldest first, growing at its end while an answer is being written. */
export function ConversationView({ session }: { session: ChatSession }) {
  const state = useChatState(session);
  const { pop } = useNavigation();
  const { conversation, running, showToolCalls, showReasoning, images } = state;
  const { evidenceLine: evidence } = state;
  const turns = threadOf(conversation);
  const answer = running?.answer;
  const markdown = useMemo(
    () =>
      threadMarkdown(turns, {
        isWhole: true,
        running: answer === undefined ? undefined : { answer },
        showToolCalls,
        showReasoning,
        images,
        evidence,
      }),
    [turns, answer, showToolCalls, showReasoning, images, evidence],
  );
  const run = useChatHandlers(session, state, lastTurn(state), { back: pop });
  return (
    <LoadingDetail
      markdown={markdown}
      isLoading={running !== undefined}
      navigationTitle={running?.activity ?? oneLine(conversation.title)}
      actions={<ChatActions groups={wholeActions(state)} run={run} sources={[]} />}
    />
  );
}
