import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createRenderStream, renderModelOutput } from '../lib/render';
import type { Source } from '../lib/types';

import { hostileMarkdown } from './support/hostile-markdown';
import { drawPane } from './support/pane-model';

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page 2', url: 'https://b.example/2' },
];
const ONE = '[\\[1\\]](https://a.example/1)';
const TWO = '[\\[2\\]](https://b.example/2)';

/** All that is shown on the way, and the end. */
function play(chunks: readonly string[]): {
  shown: string[];
  end: ReturnType<typeof renderModelOutput>;
} {
  const stream = createRenderStream({ sources });
  const shown = chunks.map((chunk) => stream.push(chunk));
  return { shown, end: stream.end() };
}

/** Every way to cut a text into pieces: two to the power of its length less one. */
const everyCut = (text: string): string[][] =>
  Array.from({ length: 2 ** (text.length - 1) }, (_, mask) => {
    const chunks = [text.charAt(0)];
    for (let i = 1; i < text.length; i++) {
      if ((mask >> (i - 1)) & 1) chunks.push(text.charAt(i));
      else chunks.push((chunks.pop() ?? '') + text.charAt(i));
    }
    return chunks;
  });

describe('every chunking of a short text', () => {
  it.each([
    ['a marker', 'a [1] b'],
    ['a footnote marker', 'a[^2] b'],
    ['two markers', '[1][2] b'],
    ['a group', 'a [1,2] b'],
    ['a lenticular marker', '水【1】が。'],
    ['a link of the model', '[a](b:c) d'],
    ['a code span', '`a[1]` b'],
    ['an image', '![a](b) c'],
    ['an escape', '\\[1\\] a'],
    ['a formula', '$x^2$ [1]'],
    ['a price', '$5 [1] $6'],
    ['a tag', '<b>[1]</b>'],
    ['an entity', '&amp; [1]'],
    ['characters of two units', '🍵[1]🍵[2]'],
    ['halves of characters', '\uDF75\uD83C [1]'],
    ['line ends of two units', 'a\r\n\r\nb[1]'],
    ['line ends of all kinds', 'a\r\rb\r\n[1]'],
    ['a line end cut off', '- a[1]\r\n'],
    ['a heading', '# a [1]\nb'],
    ['a fence', '```\n[1]'],
    ['emphasis', '**[1]** a'],
    ['a definition', '[1]\n\n[1]:a'],
    ['an address', 'http://a b'],
  ])('%s only grows, and ends as the whole', (_what, text) => {
    const whole = renderModelOutput(text, { sources });
    const bad = everyCut(text).filter((chunks) => {
      const { shown, end } = play(chunks);
      const grows = shown.every((each, i) => each.startsWith(shown[i - 1] ?? ''));
      return !grows || end.text !== whole.text || !isDeepStrictEqual(end.cited, whole.cited);
    });
    expect(bad).toEqual([]);
  });
});

/** Documents whose every prefix is shown as a beginning of the finished text, by what is written half in one of them. */
const halves: [string, string, string][] = [
  ['a marker', 'So it is [1], and more.', `So it is ${ONE}, and more.`],
  ['a group', 'So it is [1, 2] now.', `So it is ${ONE}, ${TWO} now.`],
  ['a range', 'So it is [1-2] now.', `So it is ${ONE}, ${TWO} now.`],
  ['markers side by side', 'So [1][2] it is.', `So ${ONE}${TWO} it is.`],
  ['a hint', 'So【1†L3-L5】it is.', `So${ONE}it is.`],
  ['an unknown number', 'So it is [7], see.', 'So it is [7], see.'],
  [
    'a link',
    'See [the *page* [x]](https://m.example/a_(b) "T") now.',
    'See [the *page* [x\\]](https://m.example/a_(b)) now.',
  ],
  [
    'a number linked elsewhere',
    'See [1](https://m.example/) now.',
    'See [1](https://m.example/) now.',
  ],
  ['a code span', 'Use `a[1]` or ``b`[2]`` now.', 'Use `a[1]` or ``b`[2]`` now.'],
  ['emphasis', 'So **very [1]** and *so*.', `So **very ${ONE}** and *so*.`],
  ['a formula', 'Let $x^2$ be [1].', `Let x² be ${ONE}.`],
  [
    'an address',
    'See https://m.example/a now [1].',
    `See [https://m.example/a](https://m.example/a) now ${ONE}.`,
  ],
  ['a heading', '# Tea [1]\n\nGreen.', `# Tea ${ONE}\n\nGreen.`],
  ['items', '- wet [1]\n- dry\n\nEnd.', `- wet ${ONE}\n- dry\n\nEnd.`],
  [
    'a table',
    '| a | b |\n| - | - |\n| [1] | c |\n\nEnd.',
    `| a | b |\n| - | - |\n| ${ONE} | c |\n\nEnd.`,
  ],
  [
    'a fence',
    'So:\n\n```js\na[1];\n```\n\nEnd [1].',
    `So:\n\n\`\`\`js\na[1];\n\`\`\`\n\nEnd ${ONE}.`,
  ],
  ['characters of two units', '🍵 [1] 👩‍👩‍👧[2] 茶.', `🍵 ${ONE} 👩‍👩‍👧${TWO} 茶.`],
];

