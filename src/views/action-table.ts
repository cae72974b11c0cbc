import type { Keyboard } from '@vicinae/api';

import { FIXED_IN_PREFERENCES, lastTurn, type ChatState } from '../host/session/state';
import { plain, type CodeBlock, type PlainText } from '../lib/render';
import type { Source, Turn } from '../lib/types';
import { codeOf } from './code-copies';
import type { Copy, CopyPart } from './copies';
import { ICONS } from './icons';

/** Everything that is done with one key press, by name. */
export type ActionId =
  | 'ask'
  | 'stop'
  | 'openAnswer'
  | 'backToChat'
  | 'continue'
  | 'tryAgain'
  | 'copyAnswer'
  | 'copyAnswerText'
  | 'copyCode'
  | 'copyConversation'
  | 'wholeConversation'
  | 'newConversation'
  | 'conversations'
  | 'showToolCalls'
  | 'hideToolCalls'
  | 'showReasoning'
  | 'hideReasoning'
  | 'checkServer'
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
  stop: { title: plain`Stop`, icon: ICONS.stop, shortcut: ctrl('.') },
  openAnswer: { title: plain`Open Answer`, icon: ICONS.open, shortcut: 'open' },
  backToChat: { title: plain`Back to Chat`, icon: ICONS.back },
  continue: { title: plain`Continue`, icon: ICONS.resume, shortcut: ctrlShift('return') },
  tryAgain: { title: plain`Try Again`, icon: ICONS.retry, shortcut: 'refresh' },
  copyAnswer: { title: plain`Copy Answer as Markdown`, icon: ICONS.copy, shortcut: 'copy' },
  copyAnswerText: { title: plain`Copy Answer as Plain Text`, icon: ICONS.copy },
  copyCode: { title: plain`Copy Code`, icon: ICONS.copy },
  copyConversation: {
    title: plain`Copy Conversation as Markdown`,
    icon: ICONS.copy,
    shortcut: ctrlShift('a'),
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

/** What each action does, and what each submenu does with the entry that was chosen. */
export interface ChatHandlers extends Record<ActionId, () => unknown> {
  copyAs: (copy: Copy) => unknown;
  copyCodeBlock: (block: CodeBlock) => unknown;
  openSource: (source: Source) => unknown;
}

/**
 * Which actions there are for the selected exchange, in order; the first is what Return does.
 *
 * Text in the search bar makes Ask the first. Without text, what the exchange needs comes first: Continue for one the
 * launcher cut off, Try Again for one the model server failed, else Open Answer. Continue and Try Again belong to the
 * newest exchange only: an earlier one has been followed up on. Without an exchange, what a missing model server needs
 * comes first, or Ask, which leads nowhere else.
 */
export function chatActions(state: ChatState, turn: Turn | undefined): ActionGroup[] {
  const free = state.phase === 'ready' && state.running === undefined;
  const newest = turn !== undefined && turn.id === lastTurn(state)?.id;
  const typed = state.draft.trim() !== '';
  const remedies = turn === undefined && !typed ? remediesFor(state) : [];
  return grouped({
    main: [
      (typed || (turn === undefined && remedies.length === 0)) && 'ask',
      ...(turn === undefined ? remedies : exchangeActions(turn, newest && free)),
      state.running !== undefined && 'stop',
    ],
    copy: exchangeCopies(turn),
    go: [
      turn !== undefined && 'wholeConversation',
      lastTurn(state) !== undefined && 'newConversation',
      'conversations',
    ],
    settings: [...toggles(state), !remedies.includes('preferences') && 'preferences'],
  });
}

/** What puts the missing model server right, most likely first. */
function remediesFor({ server }: ChatState): ActionId[] {
  if (server.kind !== 'failed') return [];
  return FIXED_IN_PREFERENCES.has(server.failure.kind)
    ? ['preferences', 'checkServer']
    : ['checkServer'];
}

/** The same for one answer shown full width; Return goes back, so that a follow-up can be typed. */
export function answerActions(state: ChatState, turn: Turn | undefined): ActionGroup[] {
  const free = state.phase === 'ready' && state.running === undefined;
  const newest = turn !== undefined && turn.id === lastTurn(state)?.id;
  const again =
    turn === undefined || !newest || !free
      ? []
      : exchangeActions(turn, true).filter((id) => id !== 'openAnswer');
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
        : ['copyConversation', { submenu: 'copyAs', parts: ['conversation'] }],
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
    { submenu: 'openSource' },
  ];
}

/** One block needs no choice. */
function codeCopies(turn: Turn): ActionGroup['entries'] {
  const blocks = codeOf(turn);
  if (blocks.length === 0) return [];
  return [blocks.length === 1 ? 'copyCode' : { submenu: 'copyCodeBlock', blocks }];
}

function exchangeActions(turn: Turn, actable: boolean): ActionId[] {
  switch (turn.state) {
    case 'running':
    case 'done':
      return ['openAnswer'];
    case 'stopped':
      return actable ? ['openAnswer', 'continue', 'tryAgain'] : ['openAnswer'];
    case 'interrupted':
      return actable ? ['continue', 'openAnswer', 'tryAgain'] : ['openAnswer'];
    case 'failed':
      if (!actable) return ['openAnswer'];
      return turn.response === '' && turn.toolCalls.length === 0
        ? ['tryAgain', 'openAnswer']
        : ['tryAgain', 'continue', 'openAnswer'];
  }
}

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
