import { List } from '@vicinae/api';

import type { ChatSession } from '../host/session';
import type { ChatState } from '../host/session/state';
import { plain } from '../lib/render';
import { dropdownModels, modelGroups, modelTitle } from './model-names';

/** Stands for the list of all models at the end of a long dropdown. */
const ALL = '…';

interface Props {
  session: ChatSession;
  state: ChatState;
  /** Shows all models. */
  onAll: () => void;
}

/** Which model is asked: beside the search bar, always in sight. Nothing until the server has said what it offers. */
export function ModelDropdown({ session, state, onAll }: Props) {
  const { server, models, serverName } = state;
  const current = server.kind === 'ready' ? server.model : '';
  const { shown, more } = dropdownModels(models, current);
  if (shown.length === 0 || current === '') return null;
  return (
    <List.Dropdown
      tooltip="Model"
      value={current}
      onChange={(id) => {
        if (id === ALL) onAll();
        // The launcher also calls this when the dropdown appears.
        else if (id !== current && shown.some((model) => model.id === id)) session.chooseModel(id);
      }}
    >
      {modelGroups(shown, serverName).map(({ title, models: group }) => (
        <List.Dropdown.Section key={title} title={title}>
          {group.map((model) => (
            <List.Dropdown.Item key={model.id} value={model.id} title={modelTitle(model)} />
          ))}
        </List.Dropdown.Section>
      ))}
      {more > 0 && (
        <List.Dropdown.Section>
          <List.Dropdown.Item value={ALL} title={plain`All Models… (${more} more)`} />
        </List.Dropdown.Section>
      )}
    </List.Dropdown>
  );
}
