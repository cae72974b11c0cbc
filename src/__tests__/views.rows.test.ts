import { describe, expect, it } from 'vitest';

import type { SourceStatus, Turn } from '../lib/types';
import { ageOf, sectionOf, shortAge, timeLeft } from '../views/ages';
import { accessoryOf, oneLine, unreadableTitle } from '../views/row-text';
import { sourceLabel, sourceStatus } from '../views/source-label';

const turn: Turn = {
  id: 't',
  question: 'Why?',
  response: '',
  toolCalls: [],
  state: 'done',
  startedAt: 1,
};
const source = (index: number) => ({ index, title: 'T', url: `https://s${index}.example` });

describe('rows', () => {
  it.each([
    ['one\ntwo', 'one two'],
    ['', '(no text)'],
    ['  ', '(no text)'],
    ['a <img src="x">', 'a ‹img src="x"›'],
  ])('%j is shown as %j', (text, row) => {
    expect(oneLine(text)).toBe(row);
  });

  it.each<[string, Turn]>([
    ['…', { ...turn, state: 'running' }],
    ['failed', { ...turn, state: 'failed' }],
    ['cut off', { ...turn, state: 'interrupted' }],
    ['stopped', { ...turn, state: 'stopped' }],
    ['', turn],
    ['none cited', { ...turn, carried: [source(1)] }],
    ['none cited', { ...turn, response: 'So [7].', carried: [source(1)] }],
    [
      '2 sources',
      {
        ...turn,
        toolCalls: [
          {
            name: 'provider_search',
            arguments: {},
            result: '',
            isError: false,
            sources: [source(1), source(2)],
          },
        ],
      },
    ],
    ['1 source', { ...turn, response: 'So [2].', carried: [source(1), source(2)] }],
    ['2 sources', { ...turn, response: 'So [2], [1].', carried: [source(1), source(2)] }],
  ])('%j beside the title', (accessory, row) => {
    expect(accessoryOf(row)).toBe(accessory);
  });
});

describe('files that could not be read', () => {
  it.each([
    ['it is not JSON', 'Damaged file: not JSON'],
    ['it is empty', 'Damaged file: empty'],
    ['its list of exchanges is missing', 'Damaged file: its list of exchanges is missing'],
    ['it was written by a newer version of Lam: update Lam to open it', 'Made by a newer Lam'],
    ['Lam has no permission to read it', 'No permission to read the file'],
    [undefined, 'Not a file of Lam'],
  ])('%j is called %j', (reason, title) => {
    const found = { id: 'a', problem: 'It cannot be opened.', kind: 'unreadable' as const };
    expect(unreadableTitle(reason === undefined ? found : { ...found, reason })).toBe(title);
  });
});

describe('sources', () => {
  it.each<[SourceStatus | undefined, string | undefined]>([
    [undefined, undefined],
    ['read', undefined],
    ['hit', 'search hit, not opened'],
    ['not-found', 'page not found'],
  ])('a source that is %s: %s', (status, words) => {
    const page = { index: 3, title: 'A page', url: 'https://a.example', status };
    expect([sourceLabel(page), sourceStatus(page)]).toEqual(['[3] A page', words]);
  });

  it('a long title of a source fits the panel', () => {
    const label = sourceLabel({ index: 12, title: 'word '.repeat(20), url: 'https://a.example' });
    expect(label.length).toBeLessThanOrEqual(40);
    expect(label).toMatch(/^\[12\] word .*…$/u);
  });

  it('a title cannot act', () => {
    const title = '<img src="http://tracker.example/x.png">';
    expect(sourceLabel({ index: 1, title, url: 'https://a.example' })).not.toContain('<');
  });
});

describe('ages', () => {
  const now = new Date(2026, 10, 30, 15, 0).getTime(); // local time, as the sections are
  const minutes = (n: number) => now - n * 60_000;

  it.each([
    [minutes(0), 'Today'],
    [new Date(2026, 10, 30, 0, 0).getTime(), 'Today'],
    [new Date(2026, 10, 29, 23, 59).getTime(), 'Yesterday'],
    [new Date(2026, 10, 29, 0, 0).getTime(), 'Yesterday'],
    [new Date(2026, 10, 28, 23, 59).getTime(), 'Last 7 Days'],
    [new Date(2026, 10, 23, 15, 1).getTime(), 'Last 7 Days'],
    [new Date(2026, 10, 23, 14, 59).getTime(), 'Last 30 Days'],
    [new Date(2026, 9, 31, 15, 1).getTime(), 'Last 30 Days'],
    [new Date(2026, 9, 31, 14, 59).getTime(), 'Older'],
    [minutes(-5), 'Today'], // the clock was set back
  ])('%d belongs to %s', (time, section) => {
    expect(sectionOf(time, now)).toBe(section);
  });

  it.each([
    [0, 'now'],
    [-5, 'now'],
    [1, '1 min. ago'],
    [59, '59 min. ago'],
    [60, '1 hr. ago'],
    [24 * 60, '1 day ago'],
    [27 * 24 * 60, '27 days ago'],
  ])('%d minutes ago is %j', (age, words) => {
    expect(ageOf(minutes(age), now)).toBe(words);
  });

  it('older than four weeks shows the date', () => {
    expect(ageOf(new Date(2026, 0, 5).getTime(), now)).toBe('Jan 5, 2026');
  });

  it.each([
    [minutes(-5), 'now'],
    [minutes(0), 'now'],
    [minutes(59), '59 min'],
    [minutes(60), '1 h'],
    [minutes(24 * 60), '1 d'],
    [minutes(27 * 24 * 60), '27 d'],
    [new Date(2026, 0, 5).getTime(), 'Jan 5'],
    [new Date(2025, 0, 5).getTime(), 'Jan 2025'],
  ])('%d is %j beside a title', (time, words) => {
    expect(shortAge(time, now)).toBe(words);
  });

  it.each([
    [30 * 24 * 60, '30 d left'],
    [30 * 24 * 60 - 1, '30 d left'],
    [24 * 60 + 1, '2 d left'],
    [24 * 60, 'last day'],
    [-5, 'last day'],
  ])('%d minutes to go: %j', (left, words) => {
    expect(timeLeft(minutes(-left), now)).toBe(words);
  });
});