describe('what is written half', () => {
  it.each(halves)(
    '%s is held back: every prefix shows a beginning of the end',
    (_what, text, final) => {
      expect(renderModelOutput(text, { sources }).text).toBe(final);
      for (let cut = 0; cut <= text.length; cut++) {
        const { shown } = play([text.slice(0, cut), text.slice(cut)]);
        for (const each of shown) expect(final.startsWith(each), `${cut}: ${each}`).toBe(true);
        // Nothing is held back for good: what follows brings all of it.
        expect(play([text.slice(0, cut), `${text.slice(cut)}\n\nMore`]).shown.at(-1)).toBe(
          `${final}\n\nMore`,
        );
      }
    },
  );

  it.each(halves)('%s gives no link that the finished text does not have', (_what, text, final) => {
    const due = drawPane(final).links.map(({ text: label, href }) => `${label} ${href}`);
    for (const each of new Set(play(Array.from(text)).shown)) {
      const links = drawPane(each).links.map(({ text: label, href }) => `${label} ${href}`);
      expect(due.slice(0, links.length)).toEqual(links);
    }
  });

  it.each([
    ['of the marker’s page', '[1]: https://a.example/1'],
    ['of another page', '[1]: https://m.example/x'],
    ['of a footnote that repeats its source', '[^1]: Page 1, https://a.example/1'],
    ['of a note of the model’s own', '[^7]: Only in spring'],
    ['over two lines', '[tea]:\nhttps://m.example/'],
  ])('a definition %s is shown by no prefix of it', (_what, definition) => {
    const before = 'So it is [2].\n\n';
    const end = renderModelOutput(`${before}${definition}\n\nEnd.`, { sources }).text;
    for (let cut = 1; cut < definition.length; cut++) {
      const { shown } = play([before, definition.slice(0, cut)]);
      expect(shown.at(-1)).toBe(`So it is ${TWO}.`);
      const rest = `${definition.slice(cut)}\n\nEnd.`;
      const whole = play([before, definition.slice(0, cut), rest]);
      for (const each of whole.shown) expect(end.startsWith(each), `${cut}: ${each}`).toBe(true);
      expect(whole.end.text).toBe(end);
    }
  });
});

describe('cuts inside one character', () => {
  it.each([
    ['a surrogate pair', '🍵'],
    ['a joined emoji', '👩‍👩‍👧'],
    ['a line end of two units', 'a\r\nb'],
    ['blank lines of two units', 'a\r\n\r\nb'],
  ])('%s shows no half of it', (_what, text) => {
    for (const around of [
      `So ${text} it`,
      `\`${text}\` so`,
      `- ${text} [1]`,
      `**${text}** x`,
      text,
    ]) {
      for (const each of play(around.split('')).shown) {
        expect(each).not.toMatch(/\p{Surrogate}/u);
        expect(each).not.toMatch(/\r(?!\n)/);
      }
    }
  });

  it('a half that stays alone is not lost', () => {
    expect(play(['a', '\r']).end.text).toBe(renderModelOutput('a\r', { sources }).text);
    expect(play(['a', '\uD83C', 'b']).end.text).toBe('a\uD83Cb');
  });
});

describe('for every document', () => {
  const lines = hostileMarkdown.map((text) => text.replaceAll('\n', '\r\n'));
  const astral = hostileMarkdown.map((text) => text.replace(/ /g, '🍵'));

  it('one unit at a time, in two halves, and at once end alike', () => {
    fc.assert(
      fc.property(fc.oneof(hostileMarkdown, lines, astral), fc.nat(), (text, where) => {
        const whole = renderModelOutput(text, { sources });
        const cut = where % (text.length + 1);
        const cuts = [
          text.split(''),
          [text.slice(0, cut), text.slice(cut)],
          [text],
          ['', text, ''],
        ];
        for (const chunks of cuts) {
          const { shown, end } = play(chunks);
          for (const [i, each] of shown.entries())
            expect(each.startsWith(shown[i - 1] ?? '')).toBe(true);
          expect(end).toEqual(whole);
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
