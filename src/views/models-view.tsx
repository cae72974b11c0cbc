import { Action, ActionPanel, List } from '@vicinae/api';
import { useEffect } from 'react';

import type { ChatSession } from '../host/session';
import { guarded, notify } from '../host/toast';
import { plain, type PlainText } from '../lib/render';
import { ICONS } from './icons';
import { modelFacts, modelGroups, modelTitle } from './model-names';
import { useChatState } from './use-chat-state';

interface Props {
  session: ChatSession;
  /** What the first action is called: "Use This Model". */
  actionTitle: PlainText;
  onChoose: (id: string) => void;
}

/** All models of the server, to be searched and chosen from. */
export function ModelsView({ session, actionTitle, onChoose }: Props) {
  const { models, server, serverName } = useChatState(session);
  const current = server.kind === 'ready' ? server.model : '';
  const problem = server.kind === 'failed' ? server.failure.message : undefined;
  useEffect(() => {
    // The rows stay as they were: without a word nobody would know that they are old.
    if (problem !== undefined)
      notify({ style: 'failure', title: 'The models are not known', message: problem });
  }, [problem]);
  return (
    <List
      searchBarPlaceholder="Find a model…"
      navigationTitle="Models"
      isLoading={server.kind === 'checking'}
    >
      {models.length === 0 && (
        <List.EmptyView
          icon={ICONS.model}
          title={server.kind === 'checking' ? 'Asking the model server…' : 'No models'}
          description={server.kind === 'checking' ? '' : 'The model server names none.'}
        />
      )}
      {modelGroups(models, serverName).map(({ title, models: group }) => (
        <List.Section key={title} title={title}>
          {group.map((model) => (
            <List.Item
              key={model.id}
              id={model.id}
              icon={model.id === current ? ICONS.chosen : ICONS.model}
              title={modelTitle(model)}
              accessories={modelFacts(model).map((text) => ({ text }))}
              actions={
                <ActionPanel>
                  <Action
                    title={actionTitle}
                    icon={ICONS.model}
                    onAction={guarded('choose the model', () => {
                      onChoose(model.id);
                    })}
                  />
                  <Action
                    title={plain`Ask the Server Again`}
                    icon={ICONS.retry}
                    shortcut="refresh"
                    onAction={guarded('ask the server', () => {
                      session.refreshServer();
                    })}
                  />
                </ActionPanel>
              }
            />
          ))}
        </List.Section>
      ))}
    </List>
  );
}
