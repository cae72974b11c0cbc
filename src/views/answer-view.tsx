import { useNavigation } from '@vicinae/api';
import { useMemo } from 'react';

import type { ChatSession } from '../host/session';
import { lastTurn } from '../host/session/state';
import { turnSources } from '../lib/citations';
import { askedOf, turnMarkdown } from '../lib/markdown';
import { shownVersion } from '../lib/thread';
import { answerActions } from './action-table';
import { ChatActions } from './chat-actions';
import { EvidenceView } from './evidence-view';
import { LoadingDetail } from './loading-detail';
import { oneLine } from './row-text';
import { useChatHandlers } from './use-chat-handlers';
import { useChatState } from './use-chat-state';

/** One answer at full width, still growing if it is being written. Return goes back to type the follow-up. */
export function AnswerView({ session, turnId }: { session: ChatSession; turnId: string }) {
  const state = useChatState(session);
  const { push, pop } = useNavigation();
  // Asked again, it is the new version that is shown.
  const turn = shownVersion(state.conversation, turnId);
  const running = state.running?.turnId === turn?.id ? state.running : undefined;
  const { showToolCalls, showReasoning, images, evidenceLine: evidence } = state;
  const answer = running?.answer;
  const followedUp = turn?.id !== lastTurn(state)?.id;
  const markdown = useMemo(
    () =>
      turn === undefined
        ? 'This answer is no longer in the conversation.'
        : turnMarkdown(turn, {
            isWhole: true,
            answer,
            followedUp,
            showToolCalls,
            showReasoning,
            images,
            evidence,
          }),
    [turn, answer, followedUp, showToolCalls, showReasoning, images, evidence],
  );
  const run = useChatHandlers(session, state, turn, {
    back: pop,
    showEvidence: () => {
      if (turn !== undefined) push(<EvidenceView turn={turn} evidence={session.evidence} />);
    },
  });
  return (
    <LoadingDetail
      markdown={markdown}
      isLoading={running !== undefined}
      navigationTitle={running?.activity ?? oneLine(askedOf(turn?.question ?? 'Answer'))}
      actions={
        <ChatActions
          groups={answerActions(state, turn)}
          run={run}
          sources={turn === undefined ? [] : turnSources(turn)}
        />
      }
    />
  );
}
