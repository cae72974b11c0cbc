import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { FileState } from '../host/evidence/changed';
import { evidenceReport } from '../host/evidence/report';
import type { EvidenceReport, EvidenceRow } from '../host/evidence/rows';
import { evidenceLine, findEvidence } from '../lib/evidence';
import { blocksOf } from '../lib/blocks';
import type {
  Evidence,
  QuoteCheck,
  Source,
  SourceStatus,
  ToolCallRecord,
  Turn,
} from '../lib/types';
import { makeSource, makeToolCall, makeTurn } from './support/builders';
import { hostileMarkdown } from './support/hostile-markdown';
import { drawPane, drawPlainText } from './support/pane-model';

const NONE = new Map<string, FileState>();

/** A passage that was kept. `at`: the text of the marker it stands behind is looked for in the response of the turn. */
function passage(overrides: Partial<Evidence> = {}): Evidence {
  return {
    index: 1,
    id: 'https://page-1.example/',
    title: 'Page 1',
    url: 'https://page-1.example/',
    kind: 'web',
    blocks: ['b1'],
    number: 12,
    start: 40,
    end: 90,
    quote: 'Green tea is steeped for two minutes.',
    score: 0.82,
    markers: [12],
    ...overrides,
  };
}

/** `Two minutes [1].` with its passage; the marker begins at 12. */
function turnOf(overrides: Partial<Turn> = {}): Turn {
  return makeTurn({
    response: 'Two minutes [1].',
    evidence: [passage()],
    quotes: [],
    ...overrides,
  });
}

/** A call that showed all of a source. */
function shownCall(text: string, over: Partial<Source> = {}): ToolCallRecord {
  const source = makeSource(over);
  const { index } = source;
  return makeToolCall({
    sources: [source],
    statuses: [{ index, status: 'read' }],
    result: text,
    shown: blocksOf({ text }).map(({ id, number, start, end }) => ({
      index,
      at: start,
      length: end - start,
      start,
      block: id,
      number,
    })),
  });
}

/** A turn with all that is found of it. */
function foundTurn(response: string, toolCalls: ToolCallRecord[]): Turn {
  const turn = makeTurn({ response, toolCalls });
  return { ...turn, ...findEvidence(turn, []) };
}

const rowsOf = ({ sections }: EvidenceReport) =>
  sections.flatMap(({ title, rows }) => rows.map((row) => [title, row.mark, row.title]));
function rowIn(report: EvidenceReport, section: string, place = 0): EvidenceRow {
  const row = report.sections.find(({ title }) => title === section)?.rows[place];
  if (row === undefined) throw new Error(`No row ${place} in ${section}.`);
  return row;
}
const drawn = (row: EvidenceRow) => drawPane(row.detail()).text;

