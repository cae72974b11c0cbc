import { describe, expect, it } from 'vitest';

import { linkCitations } from '../lib/citations';
import { scan } from '../lib/code';
import { renderModelOutput } from '../lib/render';

import { makeSource } from './support/builders';

/** What becomes of texts that would cost too much. How long anything takes is the benchmark's business. */

const sources = [makeSource()];
const LINK = '[\\[1\\]](https://page-1.example/)';
const link = (text: string): string => linkCitations(text, sources).text;
const render = (text: string): string => renderModelOutput(text, { sources }).text;

const types = (text: string): string[] => [
  ...new Set(scan(text).tree.children.map(({ type }) => type)),
];

describe('one block that is too dense', () => {
  it.each([
    ['brackets', '['.repeat(3000)],
    ['emphasis', '*_'.repeat(3000)],
    ['half links', '[1]('.repeat(1500)],
    ['numbers', `[${'1,'.repeat(40_000)}`],
    ['letters', 'a'.repeat(70_000)],
  ])('%s: stays as written, and its neighbours keep their markers', (_what, block) => {
    expect(link(`a [1]\n\n${block}\n\nb [1]`)).toBe(`a ${LINK}\n\n${block}\n\nb ${LINK}`);
  });
});

describe('more lines than the budget reaches', () => {
  it.each([
    ['lines', 'a [1]\n', 60_000],
    ['list items', '- a [1]\n', 12_000],
    ['quotes', '> a [1]\n\n', 10_000],
    ['headings', '# a [1]\n', 15_000],
    ['underlined headings', 'a [1]\n===\n', 3000],
    ['rows of a table', '|a [1]|b|\n', 15_000],
    ['CRLF', '- a [1]\r\n', 12_000],
    ['lone carriage returns', '- a [1]\r', 12_000],
  ])(
    '%s: what stands before keeps its markers, the last lines are as written',
    (_what, line, count) => {
      const end = line.repeat(100);
      const linked = link(`b [1]\n\n${line.repeat(count)}${end}`);
      expect(linked.startsWith(`b ${LINK}`)).toBe(true);
      expect(linked.endsWith(end)).toBe(true);
    },
  );

  it('each of them is a piece of its own, without its line ending', () => {
    const text = '- a [1]\r\n'.repeat(12_100);
    const { unparsed } = scan(text);
    expect(unparsed.length).toBeGreaterThan(50);
    expect(new Set(unparsed.map(({ start, end }) => text.slice(start, end)))).toEqual(
      new Set(['- a [1]']),
    );
    expect(unparsed.at(-1)?.end).toBe(text.length - 2);
  });

  it('nothing in them acts in the pane', () => {
    const rows = '[q]: vicinae://kill\n# <img src=x> ![x](y)\n';
    const last = render(`${rows.repeat(7000)}\n[q]`)
      .split('\n')
      .slice(-3);
    expect(last).toEqual(['\\# \\<img src=x\\> \\!\\[x\\]\\(y\\)', '', '\\[q\\]']);
  });

  it('a table so long is as written from its first line on, so that the rest is no rows of it', () => {
    const table = `|a|b|\n|-|-|\n${'|c|[1]|\n'.repeat(16_000)}`;
    const text = `b [1]\n\n${table}`;
    expect(link(text)).toBe(`b ${LINK}\n\n${table}`);
    expect(render(text).split('\n').slice(0, 4)).toEqual([
      `b ${LINK}`,
      '',
      '\\|a\\|b\\|',
      '\\|-\\|-\\|',
    ]);
  });

  it('so is one in a list item', () => {
    const table = `|a|b|\n  |-|-|\n${'  |c|d|\n'.repeat(16_000)}`;
    expect(render(`- ${table}`).split('\n').slice(0, 2)).toEqual([
      '- \\|a\\|b\\|',
      '  \\|-\\|-\\|',
    ]);
  });

  it('a table that has ended stays one', () => {
    expect(types(`|a|\n|-|\n\n${'b\n\n'.repeat(31_000)}`)).toContain('table');
  });

  it('a fence goes on to its end as code, and what follows is as written', () => {
    const fence = `\`\`\`js\n${'a [1] *b*\n'.repeat(61_000)}\`\`\``;
    const text = `b [1]\n\n${fence}\n\nc [1]\n`;
    expect(link(text)).toBe(`b ${LINK}\n\n${fence}\n\nc [1]\n`);
    expect(render(text)).toBe(`b ${LINK}\n\n${fence}\n\nc \\[1\\]\n`);
  });

  it('a fence that is still open then is closed at the end', () => {
    const fence = `~~~\n${'a [1] *b*\n'.repeat(61_000)}`;
    expect(render(fence)).toBe(`${fence}~~~`);
  });
});

describe('what costs nothing', () => {
  it('a megabyte of cited paragraphs loses no marker', () => {
    const paragraph = `${'The plant grows best in acid soil with a little shade [1]. '.repeat(4)}\n\n`;
    const count = Math.ceil(1_000_000 / paragraph.length);
    expect(link(paragraph.repeat(count)).split(LINK)).toHaveLength(4 * count + 1);
  });

  it.each([
    ['a line of quote marks', '>'.repeat(50_000)],
    ['a line of spaces', ' '.repeat(500_000)],
    ['a line of list markers', '- '.repeat(50_000)],
  ])('%s takes nothing from what follows', (_what, line) => {
    expect(link(`${line}\n\nb [1]`).endsWith(`\n\nb ${LINK}`)).toBe(true);
  });
});
