import { Action, ActionPanel } from '@vicinae/api';

import type { Folder } from '../../host/documents/folders';
import { guarded } from '../../host/toast';
import { isOpenable } from '../../lib/citations';
import { ICONS } from '../icons';
import type { Deeds } from './use-deeds';

interface RowProps {
  deeds: Deeds;
  /** Absolute path of the row's file or folder. */
  path: string;
  /** Present for a row that is a folder. */
  folder?: Folder;
  /** The others carry only what Return does: each frame ships the panels of all rows. */
  isSelected: boolean;
}

/** What can be done with a folder or a file, and with all of them. */
export function RowActions({ deeds, path, folder, isSelected }: RowProps) {
  const isAway = folder?.problem !== undefined;
  const open = !isAway && isOpenable({ url: path, kind: 'document' }) && (
    <Action
      title={folder === undefined ? 'Open File' : 'Open Folder'}
      icon={ICONS.open}
      onAction={guarded('open it', () => deeds.open(path))}
    />
  );
  const copy = (
    <Action
      title="Copy Path"
      icon={ICONS.copy}
      shortcut="copy-path"
      onAction={guarded('copy the path', () => deeds.copyPath(path))}
    />
  );
  if (!isSelected) return <ActionPanel>{open === false ? copy : open}</ActionPanel>;
  return (
    <ActionPanel>
      <ActionPanel.Section>
        {open}
        <DetailsAction deeds={deeds} />
        {copy}
        {folder?.fixed === false && (
          <Action
            title="Remove Folder…"
            icon={ICONS.delete}
            shortcut="remove"
            onAction={guarded('remove the folder', () => deeds.removeFolder(folder))}
          />
        )}
        {folder?.fixed === true && (
          <Action
            title="Change Folder in Preferences"
            icon={ICONS.preferences}
            onAction={guarded('open the preferences', deeds.openPreferences)}
          />
        )}
      </ActionPanel.Section>
      <SharedActions deeds={deeds} hasFolders />
    </ActionPanel>
  );
}

interface SharedProps {
  deeds: Deeds;
  hasFolders: boolean;
}

/** What can be done without a row. */
export function ListActions(props: SharedProps) {
  return (
    <ActionPanel>
      <SharedActions {...props} />
    </ActionPanel>
  );
}

/**
 * The same on a row with a sentence that is longer than the row.
 *
 * @param isFixedInPreferences what it says is put right there
 */
export function ProblemActions({
  isFixedInPreferences,
  ...props
}: SharedProps & { isFixedInPreferences: boolean }) {
  const { deeds } = props;
  return (
    <ActionPanel>
      <DetailsAction deeds={deeds} />
      {isFixedInPreferences && (
        <Action
          title="Preferences"
          icon={ICONS.preferences}
          onAction={guarded('open the preferences', deeds.openPreferences)}
        />
      )}
      <SharedActions {...props} />
    </ActionPanel>
  );
}

function DetailsAction({ deeds }: Pick<SharedProps, 'deeds'>) {
  return (
    <Action
      title={deeds.isDetailed ? 'Hide Details' : 'Show Details'}
      icon={deeds.isDetailed ? ICONS.hide : ICONS.show}
      shortcut={{ modifiers: ['ctrl', 'shift'], key: 'd' }}
      onAction={guarded('show the details', deeds.toggleDetails)}
    />
  );
}

function SharedActions({ deeds, hasFolders }: SharedProps) {
  return (
    <ActionPanel.Section>
      <Action
        title="Add Folder…"
        icon={ICONS.new}
        shortcut="new"
        onAction={guarded('add a folder', deeds.addFolder)}
      />
      {hasFolders && (
        <Action
          title="Look for Changes"
          icon={ICONS.retry}
          shortcut="refresh"
          onAction={guarded('look for changes', deeds.lookForChanges)}
        />
      )}
    </ActionPanel.Section>
  );
}
