import { sessionToPlainText } from '../../lib/markdown';
import { threadOf, withoutTurn } from '../../lib/thread';
import type { Conversation } from '../../lib/types';
import type { ConversationStore, DeleteOutcome, Listing } from '../store/conversations';
import { fileNameOf } from '../exports';
import { exportJson } from '../store/exchange';
import { messageOf, type Core } from './core';
import type { Opening } from './opening';
import type { ExportOutcome } from './ports';
import type { Saving } from './saving';

/** In which form conversations leave Lam: to be read, or to be imported again. */
type ExportFormat = 'markdown' | 'json';

/** The stored conversations as the list of them works with them. Nothing here rejects. */
export interface Archive {
  /** The newest conversations and the pinned ones, at once; what has changed elsewhere may be missing. */
  recentConversations: () => Promise<Listing>;
  /** All stored conversations, newest first, and what could not be read. */
  listConversations: () => Promise<Listing>;
  searchConversations: Core['ports']['library']['search'];
  /** A stored conversation, without opening it. */
  readConversation: ConversationStore['peek'];
  renameConversation: (id: string, title: string) => ReturnType<ConversationStore['rename']>;
  pinConversation: (id: string, pinned: boolean) => ReturnType<ConversationStore['setPinned']>;
  duplicateConversation: (id: string) => ReturnType<ConversationStore['duplicate']>;
  /** Why this conversation cannot be deleted now, in one sentence; undefined if it can. */
  whyNotDelete: (id: string) => string | undefined;
  /** Into the trash. */
  deleteConversation: (id: string) => Promise<DeleteOutcome>;
  /** All but the one that is being answered. */
  deleteAllConversations: () => Promise<{ deleted: number; problems: string[] }>;
  /** Removes one exchange of what is shown; the last one takes the conversation into the trash. */
  deleteTurn: (turnId: string) => Promise<DeleteOutcome>;
  listTrash: ConversationStore['listTrash'];
  restoreConversation: ConversationStore['restore'];
  purgeConversation: ConversationStore['purge'];
  emptyTrash: ConversationStore['emptyTrash'];
  exportConversation: (id: string, format: ExportFormat) => Promise<ExportOutcome>;
  exportAllConversations: () => Promise<ExportOutcome>;
  importConversations: (path: string) => Promise<{ imported: number; problems: string[] }>;
}

export function createArchive(
  core: Core,
  saving: Pick<Saving, 'save' | 'saves' | 'forget'>,
  opening: Pick<Opening, 'showFresh' | 'askPending'>,
): Archive {
  const { ports, problems, deleting } = core;
  const { store, exports, now } = ports;

  const isShown = (id: string) => core.state().conversation.id === id;

  /** A change of the conversation that is shown goes through its own saves: they would undo one made behind their back. */
  function changeShown(patch: Partial<Conversation>): void {
    core.set({ conversation: { ...core.state().conversation, ...patch } });
    saving.save();
  }

  function whyNotDelete(id: string): string | undefined {
    return core.run && isShown(id) ? 'It is still being answered. Stop it first.' : undefined;
  }

  async function deleteConversation(id: string): Promise<DeleteOutcome> {
    const message = whyNotDelete(id);
    if (message !== undefined) return { kind: 'failed', message };
    deleting.add(id);
    const outcome = await store
      .delete(id)
      .catch((error: unknown): DeleteOutcome => ({ kind: 'failed', message: messageOf(error) }));
    deleting.delete(id);
    if (outcome.kind === 'deleted') {
      saving.forget(id);
      if (isShown(id)) opening.showFresh();
    } else if (isShown(id)) opening.askPending();
    return outcome;
  }

  return {
    // A list that is opened right after a question must have it.
    async recentConversations() {
      await saving.saves.settled();
      return store.recent();
    },
    async listConversations() {
      await saving.saves.settled();
      const found = await store.list();
      problems.setStore(found.problems);
      core.tellProblems();
      return found;
    },
    searchConversations: (query) => ports.library.search(query),
    readConversation: (id) => store.peek(id),
    async renameConversation(id, title) {
      const outcome = await store.rename(id, title);
      if (outcome.kind === 'done' && isShown(id))
        changeShown({ title: outcome.title, titledBy: 'person' });
      return outcome;
    },
    async pinConversation(id, pinned) {
      const outcome = await store.setPinned(id, pinned);
      if (outcome.kind === 'done' && isShown(id)) changeShown({ pinned });
      return outcome;
    },
    duplicateConversation: (id) => store.duplicate(id, ports.makeId()),
    whyNotDelete,
    deleteConversation,
    async deleteAllConversations() {
      const { entries } = await store.list();
      const kept = entries.filter(({ id }) => whyNotDelete(id) === undefined);
      const told: string[] = [];
      let deleted = 0;
      for (const { id } of kept) {
        const outcome = await deleteConversation(id);
        if (outcome.kind === 'deleted') deleted += 1;
        else if (outcome.kind === 'failed') told.push(outcome.message);
      }
      return { deleted, problems: told };
    },
    async deleteTurn(turnId) {
      const { conversation } = core.state();
      if (core.run)
        return { kind: 'failed', message: 'An answer is being written. Stop it first.' };
      if (core.state().phase !== 'ready')
        return { kind: 'failed', message: 'The conversation is not open here.' };
      const next = withoutTurn(conversation, turnId);
      if (next.turns.length === 0) return deleteConversation(conversation.id);
      core.set({ conversation: { ...next, updatedAt: now() } });
      saving.save();
      ports.library.refresh();
      return { kind: 'deleted' };
    },
    listTrash: () => store.listTrash(),
    restoreConversation: (id) => store.restore(id),
    async purgeConversation(id) {
      const outcome = await store.purge(id);
      ports.library.refresh();
      return outcome;
    },
    async emptyTrash() {
      const outcome = await store.emptyTrash();
      ports.library.refresh();
      return outcome;
    },
    async exportConversation(id, format) {
      const loaded = await store.peek(id);
      if (!loaded.ok) return loaded;
      const { conversation } = loaded;
      return format === 'json'
        ? exports.write(`${fileNameOf(conversation.title)}.json`, [
            exportJson([conversation], now()),
          ])
        : exports.write(`${fileNameOf(conversation.title)}.md`, [
            `# ${conversation.title}\n\n${sessionToPlainText(threadOf(conversation))}\n`,
          ]);
    },
    async exportAllConversations() {
      let missing = 0;
      const written = await exports.write(
        `Lam conversations ${dayOf(now())}.json`,
        store.exportAll(() => {
          missing += 1;
        }),
      );
      return written.ok ? { ...written, missing } : written;
    },
    async importConversations(path) {
      const read = await exports.read(path);
      if (!read.ok) return { imported: 0, problems: [read.message] };
      return store.importConversations(read.text);
    },
  };
}

/** `2026-11-30`, in this machine's time zone. */
function dayOf(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
