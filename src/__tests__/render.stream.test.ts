import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createRenderStream, renderModelOutput } from '../lib/render';
import type { Source } from '../lib/types';

import { hostileMarkdown } from './support/hostile-markdown';

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page 2', url: 'https://b.example/2' },
];

/** What is shown after each chunk. */
function shownAfter(chunks: readonly string[]): string[] {
  const stream = createRenderStream({ sources });
  return chunks.map((chunk) => stream.push(chunk));
}

const cut = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );

describe('what a chunk shows', () => {
  it.each<[string, string[], string[]]>([
    ['words at once', ['Tea', ' grows', ' well'], ['Tea', 'Tea grows', 'Tea grows well']],
    ['Chinese at once', ['茶树', '喜湿，', '怕冷'], ['茶树', '茶树喜湿，', '茶树喜湿，怕冷']],
    ['white space once something follows', ['Tea ', '  ', 'grows'], ['Tea', 'Tea', 'Tea   grows']],
    [
      'a marker when it is complete, and words behind it',
      ['Wet [', '1', ']', ' and', ' warm'],
      [
        'Wet',
        'Wet',
        'Wet',
        'Wet [\\[1\\]](https://a.example/1) and',
        'Wet [\\[1\\]](https://a.example/1) and warm',
      ],
    ],
    [
      'an address when it has ended',
      ['See', ' h', 'ttps://m.example/te', 'a', ' first'],
      ['See', 'See', 'See', 'See', 'See [https://m.example/tea](https://m.example/tea) first'],
    ],
    ['a word that only began like one', ['See', ' h', 'ow'], ['See', 'See', 'See how']],
    [
      'letters never lengthen a link that stands there',
      ['xhttps://m.example/', 'tea', ' then'],
      [
        'x[https://m.example/](https://m.example/)',
        'x[https://m.example/](https://m.example/)',
        'x[https://m.example/](https://m.example/)',
      ],
    ],
    [
      'a number that may begin an item when it does not',
      ['One\n', '2', '0 leaves', ' fall'],
      ['One', 'One', 'One  \n20 leaves', 'One  \n20 leaves fall'],
    ],
    [
      'a heading right below what was lifted out of a list',
      ['- a\n\n  > q\n## He', 'ad\nx'],
      ['- a\n\n> q\n\n## He', '- a\n\n> q\n\n## Head\nx'],
    ],
    [
      'code in a list item, whatever is in it',
      ['- do\n\n  ```js\n  a', '[1]', ' $x$ <b'],
      ['- do\n\n```js\na', '- do\n\n```js\na[1]', '- do\n\n```js\na[1] $x$ <b'],
    ],
    [
      'a fence right behind a fence, line by line',
      ['```\na\n```\n', '\n```js\n', 'b[1]\n', 'c'],
      [
        '```\na\n```',
        '```\na\n```\n\n```js',
        '```\na\n```\n\n```js\nb[1]',
        '```\na\n```\n\n```js\nb[1]\nc',
      ],
    ],
    [
      'the sources as they are known by then',
      ['Dry [2].', ' Wet', ' [1] now'],
      [
        'Dry [\\[2\\]](https://b.example/2).',
        'Dry [\\[2\\]](https://b.example/2). Wet',
        'Dry [\\[2\\]](https://b.example/2). Wet [\\[1\\]](https://a.example/1) now',
      ],
    ],
  ])('%s', (_why, chunks, expected) => {
    expect(shownAfter(chunks)).toEqual(expected);
  });
});

describe('a piece that grows long', () => {
  const sentence = 'The plant likes *wet* soil [1], and `shade` at noon. ';
  const row = (n: number): string => `| leaf ${n} | ${n * 7} g [2] |\n`;
  const rows = (count: number): string => Array.from({ length: count }, (_, n) => row(n)).join('');
  it.each([
    ['a paragraph', sentence.repeat(120), sentence.length],
    ['a list item', `- ${sentence.repeat(120)}`, sentence.length],
    ['a quote', `> ${sentence.repeat(120)}`, sentence.length],
    ['a table', `| what | weight |\n| --- | --- |\n${rows(150)}`, 2 * row(100).length],
    ['nested items', `- first\n${`  - ${sentence}\n`.repeat(100)}`, 2 * sentence.length],
  ])('%s stays close to what has arrived, and exact', (_what, text, unit) => {
    const stream = createRenderStream({ sources });
    const final = renderModelOutput(text, { sources }).text;
    let received = '';
    for (const [i, chunk] of cut(text, 5).entries()) {
      received += chunk;
      const shown = stream.push(chunk);
      expect(final.startsWith(shown)).toBe(true);
      if (i % 40 !== 0) continue; // the render below is what makes this slow
      const due = received.slice(0, Math.floor(received.length * (1 - 1 / 32)) - unit);
      const least = renderModelOutput(due.slice(0, due.lastIndexOf(' ') + 1), { sources }).text;
      expect(shown.length).toBeGreaterThanOrEqual(least.trimEnd().length - unit);
    }
    expect(stream.end().text).toBe(final);
  });

  it('does not keep the next piece waiting', () => {
    const stream = createRenderStream({ sources });
    stream.push(`| what | weight |\n| --- | --- |\n${rows(400)}`);
    expect(stream.push('\nThat is')).toMatch(/\n\nThat is$/);
    expect(stream.push(' all')).toMatch(/\n\nThat is all$/);
  });
});

describe('for every document', () => {
  const ordinary = fc
    .array(
      fc.constantFrom(
        'Tea likes wet soil [1], and *shade* at noon [1][2].',
        'It costs $5, or `a[1]`; see https://m.example/tea for how.',
        '- one [1]\n- two\n  - deep [2]\n- three',
        '1. Do this:\n\n   ```sh\n   echo "$x[1]"\n   ```\n\n2. Then that.',
        '```js\nconst a = b[1];\n```',
        '| a [1] | b |\n| --- | --- |\n| c | d [2] |',
        '## How it grows [2]',
        '> quoted [1]\n> and more',
        'Let $x^2$ be **bold [1]**.',
        '茶树喜湿[1]，怕冷。',
        'Two lines\nof one paragraph, 7.',
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((blocks) => blocks.join('\n\n'));
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });

  it('of the ordinary kind, everything shown is the beginning of the finished text', () => {
    fc.assert(
      fc.property(ordinary, sizes, (markdown, lengths) => {
        const stream = createRenderStream({ sources });
        const { text } = renderModelOutput(markdown, { sources });
        for (let at = 0, i = 0; at < markdown.length; i++) {
          const length = lengths[i % lengths.length] ?? 1;
          expect(text.startsWith(stream.push(markdown.slice(at, at + length)))).toBe(true);
          at += length;
        }
        expect(stream.push('\n\nEnd')).toBe(`${text}\n\nEnd`);
      }),
      { numRuns: 100 },
    );
  });

  it('of the hostile kind, a new source list in the middle takes nothing back', () => {
    fc.assert(
      fc.property(hostileMarkdown, hostileMarkdown, (before, after) => {
        const stream = createRenderStream();
        const shown = stream.push(before);
        stream.setSources(sources);
        expect(stream.push(after).startsWith(shown)).toBe(true);
        expect(stream.end()).toEqual(renderModelOutput(before + after, { sources }));
      }),
      { numRuns: 100 },
    );
  });
});
