import type { LibraryOutcome } from '../../host/library/library';
import type { ConversationEntry } from '../../host/store/index-cache';
import type { StoreProblem } from '../../host/store/listing';
import type { TrashListing } from '../../host/store/trash';
import type { Conversation } from '../../lib/types';

/** Conversations, newest first, and what could not be read. */
export interface Listing {
  entries: readonly ConversationEntry[];
  problems: readonly StoreProblem[];
}

/** What became of something a person did. `closed`: the command is ending, there is nobody to tell. */
export type Outcome = { kind: 'done' | 'deleted' | 'closed' } | { kind: 'failed'; message: string };

type Loaded = { ok: true; conversation: Conversation } | { ok: false; message: string };
/** `missing`: how many conversations are not in the file because they cannot be read. */
export type Written = { ok: true; path: string; missing?: number } | { ok: false; message: string };

/**
 * What the list of conversations and the trash need of a chat session. Nothing here rejects; every `message` is one sentence.
 */
export interface ConversationsPort {
  /** True if a new one is shown. */
  newConversation: () => boolean;
  /** True if the conversation will be shown. */
  openConversation: (id: string) => boolean;
  /** The newest conversations and the pinned ones, at once; what has changed elsewhere may be missing. */
  recentConversations: () => Promise<Listing>;
  listConversations: () => Promise<Listing>;
  searchConversations: (query: string) => Promise<LibraryOutcome>;
  readConversation: (id: string) => Promise<Loaded>;
  renameConversation: (id: string, title: string) => Promise<Outcome>;
  pinConversation: (id: string, pinned: boolean) => Promise<Outcome>;
  duplicateConversation: (id: string) => Promise<Outcome>;
  /** Into the trash. */
  deleteConversation: (id: string) => Promise<Outcome>;
  /** All but the one that is being answered. */
  deleteAllConversations: () => Promise<{ deleted: number; problems: readonly string[] }>;
  listTrash: () => Promise<TrashListing>;
  /** `id` names the entry of the trash. */
  restoreConversation: (id: string) => Promise<Outcome>;
  purgeConversation: (id: string) => Promise<Outcome>;
  emptyTrash: () => Promise<Outcome>;
  exportConversation: (id: string, format: 'markdown' | 'json') => Promise<Written>;
  exportAllConversations: () => Promise<Written>;
  importConversations: (path: string) => Promise<{ imported: number; problems: readonly string[] }>;
}
