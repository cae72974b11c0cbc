import { describe, expect, it } from 'vitest';

import { MAX_EVIDENCE_QUOTE_CHARS } from '../lib/constants';
import { evidenceLine, evidencePlace, findEvidence, passageAddress } from '../lib/evidence';
import type { Evidence, Source, ToolCallRecord } from '../lib/types';

import { makeSource, makeToolCall } from './support/builders';
import { readCall, searchCall } from './support/shown-calls';

const TEA = `# Tea on the island

Tea came to the island in 1781, when the surveyor Elsa Marant planted forty seedlings behind the harbour church. Nine of them survived the first winter.

For two generations tea stayed rare, because the islanders lived by salt and wool.

- Green tea steeps for two minutes.
- Black tea steeps for four minutes.

| Year | Tonnes of leaves |
|---|---|
| 1903 | 12 tonnes |
| 2024 | 48 tonnes |`;

const tea = readCall(TEA, { index: 1 });

const find = (
  response: string,
  toolCalls: ToolCallRecord[] = [tea],
  more: { carried?: Source[]; earlier?: { response: string; toolCalls: ToolCallRecord[] }[] } = {},
) =>
  findEvidence(
    { response, toolCalls, ...(more.carried ? { carried: more.carried } : {}) },
    more.earlier ?? [],
  );

/** Each row as number, place and the first words. */
const rows = (
  response: string,
  ...rest: [ToolCallRecord[]?, Parameters<typeof find>[2]?]
): string[] =>
  find(response, ...rest).evidence.map(
    (row) => `${row.index} ${evidencePlace(row)} ${row.quote.split(/\s/).slice(0, 3).join(' ')}`,
  );

