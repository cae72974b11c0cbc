import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { loadPageReader } from '../host/web/page-reader';

const ASSETS = join(import.meta.dirname, '../../assets');
const { readPage, readPlain } = z
  .object({
    readPage: z.custom<(html: string, url: string) => unknown>(
      (value) => typeof value === 'function',
    ),
    readPlain: z.custom<(html: string) => unknown>((value) => typeof value === 'function'),
  })
  .parse(createRequire(`${ASSETS}/`)('./page.js'));
const Reading = z.object({
  title: z.string(),
  text: z.string(),
  canonical: z.optional(z.string()),
  cut: z.boolean(),
  scripts: z.number(),
});

const read = (html: string, url = 'https://site.example/dir/page'): z.infer<typeof Reading> =>
  Reading.parse(readPage(html, url));

const article = (body: string): string =>
  `<html><head><title>T</title></head><body>${body}</body></html>`;

describe('HTML in, Markdown out', () => {
  it.each([
    [
      'headings',
      '<h2>One</h2><p>a</p><h3>Two <small>b</small></h3><h4></h4>',
      '## One\n\na\n\n### Two b',
    ],
    ['white space', '<p>  a \n\n b&nbsp;&nbsp;c\t</p>', 'a b c'],
    ['soft hyphens', '<p>co&shy;operate zero&#8203;width</p>', 'cooperate zerowidth'],
    [
      'emphasis',
      '<p><b>bold </b>and <i>it</i>, <em> x </em><strong></strong><del>no</del></p>',
      '**bold** and *it*, *x* ~~no~~',
    ],
    ['nested marks', '<p><b><strong>x</strong></b></p>', '**x**'],
    ['hard breaks', '<p>a<br>b<br/> c</p>', 'a  \nb  \nc'],
    ['two breaks are a paragraph', '<p>a<br><br>b</p>', 'a\n\nb'],
    [
      'inline code',
      '<p><code>a  b</code> <kbd>`</kbd> <code>x`y</code></p>',
      '`a b` `` ` `` ``x`y``',
    ],
    [
      'powers',
      '<p>m<sup>2</sup>, H<sub>2</sub>O, x<sup>y</sup>, 1<sup>st</sup></p>',
      'm², H₂O, xy, 1st',
    ],
    [
      'absolute link',
      '<p><a href="https://b.example/x?y=1#z">b</a></p>',
      '[b](https://b.example/x?y=1#z)',
    ],
    [
      'relative links',
      '<p><a href="other">o</a> <a href="/r">r</a> <a href="//c.example">c</a></p>',
      '[o](https://site.example/dir/other) [r](https://site.example/r) [c](https://c.example/)',
    ],
    ['link with parentheses', '<p><a href="/a(b)">x</a></p>', '[x](<https://site.example/a(b)>)'],
    ['brackets in a link', '<p><a href="/n">[1]</a></p>', '[\\[1\\]](https://site.example/n)'],
    [
      'blanks around a link stay outside',
      '<p>a<a href="/n"> n </a>b</p>',
      'a [n](https://site.example/n) b',
    ],
    ['same-page link', '<p>see <a href="#note">[1]</a></p>', 'see [1]'],
    ['heading anchor', '<h2>Title <a href="#title">¶</a></h2>', '## Title'],
    [
      'link that is its own text',
      '<p><a href="https://b.example/">https://b.example/</a></p>',
      'https://b.example/',
    ],
    [
      'links that lead nowhere',
      '<p><a href="javascript:x()">a</a> <a href="data:,x">b</a> <a>c</a> <a href="http://[">d</a></p>',
      'a b c d',
    ],
    ['mail', '<p><a href="mailto:a@b.example">mail</a></p>', '[mail](mailto:a@b.example)'],
    ['upper-case attributes', '<P><A HREF="/x">x</A></P>', '[x](https://site.example/x)'],
    ['images', '<p>a <img src=x alt="a  leaf"> b <img src=y></p>', 'a (Image: a leaf) b'],
    [
      'image link',
      '<p><a href="/x"><img alt="leaf"></a></p>',
      '[(Image: leaf)](https://site.example/x)',
    ],
    ['list', '<ul><li>a</li><li></li><li> b</li></ul>', '- a\n- b'],
    [
      'nested lists',
      '<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>',
      '- a\n  - b\n    1. c\n- d',
    ],
    ['list in a list without item', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    [
      'numbers',
      '<ol start="9"><li>a</li><li>b</li><li value="20">c</li><li>d</li></ol>',
      '9. a\n10. b\n20. c\n21. d',
    ],
    [
      'item of two paragraphs',
      '<ol><li><p>a</p><p>b</p></li><li>c</li></ol>',
      '1. a\n\n   b\n2. c',
    ],
    ['list after text', '<p>a</p><ul><li>b</li></ul><p>c</p>', 'a\n\n- b\n\nc'],
    [
      'task list',
      '<ul><li><input type=checkbox checked> a</li><li><input type=checkbox> b</li></ul>',
      '- [x] a\n- [ ] b',
    ],
    [
      'code',
      '<pre><code class="hljs language-js">let a = 1;\n\n  b(&lt;c&gt;);\n</code></pre>',
      '```js\nlet a = 1;\n\n  b(<c>);\n```',
    ],
    [
      'code language around',
      '<div class="highlight-source-c++"><pre>x</pre></div>',
      '```c++\nx\n```',
    ],
    ['code with fences in it', '<pre>a\n````\nb</pre>', '`````\na\n````\nb\n`````'],
    [
      'code with breaks and line elements',
      '<pre>a<br>b<div>c</div><div>d</div></pre>',
      '```\na\nbc\nd\n```',
    ],
    ['code in an item', '<ul><li>a<pre>b\nc</pre></li></ul>', '- a\n\n  ```\n  b\n  c\n  ```'],
    ['quote', '<blockquote><p>a</p><p>b</p><footer>c</footer></blockquote>', '> a\n>\n> b\n>\n> c'],
    ['rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['definitions', '<dl><dt>a</dt><dd>b</dd></dl>', '**a**\n\nb'],
    [
      'table',
      '<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>x | y</td></tr></tbody></table>',
      '| A | B |\n| --- | --- |\n| 1 | x \\| y |',
    ],
    [
      'table without header',
      '<table><tr><td>1</td><td>2</td></tr></table>',
      '|  |  |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'table with caption and spans',
      '<table><caption>C</caption><tr><th colspan=2>A</th><th>B</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr></table>',
      '**C**\n\n| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    ],
    [
      'table with a list in a cell',
      '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><ul><li>x</li><li>y</li></ul></td></tr></table>',
      '| A | B |\n| --- | --- |\n| 1 | x; y |',
    ],
    [
      'layout table',
      '<table role="presentation"><tr><td><p>a</p></td><td><p>b</p></td></tr></table>',
      'a\n\nb',
    ],
    ['one column', '<table><tr><td>a</td></tr><tr><td>b</td></tr></table>', 'a\n\nb'],
    ['formula', '<p>so <math alttext="x^2"><mi>x</mi><mn>2</mn></math> is</p>', 'so $x^2$ is'],
    ['entities', '<p>&lt;b&gt; &amp;amp; &eacute; &#x1F343;</p>', '<b> &amp; é 🍃'],
    ['inline element around blocks', '<span><p>a</p><p>b</p></span>', 'a\n\nb'],
    ['unknown elements', '<my-card><div>a</div></my-card><x-y>b</x-y>', 'a\n\nb'],
    [
      'what is not for reading',
      '<nav>n</nav><p>a</p><script>s</script><style>t</style><noscript>u</noscript><button>v</button><p hidden>w</p><p style="display: none">x</p><span aria-hidden="true">y</span><footer>z</footer>',
      'a',
    ],
    ['text without any element', 'just text', 'just text'],
    ['unclosed elements', '<p>a<p>b<ul><li>c<li>d', 'a\n\nb\n\n- c\n- d'],
    ['nothing', '', ''],
  ])('%s', (_name, html, expected) => {
    expect(read(article(html)).text).toBe(expected);
  });

  it.each([
    ['fragment', '<p>a</p>tail', 'a\n\ntail'],
    ['no html', '<body><p>a</p></body>', 'a'],
    ['no body', '<html><title>t</title><p>a</p></html>', 'a'],
    ['title and text', '<!doctype html><title>t</title><h1>H</h1><p>a', '## H\n\na'],
    ['comment first', '<!-- x --><p>a', 'a'],
    ['plain words', 'a & b', 'a & b'],
  ])('incomplete documents: %s', (_name, html, expected) => {
    expect(read(html).text).toBe(expected);
  });
});

describe('finding the article', () => {
  const sentence = 'Fog waters the terraces on many mornings, and the leaves grow slowly. ';
  const page = `<html><head><title>Fog and leaf | Verdel</title><link rel="canonical" href="/fog"><base href="https://cdn.example/x/"></head>
<body><nav><a href="/1">One</a><a href="/2">Two</a></nav><div class="sidebar">Subscribe to our letter</div>
<article><h1>Fog and leaf</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(4)}<p>See <a href="more">more</a>.</p></article>
<div class="comments">${'<p>first!</p>'.repeat(3)}</div><footer>Imprint</footer><script>1</script></body></html>`;

  it('leaves out what stands around it', () => {
    const { text } = read(page);
    expect(text).toContain(sentence.trim());
    expect(text).not.toMatch(/Subscribe|Imprint|One|Two/);
  });

  it('gives title, canonical and links under the page’s own base, and counts scripts', () => {
    const reading = read(page);
    expect(reading).toMatchObject({ canonical: 'https://cdn.example/fog', cut: false, scripts: 1 });
    expect(reading.title).toMatch(/^Fog and leaf/);
    expect(reading.text).toContain('[more](https://cdn.example/x/more)');
  });

  it.each([
    ['<title> A \n B </title><p>x', 'A B'],
    ['<meta property="og:title" content="Open"><p>x', 'Open'],
    ['<h1>Head</h1><p>x', 'Head'],
    ['<p>x', ''],
  ])('title of %j', (html, expected) => {
    expect(read(html).title).toBe(expected);
  });
});

describe('when readability finds only a part', () => {
  const paragraph = `<p>${'Fog waters the terraces on many mornings, and the leaves grow slowly. '.repeat(5)}</p>`;
  const entries = Array.from(
    { length: 20 },
    (_, n) => `<div class="entry"><pre>f${n}()</pre><p>Does thing ${n}.</p></div>`,
  ).join('');
  it.each([
    ['a reference of short entries', `<div>${entries}<div>${paragraph.repeat(8)}</div></div>`],
    ['in its main element', `<main>${entries}<div>${paragraph.repeat(8)}</div></main>`],
  ])('%s', (_name, body) => {
    const { text } = read(article(`<nav>Index</nav>${body}<footer>Imprint</footer>`));
    expect(text).toContain('```\nf0()\n```\n\nDoes thing 0.');
    expect(text).toContain('Does thing 19.');
    expect(text).not.toMatch(/Index|Imprint/);
  });

  it.each([
    ['replies', (text: string) => `<div class="msg"><b>u</b><div>${text}</div></div>`],
    ['answers', (text: string) => `<h3>Question?</h3><div><div>${text}</div></div>`],
    ['rows', (text: string) => `<table><tr><td><div>${text}</div></td></tr></table>`],
  ])('keeps all %s around a long one', (_name, one) => {
    const all = Array.from({ length: 30 }, (_, n) => one(`Reply ${n}, in short.`));
    all.splice(7, 0, one(paragraph.repeat(4)));
    const { text } = read(article(`<div>${all.join('')}</div>`));
    expect(text.match(/Reply \d+, in short/g)).toHaveLength(30);
  });
});

describe('pages built to hurt', () => {
  it.each([
    ['100,000 nested divs', `${'<div>'.repeat(100_000)}core${'</div>'.repeat(100_000)}`, 'core'],
    ['300 nested lists', `${'<ul><li>'.repeat(300)}core`, 'core'],
    [
      '100,000 attributes',
      `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>core`,
      'core',
    ],
    ['40,000 elements', '<p>core</p>'.repeat(40_000), 'core'],
    ['200,000 lone brackets', `core${'<'.repeat(200_000)}`, 'core'],
    ['an endless comment', `<p>core</p>${'<!--'.repeat(100_000)}`, 'core'],
    ['200 nested marks', `<p>${'<b>'.repeat(200)}core${'</b>'.repeat(200)}</p>`, 'core'],
    [
      'huge spans',
      `<table>${'<tr><td colspan=60000 rowspan=60000>core'.repeat(200)}</table>`,
      'core',
    ],
  ])('%s still give their words', (_name, html, expected) => {
    expect(read(html).text).toContain(expected);
  });

  it('does not swell: short links under a long base', () => {
    const html = `<base href="https://site.example/${'a'.repeat(1_500)}/">${'<a href=x>w</a> '.repeat(5_000)}`;
    expect(read(html).text.length).toBeLessThan(1_200_000);
  });

  it('says when it read only the beginning', () => {
    const reading = read(`<p>begin</p><pre>${'x'.repeat(2_200_000)}</pre>`);
    expect(reading).toMatchObject({ cut: true });
    expect(reading.text).toContain('begin');
  });

  it('plain reading keeps lines, decodes entities and leaves scripts out', () => {
    const reading = Reading.parse(
      readPlain(
        '<title>T</title><script>var a</script><h1>H</h1><p>a &amp; <b>b</b> &#233;<p>c<br>d',
      ),
    );
    expect(reading).toEqual({ title: 'T', text: 'H\na & b é\nc\nd', cut: false, scripts: 1 });
  });
});

describe('loadPageReader', () => {
  const directories: string[] = [];
  afterEach(() => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
  });
  const assets = (code: string): string => {
    const directory = mkdtempSync(join(tmpdir(), 'lam-assets-'));
    directories.push(directory);
    writeFileSync(join(directory, 'page.js'), code);
    return directory;
  };
  const live = (): AbortSignal => new AbortController().signal;
  const url = 'https://site.example/';

  it('reads a page', async () => {
    const outcome = await loadPageReader(ASSETS)('<title>t</title><p>words', url, live());
    expect(outcome).toEqual({
      ok: true,
      reading: { title: 't', text: 'words', cut: false, scripts: 0 },
    });
  });

  it('says so when the file is missing', async () => {
    const outcome = await loadPageReader(join(ASSETS, 'none'))('<p>', url, live());
    expect(outcome).toMatchObject({ ok: false });
    expect(JSON.stringify(outcome)).toContain('assets/page.js');
  });

  it.each([
    ['another shape', 'exports.readPage = exports.readPlain = () => ({ text: 1 })'],
    ['another file', 'exports.other = 1'],
    ['an exception', 'throw new Error("x")'],
    ['an exit', 'process.exit()'],
  ])('%s is a failure', async (_name, code) => {
    expect(await loadPageReader(assets(code))('<p>', url, live())).toMatchObject({ ok: false });
  });

  it('a page that takes too long is read as plain text', async () => {
    const code = `exports.readPage = () => { for (;;); };
exports.readPlain = () => ({ title: '', text: 'plain', cut: false, scripts: 0 });`;
    const outcome = await loadPageReader(assets(code), { timeoutMs: 1_000 })('<p>', url, live());
    expect(outcome).toMatchObject({ ok: true, reading: { text: 'plain' } });
  });

  it('an abort ends a reading that runs', async () => {
    const control = new AbortController();
    const code = 'exports.readPage = () => { for (;;); };';
    const pending = loadPageReader(assets(code))('<p>', url, control.signal);
    setTimeout(() => {
      control.abort();
    }, 100);
    expect(await pending).toMatchObject({ ok: false, message: 'The reading was stopped.' });
    expect(await loadPageReader(ASSETS)('<p>', url, control.signal)).toMatchObject({ ok: false });
  });
});
