import { describe, expect, it } from 'vitest';

import { auditOf, findEvidence } from '../lib/evidence';
import { isClaim, readAnswer } from '../lib/evidence/claims';
import type { Source } from '../lib/types';

import { makeSource, makeToolCall } from './support/builders';
import { readCall } from './support/shown-calls';

const sources = [1, 2, 3].map((index) => makeSource({ index }));

const audit = (response: string, known: Source[] = sources) =>
  auditOf({ response, toolCalls: [makeToolCall({ sources: known, statuses: [] })] });

/** The claims of an answer, each with the numbers of its markers. */
const claims = (response: string): string[] =>
  audit(response).claims.map(
    ({ start, end, markers }) =>
      `${markers.flatMap(({ numbers }) => numbers).join(',')}: ${response.slice(start, end)}`,
  );

const unmarked = (response: string): string[] =>
  audit(response).unmarked.map(({ start, end }) => response.slice(start, end));

describe('the claim of a marker', () => {
  it.each<[string, string, string[]]>([
    [
      'before the full stop',
      'Tea is green [1]. Salt is white [2].',
      ['1: Tea is green [1].', '2: Salt is white [2].'],
    ],
    [
      'behind the full stop',
      'Tea is green.[1] Salt is white. [2] Wool is soft.',
      ['1: Tea is green.[1]', '2: Salt is white. [2]'],
    ],
    [
      'inside a sentence',
      'Tea [1] is green, salt [2] is white.',
      ['1,2: Tea [1] is green, salt [2] is white.'],
    ],
    ['at the beginning', '[1] says that tea is green. More.', ['1: [1] says that tea is green.']],
    [
      'at the beginning of a later sentence',
      'Tea is green. [2] says that salt is white.',
      ['2: [2] says that salt is white.'],
    ],
    ['side by side', 'Tea is green [1][2]. More.', ['1,2: Tea is green [1][2].']],
    ['as a group', 'Tea is green [1, 3].', ['1,3: Tea is green [1, 3].']],
    ['of the full-width form', '茶是绿色的【1】。盐是白色的。', ['1: 茶是绿色的【1】。']],
    ['in a paragraph of its own', 'Tea is green.\n\n[1]', ['1: Tea is green.']],
    ['behind a question', 'Is tea green? [1] Salt is white.', ['1: Is tea green? [1]']],
    [
      'behind an abbreviation',
      'Manche Tees, z. B. Sencha, nennt Dr. Marant grün [1]. Salz ist weiß.',
      ['1: Manche Tees, z. B. Sencha, nennt Dr. Marant grün [1].'],
    ],
    [
      'behind a decimal',
      'It weighs 3.5 kg or 3,500.5 g [1]. More.',
      ['1: It weighs 3.5 kg or 3,500.5 g [1].'],
    ],
    [
      'before a figure',
      'Tea is old [1]. 48 towns have it. In Salzburg. 9 more do [2].',
      ['1: Tea is old [1].', '2: 9 more do [2].'],
    ],
    [
      'before a figure, behind a month',
      'It came on Sept. 5 by boat [1].',
      ['1: It came on Sept. 5 by boat [1].'],
    ],
    ['behind a day', 'Sie kam am 3. Mai an [1]. Es regnete.', ['1: Sie kam am 3. Mai an [1].']],
    [
      'behind initials',
      'It was J. R. Marant who came [1]. It rained.',
      ['1: It was J. R. Marant who came [1].'],
    ],
    [
      'behind “e.g.” and “i.e.”',
      'Some teas, e.g. Sencha, i.e. steamed ones, are green [1].',
      ['1: Some teas, e.g. Sencha, i.e. steamed ones, are green [1].'],
    ],
    [
      'behind an address and code',
      'See https://a.example/b.c and `tea. Salt. Wool` there [1]. More.',
      ['1: See https://a.example/b.c and `tea. Salt. Wool` there [1].'],
    ],
    [
      'behind a link',
      'The [page. Or so](https://a.example/x.y) says tea is green [1].',
      ['1: The [page. Or so](https://a.example/x.y) says tea is green [1].'],
    ],
    ['in strong text', '**Tea is green [1].** Salt is white.', ['1: **Tea is green [1].**']],
    ['over a line break', 'Tea is\ngreen [1]. Salt.', ['1: Tea is\ngreen [1].']],
    ['in a heading', '# Tea [1]\n\nSalt.', []],
    ['in an item', '- Tea is green. It grows [1]\n- Salt', ['1: Tea is green. It grows [1]']],
    ['inside an item', '- Tea is green [1]. It grows.\n- Salt', ['1: Tea is green [1].']],
    [
      'at the end of a row',
      '| a | b |\n|---|---|\n| Tea | green [1] |\n| Salt | white |',
      ['1: | Tea | green [1] |'],
    ],
    [
      'in cells',
      '| a | b | c |\n|---|---|---|\n| Tea | green [1] | old [2] |',
      ['1: green [1]', '2: old [2]'],
    ],
    [
      'in one cell',
      '| a | b | c |\n|---|---|---|\n| Tea [1] | green | old |\n| Salt | white [2][3] | new |',
      ['1: | Tea [1] | green | old |', '2,3: | Salt | white [2][3] | new |'],
    ],
    [
      'in a cell of its own',
      '| Limit | Value | Source |\n|---|---|---|\n| Limit | 60 kWh | [1] |\n| Price | 3 € | [2][3] |',
      ['1: | Limit | 60 kWh | [1] |', '2,3: | Price | 3 € | [2][3] |'],
    ],
    [
      'in a cell of its own in front',
      '| Source | Limit |\n|---|---|\n| [1] | 60 kWh |',
      ['1: | [1] | 60 kWh |'],
    ],
    [
      'in a cell of its own beside another marker',
      '| a | b | Source |\n|---|---|---|\n| Tea | green [1] | [2] |',
      ['1,2: | Tea | green [1] | [2] |'],
    ],
    [
      'at the end of lines',
      '**Founded:** 1891 [1]\n**Fire:** 1944 [2]\n**Rebuilt:** 1951',
      ['1: **Founded:** 1891 [1]', '2: **Fire:** 1944 [2]'],
    ],
    [
      'at the end of lines with hard breaks',
      'Founded: 1891 [1]  \nFire: 1944 [2]\\\nRebuilt: 1951 [3]',
      ['1: Founded: 1891 [1]', '2: Fire: 1944 [2]\\', '3: Rebuilt: 1951 [3]'],
    ],
    [
      'at the end of lines of an item',
      '- Founded: 1891 [1]\n  fire: 1944 [2]',
      ['1: Founded: 1891 [1]', '2: fire: 1944 [2]'],
    ],
    [
      'at the end of a line in Chinese',
      '建于1891年[1]\n毁于1944年[2]',
      ['1: 建于1891年[1]', '2: 毁于1944年[2]'],
    ],
    [
      'at the end of a wrapped line',
      'Tea is green [1]\nand salt is white. Wool.',
      ['1: Tea is green [1]\nand salt is white.'],
    ],
    ['in a quote', '> Tea is\n> green [1]. Salt.', ['1: Tea is\n> green [1].']],
    [
      'of a link to its source',
      'Tea is green [1](https://page-1.example/). More.',
      ['1: Tea is green [1](https://page-1.example/).'],
    ],
    [
      'in Russian',
      'Чай появился в 1781 г. на острове [1]. Соль белая.',
      ['1: Чай появился в 1781 г. на острове [1].'],
    ],
    ['in Japanese', '茶は緑です[1]。塩は白いです。', ['1: 茶は緑です[1]。']],
    ['in Arabic', 'هل الشاي أخضر؟ [1] الملح أبيض.', ['1: هل الشاي أخضر؟ [1]']],
    ['in Hindi', 'चाय हरी है [1]। नमक सफ़ेद है।', ['1: चाय हरी है [1]।']],
    [
      'in Thai, which has no full stops',
      'ชามีสีเขียว [1] เกลือมีสีขาว [2][3] ขนแกะนุ่ม',
      ['1: ชามีสีเขียว [1]', '2,3: เกลือมีสีขาว [2][3]'],
    ],
    ['in code', '```\nTea [1]\n```', []],
    ['of no source', 'Tea is green [9].', []],
  ])('%s', (_name, response, wanted) => {
    expect(claims(response)).toEqual(wanted);
  });
});

