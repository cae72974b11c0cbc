import { describe, expect, it } from 'vitest';

import {
  analyse,
  carrySources,
  createSourceList,
  linkCitations,
  numberedSources,
  renderSources,
  spentNumbers,
  turnSources,
} from '../lib/citations';
import { scan } from '../lib/code';
import type { Source, SourceStatus, Turn } from '../lib/types';

import { makeToolCall } from './support/builders';

const sources: Source[] = Array.from({ length: 12 }, (_, i) => ({
  index: i + 1,
  title: `Page ${String(i + 1)}`,
  url: `https://p${String(i + 1)}.example/`,
}));

/** What `linkCitations` makes of an answer, with `«n»` for a link to the page of source n. */
const linked = (answer: string): string =>
  linkCitations(answer, sources).text.replace(
    /\[\\\[(\d+)\\\]\]\(https:\/\/p\1\.example\/\)/g,
    '«$1»',
  );

describe('the marker grammar at its edges', () => {
  it.each([
    ['a number twice in a group', 'So [1, 1, 2].', 'So «1», «2».'],
    ['a number again in a range', 'So [2, 1-3].', 'So «2», «1», «3».'],
    ['a range of two-digit numbers', 'So [10-12].', 'So «10», «11», «12».'],
    ['a range with spaces around its dash', 'So [1 - 3].', 'So «1», «2», «3».'],
    ['a range from a number to itself', 'So [2-2].', 'So [2-2].'],
    ['a range behind other digits', 'So [1 1-2].', 'So [1 1-2].'],
    ['a range before other characters', 'So [1-2b].', 'So [1-2b].'],
    ['a range of footnotes', 'So [^1-2].', 'So «1», «2».'],
    ['two markers of one number', 'So [1][1].', 'So «1»«1».'],
    ['a bracket that never closes', 'So [1.', 'So [1.'],
    ['a bracket around a marker', 'So [2 [1]].', 'So [2 «1»].'],
    ['a hint behind a number of two digits', 'So【12†L3】.', 'So«12».'],
    ['a hint with a colon', 'So【1†page: 3】.', 'So【1†page: 3】.'],
    ['a hint around a marker', 'So【1†see [2]】.', 'So【1†see «2»】.'],
    ['a hint in square brackets', 'So [1†L3].', 'So [1†L3].'],
    ['the longest hint', `So【1†${'x'.repeat(198)}】.`, 'So«1».'],
    ['a longer hint', `So【1†${'x'.repeat(199)}】.`, `So【1†${'x'.repeat(199)}】.`],
  ])('%s', (_what, answer, expected) => {
    expect(linked(answer)).toBe(expected);
  });
});

describe('what makes two addresses one page', () => {
  const numbers = (...urls: string[]): number[] => {
    const list = createSourceList();
    return urls.map((url) => list.add('', url).index);
  };
  const P = 'https://a.example/p';

  it.each([
    'utm_source',
    'UTM_Medium',
    'gclid',
    'gbraid',
    'wbraid',
    'dclid',
    'fbclid',
    'msclkid',
    'mc_cid',
    'mc_eid',
    'igshid',
    '_gl',
    'yclid',
    'ref_src',
  ])('the parameter %s says where a visitor came from', (name) => {
    expect(numbers(P, `${P}?${name}=x`)).toEqual([1, 1]);
    expect(numbers(`${P}?a=1&b=2`, `${P}?a=1&${name}=x&b=2`)).toEqual([1, 1]);
  });

  it.each([
    ['a bare question mark', P, `${P}?`],
    ['a heading on the page', P, `${P}#top`],
    ['a heading with a slash', P, `${P}#top/left`],
    ['a heading with a route in it', P, `${P}#top#/left`],
    ['white space around', P, `  ${P}\n`],
  ])('%s is none of it', (_what, one, other) => {
    expect(numbers(one, other)).toEqual([1, 1]);
    const list = createSourceList();
    list.add('', one);
    expect(list.indexOf(other)).toBe(1);
  });

  it.each([
    ['the value of a parameter', `${P}?a=1`, `${P}?a=2`],
    ['where a parameter ends', `${P}?a=1&b=2`, `${P}?a=1b=2`],
    ['the user', 'https://me@a.example/', 'https://you@a.example/'],
    ['whether there is a user', 'https://me@a.example/', 'https://a.example/'],
    ['the password', 'https://me:one@a.example/', 'https://me:two@a.example/'],
    ['a password without a user', 'https://:one@a.example/', 'https://a.example/'],
    ['the port', 'https://a.example:8443/', 'https://a.example/'],
    ['a route', `${P}#/one`, `${P}#/two`],
    ['a scheme that is not http', 'ftp://a.example/p', P],
    ['another fragment behind such a scheme', `view-source:${P}#a`, `view-source:${P}#b`],
    ['another host that is none', 'http://', 'https://'],
  ])('%s is', (_what, one, other) => {
    expect(numbers(one, other, one)).toEqual([1, 2, 1]);
  });
});

