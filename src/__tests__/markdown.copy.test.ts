import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  COPY_FORMATS,
  copyAnswer,
  copyExchanges,
  evidenceFormat,
  sourceMarkdown,
  type CopiedTurn,
  type CopyFormat,
} from '../lib/markdown';
import type { Source } from '../lib/types';

import { hostileMarkdown } from './support/hostile-markdown';

const first: Source = { index: 1, title: 'First', url: 'https://first.example' };
const third: Source = { index: 3, title: 'Third', url: 'https://third.example' };
const paper: Source = {
  index: 4,
  title: 'The Paper',
  url: '/home/ada/private/my paper.pdf',
  kind: 'document',
};
const sources = [first, { index: 2, title: 'Second', url: 'https://second.example' }, third, paper];

const turn = (response: string, more: Partial<CopiedTurn> = {}, found = sources): CopiedTurn => ({
  question: 'Why?',
  response,
  toolCalls: [{ name: 'web_search', arguments: {}, result: '', isError: false, sources: found }],
  ...more,
});
const bare = (response: string, more: Partial<CopiedTurn> = {}): CopiedTurn =>
  turn(response, more, []);

describe('one cited answer in each format', () => {
  const answer = turn('Wet [1], and [1, 3]. Not [9].');
  it.each([
    [
      'markdown',
      'Wet [\\[1\\]](https://first.example), and [\\[1\\]](https://first.example), [\\[3\\]](https://third.example). Not [9].\n\n' +
        '_Sources_\n\n- [\\[1\\]](https://first.example) First\n- [\\[3\\]](https://third.example) Third',
    ],
    [
      'footnotes',
      'Wet [^1], and [^1][^3]. Not [9].\n\n[^1]: First – <https://first.example>\n[^3]: Third – <https://third.example>',
    ],
    [
      'text',
      'Wet [1], and [1], [3]. Not [9].\n\nSources\n[1] First – https://first.example\n[3] Third – https://third.example',
    ],
    [
      'html',
      '<p>Wet <a href="https://first.example">[1]</a>, and <a href="https://first.example">[1]</a>, <a href="https://third.example">[3]</a>. Not [9].</p>\n' +
        '<p>Sources</p>\n<p>[1] <a href="https://first.example">First</a><br>\n[3] <a href="https://third.example">Third</a></p>',
    ],
  ] as const)('%s', (format, expected) => {
    expect(copyAnswer(answer, format)).toBe(expected);
  });
});

describe('what is said of an answer beside its text', () => {
  const question = 'Is [1] `x`?\n<b>&';
  it.each([
    [
      'markdown',
      '> Is [1] `x`?\n> <b>&\n\nWet.\n\n**[error]** Gone \\<b\\>.\n\n_(stopped)_',
      '> Is [1] `x`?\n> <b>&\n\n_(no response)_',
    ],
    [
      'footnotes',
      '> Is [1] `x`?\n> <b>&\n\nWet.\n\n**[error]** Gone \\<b\\>.\n\n_(stopped)_',
      '> Is [1] `x`?\n> <b>&\n\n_(no response)_',
    ],
    [
      'text',
      '> Is [1] `x`?\n> <b>&\n\nWet.\n\n[error] Gone <b>.\n\n(stopped)',
      '> Is [1] `x`?\n> <b>&\n\n(no response)',
    ],
    [
      'html',
      '<blockquote>\n<p>Is [1] `x`?<br>\n&lt;b&gt;&amp;</p>\n</blockquote>\n<p>Wet.</p>\n<p><strong>[error]</strong> Gone &lt;b&gt;.</p>\n<p><em>(stopped)</em></p>',
      '<blockquote>\n<p>Is [1] `x`?<br>\n&lt;b&gt;&amp;</p>\n</blockquote>\n<p><em>(no response)</em></p>',
    ],
  ] as const)('%s', (format, stopped, empty) => {
    const failed = bare('Wet.', { question, error: 'Gone\n<b>.', state: 'stopped' });
    expect(copyExchanges([failed], format)).toBe(stopped);
    expect(copyExchanges([bare('', { question })], format)).toBe(empty);
  });

  it.each([
    ['markdown', '\n\n---\n\n'],
    ['footnotes', '\n\n---\n\n'],
    ['text', '\n\n----------\n\n'],
    ['html', '\n<hr>\n'],
  ] as const)('%s: exchanges stand apart', (format, rule) => {
    const one = copyExchanges([bare('One.')], format);
    const two = copyExchanges([bare('Two.')], format);
    expect(copyExchanges([bare('One.'), bare('Two.')], format)).toBe(`${one}${rule}${two}`);
  });

  it.each(COPY_FORMATS)('%s: a running answer has no list yet', (format) => {
    expect(copyAnswer(turn('Wet', { state: 'running' }), format)).not.toContain('First');
  });

  it.each(COPY_FORMATS)('%s: when nothing is cited, twelve sources and how many more', (format) => {
    const many = Array.from({ length: 15 }, (_, i) => ({
      index: i + 1,
      title: `Page ${String(i + 1)}!`,
      url: `https://p.example/${String(i + 1)}`,
    }));
    const copied = copyAnswer(turn('Wet.', {}, many), format);
    expect(copied).toContain('and 3 more');
    expect(copied).toContain('p.example/12');
    expect(copied).not.toContain('p.example/13');
    expect(copied).not.toContain('[^');
  });
});