describe('the closest passage', () => {
  it.each<[string, string, string[]]>([
    [
      'its words in another order',
      'Forty seedlings were planted behind the harbour church by Elsa Marant [1].',
      ['1 ¶2 Tea came to'],
    ],
    [
      'other forms of its words',
      'The islanders lived by wool, so tea remained rare for two generations [1].',
      ['1 ¶3 For two generations'],
    ],
    [
      'a list',
      'Black tea needs four minutes, it steeps longer than green tea [1].',
      ['1 ¶4 - Green tea'],
    ],
    ['a table', 'In 2024 the island gave 48 tonnes of leaves [1].', ['1 ¶5 | 2024 |']],
    [
      'a whole table',
      'Year by year the tonnes of leaves of 1903 and 2024, 12 tonnes and 48 tonnes [1].',
      ['1 ¶5 | Year |'],
    ],
    [
      'a row whose marker has its own cell',
      '| What | When | Source |\n|---|---|---|\n| Elsa Marant planted seedlings | 1781 | [1] |',
      ['1 ¶2 Tea came to'],
    ],
    [
      'a marker behind the full stop',
      'Nine seedlings survived the first winter.[1]',
      ['1 ¶2 Tea came to'],
    ],
    [
      'a marker of the full-width form',
      'Nine seedlings survived the first winter【1】.',
      ['1 ¶2 Tea came to'],
    ],
    [
      'a link of the model to the source',
      'Nine seedlings survived the first winter [1](https://page-1.example/).',
      ['1 ¶2 Tea came to'],
    ],
    ['a heading', '## Elsa Marant planted forty seedlings in 1781 [1]', []],
    [
      'a list item',
      '- Elsa Marant planted forty seedlings in 1781 [1]\n- Something else',
      ['1 ¶2 Tea came to'],
    ],
    [
      'a row of a table',
      '| What | When |\n|---|---|\n| Elsa Marant planted seedlings | 1781 [1] |',
      ['1 ¶2 Tea came to'],
    ],
    ['another subject', 'The moon is made of cheese and silver [1].', []],
    ['one common word', 'Tea is a drink that many people enjoy in the morning [1].', []],
    ['no word at all', '[1]', []],
    [
      'another language',
      'Auf der Insel lebten die Leute zwei Generationen lang vom Handel [1].',
      [],
    ],
    ['a number that is no source', 'Elsa Marant planted forty seedlings in 1781 [7].', []],
    ['code', '`Elsa Marant planted forty seedlings in 1781 [1]`', []],
  ])('for a claim of %s', (_name, response, wanted) => {
    expect(rows(response)).toEqual(wanted);
  });

  it.each([
    [
      'German',
      'Der Tee kam im Jahr 1781 auf die Insel, wo Dr. Marant am 3. Mai vierzig Setzlinge hinter der Kirche pflanzte.',
      'Marant pflanzte 1781 hinter der Kirche vierzig Setzlinge [1].',
    ],
    [
      'French',
      'Le thé arriva sur l’île en 1781, quand l’arpenteuse planta quarante plants derrière l’église du port.',
      'L’arpenteuse a planté quarante plants derrière l’église en 1781 [1].',
    ],
    [
      'Russian',
      'Чай появился на острове в 1781 году, когда землемер посадила сорок саженцев за портовой церковью.',
      'В 1781 году землемер посадила за церковью сорок саженцев [1].',
    ],
    [
      'Chinese',
      '茶于1781年传到岛上，当时测量员在港口教堂后面种下四十株幼苗。',
      '1781年，测量员在港口教堂后面种下四十株幼苗。[1]',
    ],
    [
      'Japanese',
      '茶は1781年に島へ伝わり、測量士が港の教会の裏に四十本の苗を植えた。',
      '測量士は1781年、教会の裏に四十本の苗を植えました[1]。',
    ],
    [
      'Arabic',
      'وصل الشاي إلى الجزيرة سنة ١٧٨١ حين زرعت المساحة إلسا مارانت أربعين شتلة خلف كنيسة الميناء.',
      'زرعت إلسا مارانت أربعين شتلة خلف كنيسة الميناء سنة 1781 [1].',
    ],
    [
      'Hindi',
      'चाय १७८१ में द्वीप पर आई, जब सर्वेक्षक ने बंदरगाह के गिरजाघर के पीछे चालीस पौधे लगाए।',
      'सर्वेक्षक ने 1781 में गिरजाघर के पीछे चालीस पौधे लगाए [1]।',
    ],
    [
      'Thai',
      'ชามาถึงเกาะในปี 1781 เมื่อนักสำรวจปลูกต้นกล้าสี่สิบต้นหลังโบสถ์ท่าเรือ',
      'นักสำรวจปลูกต้นกล้าสี่สิบต้นหลังโบสถ์ในปี 1781 [1]',
    ],
    [
      'Korean',
      '차는 1781년에 섬에 들어왔고, 측량사가 항구 교회 뒤에 묘목 마흔 그루를 심었다.',
      '측량사는 1781년 교회 뒤에 묘목 마흔 그루를 심었다 [1].',
    ],
  ])('is found in %s', (_name, passage, response) => {
    const call = readCall(`…\n\n${passage}\n\n— 2 —`, { index: 1 });
    expect(find(response, [call]).evidence.map(({ quote }) => quote)).toEqual([passage]);
  });

  it('is that with the figure of the claim', () => {
    const years = Array.from(
      { length: 20 },
      (_, n) => `In ${1900 + n} the harbour counted ${1000 + n * 37} ships from abroad.`,
    );
    const call = readCall(years.join('\n\n'));
    const [row] = find('The harbour counted 1,333 ships from abroad in 1909 [1].', [call]).evidence;
    expect(row?.quote).toBe('In 1909 the harbour counted 1333 ships from abroad.');
  });

  it('is less close when the figures are others', () => {
    const score = (year: string) =>
      find(`Elsa Marant planted forty seedlings in ${year} [1].`).evidence[0]?.score ?? 0;
    expect(score('1871')).toBeLessThan(score('1781'));
  });

  it('is the first of two that say the same', () => {
    const call = readCall(
      'Nine seedlings survived the winter.\n\nOther text.\n\nNine seedlings survived the winter.',
    );
    expect(rows('Nine seedlings survived the winter [1].', [call])).toEqual([
      '1 ¶1 Nine seedlings survived',
    ]);
  });

  it('is none of two that are equally far', () => {
    const call = readCall(
      'The council of the harbour raised its dues for ships with grain.\n\nOther.\n\nThe council of the harbour closed its gates for ships with salt.',
    );
    expect(
      rows(
        'The council of the harbour decided on a new rule for ships with timber and hides [1].',
        [call],
      ),
    ).toEqual([]);
  });

  it('does not go over to a neighbour for one figure', () => {
    const call = readCall(
      'Forty seedlings were planted behind the harbour church.\n\nThe price was 1781 pounds.',
    );
    const [row] = find('In 1781 forty seedlings were planted behind the church [1].', [
      call,
    ]).evidence;
    expect(row?.quote).toBe('Forty seedlings were planted behind the harbour church.');
  });

  it('goes over two blocks where the claim does', () => {
    const call = readCall(
      'The old mill burned down in the night of the storm.\n\nIts owner, the widow Marant, rebuilt everything from oak and slate.',
    );
    const [row] = find(
      'After the old mill burned down in the storm the widow Marant rebuilt it from oak and slate [1].',
      [call],
    ).evidence;
    expect(row).toMatchObject({ number: 1, start: 0, score: expect.any(Number) as number });
    expect(row?.blocks).toHaveLength(2);
    expect(row?.quote).toMatch(/^The old mill[\s\S]*\n\nIts owner[\s\S]*slate\.$/);
  });
});

