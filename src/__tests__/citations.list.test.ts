import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeConversation, encodeConversation } from '../host/store/decode';
import { citedIndices, renderSources, turnSources } from '../lib/citations';
import {
  buildThreadMarkdown,
  sessionToPlainText,
  threadMarkdown,
  turnMarkdown,
  turnToMarkdown,
} from '../lib/markdown';
import type { Source, SourceStatus, Turn } from '../lib/types';

import { makeConversation, makeToolCall, makeTurn } from './support/builders';
import { hostileMarkdown } from './support/hostile-markdown';
import { drawPane } from './support/pane-model';

const HEAD = '_Sources_\n\n';

/** The list at the end of a document of one answer. */
const listOf = (markdown: string): string => {
  const at = markdown.lastIndexOf(HEAD);
  return at < 0 ? '' : markdown.slice(at);
};

/** The lists of a document of several answers, one an answer. */
const listsOf = (markdown: string): string[] =>
  markdown.split(/\n\n---\n\n(?=> Question )/).map(listOf);

/** The turns as they are after the window was closed and opened again. */
function reopened(turns: Turn[]): Turn[] {
  const outcome = decodeConversation(
    JSON.parse(encodeConversation(makeConversation({ turns }))),
    'tea',
    0,
  );
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.conversation.turns;
}

/** The list of each turn wherever it is shown. */
const everywhere = (turns: Turn[]): Record<string, string[]> => {
  const whole = threadMarkdown(turns);
  const messages = turns
    .flatMap(({ id, question, response, ...rest }) => [
      { id: `${id}q`, role: 'user' as const, text: question },
      { ...rest, id, role: 'assistant' as const, text: response },
    ])
    .reverse();
  return {
    pane: turns.map((turn) => listOf(turnMarkdown(turn))),
    'whole conversation': listsOf(whole),
    'whole conversation by messages': listsOf(buildThreadMarkdown(messages)),
    copy: turns.map((turn) => listOf(turnToMarkdown(turn))),
    'copy of the conversation': listsOf(sessionToPlainText(turns)),
  };
};

const source: fc.Arbitrary<Omit<Source, 'index'>> = fc.record(
  {
    title: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), hostileMarkdown),
    url: fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.constantFrom('javascript:alert(1)', '', 'https://a.example/a b', '/home/tea/a b.pdf'),
    ),
    kind: fc.constantFrom('web', 'document'),
    status: fc.constantFrom<SourceStatus>('hit', 'read', 'blocked'),
  },
  { requiredKeys: ['title', 'url'] },
);
const numbered = fc
  .array(fc.record({ step: fc.constantFrom(1, 1, 1, 2, 40), page: source }), { maxLength: 20 })
  .map((rows) => {
    let index = 0;
    return rows.map(({ step, page }): Source => ({ ...page, index: (index += step) }));
  });
