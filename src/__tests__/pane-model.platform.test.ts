import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostileMarkdown } from './support/hostile-markdown';
import {
  clickEffect,
  drawPane,
  drawPlainText,
  undrawnWords,
  updatePane,
  type PaneDrawing,
} from './support/pane-model';

/** One row for each fact that was found in the launcher's sources or seen on its screen. */
type Fact = [fact: string, markdown: string, expected: Partial<PaneDrawing>];

function check(_fact: string, markdown: string, expected: Partial<PaneDrawing>): void {
  expect(drawPane(markdown)).toMatchObject(expected);
}

const harmless = { fetches: [], crashes: [], freezes: false, dropped: [] };
const pixel = 'https://t.example/p';

describe('blocks that are drawn', () => {
  it.each<Fact>([
    ['paragraph with marks', '**b** *i* `c` [l](u)', { text: 'b i c l', ...harmless }],
    ['hard breaks by backslash and by two blanks', 'a\\\nb  \nc', { text: 'a\nb\nc' }],
    ['a soft break is a blank', 'a\nb', { text: 'a b' }],
    [
      'headings 1 to 6',
      '# a\n## b\n### c\n#### d\n##### e\n###### f',
      {
        text: 'a\n\nb\n\nc\n\nd\n\ne\n\nf',
        blocks: ['a', 'b', 'c', 'd', 'e', 'f'].map((text, index) => ({
          kind: 'heading',
          level: index + 1,
          text,
        })),
      },
    ],
    ['seven signs are text', '####### g', { blocks: [{ kind: 'paragraph', text: '####### g' }] }],
    [
      'an image in a heading is broken',
      '# T ![logo](https://i.example/l)',
      {
        text: 'T',
        images: [{ url: 'https://i.example/l', alt: 'logo', broken: true }],
        dropped: ['logo'],
        fetches: [],
      },
    ],
    ['fenced code', '```js\na\n```', { blocks: [{ kind: 'code', info: 'js', text: 'a' }] }],
    ['indented code', '    a', { blocks: [{ kind: 'code', info: '', text: 'a' }] }],
    ['trailing blanks of code are trimmed', '```\na\n  \n\n```', { text: 'a' }],
    ['an empty first line of code is lost', '```\n\na\n```', { text: 'a', code: ['\na\n'] }],
    ['only one of them', '```\n\n\na\n```', { text: '\na' }],
    ['a first line of blanks stays', '```\n  \na\n```', { text: '  \na' }],
    ['blanks inside of code stay', '```\na  b\u3000c\n```', { text: 'a  b\u3000c' }],
    ['rule', '---', { blocks: [{ kind: 'rule', text: '' }] }],
  ])('%s', check);
});

describe('the language of a fence is a label: the whole info string, with markup', () => {
  it.each<Fact>([
    ['whole info string', '``` js {1,3} x', { infos: ['js {1,3} x'] }],
    ['escapes and references are undone', '```a\\*&amp;b\nx\n```', { infos: ['a*&b'] }],
    ['an image in it loads', `\`\`\`<img src="${pixel}">\nx\n\`\`\``, { fetches: [pixel] }],
    ['by references too', `~~~ &lt;img src="${pixel}"&gt;\nx`, { fetches: [pixel] }],
    ['in a list item it is gone with its code', `- ~~~ <img src="${pixel}">\n  x`, { fetches: [] }],
  ])('%s', check);
});

