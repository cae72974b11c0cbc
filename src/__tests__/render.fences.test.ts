import { readdirSync, readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { codeBlocks, createRenderStream, renderModelOutput } from '../lib/render';
import { fenceLanguage } from '../lib/render/language';

import { cmark, cmarkMissing } from './support/cmark';
import { drawPane } from './support/pane-model';

describe('the language of a fence', () => {
  it.each([
    ['', ''],
    ['js', 'js'],
    [' js {1,3}', 'js'],
    ['js {1,3-4} title="app.js" showLineNumbers', 'js'],
    ['js{1,3}', 'js'],
    [' c++', 'c++'],
    ['c++ title="x.cpp"', 'c++'],
    ['C#', 'C#'],
    ['F#', 'F#'],
    ['Python', 'Python'],
    ['python title="x.py"', 'python'],
    ['rust,ignore', 'rust'],
    ['objective-c', 'objective-c'],
    ['shell session', 'shell'],
    ['vb.net', 'vb.net'],
    ['asp.net', 'asp.net'],
    ['frobnicate', 'frobnicate'],
    ['{python}', 'python'],
    ['{.python .numberLines}', 'python'],
    ['{.haskell .numberLines startFrom="10"}', 'haskell'],
    ['{#listing .python}', 'python'],
    ['{r, echo=FALSE}', 'r'],
    ['{=html}', 'html'],
    ['{}', ''],
    ['{<img>}', ''],
    ['language-js', 'js'],
    ['lang-ts', 'ts'],
    ['js:src/app.js', 'js'],
    ['src/app.ts', 'ts'],
    ['./src/app.py', 'py'],
    ['/etc/nginx/nginx.conf', 'conf'],
    ['docker/Dockerfile', 'Dockerfile'],
    ['12:15:src/lib/app.ts', 'ts'],
    ['src/app.ts:12-15', 'ts'],
    ['app.py', 'py'],
    ['node.js', 'js'],
    ['diff-javascript', 'diff'],
    ['diff', 'diff'],
    ['console\t', 'console'],
    ['<img src=https://t.example/x>', ''],
    ['js<img src=https://t.example/x>', ''],
    ['js"onclick', ''],
    ['&lt;img src="x"&gt;', ''],
    ['title="x.py"', ''],
    ['中文', ''],
    ['a'.repeat(31), ''],
    ['a'.repeat(30), 'a'.repeat(30)],
    [`src/${'a'.repeat(31)}`, ''],
  ])('%j is %j', (info, language) => {
    expect(fenceLanguage(info)).toBe(language);
  });

  it('fits the allowed set whatever is written', () => {
    const part = fc.constantFrom(
      'js',
      '{',
      '}',
      '.',
      '/',
      ':',
      '1',
      ' ',
      '<img>',
      'lang-',
      '#',
      '=',
      '中',
      '.py',
      ',',
    );
    const info = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(info, (written) => {
        expect(fenceLanguage(written)).toMatch(/^[\w+#.-]{0,30}$/);
        expect(fenceLanguage(fenceLanguage(written))).toMatch(/^[\w+#.-]{0,30}$/);
      }),
    );
  });

  it.each([
    ['```js {1,3}\na\n```', 'js'],
    ['~~~Python\na\n~~~', 'Python'],
    ['``` c++\na\n```', 'c++'],
    ['- ```{.python .x}\n  a\n  ```', 'python'],
    ['> ```src/app.ts\n> a\n> ```', 'ts'],
    ['```js:x\r\na\r\n```', 'js'],
  ])('is what the pane shows of %j', (markdown, language) => {
    expect(drawPane(renderModelOutput(markdown).text).infos).toEqual([language]);
  });
});

describe('codeBlocks', () => {
  it.each<[string, string, [string, string][]]>([
    ['a fence', '```js\na\n\n  b\n```', [['js', 'a\n\n  b']]],
    ['tildes', '~~~\n```\n~~~', [['', '```']]],
    ['a fence that contains fences', '````md\n```js\na\n```\n````', [['md', '```js\na\n```']]],
    ['an open one', '```sh\nls', [['sh', 'ls']]],
    ['an open one with a last line ending', '```sh\nls\n', [['sh', 'ls']]],
    ['an open one with blank lines at its end', '```sh\nls\n\n\n', [['sh', 'ls\n\n']]],
    ['an empty one', '```\n```', [['', '']]],
    ['nothing but its opening', '```', [['', '']]],
    ['indented code', 'x\n\n    a\n\n      b\n\ny', [['', 'a\n\n  b']]],
    ['tabs', '\ta\n\t\tb', [['', 'a\n\tb']]],
    [
      'in an item',
      '1. Do:\n\n   ```sh\n   make\n     all\n   ```\n\n2. End',
      [['sh', 'make\n  all']],
    ],
    ['in an item behind tabs', '-\t```\n\t\tx\n\ty\n\t```', [['', '\tx\ny']]],
    [
      'a tab of which an item takes a part',
      '- a\n\n\t\tcode\n\t\t\tmore',
      [['', '  code\n  \tmore']],
    ],
    ['a tab of which a quote takes a part', '>\tt\n>\n>\t\tcode', [['', '  code']]],
    ['in a quote in an item', '- > ```py\n  > a\n  >\n  > b\n  > ```', [['py', 'a\n\nb']]],
    ['CRLF', '```c\r\na\r\nb\r\n```\r\n', [['c', 'a\r\nb']]],
    ['an indented fence', '  ```\n  a\n   b\n c\n  ```', [['', 'a\n b\nc']]],
    [
      'in order',
      '```a\n1\n```\n\n- x\n\n      2\n\n> ```b\n> 3\n> ```',
      [
        ['a', '1'],
        ['', '2'],
        ['b', '3'],
      ],
    ],
    ['no code', 'a `b` $c$\n\n<pre>d</pre>', []],
    [
      'markup in it',
      '```html\n<b>&amp;</b> [1] $x$ \\*\n```',
      [['html', '<b>&amp;</b> [1] $x$ \\*']],
    ],
  ])('%s', (_why, markdown, expected) => {
    expect(codeBlocks(markdown).map(({ language, code }) => [language, code])).toEqual(expected);
  });
});

const words = fc.constantFrom(
  'a',
  'b c',
  '',
  '```',
  '```js',
  '````',
  '~~~',
  '[1]',
  '$x$',
  '`',
  '\\*',
  '# b',
);
const lines = (...marks: string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...marks), fc.constantFrom('', '  ', '    '), words), {
      minLength: 1,
      maxLength: 12,
    })
    .map((parts) => parts.map((part) => part.join('')).join('\n'));
/** Containers and code, in combinations that no person would write. */
const nested = lines('', '', '> ', '- ', '1. ', '  ', '   ', '    ', '> - ');
const flat = lines('', ' ', '   ', '\t');

const missing = cmarkMissing();
const decode = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const codeByCmark = (markdown: string): string[] =>
  [...cmark(markdown).matchAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g)].map((match) =>
    decode(match[1] ?? '').replace(/\n$/, ''),
  );

describe.skipIf(missing !== undefined)('code is what the launcher’s parser takes for code', () => {
  it('in every answer of the fixtures', () => {
    const folder = new URL('./fixtures/answers/', import.meta.url);
    const answers = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name));
    expect(answers.length).toBeGreaterThan(60);
    for (const name of answers) {
      const answer = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
      const code = codeBlocks(answer).map((block) => block.code);
      expect([name, code]).toEqual([name, codeByCmark(answer)]);
    }
  });
});