const ordinary = fc
  .array(
    fc.constantFrom(
      'Wet [1].',
      ' And [2][3].',
      '\n\n- dry [4]',
      ' `a[1]`',
      '\n\n> so [2]',
      ' words',
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const turn: fc.Arbitrary<Turn> = fc
  .record({
    response: fc.oneof(ordinary, hostileMarkdown),
    sources: numbered,
    /** How many of them come from earlier turns. */
    carried: fc.nat(4),
    state: fc.constantFrom('done', 'done', 'stopped', 'failed', 'interrupted'),
    failed: fc.boolean(),
  })
  .map(({ response, sources, carried, state, failed }) =>
    makeTurn({
      response,
      state,
      ...(failed ? { error: 'The server is gone.' } : {}),
      ...(carried > 0 ? { carried: sources.slice(0, carried) } : {}),
      toolCalls: [makeToolCall({ sources: sources.slice(carried), statuses: [] })],
    }),
  );
const conversation = fc
  .array(turn, { minLength: 1, maxLength: 3 })
  .map((turns) =>
    turns.map((each, n) => ({ ...each, id: `t${n}`, question: `Question ${n + 1}?` })),
  );

describe('the list', () => {
  it('is the same in the pane, in the whole conversation, in the copies and after a reload', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const expected = turns.map((each) => {
          const sources = turnSources(each);
          return renderSources(sources, citedIndices(each.response, sources), false);
        });
        for (const shown of [turns, reopened(turns)]) {
          for (const [where, lists] of Object.entries(everywhere(shown)))
            expect([where, lists]).toEqual([where, expected]);
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('holds the cited numbers and no others, each with its page', () => {
    fc.assert(
      fc.property(turn, (each) => {
        const sources = turnSources(each);
        const cited = citedIndices(each.response, sources);
        const { blocks, links, fetches, crashes } = drawPane(renderSources(sources, cited, false));
        const rows = blocks.flatMap((block) => (block.kind === 'list' ? block.rows : []));
        const numbers = rows.map(({ text }) => Number(/^\[(\d+)\]/.exec(text)?.[1]));
        const all = sources.map(({ index }) => index);
        expect(numbers).toEqual(
          cited.size > 0 ? all.filter((index) => cited.has(index)) : all.slice(0, 12),
        );
        for (const { text, href } of links) {
          const page = sources.find(({ index }) => text === `[${index}]`);
          expect(decodeURIComponent(href)).toBe(decodeURIComponent(page?.url ?? ''));
        }
        expect({ fetches, crashes }).toEqual({ fetches: [], crashes: [] });
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

describe('rows', () => {
  const page = (index: number, more: Partial<Source> = {}): Source => ({
    index,
    title: `Page ${index}`,
    url: `https://p${index}.example/`,
    ...more,
  });
  const pages = (count: number) => Array.from({ length: count }, (_, i) => page(i + 1));
  const shown = (sources: Source[], response = '', more: Partial<Turn> = {}) =>
    drawPane(
      listOf(
        turnMarkdown(
          makeTurn({ response, toolCalls: [makeToolCall({ sources, statuses: [] })], ...more }),
        ),
      ),
    ).text.split('\n');

  it.each<[string, Source[], string, number, string | undefined]>([
    ['twelve uncited ones are all shown', pages(12), '', 12, undefined],
    ['of thirteen one is counted', pages(13), '', 12, 'and 1 more'],
    ['of a hundred eighty-eight are', pages(100), '', 12, 'and 88 more'],
    ['cited ones are shown, however many', pages(30), '[1-10][11-20][21-30]', 30, undefined],
    ['one cited one stands alone', pages(30), 'So [30].', 1, undefined],
    ['an unknown number cites nothing', pages(13), 'So [14].', 12, 'and 1 more'],
  ])('%s', (_why, sources, response, count, rest) => {
    const lines = shown(sources, response);
    expect(lines.filter((line) => line.startsWith('• '))).toHaveLength(count);
    expect(lines.find((line) => line.startsWith('and '))).toBe(rest);
  });

  it.each<[string, Source, string, string[]]>([
    [
      'a document',
      page(1, { kind: 'document', url: '/home/tea/notes.pdf' }),
      '• [1] Page 1',
      ['/home/tea/notes.pdf'],
    ],
    [
      'a document with spaces and a percent sign in its path',
      page(1, { kind: 'document', url: '/home/tea/my 100% notes.pdf' }),
      '• [1] Page 1',
      ['/home/tea/my 100% notes.pdf'],
    ],
    ['a document that is no path', page(1, { kind: 'document', url: 'x.pdf' }), '• [1] Page 1', []],
    ['a path that is no document', page(1, { url: '/home/tea/x.pdf' }), '• [1] Page 1', []],
    [
      'a document without a title',
      page(1, { kind: 'document', url: '/a.pdf', title: '' }),
      '• [1] /a.pdf',
      ['/a.pdf'],
    ],
  ])('%s', (_why, source, row, hrefs) => {
    for (const response of ['', 'So [1].']) {
      expect(shown([source], response)).toContain(row);
      const { links } = drawPane(renderSources([source], [1], false));
      expect(links.map(({ href }) => href)).toEqual(hrefs);
    }
  });

  it.each<SourceStatus | undefined>([undefined, 'hit', 'read', 'part', 'blocked', 'timed-out'])(
    'say nothing of a status (%s)',
    (status) => {
      const one = status === undefined ? page(1) : page(1, { status });
      expect(shown([one], 'So [1].')).toContain('• [1] Page 1');
    },
  );

  it('are there once a turn has ended, however it did, and not before', () => {
    const carried = [page(1), page(2)];
    for (const state of ['stopped', 'failed', 'interrupted', 'done'] as const) {
      const cited = state === 'done' ? [page(2)] : carried;
      const lines = shown([page(3)], 'So [2].', { state, carried: cited });
      expect(lines.filter((line) => line.startsWith('• '))).toEqual(['• [2] Page 2']);
    }
    const running = makeTurn({ response: 'So [1].', state: 'running', carried });
    for (const markdown of [
      turnMarkdown(running),
      threadMarkdown([running]),
      turnToMarkdown(running),
    ])
      expect(markdown).not.toContain('_Sources_');
  });

  it('of what was offered from earlier turns and is not cited are none', () => {
    const carried = [page(1), page(2)];
    expect(shown([page(3)], 'No number.', { state: 'stopped', carried })).toContain('• [3] Page 3');
    expect(shown([page(3)], 'No number.', { state: 'stopped', carried })).toHaveLength(3);
  });
});