describe('lists: the last paragraph of an item, then its sub-lists', () => {
  it.each<Fact>([
    ['bullets', '- a\n- b', { text: '• a\n• b', ...harmless }],
    ['start number', '7. a\n8. b', { text: '7. a\n8. b' }],
    ['numbers count up, whatever is written', '3. a\n3. b', { text: '3. a\n4. b' }],
    ['a bracket becomes a dot', '1) a', { text: '1. a' }],
    ['start number of a nested list', '- a\n\n  7. b', { text: '• a\n  7. b' }],
    ['tight and loose look the same', '- a\n\n- b', { text: '• a\n• b' }],
    ['first paragraph', '- one\n\n  two', { text: '• two', dropped: ['one'] }],
    ['text before a sub-list', '- a\n  - b\n\n  c', { text: '• c\n  • b', dropped: ['a'] }],
    ['code', '- a\n\n      x', { text: '• a', code: [], dropped: ['x'] }],
    ['fence', '- a\n  ~~~\n  x\n  ~~~', { text: '• a', code: [] }],
    ['only code: an empty bullet', '- ~~~\n  x\n  ~~~', { text: '• ' }],
    ['quote', '- a\n  > b', { text: '• a', dropped: ['> b'] }],
    ['table', '- a\n\n  | x |\n  |---|', { text: '• a', cells: 0 }],
    ['heading', '- # a', { text: '• ', dropped: ['# a'] }],
    ['rule', '- a\n\n  ***', { text: '• a' }],
    ['HTML block', '- a\n\n  <div>b</div>', { text: '• a', dropped: ['<div>b</div>'] }],
    [
      'an HTML block in it fetches nothing',
      `- a\n\n  <img src=${pixel}>`,
      { text: '• a', fetches: [] },
    ],
    ['image', `- ![a](${pixel}) b`, { text: '• b', dropped: ['a'], fetches: [] }],
    ['task boxes are letters', '- [ ] a\n- [x] b', { text: '• [ ] a\n• [x] b' }],
    ['a third paragraph', '- a\n\n  b\n\n  c', { text: '• c', dropped: ['a', 'b'] }],
  ])('%s', check);
});

describe('quotes: their paragraphs', () => {
  it.each<Fact>([
    ['paragraphs', '> a\n>\n> b', { text: 'a\n\nb', ...harmless }],
    ['quote', '> a\n> > b', { text: 'a', dropped: ['> b'] }],
    ['list', '> a\n> - b', { text: 'a', dropped: ['- b'] }],
    ['code', '>     b', { text: '', dropped: ['b'] }],
    ['heading', '> # b', { text: '', dropped: ['# b'] }],
    ['table', '> | b |\n> |---|', { text: '', cells: 0 }],
    ['image', `> ![a](${pixel})`, { text: '', dropped: ['a'], fetches: [] }],
    ...['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'].map((callout): Fact => [
      `callout ${callout}`,
      `> [!${callout}]\n> a`,
      { blocks: [{ kind: 'quote', callout, text: 'a' }] },
    ]),
    [
      'callout with words on its line',
      '> [!TIP] a',
      { blocks: [{ kind: 'quote', callout: 'TIP', text: 'a' }] },
    ],
    [
      'escaped, it is one all the same',
      '> \\[!TIP] a',
      { blocks: [{ kind: 'quote', callout: 'TIP', text: 'a' }] },
    ],
    ['small letters make none', '> [!tip] a', { text: '[!tip] a' }],
    ['nor does another word', '> [!INFO] a', { text: '[!INFO] a' }],
    ['nor marks', '> **[!TIP]** a', { text: '[!TIP] a' }],
    ['nor a later paragraph', '> # a\n>\n> [!TIP] b', { text: '[!TIP] b' }],
    ['a list in a callout', '> [!TIP]\n> a\n> - b', { text: 'a', dropped: ['- b'] }],
  ])('%s', check);
});

describe('tables', () => {
  const row = (cell: string, count: number): string => `${`|${cell}`.repeat(count)}|\n`;
  it.each<Fact>([
    ['marks in cells', '|a|\n|-|\n|**b** `c`|', { text: 'a\nb c', cells: 2, ...harmless }],
    ['escaped pipes', '|a|\n|-|\n|b\\|c `d\\|e`|', { text: 'a\nb|c d|e', codeSpans: ['d|e'] }],
    ['a break', '|a|\n|-|\n|b<br>c|', { text: 'a\nb\nc' }],
    ['a link', '|[a](u)|\n|-|', { links: [{ text: 'a', href: 'u' }] }],
    ['an image is broken', `|![a](${pixel})|\n|-|`, { fetches: [], dropped: ['a'] }],
    ['short rows are filled up', '|a|b|\n|-|-|\n|c', { text: 'a │ b\nc │ ', cells: 4 }],
    ['what has no column is lost', '|a|\n|-|\n|b|c|', { text: 'a\nb', cells: 2, dropped: ['c'] }],
    [
      'about 400 cells are borne',
      row('a', 20) + row('-', 20) + row('b', 20).repeat(19),
      { cells: 400, freezes: false },
    ],
    [
      'more freeze it',
      row('a', 20) + row('-', 20) + row('b', 20).repeat(20),
      { cells: 420, freezes: true },
    ],
    [
      'short rows count whole',
      row('a', 150) + row('-', 150) + '|b\n'.repeat(150),
      { cells: 22_650, freezes: true },
    ],
    [
      'several tables count together',
      [1, 2, 3].map(() => row('a', 50) + row('-', 50) + row('b', 50) + row('c', 50)).join('\n\n'),
      { cells: 450, freezes: true },
    ],
  ])('%s', check);
});

