import type { Conversation } from '../../lib/types';
import type { Core } from './core';
import type { Launch } from './ports';
import type { Saving } from './saving';
import type { ChatState } from './state';

/** A launch goes on with the last conversation if it was changed within this time; a later one begins afresh. */
const CONTINUE_WITHIN_MS = 30 * 60_000;

/** How often a conversation that another launch is writing is looked at. */
const POLL_MS = 500;

/** Which conversation is shown. */
export interface Opening {
  /** What the launch asks for, or the last conversation. */
  openFor: (launch: Launch) => Promise<void>;
  open: (id: string) => void;
  showFresh: () => void;
  /** Asks this as soon as a conversation is open. */
  askLater: (question: string) => void;
  askPending: () => void;
  /** Whatever was on its way for the conversation shown until now no longer counts. */
  leave: () => void;
}

export function createOpening(
  core: Core,
  saving: Pick<Saving, 'mend' | 'takeOrphan'>,
  ask: (question: string) => void,
): Opening {
  const { ports, problems, draft } = core;
  const { store, settings, now, after, notify } = ports;
  /** A question that came before the conversation was open. */
  let pending: string | undefined;
  /** Grows whenever another conversation is shown: what was asked for before belongs to the past. */
  let visit = 0;
  let cancelPoll: (() => void) | undefined;

  function leave(): number {
    cancelPoll?.();
    cancelPoll = undefined;
    return ++visit;
  }

  function show(conversation: Conversation, phase: ChatState['phase']): void {
    core.set({ conversation, phase, running: undefined });
    core.tellProblems();
  }

  function askPending(): void {
    const question = pending;
    pending = undefined;
    if (question !== undefined) ask(question);
  }

  function showFresh(): void {
    leave();
    problems.setConversation([]);
    show(core.fresh(), 'ready');
    askPending();
  }

  function couldNotOpen(id: string, message: string): void {
    notify({ style: 'failure', title: 'Could not open', message });
    const orphan = saving.takeOrphan(id);
    if (core.state().draft.trim() === '' && orphan !== undefined) draft.set(orphan.question);
    showFresh();
    problems.setConversation([message]);
    core.set({ problems: problems.here(), draft: draft.text() });
  }

  function open(id: string): void {
    const mine = leave();
    store
      .claim(id)
      .then((claimed) => {
        if (mine !== visit || core.isClosed()) return;
        switch (claimed.kind) {
          case 'claimed':
            problems.setConversation(claimed.problems);
            show(claimed.conversation, 'ready');
            saving.mend();
            askPending();
            return;
          case 'held':
            show(claimed.conversation, 'waiting');
            cancelPoll = after(POLL_MS, () => {
              open(id);
            });
            return;
          case 'failed':
            couldNotOpen(id, claimed.message);
            return;
          case 'closed':
            return;
        }
      })
      .catch(core.unexpected);
  }

  /** The conversation that a launch without a text of its own goes on with. */
  async function lastConversation(): Promise<string | undefined> {
    const { entries, problems: found } = await store.recent();
    problems.setStore(found);
    const [last] = entries;
    if (last === undefined) return undefined;
    const { continueWithinMs = CONTINUE_WITHIN_MS } = settings;
    // An answer that was cut off is shown however old it is: whoever comes back looks for it.
    const wasCut = last.lastState === 'running' || last.lastState === 'interrupted';
    const goesOn = continueWithinMs > 0 && (wasCut || now() - last.updatedAt < continueWithinMs);
    return goesOn ? last.id : undefined;
  }

  return {
    async openFor({ question = '', fallbackText = '', conversation }) {
      const mine = visit;
      if (conversation !== undefined) {
        open(conversation);
        return;
      }
      const last = await lastConversation();
      if (mine !== visit || core.isClosed()) return;
      // What was typed into root search has nothing to do with the last chat.
      if (last !== undefined && (question + fallbackText).trim() === '') open(last);
      else showFresh();
    },
    open,
    showFresh,
    askLater(question) {
      pending = question;
    },
    askPending,
    leave,
  };
}