const TABLE = '| a | b |\n|---|---|\n| Tea | 48 |\n| Salt | 9 |';
const LIST = '- Tea has 48\n- Salt has 9\n  - Wool has 3';
const CODE = '```js\nsteep(48);\n```';

describe('markers on a line of their own', () => {
  const cases: [string, string, string[]][] = [
    ['below a table', `${TABLE}\n\n[1]`, [`1: ${TABLE}`]],
    ['right below a table', `${TABLE}\n[1]`, [`1: ${TABLE}`]],
    ['below a list', `${LIST}\n\n[1][2]`, [`1,2: ${LIST}`]],
    ['right below a list', `${LIST}\n[1]`, [`1: ${LIST}`]],
    ['below a numbered list', '1. Tea\n2. Salt\n\n[1], [2]', ['1,2: 1. Tea\n2. Salt']],
    ['below a quote', '> Tea. Salt.\n>\n> Wool.\n\n[1]', ['1: > Tea. Salt.\n>\n> Wool.']],
    ['below code', `So:\n\n${CODE}\n\n[1]`, [`1: ${CODE}`]],
    ['right below code', `${CODE}\n[1]\n\n[2]`, [`1,2: ${CODE}`]],
    ['below a paragraph', 'Tea is green. Salt is white.\n\n[1]', ['1: Salt is white.']],
    ['below a rule', `${TABLE}\n\n---\n\n[1]`, [`1: ${TABLE}`]],
    ['one after the other', `${TABLE}\n\n[1]\n\n[2]`, [`1,2: ${TABLE}`]],
    ['inside an item', '- Tea is green.\n\n  [1]\n- Salt', ['1: Tea is green.']],
    ['in an item of their own', '- Tea\n- Salt\n- [1]', ['1: Salt']],
    ['before the text', '[1]\n\nTea is green. Salt is white.', ['1: Tea is green.']],
    ['before a table', `[1]\n\n${TABLE}`, [`1: ${TABLE}`]],
    ['below a heading', 'Wool.\n\n## Tea\n\n[1]\n\nTea is green.', ['1: Tea is green.']],
    ['between two headings', '## Tea\n\n[1]\n\n## Salt', []],
    ['alone', '[1]', []],
    ['behind a label, in English', `${TABLE}\n\nSource: [1]`, [`1: ${TABLE}`]],
    ['behind a label right below', `${TABLE}\nSources: [1], [2]`, [`1,2: ${TABLE}`]],
    ['behind a label in brackets', `${LIST}\n\n(Sources: [1], [2])`, [`1,2: ${LIST}`]],
    ['behind a label in italics', `${LIST}\n\n*Quelle: [1]*\n\nMore.`, [`1: ${LIST}`]],
    ['behind a label in Chinese', `${TABLE}\n\n来源：[1]`, [`1: ${TABLE}`]],
    ['behind a label in Arabic', `${LIST}\n\nالمصدر: [1]`, [`1: ${LIST}`]],
    ['behind a label below code', `${CODE}\n\nSource: [1]`, [`1: ${CODE}`]],
    ['behind a label below a list', '- Tea\n- Salt\nSource: [1]', ['1: - Tea\n- Salt']],
    ['behind a label, the only block', 'Tea is green.\n\nSource: [1]', ['1: Tea is green.']],
    ['behind a label, with more text', 'Tea.\n\nSalt.\n\nSource: [1]\n\nMore.', ['1: Salt.']],
    ['behind a label in brackets, at the end', 'Tea.\n\nSalt.\n\n(Source: [1])', ['1: Salt.']],
    ['behind a label before the text', 'Source: [1]\n\nTea is green.', ['1: Tea is green.']],
    ['of several paragraphs', 'Tea.\n\nSalt.\n\nSources: [1], [2]', []],
    ['of a paragraph with its own', 'Tea [1].\n\nSources: [1], [2]', ['1: Tea [1].']],
    [
      'below a list with its own',
      '- Tea [1]\n- Salt\n- Wool\n\n[2]',
      ['1: Tea [1]', '2: - Salt\n- Wool'],
    ],
    [
      'below a list all of its own',
      '- Tea [1]\n- Salt [2]\n\n[3]',
      ['1: Tea [1]', '2,3: Salt [2]'],
    ],
    [
      'below a table with its own',
      '| a | b |\n|---|---|\n| Tea | 48 [1] |\n| Salt | 9 |\n\n[2]',
      ['1: | Tea | 48 [1] |', '2: | Salt | 9 |'],
    ],
    ['in its own list of sources', 'Tea [1].\n\nSources:\n\n[1]\n\n[2]', ['1: Tea [1].']],
  ];
  it.each(cases)('%s', (_name, response, wanted) => {
    expect(claims(response)).toEqual(wanted);
  });

  it('are looked for where they are audited', () => {
    for (const [, response] of cases) {
      const spans = (isWhole: boolean) =>
        readAnswer(response, sources, { isWhole })
          .sentences.filter(isClaim)
          .map(({ start, end, markers }) => [start, end, markers]);
      expect(spans(false)).toEqual(spans(true));
    }
  });

  it.each(cases)('are cited in any case: %s', (_name, response) => {
    const numbers = [...response.matchAll(/\d(?=\])/gu)].map(([number]) => Number(number));
    expect(audit(response).cited).toEqual([...new Set(numbers)].sort());
  });

  it.each([TABLE, LIST, '> It has 48 towns.', 'It has 48 towns.'])(
    'leave nothing of it without a source: %s',
    (block) => {
      expect(unmarked(`${block}\n\n[1]`)).toEqual([]);
      expect(unmarked(block)).not.toEqual([]);
    },
  );

  it('stand for what is under a line with a colon above them', () => {
    expect(unmarked('It has parts:\n\n[1]\n\n- East (1891)\n- West (1920)')).toEqual([]);
  });

  it('find the passage of code and the quotation of a quote', () => {
    const said = 'steep(kettle, minutes, degrees) returns the brew.';
    const of = (response: string) => findEvidence({ response, toolCalls: [readCall(said)] }, []);
    expect(of(`\`\`\`js\n${said}\n\`\`\`\n\n[1]`).evidence).toHaveLength(1);
    const quote = 'steep(kettle, minutes, degrees) returns the brew';
    expect(of(`> “${quote}”\n\nSource: [1]`).quotes.map(({ status }) => status)).toEqual(['exact']);
  });

  it('stand for the beginning of a long block', () => {
    const items = Array.from({ length: 60 }, (_, n) => `- ${'word '.repeat(9)}${n}`);
    const [claim, ...more] = claims(`${items.join('\n')}\n\n[1]`);
    expect(more).toEqual([]);
    expect(claim).toBe(`1: ${items.slice(0, 40).join('\n')}`);
  });
});

