import type { Keyboard } from '@vicinae/api';

import { isFixedInPreferences, lastTurn, type ChatState } from '../host/session/state';
import { hasContent } from '../host/session/turns';
import { turnSources } from '../lib/citations';
import { plain, type CodeBlock, type PlainText } from '../lib/render';
import { neighbours } from './versions';
import type { Source, Turn } from '../lib/types';
import { codeOf } from './code-copies';
import type { Copy, CopyPart } from './copies';
import { ICONS } from './icons';

/** Everything that is done with one key press, by name. */
export type ActionId =
  | 'ask'
  | 'compose'
  | 'stop'
  | 'openAnswer'
  | 'backToChat'
  | 'continue'
  | 'tryAgain'
  | 'regenerate'
  | 'regenerateWith'
  | 'editQuestion'
  | 'earlierVariant'
  | 'laterVariant'
  | 'quote'
  | 'quoteSelection'
  | 'deleteExchange'
  | 'copyAnswer'
  | 'copyAnswerText'
  | 'copyCode'
  | 'copyConversation'
  | 'copySources'
  | 'copyLink'
  | 'showEvidence'
  | 'wholeConversation'
  | 'newConversation'
  | 'conversations'
  | 'showToolCalls'
  | 'hideToolCalls'
  | 'showReasoning'
  | 'hideReasoning'
  | 'chooseModel'
  | 'checkServer'
  | 'checkSetup'
  | 'copyCommand'
  | 'preferences';

/** What asks for one thing more: in which form to copy what, which block of code, or which source to open. */
export type SubmenuId = 'copyAs' | 'copyCodeBlock' | 'openSource';

type Shortcut = Keyboard.Shortcut | Keyboard.Shortcut.Common;

export interface ActionSpec {
  title: PlainText;
  icon: (typeof ICONS)[keyof typeof ICONS];
  shortcut?: Shortcut;
}

const ctrl = (key: Keyboard.Shortcut['key']): Shortcut => ({ key, modifiers: ['ctrl'] });
const ctrlShift = (key: Keyboard.Shortcut['key']): Shortcut => ({
  key,
  modifiers: ['ctrl', 'shift'],
});

/**
 * Titles, icons and keys. A name such as `copy` stands for the person's own key for it. Never Ctrl+A, C, V, Z (text
 * editing), B (action panel), P (search filter), comma (settings), J, K, H, L (list movement).
 */
export const ACTIONS: Record<ActionId, ActionSpec> = {
  ask: { title: plain`Ask`, icon: ICONS.ask },
  compose: {
    title: plain`Ask with Attachments…`,
    icon: ICONS.attach,
    shortcut: ctrlShift('e'),
  },
  stop: { title: plain`Stop`, icon: ICONS.stop, shortcut: ctrl('.') },
  openAnswer: { title: plain`Open Answer`, icon: ICONS.open, shortcut: 'open' },
  backToChat: { title: plain`Back to Chat`, icon: ICONS.back },
  continue: { title: plain`Continue`, icon: ICONS.resume, shortcut: ctrlShift('return') },
  tryAgain: { title: plain`Try Again`, icon: ICONS.retry, shortcut: 'refresh' },
  regenerate: { title: plain`Regenerate`, icon: ICONS.retry, shortcut: 'refresh' },
  regenerateWith: { title: plain`Regenerate with Another Model…`, icon: ICONS.model },
  editQuestion: { title: plain`Edit Question…`, icon: ICONS.edit, shortcut: 'edit' },
  earlierVariant: { title: plain`Show Earlier Version`, icon: ICONS.earlier, shortcut: ctrl('[') },
  laterVariant: { title: plain`Show Later Version`, icon: ICONS.later, shortcut: ctrl(']') },
  quote: {
    title: plain`Quote in New Question…`,
    icon: ICONS.quote,
    shortcut: ctrlShift('q'),
  },
  quoteSelection: { title: plain`Ask About Selected Text…`, icon: ICONS.quote },
  deleteExchange: { title: plain`Delete Exchange…`, icon: ICONS.delete, shortcut: 'remove' },
  copyAnswer: { title: plain`Copy Answer as Markdown`, icon: ICONS.copy, shortcut: 'copy' },
  copyAnswerText: { title: plain`Copy Answer as Plain Text`, icon: ICONS.copy },
  copyCode: { title: plain`Copy Code`, icon: ICONS.copy },
  copyConversation: {
    title: plain`Copy Conversation as Markdown`,
    icon: ICONS.copy,
    shortcut: ctrlShift('a'),
  },
  copySources: { title: plain`Copy Source List`, icon: ICONS.copy },
  copyLink: { title: plain`Copy Link to Conversation`, icon: ICONS.source },
  showEvidence: {
    title: plain`Show Evidence`,
    icon: ICONS.evidence,
    shortcut: ctrlShift('s'),
  },
  wholeConversation: {
    title: plain`Show Whole Conversation`,
    icon: ICONS.book,
    shortcut: ctrlShift('o'),
  },
  newConversation: { title: plain`New Conversation`, icon: ICONS.new, shortcut: 'new' },
  conversations: {
    title: plain`Conversations…`,
    icon: ICONS.conversations,
    shortcut: ctrlShift('f'),
  },
  showToolCalls: { title: plain`Show Tool Calls`, icon: ICONS.show, shortcut: ctrlShift('t') },
  hideToolCalls: { title: plain`Hide Tool Calls`, icon: ICONS.hide, shortcut: ctrlShift('t') },
  showReasoning: { title: plain`Show Reasoning`, icon: ICONS.show, shortcut: ctrlShift('r') },
  hideReasoning: { title: plain`Hide Reasoning`, icon: ICONS.hide, shortcut: ctrlShift('r') },
  chooseModel: { title: plain`Choose Model…`, icon: ICONS.model, shortcut: ctrlShift('m') },
  checkSetup: { title: plain`Check Setup…`, icon: ICONS.check },
  copyCommand: { title: plain`Copy Command`, icon: ICONS.copy },
  checkServer: { title: plain`Check Again`, icon: ICONS.server, shortcut: 'refresh' },
  preferences: { title: plain`Preferences`, icon: ICONS.preferences },
};

