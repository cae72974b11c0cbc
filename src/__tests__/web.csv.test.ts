import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { layOutCsv } from '../bundles/page/csv';

const table = (...rows: string[][]): string => {
  const [head = [], ...rest] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...rest].join('\n');
};

describe('layOutCsv', () => {
  it.each([
    ['commas', 'a,b\n1,2\n', table(['a', 'b'], ['1', '2'])],
    ['semicolons and decimal commas', 'a;b\n1,5;2\n', table(['a', 'b'], ['1,5', '2'])],
    ['tabs', 'a\tb\n1\t2', table(['a', 'b'], ['1', '2'])],
    ['bars', 'a|b\n1|2', table(['a', 'b'], ['1', '2'])],
    ['CR LF', 'a,b\r\n1,2\r\n', table(['a', 'b'], ['1', '2'])],
    ['quotes', '"a ""x""","b, c"\n1,"2\n3"', table(['a "x"', 'b, c'], ['1', '2 3'])],
    ['a bar in a cell', 'a,b\nx|y,2', table(['a', 'b'], ['x\\|y', '2'])],
    ['an empty last cell', 'a,b\n1,', table(['a', 'b'], ['1', ''])],
    ['empty lines', 'a,b\n\n1,2\n,\n', table(['a', 'b'], ['1', '2'])],
    [
      'a torn row',
      'a,b\n1,2\n3\n4,5\n6,7\n8,9',
      table(['a', 'b'], ['1', '2'], ['3', ''], ['4', '5'], ['6', '7'], ['8', '9']),
    ],
    ['a quote that is never closed', 'a,b\n"1,2\n3,4', table(['a', 'b'], ['"1', '2'], ['3', '4'])],
    ['words behind a quote', 'a,b\n"1"x,2', table(['a', 'b'], ['1x', '2'])],
    ['prose', 'Tea, as they say, is hot.\nNo more.\nOr, rather, cold, or so.', undefined],
    ['one column', 'a\nb\nc', undefined],
    ['one row', 'a,b', undefined],
    ['nothing', '', undefined],
  ])('%s', (_name, text, expected) => {
    expect(layOutCsv(text)).toEqual({ text: expected ?? text, cut: false });
  });

  it('counts the rows and columns it leaves out, and cuts long cells', () => {
    const rows = layOutCsv(`n,m\n${'1,2\n'.repeat(6_234)}`);
    expect(rows.cut).toBe(true);
    expect(rows.text).toMatch(/\n\n… 1,234 more rows$/);
    const columns = layOutCsv(`${'a,'.repeat(69)}a\n${'1,'.repeat(69)}1`);
    expect(columns).toMatchObject({
      cut: true,
      text: expect.stringMatching(/\n\n… 10 more columns$/) as string,
    });
    const cell = layOutCsv(`a,b\n1,${'x'.repeat(5_000)}`);
    expect(cell.cut).toBe(true);
    expect(cell.text).toMatch(/\| x{1000}… \|$/);
  });

  it('gives back every cell of a table it was given', () => {
    const cell = fc.stringMatching(/^[a-z",;\n ]{0,12}$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), cell), {
          minLength: 2,
          maxLength: 30,
        }),
        (rows) => {
          const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
          const csv = rows.map((cells) => cells.map(quote).join(',')).join('\r\n');
          const shown = (text: string): string => text.replace(/\s+/g, ' ').trim();
          expect(layOutCsv(csv).text).toBe(table(...rows.map((cells) => cells.map(shown))));
        },
      ),
    );
  });

  it.each([
    ['quotes alone', '"'.repeat(1_000_000)],
    ['quotes that open and never close', 'a,b\n"x,'.repeat(100_000)],
    ['separators alone', ','.repeat(1_000_000)],
    ['line ends alone', '\n'.repeat(1_000_000)],
  ])('does not look at the same text again and again: %s', (_name, text) => {
    expect(typeof layOutCsv(text).text).toBe('string');
  });
});
