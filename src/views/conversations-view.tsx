import { List } from '@vicinae/api';
import { useMemo, useState } from 'react';

import { inertText, plain, renderModelOutput, type PlainText } from '../lib/render';
import { shortAge } from './ages';
import type { ConversationsPort } from './conversations/port';
import { ListActions, RowActions, UnreadableActions } from './conversations/row-actions';
import { byAge, byRank, byTitle, MAX_ROWS, type Row, type Shown } from './conversations/rows';
import { useDeeds } from './conversations/use-deeds';
import { useListing, type Known } from './conversations/use-listing';
import { usePreview } from './conversations/use-preview';
import { useSearch, type Search } from './conversations/use-search';
import { ICONS, STATE_ICONS } from './icons';
import { oneLine, unreadableTitle } from './row-text';

interface Props {
  session: ConversationsPort;
  /** Grows each time this view has been uncovered: the list is read again, and what was typed stays. */
  visits?: number;
  /** Shows the chat, which has the chosen conversation by then. */
  onOpen: () => void;
}

/**
 * All stored conversations: pinned ones on top, then by age; while something is typed, what was found, best first. The selected
 * one is shown beside its row.
 */
export function ConversationsView({ session, visits = 0, onOpen }: Props) {
  const { known, reload } = useListing(session, visits);
  const [typed, setTyped] = useState('');
  const query = typed.trim();
  const search = useSearch(session, query);
  const deeds = useDeeds(session, { onOpen, reload });
  const [selectedId, setSelectedId] = useState<string>();

  const { entries, unreadable, at, isComplete } = known.kind === 'listed' ? known : NOTHING;
  const { reply } = search;
  const shown = useMemo(() => shownOf(known, query, reply), [known, query, reply]);
  const rows = shown.sections.flatMap((section) => section.rows);
  const broken = reply === undefined ? unreadable.slice(0, MAX_ROWS) : [];
  const searchProblem = reply?.ok === false ? reply.message : undefined;
  const isEmpty = rows.length + broken.length === 0 && searchProblem === undefined;
  const isStray = !rows.some(({ entry }) => entry.id === selectedId) && !isOther(selectedId);
  const selected = rows.find(({ entry }, place) =>
    isStray ? place === 0 : entry.id === selectedId,
  );
  const preview = usePreview(session, selected, at);
  const count = entries.length;
  const isBusy = !isComplete || search.isSearching;
  const listActions = <ListActions deeds={deeds} count={count} />;

  return (
    <List
      filtering={false}
      onSearchTextChange={setTyped}
      onSelectionChange={(id) => {
        setSelectedId(id);
      }}
      isLoading={isBusy}
      isShowingDetail={!isEmpty}
      searchBarPlaceholder="Search titles, questions and answers…"
      navigationTitle="Conversations"
      actions={listActions}
    >
      {isEmpty && (
        <List.EmptyView
          icon={ICONS.conversations}
          {...emptyWords({ count, query, isBusy })}
          actions={listActions}
        />
      )}
      {shown.sections.map((section) => (
        <List.Section key={section.title} title={section.title}>
          {section.rows.map((row) => (
            <List.Item
              key={row.entry.id}
              id={row.entry.id}
              icon={iconOf(row)}
              title={oneLine(row.entry.title)}
              accessories={[{ text: shortAge(row.entry.updatedAt, at) }]}
              detail={row === selected ? <List.Item.Detail markdown={preview} /> : undefined}
              actions={
                <RowActions
                  entry={row.entry}
                  isSelected={row === selected}
                  deeds={deeds}
                  count={count}
                />
              }
            />
          ))}
        </List.Section>
      ))}
      {shown.hidden > 0 && (
        <List.Item
          id={otherId('more')}
          icon={ICONS.conversations}
          title={plain`${shown.hidden} more: type to find`}
          actions={listActions}
        />
      )}
      {searchProblem !== undefined && (
        <List.Item
          id={otherId('problem')}
          icon={ICONS.warning}
          title="Only titles searched"
          detail={<List.Item.Detail markdown={renderModelOutput(searchProblem).text} />}
          actions={listActions}
        />
      )}
      {broken.length > 0 && (
        <List.Section title="Could Not Be Read">
          {broken.map((found, place) => (
            <List.Item
              key={`${place} ${found.id}`}
              id={otherId(`unreadable-${place}`)}
              icon={ICONS.warning}
              title={unreadableTitle(found)}
              detail={<List.Item.Detail markdown={renderModelOutput(found.problem).text} />}
              actions={<UnreadableActions found={found} deeds={deeds} count={count} />}
            />
          ))}
        </List.Section>
      )}
    </List>
  );
}

const NOTHING = { entries: [], unreadable: [], at: 0, isComplete: false } as const;

/** Ids of rows that are no conversation: a conversation's id has no colon. */
const otherId = (name: string): string => `lam:${name}`;
const isOther = (id: string | undefined): boolean => id?.startsWith('lam:') === true;

function shownOf(known: Known, query: string, reply: Search['reply']): Shown {
  if (known.kind === 'loading') return { sections: [], hidden: 0 };
  const { entries, at, isComplete } = known;
  if (reply === undefined && query !== '') return byTitle(entries, query);
  if (reply === undefined) {
    const all = byAge(entries, at);
    return isComplete ? all : { ...all, hidden: 0 }; // how many there are is not known yet
  }
  return reply.ok ? byRank(reply.hits, entries) : byTitle(entries, query);
}

function iconOf({ entry }: Row) {
  return entry.lastState === undefined ? ICONS.ask : STATE_ICONS[entry.lastState];
}

/** The launcher hides it while the list is loading and nothing is typed. */
function emptyWords(state: { count: number; query: string; isBusy: boolean }): {
  title: PlainText;
  description: PlainText;
} {
  const { count, query, isBusy } = state;
  if (query !== '' && isBusy)
    return { title: plain`Searching…`, description: plain`Nothing found so far.` };
  if (query !== '' && count > 0)
    return {
      title: plain`Nothing found`,
      description: plain`No title, question or answer has “${inertText(query, 60)}” in it.`,
    };
  return {
    title: plain`No conversations yet`,
    description: plain`What you ask Lam is kept here, on this machine only.`,
  };
}
