import { Icon } from '@vicinae/api';
import { describe, expect, it } from 'vitest';

import { lastTurn, type ChatState } from '../host/session/state';
import type { FailureKind, Turn, TurnState } from '../lib/types';
import { ACTIONS, answerActions, chatActions, wholeActions } from '../views/action-table';
import { ICONS, STATE_ICONS } from '../views/icons';

function turn(state: TurnState, overrides: Partial<Turn> = {}): Turn {
  return {
    id: 'turn-1',
    question: 'Why?',
    response: 'Because.',
    toolCalls: [],
    state,
    startedAt: 1,
    ...overrides,
  };
}

function chat(turns: Turn[], overrides: Partial<ChatState> = {}): ChatState {
  return {
    phase: 'ready',
    conversation: { version: 1, id: 'c', title: 'Why?', createdAt: 1, updatedAt: 1, turns },
    draft: '',
    server: { kind: 'ready', model: 'small-model', searches: true },
    problems: [],
    problemElsewhere: '',
    showToolCalls: false,
    showReasoning: false,
    ...overrides,
  };
}

const missing = (kind: FailureKind): Partial<ChatState> => ({
  server: { kind: 'failed', failure: { kind, message: '' } },
});
const ids = (groups: { actions: string[] }[]) => groups.flatMap(({ actions }) => actions);
const running = { turnId: 'turn-1', answer: '', activity: 'Thinking…' };

describe('what Return does in the chat', () => {
  it.each<[string, ChatState, string]>([
    ['a finished answer', chat([turn('done')]), 'openAnswer'],
    ['a finished answer, text typed', chat([turn('done')], { draft: 'And?' }), 'ask'],
    ['white space typed', chat([turn('done')], { draft: '  ' }), 'openAnswer'],
    ['a running answer', chat([turn('running')], { running }), 'openAnswer'],
    ['a running answer, text typed', chat([turn('running')], { running, draft: 'And?' }), 'ask'],
    ['an interrupted answer', chat([turn('interrupted')]), 'continue'],
    ['a failed answer', chat([turn('failed')]), 'tryAgain'],
    ['a stopped answer', chat([turn('stopped')]), 'openAnswer'],
    ['a stopped answer, text typed', chat([turn('stopped')], { draft: 'And?' }), 'ask'],
    ['an earlier start is writing', chat([turn('running')], { phase: 'waiting' }), 'openAnswer'],
    ['nothing yet, text typed', chat([], { draft: 'Why?' }), 'ask'],
    ['nothing yet, nothing typed', chat([]), 'ask'],
    ['opening, nothing typed', chat([], { phase: 'loading' }), 'ask'],
    ['the server does not run', chat([], missing('not-running')), 'checkServer'],
    ['the server is ill', chat([], missing('server-error')), 'checkServer'],
    ['the address is wrong', chat([], missing('wrong-address')), 'preferences'],
    ['a web page is there', chat([], missing('not-json')), 'preferences'],
    ['the key is wrong', chat([], missing('unauthorized')), 'preferences'],
    ['there is no model', chat([], missing('no-model')), 'preferences'],
    ['no server, text typed', chat([], { draft: 'Why?', ...missing('wrong-address') }), 'ask'],
  ])('%s', (_name, state, first) => {
    expect(ids(chatActions(state, lastTurn(state)))[0]).toBe(first);
  });

  it('an earlier exchange can be opened and copied, but not taken up again', () => {
    const earlier = turn('interrupted', { id: 'turn-0' });
    const state = chat([earlier, turn('done')]);
    const offered = ids(chatActions(state, earlier));
    expect(offered[0]).toBe('openAnswer');
    expect(offered).not.toContain('continue');
    expect(offered).toContain('copyAnswer');
  });
});