describe('sentences without a marker', () => {
  it.each<[string, string, string[]]>([
    ['with a figure', 'It has 48 towns. It is old.', ['It has 48 towns.']],
    ['with a name', 'It was found by Marant. The sea is blue.', ['It was found by Marant.']],
    ['with a name in front only', 'Marant found it.', []],
    ['with an Arabic figure', 'وصل الشاي سنة ١٧٨١. الملح أبيض.', ['وصل الشاي سنة ١٧٨١.']],
    [
      'with a German noun',
      'Der alte Garten liegt an einer Mauer. Im Sommer blüht dort der Tee mit den Rosen.',
      [],
    ],
    [
      'with a German name',
      'Der alte Garten liegt an einer Mauer. Im Sommer kam dort die Gärtnerin Elsa Marant mit Rosen an.',
      ['Im Sommer kam dort die Gärtnerin Elsa Marant mit Rosen an.'],
    ],
    ['with a marker', 'It has 48 towns [1].', []],
    ['in a heading', '## 48 towns', []],
    ['in code', 'So: `x = 48` and\n\n```\n48\n```', []],
    ['in a row', '| a | b |\n|---|---|\n| Tea | 48 |', ['| Tea | 48 |']],
    ['in a row with a cell of markers', '| a | b |\n|---|---|\n| 48 | [1] |', []],
    ['before a marker in its paragraph', 'It has 48 towns. It met Ada Lorne. It is old [1].', []],
    [
      'before a marker in its item',
      '- It has 48 towns. It is old [1].\n- It has 9 lakes.',
      ['It has 9 lakes.'],
    ],
    [
      'in a list under a marker',
      'It has parts [1]:\n\n- East (1891)\n- West (1920)\n  - Annex (2004)\n\nIn 1944 it burned.',
      ['In 1944 it burned.'],
    ],
    ['in a list under a colon alone', 'It has parts:\n\n- East (1891)', ['East (1891)']],
    ['in a block quote under a marker', 'It says [1]:\n\n> It has 48 towns.\n>\n> It has 9.', []],
    ['in a block quote right under a marker', 'It says: [1]\n> It has 48 towns.', []],
    ['in a block quote of an item', '- It says [1]:\n\n  > It has 48 towns.\n- Salt', []],
    ['in a quoted list', 'It says [1]:\n\n> - It has 48 towns.\n>   - It has 9.', []],
    ['in a nested quote', '> It says [1]:\n>\n> > It has 48 towns.', []],
    ['behind a nested quote', '> It says [1]:\n>\n> > Tea.\n>\n> It has 9.', ['It has 9.']],
    ['in code under a marker', 'It says [1]:\n\n```\n48 towns\n```', []],
    [
      'behind a block quote under a marker',
      'It says [1]:\n\n> It has 48 towns.\n\nIt has 9 lakes.',
      ['It has 9 lakes.'],
    ],
    ['in a block quote under a colon alone', 'It says:\n\n> It has 48.', ['It has 48.']],
    ['in a table under a marker', 'The years: [1]\n\n| a | b |\n|---|---|\n| Tea | 48 |', []],
    [
      'in a question',
      'Shall I look for the 48 towns? もっと1891年を調べますか？ هل تريد ٤٨ مدينة؟',
      [],
    ],
    ['that is a title', '**The 48 towns of Ada Lorne**\n\nTea.', []],
    ['in the head of a table', '| Tea | 2024 |\n|---|---|\n| a | b |', []],
    ['above a table', 'Towns by size in 2024\n\n| a | b |\n|---|---|\n| c | d |', []],
    ['below a table', '| a | b |\n|---|---|\n| c | d |\n\nTable 2: Towns of Ada Lorne.', []],
    ['right behind a marker, with a name', 'It is old [1]. It was found by Marant.', []],
    [
      'right behind a marker, with a figure',
      'It is old [1]. It has 48 towns.',
      ['It has 48 towns.'],
    ],
    [
      'beside a number of no source',
      'It burned down [7]. It has 48 towns [9].',
      ['It has 48 towns [9].'],
    ],
    ['beside a group with a source', 'It has 48 towns [1, 9].', []],
  ])('%s', (_name, response, wanted) => {
    expect(unmarked(response)).toEqual(wanted);
  });
});

