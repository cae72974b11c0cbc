import { describe, expect, it } from 'vitest';

import { runAgent } from '../lib/agent';
import {
  carrySources,
  citedIndices,
  cleanTitle,
  collectSources,
  createSourceList,
  linkCitations,
  numberedSources,
  renderSources,
  turnSources,
} from '../lib/citations';
import {
  buildThreadMarkdown,
  sessionToPlainText,
  threadMarkdown,
  turnMarkdown,
  turnToMarkdown,
} from '../lib/markdown';
import { renderModelOutput } from '../lib/render';
import type { Source, Turn } from '../lib/types';

import { agentOptions } from './support/agent-options';
import { makeToolCall, makeTurn } from './support/builders';
import { drawPane } from './support/pane-model';
import { say, scriptedProvider } from './support/scripted-provider';

const turnOf = (response: string, sources: Source[], more: Partial<Turn> = {}): Turn =>
  makeTurn({ response, toolCalls: [makeToolCall({ sources, statuses: [] })], ...more });

/** Everything that shows an answer or its list, by door: what it gives to the pane or the clipboard. */
function documents(response: string, sources: Source[]): [string, string][] {
  const turn = turnOf(response, sources);
  const cited = citedIndices(response, sources);
  return [
    ['linkCitations', linkCitations(response, sources).text],
    ['renderModelOutput', renderModelOutput(response, { sources }).text],
    ['renderSources', renderSources(sources, cited, false)],
    ['turnMarkdown', turnMarkdown(turn)],
    ['threadMarkdown', threadMarkdown([turn, turnOf('No [1] here.', [], { id: 'next' })])],
    [
      'buildThreadMarkdown',
      buildThreadMarkdown([
        { id: 'a', role: 'assistant', text: response, toolCalls: turn.toolCalls, state: 'done' },
      ]),
    ],
    ['turnToMarkdown', turnToMarkdown(turn)],
    ['sessionToPlainText', sessionToPlainText([turn])],
  ];
}

/** What the model is sent when the answer with these sources is an earlier one. */
async function announced(response: string, sources: Source[]): Promise<string> {
  const provider = scriptedProvider([say('Ok.')]);
  const history = [turnOf(response, sources)];
  await runAgent(agentOptions({ history, question: 'And now?', ports: { provider } }));
  return provider.requests[0]?.messages.at(-1)?.content ?? '';
}

