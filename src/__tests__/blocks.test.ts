import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { blocksOf } from '../lib/blocks';
import { readableText } from '../lib/tools';

/** Each block as `kind: text`. */
const read = (text: string, pages?: { total: number; starts: number[] }): string[] =>
  blocksOf({ text, ...(pages ? { pages } : {}) }).map(
    ({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`,
  );

describe('kinds', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['white space', ' \n\t\n  ', []],
    [
      'a paragraph of two lines',
      'One line,\nand one more.',
      ['paragraph: One line,\nand one more.'],
    ],
    ['two paragraphs', 'One.\n\n\nTwo.\n', ['paragraph: One.', 'paragraph: Two.']],
    ['a heading', '## Tea\nGreen.', ['heading: ## Tea', 'paragraph: Green.']],
    ['no heading without a blank', '#tea is a tag', ['paragraph: #tea is a tag']],
    ['an underlined heading', 'Tea\n===\nGreen.', ['heading: Tea\n===', 'paragraph: Green.']],
    ['one with dashes', 'Tea\n---', ['heading: Tea\n---']],
    ['a rule', 'One.\n\n***\n\nTwo.', ['paragraph: One.', 'paragraph: ***', 'paragraph: Two.']],
    ['a list', 'Teas:\n- green\n- black', ['paragraph: Teas:', 'list: - green\n- black']],
    ['a numbered list', '1. pick\n2. dry', ['list: 1. pick\n2. dry']],
    ['bullets of plain text', '• pick\n• dry', ['list: • pick\n• dry']],
    ['a number that begins no list', 'It took\n14. days', ['paragraph: It took\n14. days']],
    ['a loose list', '- one\n\n  more\n\n- two', ['list: - one', 'list: more', 'list: - two']],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |', ['table: | a | b |\n|---|---|\n| 1 | 2 |']],
    ['one without outer pipes', 'a | b\n--|--\n1 | 2', ['table: a | b\n--|--\n1 | 2']],
    ['a pipe in prose', 'a | b is no table', ['paragraph: a | b is no table']],
    [
      'fenced code',
      '```js\na\n\n# b\n```\nText.',
      ['code: ```js\na\n\n# b\n```', 'paragraph: Text.'],
    ],
    ['a longer fence', '~~~~\n~~~\n~~~~', ['code: ~~~~\n~~~\n~~~~']],
    ['an open fence', '```\na\n\nb', ['code: ```\na\n\nb']],
    [
      'indented code',
      'Run:\n\n    npm\n\n    test\n\nDone.',
      ['paragraph: Run:', 'code:     npm\n\n    test', 'paragraph: Done.'],
    ],
    ['an indented first line', '    It was\nnight.', ['paragraph: It was\nnight.']],
    [
      'Chinese',
      '# 茶\n茶是绿色的。\n\n- 一\n- 二',
      ['heading: # 茶', 'paragraph: 茶是绿色的。', 'list: - 一\n- 二'],
    ],
    ['Arabic', '## الشاي\n\nوصل الشاي.', ['heading: ## الشاي', 'paragraph: وصل الشاي.']],
    ['six marks', '###### Tea', ['heading: ###### Tea']],
    ['seven marks, which are none', '####### Tea', ['paragraph: ####### Tea']],
    ['marks without words', '##\nGreen.', ['heading: ##', 'paragraph: Green.']],
    ['marks that are indented as code', '    # one\n    # two', ['code:     # one\n    # two']],
    ['marks that are indented less', '   # Tea', ['heading: # Tea']],
    ['code behind tabs', '\tnpm\n\ttest', ['code: \tnpm\n\ttest']],
    ['a number that begins a list', 'Steps:\n1. pick', ['paragraph: Steps:', 'list: 1. pick']],
    ['a line that goes on with an item', '- pick\nand dry', ['list: - pick\nand dry']],
    ['a dash without a blank', '-pick\n-dry', ['paragraph: -pick\n-dry']],
    ['text behind a list', '- pick\n\nDry.', ['list: - pick', 'paragraph: Dry.']],
    [
      'an indented line behind a list and a heading',
      '- pick\n\n# Dry\n  It takes a day.',
      ['list: - pick', 'heading: # Dry', 'paragraph: It takes a day.'],
    ],
    ['code of an item', '- pick\n\n  ```\n  a\n  ```', ['list: - pick', 'code:   ```\n  a\n  ```']],
    ['a heading behind an item', '- pick\n# Dry', ['list: - pick', 'heading: # Dry']],
    [
      'a rule within a text',
      'One.\n***\nTwo.',
      ['paragraph: One.', 'paragraph: ***', 'paragraph: Two.'],
    ],
    [
      'a table right under a text',
      'Teas:\n| a | b |\n|---|---|',
      ['paragraph: Teas:', 'table: | a | b |\n|---|---|'],
    ],
    ['backticks that open no fence', '``` a ``` b\nText.', ['paragraph: ``` a ``` b\nText.']],
    ['a fence that text stands behind', '```\na\n``` b\nc\n```', ['code: ```\na\n``` b\nc\n```']],
    ['a title as long as may be', `${'t'.repeat(299)}\n===`, [`heading: ${'t'.repeat(299)}\n===`]],
    [
      'a longer text with a line under it',
      `${'t'.repeat(300)}\n===`,
      [`paragraph: ${'t'.repeat(300)}`, 'paragraph: ==='],
    ],
  ])('%s', (_name, text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });
});

