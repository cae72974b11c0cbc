import fc from 'fast-check';
import { parse as createParser, preprocess } from 'micromark';
import type { Event } from 'micromark-util-types';
import { describe, expect, it } from 'vitest';

import {
  applyEdits,
  emittedAddress,
  escapeMarkdown,
  isOpenable,
  markdownLink,
  scan,
  type Edit,
} from '../lib/code';

import { documentEvents } from '../lib/code/document-events';

import { hostileMarkdown } from './support/hostile-markdown';

const slices = (text: string, ranges: readonly { start: number; end: number }[]): string[] =>
  ranges.map(({ start, end }) => text.slice(start, end));

describe('which dollars and backslashes are maths', () => {
  it.each([
    ['$x^2$', ['x^2']],
    ['Area is $x^2$ and $a_1$.', ['x^2', 'a_1']],
    ['面积是$x^2$，价格为$5。', ['x^2']],
    ['$$\nE = m c^2\n$$', ['E = m c^2']],
    ['> $$\n> a\n> - b\n> $$', ['a\n- b']],
    ['- $$\n  a\n  $$', ['a']],
    ['$$a\nb$$ after', ['a\nb']],
    ['Let \\(x[1]\\) be', ['x[1]']],
    ['So \\[ x = 2 \\] holds', ['x = 2']],
    ['\\[\nx \\\\ y\n\\]', ['x \\\\ y']],
    ['If $a < b$ then', ['a < b']],
    ['$a*b*c$ and $p_i q_i$', ['a*b*c', 'p_i q_i']],
    ['It costs $5 today and $10 tomorrow.', []],
    ['$HOME/$PATH and $PATH:$HOME', []],
    ['Set $HOME and $PATH first.', []],
    ['US$5 and 5$', []],
    ['At $5 and $x^2$ each', ['x^2']],
    ['$ x $ and $x $', []],
    ['$x$5', []],
    ['\\$5 and \\[1\\] and \\(2, 3\\)', []],
    ['`$x$` and ``$y$``', []],
    ['```\n$x$\n```', []],
    ['    $x$', []],
    ['$$ never closed\n\nmore', []],
    ['$$\nnever closed\n\n- item', []],
    ['$a [\\[1\\]](https://a.example/$x)', []],
    ['\\[^7]: note, see [\\[1\\]](https://a.example/)', []],
  ])('%j', (text, expected) => {
    expect(scan(text).formulas.map(({ tex }) => tex)).toEqual(expected);
  });
});

