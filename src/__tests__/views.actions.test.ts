import { Icon } from '@vicinae/api';
import { describe, expect, it } from 'vitest';

import { lastTurn, type ChatState } from '../host/session/state';
import { remedyFor } from '../host/setup/first-run';
import { COPY_FORMATS } from '../lib/markdown';
import { plain } from '../lib/render';
import type { FailureKind, Turn, TurnState } from '../lib/types';
import {
  ACTIONS,
  answerActions,
  chatActions,
  SUBMENUS,
  wholeActions,
  type ActionGroup,
} from '../views/action-table';
import { codeLabel, codeOf, lineCount } from '../views/code-copies';
import { contentOf, copySaid, copyTitle, type CopyPart } from '../views/copies';
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
    conversation: { version: 2, id: 'c', title: 'Why?', createdAt: 1, updatedAt: 1, turns },
    draft: '',
    server: { kind: 'ready', model: 'small-model', searches: true },
    serverName: 'Ollama',
    models: [{ id: 'small-model' }, { id: 'large-model' }],
    problems: [],
    problemElsewhere: '',
    showToolCalls: false,
    showReasoning: false,
    ...overrides,
  };
}

const missing = (kind: FailureKind): Partial<ChatState> => ({
  server: {
    kind: 'failed',
    failure: { kind, message: '' },
    remedy: remedyFor(
      { kind, message: '' },
      { modelServer: 'openai-compatible', address: 'http://a.example', model: '' },
    ),
  },
});
/** The actions of a panel in order; a submenu under its own name. */
const ids = (groups: ActionGroup[]): string[] =>
  groups.flatMap(({ entries }) =>
    entries.map((entry) => (typeof entry === 'string' ? entry : entry.submenu)),
  );
/** What `Copy As…` offers to copy; undefined where the panel has no such submenu. */
const copyParts = (groups: ActionGroup[]): string[] | undefined =>
  groups
    .flatMap(({ entries }) => entries)
    .flatMap((entry) =>
      typeof entry !== 'string' && entry.submenu === 'copyAs' ? [entry.parts] : [],
    )[0];