describe('an address', () => {
  it.each<[string, string, string?]>([
    ['with a user before the host', 'https://good.example@evil.example'],
    ['with a user and a password', 'https://good.example:443@evil.example/'],
    ['in punycode', 'https://xn--bcher-kva.example/'],
    ['with letters outside ASCII', 'https://bücher.example/茶'],
    ['with a number as host', 'https://[::1]:8080/x'],
    ['with a port', 'http://a.example:8080/'],
    ['with an encoded line break and null', 'https://a.example/%0A%00'],
    ['with encoded brackets', 'https://a.example/%5D%28javascript:x%29'],
    ['with what would be an entity', 'https://a.example/?a&lt;b&#106;'],
    ['with half an entity', 'https://a.example/?a&copy'],
    ['with brackets', 'https://a.example/[1](x)![y](z)'],
    ['with emphasis', 'https://a.example/*a*_b_~c~'],
    ['with dollars', 'https://a.example/$x$'],
    ['with apostrophes', "https://a.example/'x'"],
    ['with quotation marks', 'https://a.example/"x"', 'https://a.example/%22x%22'],
    ['with a pipe and a backtick', 'https://a.example/|`', 'https://a.example/%7C%60'],
    ['with parentheses the wrong way', 'https://a.example/)(', 'https://a.example/%29%28'],
    ['with an open parenthesis', 'https://a.example/x(y', 'https://a.example/x%28y'],
    ['in capitals', 'HTTPS://A.EXAMPLE/'],
  ])('%s opens, everywhere and as it is', async (_why, url, drawn = url) => {
    const sources: Source[] = [{ index: 1, title: 'Tea', url }];
    for (const response of ['So it is [1].', '| tea |\n| --- |\n| **so [1]** |\n']) {
      expect([...linkCitations(response, sources).cited]).toEqual([1]);
      for (const [door, markdown] of documents(response, sources)) {
        const { links, fetches, crashes } = drawPane(markdown);
        const inAll = links.map(({ text, href }) => [door, text, href]);
        expect(inAll.length).toBeGreaterThan(0);
        for (const link of inAll) expect(link).toEqual([door, '[1]', drawn]);
        expect({ fetches, crashes }).toEqual({ fetches: [], crashes: [] });
      }
    }
    const { carried, history } = carrySources([turnOf('[1]', sources)], '', createSourceList());
    expect(carried.map((each) => each.url)).toEqual([url]);
    expect(history[0]?.response).toBe('[1]');
    const [, row = '', empty] = (await announced('[1]', sources)).split('\n');
    expect(row).toBe(`[1] Tea — ${url}`);
    expect(empty).toBe('');
  });

  it.each([
    ['of a script', 'javascript:alert(1)'],
    ['of a script in disguise', ' JavaScript:alert(1)'],
    ['that is data', 'data:text/html,<script>1</script>'],
    ['of the launcher', 'vicinae://kill'],
    ['of a file', 'file:///etc/passwd'],
    ['of an icon', 'icon://http'],
    ['that is a path', '/etc/passwd'],
    ['that is a path of this folder', '../x'],
    ['without a scheme', 'a.example/x'],
    ['without anything', ''],
    ['of nothing but white space', ' \t\n'],
    ['without a host', 'https://'],
    ['without a host but with a path', 'https:///x'],
    ['with an impossible port', 'https://a.example:99999/'],
    ['with an encoded null in the host', 'https://a%00.example/'],
    ['with a space', 'https://a.example/a b'],
    ['with a no-break space', 'https://a.example/\u00A0x'],
    ['with a tab', 'https://a.example/\tx'],
    ['with a line break', 'https://a.example/\n\n![x](https://t.example/p.png)'],
    ['with a carriage return', 'https://a.example/\rx'],
    ['with a line separator', 'https://a.example/\u2028x'],
    ['with a null', 'https://a.example/\u0000'],
    ['with an escape', 'https://a.example/\u001B[31m'],
    ['with a C1 control', 'https://a.example/\u0085'],
    ['with a direction mark', 'https://a.example/\u202Egpj.exe'],
    ['with an isolate', 'https://a.example/\u2066x'],
    ['with a byte order mark', 'https://a.example/\uFEFF'],
    ['with a backslash', 'https://a.example\\@evil.example/'],
    ['in angle brackets', '<https://a.example/>'],
    ['with a tag', 'https://a.example/><img src=https://t.example/p>'],
    ['that closes the link', 'x)](https://evil.example) [y](https://evil.example'],
  ])('%s stays text: the marker as the model wrote it, a row without a link', async (_why, url) => {
    const sources: Source[] = [{ index: 1, title: 'Tea', url }];
    const response = 'So it is [1], or [1, 2], [^1] or 【1】.';
    const linked = linkCitations(response, sources);
    expect(linked).toEqual({ text: response, cited: new Set() });
    for (const [door, markdown] of documents(response, sources)) {
      const { links, fetches, crashes, text } = drawPane(markdown);
      expect([door, links, fetches, crashes]).toEqual([door, [], [], []]);
      expect(text).toContain(
        door === 'renderSources' ? '[1] Tea' : 'So it is [1], or [1, 2], [^1] or 【1】.',
      );
    }
    const { carried, history } = carrySources([turnOf(response, sources)], '', createSourceList());
    expect(carried).toEqual([]);
    expect(history[0]?.response).toBe('So it is (1), or (1, 2), (^1) or (1).');
    expect(await announced(response, sources)).toBe('And now?');
  });

  it('of 100 KB opens, and is cut where the model reads it', async () => {
    const url = `https://a.example/${'x'.repeat(100_000)}`;
    const sources: Source[] = [{ index: 1, title: 'Tea', url }];
    const { links } = drawPane(turnMarkdown(turnOf('So [1].', sources)));
    expect(links.map(({ href }) => href === url)).toEqual([true, true]);
    expect(turnToMarkdown(turnOf('So [1].', sources)).split(url)).toHaveLength(3);
    expect((await announced('[1]', sources)).split('\n')[1]).toBe(
      `[1] Tea — ${url.slice(0, 4_000)}…`,
    );
  });

  it('of a document opens as a path, of anything else does not', () => {
    const document = (index: number, url: string): Source => ({
      index,
      title: 'Notes',
      url,
      kind: 'document',
    });
    const sources = [
      document(1, '/home/tea/my notes (old).pdf'),
      document(2, 'https://a.example/'),
      document(3, '/home/\u0000'),
      document(4, 'notes.pdf'),
    ];
    const { text, cited } = linkCitations('[1] [2] [3] [4]', sources);
    expect([...cited]).toEqual([1]);
    expect(text).toBe('[\\[1\\]](</home/tea/my notes (old).pdf>) [2] [3] [4]');
  });
});

