import { Action, ActionPanel, Alert, confirmAlert, List } from '@vicinae/api';
import { useCallback, useEffect, useRef, useState } from 'react';

import { copyText } from '../host/clipboard';
import type { ChatSession } from '../host/session';
import type { ConversationEntry, StoreProblem } from '../host/store/conversations';
import { guarded, notify } from '../host/toast';
import { sessionToPlainText } from '../lib/markdown';
import { inertText, plain, type PlainText } from '../lib/render';
import { ageOf, sectionOf, type AgeSection } from './ages';
import { ICONS, STATE_ICONS } from './icons';
import { oneLine, unreadableTitle } from './row-text';

type Listing =
  | { kind: 'loading' }
  | {
      kind: 'listed';
      entries: ConversationEntry[];
      unreadable: StoreProblem[];
      /** Milliseconds since the epoch. */
      at: number;
    };

const SECTIONS: AgeSection[] = ['Today', 'Yesterday', 'Last 7 Days', 'Older'];

interface Props {
  session: ChatSession;
  /** Shows the chat, which has the chosen conversation by then. */
  onOpen: () => void;
}

/** All stored conversations, newest first, and the files that could not be read. */
export function ConversationsView({ session, onOpen }: Props) {
  const { listing, reload } = useListing(session);
  const startNew = guarded('start a conversation', () => {
    session.newConversation();
    onOpen();
  });
  const newAction = (
    <Action title="New Conversation" icon={ICONS.new} shortcut="new" onAction={startNew} />
  );
  const open = (id: string) =>
    guarded('open the conversation', () => {
      if (session.openConversation(id)) onOpen();
    });
  const entries = listing.kind === 'listed' ? listing.entries : [];
  const unreadable = listing.kind === 'listed' ? listing.unreadable : [];
  const at = listing.kind === 'listed' ? listing.at : 0;

  return (
    <List
      isLoading={listing.kind === 'loading'}
      searchBarPlaceholder="Find a conversation…"
      navigationTitle="Conversations"
      actions={<ActionPanel>{newAction}</ActionPanel>}
    >
      {entries.length + unreadable.length === 0 && (
        <List.EmptyView
          icon={ICONS.conversations}
          title={listing.kind === 'loading' ? 'Reading…' : 'No conversations yet'}
          description={
            listing.kind === 'loading' ? '' : 'What you ask Lam is kept here, on this machine only.'
          }
          actions={<ActionPanel>{newAction}</ActionPanel>}
        />
      )}
      {SECTIONS.map((section) => (
        <List.Section key={section} title={section}>
          {entries
            .filter(({ updatedAt }) => sectionOf(updatedAt, at) === section)
            .map((entry) => (
              <List.Item
                key={entry.id}
                id={entry.id}
                icon={entry.lastState === undefined ? ICONS.ask : STATE_ICONS[entry.lastState]}
                title={oneLine(entry.title)}
                accessories={[
                  { text: plain`${entry.turns} question${entry.turns === 1 ? '' : 's'}` },
                  { text: ageOf(entry.updatedAt, at) },
                ]}
                actions={
                  <ActionPanel>
                    <Action title="Open" icon={ICONS.open} onAction={open(entry.id)} />
                    <Action
                      title="Copy Conversation as Markdown"
                      icon={ICONS.copy}
                      shortcut="copy"
                      onAction={guarded('copy the conversation', () =>
                        copyConversation(session, entry.id),
                      )}
                    />
                    {newAction}
                    <Action
                      title="Delete…"
                      icon={ICONS.delete}
                      shortcut="remove"
                      onAction={guarded('delete the conversation', async () => {
                        const { id, title } = entry;
                        if (await deleteConversation(session, { id, name: oneLine(title) }))
                          reload();
                      })}
                    />
                  </ActionPanel>
                }
              />
            ))}
        </List.Section>
      ))}
      <List.Section title="Could Not Be Read">
        {unreadable.map((found, place) => (
          <List.Item
            key={`${place} ${found.id}`}
            id={`unreadable-${place}`}
            icon={ICONS.warning}
            title={unreadableTitle(found)}
            subtitle={inertText(found.problem)}
            actions={
              <ActionPanel>
                <CopyPath path={found.path} />
                {found.reason !== undefined && (
                  <Action
                    title="Delete…"
                    icon={ICONS.delete}
                    shortcut="remove"
                    onAction={guarded('delete the file', async () => {
                      const { id } = found;
                      if (await deleteConversation(session, { id, name: oneLine(`${id}.json`) }))
                        reload();
                    })}
                  />
                )}
                {newAction}
              </ActionPanel>
            }
          />
        ))}
      </List.Section>
    </List>
  );
}

function useListing(session: ChatSession): { listing: Listing; reload: () => void } {
  const [listing, setListing] = useState<Listing>({ kind: 'loading' });
  /** Which reading is the newest: an older one that ends later is not shown. */
  const newest = useRef(0);
  const reload = useCallback(() => {
    const mine = ++newest.current;
    session
      .listConversations()
      .then(({ entries, problems }) => {
        if (mine !== newest.current) return;
        const unreadable = problems.filter(({ kind }) => kind === 'unreadable');
        setListing({ kind: 'listed', entries, unreadable, at: Date.now() });
      })
      .catch(() => {
        notify({ style: 'failure', title: 'The conversations could not be listed' });
      });
  }, [session]);
  useEffect(() => {
    reload();
    return () => {
      newest.current += 1;
    };
  }, [reload]);
  return { listing, reload };
}

function CopyPath({ path }: { path: string | undefined }) {
  if (path === undefined) return null;
  return (
    <Action
      title="Copy File Path"
      icon={ICONS.copy}
      shortcut="copy-path"
      onAction={guarded('copy the path', () => copyText(path, 'File path', path))}
    />
  );
}

async function copyConversation(session: ChatSession, id: string): Promise<void> {
  const loaded = await session.readConversation(id);
  if (loaded.ok) await copyText(sessionToPlainText(loaded.conversation.turns), 'Conversation');
  else notify({ style: 'failure', title: 'Not copied', message: loaded.message });
}

/** Asks, deletes and says so; true when it is gone. */
async function deleteConversation(
  session: ChatSession,
  { id, name }: { id: string; name: PlainText },
): Promise<boolean> {
  const refusal = session.whyNotDelete(id);
  if (refusal !== undefined) {
    notify({ style: 'failure', title: 'Not deleted', message: refusal });
    return false;
  }
  const confirmed = await confirmAlert({
    title: 'Delete this conversation?',
    message: plain`“${name}” cannot be brought back.`,
    primaryAction: { title: 'Delete', style: Alert.ActionStyle.Destructive },
  });
  if (!confirmed) return false;
  const outcome = await session.deleteConversation(id);
  if (outcome.kind === 'deleted') {
    notify({ style: 'success', title: 'Conversation deleted' });
    return true;
  }
  if (outcome.kind === 'failed')
    notify({ style: 'failure', title: 'Not deleted', message: outcome.message });
  return false;
}