describe('Markdown for several answers', () => {
  it.each<[string, string, string]>([
    [
      'a reference becomes an inline link',
      '[spec][s]\n\n[s]: https://m.example/s "S"',
      '[spec](https://m.example/s)',
    ],
    [
      'an unused definition becomes text',
      'Wet.\n\n[1]: https://m.example/s',
      'Wet.\n\n\\[1]: [https://m.example/s](https://m.example/s)',
    ],
    [
      'a definition whose absence would change what follows becomes text',
      '[a] b\n\n[a]: https://m.example/a\n    c',
      '[a](https://m.example/a) b\n\n\\[a]: [https://m.example/a](https://m.example/a)\n    c',
    ],
    [
      'one in a quote leaves the quote whole',
      '> [a]\n>\n> [a]: https://m.example/a\n> c',
      '> [a](https://m.example/a)\n>\n> \\[a]: [https://m.example/a](https://m.example/a)\n> c',
    ],
    [
      'consecutive definitions go together',
      '[a] [b]\n\n[a]: https://m.example/a\n[b]: https://m.example/b',
      '[a](https://m.example/a) [b](https://m.example/b)',
    ],
    [
      'a footnote of the model’s own becomes text',
      'A [^7].\n\n[^7]: Real note',
      'A [^7].\n\n\\[^7]: Real note',
    ],
    ['a fence left open is closed', '~~~~js\na', '~~~~js\na\n~~~~'],
    ['in its container', '- a\n  > ```\n  > b', '- a\n  > ```\n  > b\n  > ```'],
    ['an open comment becomes text', 'a\n\n<!-- `b`', 'a\n\n\\<\\!-- \\`b\\`'],
    ['a closed one stays', 'a\n\n<!-- b -->', 'a\n\n<!-- b -->'],
    ['an open formula becomes text', 'a\n\n$$\nx = 1', 'a\n\n\\$\\$\nx = 1'],
    ['a closed one stays', '$$\nx = 1\n$$', '$$\nx = 1\n$$'],
    ['indented code keeps its first line', '    a\n    b  \n\n', '    a\n    b  '],
  ])('%s', (_why, response, expected) => {
    const copied = copyExchanges([bare('One.'), bare(response)], 'markdown');
    expect(copied).toBe(`> Why?\n\nOne.\n\n---\n\n> Why?\n\n${expected}`);
  });

  it('a definition in a question links nothing', () => {
    const copied = copyExchanges(
      [bare('See [1].', { question: '[1]: https://q.example' })],
      'markdown',
    );
    expect(copied).toBe('> \\[1]: [https://q.example](https://q.example)\n\nSee [1].');
  });

  it('a single answer keeps the model’s own footnotes', () => {
    expect(copyAnswer(bare('A [^7].\n\n[^7]: Real note'), 'markdown')).toBe(
      'A [^7].\n\n[^7]: Real note',
    );
  });
});

