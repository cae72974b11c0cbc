import fc from 'fast-check';

/** What acts in a pane if it gets there, and what changes what stands beside it. */
const INLINE = [
  ...[
    'word',
    'Rain [1].',
    '茶「重要」',
    '**',
    '*',
    '_',
    '~',
    '`',
    '``',
    '\\',
    '!',
    '|',
    '<',
    '>',
    '$',
  ],
  ...['![x](icon://http)', '![x](http://t.example/p.png)', '<img src=http://t.example/p>'],
  ...['[x](vicinae://kill)', '[q]', '![q]', '<vicinae://kill>', '](vicinae://kill)', '[', ']', '('],
  ...['<b>', '</b>', '<b title="x>">', '<a href="vicinae://kill">y</a>', '<!--', '-->', '<?x?>'],
  ...['&lt;img src=x&gt;', '&#91;x&#93;(vicinae://k)', '$x_1$', '\\[ y \\]', '\\ce{H2O}', '`a|b`'],
  ...['https://m.example/a', '[^1]: note', '[q]: vicinae://kill', ' ', '\t', '\u00A0', '\u200B'],
];

const BLOCKS = [
  ...[
    '```js\ncode\n```',
    '~~~\n<img src=http://t.example/f>',
    '``` <img src=x>\na\n```',
    '    code',
  ],
  ...['# head', 'head\n===', '---', '***', '[q]: https://m.example/q "t"', '[q]: icon://http'],
  ...[
    '| a | b |\n|---|---|\n| `c|d` | e |\nbelow',
    '|a|\n|-|',
    '$$\n\\frac{a}{b}\n$$',
    '$$\n\\frac{a',
  ],
  ...['<div>\n<img src=http://t.example/d>\n</div>', '<details><summary>s</summary>', '</details>'],
  ...['<table><tr><td>x</td></tr></table>', '<ul><li>a</li></ul>', '<script>x</script>', '<!--'],
];

/** What stands before the first line of a container, and before its others. */
const CONTAINERS: readonly [string, string][] = [
  ['> ', '> '],
  ['>', '>'],
  ['> ', ''],
  ['- ', '  '],
  ['* ', '\t'],
  ['-    ', '     '],
  ['- [ ] ', '  '],
  ['1. ', '   '],
  ['7) ', '   '],
  ['3. ', ' '],
];

const within = ([first, others]: [string, string], text: string): string =>
  text
    .split('\n')
    .map((line, i) => (i === 0 ? first : others) + line)
    .join('\n');

const inline = fc
  .array(fc.constantFrom(...INLINE), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const lines = fc.array(inline, { minLength: 1, maxLength: 3 }).map((each) => each.join('\n'));
const gap = fc.constantFrom('\n', '\n\n', '\n\n', '\n \n');

/**
 * Documents of lists and quotes within one another, with every kind of block in them: what is lifted out, renumbered, moved
 * and joined.
 */
export const nestedMarkdown: fc.Arbitrary<string> = fc.letrec<{ block: string; blocks: string }>(
  (tie) => ({
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      lines,
      fc.constantFrom(...BLOCKS),
      fc
        .tuple(fc.constantFrom(...CONTAINERS), tie('blocks'))
        .map(([marks, text]) => within(marks, text)),
    ),
    blocks: fc
      .tuple(tie('block'), fc.array(fc.tuple(gap, tie('block')), { maxLength: 4 }))
      .map(([first, others]) => first + others.map((each) => each.join('')).join('')),
  }),
).blocks;
