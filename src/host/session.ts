import { buildSystemPrompt, runAgent, type ResumedTurn } from '../lib/agent';
import type { Conversation, Turn } from '../lib/types';
import { createDraft } from './session/draft';
import { createFrames } from './session/frames';
import { createModelChoice } from './session/models';
import type { Launch, SessionPorts } from './session/ports';
import { createProblems } from './session/problems';
import { createRun, interrupted, type Run } from './session/run';
import { createSaves, type SaveAnswer } from './session/saves';
import { lastTurn, WAITING_TITLE, type ChatState } from './session/state';
import { dateInWords, goesFurther, replaceTurn, titleOf, turnsBefore } from './session/turns';
import type { ConversationStore, DeleteOutcome } from './store/conversations';

export type { Launch, SessionPorts } from './session/ports';

/** A launch goes on with the last conversation if it was changed within this time; a later one begins afresh. */
const CONTINUE_WITHIN_MS = 30 * 60_000;

/** How often a conversation that another launch is writing is looked at. */
const POLL_MS = 500;

/**
 * Milliseconds between two saves of a running turn, each of which is also the owner's heartbeat. A kill may cost 2 s
 * at most, and a save itself takes time.
 */
const SAVE_EVERY_MS = 1_500;

/**
 * The chat, outside React: views subscribe to it and call it, and closing or pushing a view never loses anything.
 *
 * Nothing here throws or rejects. Whatever cannot be done is told through `notify` or in `ChatState.problems`.
 */
export interface ChatSession {
  subscribe: (listener: () => void) => () => void;
  getState: () => ChatState;
  /**
   * Restores the draft and opens the last conversation, or begins one if the launch brings a text. The second call does
   * nothing.
   */
  start: (launch: Launch) => Promise<void>;
  /** True if the question was accepted; then it leaves the search bar. */
  ask: (question: string) => boolean;
  /** Ends the running turn; what there is of it is kept. */
  stop: () => void;
  /** Goes on where the newest turn was cut off. */
  continueTurn: () => void;
  /** Asks the newest question again, in place of what came of it. */
  retry: () => void;
  newConversation: () => void;
  /** True if the conversation will be shown; refused while a turn is running. */
  openConversation: (id: string) => boolean;
  /** Why this conversation cannot be deleted now, in one sentence; undefined if it can. */
  whyNotDelete: (id: string) => string | undefined;
  deleteConversation: (id: string) => Promise<DeleteOutcome>;
  /** All stored conversations, newest first, and what could not be read. */
  listConversations: ConversationStore['list'];
  /** A stored conversation, without opening it. */
  readConversation: ConversationStore['load'];
  setDraft: (text: string) => void;
  setShowToolCalls: (shown: boolean) => void;
  setShowReasoning: (shown: boolean) => void;
  /** Looks for the model server again. */
  refreshServer: () => void;
  /** Ends everything, synchronously: a running turn is stored as interrupted, and nothing is written afterwards. */
  close: () => void;
}