describe('footnotes', () => {
  const FIRST = '[^1]: First – <https://first.example>';
  it.each<[string, string, string]>([
    ['a range', 'A [1-3].', 'A [^1][^2][^3].'],
    ['a full-width marker before a parenthesis is no link', 'A 【1】(b).', 'A [^1]\\(b).'],
    ['a full-width marker before a colon is no footnote', '【1】: b', '[^1]\\: b'],
    ['a link of the model’s to the source', 'A [1](https://first.example).', 'A [^1].'],
    ['code stays', 'A [1] `[^1]`.', 'A [^1] `[^1]`.'],
    [
      'a mark between tags of code is not ours',
      'A [1] <code>[^1]</code>.',
      'A [^1] <code>\\[^1]</code>.',
    ],
    ['a row that repeats the source goes', 'A [^1].\n\n[^1]: First', 'A [^1].'],
    [
      'the model’s own note stays',
      'A [1], b [^7].\n\n[^7]: Real note',
      'A [^1], b [^7].\n\n[^7]: Real note',
    ],
    [
      'a note with more to say about a source becomes text, because its marks are ours',
      'A [^1].\n\n[^1]: First, https://first.example, read in May',
      'A [^1].\n\n\\[^1]: First, https://first.example, read in May',
    ],
    ['an image mark', 'A ![1]', 'A \\![^1]'],
  ])('%s', (_why, response, expected) => {
    const copied = copyAnswer(turn(response), 'footnotes');
    expect(copied.split('\n\n[^1]: First –')[0]).toBe(expected);
    expect(copied).toContain(FIRST);
  });

  it('another spelling of the label where the model’s own note has it', () => {
    expect(copyAnswer(turn('A [1], b [^1].\n\n[^1]: Real note'), 'footnotes')).toBe(
      'A [^1a], b [^1].\n\n[^1]: Real note\n\n[^1a]: First – <https://first.example>',
    );
  });

  it('labels of a conversation name the exchange, and nothing else is a footnote', () => {
    const copied = copyExchanges(
      [
        turn('A [1], b [^7] [^2-1].\n\n[^7]: Real note', { question: 'Is [^1-1]?' }),
        turn('C [1], d [^1-1].'),
      ],
      'footnotes',
    );
    expect(copied).toBe(
      '> Is \\[^1-1]?\n\nA [^1-1], b \\[^7] \\[^2-1].\n\n\\[^7]: Real note\n\n[^1-1]: First – <https://first.example>' +
        '\n\n---\n\n> Why?\n\nC [^2-1], d \\[^1-1].\n\n[^2-1]: First – <https://first.example>',
    );
  });
});

describe('plain text', () => {
  it.each<[string, string, string]>([
    ['headings and emphasis', '# A *b*\n\nC **d** ~~e~~\n===', 'A b\n\nC d e'],
    ['lines of a paragraph', 'a\nb  \nc\\\nd<br>e', 'a\nb\nc\nd\ne'],
    ['lists', '- a\n  - b\n\n3. c\n4. d', '- a\n  - b\n\n3. c\n4. d'],
    ['a loose list', '- a\n\n  b\n- c', '- a\n\n  b\n\n- c'],
    ['quotes', '> a\n> b\n>\n> c', '> a\n> b\n>\n> c'],
    ['tables', '| a | b [1] |\n|:--|--:|\n| `c\\|d` | **e**<br>f |', 'a | b [1]\nc|d | e f'],
    [
      'links',
      '[a](https://m.example/b) <https://m.example> [c](javascript:d)',
      'a (https://m.example/b) https://m.example c (javascript:d)',
    ],
    [
      'a mail address',
      '<a@m.example> [write](mailto:a@m.example)',
      'a@m.example write (a@m.example)',
    ],
    [
      'references',
      '[a][s] [b]\n\n[s]: https://m.example/s\n[t]: https://m.example/t',
      'a (https://m.example/s) [b]\n\n[t]: https://m.example/t',
    ],
    ['images', '![a *b*](https://i.example/c.png)', 'a b (https://i.example/c.png)'],
    ['formulas', 'So $x^2$ and $\\unknowncommand{x}$', 'So x² and \\unknowncommand{x}'],
    [
      'tags',
      '<b>a</b> <span class="x">b</span> H<sub>2</sub>O Vec<T> Vec<B><!-- c -->',
      'a b H2O Vec<T> Vec<B>',
    ],
    ['a block of HTML', '<div>\n<!-- a -->b &amp;\n</div>', '<div>\nb &amp;\n</div>'],
    ['escapes and entities', '\\*a\\* &amp; &lt;b&gt; \\[1\\]', '*a* & <b> [1]'],
    ['code', 'a `*b*` ``c`d``', 'a *b* c`d'],
    [
      'blocks of code',
      '- a\n\n  ```js\n    b [1]\n\n  \tc\n  ```\n- d',
      '- a\n\n  b [1]\n\n\tc\n\n- d',
    ],
    ['indented code first', '    a\n      b', 'a\n  b'],
    ['a rule', 'a\n\n***\n\nb', 'a\n\n----------\n\nb'],
    ['an index between tags of code', '<code>a[1]</code>', 'a[1]'],
    ['footnotes of the model', 'a [^7]\n\n[^7]: Note', 'a [^7]\n\n[^7]: Note'],
    [
      'a definition that owns its number',
      'a [1]\n\n[1]: https://m.example',
      'a 1 (https://m.example)',
    ],
  ])('%s', (_why, response, expected) => {
    const copied = copyAnswer(turn(response), 'text');
    expect(copied.split('\n\nSources\n')[0]).toBe(expected);
  });
});