describe('a claim', () => {
  it('stands with its marker, and beside it the passage with its place', () => {
    const report = evidenceReport(turnOf(), NONE);
    expect(rowsOf(report)).toEqual([['Claims', 'passage', 'Two minutes.']]);
    const row = rowIn(report, 'Claims');
    expect(row).toMatchObject({ markers: '[1]', words: 'Closest passage' });
    expect(drawn(row)).toBe(
      [
        'Two minutes [1].',
        '[1] Page 1',
        'page-1.example · ¶12 · closest passage',
        'Green tea is steeped for two minutes.',
        'Closest by its words: where to look, not proof.',
      ].join('\n\n'),
    );
    expect(report.summary).toBe('1 cited · 1 read');
    expect(report.nothing).toBeUndefined();
  });

  it('opens at the passage', () => {
    const row = rowIn(
      evidenceReport(turnOf({ evidence: [passage({ fragment: 'text=Green%20tea' })] }), NONE),
      'Claims',
    );
    const address = 'https://page-1.example/#:~:text=Green%20tea';
    expect(row.passages).toEqual([
      {
        label: '[1] Page 1, ¶12',
        text: 'Green tea is steeped for two minutes.\n— Page 1, ¶12',
        address,
      },
    ]);
    expect(row.detail()).toContain(`[\\[1\\]](${address})`);
  });

  it('has the passages of all its numbers, each under its source', () => {
    const pdf = { index: 2, title: 'Kilns', url: '/home/ada/kiln papers.pdf' };
    const turn = turnOf({
      response: 'Two minutes [1][2][3].',
      toolCalls: [
        makeToolCall({
          sources: [
            makeSource(),
            makeSource({ ...pdf, kind: 'document' }),
            makeSource({ index: 3 }),
          ],
        }),
      ],
      evidence: [
        passage(),
        passage({
          ...pdf,
          id: pdf.url,
          kind: 'document',
          page: 4,
          pageEnd: 5,
          markers: [15],
          cut: true,
        }),
      ],
    });
    const row = rowIn(evidenceReport(turn, NONE), 'Claims');
    expect(row.markers).toBe('[1] [2] [3]');
    expect(row.passages.map(({ label, address }) => [label, address])).toEqual([
      ['[1] Page 1, ¶12', 'https://page-1.example/'],
      ['[2] Kilns, pp. 4–5', '/home/ada/kiln papers.pdf'],
      ['[3] Page 3', 'https://page-3.example/'],
    ]);
    expect(row.passages.map(({ text }) => text)).toEqual([
      'Green tea is steeped for two minutes.\n— Page 1, ¶12',
      'Green tea is steeped for two minutes.…\n— Kilns, pp. 4–5',
      '',
    ]);
    expect(drawn(row)).toContain('kiln papers.pdf · pp. 4–5 · closest passage');
    expect(drawn(row)).toContain('[3] Page 3\n\nNo passage is clearly close to this sentence.');
  });

  it('says that none is clearly close', () => {
    const row = rowIn(evidenceReport(turnOf({ evidence: [] }), NONE), 'Claims');
    expect(row.mark).toBe('no-passage');
    expect(drawn(row)).toContain('No passage is clearly close to this sentence.');
    expect(drawn(row)).not.toContain('not proof');
    expect(row.passages).toEqual([
      { label: '[1] Page 1', text: '', address: 'https://page-1.example/' },
    ]);
  });

  const unread: [SourceStatus, string][] = [
    ['hit', 'Only a search hit; the page was not read.'],
    ['blocked', 'Not read: the page was blocked.'],
    ['needs-browser', 'Not read: the page needs a browser.'],
    ['not-found', 'Not read: it was not found.'],
    ['refused', 'Not read: it was not opened.'],
    ['too-large', 'Not read: it is too large.'],
    ['timed-out', 'Not read: the page did not answer in time.'],
    ['unreadable', 'Not read: it could not be made out.'],
  ];
  it.each(unread)('says of a source with status %s: %s', (status, words) => {
    const turn = turnOf({
      evidence: [],
      toolCalls: [
        makeToolCall({ sources: [makeSource({ status })], statuses: [{ index: 1, status }] }),
      ],
    });
    const report = evidenceReport(turn, NONE);
    expect(rowsOf(report)).toEqual([
      ['Cited but Not Read', 'unread', 'Page 1'],
      ['Claims', 'unread', 'Two minutes.'],
    ]);
    expect(rowIn(report, 'Claims').words).toBe(words);
    expect(drawn(rowIn(report, 'Claims'))).toContain(words);
    expect(drawn(rowIn(report, 'Cited but Not Read'))).toContain(`${words}\n\nTwo minutes [1].`);
    expect(report.summary).toBe('1 cited · 0 read');
  });

  it('does not call the lines of a search row a passage of the page', () => {
    const status = 'hit';
    const evidence = [passage({ start: undefined, end: undefined, number: undefined, blocks: [] })];
    const turn = turnOf({
      evidence,
      toolCalls: [
        makeToolCall({ sources: [makeSource({ status })], statuses: [{ index: 1, status }] }),
      ],
    });
    const row = rowIn(evidenceReport(turn, NONE), 'Claims');
    expect(row).toMatchObject({
      mark: 'unread',
      words: 'Only a search hit; the page was not read.',
    });
    expect(drawn(row)).toContain(
      'page-1.example · search result\n\nOnly a search hit; the page was not read.\n\nGreen tea',
    );
  });

  const titles: [string, string, string][] = [
    [
      'emphasis and links',
      '**Two** _minutes_ in [water](https://w.example) [1].',
      'Two minutes in water.',
    ],
    ['marker in the middle', 'It is [1] two minutes.', 'It is two minutes.'],
    ['a marker that is the object', 'Both are summed up in [1].', 'Both are summed up in [1].'],
    ['a marker that is the subject', 'Dry. [1] says that it is.', '[1] says that it is.'],
    ['markers in a row', 'See [1] and [1]. Two minutes [1].', 'See [1] and [1].'],
    ['a marker in German', 'Das steht so in [1].', 'Das steht so in [1].'],
    ['a marker in Chinese', '据【1】绿茶泡两分钟。', '据【1】绿茶泡两分钟。'],
    ['a formula', 'It has $E = 4{,}860$ kWh [1].', 'It has E = 4,860 kWh.'],
    ['money', 'It costs $5 and brings $6 a day [1].', 'It costs $5 and brings $6 a day.'],
    ['names with underscores', 'Call steep_for_two [1].', 'Call steep_for_two.'],
    ['Chinese', '绿茶泡两分钟【1】。', '绿茶泡两分钟。'],
    ['Arabic', 'يُنقع الشاي دقيقتين [1].', 'يُنقع الشاي دقيقتين.'],
    ['a tag', 'The <img src=x> tag [1].', 'The ‹img src=x› tag.'],
    [
      'a row of a table',
      '| Tea | Time |\n|---|---|\n| green | two minutes [1] |',
      'green · two minutes',
    ],
    ['a list item', '- Two minutes [1]', 'Two minutes'],
    ['a list', '- Two minutes\n- Salt\n  1. Wool\n\n[1]', 'Two minutes · Salt · Wool'],
    ['a table', '| a | b |\n|---|---|\n| Tea | two |\n\nSource: [1]', 'a · b · Tea · two'],
    ['a quote', '> Two\n> minutes.\n\n[1]', 'Two minutes.'],
    ['code', '```js\nsteep(2);\nstop();\n```\n\n[1]', 'steep(2); stop();'],
  ];
  it.each(titles)('has a title of one line: %s', (_name, response, title) => {
    const row = rowIn(evidenceReport(turnOf({ response, evidence: [] }), NONE), 'Claims');
    expect(row.title).toBe(title);
    expect(drawPane(row.detail())).toMatchObject({ fetches: [], crashes: [] });
  });
});

