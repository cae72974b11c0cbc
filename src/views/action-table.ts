import type { Keyboard } from '@vicinae/api';

import { FIXED_IN_PREFERENCES, lastTurn, type ChatState } from '../host/session/state';
import type { Turn } from '../lib/types';
import { ICONS } from './icons';

/** Everything that can be done in the chat, by name. `openSource` is a submenu, all others are one action. */
export type ActionId =
  | 'ask'
  | 'stop'
  | 'openAnswer'
  | 'backToChat'
  | 'continue'
  | 'tryAgain'
  | 'copyAnswer'
  | 'copyConversation'
  | 'openSource'
  | 'wholeConversation'
  | 'newConversation'
  | 'conversations'
  | 'showToolCalls'
  | 'hideToolCalls'
  | 'showReasoning'
  | 'hideReasoning'
  | 'checkServer'
  | 'preferences';

type Shortcut = Keyboard.Shortcut | Keyboard.Shortcut.Common;

export interface ActionSpec {
  title: string;
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
  ask: { title: 'Ask', icon: ICONS.ask },
  stop: { title: 'Stop', icon: ICONS.stop, shortcut: ctrl('.') },
  openAnswer: { title: 'Open Answer', icon: ICONS.open, shortcut: 'open' },
  backToChat: { title: 'Back to Chat', icon: ICONS.back },
  continue: { title: 'Continue', icon: ICONS.resume, shortcut: ctrlShift('return') },
  tryAgain: { title: 'Try Again', icon: ICONS.retry, shortcut: 'refresh' },
  copyAnswer: { title: 'Copy Answer as Markdown', icon: ICONS.copy, shortcut: 'copy' },
  copyConversation: {
    title: 'Copy Conversation as Markdown',
    icon: ICONS.copy,
    shortcut: ctrlShift('a'),
  },
  openSource: { title: 'Open Source', icon: ICONS.source },
  wholeConversation: {
    title: 'Show Whole Conversation',
    icon: ICONS.book,
    shortcut: ctrlShift('o'),
  },
  newConversation: { title: 'New Conversation', icon: ICONS.new, shortcut: 'new' },
  conversations: {
    title: 'Conversations…',
    icon: ICONS.conversations,
    shortcut: ctrlShift('f'),
  },
  showToolCalls: { title: 'Show Tool Calls', icon: ICONS.show, shortcut: ctrlShift('t') },
  hideToolCalls: { title: 'Hide Tool Calls', icon: ICONS.hide, shortcut: ctrlShift('t') },
  showReasoning: { title: 'Show Reasoning', icon: ICONS.show, shortcut: ctrlShift('r') },
  hideReasoning: { title: 'Hide Reasoning', icon: ICONS.hide, shortcut: ctrlShift('r') },
  checkServer: { title: 'Check Again', icon: ICONS.server, shortcut: 'refresh' },
  preferences: { title: 'Preferences', icon: ICONS.preferences },
};

export interface ActionGroup {
  /** Stable name of the group, for React. */
  id: string;
  actions: ActionId[];
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
    copy: [
      turn !== undefined && turn.response !== '' && 'copyAnswer',
      turn !== undefined && 'copyConversation',
      turn !== undefined && 'openSource',
    ],
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
    copy: [
      turn !== undefined && turn.response !== '' && 'copyAnswer',
      turn !== undefined && 'copyConversation',
      turn !== undefined && 'openSource',
    ],
    settings: toggles(state),
  });
}

/** The same for the whole conversation in one document. */
export function wholeActions(state: ChatState): ActionGroup[] {
  return grouped({
    main: ['backToChat', state.running !== undefined && 'stop'],
    copy: [lastTurn(state) !== undefined && 'copyConversation'],
    settings: toggles(state),
  });
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

function grouped(groups: Record<string, (ActionId | false)[]>): ActionGroup[] {
  return Object.entries(groups)
    .map(([id, actions]) => ({ id, actions: actions.filter((action) => action !== false) }))
    .filter((group) => group.actions.length > 0);
}