const running = { turnId: 'turn-1', answer: '', activity: plain`Thinking…` };

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
    ['not-running', ['checkServer', 'preferences']],
  ])('put first what helps when the server is missing, and each thing once: %s', (kind, first) => {
    const offered = ids(chatActions(chat([], missing(kind)), undefined));
    expect(offered.slice(0, 2)).toEqual(first);
    expect(new Set(offered).size).toBe(offered.length);
    expect(offered).toContain('preferences');
  });

  it.each<[string | undefined, string[]]>([
    [undefined, ['tryAgain', 'openAnswer']],
    ['server-error', ['tryAgain', 'openAnswer']],
    ['a kind of a later version', ['tryAgain', 'openAnswer']],
    ['unauthorized', ['preferences', 'tryAgain']],
    ['wrong-address', ['preferences', 'tryAgain']],
    ['context-length', ['newConversation', 'tryAgain']],
    ['model-not-found', ['chooseModel', 'tryAgain']],
  ])('put first what helps after a failure of the kind %s', (failureKind, first) => {
    const failed = turn('failed', { response: '', failureKind });
    const offered = ids(chatActions(chat([failed]), failed));
    expect(offered.slice(0, 2)).toEqual(first);
    expect(new Set(offered).size).toBe(offered.length);
  });

  it('offer to go on with an answer that reached its length', () => {
    const cut = turn('done', { cut: true });
    expect(ids(chatActions(chat([cut]), cut)).slice(0, 2)).toEqual(['openAnswer', 'continue']);
    const earlier = turn('done', { id: 'turn-0', cut: true });
    expect(ids(chatActions(chat([earlier, turn('done')]), earlier))).not.toContain('continue');
  });

  it('page through the versions of an exchange', () => {
    const of = (id: string) => turn('done', { id, parent: '' });
    const state = chat([of('a'), of('b'), of('c')]);
    const offered = (id: string) =>
      ids(chatActions(state, of(id))).filter((each) => each.endsWith('Variant'));
    expect(offered('a')).toEqual(['laterVariant']);
    expect(offered('b')).toEqual(['earlierVariant', 'laterVariant']);
    expect(offered('c')).toEqual(['earlierVariant']);
  });

  it('change nothing while an answer is written, here or elsewhere', () => {
    const changes = ['regenerate', 'regenerateWith', 'editQuestion', 'deleteExchange'];
    const old = turn('done', { id: 'turn-0' });
    const busy = chat([old, turn('running')], { running });
    const elsewhere = chat([old, turn('running')], { phase: 'waiting' });
    for (const state of [busy, elsewhere])
      expect(ids(chatActions(state, old)).filter((id) => changes.includes(id))).toEqual([]);
    expect(ids(chatActions(chat([old]), old))).toEqual(expect.arrayContaining(changes));
  });

  it('offer one way to ask again', () => {
    for (const state of ['done', 'stopped', 'failed', 'interrupted'] as const) {
      const ways = ids(chatActions(chat([turn(state)]), turn(state)));
      expect(ways.filter((id) => id === 'regenerate' || id === 'tryAgain')).toHaveLength(1);
    }
  });

  it('begin another conversation while another launch writes this one', () => {
    const state = chat([turn('running')], { phase: 'waiting' });
    expect(ids(chatActions(state, lastTurn(state)))).toContain('newConversation');
    expect(ids(chatActions(state, undefined))).toContain('newConversation'); // a problem is selected
  });

  it('copy no answer that is not there', () => {
    const state = chat([turn('failed', { response: '' })]);
    for (const groups of [
      chatActions(state, lastTurn(state)),
      answerActions(state, lastTurn(state)),
    ]) {
      expect(ids(groups)).not.toContain('copyAnswer');
      expect(ids(groups)).not.toContain('copyAnswerText');
      expect(ids(groups)).toContain('copyConversation');
      expect(copyParts(groups)).toEqual(['exchange', 'conversation']);
    }
  });

  it.each<TurnState>(['running', 'done', 'stopped', 'interrupted', 'failed'])(
    'copy what there is of an answer that is %s, the default forms first',
    (is) => {
      const state = chat([turn(is)], is === 'running' ? { running } : {});
      for (const groups of [
        chatActions(state, lastTurn(state)),
        answerActions(state, lastTurn(state)),
      ]) {
        expect(groups.find(({ id }) => id === 'copy')?.entries).toEqual([
          'copyAnswer',
          'copyConversation',
          'copyAnswerText',
          { submenu: 'copyAs', parts: ['answer', 'exchange', 'conversation'] },
          ...(is === 'running' ? [] : ['showEvidence']), // looked for when the answer ends
          { submenu: 'openSource' },
        ]);
      }
    },
  );

  it('copy the conversation from its own view, and nothing where there is nothing', () => {
    expect(copyParts(wholeActions(chat([turn('done')])))).toEqual(['conversation']);
    expect(copyParts(wholeActions(chat([])))).toBeUndefined();
    expect(copyParts(chatActions(chat([]), undefined))).toBeUndefined();
    expect(copyParts(answerActions(chat([]), undefined))).toBeUndefined();
  });
});

