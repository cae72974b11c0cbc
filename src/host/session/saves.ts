import type { Conversation } from '../../lib/types';
import type { ConversationStore, SaveOutcome } from '../store/conversations';

/** What became of one save. */
export interface SaveAnswer {
  outcome: SaveOutcome;
  /** What was to be saved; after `lost-ownership` the newest version, which will not be. */
  conversation: Conversation;
  /** Which version of the conversation was to be saved. */
  version: number;
  /** False if a newer version was given since. */
  newest: boolean;
}

/**
 * The conversations that are not stored yet, by id, and their way to the store. A conversation leaves it only when its
 * newest version is known to be stored, so that one which is no longer on screen is not forgotten.
 */
export interface Saves {
  /**
   * Saves, and tries again what failed of other conversations. A conversation without turns is not saved.
   *
   * @returns its version: a number that grows with each call
   */
  save(conversation: Conversation): number;
  /** Notes a version to be stored at the end, without saving it now. */
  mark(conversation: Conversation): number;
  /** The version that is not known to be stored; undefined if all of it is. */
  unsaved(id: string): Conversation | undefined;
  /** It is not to be stored any more; answers that are still on their way are not told. */
  forget(id: string): void;
  /** Resolves when what is being written is stored, or is known not to be. Never rejects. */
  settled(): Promise<void>;
  /** Stores, before it returns, what is not stored yet, the newest first. The answers are returned, not told. */
  saveAllSync(): SaveAnswer[];
}

interface Unsaved {
  conversation: Conversation;
  version: number;
  /** Its last save was answered and did not succeed. */
  failed: boolean;
}

/**
 * @param onAnswer told what became of each save, also when it was not the newest; must not throw. After `lost-ownership`
 *   the conversation counts as forgotten: another launch writes it.
 */
export function createSaves(
  store: Pick<ConversationStore, 'save' | 'saveSync'>,
  onAnswer: (answer: SaveAnswer) => void,
): Saves {
  const waiting = new Map<string, Unsaved>();
  let versions = 0;
  const underWay = new Set<Promise<void>>();

  function mark(conversation: Conversation): number {
    const version = ++versions;
    if (conversation.turns.length === 0) return version;
    waiting.delete(conversation.id); // to the end: the newest is the last
    waiting.set(conversation.id, { conversation, version, failed: false });
    return version;
  }

  function write(unsaved: Unsaved): void {
    const { conversation, version } = unsaved;
    const { id } = conversation;
    unsaved.failed = false;
    const answered = (outcome: SaveOutcome) => {
      const now = waiting.get(id);
      if (now === undefined) return;
      const newest = now.version === version;
      if (newest) now.failed = outcome.kind === 'failed';
      if ((newest && outcome.kind === 'saved') || outcome.kind === 'lost-ownership')
        waiting.delete(id);
      const told = outcome.kind === 'lost-ownership' ? now.conversation : conversation;
      onAnswer({ outcome, conversation: told, version, newest });
    };
    const writing = store
      .save(conversation)
      .then(answered, (error: unknown) => {
        const message = error instanceof Error ? error.message : 'The reason is unknown.';
        answered({ kind: 'failed', message });
      })
      .finally(() => {
        underWay.delete(writing);
      });
    underWay.add(writing);
  }

  return {
    save(conversation) {
      const version = mark(conversation);
      for (const unsaved of [...waiting.values()])
        if (unsaved.failed || unsaved.version === version) write(unsaved);
      return version;
    },
    mark,
    unsaved: (id) => waiting.get(id)?.conversation,
    forget(id) {
      waiting.delete(id);
    },
    async settled() {
      await Promise.allSettled([...underWay]);
    },
    saveAllSync() {
      const answers = [...waiting.values()].reverse().map(({ conversation, version }) => ({
        outcome: store.saveSync(conversation),
        conversation,
        version,
        newest: true,
      }));
      waiting.clear();
      return answers;
    },
  };
}