describe('words in brackets of their own, right before a marker', () => {
  const SPEC = '\n\n[spec]: https://m.example/spec';
  it.each([
    ['stay a link', `By [spec]【1】.${SPEC}`, `By [spec][]«1».${SPEC}`],
    ['that were none stay none', `By [spec][1].${SPEC}`, `By [spec]«1».${SPEC}`],
    ['need nothing with a space between', `By [spec] 【1】.${SPEC}`, `By [spec] «1».${SPEC}`],
    ['need nothing as a full reference', `By [it][spec]【1】.${SPEC}`, `By [it][spec]«1».${SPEC}`],
    [
      'need nothing before a row that goes',
      `${SPEC.trim()}\n\nBy [spec]\n[^1]: Page 1`,
      `${SPEC.trim()}\n\nBy [spec]`,
    ],
    [
      'that are a marker themselves become one',
      'So [1]【2】.\n\n[1]: https://p1.example/',
      'So «1»«2».\n\n[1]: https://p1.example/',
    ],
  ])('%s', (_what, answer, expected) => {
    expect(linked(answer)).toBe(expected);
  });
});

it('without sources an answer is as the model wrote it', () => {
  const answer = 'Wet [1].\n\n[^7]: Confirmed';
  expect(linkCitations(answer, [])).toEqual({ text: answer, cited: new Set() });
});

describe('the rows of the list', () => {
  const list = (...titles: string[]): string[] =>
    renderSources(
      titles.map((title, i) => ({ index: i + 1, title, url: 'https://a.example/' })),
      [],
      false,
    ).split('\n');
  const row = (number: number, title: string): string =>
    `- [\\[${String(number)}\\]](https://a.example/) ${title}`;

  it.each([
    ['white space at both ends', '  Tea  ', 'Tea'],
    ['several spaces', 'Tea   plants', 'Tea plants'],
    ['line breaks', 'Tea\r\n\tplants', 'Tea plants'],
    ['characters that are not seen', 'T\u200Be\u202Ea\u00AD', 'Tea'],
    ['only such characters', ' \u200B ', 'https://a.example/'],
    ['the longest title', 'x'.repeat(120), 'x'.repeat(120)],
    ['a longer title', 'x'.repeat(121), `${'x'.repeat(120)}…`],
    ['half a character', 'Tea\uD83C', 'Tea\uFFFD'],
    ['a title cut behind a space', `${'x'.repeat(119)} y`, `${'x'.repeat(119)}…`],
    ['the longest title of emoji', '🍵'.repeat(120), '🍵'.repeat(120)],
  ])('%s', (_what, title, shown) => {
    expect(list(title)[2]).toBe(row(1, shown));
  });

  it('are twelve and a count of the others when nothing is cited', () => {
    const titles = Array.from({ length: 14 }, (_, i) => `T${String(i + 1)}`);
    const rows = titles.slice(0, 12).map((title, i) => row(i + 1, title));
    expect(list(...titles.slice(0, 12))).toEqual(['_Sources_', '', ...rows]);
    expect(list(...titles)).toEqual(['_Sources_', '', ...rows, '', 'and 2 more']);
  });

  it('have the first page that took a number', () => {
    const first = { index: 1, title: 'First', url: 'https://a.example/' };
    const second = { ...first, title: 'Second' };
    expect(renderSources([first, second], [1], false)).toBe(`_Sources_\n\n${row(1, 'First')}`);
  });
});