describe('copies of code', () => {
  const fence = (code: string, language = '') => `\`\`\`${language}\n${code}\n\`\`\``;
  const two = `${fence('import os\nos.getcwd()', 'python')}\n\nThen:\n\n1. Step\n\n   ${fence('ls').replaceAll('\n', '\n   ')}`;

  it.each<[string, string, Partial<Turn>, string[]]>([
    ['no code', 'Words and `code` in a line.', {}, []],
    ['one block', fence('ls -l'), {}, ['copyCode']],
    ['several', two, {}, ['copyCodeBlock']],
    ['an empty block', fence('  '), {}, []],
    ['an answer that was stopped', fence('ls -l'), { state: 'stopped' }, ['copyCode']],
    ['an answer that is being written', fence('ls -l'), { state: 'running' }, []],
  ])('are offered by how many blocks there are: %s', (_name, response, overrides, expected) => {
    const state = chat([turn('done', { response, ...overrides })]);
    for (const groups of [
      chatActions(state, lastTurn(state)),
      answerActions(state, lastTurn(state)),
    ])
      expect(ids(groups).filter((id) => id.startsWith('copyCode'))).toEqual(expected);
  });

  it('hold the code as it was written, without the marks of the list around it', () => {
    const state = chat([turn('done', { response: two })]);
    const blocks = chatActions(state, lastTurn(state))
      .flatMap(({ entries }) => entries)
      .flatMap((entry) =>
        typeof entry !== 'string' && entry.submenu === 'copyCodeBlock' ? entry.blocks : [],
      );
    expect(blocks).toEqual([
      { language: 'python', code: 'import os\nos.getcwd()' },
      { language: '', code: 'ls' },
    ]);
  });

  it('are fifty at most', () => {
    const response = Array.from({ length: 60 }, (_, at) => fence(`step ${at}`)).join('\n\n');
    expect(codeOf(turn('done', { response }))).toHaveLength(50);
  });

  it.each<[string, string, string]>([
    ['python', 'import os\nos.getcwd()', '3. python: import os…'],
    ['', 'ls', '3. ls'],
    ['sh', '\n\n  ls\n', '3. sh: ls'],
    [
      'html',
      '<img src="http://pixel.example/a.png">',
      '3. html: ‹img src="http://pixel.example/a.png"›',
    ],
    ['c++', 'a\r\nb', '3. c++: a…'],
  ])('are named by language and first line: %s %j', (language, code, label) => {
    expect(codeLabel({ language, code }, 2)).toBe(label);
  });

  it('have short names', () => {
    const label = codeLabel({ language: 'js', code: `${'x'.repeat(500)}\ny` }, 0);
    expect(label).toMatch(/^1\. js: x+…$/);
    expect(label.length).toBeLessThan(60);
  });

  it.each([
    ['ls', '1 line'],
    ['a\nb\r\nc', '3 lines'],
    ['a\n', '2 lines'],
  ])('tell how much was copied: %j', (code, said) => {
    expect(lineCount({ language: '', code })).toBe(said);
  });
});

describe('copies', () => {
  const PARTS: CopyPart[] = ['answer', 'exchange', 'conversation'];
  const all = PARTS.flatMap((part) => COPY_FORMATS.map((format) => ({ part, format })));
  const first = turn('done', { id: 'one', question: 'First?', response: 'One **bold** word.' });
  const second = turn('done', { id: 'two', question: 'Second?', response: 'Two.' });
  const turns = [first, second];

  it('have titles that say all by themselves', () => {
    const titles = all.map(copyTitle);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).toContain('Conversation as Plain Text');
    expect(titles).toContain('Answer as Markdown with Footnotes');
  });

  it.each(all)('hold their part and no more: $part as $format', ({ part, format }) => {
    const content = contentOf({ part, format }, { turn: first, turns });
    const texts = typeof content === 'string' ? [content] : [content?.text, content?.html];
    for (const text of texts) {
      expect(text).toContain('bold');
      expect(text?.includes('First?')).toBe(part !== 'answer');
      expect(text?.includes('Second?')).toBe(part === 'conversation');
    }
    expect(typeof content === 'object').toBe(format === 'html');
  });

  it('hold nothing of an exchange that is gone', () => {
    const gone = { turn: undefined, turns };
    expect(contentOf({ part: 'answer', format: 'html' }, gone)).toBeUndefined();
    expect(contentOf({ part: 'exchange', format: 'text' }, gone)).toBeUndefined();
    expect(contentOf({ part: 'conversation', format: 'text' }, gone)).toContain('Second?');
  });

  it('put the plain text beside the rich text', () => {
    const from = { turn: first, turns };
    expect(contentOf({ part: 'exchange', format: 'html' }, from)).toMatchObject({
      text: contentOf({ part: 'exchange', format: 'text' }, from),
    });
  });

  it('are told by what was copied and how', () => {
    expect(copySaid({ part: 'answer', format: 'text' })).toEqual({
      what: 'Answer',
      how: 'as plain text',
    });
    expect(copySaid({ part: 'conversation', format: 'footnotes' })).toEqual({
      what: 'Conversation',
      how: 'as Markdown with footnotes',
    });
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
        .flatMap(({ entries }) => entries)
        .flatMap((entry) => (typeof entry === 'string' ? (ACTIONS[entry].shortcut ?? []) : []))
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

  it.each(Object.values({ ...ACTIONS, ...SUBMENUS }))('$title has one', ({ icon }) => {
    expect(Object.values(ICONS)).toContain(icon);
  });

  it.each([...Object.entries(ICONS), ...Object.entries(STATE_ICONS)])(
    '%s is drawn by the launcher',
    (_use, icon) => {
      expect(drawn.map(([, value]) => value)).toContain(icon);
    },
  );
});