/** A submenu stands in the panel like an action. Without entries it is left out. */
export const SUBMENUS: Record<SubmenuId, Pick<ActionSpec, 'title' | 'icon'>> = {
  copyAs: { title: plain`Copy As…`, icon: ICONS.copy },
  copyCodeBlock: { title: plain`Copy Code Block`, icon: ICONS.copy },
  openSource: { title: plain`Open Source`, icon: ICONS.source },
};

/** A submenu at its place in the panel. The sources are the view's to name. */
export type Submenu =
  | { submenu: 'copyAs'; parts: CopyPart[] }
  | { submenu: 'copyCodeBlock'; blocks: readonly CodeBlock[] }
  | { submenu: 'openSource' };

export interface ActionGroup {
  /** Stable name of the group, for React. */
  id: string;
  entries: (ActionId | Submenu)[];
}

/** What is done with a source: opened in the browser, or taken along. */
export type SourceUse = 'open' | 'copyLink' | 'copyMarkdown';

/** What each action does, and what each submenu does with the entry that was chosen. */
export interface ChatHandlers extends Record<ActionId, () => unknown> {
  copyAs: (copy: Copy) => unknown;
  copyCodeBlock: (block: CodeBlock) => unknown;
  withSource: (source: Source, use: SourceUse) => unknown;
}

/**
 * Which actions there are for the selected exchange, in order; the first is what Return does.
 *
 * Text in the search bar makes Ask the first. Without text, what the exchange needs comes first: Continue for one the
 * launcher cut off, what helps for one the model server failed, else Open Answer. Continue and Try Again belong to the
 * newest exchange only: an earlier one has been followed up on. Without an exchange, what a missing model server needs
 * comes first, or Ask, which leads nowhere else.
 */
export function chatActions(state: ChatState, turn: Turn | undefined): ActionGroup[] {
  const typed = state.draft.trim() !== '';
  const remedies = turn === undefined && !typed ? remediesFor(state) : [];
  const main: (ActionId | false)[] = [
    (typed || (turn === undefined && remedies.length === 0)) && 'ask',
    typed && 'compose',
    ...(turn === undefined ? remedies : exchangeActions(state, turn)),
    !typed && 'compose',
    state.running !== undefined && 'stop',
  ];
  const settings: (ActionId | false)[] = [
    state.models.length > 0 && 'chooseModel',
    ...(turn === undefined ? [] : toggles(state)),
    !remedies.includes('checkSetup') && 'checkSetup',
    'preferences',
  ];
  return grouped({
    main,
    copy: exchangeCopies(turn),
    question: questionActions(state, turn),
    go: [
      turn !== undefined && 'wholeConversation',
      lastTurn(state) !== undefined && !main.includes('newConversation') && 'newConversation',
      'conversations',
      turn === undefined && 'quoteSelection',
      turn !== undefined && 'copyLink',
    ],
    settings: settings.filter((id) => id === false || !main.includes(id)),
  });
}

/** The newest exchange, while nothing is written here or elsewhere. */
function isActable(state: ChatState, turn: Turn): boolean {
  return isFree(state) && turn.id === lastTurn(state)?.id;
}

const isFree = (state: ChatState): boolean =>
  state.phase === 'ready' && state.running === undefined;

/** What puts the missing model server right, most likely first. */
function remediesFor({ server }: ChatState): ActionId[] {
  if (server.kind !== 'failed') return [];
  return [...server.remedy.actions, 'checkSetup'];
}