describe('text', () => {
  it.each<Fact>([
    [
      'a bare address is no link',
      'https://m.example/x',
      { text: 'https://m.example/x', links: [] },
    ],
    [
      'one in angle brackets is',
      '<https://m.example/x>',
      { links: [{ text: 'https://m.example/x', href: 'https://m.example/x' }] },
    ],
    ['a note is text', 'x[^1]', { text: 'x[^1]' }],
    [
      'a note of one word is a definition, and gone',
      'x[^1]\n\n[^1]: Word',
      { text: 'x^1', links: [{ text: '^1', href: 'Word' }] },
    ],
    ['a note of words stays', '[^1]: two words', { text: '[^1]: two words', links: [] }],
    ['an unused definition is gone', '[a]: https://m.example', { text: '', blocks: [], links: [] }],
    [
      'the definition turns an earlier marker into a link',
      '[1]\n\n[1]: https://m.example',
      { text: '1', links: [{ text: '1', href: 'https://m.example' }] },
    ],
    [
      'an escaped marker stays',
      '[\\[1\\]](u)',
      { text: '[1]', links: [{ text: '[1]', href: 'u' }] },
    ],
    ['two tildes strike', '~~a~~', { text: 'a', strikes: ['a'] }],
    ['one strikes too', '~a~', { text: 'a', strikes: ['a'] }],
    ['after a bracket too', '(~20)~', { text: '(20)', strikes: ['20)'] }],
    ['an escaped one does not', '\\~a\\~', { text: '~a~', strikes: [] }],
    ['dollars are text', '$x$ $$y$$', { text: '$x$ $$y$$' }],
    ['backslashes of maths are eaten', '\\(x\\) \\[y\\]', { text: '(x) [y]' }],
    ['runs of blanks in inline code collapse', '`a   b`', { text: 'a b', codeSpans: ['a b'] }],
    ['an ideographic space becomes a blank', '`a\u3000b`', { codeSpans: ['a b'] }],
    ['in text as well', 'a\u3000\u3000b\u2003c', { text: 'a b c' }],
    ['no-break spaces stay', 'a\u00A0\u00A0b', { text: 'a\u00A0\u00A0b' }],
  ])('%s', check);
});

describe('images', () => {
  it.each<Fact>([
    [
      'alone: a block with its caption, loaded at once',
      `![c](${pixel})`,
      { blocks: [{ kind: 'image', url: pixel, text: 'c' }], fetches: [pixel] },
    ],
    [
      'among text: a block of its own',
      `a ![c](${pixel}) b`,
      {
        blocks: [
          { kind: 'paragraph', text: 'a' },
          { kind: 'image', url: pixel, text: 'c' },
          { kind: 'paragraph', text: 'b' },
        ],
      },
    ],
    ['by reference', `![c][r]\n\n[r]: ${pixel}`, { fetches: [pixel] }],
    ['by an escaped address', '![c](https&#58;//t.example/p)', { fetches: [pixel] }],
    ['inside a link: the link is lost', `[![c](${pixel})](u)`, { links: [], fetches: [pixel] }],
    [
      'inside a link with words: broken',
      `[a ![c](${pixel})](u)`,
      { links: [{ text: 'a', href: 'u' }], fetches: [], dropped: ['c'] },
    ],
    ['in emphasis: broken', `*![c](${pixel})*`, { fetches: [], dropped: ['c'] }],
    [
      'the caption is only the plain text of the description',
      `![a *b* \`c\`](${pixel})`,
      { blocks: [{ kind: 'image', url: pixel, text: 'a  ' }], dropped: ['*b*', '`c`'] },
    ],
    [
      'markup in the caption loads',
      `![&lt;img src="${pixel}"&gt;](icon://builtin/star)`,
      { fetches: [pixel] },
    ],
    [
      'embedded data',
      '![c](data:image/png;base64,AA==)',
      { fetches: ['data:image/png;base64,AA=='] },
    ],
    ['file', '![c](file:///etc/p.png)', { fetches: ['file:///etc/p.png'] }],
    ['bare path', '![c](/etc/p.png)', { fetches: ['/etc/p.png'] }],
    ['address without a scheme', '![c](//t.example/p)', { fetches: [] }],
    ['built-in icon', '![c](icon://builtin/star)', { fetches: [], crashes: [] }],
    ['icon over http', '![c](icon://http/t.example/p)', { fetches: ['http://t.example/p'] }],
    ['icon over https', '![c](icon://https/t.example/p)', { fetches: [pixel] }],
    ['icon of a site', '![c](icon://favicon/t.example)', { fetches: ['icon://favicon/t.example'] }],
    [
      'fallback of an icon',
      '![c](icon://builtin/x?fallback=icon://http/t.example/p)',
      { fetches: ['http://t.example/p'] },
    ],
    ...['http', 'builtin', 'local', 'https', 'favicon'].map((type): Fact => [
      `icon://${type} ends the launcher`,
      `![c](icon://${type})`,
      { crashes: [`image icon://${type}`] },
    ]),
    ['in an HTML block too', '<p><img src="icon://http"/></p>', { crashes: ['image icon://http'] }],
    ['in a list item it is only broken', '- ![c](icon://http)', { crashes: [] }],
    ['in a cell too', '|![c](icon://http)|\n|-|', { crashes: [] }],
  ])('%s', check);
});