describe('the numbers of a list', () => {
  const [P, Q, HOME] = ['https://a.example/p', 'https://a.example/q', 'https://a.example/'];
  const seeded = (...seed: [number, string][]) =>
    createSourceList(seed.map(([index, url]) => ({ index, title: '', url })));

  it.each<[string, [number, string][], number]>([
    [
      'go on from the highest',
      [
        [3, P],
        [1, Q],
      ],
      4,
    ],
    [
      'go on from the highest that a marker can have',
      [
        [2, P],
        [10_000, Q],
      ],
      3,
    ],
    ['are whole', [[2.5, P]], 1],
  ])('%s', (_what, seed, next) => {
    const list = seeded(...seed);
    expect(list.add('', HOME).index).toBe(next);
    expect(list.all().map(({ index }) => index)).toEqual(
      [...seed.map(([index]) => index), next].sort((a, b) => a - b),
    );
  });

  it('leave out those that are spent', () => {
    const list = createSourceList([], new Set([1, 2, 4]));
    expect([P, Q, HOME].map((url) => list.add('', url).index)).toEqual([3, 5, 6]);
  });

  it('belong to the first page that took them', () => {
    const list = seeded([1, P], [1, Q]);
    expect(list.all().map(({ url }) => url)).toEqual([P]);
    expect([P, Q].map((url) => list.indexOf(url))).toEqual([1, 0]);
  });

  it('stay with their page when another is redirected to it, or claims to be it', () => {
    const list = seeded([1, P], [2, Q]);
    list.add('', Q, { redirects: [P], canonical: P });
    list.add('', 'https://b.example/', { canonical: HOME });
    list.add('', 'https://c.example/', { canonical: HOME });
    expect([P, Q, HOME].map((url) => list.indexOf(url))).toEqual([1, 2, 3]);
  });

  it('are of no page without an address', () => {
    const list = seeded([1, ' ']);
    expect(list.add('', ' ')).toEqual({ index: 0 });
    expect(list.indexOf('')).toBe(0);
  });

  it('remember what is a document', () => {
    const list = createSourceList();
    const path = '/tea.pdf';
    expect(list.add('Tea', path, { kind: 'document' })).toEqual({
      index: 1,
      source: { index: 1, title: 'Tea', url: path, kind: 'document' },
    });
    expect(list.add('P', P, { kind: 'web' }).source).toEqual({ index: 2, title: 'P', url: P });
  });
});

describe('the sources of a turn', () => {
  const [A, B]: [Source, Source] = [
    { index: 1, title: 'A', url: 'https://a.example/' },
    { index: 2, title: 'B', url: 'https://b.example/' },
  ];
  const found = (...statuses: SourceStatus[]): Turn['toolCalls'][number] =>
    makeToolCall({ sources: [A], statuses: statuses.map((status) => ({ index: 1, status })) });

  it.each<[string, SourceStatus | undefined, SourceStatus[], SourceStatus | undefined]>([
    ['none', undefined, [], undefined],
    ['of a call', undefined, ['hit'], 'hit'],
    ['that rises from nothing', undefined, ['hit', 'part', 'read'], 'read'],
    ['that a later hit does not lower', undefined, ['part', 'hit'], 'part'],
    ['that a later failure does not lower', undefined, ['part', 'blocked'], 'part'],
    ['of the first failure', undefined, ['hit', 'refused', 'blocked'], 'refused'],
    ['of an earlier turn', 'read', [], 'read'],
    ['of an earlier turn that a hit does not lower', 'read', ['hit'], 'read'],
    ['of an earlier turn that rises', 'hit', ['part'], 'part'],
  ])('have a read state: %s', (_what, carried, statuses, expected) => {
    const source = carried === undefined ? A : { ...A, status: carried };
    expect(numberedSources({ carried: [source], toolCalls: [found(...statuses)] })).toStrictEqual([
      expected === undefined ? A : { ...A, status: expected },
    ]);
  });

  it('are those it holds once it is done, whatever its text cites', () => {
    const turn = { response: 'So [1].', carried: [A, B], toolCalls: [] };
    expect(turnSources({ ...turn, state: 'done' })).toEqual([A, B]);
    expect(turnSources({ ...turn, state: 'stopped' })).toEqual([A]);
  });

  it('leave no number free that its texts name', () => {
    const spent = spentNumbers({
      response: 'So [3], [^5-6], [7, 8] and ［9］; 10 (11) [0] [12345].',
      toolCalls: [
        makeToolCall({
          result: 'Page text.\n[14] Tea\n[150] Milk\n[1600] Oats\nsee [17] \n[18]\n[0190] x',
          statuses: [{ index: 20, status: 'hit' }],
        }),
        { name: 'web_search', arguments: {}, result: '[21] Rain', isError: false },
      ],
    });
    expect([...spent].sort((a, b) => a - b)).toEqual([3, 5, 6, 7, 8, 9, 14, 20, 21, 150, 1600]);
  });
});