describe('what a scan finds', () => {
  it('resolves references against the first definition of a label', () => {
    const { links, definitions } = scan(
      '[a][S], [s], [s][] and ![p][s]\n\n[s]: https://a.example/x&amp;y "t"\n[S]: https://b.example/',
    );
    expect(links.map(({ kind, form, destination }) => [kind, form, destination])).toEqual([
      ['link', 'full', 'https://a.example/x&y'],
      ['link', 'shortcut', 'https://a.example/x&y'],
      ['link', 'collapsed', 'https://a.example/x&y'],
      ['image', 'full', 'https://a.example/x&y'],
    ]);
    expect(definitions.map(({ label, destination }) => [label, destination])).toEqual([
      ['s', 'https://a.example/x&y'],
      ['S', 'https://b.example/'],
    ]);
  });

  it('knows labels that are defined elsewhere', () => {
    expect(scan('[a][s]', { definedLabels: ['S'] }).links).toHaveLength(1);
    expect(scan('[a][s]').links).toEqual([]);
  });

  it('keeps code, maths, HTML, links and escapes out of plain text', () => {
    const text = 'a `b` $c$ <i d>e</i> \\[f &amp; g <code>h</code> [i](https://m.example/) j';
    const { runs } = scan(text);
    expect(
      slices(
        text,
        runs.filter((run) => !run.isClosed),
      ).map((run) => run.trim()),
    ).toEqual(['a', '', '', 'e', '', 'f', 'g', '', 'j']);
    expect(
      slices(
        text,
        runs.filter((run) => run.isClosed),
      ),
    ).toEqual(['h', 'i']);
  });

  it('counts offsets after a byte order mark, tabs and CRLF', () => {
    const text = '\uFEFF- a\r\n\tb `c`\r\n';
    expect(slices(text, scan(text).spans)).toEqual(['`c`']);
  });

  it('has every offset inside the text and every run inside one line', () => {
    fc.assert(
      fc.property(hostileMarkdown, (text) => {
        const { runs, links, formulas, spans, definitions } = scan(text);
        for (const { start, end } of [...runs, ...links, ...formulas, ...spans, ...definitions]) {
          expect(0 <= start && start < end && end <= text.length).toBe(true);
        }
        for (const run of slices(text, runs)) expect(run).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('documentEvents', () => {
  const flat = (events: readonly Event[]): string[] =>
    events.map(
      ([kind, { type, start, end, next }]) =>
        `${kind} ${type} ${start.offset} ${end.offset} ${next?.start.offset ?? ''}`,
    );

  it('is what the parser finds in the whole text at once', () => {
    const lines = fc.constantFrom('> a\n', 'lazy\n', '- a\n', '\n', '  - b\n', '>\n', '\t1. c\r\n');
    const document = fc.array(fc.oneof(lines, hostileMarkdown), {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(document, (parts) => {
        const text = parts.join('').repeat(4);
        const whole = createParser()
          .document()
          .write(preprocess()(text, undefined, true));
        expect(flat(documentEvents(createParser(), text)).join('\n')).toBe(flat(whole).join('\n'));
      }),
      { numRuns: 20 },
    );
  });
});

describe('applyEdits', () => {
  const edit = (start: number, end: number, text: string): Edit => ({ start, end, text });
  it.each([
    ['nothing to do', [[]], 'abcdef'],
    ['replacing and inserting', [[edit(1, 2, 'B'), edit(4, 4, '-')]], 'aBcd-ef'],
    ['out of order', [[edit(4, 5, 'E'), edit(0, 1, 'A')]], 'AbcdEf'],
    ['an earlier pass wins an overlap', [[edit(1, 4, 'X')], [edit(3, 5, 'Y')]], 'aXef'],
    [
      'insertions at the edges of a replacement stay',
      [[edit(1, 3, 'X')], [edit(1, 1, '<'), edit(3, 3, '>')]],
      'a<X>def',
    ],
    ['an insertion inside a replacement goes', [[edit(1, 4, 'X')], [edit(2, 2, '-')]], 'aXef'],
    [
      'two insertions at one place keep their order',
      [[edit(2, 2, '1'), edit(2, 2, '2')]],
      'ab12cdef',
    ],
  ])('%s', (_why, passes, expected) => {
    expect(applyEdits('abcdef', ...passes)).toBe(expected);
  });

  it.each([
    ['Look![1]', 5, 'Look\\![x](u)'],
    ['Look\\![1]', 6, 'Look\\![x](u)'],
    ['Look\\\\![1]', 7, 'Look\\\\\\![x](u)'],
    ['a\\【1】', 2, 'a\\\\[x](u)'],
  ])('lets nothing act on the link from before it: %j', (text, start, expected) => {
    expect(applyEdits(text, [edit(start, text.length, '[x](u)')])).toBe(expected);
  });
});

describe('markdownLink', () => {
  it.each([
    'https://a.example/x_(y)?p=1&copy=2',
    'https://a.example/?p=1&copy;=2',
    'https://a.example/*a*_b_~c~$d$[e]',
    'https://a.example/straße/茶',
    'https://a.example/a%20b%2Fc',
    `https://a.example/${'('.repeat(32)}${')'.repeat(32)}`,
    `https://a.example/${'('.repeat(33)}${')'.repeat(33)}`,
    `https://a.example/(x)${'(y'.repeat(40)}`,
    `https://a.example/${'(x)'.repeat(40)}`,
    '/home/u/my notes (1).md',
  ])('reads back as the same address: %s', (url) => {
    const { links } = scan(`**x** ${markdownLink('l', url)} y`);
    expect(links.map(({ destination }) => destination)).toEqual([emittedAddress(url)]);
    expect(decodeURI(emittedAddress(url))).toBe(decodeURI(url));
  });
});

it('markdownLink: parentheses are encoded without a partner, or all of them beyond 32 levels', () => {
  const nested = (levels: number) => `https://a.example/${'('.repeat(levels)}${')'.repeat(levels)}`;
  expect(markdownLink('l', nested(32))).toBe(`[l](${nested(32)})`);
  expect(markdownLink('l', nested(33))).toBe(
    `[l](https://a.example/${'%28'.repeat(33)}${'%29'.repeat(33)})`,
  );
  expect(markdownLink('l', 'https://a.example/(a)(b')).toBe('[l](https://a.example/(a)%28b)');
});

it('applyEdits: round brackets set apart become no address', () => {
  const nine = { start: 3, end: 6, text: '(9)', isApart: true };
  expect(applyEdits('[2][9]', [nine])).toBe('[2] (9)');
  expect(applyEdits('[2][9]', [{ start: 0, end: 3, text: '[1]' }, nine])).toBe('[1] (9)');
  expect(applyEdits('ab [9]', [nine])).toBe('ab (9)');
});

describe('isOpenable', () => {
  it.each([
    [{ url: 'https://a.example/' }, true],
    [{ url: 'HTTP://a.example' }, true],
    [{ url: 'https://' }, false],
    [{ url: 'https://a.example/a b' }, false],
    [{ url: 'https://a.example/\u202Egpj' }, false],
    [{ url: 'https://a.example/\uD83D\uDE00' }, true],
    [{ url: 'https://a.example/\uD83D' }, false],
    [{ url: 'https://a.example/\uDE00x' }, false],
    [{ url: '/home/u/\uD83D.md', kind: 'document' as const }, false],
    [{ url: 'javascript:alert(1)' }, false],
    [{ url: 'file:///etc/hostname' }, false],
    [{ url: '/home/u/notes.md' }, false],
    [{ url: '/home/u/my notes.md', kind: 'document' as const }, true],
    [{ url: 'notes.md', kind: 'document' as const }, false],
  ])('%j', (source, expected) => {
    expect(isOpenable(source)).toBe(expected);
  });
});

it('escapeMarkdown: any line is drawn as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), (line) => {
      const { links, spans, definitions, tree } = scan(`x ${escapeMarkdown(line)}`);
      expect([links, spans, definitions]).toEqual([[], [], []]);
      expect(tree.children.map(({ type }) => type)).toEqual(['content']);
    }),
  );
});
