import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ConversationEntry } from '../host/store/index-cache';
import type { Turn } from '../lib/types';
import { previewMarkdown } from '../views/conversations/preview';
import { byAge, byRank, byTitle, MAX_ROWS } from '../views/conversations/rows';
import { makeConversation, makeTurn } from './support/builders';
import { drawPane } from './support/pane-model';

const NOW = new Date(2026, 10, 30, 15, 0).getTime();
const entry = (id: string, overrides: Partial<ConversationEntry> = {}): ConversationEntry => ({
  id,
  title: `About ${id}`,
  createdAt: NOW,
  updatedAt: NOW,
  turns: 1,
  ...overrides,
});
const hit = (id: string) => ({ id, score: 1 });

describe('rows', () => {
  const anyEntries = fc
    .uniqueArray(
      fc.record({
        id: fc.stringMatching(/^[a-z]{1,8}$/),
        age: fc.integer({ min: 0, max: 4e9 }),
        pinned: fc.boolean(),
      }),
      { selector: ({ id }) => id, maxLength: 300 },
    )
    .map((all) =>
      all
        .map(({ id, age, pinned }) =>
          entry(id, { updatedAt: NOW - age, ...(pinned ? { pinned: true as const } : {}) }),
        )
        .sort((a, b) => b.updatedAt - a.updatedAt),
    );

  it('hold each conversation once, at most a hundred of them, and count the rest', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { sections, hidden } = byAge(entries, NOW);
        const rows = sections.flatMap((section) => section.rows);
        const ids = rows.map((row) => row.entry.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBe(Math.min(MAX_ROWS, entries.length));
        expect(hidden).toBe(entries.length - ids.length);
        expect(sections.every((section) => section.rows.length > 0)).toBe(true);
      }),
    );
  });

  it('are newest first in each section, pinned ones before all others', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const rows = byAge(entries, NOW).sections.flatMap((section) => section.rows);
        const pinned = rows.map((row) => row.entry.pinned === true);
        expect(pinned).toEqual([...pinned].sort((a, b) => Number(b) - Number(a)));
        for (const isPinned of [true, false]) {
          const times = rows
            .filter((row) => (row.entry.pinned === true) === isPinned)
            .map((row) => row.entry.updatedAt);
          expect(times).toEqual([...times].sort((a, b) => b - a));
        }
      }),
    );
  });

  it('follow the rank of the hits; what is gone is left out', () => {
    const entries = [entry('a'), entry('b'), entry('c')];
    const snippet = { turnId: 't', part: 'question' as const, text: '…' };
    const { sections, hidden } = byRank([hit('c'), hit('x'), { ...hit('a'), snippet }], entries);
    expect(sections).toEqual([
      { title: 'Found', rows: [{ entry: entry('c') }, { entry: entry('a'), turnId: 't' }] },
    ]);
    expect(hidden).toBe(0);
    expect(byRank([], entries).sections).toEqual([]);
  });

  it.each([
    ['about zeta', ['zeta']],
    ['ABOUT', ['a', 'zeta']],
    ['zeta about', ['zeta']],
    ['about y', []],
  ])('without an index, %j finds %j by title', (query, ids) => {
    const { sections } = byTitle([entry('a'), entry('zeta')], query);
    expect(sections.flatMap(({ rows }) => rows.map((row) => row.entry.id))).toEqual(ids);
  });
});

describe('the preview', () => {
  const turn = (id: string, overrides: Partial<Turn> = {}) =>
    makeTurn({ id, question: `Question ${id}?`, response: `Answer ${id}.`, ...overrides });
  const at = NOW + 2 * 3_600_000;
  const draw = (overrides: Parameters<typeof makeConversation>[0], turnId?: string) =>
    drawPane(
      previewMarkdown(makeConversation({ updatedAt: NOW, ...overrides }), {
        at,
        ...(turnId === undefined ? {} : { turnId }),
      }),
    ).text;

  it('shows the newest exchange', () => {
    expect(draw({ title: 'Tea', turns: [turn('a'), turn('b', { toolCalls: [] })] })).toBe(
      'Tea\n\n2 questions · 2 hr. ago\n\nQuestion b?\n\nAnswer b.',
    );
  });

  it('shows the exchange that was found', () => {
    const text = draw({ title: 'Tea', turns: [turn('a'), turn('b')] }, 'a');
    expect(text).toContain('2 questions · 2 hr. ago · question 1:');
    expect(text).toContain('Answer a.');
  });

  it('shows what was found in a variant that is not on screen', () => {
    const turns = [turn('a', { parent: '' }), turn('b', { parent: '' })];
    const text = draw({ turns, head: 'b' }, 'a');
    expect(text).toContain('1 question · 2 hr. ago · from another version:');
    expect(text).toContain('Answer a.');
  });

  it.each([
    ['Question a?', false],
    ['Question…', false],
    ['Another title', true],
  ])('the title %j stands above it: %j', (title, isThere) => {
    expect(draw({ title, turns: [turn('a')] }).startsWith(title)).toBe(isThere);
  });

  it('tells of a found exchange that is gone, and of a conversation without any', () => {
    expect(draw({ turns: [turn('a')] }, 'gone')).toContain('Answer a.');
    expect(draw({ title: 'Tea', turns: [] })).toBe('Tea\n\n0 questions · 2 hr. ago');
  });

  it('draws no mark of a title', () => {
    expect(draw({ title: '# [x](y) *b* <b>' })).toContain('# [x](y) *b* ‹b›');
  });
});
