import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { linkCitations } from '../lib/citations';
import { scan } from '../lib/code';
import { createRenderStream, inertText, renderForCopy, renderModelOutput } from '../lib/render';
import type { Source } from '../lib/types';

import { hostileMarkdown } from './support/hostile-markdown';

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page 2', url: 'https://b.example/2' },
  { index: 3, title: 'Page 3', url: 'https://c.example/3' },
];
const render = (markdown: string): string => renderModelOutput(markdown, { sources }).text;

describe('what needs nothing stays as it is', () => {
  it.each([
    'Just a plain sentence. And another, with "quotes" and (brackets).',
    '**Bold**, *slant*, ***both***, `code` and [link](https://m.example/l).',
    '- one\n- two\n  - deep\n\n> quoted\n\n---\n\n1. first\n2. second',
    '7. seven\n8. eight',
    'line one  \nline two\\\nline three',
    '> [!NOTE]\n> Water weekly.',
    '```js\nconst a = b[1] < 2 && "~x~";\n```',
    'It costs $5 today and $10 tomorrow.',
    'Set $HOME and $PATH first.',
    'if a < b and c > d',
    'Write to [the desk](mailto:desk@a.example)',
  ])('%j', (markdown) => {
    expect(render(markdown)).toBe(markdown);
  });
});

describe('what the pane cannot draw is lowered', () => {
  it.each([
    ['maths beside a marker', 'Let $x^2$ be [1].', 'Let x² be [\\[1\\]](https://a.example/1).'],
    ['unknown TeX stays readable', 'Odd $\\weirdmacro{q}$ stays', 'Odd `\\weirdmacro{q}` stays'],
    [
      'a remote image is a link',
      'See ![a tea field](https://i.example/f.png)',
      'See [a tea field](https://i.example/f.png)',
    ],
    ['an icon image is its text', 'Look: ![status](icon://http) done', 'Look: status done'],
    [
      'an exclamation mark makes no image of a link',
      'Look!<https://m.example/>',
      'Look\\![https://m.example/](https://m.example/)',
    ],
    [
      'an image inside a link is its text',
      '[![badge](https://i.example/b.svg)](https://m.example/)',
      '[badge](https://m.example/)',
    ],
    [
      'a script link is text',
      'Press [here](javascript:alert(1)) now',
      'Press here (javascript:alert\\(1\\)) now',
    ],
    ['a launcher command is text', '[kill](vicinae://kill)', 'kill (vicinae://kill)'],
    [
      'an autolink goes by scheme',
      '<javascript:x> <https://m.example/>',
      'javascript:x [https://m.example/](https://m.example/)',
    ],
    [
      'a reference is an inline link',
      'See [spec][s].\n\n[s]: https://m.example/spec',
      'See [spec](https://m.example/spec).\n\n',
    ],
    [
      'a definition nobody uses is shown',
      'Wet.\n\n[s]: https://m.example/spec',
      'Wet.\n\n\\[s]: [https://m.example/spec](https://m.example/spec)',
    ],
    [
      'a note the parser would swallow is shown',
      'Wet[^b].\n\n[^b]: Confirmed',
      'Wet\\[^b].\n\n\\[^b]: Confirmed',
    ],
    ['a fence keeps only its language', '```c++ title="x.cpp"\nint a;\n```', '```c++\nint a;\n```'],
    ['markup is no language', '```<img src=https://t.example/x>\ncode\n```', '```\ncode\n```'],
    ['type parameters are no tags', 'A Vec<T> here', 'A Vec\\<T\\> here'],
    ['simple tags lose their attributes', '<b onclick="x">bold</b>', '<b>bold</b>'],
    ['a script is code', 'A <script>x()</script> tag', 'A `x()` tag'],
    [
      'an image tag is a link',
      '<img src=https://t.example/p.png> x',
      '[image](https://t.example/p.png) x',
    ],
    [
      'half a tag',
      'see <img src="https://t.example/p.png',
      'see \\<img src="[https://t.example/p.png](https://t.example/p.png)',
    ],
    ['a comment vanishes', 'a <!-- <img src=https://t.example/x> --> b', 'a  b'],
    ['a comment block vanishes', 'a\n\n<!-- note -->\n\nb', 'a\n\n\n\nb'],
    ['an open comment hides nothing', 'a\n\n<!-- open\n\nb', 'a\n\n\\<!-- open\n\nb'],
    ['task boxes', '- [ ] buy\n- [x] boil\n- [X] wash', '- ☐ buy\n- ☑ boil\n- ☑ wash'],
    ['a lone tilde strikes nothing', 'Between 10~20 and 30~40', 'Between 10\\~20 and 30\\~40'],
    ['double tildes strike', '~~gone~~ and ~here~', '~~gone~~ and \\~here\\~'],
    [
      'a bare address is a link',
      'See https://m.example/x. Then',
      'See [https://m.example/x](https://m.example/x). Then',
    ],
    [
      'its own parentheses belong to it',
      '(https://m.example/tea_(plant))',
      '([https://m.example/tea\\_\\(plant\\)](https://m.example/tea_(plant)))',
    ],
    [
      'a Chinese full stop ends it',
      '看https://m.example/x。完',
      '看[https://m.example/x](https://m.example/x)。完',
    ],
  ])('%s', (_why, markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });
});

