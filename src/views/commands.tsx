import { useNavigation, type LaunchProps } from '@vicinae/api';
import { useCallback, useEffect, useState } from 'react';

import type { ChatSession } from '../host/session';
import { launchOf, openSession } from '../host/launch';
import { guarded } from '../host/toast';
import { ChatView } from './chat-view';
import { ConversationsView } from './conversations-view';
import { ErrorBoundary } from './error-boundary';
import { Pushed } from './pushed';

/** The command `chat`. */
export function ChatCommand(props: LaunchProps) {
  return (
    <ErrorBoundary>
      <Chat launch={launchOf(props)} />
    </ErrorBoundary>
  );
}

function Chat({ launch }: { launch: ReturnType<typeof launchOf> }) {
  const session = useSession();
  const [opening] = useState(launch);
  useEffect(() => {
    guarded('open the chat', () => session.start(opening))();
  }, [session, opening]);
  const openingText = useCallback(() => session.openingText(opening), [session, opening]);
  return <ChatView session={session} openingText={openingText} />;
}

/** The command `conversations`. */
export function ConversationsCommand() {
  return (
    <ErrorBoundary>
      <Conversations />
    </ErrorBoundary>
  );
}

function Conversations() {
  const session = useSession();
  const { push } = useNavigation();
  /** Grows each time the chat has been left: the list is read again. */
  const [visits, setVisits] = useState(0);
  const onGone = useCallback(() => {
    setVisits((before) => before + 1);
  }, []);
  return (
    <ConversationsView
      visits={visits}
      session={session}
      onOpen={() => {
        push(
          <Pushed onGone={onGone}>
            <ChatView session={session} />
          </Pushed>,
        );
      }}
    />
  );
}

/** One session a worker. It ends with the root view: the launcher unmounts that when it unloads the command. */
function useSession(): ChatSession {
  const [session] = useState(openSession);
  useEffect(
    () => () => {
      session.close();
    },
    [session],
  );
  return session;
}