describe('the note on a passage that was found by its words', () => {
  const NOTE = 'Closest by its words: where to look, not proof.';
  const MEND = 'The walls of the garden were mended with dry stone.';
  const turn = (response: string): Turn =>
    foundTurn(response, [
      shownCall(MEND, { index: 1, url: 'https://page-1.example/', title: 'Walls' }),
      shownCall('Tea is green.', { index: 2, url: 'https://page-2.example/', title: 'Teas' }),
      shownCall(`On dry stone.\n\n${MEND}`, {
        index: 3,
        url: 'https://page-3.example/',
        title: 'Stone',
      }),
    ]);
  /** What is drawn below the head of each source. */
  const bySource = (row: EvidenceRow): string[] =>
    drawn(row)
      .split(/(?=\[\d\] (?:Walls|Teas|Stone))/u)
      .slice(1);

  it.each<[string, string, string, number, boolean[]]>([
    [
      'of a claim, before a source without one',
      'Claims',
      'The garden walls were mended with dry stone [1][2].',
      0,
      [true, false],
    ],
    [
      'of a claim, behind a source without one',
      'Claims',
      'The garden walls were mended with dry stone [2][1].',
      0,
      [false, true],
    ],
    [
      'of each passage',
      'Claims',
      'The garden walls were mended with dry stone [1][3].',
      0,
      [true, true],
    ],
    [
      'not of one that holds the quotation',
      'Claims',
      '“The walls of the garden were mended” with dry stone [1][3].',
      0,
      [false, true],
    ],
    [
      'of a quotation that is not found',
      'Quotations',
      'The garden walls “were mended with wet dry stone and with old spite” [2][1].',
      0,
      [false, true],
    ],
  ])('%s', (_name, section, response, place, wanted) => {
    const row = rowIn(evidenceReport(turn(response), NONE), section, place);
    expect(bySource(row).map((text) => text.includes(NOTE))).toEqual(wanted);
  });
});

describe('a quotation of several numbers', () => {
  const turn = (markers: string): Turn =>
    foundTurn(
      `It says “the gardeners burned every wall there” ${markers}.`,
      [1, 2, 3, 4].map((index) =>
        shownCall(index === 3 ? 'The gardeners burned every wall there.' : 'Tea is green.', {
          index,
          url: `https://page-${index}.example/`,
          title: `Page ${index}`,
        }),
      ),
    );

  it.each<[string, string, string]>([
    ['side by side', '[4][1]', '[4] [1]'],
    ['with a comma', '[4], [1]', '[4] [1]'],
    ['in a group', '[4, 1][2]', '[4] [1] [2]'],
    ['twice the same', '[4][4]', '[4]'],
    ['of which one stands behind other words', '[4], and so on [1]', '[4]'],
    ['of which one has it', '[4][3][1]', '[3]'],
  ])('%s', (_name, markers, wanted) => {
    const row = rowIn(evidenceReport(turn(markers), NONE), 'Quotations');
    expect(row.markers).toBe(wanted);
    const numbers = wanted.match(/\d/gu) ?? [];
    expect(drawn(row).match(/(?<=\[)\d(?=\] Page)/gu)).toEqual(numbers);
    expect(row.passages.map(({ label }) => label.slice(0, 10))).toEqual(
      numbers.map((number) => `[${number}] Page ${number}`),
    );
    for (const number of numbers) expect(row.keywords).toContain(`[${number}]`);
  });
});