describe('a sentence right behind a marked one', () => {
  const call = readCall('The museum was built in 1891 and holds 40,000 objects.');
  const of = (response: string, more: { question?: string } = {}): string[] =>
    auditOf({ response, toolCalls: [call], ...more }).unmarked.map(({ start, end }) =>
      response.slice(start, end),
    );

  it('is listed if it has a figure that its source was not shown to have', () => {
    expect(of('It was built in 1891 [1]. It holds 40 000 objects.')).toEqual([]);
    expect(of('It was built in 1891 [1]. It holds 50,000 objects.')).toEqual([
      'It holds 50,000 objects.',
    ]);
  });

  it('counts the figures of stored passages', () => {
    const response = 'It is old [1]. It has 48 towns.';
    const toolCalls = [makeToolCall({ sources, statuses: [] })];
    const [row] = findEvidence(
      { response: 'It was built in 1891 [1].', toolCalls: [call] },
      [],
    ).evidence;
    expect(row).toBeDefined();
    const evidence = row ? [{ ...row, quote: 'There are 48 towns.' }] : [];
    expect(auditOf({ response, toolCalls, evidence }).unmarked).toEqual([]);
  });

  it('is not listed if it repeats the question', () => {
    const question = 'Was the museum built in 1891 by Ada Lorne? Tell me.';
    const response = 'Was the museum built in 1891 by Ada Lorne. Yes, in 1891.';
    expect(of(response, { question })).toEqual(['Yes, in 1891.']);
  });
});