describe('several markers', () => {
  const wool = readCall('The wool of the island is spun by hand and dyed with lichen.', {
    index: 2,
  });

  it('at one passage are one row', () => {
    const response =
      'Elsa Marant planted forty seedlings [1]. Of the seedlings nine survived the first winter [1].';
    const { evidence } = find(response);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]?.markers).toEqual([response.indexOf('[1]'), response.lastIndexOf('[1]')]);
  });

  it('in one sentence stand each behind its part', () => {
    expect(
      rows(
        'Elsa Marant planted forty seedlings behind the church [1], and the wool of the island is dyed with lichen [2].',
        [tea, wool],
      ),
    ).toEqual(['1 ¶2 Tea came to', '2 ¶1 The wool of']);
  });

  it('of one bracket are looked for in each source', () => {
    const other = readCall('Elsa Marant came with forty seedlings.', { index: 3 });
    expect(rows('Elsa Marant planted forty seedlings [1, 3].', [tea, other])).toEqual([
      '1 ¶2 Tea came to',
      '3 ¶1 Elsa Marant came',
    ]);
  });
});

describe('rows of a table', () => {
  const head = '| Rinse | Degrees | Minutes |\n|---|---|---|\n';
  const table = `${head}| fog flush | 85 degrees | 2 minutes |\n| rain flush | 90 degrees | 3 minutes |\n| snow flush | 70 degrees | 4 minutes |`;
  const call = readCall(table);

  it('are told apart: each has its place, its quote and its directive', () => {
    const { evidence } = find(
      'The fog flush is made at 85 degrees [1]. The snow flush is made at 70 degrees [1].',
      [call],
    );
    expect(evidence.map(({ quote, fragment }) => [quote, fragment])).toEqual([
      ['| fog flush | 85 degrees | 2 minutes |', 'text=85%20degrees'],
      ['| snow flush | 70 degrees | 4 minutes |', 'text=snow%20flush'],
    ]);
    for (const { quote, start, end } of evidence) expect(table.slice(start, end)).toBe(quote);
  });

  it('are all from the first to the last that is meant', () => {
    const [row] = find('The fog flush needs 85 degrees, the rain flush 90 degrees [1].', [
      call,
    ]).evidence;
    expect(row?.quote).toBe(table.slice(head.length, table.indexOf('\n| snow')));
  });

  it('are the whole table where none is closer', () => {
    const [row] = find('Every flush has its degrees and minutes for the rinse [1].', [
      call,
    ]).evidence;
    expect(row?.quote).toBe(table);
  });

  it('are that of a quotation', () => {
    const [row] = find('It says “rain flush 90 degrees 3 minutes” [1].', [call]).evidence;
    expect(row).toMatchObject({ score: 1, quote: '| rain flush | 90 degrees | 3 minutes |' });
  });
});