/** What changes an exchange, or begins another question with it. */
function questionActions(state: ChatState, turn: Turn | undefined): (ActionId | false)[] {
  if (turn === undefined) return [];
  const free = isFree(state);
  const again = exchangeActions(state, turn).includes('tryAgain');
  const { earlier, later } = free
    ? neighbours(state.conversation, turn)
    : { earlier: undefined, later: undefined };
  return [
    free && !again && 'regenerate',
    free && state.models.length > 1 && 'regenerateWith',
    free && 'editQuestion',
    earlier !== undefined && 'earlierVariant',
    later !== undefined && 'laterVariant',
    turn.response !== '' && 'quote',
    // Ctrl+X cuts what is typed, as long as something is.
    free && state.draft.trim() === '' && 'deleteExchange',
  ];
}

/** The same for one answer shown full width; Return goes back, so that a follow-up can be typed. */
export function answerActions(state: ChatState, turn: Turn | undefined): ActionGroup[] {
  const again =
    turn !== undefined && isActable(state, turn)
      ? exchangeActions(state, turn).filter((id) => id !== 'openAnswer' && id !== 'chooseModel')
      : [];
  return grouped({
    main: [
      'backToChat',
      ...again,
      state.running?.turnId === turn?.id && turn !== undefined && 'stop',
    ],
    copy: exchangeCopies(turn),
    settings: toggles(state),
  });
}

/** The same for the whole conversation in one document. */
export function wholeActions(state: ChatState): ActionGroup[] {
  return grouped({
    main: ['backToChat', state.running !== undefined && 'stop'],
    copy:
      lastTurn(state) === undefined
        ? []
        : ['copyConversation', { submenu: 'copyAs', parts: ['conversation'] }, 'copyLink'],
    settings: toggles(state),
  });
}

/** What can be taken along of an exchange. An answer that is not there cannot be copied; its question can. */
function exchangeCopies(turn: Turn | undefined): ActionGroup['entries'] {
  if (turn === undefined) return [];
  const answered = turn.response !== '';
  return [
    ...(answered ? (['copyAnswer'] as const) : []),
    'copyConversation',
    ...(answered ? (['copyAnswerText'] as const) : []),
    ...codeCopies(turn),
    {
      submenu: 'copyAs',
      parts: [...(answered ? (['answer'] as const) : []), 'exchange', 'conversation'],
    },
    ...(answered && turn.state !== 'running' ? (['showEvidence'] as const) : []),
    { submenu: 'openSource' },
    ...(turnSources(turn).length === 0 ? [] : (['copySources'] as const)),
  ];
}

/** One block needs no choice. */
function codeCopies(turn: Turn): ActionGroup['entries'] {
  const blocks = codeOf(turn);
  if (blocks.length === 0) return [];
  return [blocks.length === 1 ? 'copyCode' : { submenu: 'copyCodeBlock', blocks }];
}

/** What puts a server right that is still not ready, for whoever asked before reading about it. */
function helpFor({ server }: ChatState): ActionId[] {
  if (server.kind !== 'failed') return [];
  return [...server.remedy.actions.filter((id) => id !== 'checkServer'), 'checkSetup'];
}

/** What a model server's failure asks for before anything else. */
function remedyOf({ failureKind }: Turn, { models }: ChatState): ActionId[] {
  if (failureKind === 'context-length') return ['newConversation'];
  if (failureKind === 'model-not-found') return [models.length > 0 ? 'chooseModel' : 'preferences'];
  return isFixedInPreferences(failureKind) ? ['preferences'] : [];
}

function exchangeActions(state: ChatState, turn: Turn): ActionId[] {
  if (!isActable(state, turn)) return ['openAnswer'];
  switch (turn.state) {
    case 'running':
      return ['openAnswer'];
    case 'done':
      return turn.cut === true ? ['openAnswer', 'continue'] : ['openAnswer'];
    case 'stopped':
      return ['openAnswer', 'continue', 'tryAgain'];
    case 'interrupted':
      return ['continue', 'openAnswer', 'tryAgain'];
    case 'failed': {
      const kept: ActionId[] = hasContent(turn) ? ['continue', 'openAnswer'] : [];
      const all: ActionId[] = [
        ...remedyOf(turn, state),
        'tryAgain',
        ...kept,
        ...helpFor(state),
        'openAnswer',
      ];
      return all.filter(isFirst);
    }
  }
}

const isFirst = (id: ActionId, place: number, all: readonly ActionId[]): boolean =>
  all.indexOf(id) === place;

function toggles(state: ChatState): ActionId[] {
  return [
    state.showToolCalls ? 'hideToolCalls' : 'showToolCalls',
    state.showReasoning ? 'hideReasoning' : 'showReasoning',
  ];
}

function grouped(groups: Record<string, (ActionId | Submenu | false)[]>): ActionGroup[] {
  return Object.entries(groups)
    .map(([id, entries]) => ({ id, entries: entries.filter((entry) => entry !== false) }))
    .filter((group) => group.entries.length > 0);
}