describe('HTML in a line goes to the rich text as it is', () => {
  it.each<Fact>([
    ...['b', 'u', 'sub', 'sup', 'font', 'kbd', 'i', 's'].map((name): Fact => [
      `<${name}> acts`,
      `x <${name}>a</${name}>`,
      { text: 'x a', dropped: [] },
    ]),
    ['<br> breaks', 'a<br>b', { text: 'a\nb', dropped: [] }],
    ['<a> is a link', 'x <a href="u">a</a>', { links: [{ text: 'a', href: 'u' }] }],
    [
      '<table> draws its cells',
      'x <table><tr><td>a</td><td>b</td></tr></table>',
      { text: 'x\na b' },
    ],
    ['an unknown tag vanishes', 'Vec<T> x', { text: 'Vec x', dropped: ['<T>'] }],
    ['and leaves its text', 'x <foo>a</foo>', { text: 'x a' }],
    ['a script is gone with its text', 'a <script>x</script> b', { text: 'a b', dropped: ['x'] }],
    ['a comment is gone', 'a <!-- x --> b', { text: 'a b', dropped: [' x '] }],
    ['an escaped tag is text', 'a \\<b> &lt;b>', { text: 'a <b> <b>', tags: [] }],
    ['a comparison is text', 'a < b > c', { text: 'a < b > c', ...harmless }],
    ['<img> loads', `a <img src="${pixel}">`, { fetches: [pixel] }],
    ['without quotes', `a <img src=${pixel}>`, { fetches: [pixel] }],
    ['behind a form feed', `a <img\fsrc=${pixel}>`, { fetches: [pixel] }],
    ['in hidden text', `a <b style="display:none"><img src="${pixel}"></b>`, { fetches: [pixel] }],
    ['@import loads', `a <style>@import url(${pixel});</style>`, { fetches: [pixel] }],
    ['CSS backgrounds load', `a <b style="background:url(${pixel})">x</b>`, { fetches: [pixel] }],
    ['style sheets load', `a <link type="text/css" href="${pixel}">`, { fetches: [pixel] }],
    ...['body', 'tr', 'td'].map((name): Fact => [
      `background of <${name}> loads`,
      `a <${name} background="${pixel}">x`,
      { fetches: [pixel] },
    ]),
    ['frames do not', `a <iframe src="${pixel}"></iframe>`, { fetches: [] }],
    ['srcset does not', `a <img srcset="${pixel} 2x">`, { fetches: [] }],
    ['list markers do not', `a <b style="list-style-image:url(${pixel})">x</b>`, { fetches: [] }],
    ['addresses without a scheme do not', 'a <img src="//t.example/p">', { fetches: [] }],
  ])('%s', check);
});

