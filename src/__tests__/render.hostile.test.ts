import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { threadMarkdown, turnMarkdown } from '../lib/markdown';
import { createRenderStream, renderModelOutput } from '../lib/render';
import type { Turn } from '../lib/types';

import { makeTurn } from './support/builders';
import { cmark, cmarkMissing } from './support/cmark';
import { hostileMarkdown } from './support/hostile-markdown';
import { nestedMarkdown } from './support/nested-markdown';
import { drawPane } from './support/pane-model';

/**
 * Texts that look harmless to one parser and act in another, or that become harmful when something in them is taken out.
 * The launcher fetches images and runs raw HTML without a click, and dies of `icon://http`.
 */
const CRASH = '![x](icon://http)';
const IMG = '<img src=http://e.example/x>';
/** The entity keeps the address from being linked as a bare one. */
const HIDDEN = '&#104;ttp://e.example/x';

const texts: [string, string][] = [
  ['a tag as the label of a definition', `[${IMG}]: /y`],
  ['a comment inside a tag', `<<!-- -->img src=${HIDDEN}>`],
  ['a comment between ! and a link', '!<!-- -->[a](http://e.example/x)'],
  ['a comment between a label and its destination', '[x]<!-- -->(vicinae://kill)'],
  ['the same for an image', '![x]<!-- -->(icon://http)'],
  ['an empty link inside a tag', `<[img]() src=${HIDDEN}>`],
  ['a formula inside a tag', `<$i$mg src=${HIDDEN}>`],
  ['a removed image before indented code', `- item\n\n![](x)\n\n    ${IMG}\n`],
  [
    'a removed definition before indented code',
    `- item [r]\n\n[r]: http://a.example\n\n    ${IMG}\n`,
  ],
  ['a removed comment before indented code', `- item\n<!-- x -->\n\n    ${IMG}\n`],
  ['a removed image that changes the parity of fences', '``![](y)`\n\n```\n' + IMG + '\n```\n'],
  ['TeX in code style beside a code span', '``$\\frobnicate{x}$ `' + IMG + '`'],
  ['two formulas in code style around a tag', '$\\foo$x\\(&lt;# <b>+ <div>\\)``&#60;+ ``'],
  ['a definition behind an empty link', '[]()\n[q]: vicinae://kill\n\n[q]'],
  ['an open parenthesis in a destination', '[docs](vicinae://kill?( "t")'],
  ['the same in an image', `![a](${HIDDEN}( "t")`],
  ['the same in a definition', '[x][q]\n\n[q]: vicinae://kill?(\n'],
  [
    'a form feed before a destination',
    '[d](\fvicinae://kill) ![d](\ficon://http) ![d](\v/etc/passwd)',
  ],
  ['a code span with 81 backticks', '`'.repeat(81) + IMG + '`'.repeat(81)],
  ['a fence of 300 and one of 255', `${'`'.repeat(300)}\n${'`'.repeat(255)}\n\n${IMG}\n`],
  ['a definition that holds a fence', '[r]:(```\n' + IMG + '```'],
  ['a definition in a list before a quote', '- \n[q]: icon://http\n> a\n\n![x][q]\n'],
  ['an image behind a hundred list items', '- '.repeat(101) + '![x](< icon://http>)'],
  ['a processing instruction before indented code', `<?x?>\n    ${IMG}`],
  ['a kept tag that is alone on its line', `<b x=\n1>\n${IMG.replace('>', ' a>')}`],
  ['a kept tag that is left alone', `![](x)<b>\n${IMG.replace('>', ' a>')}`],
  ['a byte order mark before indented code', `\uFEFF    ${IMG}`],
  ['struck text of nothing', `~~</b>~~${IMG}`],
  ['an image behind code with a pipe', `|h|\n|-|\n|\`a|b\` ${CRASH} \`|`],
  ['a tag there', `|h|\n|-|\n|\`a|b\` ${IMG} \`|`],
  [
    'the same in a row as a block',
    `|a|b|c|d|e|f|g|\n${'|-'.repeat(7)}|\n|1|2|3|4|5|6|\`a|b\` ${CRASH} \`|`,
  ],
  ['a backslash before the end of such code', `|h|\n|-|\n|\`|\\\` ${CRASH} \`|`],
  ['a formula in the first line of a heading', `a|b\\ce{|}\n-|-\n\`${CRASH}|\`\n---`],
  ['a formula that leaves one column', `\\ce{|}\n-|\n\`${IMG}|\`\n-`],
  ['an escaped pipe in the first line of a heading', `a||\\\\||\n-|-|-\n\`${IMG}| \`\n -`],
  ['an entity in a scheme', '[x](java&#115;cript:x) <javascript:x> [y](&#x76;icinae://kill)'],
  ['mail with an attachment', '[x](mailto:a@b.example?attach=/etc/passwd)'],
  // Blocks that leave a list or quote: what stood around a piece of code decides where it ends.
  [
    'a fence in a quote whose marks are indented',
    ` > t\n >\n > \`\`\`\n > c\n > \`\`\`\n\n\`\`\`\n${CRASH}\n\`\`\``,
  ],
  ['a numbered item that begins with code', `1. a\n\n   > q\n\n1. \`\`\`\n   ${CRASH}\n   \`\`\``],
  ['an open fence in an item, before another', `- ~~~\n  x\n- ~~~\n  ${CRASH}\n  ~~~`],
  ['a fence deeper than its item', `- item\n    \`\`\`js\n    a\n  ${CRASH}\n    \`\`\``],
  ['a line that closes a fence moved to the margin', `-\n\t\`\`\`\n\t  \`\`\`\n\t${IMG}`],
  ['an open tag in an item before a quote', `1. <pre\n\n>     ${CRASH}`],
  ['an open text area in an item', `0) http\n\t<textarea> <p>\n\n-\t    ${CRASH}`],
  ['a fence behind a list of HTML', `<ul><li>a</li></ul>\n\n  \`\`\`\n${CRASH}\n  \`\`\``],
  ['an item that begins with a comment', `-  <!-- c -->\n  \`\`\`\n${CRASH}\n  \`\`\``],
  [
    'an item that begins with a definition',
    `[x]\n\n-  [x]: http://a.example\n  \`\`\`\n${CRASH}\n  \`\`\``,
  ],
  ['pipes that an escape changes above a delimiter row', `a|b|\`c ${IMG}|\` <i alt="|">\n-|-|-|- `],
  ['a numbered line behind indented code', `    c\n2. a\n\n   \`\`\`\n${CRASH}\n   \`\`\``],
  ['a numbered line in a quote below text', `t\n> 2. \`\`\`\n${CRASH}\`\`\``],
  ['an image right behind a display formula', '$$x$$![click](vicinae://kill)'],
  ['a definition behind an open bracket of its item', '- [\n\n  [e]: vicinae://kill\n\n[\\[e]'],
  ['a table of 22,650 cells', `${'|a'.repeat(150)}|\n${'|-'.repeat(150)}|\n${'|b\n'.repeat(150)}`],
];