describe('what is kept of a passage', () => {
  it('is what the source says, where, and of which blocks', () => {
    const [row] = find('Nine seedlings survived the first winter [1].').evidence;
    const start = TEA.indexOf('Tea came');
    const end = TEA.indexOf('winter.') + 7;
    expect(row).toEqual<Evidence>({
      index: 1,
      id: '//page-1.example/',
      title: 'Page 1',
      url: 'https://page-1.example/',
      kind: 'web',
      blocks: [tea.shown?.[1]?.block ?? ''],
      number: 2,
      start,
      end,
      quote: TEA.slice(start, end),
      score: row?.score ?? 0,
      markers: [41],
      fragment: row?.fragment ?? '',
    });
    expect(row?.score).toBeGreaterThan(0.6);
  });

  it('begins where a long passage is closest, and is cut', () => {
    const filler =
      'Much else is told of the island in these old books, and most of it twice. '.repeat(9);
    const text = `${filler}Elsa Marant planted forty seedlings. 🍵${'🍵'.repeat(300)}`;
    const call = makeToolCall({
      result: text,
      shown: [{ index: 1, at: 0, length: text.length, start: 0, block: 'b', number: 1 }],
    });
    const [row] = find('Elsa Marant planted forty seedlings [1].', [call]).evidence;
    expect(row?.quote).toMatch(/^Elsa Marant planted/);
    expect(row).toMatchObject({ cut: true, start: filler.length, end: text.length });
    expect(row?.quote.length).toBeGreaterThan(MAX_EVIDENCE_QUOTE_CHARS - 2);
    expect(row?.quote).not.toMatch(/\p{Surrogate}/u);
  });

  it('is the original where the model read harmless words', () => {
    const text = '(1) Elsa Marant planted forty seedlings.';
    const original = '[1] Elsa Marant planted forty seedlings.';
    const call = makeToolCall({
      result: text,
      shown: [{ index: 1, at: 0, length: text.length, start: 10, block: 'b', original }],
    });
    expect(find('Elsa Marant planted forty seedlings [1].', [call]).evidence).toMatchObject([
      { quote: original, start: 10, end: 10 + original.length },
    ]);
  });

  it('has pages', () => {
    const parts = [
      'The old mill burned down in the night of the storm and',
      'its owner, the widow Marant, rebuilt everything from oak.',
    ];
    const text = `— page 4 of 9 —\n\n${parts[0] ?? ''}\n\n— page 5 of 9 —\n\n${parts[1] ?? ''}`;
    const call = makeToolCall({
      result: text,
      shown: parts.map((part, n) => ({
        index: 1,
        at: text.indexOf(part),
        length: part.length,
        start: text.indexOf(part),
        block: `b${n}`,
        number: n + 7,
        page: n + 4,
      })),
    });
    const [row] = find(
      'The old mill burned down in the storm and the widow Marant rebuilt everything from oak [1].',
      [call],
    ).evidence;
    expect(row).toMatchObject({
      page: 4,
      pageEnd: 5,
      number: 7,
      blocks: ['b0', 'b1'],
      quote: parts.join('\n\n'),
    });
    expect(row?.fragment).toBeUndefined();
    expect(row && evidencePlace(row)).toBe('pp. 4–5');
    expect(row && passageAddress(row)).toBe('https://page-1.example/#page=4');
  });

  it('of a document has its path and version', () => {
    const call = readCall('Elsa Marant planted forty seedlings.', {
      url: '/home/reader/tea notes.md',
      kind: 'document',
      version: 'ab12',
    });
    expect(find('Elsa Marant planted forty seedlings [1].', [call]).evidence).toMatchObject([
      {
        id: '/home/reader/tea notes.md',
        kind: 'document',
        version: 'ab12',
        url: '/home/reader/tea notes.md',
      },
    ]);
  });

  it('of a search row are its lines, without a place', () => {
    const [row] = find('Elsa Marant planted forty seedlings [1].', [
      searchCall('Elsa Marant planted forty seedlings …'),
    ]).evidence;
    expect(row).toMatchObject({ blocks: [], quote: 'Elsa Marant planted forty seedlings …' });
    expect([row?.start, row?.end, row?.fragment, row && evidencePlace(row)]).toEqual([
      undefined,
      undefined,
      undefined,
      'search result',
    ]);
  });

  it('of a page is not said twice when it was shown twice', () => {
    const again = { ...tea, sources: [] };
    expect(rows('Nine seedlings survived the first winter [1].', [tea, again])).toEqual([
      '1 ¶2 Tea came to',
    ]);
  });

  it('is whole where a block was shown in two parts', () => {
    const text = 'Elsa Marant planted forty seedlings behind the old harbour church.';
    const result = `${text.slice(0, 30)} … ${text.slice(30)}`;
    const part = { index: 1, block: 'b', number: 1 };
    const call = makeToolCall({
      result,
      shown: [
        { ...part, at: 0, length: 30, start: 0 },
        { ...part, at: 33, length: text.length - 30, start: 30 },
      ],
    });
    expect(
      find('Elsa Marant planted forty seedlings behind the church [1].', [call]).evidence,
    ).toMatchObject([{ quote: text, blocks: ['b'] }]);
  });
});