describe('links and definitions of the model’s own', () => {
  it.each<[string, string, number[], string?]>([
    ['a number as text, to its page', 'So [1](https://p1.example/).', [1]],
    ['white space around it', 'So [ 1 ](https://p1.example/).', [1]],
    ['words before it', 'So [see 1](https://p1.example/).', []],
    ['letters behind it', 'So [1st](https://p1.example/).', []],
    ['an image', 'So ![1](https://p1.example/).', []],
    ['a reference to a word', 'So [1][tea].\n\n[tea]: https://p1.example/', [1]],
    ['an image by reference', 'So ![1].\n\n[1]: https://p1.example/', []],
    ['a label that ends in a number', 'So [a1].\n\n[a1]: https://p1.example/', []],
    ['a label that begins with a number', 'So [1a].\n\n[1a]: https://p1.example/', []],
    [
      'a label of two digits',
      'So [12].\n\n[12]: https://p12.example/',
      [12],
      'So «12».\n\n[12]: https://p12.example/',
    ],
    [
      'a definition that code has the number of',
      'So <code>a[1]</code> [2].\n\n[1]: https://p1.example/',
      [2],
      'So <code>a[1]</code> «2».\n\n[1]: https://p1.example/',
    ],
    [
      'a note that only a part of a group means',
      'So [^1, 2], [^3-4], [5, ^6].\n\n[^1]: One.\n\n[^3]: Three.\n\n[^6]: Six is seven.',
      [],
      'So [^1, 2], [^3-4], [5, ^6].\n\n\\[^1]: One.\n\n\\[^3]: Three.\n\n[^6]: Six is seven.',
    ],
    [
      'an exclamation mark before a note that is text',
      'So ![^1]\n\n[^1]: https://p1.example/ "Chapter two"',
      [1],
      'So \\!«1»\n\n\\[^1]: https://p1.example/ "Chapter two"',
    ],
    [
      'two brackets behind a row that is text',
      'So [1][].\n\n[1]: yes',
      [1],
      'So «1»[].\n\n\\[1]: yes',
    ],
    ['the same as an image', 'So ![1][].\n\n[1]: yes', [1], 'So \\!«1»[].\n\n\\[1]: yes'],
    [
      'the same in the text of a link',
      'So [a ![1] b](https://m.example/).\n\n[1]: yes',
      [],
      'So [a ![1] b](https://m.example/).\n\n\\[1]: yes',
    ],
    [
      'a marker right behind the label of a note',
      'So it is.\n\n[^1]:[2] says so.',
      [2],
      'So it is.\n\n[^1]:«2» says so.',
    ],
  ])('%s', (_what, answer, cited, expected = answer) => {
    expect(linked(answer)).toBe(expected);
    expect([...linkCitations(answer, sources).cited].sort((a, b) => a - b)).toEqual(cited);
  });

  it('of two sources with one number the first counts', () => {
    const twice = [1, 1].map((index, i) => ({
      index,
      title: '',
      url: `https://p${i + 1}.example/`,
    }));
    expect(linkCitations('So [1].', twice).text).toBe('So [\\[1\\]](https://p1.example/).');
  });

  it('a reference that is defined in another piece of the text cites nothing', () => {
    const piece = scan('So [1][tea] and [tea][1].', { definedLabels: ['tea', '1'] });
    const { cited, references } = analyse(piece, sources);
    expect([...cited]).toEqual([]);
    expect(references).toEqual([]);
  });
});

