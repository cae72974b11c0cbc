import type { StoreProblem } from '../store/conversations';

/** What is wrong at the moment, by where it comes from. A problem that has gone away is no longer told. */
export interface Problems {
  /** What is not saved, what concerns this conversation, and the settings it is answered with. */
  here(): readonly string[];
  /** What concerns other stored conversations; '' if nothing. */
  elsewhere(): string;
  setStore(found: readonly StoreProblem[]): void;
  setConversation(sentences: readonly string[]): void;
  /** Why the conversation with this id is not saved; undefined once it is. True if this changed anything. */
  setSave(id: string, sentence: string | undefined): boolean;
}

export function createProblems(settings: readonly string[]): Problems {
  let store = '';
  let conversation: readonly string[] = [];
  const saves = new Map<string, string>();

  return {
    here: () => [...new Set(saves.values()), ...conversation, ...settings],
    elsewhere: () => store,
    setStore(found) {
      // A damaged conversation tells its own story when it is opened.
      const unreadable = found.filter(({ kind }) => kind === 'unreadable');
      const [first] = unreadable;
      if (first === undefined) store = '';
      else if (unreadable.length === 1)
        store = `1 conversation could not be read. ${first.problem}`;
      else
        store = `${unreadable.length} conversations could not be read; Lam Conversations lists them.`;
    },
    setConversation(sentences) {
      conversation = sentences;
    },
    setSave(id, sentence) {
      const changed = sentence !== saves.get(id);
      if (sentence === undefined) saves.delete(id);
      else saves.set(id, sentence);
      return changed;
    },
  };
}