describe('a quotation', () => {
  /** The quoted words begin at 15 and end at 42; the marker is at 44. */
  const response = 'The page says “green tea takes two minutes” [1].';
  const quote = (status: QuoteCheck['status']): QuoteCheck => ({
    start: 15,
    end: 42,
    marker: 44,
    index: 1,
    status,
  });
  const statuses: [QuoteCheck['status'], EvidenceRow['mark'], string][] = [
    ['exact', 'verified', 'Word for word in what was read'],
    ['close', 'close', 'Close, not word for word'],
    ['not-found', 'not-found', 'Not found in what was read'],
    ['not-kept', 'not-kept', 'The text of the source was not kept'],
  ];
  it.each(statuses)('that is %s is marked %s: %s', (status, mark, words) => {
    const turn = turnOf({ response, quotes: [quote(status)], evidence: [] });
    const report = evidenceReport(turn, NONE);
    const row = rowIn(report, 'Quotations');
    expect(row).toMatchObject({
      mark,
      words,
      title: '“green tea takes two minutes”',
      markers: '[1]',
    });
    expect(
      drawn(row).startsWith(`${words}\n\nThe answer says:\n\ngreen tea takes two minutes\n`),
    ).toBe(true);
    expect(drawn(row)).toContain('[1] Page 1');
  });

  const gaps: [string, string, string][] = [
    [
      'between its words',
      'tea is … safe for all',
      'Word for word in what was read, with words left out',
    ],
    [
      'of three points',
      'tea is [...] safe for all',
      'Word for word in what was read, with words left out',
    ],
    ['at its end', 'tea is safe for all…', 'Word for word in what was read'],
  ];
  it.each(gaps)('that is exact says what it has of an ellipsis %s', (_name, words, said) => {
    const turn = turnOf({
      response: `It says “${words}” [1].`,
      quotes: [{ ...quote('exact'), start: 9, end: 9 + words.length, marker: 11 + words.length }],
      evidence: [],
    });
    const row = rowIn(evidenceReport(turn, NONE), 'Quotations');
    expect(row).toMatchObject({ mark: 'verified', words: said });
    expect(drawn(row).includes('read whether they change')).toBe(said.endsWith('left out'));
  });

  it('is the only thing called verified', () => {
    const marks = (status: QuoteCheck['status']) =>
      rowsOf(
        evidenceReport(
          turnOf({
            response,
            quotes: [quote(status)],
            evidence: [passage({ markers: [44], score: 1 })],
          }),
          NONE,
        ),
      )
        .filter(([, mark]) => mark === 'verified')
        .map(([section]) => section);
    expect(marks('exact')).toEqual(['Quotations']);
    for (const status of ['close', 'not-found', 'not-kept'] as const)
      expect(marks(status)).toEqual([]);
  });

  it('stands with the passage that holds it, and not with others', () => {
    const turn = turnOf({
      response,
      quotes: [quote('exact')],
      evidence: [
        passage({ markers: [44], score: 1, quote: 'Green tea takes two minutes, no more.' }),
        passage({ markers: [44], score: 0.7, quote: 'Another passage.' }),
      ],
    });
    const row = rowIn(evidenceReport(turn, NONE), 'Quotations');
    expect(drawn(row)).toContain('holds the quotation\n\nGreen tea takes two minutes, no more.');
    expect(row.passages).toHaveLength(1);
    const claim = rowIn(evidenceReport(turn, NONE), 'Claims');
    expect(claim.passages).toHaveLength(2);
  });

  const STORM = 'Storm means wind of force 8 or more.';
  const storm = foundTurn('Read it. It says “Storm means wind of force 7 or more” [1].', [
    shownCall(`Fire is covered.\n\n${STORM}\n\nHail is covered.`),
  ]);

  it('that is close shows where it stands', () => {
    expect(storm.quotes?.map(({ status }) => status)).toEqual(['close']);
    const report = evidenceReport({ ...storm, evidence: [] }, NONE);
    for (const section of ['Quotations', 'Claims']) {
      const row = rowIn(report, section);
      expect(row.mark).toBe('close');
      expect(drawn(row)).toContain(`page-1.example · ¶2 · close to the quotation\n\n${STORM}`);
      expect(row.passages.map(({ label, text }) => [label, text])).toEqual([
        ['[1] Page 1, ¶2', `${STORM}\n— Page 1, ¶2`],
      ]);
      expect(row.passages[0]?.address).toContain('https://page-1.example/#:~:text=');
    }
  });

  it('that is close shows the passage that was kept, where the text is not in the records', () => {
    const [own] = storm.quotes ?? [];
    const kept = [
      passage({ markers: [own?.marker ?? 0], quote: 'Fire is covered.' }),
      passage({ markers: [own?.marker ?? 0], quote: STORM }),
    ];
    const turn = { ...storm, toolCalls: [makeToolCall()], evidence: kept };
    const row = rowIn(evidenceReport(turn, NONE), 'Quotations');
    expect(drawn(row)).toContain(`close to the quotation\n\n${STORM}`);
    expect(row.passages).toHaveLength(1);
  });

  it('that is close says nothing of a passage where its text is nowhere', () => {
    const turn = { ...storm, toolCalls: [makeToolCall()], evidence: [] };
    const text = drawn(rowIn(evidenceReport(turn, NONE), 'Quotations'));
    expect(text).toContain('with other words in it.');
    expect(text.endsWith('[1] Page 1')).toBe(true);
  });

  const alone: [string, QuoteCheck['status'], SourceStatus, string][] = [
    [
      'is not found in a page that was read',
      'not-found',
      'read',
      'No passage is clearly close to it.',
    ],
    [
      'is not found in the lines of a hit',
      'not-found',
      'hit',
      'Only a search hit; the page was not read.',
    ],
    ['cannot be compared', 'not-kept', 'read', ''],
    [
      'cannot be compared with a page that was blocked',
      'not-kept',
      'blocked',
      'Not read: the page was blocked.',
    ],
  ];
  it.each(alone)('that %s says why there is no passage', (_name, status, read, said) => {
    const turn = turnOf({
      response,
      quotes: [quote(status)],
      evidence: [],
      toolCalls: [
        makeToolCall({
          sources: [makeSource({ status: read })],
          statuses: [{ index: 1, status: read }],
        }),
      ],
    });
    const end = said === '' ? '[1] Page 1' : `[1] Page 1\n\n${said}`;
    expect(drawn(rowIn(evidenceReport(turn, NONE), 'Quotations')).endsWith(end)).toBe(true);
  });

  it('gives a passage its name only in rows of its own', () => {
    const turn = foundTurn(
      'Tea of the first flush takes two minutes in hot water [1]. It says “first flush tea takes two minutes in hot water” [1].',
      [
        shownCall(
          'Tea notes.\n\nFirst flush tea takes two minutes in hot water.\n\nBlack tea is old.',
        ),
      ],
    );
    expect(turn.evidence?.map(({ markers }) => markers.length)).toEqual([2]);
    const report = evidenceReport(turn, NONE);
    expect(drawn(rowIn(report, 'Claims', 0))).toContain('¶2 · closest passage');
    expect(drawn(rowIn(report, 'Claims', 1))).toContain('¶2 · holds the quotation');
    expect(drawn(rowIn(report, 'Claims', 0))).toContain('not proof');
    expect(drawn(rowIn(report, 'Claims', 1))).not.toContain('not proof');
    expect(drawn(rowIn(report, 'Quotations'))).toContain('¶2 · holds the quotation');
  });

  const failed: [QuoteCheck['status'], EvidenceRow['mark'], string][] = [
    ['exact', 'passage', 'Closest passage'],
    ['close', 'close', 'Its quotation is close, not word for word'],
    ['not-found', 'not-found', 'Its quotation was not found in what was read'],
    ['not-kept', 'passage', 'Closest passage'],
  ];
  it.each(failed)('that is %s makes its claim %s', (status, mark, words) => {
    const turn = turnOf({
      response,
      quotes: [quote(status)],
      evidence: [passage({ markers: [44] })],
    });
    expect(rowIn(evidenceReport(turn, NONE), 'Claims')).toMatchObject({ mark, words });
  });

  it('comes from findEvidence as it is shown', () => {
    const text =
      'Tea notes.\n\nGreen tea takes two minutes in hot water.\n\nBlack tea takes longer.';
    const result = `[1] Page 1\n\n${text}`;
    const at = result.indexOf('Green');
    const length = 'Green tea takes two minutes in hot water.'.length;
    const base = turnOf({
      response,
      toolCalls: [
        makeToolCall({
          result,
          shown: [{ index: 1, at, length, start: 12, block: 'b2', number: 2 }],
        }),
      ],
    });
    const report = evidenceReport({ ...base, ...findEvidence(base, []) }, NONE);
    expect(rowsOf(report).map(([section, mark]) => [section, mark])).toEqual([
      ['Quotations', 'verified'],
      ['Claims', 'passage'],
    ]);
    expect(drawn(rowIn(report, 'Quotations'))).toContain(
      'page-1.example · ¶2 · holds the quotation\n\nGreen tea takes two minutes in hot water.',
    );
  });
});

