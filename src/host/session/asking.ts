import { buildSystemPrompt, type ResumedTurn } from '../../lib/agent';
import { askedOf } from '../../lib/markdown';
import {
  lastOf,
  showingVariant,
  threadOf,
  turnsBefore,
  variantsOf,
  withNext,
  withVariant,
} from '../../lib/thread';
import type { Conversation, FailureKind, Turn } from '../../lib/types';
import { createAttached } from './attached';
import { messageOf, type Core } from './core';
import type { ModelChoice } from './models';
import type { AskOptions } from './ports';
import { createRun, type Run } from './run';
import type { Saving } from './saving';
import { lastTurn, WAITING_TITLE } from './state';
import {
  askedAgain,
  dateInWords,
  hasContent,
  isUnfinished,
  recordsOf,
  replaceTurn,
  titleOf,
} from './turns';

/** Everything that begins, ends or changes a turn. */
export interface Asking {
  ask: (question: string, options?: AskOptions) => boolean;
  stop: () => void;
  continueTurn: () => void;
  retry: () => void;
  regenerate: (turnId: string, model?: string) => boolean;
  editQuestion: (turnId: string, question: string, options?: AskOptions) => boolean;
  showVariant: (turnId: string) => void;
  /** A title that is asked for is not wanted any more. */
  endTitle: () => void;
  /** Tells why not, if not. `message`: what to do about a turn that runs here. */
  isFree: (message?: string) => boolean;
}