describe('a carried source', () => {
  const carried = [makeSource({ index: 4, url: 'http://page-1.example/#top' })];
  const response = 'Nine seedlings survived the first winter [4].';

  it('has the texts of the turn that read it', () => {
    const { evidence } = find(response, [], {
      carried,
      earlier: [{ response: '', toolCalls: [tea] }],
    });
    expect(evidence).toMatchObject([{ index: 4, number: 2, url: 'http://page-1.example/#top' }]);
  });

  it('has no texts of other pages of the same number', () => {
    const other = readCall(TEA, { index: 4, url: 'https://other.example/' });
    expect(
      find(response, [], { carried, earlier: [{ response: '', toolCalls: [other] }] }).evidence,
    ).toEqual([]);
  });

  it('has the version of its own reading, where a file was read twice and changed in between', () => {
    const file = { kind: 'document' as const, url: '/home/reader/tea.md' };
    const toolCalls = [
      readCall('The leaf is dried in the shade of the wall.', { ...file, version: 'v1' }),
      readCall('The kettle is boiled over charcoal at dawn.', { ...file, version: 'v2' }),
    ];
    const response =
      'The leaf is dried in the shade of the wall [1]. The kettle is boiled over charcoal at dawn [1].';
    const { evidence } = findEvidence({ response, toolCalls }, []);
    expect(evidence.map(({ quote, version }) => [quote.slice(0, 8), version])).toEqual([
      ['The leaf', 'v1'],
      ['The kett', 'v2'],
    ]);
  });

  it('has the version that was read', () => {
    const document = { kind: 'document' as const, url: '/notes/tea.md' };
    const read = readCall(TEA, { index: 2, ...document, version: 'old' });
    const { evidence } = find(response, [], {
      carried: [makeSource({ index: 4, ...document })],
      earlier: [{ response: '', toolCalls: [read] }],
    });
    expect(evidence).toMatchObject([{ index: 4, version: 'old' }]);
  });
});