describe('HTML', () => {
  it.each<[string, string, string]>([
    [
      'headings and emphasis',
      '## A *b* **c** ~~d~~',
      '<h2>A <em>b</em> <strong>c</strong> <del>d</del></h2>',
    ],
    [
      'a tight list',
      '2. a\n3. b\n   - c',
      '<ol start="2">\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul></li>\n</ol>',
    ],
    ['a loose list', '- a\n\n- b', '<ul>\n<li><p>a</p></li>\n<li><p>b</p></li>\n</ul>'],
    ['a quote', '> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['code', '```js" onload="x\na<b>&\n```', '<pre><code>a&lt;b&gt;&amp;\n</code></pre>'],
    [
      'a table',
      '|a|\n|:-:|\n|b|',
      '<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>\n</table>',
    ],
    [
      'a link with a title',
      '[a](https://m.example/?b=1&c="d" "x\\" onclick=\\"y")',
      '<p><a href="https://m.example/?b=1&amp;c=&quot;d&quot;">a</a></p>',
    ],
    [
      'a scheme that starts a program',
      '[a](javascript:b) <file:///c> [d](data:e)',
      '<p>a (javascript:b) file:///c (file:///c) d (data:e)</p>',
    ],
    ['an image', '![a](https://i.example/b.png)', '<p><a href="https://i.example/b.png">a</a></p>'],
    [
      'an image in a link',
      '[![a](https://i.example/b.png)](https://m.example)',
      '<p><a href="https://m.example">a</a></p>',
    ],
    [
      'simple tags without attributes',
      '<b onclick="x">a</b> H<sub>2</sub>O<br/>b',
      '<p><b>a</b> H<sub>2</sub>O<br>\nb</p>',
    ],
    ['tags that do not nest', '*<b>a*</b> <i>b', '<p><em>&lt;b&gt;a</em>&lt;/b&gt; &lt;i&gt;b</p>'],
    [
      'other tags',
      '<img src=x onerror=y> <script>z</script><!-- c -->',
      '<p>&lt;img src=x onerror=y&gt; &lt;script&gt;z&lt;/script&gt;</p>',
    ],
    [
      'a block of HTML',
      '<script>\nx\n</script>',
      '<p>&lt;script&gt;<br>\nx<br>\n&lt;/script&gt;</p>',
    ],
    [
      'a formula',
      '$x^2$ $\\unknowncommand{<b>}$',
      '<p>x² <code>\\unknowncommand{&lt;b&gt;}</code></p>',
    ],
  ])('%s', (_why, response, expected) => {
    const copied = copyAnswer(bare(response), 'html');
    expect(copied).toBe(expected);
  });
});

describe('a document on this machine', () => {
  it.each<[string, CopyFormat | typeof evidenceFormat, Partial<Source>, string]>([
    [
      'as Markdown, for one’s own notes, is a link to its path',
      'markdown',
      {},
      'A [\\[4\\]](</home/ada/private/my paper.pdf>).\n\n' +
        '_Sources_\n\n- [\\[4\\]](</home/ada/private/my paper.pdf>) The Paper',
    ],
    [
      'in a footnote is its title and the name of its file',
      'footnotes',
      {},
      'A [^4].\n\n[^4]: The Paper – local file my paper.pdf',
    ],
    [
      'in a footnote under the name of its file has it once',
      'footnotes',
      { title: 'my paper.pdf' },
      'A [^4].\n\n[^4]: my paper.pdf – local file',
    ],
    [
      'in a footnote with quotes is the same',
      evidenceFormat,
      { title: '' },
      'A [^4].\n\n[^4]: my paper.pdf – local file',
    ],
    [
      'as plain text is its title and the name of its file',
      'text',
      {},
      'A [4].\n\nSources\n[4] The Paper – my paper.pdf',
    ],
    [
      'as plain text under the name of its file has it once',
      'text',
      { title: '/home/ada/private/my paper.pdf' },
      'A [4].\n\nSources\n[4] my paper.pdf',
    ],
    [
      'as HTML is its title and no link',
      'html',
      {},
      '<p>A [4].</p>\n<p>Sources</p>\n<p>[4] The Paper</p>',
    ],
    [
      'as HTML without a title is the name of its file',
      'html',
      { title: ' ' },
      '<p>A [4].</p>\n<p>Sources</p>\n<p>[4] my paper.pdf</p>',
    ],
  ])('%s', (_why, format, more, expected) => {
    expect(copyAnswer(turn('A [4].', {}, [{ ...paper, ...more }]), format)).toBe(expected);
  });

  it.each(['footnotes', 'text', 'html', evidenceFormat] as const)(
    'hands on no folder as %s, cited or not, whatever its title',
    (format) => {
      for (const title of ['The Paper', '', paper.url, ` ${paper.url}\n`])
        for (const response of ['A [4].', 'A [1], and [4, 1].', 'A.']) {
          const found = [first, { ...paper, title }];
          const copied = copyExchanges([turn(response, {}, found)], format);
          expect(copied).toContain('my paper.pdf'.slice(title === 'The Paper' ? 12 : 0));
          expect(copied).not.toMatch(/ada|private/);
        }
    },
  );
});

describe('an address in the words of others', () => {
  const words = 'See <http://a.example/x_y>, www.a.example. And b_c@a.example, 80 % @ e*';
  const inert =
    'See \\<`http://a.example/x_y`\\>, `www.a.example`. And `b_c@a.example`, 80 % @ e\\*';
  const named = (more: Partial<Source> = {}): Source[] => [
    { ...first, title: words, ...more } satisfies Source,
  ];

  it.each<[string, string, string]>([
    [
      'the title in the list of a footnote copy',
      copyAnswer(turn('A.', {}, named()), 'footnotes'),
      `- [\\[1\\]](https://first.example) ${inert}`,
    ],
    [
      'the title of what cannot be opened',
      copyAnswer(turn('A.', {}, named({ url: 'ftp://a.example' })), 'footnotes'),
      `- [1] ${inert}`,
    ],
    [
      'the title of a footnote',
      copyAnswer(turn('A [1].', {}, named()), 'footnotes'),
      `[^1]: ${inert} – <https://first.example>`,
    ],
    [
      'the name of a file',
      copyAnswer(turn('A [4].', {}, [{ ...paper, url: '/home/ada/www.a.example' }]), 'footnotes'),
      '[^4]: The Paper – local file `www.a.example`',
    ],
    ['a failure', copyAnswer(bare('', { error: words }), 'footnotes'), `**[error]** ${inert}`],
    [
      'a source by itself',
      sourceMarkdown({ index: 1, title: words, url: 'ftp://a.example/' }),
      `${inert} (\`ftp://a.example/\`)`,
    ],
    [
      'an address for a title',
      copyAnswer(turn('A.', {}, named({ title: 'https://first.example' })), 'footnotes'),
      '- [\\[1\\]](https://first.example) `https://first.example`',
    ],
  ])('%s', (_where, copied, expected) => {
    expect(copied.split('\n').at(-1)).toBe(expected);
  });
});

describe('hostile sources', () => {
  const titles = [
    'a|b "c" <img src=https://t.example/p>',
    '[x](https://t.example) `y` $z$ *w*',
    'a\nb\u202Ec\u0007',
    '[^1]: x',
    '-->',
    'x'.repeat(10_000),
    '',
  ];
  const urls = [
    'https://a.example/"><img src=x>',
    'javascript:alert(1)',
    'https://a.example/?a="b"|c`d`&copy;(',
    'data:text/html,<script>',
    `https://a.example/${'x'.repeat(10_000)}`,
    'https://a.example/\u202Ex',
    '/etc/passwd',
    '',
  ];
  it.each(COPY_FORMATS)('%s: nothing acts', (format) => {
    for (const title of titles) {
      for (const url of urls) {
        for (const response of ['A [1].', 'A.']) {
          const copied = copyAnswer(turn(response, {}, [{ index: 1, title, url }]), format);
          for (const unseen of ['\u202E', '\u0007']) expect(copied).not.toContain(unseen);
          if (format !== 'text') expect(copied).not.toMatch(/(?<!\\)<(?:img|script)/);
          if (format === 'markdown' || format === 'footnotes')
            expect(copied).not.toMatch(/\]\((?!https:\/\/a\.example)/);
          for (const [, href] of copied.matchAll(/href="([^"]*)"/g))
            expect(href).toMatch(/^https:\/\/a\.example\//);
          expect(copied.startsWith('A') || copied.startsWith('<p>A')).toBe(true);
        }
      }
    }
  });

  it.each([
    ['markdown', 'A [1], [2], [-1], [99999], [0].'],
    ['footnotes', 'A [1], [2], [-1], [99999], [0].'],
    ['text', 'A [1], [2], [-1], [99999], [0].'],
    ['html', '<p>A [1], [2], [-1], [99999], [0].</p>'],
  ] as const)('%s: a marker without a usable source is as written', (format, expected) => {
    const found = [{ index: 1, title: 'x', url: 'javascript:alert(1)' }];
    const copied = copyAnswer(turn('A [1], [2], [-1], [99999], [0].', {}, found), format);
    expect(copied.split(/\n+(?:<p>)?_?Sources/)[0]).toBe(expected);
  });
});

describe('any text', () => {
  const anyText = fc.oneof(hostileMarkdown, fc.string({ unit: 'binary' }), fc.string());
  const TAG =
    /^<\/?(?:p|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|del|[biusa]|sub|sup|kbd|mark|table|thead|tbody|tr|th|td)>$|^<(?:br|hr)>$|^<ol start="\d+">$|^<a href="(?:https?:\/\/|mailto:)[^"<>]*">$/;

  it('is copied in every format', () => {
    fc.assert(
      fc.property(anyText, anyText, (question, response) => {
        for (const format of COPY_FORMATS) {
          const copied = copyExchanges([turn(response, { question }), turn(response)], format);
          expect(copied).toMatch(/\b(?:Sources|First|Second|Third)\b/);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('as HTML has only tags of ours, in pairs, and leads to http, https and mailto only', () => {
    fc.assert(
      fc.property(anyText, (response) => {
        const html = copyExchanges([turn(response, { question: response })], 'html');
        const open: string[] = [];
        for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
          expect(tag).toMatch(TAG);
          const name = /[a-z\d]+/.exec(tag)?.[0] ?? '';
          if (tag.startsWith('</')) expect(open.pop()).toBe(name);
          else if (name !== 'br' && name !== 'hr') open.push(name);
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('in a fence is the same in every format', () => {
    const code = fc
      .oneof(hostileMarkdown, fc.string())
      .map((text) => `x${text.replace(/[\r~\0\uFEFF]/g, '')}\n  y`);
    fc.assert(
      fc.property(code, (text) => {
        const response = `A [1].\n\n~~~~\n${text}\n~~~~\n\nB.`;
        for (const format of COPY_FORMATS) {
          const copied = copyExchanges([turn(response), turn(response)], format);
          const written =
            format === 'html'
              ? text.replace(
                  /[&<>"]/g,
                  (char) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[char] ?? 'quot'};`,
                )
              : text;
          expect(copied.split(`\n${written}\n`).length + copied.split(`>${written}\n`).length).toBe(
            4,
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  it('has the same words as plain text and as HTML', () => {
    const letters = (text: string): string => text.replace(/\P{L}+/gu, '');
    fc.assert(
      fc.property(hostileMarkdown, (document) => {
        // Plain text says addresses, and some tags go.
        const response = document.replace(/https?:\S*|\]\(|</g, '');
        const html = copyAnswer(bare(response), 'html').replace(/<[^>]*>/g, '');
        const shown = html.replace(/&(?:amp|lt|gt|quot);/g, '');
        expect(letters(copyAnswer(bare(response), 'text'))).toBe(letters(shown));
      }),
      { numRuns: 150 },
    );
  });
});
