import { Alert, confirmAlert, openExtensionPreferences, useNavigation } from '@vicinae/api';
import { useState } from 'react';

import { copyText } from '../../host/clipboard';
import type { Folder } from '../../host/documents/folders';
import { openTarget } from '../../host/open';
import { notify } from '../../host/toast';
import { plain, type PlainText } from '../../lib/render';
import { oneLine } from '../row-text';
import { AddFolderForm } from './add-folder-form';
import { changesTitle } from './describe';
import type { DocumentsDesk } from './port';

/** Everything that can be done in the list of documents. */
export interface Deeds {
  addFolder: () => void;
  removeFolder: (folder: Folder) => Promise<void>;
  lookForChanges: () => Promise<void>;
  /** That is under way. */
  isLooking: boolean;
  open: (path: string) => Promise<void>;
  copyPath: (path: string) => Promise<void>;
  openPreferences: () => Promise<void>;
  /** Whether what is known of the selected row stands beside the list. */
  isDetailed: boolean;
  toggleDetails: () => void;
}

/**
 * @param reload lists the documents again
 * @param privacy what choosing a folder means
 */
export function useDeeds(
  desk: DocumentsDesk,
  { reload, privacy }: { reload: () => void; privacy: PlainText },
): Deeds {
  const { push } = useNavigation();
  const [isDetailed, setIsDetailed] = useState(false);
  const [isLooking, setIsLooking] = useState(false);
  return {
    isLooking,
    isDetailed,
    toggleDetails() {
      setIsDetailed((before) => !before);
    },
    addFolder() {
      push(<AddFolderForm desk={desk} privacy={privacy} onAdded={reload} />);
    },
    async removeFolder({ name, path }) {
      const confirmed = await confirmAlert({
        title: plain`Remove “${oneLine(name)}” from Lam?`,
        message:
          'The files stay where they are. What Lam has kept of them is deleted; earlier answers keep their passages.',
        primaryAction: { title: 'Remove', style: Alert.ActionStyle.Destructive },
      });
      if (!confirmed) return;
      const change = desk.removeFolder(path);
      if (change.ok) notify({ style: 'success', title: 'Folder removed' });
      else notify({ style: 'failure', title: 'Not removed', message: change.message });
      reload();
    },
    async lookForChanges() {
      if (isLooking) return;
      setIsLooking(true);
      const { isDone, changes } = await desk.refresh();
      setIsLooking(false);
      // What went wrong stands in the list.
      if (isDone) notify({ style: 'success', title: changesTitle(changes) });
      reload();
    },
    open: (path) => openTarget(path, desk.isThere),
    copyPath: (path) => copyText(path, 'Path', path),
    async openPreferences() {
      await openExtensionPreferences();
    },
  };
}