describe('pages', () => {
  const pages = ['First page, which ends in the', 'middle of a sentence.', '', 'Last page.'];
  const text = pages.join('');
  const starts = pages.map((_, n) => pages.slice(0, n).join('').length);
  const readable = readableText({ text, pages: { total: 9, starts } });

  it('are never gone over, and their marks belong to no block', () => {
    expect(
      blocksOf(readable).map(({ page, start, end }) => [page, readable.text.slice(start, end)]),
    ).toEqual([
      [1, 'First page, which ends in the'],
      [2, 'middle of a sentence.'],
      [4, 'Last page.'],
    ]);
  });

  it('a line like a mark elsewhere is text', () => {
    expect(read('Tea.\n\n— page 2 of 3 —')).toEqual([
      'paragraph: Tea.',
      'paragraph: — page 2 of 3 —',
    ]);
  });

  it.each([
    ['falling', [0, 8, 4]],
    ['outside', [0, 400]],
    ['no numbers', [Number.NaN, 3]],
    ['none', []],
  ])('survives offsets that are %s', (_name, offsets) => {
    const blocks = blocksOf({ text: 'One two three.', pages: { total: 3, starts: offsets } });
    expect(
      blocks.map(({ start, end }) => 'One two three.'.slice(start, end).trim()).join(' '),
    ).toMatch(/One.*three\./);
  });
});