describe('the summary', () => {
  it.each<[string, string]>([
    ['Two minutes [1].', '1 cited · 1 read'],
    ['Two minutes [1].\n\nIt has 48.', '1 cited · 1 read · 1 sentence without a source'],
    [
      'Two minutes [1].\n\nIt has 48 towns. It has 9 lakes.',
      '1 cited · 1 read · 2 sentences without a source',
    ],
    ['Two minutes [1]. It burned [7]. Twice [7].', '1 cited · 1 read · 1 number without a source'],
    [
      'Two minutes [1]. It burned [7][8].\n\nIt has 48.',
      '1 cited · 1 read · 2 numbers without a source · 1 sentence without a source',
    ],
    ['It burned [7].', '0 cited · 0 read · 1 number without a source'],
    ['It has 48.', '1 sentence without a source'],
    ['It is old.', ''],
  ])('of %j is %j', (response, summary) => {
    expect(evidenceReport(turnOf({ response }), NONE).summary).toBe(summary);
  });

  it('has the line of the answer, which counts numbers without a source where they are known', () => {
    expect(evidenceLine(turnOf(), [{ index: 1 }], 2)).toBe(
      '1 cited · 1 read · 2 numbers without a source',
    );
    expect(evidenceLine(turnOf(), [])).toBe('');
  });
});

