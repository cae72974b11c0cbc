import { Action, ActionPanel } from '@vicinae/api';

import { openTarget } from '../host/open';
import { guarded } from '../host/toast';
import { isOpenable } from '../lib/citations';
import type { Source } from '../lib/types';
import { ACTIONS, type ActionGroup, type ActionId } from './action-table';
import { ICONS } from './icons';
import { sourceLabel } from './source-label';

interface Props {
  groups: ActionGroup[];
  run: Record<Exclude<ActionId, 'openSource'>, () => unknown>;
  /** What `Open Source` offers; without any it is left out. */
  sources: readonly Source[];
}

/** The action panel, drawn from the table. */
export function ChatActions({ groups, run, sources }: Props) {
  const openable = sources.filter((source) => isOpenable(source));
  return (
    <ActionPanel>
      {groups.map((group) => (
        <ActionPanel.Section key={group.id}>
          {group.actions.map((id) => {
            if (id === 'openSource')
              return openable.length === 0 ? null : <SourceMenu key={id} sources={openable} />;
            const { title, icon, shortcut } = ACTIONS[id];
            return (
              <Action
                key={id}
                title={title}
                icon={icon}
                shortcut={shortcut}
                onAction={guarded(lowerFirst(title), run[id])}
              />
            );
          })}
        </ActionPanel.Section>
      ))}
    </ActionPanel>
  );
}

function SourceMenu({ sources }: { sources: Source[] }) {
  return (
    <ActionPanel.Submenu title={ACTIONS.openSource.title} icon={ICONS.source}>
      {sources.map((source) => (
        <Action
          key={source.index}
          title={sourceLabel(source)}
          icon={ICONS.source}
          onAction={guarded('open the source', () => openTarget(source.url))}
        />
      ))}
    </ActionPanel.Submenu>
  );
}

/** "Copy Answer" → "copy Answer", to finish the sentence "Could not …". */
function lowerFirst(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}