describe('renderForCopy keeps what the model wrote', () => {
  it.each([
    ['maths', 'Let $x^2$ be [1].', 'Let $x^2$ be [\\[1\\]](https://a.example/1).'],
    ['images', '![plan](https://i.example/p.png)', '![plan](https://i.example/p.png)'],
    [
      'references, as inline links',
      '[spec][s]\n\n[s]: https://m.example/s',
      '[spec](https://m.example/s)\n\n',
    ],
    [
      'a definition that would catch another answer’s [1]',
      'Wet.\n\n[1]: https://m.example/s',
      'Wet.\n\n\\[1]: [https://m.example/s](https://m.example/s)',
    ],
  ])('%s', (_why, markdown, expected) => {
    expect(renderForCopy(markdown, { sources }).text).toBe(expected);
  });
});

describe('inertText', () => {
  it.each([
    [
      'a page title that would fetch',
      '<img src=http://t.example/p> Tea',
      '‹img src=http://t.example/p› Tea',
    ],
    ['line breaks', 'a\n\nb', 'a b'],
    ['direction marks and controls', 'Tea\u202Egnp.exe\u0007', 'Teagnp.exe'],
    ['too long', 'abcdef', 'abc…'],
  ])('%s', (why, text, expected) => {
    expect(inertText(text, why === 'too long' ? 3 : undefined)).toBe(expected);
  });
});

/** Contents of fenced and indented code and of code spans, as the launcher's parser sees them. */
const codeOf = (markdown: string): string[] => {
  const { text, tree } = scan(markdown);
  const out: string[] = [];
  const visit = (node: (typeof tree.children)[number]): void => {
    if (node.type === 'codeFlowValue' || node.type === 'codeTextData')
      out.push(text.slice(node.start, node.end));
    node.children.forEach(visit);
  };
  visit(tree);
  return out;
};

describe('for every document', () => {
  it('linking leaves code as it is and is stable', () => {
    fc.assert(
      fc.property(hostileMarkdown, (markdown) => {
        const once = linkCitations(markdown, sources);
        expect(codeOf(once.text)).toEqual(codeOf(markdown));
        expect(linkCitations(once.text, sources).text).toBe(once.text);
      }),
      { numRuns: 300 },
    );
  });

  it('the pane text emits no definition, image or raw tag but the kept ones', () => {
    fc.assert(
      fc.property(hostileMarkdown, (markdown) => {
        const again = scan(render(markdown));
        expect(again.definitions).toEqual([]);
        expect(again.links.filter((link) => link.kind === 'image')).toEqual([]);
        for (const link of again.links)
          expect(link.destination).toMatch(/^(?:https?:\/\/|mailto:)/);
        for (const { start, end } of again.spans) {
          const span = again.text.slice(start, end);
          if (span.startsWith('<')) expect(span).toMatch(/^<\/?(?:b|code|kbd|br)>$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a stream only grows, and ends as the whole, wherever it is cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(hostileMarkdown, cuts, (markdown, lengths) => {
        const stream = createRenderStream({ sources });
        let shown = '';
        for (let at = 0, i = 0; at < markdown.length; i++) {
          const length = lengths[i % lengths.length] ?? 1;
          const next = stream.push(markdown.slice(at, at + length));
          expect(next.startsWith(shown)).toBe(true);
          shown = next;
          at += length;
        }
        expect(stream.end()).toEqual(renderModelOutput(markdown, { sources }));
      }),
      { numRuns: 60 },
    );
  });
});
