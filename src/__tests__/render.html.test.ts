import { describe, expect, it } from 'vitest';

import { renderModelOutput } from '../lib/render';

const ZWSP = '\u200B';
const render = (markdown: string): string => renderModelOutput(markdown).text;

describe('tags between words', () => {
  it.each<[string, string, string]>([
    [
      'simple ones stay',
      'a <strong class="x">b</strong> <em>c</em> H<sub>2</sub>O',
      'a <b>b</b> <i>c</i> H<sub>2</sub>O',
    ],
    ['on both sides', '- <del>$20</del> <ins>$15</ins>', '- <s>$20</s> <u>$15</u>'],
    ['in emphasis', '**<u>$5</u>**', '**<u>$5</u>**'],
    ['never alone on a line', 'a *b*<br>*c*', `a *b*${ZWSP}<br>*c*`],
    ['a break', 'one<br/>two <br> three', `one<br>two ${ZWSP}<br> three`],
    [
      'without a partner they are text',
      'use <strong> or <b/>, not <font>',
      'use \\<strong\\> or \\<b/\\>, not \\<font\\>',
    ],
    ['so are end tags', 'x</b> y', 'x\\</b\\> y'],
    ['the end of a block vanishes', 'the end</details>', 'the end'],
    ['partners do not cross emphasis', '*a <b>b* c</b>', '*a \\<b\\>b* c\\</b\\>'],
    ['blocks keep words apart', 'one<p>two</p>three', 'one two three'],
    ['presentation', '<span style="color:red">red</span> <small>x</small> <q>y</q>', 'red x “y”'],
    ['what would begin a block does not', '<span># x</span>', `${ZWSP}# x`],
    ['nor a list', 'a\n<span>- x</span>', `a  \n${ZWSP}- x`],
    ['code', '<code>a_b_c</code> <samp>[1]</samp> <code>&lt;T&gt;</code>', '`a_b_c` `[1]` `<T>`'],
    ['a script', 'A <script>x()</script> tag', 'A `x()` tag'],
    [
      'a style sheet',
      'b <style>@import url(https://t.example/c);</style>',
      'b `@import url(https://t.example/c);`',
    ],
    ['a link', '<a href="https://e.example/x">a **b** c</a>', '[a **b** c](https://e.example/x)'],
    ['mail', '<a href="mailto:a@b.example">mail</a>', '[mail](mailto:a@b.example)'],
    [
      'a link that opens nothing',
      'Click <a href="javascript:alert(1)">here</a>',
      'Click here (javascript:alert(1))',
    ],
    ['a place in the page', '<a name="x"></a>text', `${ZWSP}text`],
    [
      'a link that says it leads elsewhere',
      'a <a href="https://e.example">https://bank.example</a>',
      'a https://bank.example ([https://e.example](https://e.example))',
    ],
    [
      'a bracket in a link',
      'a <a href="https://e.example/">x]</a>',
      'a x\\] ([https://e.example/](https://e.example/))',
    ],
    [
      'an image',
      'See <img src="https://t.example/p" alt="a *b*"> x',
      'See [a \\*b\\*](https://t.example/p) x',
    ],
    ['an image of this machine', 'See <img src="file:///etc/passwd" alt="x"> y', 'See x y'],
    [
      'an image in a link',
      'a <a href="https://e.example/"><img src="https://i.example/p" alt="x"></a>',
      'a [x](https://e.example/)',
    ],
    ['boxes', 'a <input type="checkbox" checked> b <input disabled>', 'a ☑ b \\<input disabled\\>'],
    ['comments', 'a <!-- x --> b', 'a  b'],
    [
      'what is no element',
      '<your-name> <T> Map<K> a<b>c',
      '\\<your-name\\> \\<T\\> Map\\<K\\> a\\<b\\>c',
    ],
    ['declarations', 'a <!doctype html> <?xml v?>', 'a \\<!doctype html\\> \\<?xml v?\\>'],
    ['a tag over two lines', '> a <T\n> b="x"> c', '> a \\<T b="x"\\> c'],
  ])('%s', (_what, markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });
});

describe('blocks', () => {
  it.each<[string, string, string]>([
    ['do not join the text above', 'text\n<div>x</div>\n\ny', 'text\n\nx\n\ny'],
    ['nor the one below', '<pre>x</pre>\ny', '```\nx\n```\n\ny'],
    ['vanish', 'a\n\n</details>\n\nb', 'a\n\n\n\nb'],
    ['in a list', '- a\n  <h2>x</h2>\n- b', '- a\n\n## x\n\n- b'],
    ['in a quote', '> <ul>\n> <li>a\n> <li>b\n> </ul>', '*   a\n*   b'],
    ['around Markdown', '<div>\n\n**x**\n\n</div>', '\n\n**x**\n\n'],
  ])('%s', (_what, markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });
});
