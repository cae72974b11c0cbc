import { clearSearchBar, List, useNavigation } from '@vicinae/api';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';

import type { ChatSession } from '../host/session';
import type { ComposeTarget } from '../host/session/composing';
import {
  emptyScreen,
  lastTurn,
  WAITING_NOTE,
  WAITING_TITLE,
  type ChatState,
  type Screen,
} from '../host/session/state';
import { guarded } from '../host/toast';
import { turnSources } from '../lib/citations';
import { askedOf, turnMarkdown } from '../lib/markdown';
import { inertText, plain, renderModelOutput, type PlainText } from '../lib/render';
import { threadOf } from '../lib/thread';
import type { Turn } from '../lib/types';
import { chatActions } from './action-table';
import { AnswerView } from './answer-view';
import { ChatActions } from './chat-actions';
import { ConversationView } from './conversation-view';
import { ComposeView } from './compose-view';
import { ConversationsView } from './conversations-view';
import { EvidenceView } from './evidence-view';
import { ICONS, STATE_ICONS } from './icons';
import { ModelDropdown } from './model-dropdown';
import { ModelsView } from './models-view';
import { Pushed } from './pushed';
import { accessoriesOf, oneLine } from './row-text';
import { SetupView } from './setup-view';
import { useChatHandlers } from './use-chat-handlers';
import { useChatState } from './use-chat-state';

const SCREEN_ICONS: Record<Screen['kind'], (typeof ICONS)[keyof typeof ICONS]> = {
  loading: ICONS.waiting,
  empty: ICONS.ask,
  failed: ICONS.server,
  waiting: ICONS.waiting,
};

/** Characters under the title of an empty chat: several sentences, drawn as a paragraph. */
const MAX_DESCRIPTION_CHARS = 600;

interface Props {
  session: ChatSession;
  /** Begins with the form and this text in it; undefined = as it is. Called once. */
  openingText?: () => Promise<string | undefined>;
}

