import { createArchive, type Archive } from './session/archive';
import { createAsking, type Asking } from './session/asking';
import { createComposing, type Composing } from './session/composing';
import { createCore } from './session/core';
import { createModelChoice } from './session/models';
import { createOpening } from './session/opening';
import type { AskOptions, Launch, SessionPorts } from './session/ports';
import { interrupted } from './session/run';
import { createSaving } from './session/saving';
import type { ChatState } from './session/state';
import { replaceTurn } from './session/turns';

export type { Launch, SessionPorts } from './session/ports';

/**
 * The chat, outside React: views subscribe to it and call it, and closing or pushing a view never loses anything.
 *
 * Nothing here throws or rejects. Whatever cannot be done is told through `notify` or in `ChatState.problems`.
 */
export interface ChatSession extends Archive, Composing {
  subscribe: (listener: () => void) => () => void;
  getState: () => ChatState;
  /**
   * Restores the draft and opens the conversation that the launch names, or the last one, or begins one if the launch brings
   * a text. The second call does nothing.
   */
  start: (launch: Launch) => Promise<void>;
  /** True if the question was accepted; then it leaves the search bar. */
  ask: (question: string, options?: AskOptions) => boolean;
  /** Ends the running turn; what there is of it is kept. */
  stop: () => void;
  /** Goes on where the newest turn was cut off. */
  continueTurn: () => void;
  /** Asks the newest question again: in place of what came of it if that was nothing, else as a variant. */
  retry: () => void;
  /**
   * Asks a question that is shown again; what came of it and after it stays as a variant.
   *
   * @param model another model, for this answer alone
   * @returns true if it is being asked
   */
  regenerate: (turnId: string, model?: string) => boolean;
  /** The same with another question. Files that the old question had are not read again. */
  editQuestion: Asking['editQuestion'];
  /** Shows the variant that this turn belongs to. */
  showVariant: (turnId: string) => void;
  /** True if a new one is shown; refused while a turn is running. */
  newConversation: () => boolean;
  /** True if the conversation will be shown; refused while a turn is running. */
  openConversation: (id: string) => boolean;
  setDraft: (text: string) => void;
  setShowToolCalls: (shown: boolean) => void;
  setShowReasoning: (shown: boolean) => void;
  /** From now on this model is asked, also at the next launch. */
  chooseModel: (id: string) => void;
  /** Tries everything an answer needs, with the model that is asked at the moment. */
  checkSetup: SessionPorts['checkSetup'];
  /** What an answer that has ended rests on. */
  evidence: SessionPorts['evidence'];
  /** Looks for the model server again. */
  refreshServer: () => void;
  /** Ends everything, synchronously: a running turn is stored as interrupted, and nothing is written afterwards. */
  close: () => void;
}

export function createChatSession(ports: SessionPorts): ChatSession {
  const core = createCore(ports);
  const { draft, deleting } = core;
  const life = new AbortController();
  let begun = false;

  const models = createModelChoice({
    server: ports.server,
    choose: ports.chooseModel,
    wanted: ports.settings.model,
    memory: ports.modelMemory,
    remedyFor: ports.remedyFor,
    onServer: (server) => {
      core.set({ server });
    },
    onModels: (offered) => {
      core.set({ models: offered });
    },
  });
  const saving = createSaving(core, (id) => {
    opening.open(id);
  });
  const opening = createOpening(core, saving, (question) => {
    asking.ask(question);
  });
  const asking = createAsking(core, saving, models, {
    askLater: opening.askLater,
    onAnswered: () => {
      // A server that was missing at the launch is there by now.
      if (core.state().server.kind === 'failed') models.refresh(life.signal).catch(core.unexpected);
    },
  });
  const archive = createArchive(core, saving, opening);

  /** What every way of opening the chat needs once. */
  function begin({ question = '', fallbackText = '' }: Launch): void {
    if (begun || core.isClosed()) return;
    begun = true;
    models.refresh(life.signal).catch(core.unexpected);
    draft.restore();
    // The question stands in the bar until it is accepted, so that a kill before that does not lose it.
    draft.offer(question.trim() === '' ? fallbackText : question);
    if (question.trim() !== '') opening.askLater(question.trim());
    core.set({ draft: draft.text() });
  }

  function close(): void {
    if (core.isClosed()) return;
    const cut = core.run;
    core.run = undefined;
    opening.leave();
    saving.stopTicking();
    asking.endTitle();
    life.abort();
    cut?.controller.abort();
    let { conversation } = core.state();
    if (cut) {
      const at = ports.now();
      const turn = interrupted(cut.turn(), at);
      conversation = { ...replaceTurn(conversation, turn), updatedAt: at };
      saving.saves.mark(conversation);
    }
    core.end({ conversation, running: undefined, phase: 'closed' });
    for (const id of deleting) saving.saves.forget(id);
    saving.saveAllSync();
    draft.close();
    ports.composeDrafts.close();
    ports.editDrafts.close();
    ports.library.close();
    ports.documents?.close();
    ports.store.close();
  }

  return {
    ...archive,
    ...createComposing(core, asking),
    subscribe: core.subscribe,
    getState: core.state,
    async start(launch) {
      if (begun) return;
      try {
        begin(launch);
        await opening.openFor(launch);
      } catch (error) {
        core.unexpected(error);
        if (core.state().phase === 'loading') opening.showFresh();
      }
    },
    ask: asking.ask,
    stop: asking.stop,
    continueTurn: asking.continueTurn,
    retry: asking.retry,
    regenerate: asking.regenerate,
    editQuestion: asking.editQuestion,
    showVariant: asking.showVariant,
    newConversation() {
      begin({});
      if (core.run && !asking.isFree()) return false;
      opening.showFresh();
      return true;
    },
    openConversation(id) {
      begin({});
      if (core.run && !asking.isFree()) return false;
      core.set({ phase: 'loading', conversation: core.fresh() });
      opening.open(id);
      return true;
    },
    setDraft(text) {
      if (core.isClosed()) return;
      draft.set(text);
      core.set({ draft: draft.text() });
    },
    setShowToolCalls(showToolCalls) {
      core.set({ showToolCalls });
    },
    setShowReasoning(showReasoning) {
      core.set({ showReasoning });
    },
    chooseModel: models.choose,
    checkSetup(onProgress, signal) {
      const { server } = core.state();
      const model = server.kind === 'ready' ? server.model : undefined;
      return ports.checkSetup(onProgress, signal, model);
    },
    evidence: ports.evidence,
    refreshServer() {
      models.refresh(life.signal).catch(core.unexpected);
    },
    close,
  };
}