describe('what has no source', () => {
  it('stands in a section of its own', () => {
    const report = evidenceReport(
      turnOf({ response: 'Two minutes [1].\n\nIn 1848 Robert Fortune went to China.' }),
      NONE,
    );
    expect(rowsOf(report)).toEqual([
      ['Claims', 'passage', 'Two minutes.'],
      ['Without a Source', 'no-source', 'In 1848 Robert Fortune went to China.'],
    ]);
    const row = rowIn(report, 'Without a Source');
    expect(row).toMatchObject({ markers: '', words: 'No source beside it', passages: [] });
    expect(drawn(row)).toContain('has a figure, a name or a quotation in it, and no source');
  });

  it('is said first where the answer cites none', () => {
    const turn = turnOf({ response: 'In 1848 Robert Fortune went to China.', evidence: [] });
    const text = drawn(rowIn(evidenceReport(turn, NONE), 'Without a Source'));
    expect(text.startsWith('This answer cites no source.')).toBe(true);
    expect(text).not.toContain('next to it');
  });

  it('has a row for each number that belongs to no source', () => {
    const turn = turnOf({
      response: 'Two minutes [1]. The roof is old [7]. The gutter is new [7][9].',
    });
    const report = evidenceReport(turn, NONE);
    const rows = report.sections.find(({ title }) => title === 'Numbers Without a Source')?.rows;
    expect(rows?.map(({ mark, title, markers }) => [mark, title, markers])).toEqual([
      ['no-number', '[7] belongs to no source of this answer.', '[7]'],
      ['no-number', '[9] belongs to no source of this answer.', '[9]'],
    ]);
    const text = drawn(rowIn(report, 'Numbers Without a Source'));
    expect(text).toContain('The roof is old [7].');
    expect(text).not.toContain('Two minutes');
    expect(drawn(rowIn(report, 'Numbers Without a Source', 1))).toContain('new [7][9].');
  });

  it('stands between quotations and claims where it is graver than they are', () => {
    const statuses = [{ index: 1, status: 'hit' as const }];
    const turn = turnOf({
      response:
        'It says “two minutes in all, and no more” [1]. The roof is old [7].\n\nIn 1848 Robert Fortune went to China.',
      evidence: [],
      quotes: [{ start: 9, end: 39, marker: 41, index: 1, status: 'not-found' }],
      toolCalls: [makeToolCall({ sources: [makeSource({ status: 'hit' })], statuses })],
    });
    expect(evidenceReport(turn, NONE).sections.map(({ title }) => title)).toEqual([
      'Quotations',
      'Numbers Without a Source',
      'Cited but Not Read',
      'Claims',
      'Without a Source',
    ]);
  });

  it('lists a source that was not read once, with the sentences that cite it', () => {
    const turn = turnOf({
      response: Array.from({ length: 7 }, (_, n) => `Sentence ${n} says so [1].`).join(' '),
      evidence: [],
      toolCalls: [
        makeToolCall({
          sources: [makeSource({ status: 'hit' })],
          statuses: [{ index: 1, status: 'hit' }],
        }),
      ],
    });
    const report = evidenceReport(turn, NONE);
    const row = rowIn(report, 'Cited but Not Read');
    expect(report.sections[0]?.rows).toHaveLength(1);
    expect(drawn(row)).toContain('Sentence 4 says so [1].');
    expect(drawn(row)).not.toContain('Sentence 5');
    expect(drawn(row)).toContain('and 2 more');
  });
});

describe('documents that have changed since', () => {
  const path = '/home/ada/wuyi.md';
  const turn = turnOf({
    toolCalls: [
      makeToolCall({ sources: [makeSource({ title: 'Wuyi', url: path, kind: 'document' })] }),
    ],
    evidence: [passage({ title: 'Wuyi', url: path, id: path, kind: 'document' })],
  });
  const states: [FileState, string | undefined, string][] = [
    ['same', undefined, '1 cited · 1 read'],
    ['unknown', undefined, '1 cited · 1 read'],
    [
      'changed',
      'The file has changed since; this is what it said.',
      '1 cited · 1 read · 1 file changed since the answer',
    ],
    ['gone', 'The file is gone; this is what it said.', '1 cited · 1 read · 1 file gone'],
  ];
  it.each(states)('%s', (state, note, summary) => {
    const report = evidenceReport(turn, new Map([[path, state]]));
    const text = drawn(rowIn(report, 'Claims'));
    expect(text).toContain(
      'wuyi.md · ¶12 · closest passage\n\nGreen tea is steeped for two minutes.',
    );
    expect(text.includes('The file ')).toBe(note !== undefined);
    if (note !== undefined) expect(text).toContain(note);
    expect(report.summary).toBe(summary);
  });
});

describe('a file that is gone', () => {
  const path = '/home/ada/wuyi.md';
  const toolCalls = [makeToolCall({ sources: [makeSource({ url: path, kind: 'document' })] })];
  it.each<[string, Evidence[]]>([
    ['a passage', [passage({ url: path, id: path, kind: 'document' })]],
    ['no passage', []],
  ])('leads nowhere, with %s', (_name, evidence) => {
    const turn = turnOf({ toolCalls, evidence });
    const open = rowIn(evidenceReport(turn, new Map([[path, 'same']])), 'Claims');
    expect(open.passages.map(({ address }) => address)).toEqual([path]);
    expect(drawPane(open.detail()).links.map(({ href }) => href)).toEqual([path, path]);
    const gone = rowIn(evidenceReport(turn, new Map([[path, 'gone']])), 'Claims');
    expect(gone.passages.map(({ address }) => address)).toEqual([undefined]);
    expect(drawPane(gone.detail()).links).toEqual([]);
    expect(drawn(gone)).toContain('The file is gone');
  });
});