export function createChatSession(ports: SessionPorts): ChatSession {
  const { store, settings, now, after, notify } = ports;
  const listeners = new Set<() => void>();
  const life = new AbortController();
  const problems = createProblems(settings.problems);
  const draft = createDraft(ports.drafts, now);
  const models = createModelChoice({
    server: ports.server,
    choose: ports.chooseModel,
    wanted: settings.model,
    onServer: (server) => {
      set({ server });
    },
  });

  let state: ChatState = {
    phase: 'loading',
    conversation: fresh(),
    draft: '',
    server: { kind: 'checking' },
    problems: problems.here(),
    problemElsewhere: '',
    showToolCalls: settings.showToolCalls,
    showReasoning: settings.showReasoning,
    images: settings.remoteImages === true ? 'draw' : 'link',
    searchScope: ports.search.scope,
  };
  let begun = false;
  let run: Run | undefined;
  /** A question that came before the conversation was open. */
  let pending: string | undefined;
  /** What was being written here when another launch took the conversation over, by the id of the conversation. */
  const orphans = new Map<string, Turn>();
  /** Ids of conversations that are being deleted: nothing is asked in them. */
  const deleting = new Set<string>();
  /** Grows whenever another conversation is shown: what was asked for before belongs to the past. */
  let visit = 0;
  /** The version of its conversation that holds the question asked last. */
  let asking: { id: string; version: number } | undefined;
  let cancelTick: (() => void) | undefined;
  let cancelPoll: (() => void) | undefined;

  const frames = createFrames(after, () => {
    if (run) {
      const conversation = replaceTurn(state.conversation, run.turn());
      state = { ...state, conversation, running: run.picture() };
    }
    for (const listener of listeners) listener();
  });
  const isClosed = () => state.phase === 'closed';

  function set(patch: Partial<ChatState>): void {
    if (isClosed()) return;
    state = { ...state, ...patch };
    frames.now();
  }

  const told = () => ({ problems: problems.here(), problemElsewhere: problems.elsewhere() });

  function tellProblems(): void {
    set(told());
  }

  function fresh(): Conversation {
    const at = now();
    return { version: 1, id: ports.makeId(), title: '', createdAt: at, updatedAt: at, turns: [] };
  }

  // --- Saving -------------------------------------------------------------------------------------------------------

  const saves = createSaves(store, (answer) => {
    if (!isClosed()) saved(answer);
  });

  const save = () => saves.save(state.conversation);

  /** The question that left the search bar needs no other place once this version is stored. */
  function settleDraft({ conversation, version }: SaveAnswer): void {
    if (asking?.id === conversation.id && version >= asking.version) draft.settle();
  }

  function saved(answer: SaveAnswer): void {
    const { outcome, conversation, newest } = answer;
    const { id } = conversation;
    const shown = id === state.conversation.id;
    switch (outcome.kind) {
      case 'saved':
        settleDraft(answer);
        if (newest && problems.setSave(id, undefined)) tellProblems();
        // Another launch has added exchanges. An older answer must not undo what happened since.
        if (outcome.conversation && shown && newest && !run)
          set({ conversation: outcome.conversation });
        return;
      case 'lost-ownership':
        if (problems.setSave(id, undefined)) tellProblems();
        if (shown) loseOwnership();
        else loseElsewhere(conversation);
        return;
      case 'failed':
        if (problems.setSave(id, outcome.message)) {
          notify({ style: 'failure', title: 'Not saved', message: outcome.message });
          tellProblems();
        }
        return;
      case 'closed':
        return;
    }
  }

  function armTick(): void {
    cancelTick?.();
    cancelTick = after(SAVE_EVERY_MS, () => {
      if (!run) return;
      frames.now();
      save();
      armTick();
    });
  }

  /** Never two writers: this launch stops, and adds what it has once the other one is done. */
  function loseOwnership(): void {
    const { id } = state.conversation;
    const left = run ? interrupted(run.turn(), now()) : lastTurn(state);
    if (left) orphans.set(id, left);
    const lost = run;
    run = undefined;
    cancelTick?.();
    lost?.controller.abort();
    notify({ style: 'failure', title: 'Lam was started again elsewhere and goes on there' });
    set({ phase: 'loading', running: undefined });
    open(id);
  }

  /** What was written here is added when the conversation is opened again. */
  function loseElsewhere({ id, title, turns }: Conversation): void {
    const left = turns.at(-1);
    if (left) orphans.set(id, left);
    notify({
      style: 'failure',
      title: 'Lam was started again elsewhere',
      message: `The last answer of “${title}” is not saved; open it here to add it`,
    });
  }

  /**
   * Puts right what a lost run has left: a turn that is marked running although this launch no longer writes it, a turn
   * that never reached the disk, one that went further here, and whatever could not be saved. Any other version that
   * another launch has stored stays as it is.
   */
  function mend(): void {
    const { id } = state.conversation;
    const ours = saves.unsaved(id)?.turns ?? [];
    const lost = orphans.get(id);
    orphans.delete(id);
    const { turns } = ours.reduce(replaceTurn, state.conversation);
    const ended = turns
      .filter((turn) => turn.state === 'running')
      .map((turn) => interrupted(turn, now()));
    const theirs = [...turns, ...ended].findLast((turn) => turn.id === lost?.id);
    const kept = lost !== undefined && goesFurther(lost, theirs) ? [lost] : [];
    const changed = [...ours, ...ended, ...kept];
    if (changed.length === 0) return;
    const conversation = changed.reduce(replaceTurn, state.conversation);
    set({ conversation: { ...conversation, updatedAt: now() } });
    save();
  }

  // --- Opening ------------------------------------------------------------------------------------------------------

  function show(conversation: Conversation, phase: ChatState['phase']): void {
    set({ conversation, phase, running: undefined, ...told() });
  }

  function askPending(): void {
    const question = pending;
    pending = undefined;
    if (question !== undefined) ask(question);
  }

  function showFresh(): void {
    leave();
    problems.setConversation([]);
    show(fresh(), 'ready');
    askPending();
  }

  /** Whatever was on its way for the conversation shown until now no longer counts. */
  function leave(): number {
    cancelPoll?.();
    cancelPoll = undefined;
    return ++visit;
  }

  function open(id: string): void {
    const mine = leave();
    store
      .claim(id)
      .then((claimed) => {
        if (mine !== visit || isClosed()) return;
        switch (claimed.kind) {
          case 'claimed':
            problems.setConversation(claimed.problems);
            show(claimed.conversation, 'ready');
            mend();
            askPending();
            return;
          case 'held':
            show(claimed.conversation, 'waiting');
            cancelPoll = after(POLL_MS, () => {
              open(id);
            });
            return;
          case 'failed':
            notify({ style: 'failure', title: 'Could not open', message: claimed.message });
            if (state.draft.trim() === '') draft.set(orphans.get(id)?.question ?? draft.text());
            orphans.delete(id);
            showFresh();
            problems.setConversation([claimed.message]);
            set({ problems: problems.here(), draft: draft.text() });
            return;
          case 'closed':
            return;
        }
      })
      .catch(unexpected);
  }

  async function openLast({ question = '', fallbackText = '' }: Launch): Promise<void> {
    const mine = visit;
    const { entries, problems: found } = await store.list();
    if (mine !== visit || isClosed()) return;
    problems.setStore(found);
    const last = entries[0];
    // What was typed into root search has nothing to do with the last chat. Without it, an answer that was cut off is
    // shown however old it is: whoever comes back looks for it.
    const wanted =
      last !== undefined &&
      (question + fallbackText).trim() === '' &&
      (last.lastState === 'running' ||
        last.lastState === 'interrupted' ||
        now() - last.updatedAt < CONTINUE_WITHIN_MS);
    if (wanted) open(last.id);
    else showFresh();
  }

  /** What every way of opening the chat needs once. */
  function begin({ question = '', fallbackText = '' }: Launch): void {
    if (begun || isClosed()) return;
    begun = true;
    models.refresh(life.signal).catch(unexpected);
    draft.restore();
    // The question stands in the bar until it is accepted, so that a kill before that does not lose it.
    draft.offer(question.trim() === '' ? fallbackText : question);
    if (question.trim() !== '') pending = question.trim();
    set({ draft: draft.text() });
  }

  // --- Turns --------------------------------------------------------------------------------------------------------

  function ask(question: string): boolean {
    const text = question.trim();
    if (text === '' || isClosed()) return false;
    if (state.phase === 'loading' || deleting.has(state.conversation.id)) {
      pending = text;
      return false;
    }
    if (!isFree('Return asks when it is done; Ctrl+. stops it')) return false;
    if (draft.clear(text)) set({ draft: draft.text() });
    const version = perform({
      id: ports.makeId(),
      question: text,
      response: '',
      toolCalls: [],
      state: 'running',
      startedAt: now(),
    });
    asking = { id: state.conversation.id, version };
    return true;
  }

  /** Tells why not, if not. `message`: what to do about a turn that runs here. */
  function isFree(message = 'Stop it first (Ctrl+.)'): boolean {
    if (run) {
      notify({ style: 'failure', title: 'Still answering', message });
      return false;
    }
    if (state.phase === 'waiting') {
      notify({
        style: 'failure',
        title: WAITING_TITLE,
        message: 'Wait for it, or press Ctrl+N',
      });
      return false;
    }
    return state.phase === 'ready' && !deleting.has(state.conversation.id);
  }

  /** @returns the version of the conversation that holds the question, see `Saves` */
  function perform(turn: Turn, resume?: ResumedTurn): number {
    const begunRun = createRun(turn, state.images);
    run = begunRun;
    const { conversation } = state;
    set({
      conversation: {
        ...replaceTurn(conversation, turn),
        title: conversation.turns.length === 0 ? titleOf(turn.question) : conversation.title,
        updatedAt: now(),
      },
    });
    const version = save();
    armTick();
    answer(begunRun, resume)
      .catch((error: unknown) => failed(begunRun.turn(), messageOf(error)))
      .then((ended) => {
        finish(begunRun, ended);
      })
      .catch(unexpected);
    return version;
  }

  async function answer(current: Run, resume: ResumedTurn | undefined): Promise<Turn> {
    const { signal } = current.controller;
    const chosen = await models.resolve(signal);
    if (signal.aborted) return { ...current.turn(), state: 'stopped', endedAt: now() };
    if (!chosen.ok) return failed(current.turn(), chosen.failure.message);
    current.use(chosen.model);
    const { failure, ...finished } = await runAgent({
      question: current.turn().question,
      history: turnsBefore(state.conversation.turns, current.id),
      model: chosen.model,
      about: chosen.about,
      system: buildSystemPrompt({
        now: dateInWords(now()),
        place: settings.place,
        extra: settings.extraInstructions,
      }),
      ports: {
        provider: ports.server,
        search: ports.search,
        fetchPage: ports.fetchPage,
        boundary: ports.boundary,
        now,
        after,
      },
      signal,
      onEvent: (event) => {
        if (run !== current) return;
        if (current.take(event)) frames.now();
        else frames.soon();
      },
      resume,
    });
    if (failure) models.forget();
    return { ...current.turn(), ...finished };
  }

  function failed(turn: Turn, error: string): Turn {
    return { ...turn, state: 'failed', error, endedAt: now() };
  }

  function finish(ended: Run, turn: Turn): void {
    if (run !== ended || isClosed()) return;
    run = undefined;
    cancelTick?.();
    const conversation = { ...replaceTurn(state.conversation, turn), updatedAt: now() };
    set({ conversation, running: undefined });
    save();
  }

  /** The newest turn, if it has ended in a way that can be taken up again. */
  function unfinished(): Turn | undefined {
    const turn = lastTurn(state);
    return turn === undefined || turn.state === 'done' || !isFree() ? undefined : turn;
  }

  function retry(): void {
    const turn = unfinished();
    if (turn === undefined) return;
    const { id, question } = turn;
    perform({ id, question, response: '', toolCalls: [], state: 'running', startedAt: now() });
  }

  // --- The end ------------------------------------------------------------------------------------------------------

  function close(): void {
    if (isClosed()) return;
    const cut = run;
    run = undefined;
    leave();
    cancelTick?.();
    frames.stop();
    life.abort();
    cut?.controller.abort();
    if (cut) {
      const turn = interrupted(cut.turn(), now());
      state = {
        ...state,
        conversation: { ...replaceTurn(state.conversation, turn), updatedAt: now() },
        running: undefined,
      };
    }
    if (cut) saves.mark(state.conversation);
    for (const id of deleting) saves.forget(id);
    for (const answer of saves.saveAllSync())
      if (answer.outcome.kind === 'saved') settleDraft(answer);
    draft.close();
    store.close();
    state = { ...state, phase: 'closed' };
    listeners.clear();
  }

  function whyNotDelete(id: string): string | undefined {
    return run && id === state.conversation.id
      ? 'It is still being answered. Stop it first.'
      : undefined;
  }

  function unexpected(error: unknown): void {
    notify({ style: 'failure', title: 'Something went wrong', message: messageOf(error) });
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    getState: () => state,
    async start(launch) {
      if (begun) return;
      try {
        begin(launch);
        await openLast(launch);
      } catch (error) {
        unexpected(error);
        if (state.phase === 'loading') showFresh();
      }
    },
    ask,
    stop() {
      run?.controller.abort();
    },
    continueTurn() {
      const turn = unfinished();
      if (turn === undefined) return;
      const { response, reasoning, toolCalls, carried, usage } = turn;
      const again: Turn = { ...turn, state: 'running', error: undefined, endedAt: undefined };
      perform(again, { response, reasoning, toolCalls, carried, usage });
    },
    retry,
    newConversation() {
      begin({});
      if (run) isFree();
      else showFresh();
    },
    openConversation(id) {
      begin({});
      if (run && !isFree()) return false;
      set({ phase: 'loading', conversation: fresh() });
      open(id);
      return true;
    },
    whyNotDelete,
    async deleteConversation(id) {
      const message = whyNotDelete(id);
      if (message !== undefined) return { kind: 'failed', message };
      deleting.add(id);
      const outcome = await store
        .delete(id)
        .catch((error: unknown): DeleteOutcome => ({ kind: 'failed', message: messageOf(error) }));
      deleting.delete(id);
      const shown = id === state.conversation.id;
      if (outcome.kind === 'deleted') {
        saves.forget(id);
        orphans.delete(id);
        if (problems.setSave(id, undefined)) tellProblems();
        if (shown) showFresh();
      } else if (shown) askPending();
      return outcome;
    },
    async listConversations() {
      const found = await store.list();
      problems.setStore(found.problems);
      tellProblems();
      return found;
    },
    readConversation: (id) => store.load(id),
    setDraft(text) {
      if (!isClosed()) {
        draft.set(text);
        set({ draft: draft.text() });
      }
    },
    setShowToolCalls(showToolCalls) {
      set({ showToolCalls });
    },
    setShowReasoning(showReasoning) {
      set({ showReasoning });
    },
    refreshServer() {
      models.refresh(life.signal).catch(unexpected);
    },
    close,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The reason is unknown.';
}
