import { Action, ActionPanel, Alert, confirmAlert, List } from '@vicinae/api';
import { useCallback, useEffect, useRef, useState } from 'react';

import type { TrashEntry } from '../host/store/trash';
import { guarded, notify } from '../host/toast';
import { inertText, plain } from '../lib/render';
import { timeLeft } from './ages';
import type { ConversationsPort } from './conversations/port';
import { MAX_ROWS } from './conversations/rows';
import { told } from './conversations/told';
import { ICONS } from './icons';
import { oneLine } from './row-text';

interface Trash {
  entries: readonly TrashEntry[];
  problem?: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What was deleted in the last 30 days, to be brought back or removed for good. */
export function TrashView({ session }: { session: ConversationsPort }) {
  const { trash, reload } = useTrash(session);
  const [query, setQuery] = useState('');
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = (trash?.entries ?? []).filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const run = useTrashDeeds(session, reload);
  const count = trash?.entries.length ?? 0;
  const at = trash?.at ?? 0;

  return (
    <List
      filtering={false}
      onSearchTextChange={setQuery}
      searchBarPlaceholder="Find a deleted conversation…"
      navigationTitle="Trash"
      isLoading={trash === undefined}
    >
      {found.length === 0 && (
        <List.EmptyView
          icon={trash?.problem === undefined ? ICONS.delete : ICONS.warning}
          {...emptyWords(trash, query)}
        />
      )}
      {found.slice(0, MAX_ROWS).map((entry) => (
        <List.Item
          key={entry.id}
          id={entry.id}
          icon={entry.reason === undefined ? ICONS.ask : ICONS.warning}
          title={oneLine(entry.title)}
          accessories={accessoriesOf(entry, at)}
          actions={
            <ActionPanel>
              <Action
                title="Restore"
                icon={ICONS.restore}
                onAction={guarded('restore the conversation', () => run.restore(entry))}
              />
              <ActionPanel.Section>
                <Action
                  title="Delete for Good…"
                  icon={ICONS.delete}
                  shortcut="remove"
                  onAction={guarded('delete the conversation', () => run.purge(entry))}
                />
                <Action
                  title="Empty Trash…"
                  icon={ICONS.delete}
                  shortcut="remove-all"
                  onAction={guarded('empty the trash', () => run.empty(count))}
                />
              </ActionPanel.Section>
            </ActionPanel>
          }
        />
      ))}
    </List>
  );
}

function accessoriesOf({ turns, reason, removedAt }: TrashEntry, at: number) {
  const left = { text: timeLeft(removedAt, at) };
  if (reason !== undefined) return [left];
  return [{ text: plain`${turns} question${turns === 1 ? '' : 's'}` }, left];
}

/** The launcher hides it while the list is loading and nothing is typed. */
function emptyWords(trash: Trash | undefined, query: string) {
  if (trash?.problem !== undefined)
    return { title: plain`The trash cannot be read`, description: inertText(trash.problem, 600) };
  if (trash !== undefined && trash.entries.length > 0)
    return {
      title: plain`Nothing found`,
      description: plain`No deleted title has “${query}” in it.`,
    };
  if (trash === undefined) return { title: plain`Reading the trash…`, description: plain`` };
  return {
    title: plain`The trash is empty`,
    description: plain`Deleted conversations stay here for 30 days.`,
  };
}

function useTrash(session: ConversationsPort): { trash: Trash | undefined; reload: () => void } {
  const [trash, setTrash] = useState<Trash>();
  const newest = useRef(0);
  const reload = useCallback(() => {
    const mine = ++newest.current;
    session
      .listTrash()
      .then((listing) => {
        if (mine === newest.current) setTrash({ ...listing, at: Date.now() });
      })
      .catch(() => {
        notify({ style: 'failure', title: 'The trash could not be read' });
      });
  }, [session]);
  useEffect(() => {
    reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);
  return { trash, reload };
}

/** What can be done with what was deleted. Each resolves when it is done and told. */
function useTrashDeeds(session: ConversationsPort, reload: () => void) {
  return {
    async restore({ id }: TrashEntry) {
      const outcome = await session.restoreConversation(id);
      told(outcome, { title: plain`Conversation restored` }, plain`Not restored`);
      reload();
    },
    async purge({ id, title }: TrashEntry) {
      const confirmed = await confirmAlert({
        title: 'Delete this conversation for good?',
        message: plain`“${oneLine(title)}” cannot be brought back.`,
        primaryAction: { title: 'Delete for Good', style: Alert.ActionStyle.Destructive },
      });
      if (!confirmed) return;
      const outcome = await session.purgeConversation(id);
      told(outcome, { title: plain`Deleted for good` }, plain`Not deleted`);
      reload();
    },
    async empty(count: number) {
      const what = count === 1 ? plain`One conversation` : plain`${count} conversations`;
      const confirmed = await confirmAlert({
        title: 'Empty the trash?',
        message: plain`${what} cannot be brought back.`,
        primaryAction: { title: 'Empty Trash', style: Alert.ActionStyle.Destructive },
      });
      if (!confirmed) return;
      const outcome = await session.emptyTrash();
      told(outcome, { title: plain`Trash emptied` }, plain`Not emptied`);
      reload();
    },
  };
}