describe('long blocks', () => {
  it('are cut behind a sentence', () => {
    const sentence = 'Tea came to the island in the year of the great storm. ';
    const parts = read(sentence.repeat(60));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/storm\.$/);
  });

  it('of Chinese are cut behind a sentence', () => {
    const parts = read('茶在一七八一年传到岛上，当时有人种下四十株幼苗。'.repeat(120));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/。$/);
  });

  it('that are tables are cut between rows', () => {
    const parts = read('| tea | two minutes |\n'.repeat(200));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/^table: \|[\s\S]*\|$/);
  });

  it.each<[string, string, number[]]>([
    ['as long as may be', 'x'.repeat(1_200), [1_200]],
    ['one unit longer', 'x'.repeat(1_201), [1_200, 1]],
    // An end of a sentence counts from 400 units on; the next best is the last blank.
    ['with a short sentence', `${'x'.repeat(399)}. ${'Tea '.repeat(250)}`, [1_196, 203]],
    ['with a longer one', `${'x'.repeat(400)}. ${'Tea '.repeat(250)}`, [401, 999]],
    [
      'with an end before a small letter',
      `${'x'.repeat(400)}. ${'tea '.repeat(250)}`,
      [1_197, 203],
    ],
    ['with an end within quotes', `${'x'.repeat(400)}.” ${'Tea '.repeat(250)}`, [402, 999]],
    ['of words', 'samovars '.repeat(150), [1_196, 152]],
    ['of Chinese without full stops', '茶在一七八一年传到岛上，'.repeat(150), [1_200, 600]],
    ['of Chinese that commas part', `${'茶'.repeat(450)}，${'水'.repeat(900)}`, [451, 900]],
  ])('%s have parts of the right length', (_what, text, lengths) => {
    expect(blocksOf({ text }).map(({ start, end }) => end - start)).toEqual(lengths);
  });

  it.each<[string, string]>([
    ['lists', '- Rinse the pot. Then wait\n'],
    ['tables', '| Rinse the pot. Then | wait\n'],
    ['code', '    // Rinse the pot. Then wait\n'],
  ])('that are %s are cut at a line, not behind a sentence', (_what, row) => {
    const parts = read(row.repeat(100));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/wait$/);
  });

  it('of code keep the indent of their first line, up to 200 blanks', () => {
    const lengths = [40, 200, 300].map((blanks) => read(`${' '.repeat(blanks)}npm`)[0]?.length);
    expect(lengths).toEqual([40, 200, 200].map((blanks) => 'code: npm'.length + blanks));
  });

  it('never cut a pair of surrogates', () => {
    const text = `a${'🍵'.repeat(3_000)}`;
    for (const part of read(text)) expect(part).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('ids', () => {
  const idsOf = (text: string): string[] => blocksOf({ text }).map(({ id }) => id);

  it('are those of the words, whatever the white space', () => {
    expect(idsOf('Green  tea\nsteeps.')).toEqual(idsOf('\n\nGreen tea steeps.  '));
    expect(idsOf('Green tea steeps.')).not.toEqual(idsOf('Green tea steep.'));
  });

  it.each<[string, string]>([
    ['one that does not break', 'Green\u00a0tea'],
    ['a wide one', 'Green\u3000tea'],
    ['a tab', '\tGreen\ttea'],
    ['other line ends', 'Green\r\ntea'],
  ])('take no notice of the kind of blank: %s', (_what, text) => {
    expect(idsOf(text)).toEqual(idsOf('Green tea'));
  });

  it('are those of earlier versions, which stand in stored answers', () => {
    expect(idsOf('Green tea.\n\n茶。\n\n茶。')).toEqual([
      '2514i6elcu4',
      'xcao3rwde9',
      'xcao3rwde9-2',
    ]);
  });

  it('tell repetitions apart', () => {
    const [one = '', two, three] = idsOf('Tea.\n\nTea.\n\nTea.');
    expect([two, three]).toEqual([`${one}-2`, `${one}-3`]);
  });

  it('of other blocks stay when one is edited', () => {
    const before = idsOf('One.\n\nTwo.\n\nThree.');
    const after = idsOf('One.\n\nTwo, and much more.\n\nThree.');
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(after[1]).not.toBe(before[1]);
  });
});

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '',
    '# Head',
    '---',
    '```',
    '~~~',
    '- item',
    '2. item',
    '| a | b |',
    '|---|',
    '    code',
    '\tx',
    '> q',
    '。',
    '🍵',
  ),
  fc.constantFrom('word '.repeat(400), '茶'.repeat(1_500), '|'.repeat(2_000)),
);
const documents = fc
  .array(line, { maxLength: 25 })
  .map((lines) => readableText({ text: lines.join('\n') }).text);

describe('for any text', () => {
  it('nothing but white space stands outside of blocks, which are in order and short', () => {
    fc.assert(
      fc.property(documents, (text) => {
        let at = 0;
        for (const [n, { start, end, number }] of blocksOf({ text }).entries()) {
          expect(number).toBe(n + 1);
          expect(text.slice(at, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(1_200);
          expect(text.slice(start, end)).not.toMatch(/\p{Surrogate}/u);
          at = end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
    );
  });

  it('ids are unique', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const ids = blocksOf({ text }).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('blocks keep to their pages', () => {
    fc.assert(
      fc.property(fc.array(documents, { minLength: 1, maxLength: 5 }), (pages) => {
        const starts = pages.map((_, n) => pages.slice(0, n).join('').length);
        const readable = readableText({
          text: pages.join(''),
          pages: { total: pages.length, starts },
        });
        const bounds = [...(readable.pages?.starts ?? []), readable.text.length];
        for (const { start, end, page = 0 } of blocksOf(readable)) {
          expect(start).toBeGreaterThanOrEqual(bounds[page - 1] ?? Infinity);
          expect(end).toBeLessThanOrEqual(bounds[page] ?? 0);
        }
      }),
    );
  });
});