describe('the words of a passage', () => {
  const words: [string, string, string, string][] = [
    [
      'bold, italic and struck words',
      'a.md',
      '**Off** and *Arotherm* or _old_ ~~new~~.',
      'Off and Arotherm or old new.',
    ],
    [
      'signs that set nothing off',
      'a.md',
      '2 * 3 * 4 and a_b_c and 5 ** 6.',
      '2 * 3 * 4 and a_b_c and 5 ** 6.',
    ],
    [
      'links and pictures',
      'a.md',
      'See [the page](https://a.example/x) ![alt](https://a.example/y.png).',
      'See the page alt.',
    ],
    [
      'a table',
      'a.md',
      '| Year | Cost |\n|------|-----:|\n| 2023 | **€372** |\n',
      'Year · Cost\n2023 · €372',
    ],
    ['a heading', 'a.docx', '## Costs ##\nThe grant was paid.', 'Costs\nThe grant was paid.'],
    ['code in words', 'a.md', 'Call `steep(**kwargs)` twice.', 'Call steep(**kwargs) twice.'],
    ['a block of code', 'a.md', '```yaml\ncurve: 0.6\n| a |\n```', 'curve: 0.6\n| a |'],
    ['formulas', 'a.md', 'It is $E = 4{,}860$ kWh.', 'It is E = 4,860 kWh.'],
    [
      'a program',
      'meter.py',
      'def a(**kw):\n# **all** of [it](b)\nreturn __name__',
      'def a(**kw):\n# **all** of [it](b)\nreturn __name__',
    ],
    ['plain text', 'a.txt', '**Note** that\nit runs on.', '**Note** that it runs on.'],
    ['escaped signs', 'a.md', 'Five \\* stars \\*.', 'Five * stars *.'],
  ];
  it.each(words)('reads as it is meant: %s', (_name, file, quote, read) => {
    const url = `/home/ada/${file}`;
    const evidence = [passage({ url, id: url, kind: 'document', quote })];
    const row = rowIn(evidenceReport(turnOf({ evidence }), NONE), 'Claims');
    expect(drawn(row)).toContain(`closest passage\n\n${read}\n\nClosest`);
    expect(drawPane(row.detail())).toMatchObject({ dropped: [], fetches: [], crashes: [] });
    expect(row.passages[0]?.text).toBe(`${quote}\n— Page 1, ¶12`);
  });

  it('are those of a PDF file as they are', () => {
    const evidence = [passage({ kind: 'document', url: '/a/b.pdf', page: 2, quote: '**a** | b' })];
    const row = rowIn(evidenceReport(turnOf({ evidence }), NONE), 'Claims');
    expect(drawn(row)).toContain('b.pdf · p. 2 · closest passage\n\n**a** | b');
  });

  it('say of a row of a table what its title says', () => {
    const response = '| Year | Cost |\n|---|---|\n| 2023 | €372 [1] |\n| 2024 | €1,409 [1] |';
    const row = rowIn(evidenceReport(turnOf({ response, evidence: [] }), NONE), 'Claims', 1);
    expect(row.title).toBe('2024 · €1,409');
    expect(drawn(row).startsWith('2024 · €1,409 [1]\n')).toBe(true);
  });
});

describe('where a passage stands in a file', () => {
  const url = '/home/ada/pump.md';
  const text = '# Heat pump\n\nIt is new.\n\n## What it **costs**\n\nFirst words.\n\nLast words.';
  const placeOf = (number: number, over: Partial<Evidence> = {}, own = text) => {
    const call = shownCall(own, { url, kind: 'document', title: 'Heat pump' });
    const shown = (call.shown ?? []).filter((row) => over.blocks === undefined || row.number !== 4);
    const evidence = [
      passage({ url, id: url, kind: 'document', title: 'Heat pump', number, ...over }),
    ];
    const turn = turnOf({ toolCalls: [{ ...call, shown }], evidence });
    return drawn(rowIn(evidenceReport(turn, NONE), 'Claims')).split('\n\n')[2];
  };
  it('is told by the heading above it', () => {
    expect(placeOf(5)).toBe('pump.md · What it costs · ¶5 · closest passage');
  });
  it('is told by its number where the heading is the title, or is not above it', () => {
    expect(placeOf(2)).toBe('pump.md · ¶2 · closest passage');
    expect(placeOf(1)).toBe('pump.md · ¶1 · closest passage');
    expect(placeOf(3, { quote: '## What it **costs**' })).toBe('pump.md · ¶3 · closest passage');
  });
  it('is told by its number where a block in between was not shown', () => {
    expect(placeOf(5, { blocks: [] })).toBe('pump.md · ¶5 · closest passage');
  });
  it('is told by its page where there are pages', () => {
    expect(placeOf(5, { page: 2 })).toBe('pump.md · p. 2 · closest passage');
  });
});

describe('what can be taken along', () => {
  it.each<[string, Partial<Turn>, string[]]>([
    ['an answer with evidence', {}, ['evidence', 'bibtex', 'csl']],
    ['an old answer', { evidence: undefined }, ['bibtex', 'csl']],
    ['an answer that cites nothing', { response: 'Hello.', evidence: [] }, []],
    ['a number that leads nowhere', { response: 'The roof is old [7].', evidence: [] }, []],
  ])('is only what is there: %s', (_name, over, copies) => {
    expect(evidenceReport(turnOf(over), NONE).copies).toEqual(copies);
  });

  it('is found by source, file, number and state', () => {
    const url = '/home/ada/kiln notes.md';
    const turn = turnOf({
      toolCalls: [
        makeToolCall({ sources: [makeSource({ url, title: 'Kilns', kind: 'document' })] }),
      ],
    });
    expect(rowIn(evidenceReport(turn, NONE), 'Claims').keywords).toEqual([
      'Closest passage',
      '[1]',
      'Kilns',
      'kiln notes.md',
    ]);
  });
});