describe('a sentence before a marked one', () => {
  const call = readCall('The museum was built in 1891 and holds 40,000 objects.');
  const other = readCall('The mill has 12 wheels.', { index: 2, url: 'https://page-2.example/' });
  const of = (response: string, more: Partial<Parameters<typeof auditOf>[0]> = {}): string[] =>
    auditOf({ response, toolCalls: [call, other], ...more }).unmarked.map(({ start, end }) =>
      response.slice(start, end),
    );

  it.each<[string, string, string[]]>([
    ['with a figure of its source', 'It holds 40 000 objects. It was built in 1891 [1].', []],
    ['with another figure', 'In 1846 it burned. It is old [1].', ['In 1846 it burned.']],
    [
      'with one of two',
      'From 1846 to 1891 it grew. It is old [1].',
      ['From 1846 to 1891 it grew.'],
    ],
    ['with a name alone', 'It was found by Marant. It is old [1].', []],
    ['two before', 'In 1846 it burned. The sea is blue. Old [1].', ['In 1846 it burned.']],
    ['of several, with a figure of any', 'It has 12 wheels. It is old [1]. It turns [2].', []],
    [
      'of several, behind and before',
      'It is old [1]. In 1846 it burned. It turns [2].',
      ['In 1846 it burned.'],
    ],
    [
      'in a long item',
      `- In 1846 it burned. It is old [1]. ${'It is old. '.repeat(3)}`,
      ['In 1846 it burned.'],
    ],
    ['before a line of its own', 'In 1846 it burned. It is old.\n\n[1]', ['In 1846 it burned.']],
    ['in Chinese', '1846年失火。建于1891年【1】。', ['1846年失火。']],
    ['in Arabic', 'احترق سنة ١٨٤٦. بني سنة ١٨٩١ [1].', ['احترق سنة ١٨٤٦.']],
    ['as a question', 'Did it burn in 1846? It is old [1].', []],
  ])('%s', (_name, response, wanted) => {
    expect(of(response)).toEqual(wanted);
  });

  it('is not listed where the text of a source is not at hand', () => {
    const response = 'In 1846 it burned. It is old [1].';
    expect(of(response, { toolCalls: [makeToolCall({ sources, statuses: [] })] })).toEqual([]);
    expect(of(response, { toolCalls: [], carried: [makeSource({ status: 'read' })] })).toEqual([]);
  });

  it('counts the title of a source as shown', () => {
    const toolCalls = [readCall('The museum is old.', { title: 'The fire of 1846' })];
    expect(of('In 1846 it burned. It is old [1].', { toolCalls })).toEqual([]);
  });
});

