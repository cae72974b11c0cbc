import { Alert, confirmAlert, useNavigation } from '@vicinae/api';
import { useState } from 'react';

import { copyText } from '../../host/clipboard';
import type { ConversationEntry } from '../../host/store/index-cache';
import { notify } from '../../host/toast';
import { sessionToPlainText } from '../../lib/markdown';
import { plain } from '../../lib/render';
import { threadOf } from '../../lib/thread';
import { Pushed } from '../pushed';
import { TrashView } from '../trash-view';
import { ImportForm } from './import-form';
import type { ConversationsPort, Written } from './port';
import { RenameForm } from './rename-form';
import { told } from './told';

/** Everything that can be done in the list of conversations. Each resolves when it is done and told. */
export interface Deeds {
  open: (id: string) => void;
  startNew: () => void;
  copy: (id: string) => Promise<void>;
  copyPath: (path: string) => Promise<void>;
  export: (id: string, format: 'markdown' | 'json') => Promise<void>;
  exportAll: () => Promise<void>;
  /** Where the last export is; a toast is gone before a path can be typed from it. */
  exported: string | undefined;
  importFile: () => void;
  rename: (entry: ConversationEntry) => void;
  setPinned: (id: string, pinned: boolean) => Promise<void>;
  duplicate: (id: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
  removeAll: (count: number) => Promise<void>;
  openTrash: () => void;
}

/**
 * @param onOpen shows the chat, which has the conversation by then
 * @param reload lists the conversations again
 */
export function useDeeds(
  session: ConversationsPort,
  { onOpen, reload }: { onOpen: () => void; reload: () => void },
): Deeds {
  const { push } = useNavigation();
  const [exported, setExported] = useState<string>();

  function written(outcome: Written): void {
    if (outcome.ok) {
      const { path, missing = 0 } = outcome;
      setExported(path);
      if (missing > 0)
        notify({ style: 'failure', title: `Exported without ${missing} that cannot be read` });
      else notify({ style: 'success', title: 'Exported', message: path });
    } else notify({ style: 'failure', title: 'Not exported', message: outcome.message });
  }

  return {
    exported,
    open(id) {
      if (session.openConversation(id)) onOpen();
    },
    startNew() {
      if (session.newConversation()) onOpen();
    },
    async copy(id) {
      const loaded = await session.readConversation(id);
      if (loaded.ok)
        await copyText(sessionToPlainText(threadOf(loaded.conversation)), 'Conversation');
      else notify({ style: 'failure', title: 'Not copied', message: loaded.message });
    },
    copyPath: (path) => copyText(path, 'File path', path),
    async export(id, format) {
      written(await session.exportConversation(id, format));
    },
    async exportAll() {
      written(await session.exportAllConversations());
    },
    importFile() {
      push(<ImportForm session={session} onImported={reload} />);
    },
    rename({ id, title }) {
      push(<RenameForm session={session} id={id} current={title} onRenamed={reload} />);
    },
    async setPinned(id, pinned) {
      const outcome = await session.pinConversation(id, pinned);
      const done = pinned ? plain`Pinned on top` : plain`Unpinned`;
      told(outcome, { title: done }, plain`Not changed`);
      reload();
    },
    async duplicate(id) {
      const outcome = await session.duplicateConversation(id);
      told(outcome, { title: plain`Conversation duplicated` }, plain`Not duplicated`);
      reload();
    },
    async remove(id) {
      const outcome = await session.deleteConversation(id);
      const done = { title: plain`Conversation deleted`, message: plain`In the trash for 30 days` };
      told(outcome, done, plain`Not deleted`);
      reload();
    },
    async removeAll(count) {
      const what = count === 1 ? plain`The only one goes` : plain`All ${count} go`;
      const confirmed = await confirmAlert({
        title: 'Delete all conversations?',
        message: plain`${what} to the trash and can be restored for 30 days.`,
        primaryAction: { title: 'Delete All', style: Alert.ActionStyle.Destructive },
      });
      if (!confirmed) return;
      const { deleted, problems } = await session.deleteAllConversations();
      const done = plain`${deleted} conversation${deleted === 1 ? '' : 's'} deleted`;
      const [problem] = problems;
      if (problem === undefined)
        notify({ style: 'success', title: done, message: 'In the trash for 30 days' });
      else notify({ style: 'failure', title: plain`${done}, not all`, message: problem });
      reload();
    },
    openTrash() {
      push(
        <Pushed onGone={reload}>
          <TrashView session={session} />
        </Pushed>,
      );
    },
  };
}
