import { Action, ActionPanel, Form, useNavigation } from '@vicinae/api';
import { useState } from 'react';

import { guarded, notify } from '../../host/toast';
import { inertText, plain, type PlainText } from '../../lib/render';
import { ICONS } from '../icons';
import type { DocumentsDesk } from './port';

interface Props {
  desk: DocumentsDesk;
  /** What choosing a folder means. */
  privacy: PlainText;
  onAdded: () => void;
}

/** Asks for a folder: chosen, or by its path where the launcher closes as soon as another window comes up. */
export function AddFolderForm({ desk, privacy, onAdded }: Props) {
  const { pop } = useNavigation();
  const [error, setError] = useState<{ at: 'folder' | 'path'; text: PlainText }>();
  const add = (chosen: string, typed: string): void => {
    const path = typed === '' ? chosen : typed;
    if (path === '') {
      setError({ at: 'folder', text: plain`Choose a folder, or type its path below.` });
      return;
    }
    const change = desk.addFolder(path);
    if (!change.ok) {
      setError({ at: typed === '' ? 'folder' : 'path', text: inertText(change.message, 300) });
      return;
    }
    notify({
      style: 'success',
      title: 'Folder added',
      message: 'Looking for documents in it; the list says what is found',
    });
    onAdded();
    pop();
  };
  const forget = (): void => {
    // The launcher does not submit a form that shows an error.
    setError(undefined);
  };
  return (
    <Form
      navigationTitle="Add Folder"
      actions={
        <ActionPanel>
          <Action.SubmitForm
            title="Add Folder"
            icon={ICONS.documents}
            onSubmit={({ folder, path }) => {
              const chosen = Array.isArray(folder)
                ? folder.find((each) => typeof each === 'string')
                : undefined;
              guarded('add the folder', () => {
                add(chosen ?? '', typeof path === 'string' ? path.trim() : '');
              })();
            }}
          />
        </ActionPanel>
      }
    >
      <Form.Description text={privacy} />
      <Form.FilePicker
        id="folder"
        title="Folder"
        canChooseDirectories
        canChooseFiles={false}
        error={error?.at === 'folder' ? error.text : undefined}
        onChange={forget}
      />
      <Form.TextField
        id="path"
        title="Or Its Path"
        info="Such as ~/Documents. If both are filled in, this one counts."
        error={error?.at === 'path' ? error.text : undefined}
        onChange={forget}
      />
    </Form>
  );
}