/** A block of code in containers, by construction: its text, and the code that is in it. */
const block = fc
  .record({
    marks: fc.constantFrom<[string, string][]>(
      ['', ''],
      ['- ', '  '],
      ['1. ', '   '],
      ['> ', '> '],
      ['> - ', '>   '],
      ['- > ', '  > '],
      ['- 1. ', '     '],
    ),
    fence: fc.constantFrom('```', '~~~', '````'),
    code: fc.array(
      fc
        .tuple(
          fc.constantFrom('', '  ', '\t', '     '),
          fc.constantFrom(
            'a',
            '',
            '- b',
            '> c',
            '``',
            '[1]',
            '$x$',
            '<T>',
            '\\*',
            '| d |',
            '1. e',
            '&amp;',
          ),
        )
        .map((parts) => parts.join('')),
      { minLength: 1, maxLength: 6 },
    ),
    newline: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ marks: [first, next], fence, code, newline }) => ({
    text: [`${first}${fence}`, ...code.map((line) => `${next}${line}`), `${next}${fence}`].join(
      newline,
    ),
    code: code.join(newline),
  }));
const blocks = fc.array(block, { minLength: 1, maxLength: 4 });
const text = (all: { text: string }[]): string =>
  all.map((each) => each.text).join('\n\nThen:\n\n');

describe('of code in lists and quotes, marks and indentation are taken off and nothing else', () => {
  it('by codeBlocks', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        expect(codeBlocks(text(all)).map(({ code }) => code)).toEqual(all.map(({ code }) => code));
      }),
    );
  });

  it('by rendering', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const { code } = drawPane(renderModelOutput(text(all)).text);
        expect(code.map((each) => each.replace(/\n$/, ''))).toEqual(
          all.map((each) => each.code.replaceAll('\r\n', '\n')),
        );
      }),
    );
  });
});

describe('rendering changes no byte of code', () => {
  it('of any document', () => {
    fc.assert(
      fc.property(flat, (markdown) => {
        const drawn = drawPane(renderModelOutput(markdown).text).code;
        expect(drawn.map((code) => code.replace(/\n$/, ''))).toEqual(
          codeBlocks(markdown).map(({ code }) => code),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('while it arrives, what is shown of it is its beginning', () => {
    fc.assert(
      fc.property(nested, (markdown) => {
        const stream = createRenderStream();
        let shown = '';
        for (const char of markdown) {
          const next = stream.push(char);
          expect(next.startsWith(shown)).toBe(true);
          shown = next;
        }
        expect(stream.end().text).toBe(renderModelOutput(markdown).text);
      }),
      { numRuns: 40 },
    );
  });
});