describe('a quotation in a sentence without a marker', () => {
  const call = readCall('The walls of the garden were mended with dry stone.\n\nTea is green.', {
    title: 'How the garden of Verdel was made',
  });
  const said = '“the walls of the garden were mended”';
  const invented = '“the gardeners burned every wall there”';
  const of = (response: string, question = ''): string[] =>
    auditOf({ response, question, toolCalls: [call] }).unmarked.map(({ start, end }) =>
      response.slice(start, end),
    );

  it.each<[string, string, string[]]>([
    ['before a marker', `It says ${invented}. Tea is green [1].`, [`It says ${invented}.`]],
    ['before a marker, word for word', `It says ${said}. Tea is green [1].`, []],
    ['right behind a marker', `Tea is green [1]. It says ${invented}.`, [`It says ${invented}.`]],
    ['right behind a marker, word for word', `Tea is green [1]. It says ${said}.`, []],
    [
      'with another word',
      'It says “the walls of the garden were broken”. Tea [1].',
      ['It says “the walls of the garden were broken”.'],
    ],
    [
      'in a paragraph of its own',
      `Tea is green.\n\nIt says ${invented}.`,
      [`It says ${invented}.`],
    ],
    [
      'word for word in a source that is not cited there',
      `Tea [1].\n\nIt says ${said}.`,
      [`It says ${said}.`],
    ],
    ['alone', invented, [invented]],
    ['alone, in strong text', `**${invented}**`, [`**${invented}**`]],
    [
      'of two sentences',
      'It says “the tea is green. The salt is white.” Wool.',
      ['It says “the tea is green.'],
    ],
    [
      'that is a question',
      'It asks “who burned every wall of the garden?”',
      ['It asks “who burned every wall of the garden?”'],
    ],
    ['in a question', `Shall I look for ${invented}?`, []],
    ['of four words', 'It says “the gardeners burned walls”.', []],
    ['that is the title of a source', 'See “How the garden of Verdel was made” there.', []],
    ['in a heading', `## ${invented}`, []],
    ['in code', `So: \`x = ${invented}\`.`, []],
    ['in an item', `- ${invented}\n- ${said}`, [invented, said]],
    ['in an item under a marker', `It says [1]:\n\n- ${invented}\n- ${said}`, [invented]],
    ['in a row', `| a | b |\n|---|---|\n| Tea | ${invented} |`, [`| Tea | ${invented} |`]],
    [
      'in a cell beside two with markers',
      `| a | b | c |\n|---|---|---|\n| Tea [1] | ${invented} | green [1] |`,
      [invented],
    ],
    [
      'in such a cell, word for word',
      `| a | b | c |\n|---|---|---|\n| Tea [1] | ${said} | green [1] |`,
      [],
    ],
    ['in its own list of sources', `Tea [1].\n\nSources:\n\n[1] ${invented}`, []],
    ['beside a group with a source', `It says ${invented} [1, 9].`, []],
    [
      'in German',
      'Dort steht „die Mauern sind alle schon verbrannt“. Tea is green [1].',
      ['Dort steht „die Mauern sind alle schon verbrannt“.'],
    ],
    [
      'in Japanese',
      '「庭師たちは壁をすべて焼き払った」とある。茶は緑【1】。',
      ['「庭師たちは壁をすべて焼き払った」とある。'],
    ],
    ['with a marker, which is checked', `It says ${invented} [1].`, []],
    ['above a paragraph with a marker, which is checked', `${invented}\n\nTea is green [1].`, []],
  ])('%s', (_name, response, wanted) => {
    expect(of(response)).toEqual(wanted);
  });

  it('is not listed if it is the person’s own', () => {
    expect(of(`It says ${invented}.`, `Who said ${invented}?`)).toEqual([]);
  });
});

