import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';

import type { DocumentOutcome, DocumentSearchOutcome, DocumentsPort } from '../../lib/types';
import { createThreadClient, type ThreadReply } from '../thread-client';
import type { EmbedderOptions } from './embedding';
import { thrown } from './answers';
import { createFolders, type Folder, type FolderChange } from './folders';
import {
  ChangedSchema,
  ReadReplySchema,
  RefreshReplySchema,
  SearchReplySchema,
  StatusReplySchema,
  type Ask,
  type Question,
} from './messages';
import { EMPTY_STATUS, type Changes, type DocumentsStatus } from './status';
import { releaseLock } from './writer-lock';

/**
 * Milliseconds of one answer. A search waits 3 s for the index; the longest PDF file takes some 40. A refresh ends when all is
 * read, which may take hours; the status that is asked for beside it tells a thread that hangs.
 */
const MAX_ANSWER_MS: Record<Exclude<Ask['kind'], 'refresh'>, number> = {
  search: 20_000,
  status: 20_000,
  read: 60_000,
};

/** Megabytes of heap of the thread. The index itself lies outside of the heap. */
const HEAP_MB = 512;

/** The person's own documents: what the tools ask, and what the window shows. */
export interface Documents extends DocumentsPort {
  /** True when a folder is chosen. Cheap: reads one small file at most. */
  hasFolders(): boolean;
  /** The chosen folders, as they stand on the disk now. */
  folders(): Folder[];
  /** @param path absolute, or beginning with `~/` */
  addFolder(path: string): FolderChange;
  /** Takes a folder from the list, and what was read of it from the index. The folder itself is not touched. */
  removeFolder(path: string): FolderChange;
  /**
   * What is indexed, and what is not and why. Also has the folders looked through again, unless that was just done: ask again
   * when `onChange` calls. Never rejects.
   */
  status(signal?: AbortSignal): Promise<DocumentsStatus>;
  /**
   * Has the folders looked through again at once, and what is not in the index read again. Ends when that is done. Never rejects;
   * the changes are absent when they are not known.
   */
  refresh(): Promise<{ isDone: boolean; changes?: Changes | undefined }>;
  /** True when something stands there now. Never throws. */
  isThere(path: string): boolean;
  /** @returns a function that ends it */
  onChange(listener: () => void): () => void;
  /** Ends the thread; what still waits is answered with a failure. */
  close(): void;
}

export interface DocumentsOptions {
  /** The extension's support folder. */
  supportPath: string;
  /** Folder of the generated files. */
  assetsPath: string;
  /** The folder of the preferences; empty = none. */
  folder?: string;
  /** A model that makes vectors of texts, to find by meaning too; an empty name = by words alone. */
  embedding?: Pick<EmbedderOptions, 'kind' | 'address' | 'apiKey' | 'model'> | undefined;
}

const NO_FOLDER = 'No folder of documents is chosen; that is done in Lam Documents.';
const NONE_USABLE = 'No chosen folder of documents can be used now; Lam Documents says why.';

/**
 * Documents are read and searched in a thread of their own, which the first question about them starts. Without a chosen
 * folder nothing is started, loaded or written. A thread that dies is a failed answer; the next question starts another.
 */
export function createDocuments({
  supportPath,
  assetsPath,
  folder,
  embedding,
}: DocumentsOptions): Documents {
  const chosen = createFolders(supportPath, folder);
  const home = join(supportPath, 'documents');
  const listeners = new Set<() => void>();
  const isByMeaning = embedding !== undefined && embedding.model.trim() !== '';

  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const thread = createThreadClient({
    assetsPath,
    file: 'documents.js',
    serve: 'serveDocuments',
    heapMb: HEAP_MB,
    name: 'The search of documents',
    failed: (why) => `The documents could not be searched: ${why}.`,
    thrown,
    endedEarly: 'their thread ended early',
    begin() {
      dropVectors();
      const token = randomUUID();
      return {
        settings: { supportPath, assetsPath, token, ...(isByMeaning ? { embedding } : {}) },
        onEnded() {
          // Its own only: the next thread may hold them by now.
          for (const lock of ['writer.lock', 'vectors.lock']) releaseLock(join(home, lock), token);
        },
      };
    },
    cancel: (id): Question => ({ cancel: id }),
    onUnasked(message) {
      const isChange = ChangedSchema.safeParse(message).success;
      if (isChange) tell();
      return isChange;
    },
  });

  function ask<T>(
    question: Ask,
    schema: z.ZodMiniType<T>,
    signal?: AbortSignal,
  ): Promise<ThreadReply<T>> {
    const folders = chosen.usable().map(({ path, name }) => ({ path, name }));
    if (folders.length === 0)
      return Promise.resolve({ ok: false, message: chosen.any() ? NONE_USABLE : NO_FOLDER });
    const limitMs = question.kind === 'refresh' ? undefined : MAX_ANSWER_MS[question.kind];
    return thread.ask((id): Question => ({ id, folders, ask: question }), schema, {
      limitMs,
      signal,
    });
  }

  async function search(query: string, signal: AbortSignal): Promise<DocumentSearchOutcome> {
    const reply = await ask({ kind: 'search', query }, SearchReplySchema, signal);
    return reply.ok ? reply.value : reply;
  }

  async function read(name: string, signal: AbortSignal): Promise<DocumentOutcome> {
    const reply = await ask({ kind: 'read', name }, ReadReplySchema, signal);
    if (reply.ok) return reply.value;
    return { ok: false, status: 'unreadable', message: reply.message };
  }

  async function status(signal?: AbortSignal): Promise<DocumentsStatus> {
    const ownProblem = chosen.problem();
    if (!chosen.any()) {
      await forget();
      return ownProblem === undefined ? EMPTY_STATUS : { ...EMPTY_STATUS, problem: ownProblem };
    }
    const reply = await ask({ kind: 'status' }, StatusReplySchema, signal);
    const said = reply.ok ? reply.value.problem : reply.message;
    const problem = [ownProblem, said].filter((one) => one !== undefined).join(' ');
    const known = reply.ok ? reply.value : EMPTY_STATUS;
    return problem === '' ? known : { ...known, problem };
  }

  /** Without a folder nothing of any document is kept: also when the only one was taken out of the preferences. */
  async function forget(): Promise<void> {
    if (!existsSync(join(home, 'index'))) return;
    await thread.end(NO_FOLDER);
    // The index last: while it is there, what a kill leaves behind is dropped the next time.
    for (const name of ['texts', 'vectors', 'index']) drop(name);
  }

  function drop(name: string): void {
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // Another launch writes there; it drops what is in no folder.
    }
  }

  /** Vectors tell what stands in the texts: they are not kept for longer than there is a model for them. */
  function dropVectors(): void {
    if (!isByMeaning) drop('vectors');
  }

  function changed(change: FolderChange): FolderChange {
    if (!change.ok) return change;
    if (chosen.any()) void ask({ kind: 'status' }, StatusReplySchema).then(tell);
    else void forget().then(tell);
    return change;
  }

  return {
    search,
    read,
    status,
    hasFolders() {
      const any = chosen.any();
      if (!any && chosen.problem() === undefined) void forget();
      dropVectors();
      return any;
    },
    folders: () => chosen.list(),
    addFolder: (path) => changed(chosen.add(path)),
    removeFolder: (path) => changed(chosen.remove(path)),
    async refresh() {
      const reply = await ask({ kind: 'refresh' }, RefreshReplySchema);
      tell();
      return reply.ok ? { isDone: true, changes: reply.value.changes } : { isDone: false };
    },
    isThere: existsSync,
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close: () => {
      thread.close();
    },
  };
}
