import { describe, expect, it } from 'vitest';

import { ask, askAll, copied, shown, untilTurn } from './support/chat-pane';
import { htmlLinks } from './support/html-links';
import { createGate, words, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { stages } from './support/stages';

const stage = stages();

const CODE = 'rows[1] = "<b>" // [1]';
const ANSWER = [
  'Tea likes **fog** [1], and <b onclick="alert(1)">shade</b> [2]. <img src="http://pixel.example/a.png">',
  `\`\`\`js\n${CODE}\n\`\`\``,
  '<script>alert(1)</script>',
  'A number of no source: [7].',
].join('\n\n');

/** Two exchanges; both answers have a `[1]`, of different pages. */
const twoTurns = (origin: string): Step[] => [
  {
    calls: ['/growing', '/history'].map((path) => ({
      name: 'web_fetch',
      arguments: { url: origin + path },
    })),
  },
  { text: words(ANSWER) },
  { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/brewing` } }] },
  { text: 'With cool water [3], where it grows [1].' },
];
const QUESTIONS = ['How does tea *grow*?', 'How is it brewed?'];

/** Titles in the submenu, in order. */
const offered = (pane: Pane): string[] =>
  pane
    .actions()
    .filter(({ submenu }) => submenu === 'Copy As…')
    .map(({ title }) => title);

describe('Copy As…', () => {
  it('offers every part in every format, and says what was copied and how', async () => {
    const { open } = await stage({ steps: twoTurns });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    expect(offered(pane)).toEqual(
      ['Answer', 'Exchange', 'Conversation'].flatMap((part) =>
        ['Markdown', 'Markdown with Footnotes', 'Plain Text', 'Rich Text'].map(
          (format) => `${part} as ${format}`,
        ),
      ),
    );
    await pane.select(1);
    for (const title of offered(pane)) {
      const { text, html, said } = await copied(pane, title);
      const [part = '', format = ''] = title.split(' as ');
      expect(said).toEqual([
        `${part} copied`,
        `as ${format.replace('Footnotes', 'footnotes').replace(/Plain Text|Rich Text/, (name) => name.toLowerCase())}`,
      ]);
      expect(html === undefined).toBe(format !== 'Rich Text');
      for (const content of html === undefined ? [text] : [text, html]) {
        expect(content).toContain('Tea likes');
        expect(content.includes('How does tea')).toBe(part !== 'Answer');
        expect(content.includes('How is it brewed')).toBe(part === 'Conversation');
      }
      expect(text).toContain(CODE);
    }
    expect(pane.windowOpen).toBe(true);
  });

  it('writes plain text that says every address once, and no markup', async () => {
    const { open, site } = await stage({ steps: twoTurns });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    const { text } = await copied(pane, 'Conversation as Plain Text');
    expect(text).toContain('Tea likes fog [1]');
    expect(text).toContain('A number of no source: [7].');
    expect(text).toContain(`[1] Growing tea on Verdel – ${site.origin}/growing`);
    expect(text).toContain(`[2] How tea came to Verdel – ${site.origin}/history`);
    expect(text).toContain(`[3] Brewing Verdel tea – ${site.origin}/brewing`);
    expect(text).not.toMatch(/\]\(http|\*\*|_Sources_|```/);
    await pane.select(1);
    const answer = await copied(pane, 'Copy Answer as Plain Text');
    expect(answer.said).toEqual(['Answer copied', 'as plain text']);
    expect(answer.text).toBe((await copied(pane, 'Answer as Plain Text')).text);
  });

  it('writes footnotes of which each has one definition, whatever the answers called them', async () => {
    const { open, site } = await stage({ steps: twoTurns });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    const { text } = await copied(pane, 'Conversation as Markdown with Footnotes');
    const prose = text.replaceAll(CODE, '');
    const notes = [...prose.matchAll(/^\[\^([^\]]+)\]: (.*)$/gm)];
    const labels = notes.map(([, label]) => label);
    expect(new Set(labels).size).toBe(labels.length);
    const used = [...prose.matchAll(/\[\^([^\]]+)\](?!:)/g)].map(([, label]) => label);
    expect(new Set(used)).toEqual(new Set(labels));
    const noteOf = (label: string | undefined) => notes.find(([, each]) => each === label)?.[2];
    const pages = used.map((label) => /http\S*?(?=[\s)>]|$)/.exec(noteOf(label) ?? '')?.[0]);
    expect(pages).toEqual(
      ['/growing', '/history', '/brewing', '/growing'].map((path) => site.origin + path),
    );
    expect(text).toContain('[7]');
  });

  it('puts HTML on the clipboard in which nothing of the model acts, with plain text beside it', async () => {
    const { open, site } = await stage({ steps: twoTurns });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    const { text, html = '' } = await copied(pane, 'Conversation as Rich Text');
    expect(html).toContain('<strong>fog</strong>');
    expect(html).toContain('rows[1] = &quot;&lt;b&gt;&quot; // [1]');
    expect(html).not.toMatch(/<(?:script|img|style|iframe)\b/i);
    // The one attribute that does anything is the address of a link.
    const tags = (html.match(/<[^>]*>/g) ?? []).filter((tag) => tag.includes(' '));
    expect(tags.filter((tag) => !/^<a href="https?:[^"]*">$/.test(tag))).toEqual([]);
    const growing = `${site.origin}/growing`;
    const links = htmlLinks(html).filter(([label]) => /^\[\d+\]$/.test(label));
    expect(links.slice(0, 2)).toEqual([
      ['[1]', growing],
      ['[2]', `${site.origin}/history`],
    ]);
    expect(htmlLinks(html).every(([, href]) => /^https?:/.test(href))).toBe(true);
    expect(text).toBe((await copied(pane, 'Conversation as Plain Text')).text);
  });
});