describe('HTML blocks', () => {
  it.each<Fact>([
    ['well-formed: texts run together', '<p>one <b>two</b> three</p>', { text: 'onetwothree' }],
    ['cells too', '<table><tr><td>a</td><td>b</td></tr></table>', { text: 'ab' }],
    ['links are lost', '<p><a href="u">a</a></p>', { text: 'a', links: [] }],
    [
      'images come first',
      `<p>a <img src="${pixel}"/> b</p>`,
      {
        blocks: [
          { kind: 'image', url: pixel, text: '' },
          { kind: 'html', text: 'ab' },
        ],
        fetches: [pixel],
      },
    ],
    ['named entities show literally', '<p>a&nbsp;&amp;&lt;</p>', { text: 'a&nbsp;&<' }],
    ['style text shows', '<p><style>x</style></p>', { text: 'x', fetches: [] }],
    ['script text shows', '<p><script>x</script></p>', { text: 'x' }],
    ['comments are gone', '<p>a<!-- b --></p>', { text: 'a', dropped: ['b'] }],
    ['character data is gone', '<p>a<![CDATA[b]]></p>', { text: 'a', dropped: ['b'] }],
    ['a comment alone draws nothing', '<!-- a -->', { blocks: [], dropped: ['a'] }],
    ['what follows a stray end tag is lost', '<div>a</div></div>b', { text: 'a', dropped: ['b'] }],
    ['in a well-formed whole too', '</div>a<div>', { text: '', dropped: ['a'] }],
    ['<br> makes it malformed: rich text', '<p>a<br>b</p>', { text: 'a\nb' }],
    ['<img> does', `<p>a<img src="${pixel}"></p>`, { text: 'a', fetches: [pixel] }],
    ['a flag does', '<p>a<input disabled> b</p>', { text: 'a b' }],
    ['an end tag alone does', '</details>', { blocks: [{ kind: 'html', text: '' }] }],
    [
      'parts divided by a blank line are each malformed',
      '<details><summary>a</summary>\n\nb\n\n</details>',
      { text: 'a\n\nb' },
    ],
    ['a less-than sign takes all up to the next tag end', '<p>\na < b <br> c', { text: 'a c' }],
    ['an unclosed <title> hides the rest', '<p>a<title>b</p>', { text: 'a', dropped: ['b</p>'] }],
    ['so does <link>', '<p>a<link>b</p>', { text: 'a', dropped: ['b'] }],
    [
      'an unquoted address makes a block',
      `<img src=${pixel}>\n*a*`,
      { blocks: [{ kind: 'html', text: '*a*' }], fetches: [pixel] },
    ],
    ['but not inside a paragraph', `a\n<img src=${pixel}>\n*b*`, { text: 'a b', fetches: [pixel] }],
    [
      'right after a list it stands outside',
      `- a\n<img src=${pixel}>`,
      { text: '• a', fetches: [pixel] },
    ],
  ])('%s', check);
});

describe('a click', () => {
  it.each([
    ['https://m.example/#:~:text=a', 'browser'],
    ['HTTP://m.example', 'browser'],
    ['mailto:a@m.example', 'mail'],
    ['vicinae://kill', 'launcher'],
    ['raycast://extensions/a/b/c', 'launcher'],
    ['/etc/hostname', 'application'],
    ['docs/guide.md', 'application'],
    ['/home/u/a.pdf#page=4', 'nothing'],
    ['#top', 'nothing'],
    ['file:///etc/hostname', 'nothing'],
    ['javascript:x()', 'nothing'],
    ['ssh://m.example', 'other'],
  ])('%s goes to: %s', (href, effect) => {
    const { links } = drawPane(`[a](<${href}>)`);
    expect(links).toEqual([{ text: 'a', href }]);
    expect(clickEffect(links[0]?.href ?? '')).toBe(effect);
  });
});