describe('a direct quotation', () => {
  const words = 'tea stayed rare, because the islanders lived by salt and wool';

  it.each<[string, string, string[]]>([
    ['in the sentence of the marker', `It says “${words}” [1].`, ['exact']],
    ['behind the marker', `As [1] says, “${words}”.`, ['exact']],
    [
      'in the paragraph before it',
      `“For two generations ${words}.”\n\nTea on the island [1]`,
      ['exact'],
    ],
    ['with another word', `It says “${words.replace('rare', 'common')}” [1].`, ['close']],
    [
      'that is invented',
      'It says “nobody on the island has ever grown a single leaf” [1].',
      ['not-found'],
    ],
    ['of four words', 'It says “nobody has ever seen” [1].', []],
    ['without a marker', `It says “${words}”.`, []],
    ['in code', `\`“${words}”\` [1]`, []],
  ])('%s is checked', (_name, response, wanted) => {
    expect(find(response).quotes.map(({ status }) => status)).toEqual(wanted);
  });

  it.each<[string, string, string]>([
    ['the title of its source', 'According to “How tea came to Verdel” [1] it is old.', ''],
    ['part of a title', 'According to "TEA CAME TO VERDEL SLOWLY," [1] it is old.', ''],
    ['the title of another source', 'Unlike “The salt works of the island” [1] says.', ''],
    ['a title that was cut', '“The long history of wool and its trade” [1] is long.', ''],
    ['a title in Chinese', '《维尔德尔茶叶的历史与来源》[1]说茶很老。', ''],
    [
      'the question',
      'You ask whether “tea was never drunk with milk” [1].',
      'Is it true that tea was never drunk with milk?',
    ],
  ])('that is %s is none', (_name, response, question) => {
    const titles = [
      'How tea came to Verdel slowly – Tea Site',
      'The salt works of the island',
      'The long history of wool…',
      '关于维尔德尔茶叶的历史与来源',
    ];
    const calls = titles.map((title, n) => readCall(TEA, { index: n + 1, title }));
    expect(findEvidence({ response, toolCalls: calls, question }, []).quotes).toEqual([]);
    expect(
      findEvidence({ response, toolCalls: [readCall(TEA, { title: 'Tea' })], question: '' }, [])
        .quotes,
    ).toMatchObject([{ status: 'not-found' }]);
  });

  it('that is exact has its passage, with score 1', () => {
    const response = `It says “${words}” [1].`;
    const { quotes, evidence } = find(response);
    expect(evidence).toMatchObject([
      { index: 1, number: 3, score: 1, markers: [response.indexOf('[1]')] },
    ]);
    expect(quotes).toEqual([
      {
        start: 9,
        end: 9 + words.length,
        marker: response.indexOf('[1]'),
        index: 1,
        status: 'exact',
      },
    ]);
  });

  it('is looked for in every source beside it', () => {
    const other = readCall('Nothing of it.', { index: 2 });
    expect(find(`It says “${words}” [2][1].`, [tea, other]).quotes).toMatchObject([
      { index: 1, status: 'exact' },
    ]);
    expect(find(`It says “${words}” [2], which is long [1].`, [tea, other]).quotes).toMatchObject([
      { index: 2, status: 'not-found' },
    ]);
  });

  it.each<[string, ToolCallRecord, string]>([
    ['a page that was read, of which nothing was kept', makeToolCall(), 'not-kept'],
    [
      'a page of which nothing is known',
      makeToolCall({ sources: [{ index: 1, title: '', url: 'https://a.example/' }], statuses: [] }),
      'not-kept',
    ],
    [
      'a page that was read, of which only the search row was kept',
      searchCall('Tea.', { status: 'read' }),
      'not-kept',
    ],
    ['a page that was only found', searchCall('Tea.'), 'not-found'],
  ])('from %s', (_name, call, status) => {
    expect(find(`It says “${words}” [1].`, [call]).quotes).toMatchObject([{ status }]);
  });
});

describe('the line under an answer', () => {
  it('counts stored fields', () => {
    const response =
      'It says “nobody on the island has ever grown a single leaf” [1]. Forty seedlings were planted by Elsa Marant [2].';
    const toolCalls = [tea, searchCall('Elsa Marant planted forty seedlings.', { index: 2 })];
    expect(evidenceLine({ toolCalls, ...find(response, toolCalls) })).toBe(
      '2 cited · 1 read · 1 quotation not found',
    );
  });

  it('has plurals', () => {
    const quote = { start: 0, end: 1, marker: 2, index: 1 };
    const quotes = (['not-found', 'close', 'not-found', 'close', 'exact'] as const).map(
      (status) => ({ ...quote, status }),
    );
    expect(evidenceLine({ toolCalls: [], quotes })).toBe(
      '1 cited · 0 read · 2 quotations not found · 2 quotations not word for word',
    );
  });

  it('counts the cited sources it is given', () => {
    expect(evidenceLine({ toolCalls: [tea] }, [{ index: 1 }, { index: 1 }, { index: 9 }])).toBe(
      '2 cited · 1 read',
    );
  });

  it('is empty when nothing is cited', () => {
    expect(evidenceLine({ toolCalls: [tea] })).toBe('');
  });

  it('knows what an earlier turn read', () => {
    expect(
      evidenceLine({ toolCalls: [], carried: [makeSource({ status: 'part' })] }, [{ index: 1 }]),
    ).toBe('1 cited · 1 read');
  });
});

describe('the place', () => {
  it.each<[Partial<Evidence>, string]>([
    [{ page: 4 }, 'p. 4'],
    [{ page: 4, pageEnd: 4, number: 9 }, 'p. 4'],
    [{ page: 4, pageEnd: 5 }, 'pp. 4–5'],
    [{ number: 12, start: 3 }, '¶12'],
    [{}, 'search result'],
    [{ start: 0 }, ''],
  ])('of %o is "%s"', (row, place) => {
    expect(evidencePlace(row)).toBe(place);
  });
});