describe('the model’s own list of sources', () => {
  const titled = [
    makeSource({ index: 1, title: 'How tea came to Verdel' }),
    makeSource({ index: 2, title: 'The salt works of 1781' }),
  ];
  const body = 'Tea came in 1781 [1].';
  it.each([
    ['a heading', '### References\n1. [1] How tea came to Verdel\n2. [2] The salt works'],
    ['a label', 'Sources:\n[1] How tea came to Verdel – https://page-1.example/\n[2] Salt, 1781'],
    ['a bold label', '**Quellen:**\n\n- How tea came to Verdel, 2024 [1]\n- Salz 1781 [2]'],
    ['one line', '**Sources:** [1], [2]'],
    ['one line in another language', 'Viitatud teosed: [1], [2]'],
    [
      'addresses',
      '## Further reading\n- https://page-1.example/1781\n- [Salt of 1781](https://page-2.example/)',
    ],
    ['Chinese', '参考资料：\n1. 茶叶史1781 [1]\n2. 盐 [2]'],
    [
      'titles under a heading of other words',
      '## Viited\n- [1] How tea came to Verdel\n- The salt works of 1781 [2]',
    ],
  ])('under %s claims nothing', (_name, list) => {
    const response = `${body}\n\n${list}`;
    const { claims: found, unmarked: without, unknown } = audit(response, titled);
    expect(found.map(({ start, end }) => response.slice(start, end))).toEqual([body]);
    expect([without, unknown]).toEqual([[], []]);
  });

  it.each([
    ['a section of facts', '## Facts\n- Founded in 1781 [1]\n- Burned in 1944 [2]', 3],
    [
      'rows that begin with markers',
      '## Findings\n- [1] says that tea is green.\n- [2] says more.',
      3,
    ],
    ['a heading with such a word in it', '## Sources of energy\n- Wind gives 40 % [1]', 2],
    ['text behind such a heading', '## Sources\n\nThe oldest source [1] is a letter.', 2],
  ])('is not %s', (_name, section, count) => {
    expect(audit(`${body}\n\n${section}`, titled).claims).toHaveLength(count);
  });

  it('is cited', () => {
    expect(audit(`${body}\n\nSources: [1], [2]`, titled).cited).toEqual([1, 2]);
  });
});