describe('copying code', () => {
  const LONG = `const rows = [${'"tea", '.repeat(40)}"fog"];`;
  const code = `${LONG}\n\n\tif (a < b) "**[1]**";`;
  const inList = `1. Pour:\n\n   ~~~sh\n   kettle --on\n   ~~~`;
  const steps = (): Step[] => [
    { text: words(`So:\n\n\`\`\`js\n${code}\n\`\`\``) },
    { text: words(`So:\n\n\`\`\`js\n${code}\n\`\`\`\n\n${inList}`) },
  ];
  const entries = (pane: Pane, submenu: string): string[] =>
    pane
      .actions()
      .filter((action) => action.submenu === submenu)
      .map(({ title }) => title);

  it('takes the one block at once, of several the chosen one, with every character of it', async () => {
    const { open } = await stage({ steps });
    const pane = await open();
    await askAll(pane, ['How?', 'And then?']);
    const listed = entries(pane, 'Copy Code Block');
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatch(/^1\. js: const rows = .*…$/);
    expect(listed[1]).toBe('2. sh: kettle --on');
    expect((await copied(pane, listed[0] ?? '')).text).toBe(code);
    expect(await copied(pane, '2. sh: kettle --on')).toEqual({
      text: 'kettle --on',
      said: ['Code copied', '1 line'],
    });
    await pane.select(1);
    expect(entries(pane, 'Copy Code Block')).toEqual([]);
    const one = await copied(pane, 'Copy Code');
    expect(one).toEqual({ text: code, said: ['Code copied', '3 lines'] });
    await pane.select(0);
    await pane.action('Open Answer');
    await pane.waitFor(() => pane.depth === 2, { label: 'the answer' });
    expect(entries(pane, 'Copy Code Block')).toEqual(listed);
    expect((await copied(pane, listed[0] ?? '')).text).toBe(code);
    expect(pane.windowOpen).toBe(true);
  });
});

describe('copying elsewhere and in between', () => {
  it('works from a full-width answer and from the whole conversation', async () => {
    const { open } = await stage({ steps: twoTurns });
    const pane = await open();
    await askAll(pane, QUESTIONS);
    await pane.action('Open Answer');
    await pane.waitFor(() => pane.depth === 2, { label: 'the answer' });
    expect(offered(pane)).toHaveLength(12);
    const exchange = await copied(pane, 'Exchange as Plain Text');
    expect(exchange.text).toContain('How is it brewed?');
    expect(exchange.text).not.toContain('fog');
    await pane.back();
    await pane.action('Show Whole Conversation');
    await pane.waitFor(() => pane.depth === 2, { label: 'the whole conversation' });
    expect(offered(pane).every((title) => title.startsWith('Conversation as '))).toBe(true);
    const all = await copied(pane, 'Conversation as Rich Text');
    expect(all.html).toContain('fog');
    expect(pane.depth).toBe(2);
  });

  it('copies a running answer as far as it has come, without a list', async () => {
    const gate = createGate();
    const { open } = await stage({
      steps: (origin) => [
        { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/growing` } }] },
        { text: [...words('Tea likes fog [1] and'), gate, ' shade.'] },
      ],
    });
    const pane = await open();
    await ask(pane, 'How does tea grow?');
    await pane.waitFor(() => shown(pane).includes('fog'), { label: 'the first half' });
    for (const format of ['Markdown', 'Markdown with Footnotes', 'Plain Text', 'Rich Text']) {
      const { text, html } = await copied(pane, `Exchange as ${format}`);
      for (const content of html === undefined ? [text] : [text, html]) {
        expect(content).toContain('Tea likes fog');
        expect(content).not.toMatch(/sources|shade/i);
      }
    }
    gate.open();
    await untilTurn(pane, 'done');
    expect((await copied(pane, 'Exchange as Plain Text')).text).toMatch(/shade\.\n\nSources/);
  });

  it('offers no answer where there is none, and copies what was asked and what went wrong', async () => {
    const { open } = await stage({
      steps: () => [{ raw: { status: 401, body: '{"error":{"message":"no"}}' } }],
    });
    const pane = await open();
    await ask(pane, 'Is anybody there?');
    await untilTurn(pane, 'failed');
    expect(offered(pane).some((title) => title.startsWith('Answer'))).toBe(false);
    expect(pane.actions().map(({ title }) => title)).not.toContain('Copy Answer as Plain Text');
    for (const format of ['Markdown', 'Markdown with Footnotes', 'Plain Text', 'Rich Text']) {
      const { text, html } = await copied(pane, `Exchange as ${format}`);
      for (const content of html === undefined ? [text] : [text, html]) {
        expect(content).toContain('Is anybody there?');
        expect(content).toMatch(/API key|401/);
      }
    }
  });
});