describe('nothing to see', () => {
  it.each<[string, Partial<Turn>, string, RegExp]>([
    ['an old answer', { evidence: undefined }, 'No evidence was kept', /before Lam kept evidence/],
    [
      'an answer that was cut off',
      { evidence: undefined, state: 'interrupted' },
      'No evidence was kept',
      /Continue or regenerate it/,
    ],
    ['no marker', { response: 'Hello.', evidence: [] }, 'This answer cites nothing', /no passage/],
    [
      'an old answer without markers',
      { response: 'Hello.', evidence: undefined },
      'This answer cites nothing',
      /no passage/,
    ],
    [
      'no answer',
      { response: '', evidence: undefined, toolCalls: [] },
      'This answer cites nothing',
      /no passage/,
    ],
  ])('says so: %s', (_name, over, title, description) => {
    const { sections, nothing } = evidenceReport(turnOf(over), NONE);
    expect(sections).toEqual([]);
    expect(nothing?.title).toBe(title);
    expect(nothing?.description).toMatch(description);
  });
});

describe('bad input', () => {
  it('draws at most a thousand rows, and counts the others', () => {
    const response = Array.from({ length: 1_300 }, (_, n) =>
      n < 300 ? `Number ${n} is so [1].` : `The year ${n + 1000} was warm.`,
    ).join('\n\n');
    const quotes = Array.from({ length: 400 }, (): QuoteCheck => ({
      start: 0,
      end: 6,
      marker: 15,
      index: 1,
      status: 'close',
    }));
    const { sections } = evidenceReport(turnOf({ response, evidence: [], quotes }), NONE);
    expect(sections.map(({ title, rows }) => [title, rows.length])).toEqual([
      ['Quotations (and 150 more)', 250],
      ['Claims (and 50 more)', 250],
      ['Without a Source (and 750 more)', 250],
    ]);
    const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(750);
  });

  it('shows at most eight passages of a number in a row, and looks at sixty-four markers of each', () => {
    const many = Array.from({ length: 64 }, (_, n) => n + 1_000);
    const response = 'Two minutes [1].';
    const marked = (markers: number[]) => Array.from({ length: 20 }, () => passage({ markers }));
    const shown = (markers: number[]) =>
      rowIn(evidenceReport(turnOf({ response, evidence: marked(markers) }), NONE), 'Claims')
        .passages;
    expect(shown([12, ...many])).toHaveLength(8);
    expect(shown([...many, 12]).map(({ text }) => text)).toEqual(['']);
  });

  it('holds offsets that lead nowhere', () => {
    const quotes: QuoteCheck[] = [
      { start: 900, end: 950, marker: 5, index: 1, status: 'exact' },
      { start: 10, end: 2, marker: 5, index: 77, status: 'close' },
    ];
    const evidence = [
      passage({ index: 9, markers: [] }),
      passage({ markers: [99_999] }),
      passage({ score: Number.NaN }),
    ];
    const report = evidenceReport(turnOf({ quotes, evidence }), NONE);
    expect(report.sections.map(({ title }) => title)).toEqual(['Quotations', 'Claims']);
  });

  it('keeps the lines of lists and tables apart, and lets those of a paragraph run on', () => {
    const quote = 'Steeping:\n- green, two\nminutes\n\n| a | b |\n| 1 | 2 |\nA line that\nruns on.';
    const row = rowIn(evidenceReport(turnOf({ evidence: [passage({ quote })] }), NONE), 'Claims');
    expect(drawPane(row.detail()).dropped).toEqual([]);
    expect(drawn(row)).toContain(
      'Steeping:\n- green, two\nminutes\n\na · b\n1 · 2\nA line that runs on.',
    );
  });

  it('lets nothing of a source act, and draws every word of it', () => {
    fc.assert(
      fc.property(hostileMarkdown, hostileMarkdown, fc.boolean(), (quote, title, isFile) => {
        const url = isFile
          ? '/home/ada/a)b `*x*` [y](z).md'
          : 'https://page-1.example/a)b"c|d`e&lt;';
        const over = { title, url, kind: isFile ? ('document' as const) : ('web' as const) };
        const turn = turnOf({
          toolCalls: [makeToolCall({ sources: [makeSource(over)] })],
          evidence: [passage({ ...over, quote: `${quote} Endword` })],
          quotes: [{ start: 0, end: 11, marker: 12, index: 1, status: 'exact' }],
        });
        const report = evidenceReport(turn, new Map([[url, 'changed']]));
        for (const { rows } of report.sections) {
          for (const row of rows) {
            const drawing = drawPane(row.detail());
            expect(drawing).toMatchObject({ fetches: [], crashes: [], dropped: [] });
            if (quote.length < 500 && row.passages.length > 0)
              expect(drawing.text).toContain('Endword');
            for (const label of [
              row.title,
              row.words,
              ...row.keywords,
              ...row.passages.map((each) => each.label),
            ])
              expect(drawPlainText(label).fetches).toEqual([]);
            expect(row.title).not.toMatch(/[<\n]/u);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('lets nothing of an answer act', () => {
    fc.assert(
      fc.property(hostileMarkdown, (response) => {
        const base = turnOf({
          response: `${response}\n\nOld [7]. Is “${response.replace(/\s+/gu, ' ').slice(0, 300)}” so [1].`,
          toolCalls: [
            shownCall(response),
            makeToolCall({ sources: [makeSource(), makeSource({ index: 2 })] }),
          ],
        });
        const report = evidenceReport({ ...base, ...findEvidence(base, []) }, NONE);
        for (const { rows } of report.sections)
          for (const row of rows)
            expect(drawPane(row.detail())).toMatchObject({ fetches: [], crashes: [] });
      }),
      { numRuns: 60 },
    );
  });
});