export function createAsking(
  core: Core,
  saving: Pick<Saving, 'save' | 'asked' | 'startTicking' | 'stopTicking'>,
  models: ModelChoice,
  {
    askLater,
    onAnswered,
  }: {
    /** Asks this as soon as a conversation is open. */
    askLater: (question: string) => void;
    /** The model server has answered to the end. */
    onAnswered: () => void;
  },
): Asking {
  const { ports, draft, deleting } = core;
  const { settings, now, after, notify } = ports;
  const attached = createAttached(core);
  let titling: AbortController | undefined;

  function isFree(message = 'Stop it first (Ctrl+.)'): boolean {
    const { phase, conversation } = core.state();
    if (core.run) {
      notify({ style: 'failure', title: 'Still answering', message });
      return false;
    }
    if (phase === 'waiting') {
      notify({ style: 'failure', title: WAITING_TITLE, message: 'Wait for it, or press Ctrl+N' });
      return false;
    }
    return phase === 'ready' && !deleting.has(conversation.id);
  }

  function begun(question: string, { attachments = [], web }: AskOptions): Turn {
    return {
      id: ports.makeId(),
      question,
      response: '',
      toolCalls: [],
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      ...(web === undefined ? {} : { web }),
      state: 'running',
      startedAt: now(),
    };
  }

  function ask(question: string, options: AskOptions = {}): boolean {
    const text = question.trim();
    if (text === '' || core.isClosed()) return false;
    const { phase, conversation } = core.state();
    if (phase === 'loading' || deleting.has(conversation.id)) {
      if (options.attachments === undefined) askLater(text);
      else notify({ style: 'failure', title: 'The conversation is still being opened' });
      return false;
    }
    if (!isFree('Press Return again when it is done; Ctrl+. stops it')) return false;
    if (draft.clear(text)) core.set({ draft: draft.text() });
    const turn = begun(text, options);
    saving.asked(perform(turn, withNext(conversation, turn), options), options.onStored);
    return true;
  }

  /** @returns the version of the conversation that holds the question, see `Saves` */
  function perform(
    turn: Turn,
    conversation: Conversation,
    { model, resume }: { model?: string; resume?: ResumedTurn } = {},
  ): number {
    titling?.abort();
    const begunRun = createRun(turn, { images: core.state().images, now });
    core.run = begunRun;
    const isFirst = threadOf(conversation).length === 1 && conversation.titledBy === undefined;
    core.set({
      conversation: {
        ...conversation,
        title: isFirst ? titleOf(askedOf(turn.question)) : conversation.title,
        updatedAt: now(),
      },
    });
    const version = saving.save();
    saving.startTicking();
    answer(begunRun, { model, resume })
      .catch((error: unknown) => failed(begunRun.turn(), messageOf(error)))
      .then((ended) => {
        finish(begunRun, ended);
      })
      .catch(core.unexpected);
    return version;
  }

  async function answer(
    current: Run,
    { model, resume }: { model?: string | undefined; resume?: ResumedTurn | undefined },
  ): Promise<Turn> {
    const { signal } = current.controller;
    const stopped = (): Turn => ({ ...current.turn(), state: 'stopped', endedAt: now() });
    const isStopped = () => signal.aborted;
    const chosen = await models.resolve(signal, model);
    if (isStopped()) return stopped();
    if (!chosen.ok) return failed(current.turn(), chosen.failure.message, chosen.failure.kind);
    current.use(chosen.model);
    const read = await attached.readFor(current);
    if (isStopped()) return stopped();
    if (!read.ok) return failed(current.turn(), read.message);
    const before = turnsBefore(core.state().conversation, current.id);
    const documents = ports.documents?.hasFolders() === true ? ports.documents : undefined;
    const { failure, ...finished } = await ports.runAgent({
      question: current.turn().question,
      history: await attached.history(before, chosen.about, signal),
      attachments: read.attachments,
      web: current.turn().web ?? settings.webTools,
      model: chosen.model,
      about: chosen.about,
      system: buildSystemPrompt({
        now: dateInWords(now()),
        place: settings.place,
        extra: settings.extraInstructions,
        ...(documents === undefined ? {} : { documents: true }),
      }),
      ports: {
        provider: ports.server,
        search: ports.search,
        fetchPage: ports.fetchPage,
        documents,
        boundary: ports.boundary,
        now,
        after,
      },
      signal,
      onEvent: (event) => {
        if (core.run !== current) return;
        if (current.take(event)) core.frames.now();
        else core.frames.soon();
      },
      resume,
    });
    if (failure) models.forget();
    return {
      ...current.turn(),
      ...finished,
      ...(failure === undefined ? {} : { failureKind: failure.kind }),
    };
  }

  function failed(turn: Turn, error: string, kind?: FailureKind): Turn {
    const known = kind === undefined ? {} : { failureKind: kind };
    return { ...turn, state: 'failed', error, ...known, endedAt: now() };
  }

  function finish(ended: Run, turn: Turn): void {
    if (core.run !== ended || core.isClosed()) return;
    core.run = undefined;
    saving.stopTicking();
    const { conversation } = core.state();
    core.set({
      conversation: { ...replaceTurn(conversation, turn), updatedAt: now() },
      running: undefined,
    });
    saving.save();
    if (turn.state === 'done') onAnswered();
    giveTitle(turn).catch(core.unexpected);
  }

  /** Once, after the first answer, unless somebody has named the conversation. A question that comes meanwhile goes first. */
  async function giveTitle(turn: Turn): Promise<void> {
    const { suggestTitle } = ports;
    const { id, turns, titledBy } = core.state().conversation;
    if (suggestTitle === undefined || titledBy !== undefined) return;
    if (turn.state !== 'done' || turns.length > 1) return;
    const controller = new AbortController();
    titling = controller;
    const title = await suggestTitle(turn, controller.signal);
    const { conversation } = core.state();
    if (title === undefined || controller.signal.aborted || core.isClosed()) return;
    if (conversation.id !== id || conversation.titledBy !== undefined) return;
    core.set({ conversation: { ...conversation, title, titledBy: 'model' } });
    saving.save();
  }

  /** The newest turn, if it has ended in a way that can be taken up again. */
  function unfinished(): Turn | undefined {
    const turn = lastTurn(core.state());
    return turn === undefined || !isUnfinished(turn) || !isFree() ? undefined : turn;
  }

  /** Asks a turn again: in its place if nothing came of it, else as a variant. */
  function again(turn: Turn, model?: string): void {
    const { conversation } = core.state();
    const replaces = !hasContent(turn) && lastOf(conversation)?.id === turn.id;
    const fresh = askedAgain(turn, replaces ? turn.id : ports.makeId(), now());
    const resume = fresh.toolCalls.length === 0 ? undefined : resumed(fresh);
    perform(
      fresh,
      replaces ? replaceTurn(conversation, fresh) : withVariant(conversation, fresh, turn.id),
      { model, resume },
    );
  }

  /** A version hides what followed the other one: that must not look like a loss. */
  function tellHidden(turnId: string): void {
    if (lastTurn(core.state())?.id === turnId) return;
    const message = 'Ctrl+[ shows it when this answer is done';
    notify({ style: 'success', title: 'What followed is kept', message });
  }

  const shownTurn = (id: string) =>
    threadOf(core.state().conversation).find((turn) => turn.id === id);

  return {
    ask,
    isFree,
    endTitle() {
      titling?.abort();
    },
    stop() {
      core.run?.controller.abort();
    },
    continueTurn() {
      const turn = unfinished();
      if (turn === undefined) return;
      const over = {
        error: undefined,
        failureKind: undefined,
        notice: undefined,
        cut: undefined,
        evidence: undefined,
        quotes: undefined,
      };
      const goingOn: Turn = { ...turn, ...over, state: 'running', endedAt: undefined };
      perform(goingOn, core.state().conversation, {
        resume: resumed(turn),
      });
    },
    retry() {
      const turn = unfinished();
      if (turn !== undefined) again(turn);
    },
    regenerate(turnId, model) {
      const turn = shownTurn(turnId);
      if (turn === undefined || !isFree()) return false;
      tellHidden(turnId);
      again(turn, model);
      return true;
    },
    editQuestion(turnId, question, options = {}) {
      const turn = shownTurn(turnId);
      const text = question.trim();
      if (turn === undefined)
        notify({ style: 'failure', title: 'This question is no longer in the conversation' });
      if (turn === undefined || text === '' || !isFree()) return false;
      tellHidden(turnId);
      const { attachments = [] } = options;
      const known = new Map(turn.attachments?.map((each) => [each.path, each]));
      const kept = attachments.map((each) => known.get(each.path) ?? each);
      const edited = begun(text, { ...options, attachments: kept });
      const toolCalls = recordsOf(turn, kept);
      const fresh: Turn = { ...edited, toolCalls };
      const version = perform(fresh, withVariant(core.state().conversation, fresh, turn.id), {
        model: options.model,
        resume: toolCalls.length === 0 ? undefined : resumed(fresh),
      });
      saving.asked(version, options.onStored);
      return true;
    },
    showVariant(turnId) {
      if (!isFree()) return;
      const { conversation } = core.state();
      if (!variantsOf(conversation, turnId).some(({ id }) => id === turnId)) return;
      core.set({ conversation: showingVariant(conversation, turnId) });
      saving.save();
    },
  };
}

function resumed({ response, reasoning, toolCalls, carried, usage }: Turn): ResumedTurn {
  return { response, reasoning, toolCalls, carried, usage };
}