describe('a title', () => {
  it.each<[string, string, string]>([
    ['of 10 KB', 'x'.repeat(10_240), `${'x'.repeat(120)}…`],
    ['of 10 KB of emoji', '🍵'.repeat(2_560), `${'🍵'.repeat(120)}…`],
    ['with pipes and quotes', 'a | b "c" \'d\' `e`', 'a | b "c" \'d\' `e`'],
    ['with Markdown', '**a** _b_ ~~c~~ # d', '**a** _b_ ~~c~~ # d'],
    ['with a link', '[x](https://evil.example) https', '[x](https://evil.example) https'],
    ['with another number', '[2] and [1]: x', '[2] and [1]: x'],
    ['with an image', '![x](https://t.example/p.png)', '![x](https://t.example/p.png)'],
    ['with HTML', '<img src=https://t.example/p>', '<img src=https://t.example/p>'],
    ['with an open comment', '<!-- x', '<!-- x'],
    ['with an open fence', '```js', '```js'],
    ['with entities', '&lt;b&gt; &#91;1]', '&lt;b&gt; &#91;1]'],
    ['with dollars', 'From $5 to $6', 'From $5 to $6'],
    ['of several lines', 'a\n\n- b\r\n# c', 'a - b # c'],
    ['that is turned around', 'Tea\u202Egnp.exe', 'Teagnp.exe'],
    ['with what is not seen', 'T\u200Be\u2060a\u0000', 'Tea'],
    ['from right to left', 'شاي أخضر', 'شاي أخضر'],
    ['with joined emoji', '👩‍👩‍👧 Tea', '👩‍👩‍👧 Tea'],
    ['of nothing', '', 'https://a.example/'],
    ['of spaces', ' \t\u3000', 'https://a.example/'],
    ['of what is not seen', '\u200B\u2060', 'https://a.example/'],
  ])('%s is one row of the list that says just that', async (_why, title, drawn) => {
    const sources: Source[] = [{ index: 1, title, url: 'https://a.example/' }];
    for (const [door, markdown] of documents('So [1].', sources)) {
      const { links, fetches, crashes, tags, definitions, blocks } = drawPane(markdown);
      for (const { text, href } of links)
        expect([door, text, href]).toEqual([door, '[1]', 'https://a.example/']);
      expect([door, fetches, crashes, tags, definitions.size]).toEqual([door, [], [], [], 0]);
      if (door === 'linkCitations' || door === 'renderModelOutput') continue;
      const rows = blocks.flatMap((block) => (block.kind === 'list' ? block.rows : []));
      expect([door, rows.map(({ text }) => text)]).toEqual([door, [`[1] ${drawn}`]]);
    }
    const [, row = '', empty] = (await announced('[1]', sources)).split('\n');
    expect(row).toMatch(/^\[1\] .* — https:\/\/a\.example\/$/);
    expect(row.slice(3)).not.toMatch(/^\s*[[［【]\d/);
    expect(empty).toBe('');
  });

  it.each([
    ['tags', 'Te\u{E0041}\u{E007F}a', 'Tea'],
    ['a vowel separator', 'Te\u180Ea', 'Tea'],
    ['fillers', 'T\u3164e\u115Fa\u034F', 'Tea'],
    ['half characters', 'Tea \uD800 x \uDC00', 'Tea \uFFFD x \uFFFD'],
    ['joined pictures', '👩‍👧 ❤️', '👩‍👧 ❤️'],
  ])('is shown without what is not seen: %s', (_what, title, expected) => {
    expect(cleanTitle(title)).toBe(expected);
  });

  it('with half a character throws nowhere', () => {
    const sources: Source[] = [
      { index: 1, title: 'Tea \uD800 x \uDC00', url: 'https://a.example/' },
    ];
    for (const [, markdown] of documents('So [1].', sources))
      expect(drawPane(markdown).links.map(({ href }) => href)).toContain('https://a.example/');
  });
});

describe('numbers', () => {
  const at = (index: number): Source => ({
    index,
    title: `Page ${index}`,
    url: `https://p${Math.abs(index)}.example/`,
  });
  const own = (href: string) => /^https:\/\/p(.+)\.example\/$/.exec(href)?.[1];

  it.each<[string, number[], string, string[]]>([
    ['zero', [0], 'A [0], [00].', []],
    ['negative', [-1], 'A [-1].', []],
    ['a fraction', [1.5], 'A [1.5] [1].', []],
    ['no number', [NaN], 'A [NaN].', []],
    ['no end', [Infinity], 'A [Infinity].', []],
    ['of five digits', [99_999], 'A [99999].', []],
    ['of ten digits', [1e9], 'A [1000000000], [1e9].', []],
    ['beyond exact integers', [1e21], 'A [1e+21], [1000000000000000000000].', []],
    ['the highest', [9999], 'A [9999].', ['9999']],
    ['twice', [1, 1], 'A [1].', ['1']],
    ['with gaps', [2, 7, 300], 'A [2], [3], [7][8], [300], [2-7].', ['2', '7', '300']],
    ['unsorted', [3, 1, 2], 'A [1-3].', ['1', '2', '3']],
    ['all at once', [NaN, 3, -1, 1, 0, 1e9, 1.5], 'A [3] [1] [0] [-1].', ['3', '1']],
    ['none', [], 'A [1], [1, 2], 【1】.', []],
  ])('%s', (_why, indices, response, due) => {
    const sources = indices.map(at);
    const turn = turnOf(response, sources);
    const { text, cited } = linkCitations(response, sources);
    expect(drawPane(text).links.map(({ href }) => own(href))).toEqual(due);
    expect([...cited].map(String)).toEqual(due);
    if (due.length === 0) expect(text).toBe(response);
    for (const [door, markdown] of documents(response, sources)) {
      const { links, fetches, crashes } = drawPane(markdown);
      // The list shows what was consulted when nothing was cited.
      if (due.length > 0)
        expect([door, new Set(links.map(({ href }) => own(href)))]).toEqual([door, new Set(due)]);
      expect([door, fetches, crashes]).toEqual([door, [], []]);
      for (const { text: label, href } of links)
        expect(sources.map((each) => `[${each.index}] ${each.url}`)).toContain(`${label} ${href}`);
    }
    const distinct = new Set(indices).size;
    expect(collectSources(turn.toolCalls)).toHaveLength(distinct);
    expect(turnSources(turn)).toHaveLength(distinct);
    expect(numberedSources(turn)).toHaveLength(distinct);

    const list = createSourceList(sources);
    const { index } = list.add('New', 'https://new.example/');
    expect(Number.isSafeInteger(index) && index > 0 && !indices.includes(index)).toBe(true);
    const fresh = createSourceList();
    const { carried } = carrySources([turn], 'And [1]?', fresh);
    expect(new Set(carried.map(({ url }) => own(url)))).toEqual(new Set(due));
    expect(carried.map((each) => each.index)).toEqual(carried.map((_, i) => i + 1));
  });

  it('a list goes on counting behind the highest number that can be cited', () => {
    const seed = [at(3), at(Number.MAX_SAFE_INTEGER), at(99_999)];
    const list = createSourceList(seed);
    expect(list.add('A', 'https://a.example/').index).toBe(4);
    expect(list.add('B', 'https://b.example/').index).toBe(5);
    expect(list.add('3', 'https://p3.example/').index).toBe(3);
  });

  it('two hundred thousand sources are only many', () => {
    const seed = Array.from({ length: 200_000 }, (_, i) => at(i + 1));
    const list = createSourceList(seed);
    expect(list.add('A', 'https://a.example/').index).toBe(10_000 + 190_001);
    expect(renderSources(seed, [], false)).toMatch(/and 199988 more$/);
  });
});

describe('a note of hostile length', () => {
  const sources: Source[] = [{ index: 1, title: 'Tea', url: 'https://a.example/' }];
  // Each took the square of its length once, half a minute for these.
  it.each([
    ['an address that ends in dots and a letter', `https://a.example/${'.'.repeat(60_000)}x`],
    ['an address that ends in brackets', `https://a.example/${')'.repeat(60_000)}`],
    ['nothing but brackets', '[('.repeat(30_000)],
    ['three thousand addresses', 'https://a.example/ '.repeat(3_000)],
    ['a title without end', `Tea${'a'.repeat(60_000)}`],
  ])(
    '%s',
    (_why, note) => {
      const { cited } = linkCitations(`So [1].\n\n[^1]: ${note}`, sources);
      expect([...cited]).toEqual([1]);
    },
    15_000,
  );
});
