import type { StoreProblem } from '../store/conversations';

/** What is wrong at the moment, by where it comes from. A problem that has gone away is no longer told. */
export interface Problems {
  all(): readonly string[];
  setStore(found: readonly StoreProblem[]): void;
  setConversation(sentences: readonly string[]): void;
  /** True if this changed anything. */
  setSave(sentence: string | undefined): boolean;
}

export function createProblems(settings: readonly string[]): Problems {
  let store: readonly string[] = [];
  let conversation: readonly string[] = [];
  let save: string | undefined;

  return {
    all: () => [...(save === undefined ? [] : [save]), ...conversation, ...settings, ...store],
    setStore(found) {
      // A damaged conversation tells its own story when it is opened.
      const unreadable = found.filter(({ kind }) => kind === 'unreadable');
      const [first] = unreadable;
      if (first === undefined) store = [];
      else if (unreadable.length === 1)
        store = [`1 conversation could not be read. ${first.problem}`];
      else
        store = [
          `${unreadable.length} conversations could not be read; Lam Conversations lists them.`,
        ];
    },
    setConversation(sentences) {
      conversation = sentences;
    },
    setSave(sentence) {
      const changed = sentence !== save;
      save = sentence;
      return changed;
    },
  };
}