describe('the panels', () => {
  it('offer Stop exactly while something runs', () => {
    const busy = chat([turn('running')], { running });
    const idle = chat([turn('done')]);
    for (const [state, expected] of [
      [busy, true],
      [idle, false],
    ] as const) {
      expect(ids(chatActions(state, lastTurn(state))).includes('stop')).toBe(expected);
      expect(ids(answerActions(state, lastTurn(state))).includes('stop')).toBe(expected);
      expect(ids(wholeActions(state)).includes('stop')).toBe(expected);
    }
  });

  it('go back with Return from a pushed answer and from the whole conversation', () => {
    const state = chat([turn('interrupted')]);
    expect(ids(answerActions(state, lastTurn(state)))[0]).toBe('backToChat');
    expect(ids(answerActions(state, undefined))[0]).toBe('backToChat');
    expect(ids(wholeActions(state))[0]).toBe('backToChat');
  });

  it('offer to show what is hidden and to hide what is shown', () => {
    const shown = chat([turn('done')], { showToolCalls: true, showReasoning: true });
    expect(ids(chatActions(shown, lastTurn(shown)))).toEqual(
      expect.arrayContaining(['hideToolCalls', 'hideReasoning']),
    );
    const hidden = chat([turn('done')]);
    expect(ids(chatActions(hidden, lastTurn(hidden)))).toEqual(
      expect.arrayContaining(['showToolCalls', 'showReasoning']),
    );
  });

  it.each<[FailureKind, string[]]>([
    ['wrong-address', ['preferences', 'checkServer']],
    ['not-running', ['checkServer', 'conversations']],
  ])('put first what helps when the server is missing, and each thing once: %s', (kind, first) => {
    const offered = ids(chatActions(chat([], missing(kind)), undefined));
    expect(offered.slice(0, 2)).toEqual(first);
    expect(new Set(offered).size).toBe(offered.length);
    expect(offered).toContain('preferences');
  });

  it('begin another conversation while another launch writes this one', () => {
    const state = chat([turn('running')], { phase: 'waiting' });
    expect(ids(chatActions(state, lastTurn(state)))).toContain('newConversation');
    expect(ids(chatActions(state, undefined))).toContain('newConversation'); // a problem is selected
  });

  it('copy no answer that is not there', () => {
    const state = chat([turn('failed', { response: '' })]);
    expect(ids(chatActions(state, lastTurn(state)))).not.toContain('copyAnswer');
  });
});

describe('shortcuts', () => {
  /** Keys the launcher keeps for itself on Linux and Windows (editing, action panel, filter, settings, list movement). */
  const taken = ['a', 'c', 'v', 'z', 'b', 'p', ',', 'j', 'k', 'h', 'l'];

  it.each(Object.entries(ACTIONS))('%s has a key that can be bound', (_id, { shortcut }) => {
    if (shortcut === undefined || typeof shortcut === 'string') return;
    const plain = shortcut.modifiers.length === 1 && shortcut.modifiers[0] === 'ctrl';
    expect(plain && taken.includes(shortcut.key)).toBe(false);
  });

  it.each([
    ['interrupted', chat([turn('interrupted')])],
    ['failed', chat([turn('failed')])],
    ['running', chat([turn('running')], { running })],
    ['empty', chat([])],
    ['without a server', chat([], missing('unauthorized'))],
  ])('no two actions of one panel share a key (%s)', (_name, state) => {
    for (const groups of [
      chatActions(state, lastTurn(state)),
      answerActions(state, lastTurn(state)),
      wholeActions(state),
    ]) {
      const keys = groups
        .flatMap(({ actions }) => actions)
        .flatMap((id) => ACTIONS[id].shortcut ?? [])
        .map((shortcut) => JSON.stringify(shortcut));
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

describe('icons', () => {
  /** Typed by the package, but without a picture in the launcher (0.26.3): they draw nothing. */
  const undrawn = [
    'Document',
    'TextDocument',
    'Clipboard',
    'Globe',
    'Gear',
    'Info',
    'Important',
    'List',
    'Message',
    'Bubble',
    'QuestionMark',
    'ExclamationMark',
    'XmarkCircle',
    'EyeSlash',
    'Shield',
    'Sidebar',
    'Window',
    'TwoArrowsClockwise',
    'MemoryChip',
  ];
  const drawn = Object.entries(Icon).filter(([name]) => !undrawn.includes(name));

  it.each([...Object.entries(ICONS), ...Object.entries(STATE_ICONS)])(
    '%s is drawn by the launcher',
    (_use, icon) => {
      expect(drawn.map(([, value]) => value)).toContain(icon);
    },
  );
});
