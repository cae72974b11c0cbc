import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ConversationEntry } from '../../../host/store/index-cache';
import { lastOf, threadOf } from '../../../lib/thread';
import type { Conversation } from '../../../lib/types';
import type { ConversationsPort, Outcome } from '../../../views/conversations/port';
import { CALLS_FILE, RELEASE_FILE, SCENARIO_FILE, ScenarioSchema } from './scenario';

/** Stored conversations in memory, for the views alone. Writes down what it is asked to change. */
export function fakeShelf(folder: string): ConversationsPort {
  const scenario = ScenarioSchema.parse(
    JSON.parse(readFileSync(join(folder, SCENARIO_FILE), 'utf8')),
  );
  const { failures = {}, problems = [], replies = {} } = scenario;
  let kept: Conversation[] = scenario.conversations;
  let trash = scenario.trash ?? [];
  const asked = new Map<string, number>();

  const note = (...words: string[]): void => {
    appendFileSync(join(folder, CALLS_FILE), `${words.join(' ')}\n`);
  };
  /** Notes the call; what it changes is changed only if it does not fail. */
  const change = (name: string, words: string[], apply: () => void): Promise<Outcome> => {
    note(name, ...words);
    const message = failures[name];
    if (message !== undefined) return Promise.resolve({ kind: 'failed', message });
    apply();
    return Promise.resolve({ kind: 'done' });
  };
  const edit = (id: string, patch: Partial<Conversation>): void => {
    kept = kept.map((each) => (each.id === id ? { ...each, ...patch } : each));
  };
  const entries = (): ConversationEntry[] =>
    kept.map(entryOf).sort((a, b) => b.updatedAt - a.updatedAt);
  const written = (name: string, words: string[], path: string) => {
    note(name, ...words);
    const message = failures[name];
    return Promise.resolve(
      message === undefined ? { ok: true as const, path } : { ok: false as const, message },
    );
  };

  return {
    newConversation: () => {
      note('newConversation');
      return true;
    },
    openConversation: (id) => {
      note('openConversation', id);
      return failures.openConversation === undefined;
    },
    recentConversations: () => {
      const { recent } = scenario;
      return Promise.resolve({
        entries: entries().filter(({ id }) => recent === undefined || recent.includes(id)),
        problems: [],
      });
    },
    listConversations: async () => {
      note('listConversations');
      while (scenario.holdsList === true && !existsSync(join(folder, RELEASE_FILE)))
        await new Promise((wake) => setTimeout(wake, 20));
      return { entries: entries(), problems };
    },
    searchConversations: (query) => {
      note('searchConversations', query);
      const place = asked.get(query) ?? 0;
      asked.set(query, place + 1);
      const answers = replies[query] ?? [];
      const reply = answers[Math.min(place, answers.length - 1)];
      return Promise.resolve(reply ?? { ok: true, hits: [], complete: true });
    },
    readConversation: (id) => {
      note('readConversation', id);
      const conversation = kept.find((each) => each.id === id);
      return Promise.resolve(
        conversation === undefined
          ? { ok: false, message: 'This conversation is no longer there: it was deleted.' }
          : { ok: true, conversation },
      );
    },
    renameConversation: (id, title) =>
      change('renameConversation', [id, title], () => {
        edit(id, { title });
      }),
    pinConversation: (id, pinned) =>
      change('pinConversation', [id, String(pinned)], () => {
        edit(id, { pinned });
      }),
    duplicateConversation: (id) =>
      change('duplicateConversation', [id], () => {
        const original = kept.find((each) => each.id === id);
        if (original)
          kept = [
            ...kept,
            { ...original, id: `${id}-2`, title: `${original.title} (copy)`, pinned: false },
          ];
      }),
    deleteConversation: (id) =>
      change('deleteConversation', [id], () => {
        kept = kept.filter((each) => each.id !== id);
      }),
    deleteAllConversations: () => {
      note('deleteAllConversations');
      const message = failures.deleteAllConversations;
      const deleted = message === undefined ? kept.length : kept.length - 1;
      kept = message === undefined ? [] : kept.slice(0, 1);
      return Promise.resolve({ deleted, problems: message === undefined ? [] : [message] });
    },
    listTrash: () => {
      const problem = failures.listTrash;
      return Promise.resolve({
        entries: trash.map((entry) => ({ files: 0, ...entry })),
        ...(problem === undefined ? {} : { problem }),
      });
    },
    restoreConversation: (id) =>
      change('restoreConversation', [id], () => {
        trash = trash.filter((entry) => entry.id !== id);
      }),
    purgeConversation: (id) =>
      change('purgeConversation', [id], () => {
        trash = trash.filter((entry) => entry.id !== id);
      }),
    emptyTrash: () =>
      change('emptyTrash', [], () => {
        trash = [];
      }),
    exportConversation: (id, format) =>
      written('exportConversation', [id, format], `/home/ada/Downloads/${id}.${format}`),
    exportAllConversations: () =>
      written('exportAllConversations', [], '/home/ada/Downloads/all.json'),
    importConversations: (path) => {
      note('importConversations', path);
      return Promise.resolve(scenario.imports ?? { imported: 0, problems: [] });
    },
  };
}

function entryOf(conversation: Conversation): ConversationEntry {
  const { id, title, createdAt, updatedAt, pinned } = conversation;
  const last = lastOf(conversation);
  return {
    id,
    title,
    createdAt,
    updatedAt,
    turns: threadOf(conversation).length,
    ...(last === undefined ? {} : { lastState: last.state }),
    ...(pinned === true ? { pinned } : {}),
  };
}