/** The chat: the search bar is the input, one row an exchange (newest first), the selected one beside it. */
export function ChatView({ session, openingText }: Props) {
  const [covered, setCovered] = useState(false);
  const state = useChatState(session, covered);
  const { push, pop } = useNavigation();
  const [index, setIndex] = useState(0);
  const { conversation } = state;
  const rows = useMemo(() => [...threadOf(conversation)].reverse(), [conversation]);
  const problems = rows.length === 0 ? [] : state.problems;
  // The launcher keeps the position, not the row, when rows are added above; past the end it goes to the first.
  const count = rows.length + problems.length;
  const at = index < count ? index : 0;
  useEffect(() => {
    if (index >= count) setIndex(0);
  }, [index, count]);

  const uncover = useCallback(() => {
    setCovered(false);
  }, []);
  const show = (view: ReactNode) => {
    setCovered(true);
    push(<Pushed onGone={uncover}>{view}</Pushed>);
  };
  /** The launcher selects the first row only when its own search bar changes, so let it clear the bar itself. */
  const toTop = guarded('show the new answer', async () => {
    if (at === 0) return;
    const { draft } = session.getState();
    await clearSearchBar();
    // What was typed meanwhile was no part of what was asked.
    if (draft !== '') session.setDraft(draft);
  });
  const compose = (target: ComposeTarget, quote?: string) => {
    show(
      <ComposeView
        session={session}
        target={target}
        initial={session.openForm(target, quote)}
        onAsked={() => {
          pop();
          toTop();
        }}
      />,
    );
  };
  useOpeningText(openingText, (text) => {
    compose({ kind: 'new' }, text);
  });
  const turn = rows[at];
  const run = useChatHandlers(session, state, turn, {
    openAnswer: (turnId) => {
      show(<AnswerView session={session} turnId={turnId} />);
    },
    openConversation: () => {
      show(<ConversationView session={session} />);
    },
    openConversations: () => {
      show(<ConversationsView session={session} onOpen={pop} />);
    },
    compose,
    chooseModel: () => {
      show(
        <ModelsView
          session={session}
          actionTitle={plain`Use This Model`}
          onChoose={(id) => {
            session.chooseModel(id);
            pop();
          }}
        />,
      );
    },
    regenerateWith: (turnId) => {
      show(
        <ModelsView
          session={session}
          actionTitle={plain`Regenerate with This Model`}
          onChoose={(id) => {
            if (!session.regenerate(turnId, id)) return;
            pop();
            toTop();
          }}
        />,
      );
    },
    checkSetup: () => {
      show(<SetupView check={session.checkSetup} />);
    },
    showEvidence: () => {
      if (turn !== undefined) show(<EvidenceView turn={turn} evidence={session.evidence} />);
    },
    toTop,
  });
  const actions = (
    <ChatActions
      groups={chatActions(state, turn)}
      run={run}
      sources={turn === undefined ? [] : turnSources(turn)}
    />
  );
  const ids = [...rows.map(({ id }) => id), ...problems.map((_, place) => problemId(place))];
  const screen = emptyScreen(state);
  const now = Date.now();

  return (
    <List
      filtering={false}
      searchText={state.draft}
      onSearchTextChange={(text) => {
        guarded('keep the text', () => {
          setIndex(0);
          session.setDraft(text);
        })();
      }}
      onSelectionChange={(id) => {
        const place = ids.indexOf(id);
        if (place >= 0) setIndex(place);
      }}
      searchBarPlaceholder={rows.length === 0 ? 'Ask Lam…' : 'Ask a follow-up…'}
      navigationTitle={titleOf(state)}
      isLoading={isBusy(state)}
      isShowingDetail={count > 0}
      searchBarAccessory={<ModelDropdown session={session} state={state} onAll={run.chooseModel} />}
      actions={actions}
    >
      {count === 0 ? (
        <List.EmptyView
          icon={SCREEN_ICONS[screen.kind]}
          title={screen.title}
          description={inertText(screen.description, MAX_DESCRIPTION_CHARS)}
          actions={actions}
        />
      ) : (
        <List.Section title="This conversation">
          {rows.map((row, place) => (
            <List.Item
              key={row.id}
              id={row.id}
              icon={STATE_ICONS[row.state]}
              title={oneLine(askedOf(row.question))}
              accessories={accessoriesOf(row, state, now)}
              detail={place === at ? <Exchange state={state} turn={row} /> : undefined}
              actions={place === at ? actions : undefined}
            />
          ))}
        </List.Section>
      )}
      {problems.length > 0 && (
        <List.Section title="Problems">
          {problems.map((problem, place) => (
            <List.Item
              key={problemId(place)}
              id={problemId(place)}
              icon={ICONS.warning}
              title={oneLine(problem)}
              detail={
                rows.length + place === at ? (
                  <List.Item.Detail markdown={renderModelOutput(problem).text} />
                ) : undefined
              }
              actions={actions}
            />
          ))}
        </List.Section>
      )}
    </List>
  );
}

/** Looks once whether the chat begins with a text, and shows the form then. */
function useOpeningText(look: Props['openingText'], onText: (text: string) => void): void {
  const shown = useRef(false);
  const latest = useRef(onText);
  useEffect(() => {
    latest.current = onText;
  });
  useEffect(() => {
    if (look === undefined || shown.current) return;
    shown.current = true;
    guarded('quote the selected text', async () => {
      const text = await look();
      if (text !== undefined) latest.current(text);
    })();
  }, [look]);
}

/** The selected exchange. Only this row carries a document: every frame ships them all. */
function Exchange({ state, turn }: { state: ChatState; turn: Turn }) {
  const { showToolCalls, showReasoning, images, evidenceLine: evidence } = state;
  const answer = state.running?.turnId === turn.id ? state.running.answer : undefined;
  const followedUp = turn.id !== lastTurn(state)?.id;
  const note = state.phase === 'waiting' ? WAITING_NOTE : undefined;
  const markdown = useMemo(
    () =>
      turnMarkdown(turn, {
        answer,
        followedUp,
        note,
        showToolCalls,
        showReasoning,
        images,
        evidence,
      }),
    [turn, answer, followedUp, note, showToolCalls, showReasoning, images, evidence],
  );
  return <List.Item.Detail markdown={markdown} />;
}

const problemId = (place: number) => `problem-${place}`;

/** Never empty: the launcher keeps the last title it was given. */
function titleOf(state: ChatState): PlainText {
  if (state.phase === 'waiting') return WAITING_TITLE;
  return state.running === undefined ? plain`Chat with Lam` : state.running.activity;
}

/** The launcher hides the empty view while this is true, so a server that is looked for does not count. */
function isBusy(state: ChatState): boolean {
  return state.phase === 'loading' || state.phase === 'waiting' || state.running !== undefined;
}
