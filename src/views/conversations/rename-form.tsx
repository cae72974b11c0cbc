import { Action, ActionPanel, Form, useNavigation } from '@vicinae/api';
import { useState } from 'react';

import { guarded } from '../../host/toast';
import { plain, type PlainText } from '../../lib/render';
import { ICONS } from '../icons';
import type { ConversationsPort } from './port';
import { told } from './told';

interface Props {
  session: ConversationsPort;
  id: string;
  /** The title it has. */
  current: string;
  onRenamed: () => void;
}

/** Asks for another title. */
export function RenameForm({ session, id, current, onRenamed }: Props) {
  const { pop } = useNavigation();
  const [error, setError] = useState<PlainText>();
  const rename = async (typed: string): Promise<void> => {
    if (typed.trim() === '') {
      setError(plain`Type a title`);
      return;
    }
    const outcome = await session.renameConversation(id, typed);
    if (!told(outcome, { title: plain`Conversation renamed` }, plain`Not renamed`)) return;
    onRenamed();
    pop();
  };
  return (
    <Form
      navigationTitle="Rename Conversation"
      actions={
        <ActionPanel>
          <Action.SubmitForm
            title="Rename"
            icon={ICONS.edit}
            onSubmit={({ title: typed }) => {
              guarded('rename the conversation', () =>
                rename(typeof typed === 'string' ? typed : ''),
              )();
            }}
          />
        </ActionPanel>
      }
    >
      <Form.TextField
        id="title"
        title="Title"
        defaultValue={current}
        error={error}
        onChange={() => {
          // The launcher does not submit a form that shows an error.
          setError(undefined);
        }}
      />
    </Form>
  );
}
