import { lastOf } from '../../lib/thread';
import type { Conversation, Turn } from '../../lib/types';
import type { Core } from './core';
import { interrupted } from './run';
import { createSaves, type SaveAnswer, type Saves } from './saves';
import { lastTurn } from './state';
import { goesFurther, replaceTurn } from './turns';

/**
 * Milliseconds between two saves of a running turn, each of which is also the owner's heartbeat. A kill may cost 2 s
 * at most, and a save itself takes time.
 */
const SAVE_EVERY_MS = 1_500;

/** The way of the conversation to the store, and what becomes of it when another launch writes there too. */
export interface Saving {
  readonly saves: Saves;
  /** Saves what is shown. @returns its version, see `Saves` */
  save: () => number;
  /** The version of its conversation that holds the question asked last: once it is stored, the draft may go, and `onStored` is called. */
  asked: (version: number, onStored?: () => void) => void;
  /** Saves the running turn again and again while there is one. */
  startTicking: () => void;
  stopTicking: () => void;
  /**
   * Puts right what a lost run has left in the conversation that was just opened: a turn that is marked running although
   * this launch no longer writes it, a turn that never reached the disk, one that went further here, and whatever could not
   * be saved. Any other version that another launch has stored stays as it is.
   */
  mend: () => void;
  /** What was written here of a conversation that could not be opened again; it is forgotten. */
  takeOrphan: (id: string) => Turn | undefined;
  /** Nothing of this conversation is to be saved any more. */
  forget: (id: string) => void;
  /** Stores, before it returns, what is not stored yet. */
  saveAllSync: () => void;
}

/** @param reopen called when another launch has taken over what is shown: it is to be opened again */
export function createSaving(core: Core, reopen: (id: string) => void): Saving {
  const { ports, problems } = core;
  const { now, after, notify } = ports;
  /** What was being written here when another launch took the conversation over, by the id of the conversation. */
  const orphans = new Map<string, Turn>();
  let asking: { id: string; version: number; onStored: () => void } | undefined;
  let cancelTick: (() => void) | undefined;

  const saves = createSaves(ports.store, (answer) => {
    if (!core.isClosed()) saved(answer);
  });
  const save = () => saves.save(core.state().conversation);

  /** The question that left the search bar needs no other place once this version is stored. */
  function settleDraft({ conversation, version }: SaveAnswer): void {
    if (asking?.id !== conversation.id || version < asking.version) return;
    core.draft.settle();
    asking.onStored();
    asking = undefined;
  }

  function saved(answer: SaveAnswer): void {
    const { outcome, conversation, newest } = answer;
    const { id } = conversation;
    const shown = id === core.state().conversation.id;
    switch (outcome.kind) {
      case 'saved':
        settleDraft(answer);
        if (newest && problems.setSave(id, undefined)) core.tellProblems();
        // Another launch has added exchanges. An older answer must not undo what happened since.
        if (outcome.conversation && shown && newest && !core.run) {
          ports.store.adopt(outcome.conversation);
          core.set({ conversation: outcome.conversation });
        }
        return;
      case 'lost-ownership':
        if (problems.setSave(id, undefined)) core.tellProblems();
        if (shown) loseOwnership();
        else loseElsewhere(conversation);
        return;
      case 'failed':
        if (problems.setSave(id, outcome.message)) {
          notify({ style: 'failure', title: 'Not saved', message: outcome.message });
          core.tellProblems();
        }
        return;
      case 'closed':
        return;
    }
  }

  /** The turn with its place among the versions, which the run that writes it does not know. */
  function standing(turn: Turn): Turn {
    const { turns } = replaceTurn(core.state().conversation, turn);
    return turns.find(({ id }) => id === turn.id) ?? turn;
  }

  /** Never two writers: this launch stops, and adds what it has once the other one is done. */
  function loseOwnership(): void {
    const { id } = core.state().conversation;
    const lost = core.run;
    const left = lost ? standing(interrupted(lost.turn(), now())) : lastTurn(core.state());
    if (left) orphans.set(id, left);
    core.run = undefined;
    cancelTick?.();
    lost?.controller.abort();
    notify({ style: 'failure', title: 'Lam was started again elsewhere and goes on there' });
    core.set({ phase: 'loading', running: undefined });
    reopen(id);
  }

  /** What was written here is added when the conversation is opened again. */
  function loseElsewhere(conversation: Conversation): void {
    const { id, title } = conversation;
    const left = lastOf(conversation);
    if (left) orphans.set(id, left);
    notify({
      style: 'failure',
      title: 'Lam was started again elsewhere',
      message: `The last answer of “${title}” is not saved; open it here to add it`,
    });
  }

  function startTicking(): void {
    cancelTick?.();
    cancelTick = after(SAVE_EVERY_MS, () => {
      if (!core.run) return;
      core.frames.now();
      save();
      startTicking();
    });
  }

  return {
    saves,
    save,
    asked(version, onStored = () => undefined) {
      asking = { id: core.state().conversation.id, version, onStored };
    },
    startTicking,
    stopTicking() {
      cancelTick?.();
    },
    mend() {
      const { conversation: opened } = core.state();
      const { id } = opened;
      const unsaved = saves.unsaved(id);
      const ours = unsaved?.turns ?? [];
      const lost = orphans.get(id);
      orphans.delete(id);
      const { turns } = ours.reduce(replaceTurn, opened);
      const ended = turns
        .filter((turn) => turn.state === 'running')
        .map((turn) => interrupted(turn, now()));
      const theirs = [...turns, ...ended].findLast((turn) => turn.id === lost?.id);
      const kept = lost !== undefined && goesFurther(lost, theirs) ? [lost] : [];
      const changed = [...ours, ...ended, ...kept];
      if (changed.length === 0) return;
      core.set({
        conversation: {
          ...changed.reduce(replaceTurn, opened),
          ...(unsaved?.head === undefined ? {} : { head: unsaved.head }),
          updatedAt: now(),
        },
      });
      save();
    },
    takeOrphan(id) {
      const turn = orphans.get(id);
      orphans.delete(id);
      return turn;
    },
    forget(id) {
      saves.forget(id);
      orphans.delete(id);
      if (problems.setSave(id, undefined)) core.tellProblems();
    },
    saveAllSync() {
      for (const answer of saves.saveAllSync())
        if (answer.outcome.kind === 'saved') settleDraft(answer);
    },
  };
}