/** Three that act only while the answer is arriving. */
const streamed: [string, string][] = [
  ['a backtick in the info of a fence', '```a`b\n' + IMG + '\n\nm\n'],
  ['a lone carriage return closes a fence', '```\r```\r\n' + IMG + '\n\nm\n'],
  ['a no-break space behind a fence', '```\nc\n```\u00A0\n```\n' + IMG + '\n\nm\n'],
];

const missing = cmarkMissing();

/** What acts in the launcher's parser outside of code: tags but the simple ones, links to anything but web and mail. */
function acting(markdown: string): string[] {
  const html = cmark(markdown)
    .replace(/<pre><code[^>]*>[\s\S]*?<\/code><\/pre>/g, '')
    .replace(/<code>[\s\S]*?<\/code>/g, '');
  return [...html.matchAll(/<\/?([a-z!?][\w-]*)((?:[^\w>-][^>]*)?)>/gi)]
    .filter(([, name = '', rest = '']) => {
      const attributes = rest.trim();
      if (name === 'a') {
        const href = /^href="([^"]*)"$/.exec(attributes)?.[1];
        return attributes !== '' && !/^(?:https?:\/\/|mailto:[^?]*$)/i.test(href ?? '');
      }
      const isSimple =
        /^(?:p|em|strong|del|[ou]l|li|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|t[hd]|[bius]|sub|sup|kbd|pre)$/.test(
          name,
        );
      return !isSimple || !/^(?:\/|align="\w+"|start="\d+")?$/.test(attributes);
    })
    .map(([tag]) => tag);
}