describe('earlier texts under this turn’s numbers', () => {
  const urls = ['a', 'b', 'c', 'd'].map((host) => `https://${host}.example/`);
  const answered = (response: string, ...pages: Partial<Source>[]) => ({
    question: '',
    response,
    toolCalls: [
      makeToolCall({
        sources: urls.map((url, i) => ({ index: i + 1, title: '', url, ...pages[i] })),
        statuses: [],
      }),
    ],
  });
  /** Only the third page is cited, by `[3]`: its number is 1 now. */
  const reread = (response: string): string | undefined =>
    carrySources([answered(response)], '', createSourceList()).history[0]?.response;

  it.each([
    [
      'a word with a definition',
      'By [tea] [3].\n\n[tea]: https://m.example/',
      'By [tea] [1].\n\n[tea]: https://m.example/',
    ],
    [
      'a reference to a word',
      'By [it][tea] [3].\n\n[tea]: https://m.example/',
      'By [it][tea] [1].\n\n[tea]: https://m.example/',
    ],
    [
      'a reference to a label with a digit',
      'By [it][a1], [3].\n\n[a1]: https://m.example/',
      'By [it][a1], [1].\n\n[a1]: https://m.example/',
    ],
    [
      'another such label',
      'By [it][1a], [3].\n\n[1a]: https://m.example/',
      'By [it][1a], [1].\n\n[1a]: https://m.example/',
    ],
    [
      'a reference to a number of two digits',
      'By [it][12], [3].\n\n[12]: https://m.example/',
      'By [it](https://m.example/), [1].\n\n(12): https://m.example/',
    ],
    [
      'the text of a link',
      'By [see [9] there](https://m.example/) [3].',
      'By [see (9) there](https://m.example/) [1].',
    ],
    [
      'emphasis in it',
      'By [see *[9]* there](https://m.example/) [3].',
      'By [see *(9)* there](https://m.example/) [1].',
    ],
    [
      'code in it',
      'By [see `a[9]`](https://m.example/) [3].',
      'By [see `a[9]`](https://m.example/) [1].',
    ],
    [
      'code tags in it',
      'By [<code>a[9]</code>](https://m.example/) [3].',
      'By [<code>a[9]</code>](https://m.example/) [1].',
    ],
    [
      'the text of an image',
      'By ![plan [9]](https://m.example/p.png) [3].',
      'By ![plan (9)](https://m.example/p.png) [1].',
    ],
    [
      'an HTML block',
      'So [3].\n\n<div title="[9]">\n[9] < [8]\n</div>',
      'So [1].\n\n<div title="[9]">\n(9) < (8)\n</div>',
    ],
    ['code in an HTML block', 'So [3].\n\n<pre>\na[9]\n</pre>', 'So [1].\n\n<pre>\na[9]\n</pre>'],
    ['a group with one that is unknown', 'So [3, 9] and [3].', 'So (3, 9) and [1].'],
    ['full-width brackets of an unknown one', 'So【9†L3】[3].', 'So(9†L3)[1].'],
  ])('%s', (_what, response, expected) => {
    expect(reread(response)).toBe(expected);
  });

  it('a page keeps its kind and its read state', () => {
    const list = createSourceList();
    const { carried } = carrySources(
      [
        answered(
          'So [1], [2] and [3].',
          { title: 'File', url: '/tea.pdf', kind: 'document' },
          { title: 'B', status: 'part' },
          { title: 'C' },
        ),
      ],
      '',
      list,
    );
    expect(carried).toStrictEqual([
      { index: 1, title: 'File', url: '/tea.pdf', kind: 'document' },
      { index: 2, title: 'B', url: 'https://b.example/', status: 'part' },
      { index: 3, title: 'C', url: 'https://c.example/' },
    ]);
    expect(list.all().map(({ kind, status }) => [kind, status])).toEqual([
      ['document', undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it.each([
    ['an index', 'What is a[3]?', 'What is a[3]?'],
    ['indices', 'What is a[0][i][-1][3]?', 'What is a[0][i][-1][3]?'],
    ['a marker behind a word', 'What of tea [3]?', 'What of tea [1]?'],
    ['a marker at the beginning', '[3]?', '[1]?'],
    ['a marker behind brackets', '[tea][3]?', '[tea][1]?'],
    ['a footnote and a range', 'What of [^3] and 【3-4】?', 'What of [1] and [1][2]?'],
    ['an unknown number', 'What of [9]?', 'What of [9]?'],
    ['a group with one that is unknown', 'What of [3, 9] and [3]?', 'What of (3, 9) and [1]?'],
    [
      'the text of a link',
      'Is [see [9]](https://m.example/) [3]?',
      'Is [see [9]](https://m.example/) [1]?',
    ],
  ])('in a question, %s', (_what, asked, expected) => {
    const { question } = carrySources([answered('So [3].')], asked, createSourceList());
    expect(question).toBe(expected);
  });

  it('in a question, a group of which no page fits is in round brackets', () => {
    const many = Array.from({ length: 22 }, (_, i) => ({
      index: i + 1,
      title: '',
      url: `https://p${String(i + 1)}.example/`,
    }));
    const turn = { question: '', response: 'So.', toolCalls: [makeToolCall({ sources: many })] };
    const { question } = carrySources(
      [turn],
      '[1-10] [11-20] [20, 21] [21, 22]',
      createSourceList(),
    );
    expect(question).toMatch(/\[20\] \[20\] \(21, 22\)$/);
  });
});

describe('a footnote that only repeats its source goes', () => {
  it.each([
    ['its address', 'https://p1.example/'],
    ['the address and a full stop', 'https://p1.example/.'],
    ['the address in parentheses', '(https://p1.example/).'],
    ['the address in angle brackets', '<https://p1.example/>'],
    ['the address in quotation marks', '"https://p1.example/"'],
    ['the address in capitals', 'HTTPS://P1.EXAMPLE/'],
    ['the address twice', 'https://p1.example/ http://p1.example/#top'],
    ['its title', 'Page 1'],
    ['the title in other letters', 'PAGE \t 1.'],
    ['the title behind punctuation', '– “Page 1”'],
    ['title and address', 'Page 1, https://p1.example/'],
    ['address and title', 'https://p1.example/: Page 1'],
    ['a link', '[Page 1](https://p1.example/).'],
    ['a second line', 'Page 1\n  https://p1.example/'],
    ['lines behind a tab and a line ending of two characters', 'Page 1\r\n\thttps://p1.example/'],
  ])('%s', (_what, note) => {
    expect(linked(`So [^1].\n\n[^1]: ${note}\n\nMore.`)).toBe('So «1».\n\n\nMore.');
    expect(linked(`So [^1].\n\n[^1]: ${note}`)).toBe('So «1».\n');
  });

  it.each([
    ['at the beginning', '[^1]: Page 1\n\nSo [^1].', '\nSo «1».'],
    ['alone', '[^1]: Page 1', ''],
    ['before a line end at the end', 'So [^1].\n\n[^1]: Page 1\n', 'So «1».\n\n'],
    ['before words of the same paragraph', 'So [^1].\n\n[^1]: Page 1\nMore.', 'So «1».\n\nMore.'],
    ['before a marker', 'So it is.\n\n[^1]: Page 1\n[2] says so.', 'So it is.\n\n«2» says so.'],
    ['behind words of the same paragraph', 'So [^1].\n[^1]: Page 1', 'So «1».'],
    [
      'with line endings of two characters',
      'So [^1].\r\n\r\n[^1]: Page 1\r\n\r\nMore.',
      'So «1».\r\n\r\n\r\nMore.',
    ],
    ['the same at the end', 'So [^1].\r\n\r\n[^1]: Page 1', 'So «1».\r\n'],
    ['two in a row', 'So.\n\n[^1]: Page 1\n[^2]: Page 2\n\nMore.', 'So.\n\n\nMore.'],
    ['two apart', 'So.\n\n[^1]: Page 1\n\nMore.\n\n[^2]: Page 2', 'So.\n\n\nMore.\n'],
    ['at the end of a quote', '> So [^1].\n>\n> [^1]: Page 1', '> So «1».\n>'],
    ['in a list item', '- So [^1].\n\n  [^1]: Page 1\n\n  More.', '- So «1».\n\n\n  More.'],
  ])('%s', (_where, answer, expected) => {
    expect(linked(answer)).toBe(expected);
  });
});

describe('a row with a label stays', () => {
  it.each([
    [
      'with more than its source says',
      'So [^1].\n\n[^1]: Page 1, chapter two',
      'So «1».\n\n[^1]: Page 1, chapter two',
    ],
    [
      'with more behind the address',
      'So [^1].\n\n[^1]: https://p1.example/ 1999',
      'So «1».\n\n[^1]: https://p1.example/ 1999',
    ],
    [
      'with the title in a longer word',
      'So [^1].\n\n[^1]: Page 1b, see there',
      'So [^1].\n\n[^1]: Page 1b, see there',
    ],
    ['with the title further on', 'So [^1].\n\n[^1]: See Page 1', 'So [^1].\n\n[^1]: See Page 1'],
    [
      'with the address of another page too',
      'So [^1].\n\n[^1]: Page 1 https://p1.example/ https://p2.example/',
      'So [^1].\n\n[^1]: Page 1 https://p1.example/ https://p2.example/',
    ],
    ['of a number that is no source', 'So [^99].\n\n[^99]: Page 1', 'So [^99].\n\n[^99]: Page 1'],
    ['that is escaped', 'So [^1].\n\n\\[^1]: Page 1', 'So «1».\n\n\\[^1]: Page 1'],
    ['that is an item of a list', 'So [^1].\n\n- [^1]: Page 1', 'So «1».\n\n- [^1]: Page 1'],
    [
      'that indented code follows',
      '- So [^1].\n\n[^1]: Page 1\n\n    code',
      '- So «1».\n\n[^1]: Page 1\n\n    code',
    ],
    [
      'in a quote that goes on',
      '> So [^1].\n>\n> [^1]: Page 1\n>\n> More.',
      '> So «1».\n>\n> [^1]: Page 1\n>\n> More.',
    ],
    ['that a list follows', 'So [^1].\n\n[^1]: Page 1\n- item', 'So «1».\n\n[^1]: Page 1\n- item'],
    [
      'that an HTML block follows',
      'So [^1].\n\n[^1]: Page 1\n<b>x</b>',
      'So «1».\n\n[^1]: Page 1\n<b>x</b>',
    ],
    [
      'that other words are linked by',
      'So [^1], [it][^1].\n\n[^1]: https://p1.example/',
      'So «1», [it][^1].\n\n[^1]: https://p1.example/',
    ],
    ['with a word as label', 'So [1].\n\n[^tea]: Page 1', 'So «1».\n\n[^tea]: Page 1'],
    ['with markers in it', 'So.\n\n[1]: see [2]', 'So.\n\n[1]: see «2»'],
    [
      'without markers behind an address',
      'So.\n\n[1]: https://p1.example/ like [2]',
      'So.\n\n[1]: https://p1.example/ like [2]',
    ],
  ])('%s', (_what, answer, expected) => {
    expect(linked(answer)).toBe(expected);
  });
});

describe('which definition of a number holds', () => {
  const OWN = 'https://own.example/';
  const P1 = 'https://p1.example/';
  it.each([
    ['the first, of the source', `[1]: ${P1}\n\n[1]: ${OWN}`, true],
    ['the first, of another page', `[1]: ${OWN}\n\n[1]: ${P1}`, false],
    [
      'one that the parser knows, before a line of a paragraph',
      `Text\n[1]: ${OWN}\n\n[1]: ${P1}`,
      true,
    ],
    ['the same the other way round', `Text\n[1]: ${P1}\n\n[1]: ${OWN}`, false],
    ['a line of a paragraph', `Text\n[1]: ${OWN}`, false],
    ['a line of a paragraph with a full stop', `Text\n[1]: ${P1}.`, true],
    ['one in angle brackets', `Text\n[1]: <${OWN}> here`, false],
    ['none that is no address', '[1]: <page 2>', true],
    ['none', 'Text\n[1]: own', true],
  ])('%s', (_which, rows, isSource) => {
    const [line] = linked(`So [1].\n\n${rows}`).split('\n');
    expect(line).toBe(`So ${isSource ? '«1»' : '[1]'}.`);
  });
});

it.each(['Tea, https://a.example/Tea_(plant).', 'Tea (https://a.example/Tea_(plant))'])(
  'an address that ends in a parenthesis is the same page in a sentence: %s',
  (note) => {
    const source = { index: 1, title: 'Tea', url: 'https://a.example/Tea_(plant)' };
    const { text, cited } = linkCitations(`Wet [^1].\n\n[^1]: ${note}`, [source]);
    expect([...cited]).toEqual([1]);
    expect(text).toContain('Wet [\\[1\\]](https://a.example/Tea_(plant)).');
  },
);