describe('numbers that belong to no source', () => {
  it.each<[string, string, string[]]>([
    ['alone', 'It burned in 1944 [7].', ['[7] 7']],
    ['in a group', 'It burned [1, 7, 9] and [2][8].', ['[1, 7, 9] 7,9', '[8] 8']],
    ['in a range', 'It burned [2-4].', ['[2-4] 4']],
    ['full-width', '它烧毁了【7】。', ['【7】 7']],
    ['behind a word', 'It burned[7].', ['[7] 7']],
    ['in a cell', '| a | b |\n|---|---|\n| Tea | [7] |', ['[7] 7']],
    ['of five digits', 'It burned [12345].', []],
    ['a year', 'The second edition [1998] says so.', []],
    ['in code', '`rows[7]` and\n\n```\nx[8]\n```', []],
    ['an index', 'Read rows[7], max_rows[8], x[9] and total[5] = 3.', []],
    ['a definition of the model', 'It burned [7].\n\n[7]: https://other.example/', []],
    ['a link of the model', 'It burned [7](https://other.example/).', []],
  ])('%s', (_name, response, wanted) => {
    expect(
      audit(response).unknown.map(
        ({ start, end, numbers }) => `${response.slice(start, end)} ${numbers.join(',')}`,
      ),
    ).toEqual(wanted);
  });
});

describe('the sentence of such a number', () => {
  it.each<[string, string, string[]]>([
    ['before the full stop', 'Tea is green. It burned [7]. Salt.', ['It burned [7].']],
    ['behind it', 'Tea is green. It burned.[7] Salt is white.', ['It burned.[7]']],
    ['behind a blank', 'Tea is green. It burned. [7] Salt is white.', ['It burned. [7]']],
    ['at the end', 'Tea is green. It burned. [7]', ['It burned. [7]']],
    ['as its subject', 'Tea is green. [7] says so. Salt.', ['[7] says so.']],
    [
      'two side by side',
      'Tea is green. It burned. [7][8]',
      ['It burned. [7][8]', 'It burned. [7][8]'],
    ],
    ['on a line of its own', 'Tea is green. It burned.\n\n[7]', ['It burned.']],
    ['alone', '[7]', ['[7]']],
    ['in an item', '- Tea\n- Salt [7]', ['Salt [7]']],
    ['in a row', '| a | b |\n|---|---|\n| Tea | red [7] |', ['| Tea | red [7] |']],
    ['in Chinese', '茶是绿色的。它烧毁了【7】。盐是白色的。', ['它烧毁了【7】。']],
    ['in Arabic', 'الشاي أخضر. احترق [7]. الملح أبيض.', ['احترق [7].']],
  ])('%s', (_name, response, wanted) => {
    expect(
      audit(response).unknown.map(({ sentence }) => response.slice(sentence.start, sentence.end)),
    ).toEqual(wanted);
  });
});

describe('the count', () => {
  it('tells sources that were read from those that were not', () => {
    const statuses = ['read', 'part', 'hit', 'blocked', undefined] as const;
    const known = statuses.map((status, n): Source => {
      const source = { index: n + 1, title: 'Page', url: `https://page-${n + 1}.example/` };
      return status ? { ...source, status } : source;
    });
    const response = 'One [1]. Two [2]. Three [3]. Four [4][3]. Five [5].';
    const { cited, read, unread } = audit(response, known);
    expect({ cited, read, unread }).toEqual({
      cited: [1, 2, 3, 4, 5],
      read: [1, 2],
      unread: [
        { marker: response.indexOf('[3]'), index: 3 },
        { marker: response.indexOf('[4]'), index: 4 },
        { marker: response.lastIndexOf('[3]'), index: 3 },
      ],
    });
  });

  it('of an answer without sources is empty', () => {
    expect(auditOf({ response: 'Tea is green.', toolCalls: [] })).toEqual({
      claims: [],
      unmarked: [],
      unknown: [],
      unread: [],
      cited: [],
      read: [],
    });
  });
});
