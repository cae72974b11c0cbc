import { Action, ActionPanel, Form, useNavigation } from '@vicinae/api';
import { useState } from 'react';

import { guarded, notify } from '../../host/toast';
import { inertText, plain, type PlainText } from '../../lib/render';
import { ICONS } from '../icons';
import type { ConversationsPort } from './port';

/** Problems of an import that are told one by one. */
const MAX_TOLD = 8;

interface Props {
  session: ConversationsPort;
  onImported: () => void;
}

/** Asks for a file that Lam exported, and says what could not be taken over. */
export function ImportForm({ session, onImported }: Props) {
  const { pop } = useNavigation();
  const [error, setError] = useState<PlainText>();
  const [isBusy, setIsBusy] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const read = async (path: string | undefined): Promise<void> => {
    if (isBusy) return;
    if (path === undefined) {
      setError(plain`Choose a file`);
      return;
    }
    setIsBusy(true);
    const outcome = await session.importConversations(path);
    setIsBusy(false);
    setProblems(outcome.problems);
    const { imported } = outcome;
    const count = plain`${imported} conversation${imported === 1 ? '' : 's'} imported`;
    if (imported > 0) onImported();
    if (outcome.problems.length === 0) {
      notify({ style: 'success', title: count });
      pop();
    } else {
      const title = imported === 0 ? plain`Nothing was imported` : count;
      notify({ style: 'failure', title, message: 'The form says what was left out' });
    }
  };
  return (
    <Form
      navigationTitle="Import Conversations"
      isLoading={isBusy}
      actions={
        <ActionPanel>
          <Action.SubmitForm
            title="Import"
            icon={ICONS.import}
            onSubmit={({ file }) => {
              const path = Array.isArray(file) ? file.find((each) => typeof each === 'string') : '';
              guarded('import the file', () => read(path === '' ? undefined : path))();
            }}
          />
        </ActionPanel>
      }
    >
      <Form.Description text="Takes conversations from a JSON file that Lam exported. What you have here stays as it is." />
      <Form.FilePicker
        id="file"
        title="File"
        error={error}
        onChange={() => {
          // The launcher does not submit a form that shows an error.
          setError(undefined);
        }}
      />
      {problems.slice(0, MAX_TOLD).map((problem, place) => (
        <Form.Description
          key={problem}
          {...(place === 0 ? { title: 'Left Out' } : {})}
          text={inertText(problem, 400)}
        />
      ))}
      {problems.length > MAX_TOLD && (
        <Form.Description text={plain`and ${problems.length - MAX_TOLD} more`} />
      )}
    </Form>
  );
}
