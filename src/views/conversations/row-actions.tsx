import { Action, ActionPanel } from '@vicinae/api';

import type { ConversationEntry } from '../../host/store/index-cache';
import type { StoreProblem } from '../../host/store/listing';
import { guarded } from '../../host/toast';
import { ICONS } from '../icons';
import type { Deeds } from './use-deeds';

interface SharedProps {
  deeds: Deeds;
  /** How many conversations there are. */
  count: number;
}

interface RowProps extends SharedProps {
  entry: ConversationEntry;
  /**
   * The others carry only what Return does: each frame ships the panels of all rows, and whoever presses Down and Return at
   * once must not get what the row before would do.
   */
  isSelected: boolean;
}

/** What can be done with one conversation, and with all of them. */
export function RowActions({ entry, isSelected, deeds, count }: RowProps) {
  const { id, pinned = false } = entry;
  const { exported } = deeds;
  const open = (
    <Action
      title="Open"
      icon={ICONS.open}
      onAction={guarded('open the conversation', () => {
        deeds.open(id);
      })}
    />
  );
  if (!isSelected) return <ActionPanel>{open}</ActionPanel>;
  return (
    <ActionPanel>
      <ActionPanel.Section>
        {open}
        <Action
          title="Copy Conversation as Markdown"
          icon={ICONS.copy}
          shortcut="copy"
          onAction={guarded('copy the conversation', () => deeds.copy(id))}
        />
      </ActionPanel.Section>
      <ActionPanel.Section>
        <Action
          title="Rename…"
          icon={ICONS.edit}
          shortcut="edit"
          onAction={guarded('rename the conversation', () => {
            deeds.rename(entry);
          })}
        />
        <Action
          title={pinned ? 'Unpin' : 'Pin on Top'}
          icon={pinned ? ICONS.unpin : ICONS.pin}
          shortcut="pin"
          onAction={guarded('pin the conversation', () => deeds.setPinned(id, !pinned))}
        />
        <Action
          title="Duplicate"
          icon={ICONS.duplicate}
          shortcut="duplicate"
          onAction={guarded('duplicate the conversation', () => deeds.duplicate(id))}
        />
        <ActionPanel.Submenu
          title="Export"
          icon={ICONS.export}
          shortcut={{ modifiers: ['ctrl'], key: 's' }}
        >
          <Action
            title="As Markdown, to Read"
            icon={ICONS.export}
            onAction={guarded('export the conversation', () => deeds.export(id, 'markdown'))}
          />
          <Action
            title="As JSON, to Import Again"
            icon={ICONS.export}
            onAction={guarded('export the conversation', () => deeds.export(id, 'json'))}
          />
        </ActionPanel.Submenu>
        {exported !== undefined && (
          <Action
            title="Copy Path of Exported File"
            icon={ICONS.copy}
            shortcut="copy-path"
            onAction={guarded('copy the path', () => deeds.copyPath(exported))}
          />
        )}
        <Action
          title="Delete"
          icon={ICONS.delete}
          shortcut="remove"
          onAction={guarded('delete the conversation', () => deeds.remove(id))}
        />
      </ActionPanel.Section>
      <SharedActions deeds={deeds} count={count} />
    </ActionPanel>
  );
}

interface UnreadableProps extends SharedProps {
  found: StoreProblem;
}

/**
 * What can be done with a file that could not be read. Only what is a conversation's file may be deleted, and not by
 * Ctrl+Return, which is the second action's of the first section.
 */
export function UnreadableActions({ found, deeds, count }: UnreadableProps) {
  const { id, path, reason } = found;
  return (
    <ActionPanel>
      {path !== undefined && (
        <ActionPanel.Section>
          <Action
            title="Copy File Path"
            icon={ICONS.copy}
            shortcut="copy-path"
            onAction={guarded('copy the path', () => deeds.copyPath(path))}
          />
        </ActionPanel.Section>
      )}
      {reason !== undefined && (
        <ActionPanel.Section>
          <Action
            title="Delete"
            icon={ICONS.delete}
            shortcut="remove"
            onAction={guarded('delete the file', () => deeds.remove(id))}
          />
        </ActionPanel.Section>
      )}
      <SharedActions deeds={deeds} count={count} />
    </ActionPanel>
  );
}

/** The panel where no conversation is selected. */
export function ListActions({ deeds, count }: SharedProps) {
  return (
    <ActionPanel>
      <SharedActions deeds={deeds} count={count} />
    </ActionPanel>
  );
}

/** What concerns no single conversation. */
function SharedActions({ deeds, count }: SharedProps) {
  return (
    <ActionPanel.Section>
      <Action
        title="New Conversation"
        icon={ICONS.new}
        shortcut="new"
        onAction={guarded('start a conversation', deeds.startNew)}
      />
      <Action
        title="Trash…"
        icon={ICONS.trash}
        onAction={guarded('open the trash', deeds.openTrash)}
      />
      <Action
        title="Import…"
        icon={ICONS.import}
        onAction={guarded('import conversations', deeds.importFile)}
      />
      {count > 0 && (
        <>
          <Action
            title="Export All as JSON"
            icon={ICONS.export}
            onAction={guarded('export the conversations', deeds.exportAll)}
          />
          <Action
            title="Delete All…"
            icon={ICONS.delete}
            shortcut="remove-all"
            onAction={guarded('delete the conversations', () => deeds.removeAll(count))}
          />
        </>
      )}
    </ActionPanel.Section>
  );
}