function expectInert(markdown: string): void {
  const { fetches, crashes, links } = drawPane(markdown);
  expect({ fetches, crashes }).toEqual({ fetches: [], crashes: [] });
  for (const { href } of links) expect(href).toMatch(/^(?:https?:\/\/|mailto:[^?]*$)/i);
  if (missing === undefined) expect(acting(markdown)).toEqual([]);
}

const turn = (response: string, more: Partial<Turn> = {}): Turn =>
  makeTurn({ response, toolCalls: [], ...more });

describe('nothing in the pane loads, opens or ends the launcher', () => {
  it.each(texts)('%s', (_why, text) => {
    expectInert(renderModelOutput(text).text);
    expectInert(turnMarkdown(turn(text)));
  });

  it.each([...texts, ...streamed])('while it arrives: %s', (_why, text) => {
    const stream = createRenderStream();
    const frames = new Set(Array.from(text, (char) => stream.push(char)));
    expectInert([...frames].at(-1) ?? '');
    if (missing !== undefined || text.length > 500) return;
    for (const frame of frames) expect(acting(frame)).toEqual([]);
  });

  it('an open fence of one answer does not turn the code of the next into text', () => {
    expectInert(threadMarkdown([turn('```\nx'), turn('```\n' + IMG + '\n```', { id: 'next' })]));
  });

  it('an open fence does not swallow the sources', () => {
    expect(drawPane(turnMarkdown(makeTurn({ response: 'x\n\n```\ncode' }))).text).toMatch(
      /Sources/,
    );
  });

  it('code stays code below a list of tool calls', () => {
    const call = { name: 'web_search', arguments: { query: 'z' }, result: '', isError: false };
    const markdown = turnMarkdown(turn(`    ${IMG}`, { toolCalls: [call] }), {
      showToolCalls: true,
    });
    expectInert(markdown);
    expect(drawPane(markdown).code).toEqual([`${IMG}\n`]);
  });

  it('an answer below a list of tool calls is no part of it', () => {
    const call = { name: 'web_search', arguments: { query: 'z' }, result: '', isError: false };
    const response = `  \`\`\`\n${CRASH}\n  \`\`\``;
    const markdown = turnMarkdown(turn(response, { toolCalls: [call] }), { showToolCalls: true });
    expectInert(markdown);
    expect(drawPane(markdown).code).toEqual([`${CRASH}\n`]);
  });

  it('a table ends at the cell limit while it arrives, and is none when it is complete', () => {
    const table = `| a | b |\n|---|---|\n${'| c | d |\n'.repeat(500)}`;
    const arriving = drawPane(createRenderStream().push(table));
    const finished = drawPane(renderModelOutput(table).text);
    expect([arriving.cells, finished.cells]).toEqual([400, 0]);
    expect(finished.text.match(/\bc\b/g)).toHaveLength(500);
  });
});

describe.skipIf(missing !== undefined)('for every document', () => {
  it('the launcher’s parser finds nothing that acts', () => {
    const pieces = [...texts, ...streamed].map(([, text]) => text);
    const document = fc
      .array(fc.oneof(fc.constantFrom(...pieces), hostileMarkdown, nestedMarkdown), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(document, { minLength: 20, maxLength: 20 }), (documents) => {
        for (const each of documents) expect(acting(renderModelOutput(each).text)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
