import { Action, ActionPanel } from '@vicinae/api';

import { guarded } from '../host/toast';
import { isOpenable } from '../lib/citations';
import { COPY_FORMATS } from '../lib/markdown';
import { plain, type CodeBlock, type PlainText } from '../lib/render';
import type { Source } from '../lib/types';
import {
  ACTIONS,
  SUBMENUS,
  type ActionGroup,
  type ActionId,
  type ChatHandlers,
  type SourceUse,
  type Submenu,
} from './action-table';
import { codeLabel } from './code-copies';
import { copyHeading, copyTitle, type CopyPart } from './copies';
import { ICONS } from './icons';
import { sourceLabel, sourceStatus } from './source-label';

interface Props {
  groups: ActionGroup[];
  run: ChatHandlers;
  /** What `Open Source` offers; without any it is left out. */
  sources: readonly Source[];
}

/** The action panel, drawn from the table. */
export function ChatActions({ groups, run, sources }: Props) {
  const openable = sources.filter((source) => isOpenable(source));
  const submenu = (entry: Submenu) => {
    switch (entry.submenu) {
      case 'copyAs':
        return <CopyMenu key={entry.submenu} parts={entry.parts} copyAs={run.copyAs} />;
      case 'copyCodeBlock':
        return (
          <CodeMenu key={entry.submenu} blocks={entry.blocks} copyCodeBlock={run.copyCodeBlock} />
        );
      case 'openSource':
        return openable.length === 0 ? null : (
          <SourceMenu key={entry.submenu} sources={openable} onUse={run.withSource} />
        );
    }
  };
  return (
    <ActionPanel>
      {groups.map((group) => (
        <ActionPanel.Section key={group.id}>
          {group.entries.map((entry) =>
            typeof entry === 'string' ? (
              <SingleAction key={entry} id={entry} onAction={run[entry]} />
            ) : (
              submenu(entry)
            ),
          )}
        </ActionPanel.Section>
      ))}
    </ActionPanel>
  );
}

function SingleAction({ id, onAction }: { id: ActionId; onAction: () => unknown }) {
  const { title, icon, shortcut } = ACTIONS[id];
  return (
    <Action
      title={title}
      icon={icon}
      shortcut={shortcut}
      onAction={guarded(lowerFirst(title), onAction)}
    />
  );
}

function CopyMenu({ parts, copyAs }: { parts: CopyPart[] } & Pick<ChatHandlers, 'copyAs'>) {
  return (
    <ActionPanel.Submenu {...SUBMENUS.copyAs}>
      {parts.map((part) => (
        <ActionPanel.Section key={part} title={copyHeading(part)}>
          {COPY_FORMATS.map((format) => {
            const title = copyTitle({ part, format });
            return (
              <Action
                key={format}
                title={title}
                icon={ICONS.copy}
                onAction={guarded(`copy ${lowerFirst(title)}`, () => copyAs({ part, format }))}
              />
            );
          })}
        </ActionPanel.Section>
      ))}
    </ActionPanel.Submenu>
  );
}

function CodeMenu({
  blocks,
  copyCodeBlock,
}: { blocks: readonly CodeBlock[] } & Pick<ChatHandlers, 'copyCodeBlock'>) {
  return (
    <ActionPanel.Submenu {...SUBMENUS.copyCodeBlock}>
      {blocks.map((block, place) => (
        <Action
          key={place}
          title={codeLabel(block, place)}
          icon={ICONS.copy}
          onAction={guarded('copy the code', () => copyCodeBlock(block))}
        />
      ))}
    </ActionPanel.Submenu>
  );
}

/** What can be done with a source, in the order of the panel. The first is named by the source itself. */
const SOURCE_USES: Record<
  SourceUse,
  { title: (source: Source) => PlainText; icon: (typeof ICONS)[keyof typeof ICONS] }
> = {
  open: { title: sourceLabel, icon: ICONS.source },
  copyLink: { title: ({ index }) => plain`Copy Link of [${index}]`, icon: ICONS.copy },
  copyMarkdown: { title: ({ index }) => plain`Copy [${index}] as Markdown`, icon: ICONS.copy },
};

function SourceMenu({ sources, onUse }: { sources: Source[]; onUse: ChatHandlers['withSource'] }) {
  return (
    <ActionPanel.Submenu {...SUBMENUS.openSource}>
      {sources.map((source) => (
        <ActionPanel.Section key={source.index} title={sourceStatus(source)}>
          {(['open', 'copyLink', 'copyMarkdown'] as const).map((use) => {
            const { title, icon } = SOURCE_USES[use];
            const words = title(source);
            return (
              <Action
                key={use}
                title={words}
                icon={icon}
                onAction={guarded(use === 'open' ? 'open the source' : lowerFirst(words), () =>
                  onUse(source, use),
                )}
              />
            );
          })}
        </ActionPanel.Section>
      ))}
    </ActionPanel.Submenu>
  );
}

/** "Copy Answer" → "copy Answer", to finish the sentence "Could not …". */
function lowerFirst(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}