describe('an update', () => {
  it.each([
    ['the same text', 'a', 'a', 'none'],
    ['the first text', '', 'a', 'start'],
    ['a word more', 'a', 'a b', 'append'],
    ['a block more', 'a', 'a\n\nb', 'append'],
    ['another end', 'a b', 'a c', 'reset'],
    ['less', 'a b', 'a', 'reset'],
    ['nothing', 'a', '', 'reset'],
    ['a heading sign becomes text', 'see\n#', 'see\n#1', 'reset'],
    ['a rule becomes text', 'a\n***', 'a\n***b', 'reset'],
    ['a tag becomes another', 'see\n<div', 'see\n<divx', 'reset'],
    ['a definition is complete', 'a\n\n[1]: ', 'a\n\n[1]: u', 'reset'],
    ['a paragraph becomes a heading', 'a', 'a\n===', 'append'],
  ])('%s: %j then %j is %s', (_what, previous, next, effect) => {
    expect(updatePane(previous, next).effect).toBe(effect);
  });

  it('leaves earlier blocks as they were', () => {
    const update = updatePane('[1]\n\nb', '[1]\n\nb\n\n[1]: u');
    expect(update).toMatchObject({
      effect: 'append',
      stale: [{ was: { text: '[1]' }, now: { text: '1' } }],
    });
  });

  it('leaves an earlier link at its first address', () => {
    const { stale } = updatePane('[a]\n\n[a]: u\n\nb', '[a]\n\n[a]: u\n\nb [a]');
    expect(stale).toEqual([]);
    const update = updatePane('[a]\n\nb\n\n[a]: u', '[a]\n\nb\n\n[a]: uv');
    expect(update).toMatchObject({
      effect: 'append',
      stale: [{ was: { links: [{ href: 'u' }] }, now: { links: [{ href: 'uv' }] } }],
    });
  });

  it('tells when the last block changes its kind', () => {
    expect(updatePane('a', 'a\n===').replaced).toMatchObject({
      was: { kind: 'paragraph' },
      now: { kind: 'heading' },
    });
    expect(updatePane('a', 'a b').replaced).toBeUndefined();
  });
});

describe('plain-text props are labels with AutoText', () => {
  it.each([
    ['Tea & rain', 'Tea & rain', []],
    ['&lt;b&gt; alone', '&lt;b&gt; alone', []],
    ['a &lt;b&gt; <i>c</i>', 'a <b> c', []],
    ['a &lt;\nb', 'a < b', []],
    ['Vec<T>', 'Vec', []],
    ['a < b', 'a < b', []],
    ['a<br>b', 'a\nb', []],
    [`<img src="${pixel}">a`, 'a', [pixel]],
    [`a<img src='${pixel}'>`, 'a', [pixel]],
    [`<img src=${pixel}>a`, 'a', [pixel]],
    [`‹img src="${pixel}"›`, `‹img src="${pixel}"›`, []],
    [`&lt;img src="${pixel}"&gt;`, `&lt;img src="${pixel}"&gt;`, []],
  ])('%j', (prop, text, fetches) => {
    expect(drawPlainText(prop)).toEqual({ text, fetches });
  });
});

describe('the words that are not drawn', () => {
  it.each([
    ['nothing is missing', '# a\n\n- b\n- c `d`\n\n|e|\n|-|\n|f|', []],
    ['marks inside a word', 'foo**bar** ba<b>z</b>', []],
    ['all but the last paragraph of an item', '- one two\n\n  three', ['one', 'two']],
    ['code in an item', '- a\n\n  ```\n  code\n  ```', ['code']],
    ['a quote in a quote', '> a\n> > deep', ['deep']],
    ['the description of a broken image', '# ![alt](u)', ['alt']],
    ['a cell without a column', '|a|\n|-|\n|b|c|', ['c']],
    ['words run together', '<p>one</p><p>two</p>', ['one', 'two']],
    ['a swallowed note', 'x\n\n[^b]: Confirmed', ['b', 'Confirmed']],
    ['one of two', '- a\n\n  b\n\n      b', ['a', 'b']],
    ['addresses, tags and languages are no words', '[a](https://m.example) <b x="y">\n\n~~~js', []],
  ])('%s', (_what, markdown, words) => {
    expect(undrawnWords(markdown, drawPane(markdown))).toEqual(words);
  });

  it('are told for a text that is drawn in another form', () => {
    expect(undrawnWords('- one\n\n  two', drawPane('- one\\\n  two'))).toEqual([]);
  });
});

describe('for every document', () => {
  it('nothing acts in code inside a quote', () => {
    fc.assert(
      fc.property(hostileMarkdown, (markdown) => {
        const quoted = drawPane(`> ${'~'.repeat(40)}\n${markdown.replace(/^/gm, '> ')}\n`);
        expect(quoted).toMatchObject({ fetches: [], crashes: [], links: [] });
        expect(quoted.text).toBe('');
      }),
    );
  });

  it('a text that only grows is never told to be another text', () => {
    fc.assert(
      fc.property(hostileMarkdown, hostileMarkdown, (start, more) => {
        const { effect, reason } = updatePane(start, start + more);
        expect(effect).not.toBe('none');
        expect(reason ?? '').not.toMatch(/^at character/);
      }),
    );
  });
});
