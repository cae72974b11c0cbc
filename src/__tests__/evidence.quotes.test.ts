import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findEvidence } from '../lib/evidence';
import { quotationsOf } from '../lib/evidence/quotation';
import { checkQuote, createQuoteChecker } from '../lib/evidence/quote-check';
import { createBudget } from '../lib/evidence/quote-check/budget';
import type { Source, ToolCallRecord } from '../lib/types';

import { makeSource, makeToolCall } from './support/builders';
import { readCall, searchCall } from './support/shown-calls';

const quoted = (text: string): string[] =>
  quotationsOf(text).map(({ start, end }) => text.slice(start, end));

describe('quotationsOf', () => {
  it.each([
    ['English', 'It says “the tea is picked early” [1].', 'the tea is picked early'],
    ['German', 'Er sagt „der Tee wird früh gepflückt“ [1].', 'der Tee wird früh gepflückt'],
    [
      'Polish',
      'Mówi „herbata jest zbierana bardzo wcześnie” [1].',
      'herbata jest zbierana bardzo wcześnie',
    ],
    ['Swedish', 'Hon sa ”teet plockas tidigt på våren” [1].', 'teet plockas tidigt på våren'],
    ['French', 'Il dit « le thé est cueilli tôt ». [1]', 'le thé est cueilli tôt'],
    ['German books', 'Er sagt »der Tee wird früh gepflückt«.', 'der Tee wird früh gepflückt'],
    [
      'Finnish books',
      'Hän sanoi »tee poimitaan hyvin aikaisin keväällä» ja',
      'tee poimitaan hyvin aikaisin keväällä',
    ],
    ['single guillemets', 'Er sagt ‹der Tee wird früh gepflückt›.', 'der Tee wird früh gepflückt'],
    ['Chinese', '书中说“茶叶在早春采摘并且晒干”。', '茶叶在早春采摘并且晒干'],
    ['Japanese', '本には「お茶は早春に摘まれる」とある。', 'お茶は早春に摘まれる'],
    ['white corners', '本には『お茶は早春に摘まれる』とある。', 'お茶は早春に摘まれる'],
    ['a long title', '《一本很长的书名关于茶叶的历史》', '一本很长的书名关于茶叶的历史'],
    ['double primes', '本に〝お茶は早春に摘まれる〟とある。', 'お茶は早春に摘まれる'],
    ['straight', 'It says "the tea is picked early".', 'the tea is picked early'],
    [
      'straight between Chinese letters',
      '他说"茶叶在早春采摘并且晒干"了',
      '茶叶在早春采摘并且晒干',
    ],
    ['straight and single', "It says 'the tea is picked early'.", 'the tea is picked early'],
    ['single', 'It says ‘the tea isn’t picked early’.', 'the tea isn’t picked early'],
    ['low single', 'Er sagt ‚der Tee wird früh gepflückt‘.', 'der Tee wird früh gepflückt'],
    [
      'a possessive inside',
      "It says 'the growers' tea is picked early'.",
      "the growers' tea is picked early",
    ],
    ['emphasis around', 'It says **“the tea is picked early”**.', 'the tea is picked early'],
    ['white space inside', 'It says “ the tea is picked early ”.', 'the tea is picked early'],
    ['escaped marks', String.raw`It says \"the tea is picked early\".`, 'the tea is picked early'],
    [
      'nested in another kind',
      'It says “they call ‘two leaves and a bud’ the best”.',
      'they call ‘two leaves and a bud’ the best',
    ],
    [
      'nested in its own kind',
      'It says “they call “two leaves” the best”.',
      'they call “two leaves” the best',
    ],
    [
      'an unbalanced mark before',
      'An “open one, then “the tea is picked early” here.',
      'the tea is picked early',
    ],
    ['a line break inside', 'It says “the tea\nis picked early”.', 'the tea\nis picked early'],
    [
      'a straight mark for inches',
      'A 5" pipe and "the tea is picked early" too.',
      'the tea is picked early',
    ],
  ])('%s', (_name, text, words) => {
    expect(quoted(text)).toEqual([words]);
  });

  it.each([
    ['four words', 'It says “the tea is picked” [1].'],
    ['a title of three characters', '《茶经》'],
    [
      'apostrophes',
      "'Tis the growers' tea, isn't it? Rock 'n' roll of the '90s, it's the dogs' own.",
    ],
    ['curly apostrophes', 'It’s the growers’ tea that the dogs’ owners don’t like, isn’t it?'],
    ['an unbalanced mark', 'It says “the tea is picked early in spring.'],
    ['across a blank line', 'It says "the tea\n\nis picked early" then.'],
    ['across list items', '- It says "the tea is\n- picked early in spring"'],
    ['other marks', 'It says „the tea is picked early".'],
    ['inches', 'From 5" by 6" it is a lot of tea, 7" by 8".'],
    ['Hebrew acronyms', 'צה"ל הוא שם של ארגון גדול מאוד, תנ"ך הוא ספר'],
  ])('not %s', (_name, text) => {
    expect(quoted(text)).toEqual([]);
  });

  it('finds several, in order', () => {
    expect(quoted('“one two three four five” and "six seven eight nine ten"')).toEqual([
      'one two three four five',
      'six seven eight nine ten',
    ]);
  });

  it('ends with any text: in order, without overlap, not across a blank line', () => {
    const mark = fc.constantFrom(
      ...'"\'“”„‘’‚«»‹›「」『』《》〝〟 ab\nは '.split(''),
      '\n\n',
      'one two three four five',
    );
    fc.assert(
      fc.property(
        fc.array(mark, { maxLength: 60 }).map((parts) => parts.join('')),
        (text) => {
          let last = 0;
          for (const { start, end } of quotationsOf(text)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            expect(text.slice(start, end)).not.toMatch(/\n\s*\n/);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });

  it.each(['"', '“', '„', '“”', "'", " 'a", '"a ', '«', '‘’ s', "s' a "])(
    'ends with 100,000 times %j',
    (part) => {
      expect(quotationsOf(part.repeat(100_000)).length).toBeLessThan(100_000);
    },
  );
});

const SOURCE = `# The Harbour Rules

The **harbour** of [Port Ellin](https://a.example/x_(y)) was closed in 1998,[12] and the “old” bridge — built of oak — carries 3,200 lorries a day. The eﬃcient pump lifts x² litres at −5 °C, or 10–20 a minute.

1. Warm the pot.
2. Add the leaves to it, well-
known as twisted ones, and the har-
bour water is not safe for infants.

> Don't enter by night; non-toxic paint costs $5 a tin[a] or \\*less\\*.

| ship | year |
|---|---|
| Ellin | 1998 |

Le thé de résumé pousse à l’ombre des murs. The name \`snake_case\` and x[0] hold the sum &amp; the rest… and no more.`;

const texts = [{ text: SOURCE }];

describe('checkQuote: what does not count', () => {
  it.each([
    ['nothing', 'carries 3,200 lorries a day'],
    ['case', 'THE HARBOUR OF PORT ELLIN was closed'],
    ['emphasis and links', 'The harbour of Port Ellin was closed in 1998'],
    ['quotation marks inside', "and the 'old' bridge"],
    ['dashes', 'bridge - built of oak -- carries'],
    ['dashes without spaces', 'bridge—built of oak—carries'],
    ['white space and line breaks', 'carries\u00a03,200\n lorries   a day'],
    ['ligatures', 'The efficient pump lifts'],
    ['width', 'ｔｈｅ ｏｌｄ bridge'],
    ['a missing reference', 'was closed in 1998, and the old bridge'],
    ['the reference', 'was closed in 1998,[12] and the old bridge'],
    ['the answer’s own marker behind a sentence', '3,200 lorries a day.[3] The efficient pump'],
    ['the answer’s own marker at the end', 'non-toxic paint costs $5 a tin or less [3]'],
    ['the answer’s own marker in another form', 'hold the sum & the rest… and no more.【3†L1-L2】'],
    ['a missing note letter', 'costs $5 a tin or less'],
    ['list marks', 'Warm the pot. Add the leaves to it'],
    ['a list number', '2. Add the leaves to it'],
    ['a compound at a line’s end', 'well-known as twisted ones'],
    ['a word broken at a line’s end', 'and the harbour water is not safe'],
    ['both', 'well-known as twisted ones, and the harbour water'],
    ['a soft hyphen and a zero-width space', 'the old bri\u00addge — built\u200b of oak'],
    ['apostrophes', "pousse à l'ombre des murs"],
    ['letters and accents apart', 'Le the\u0301 de re\u0301sume\u0301 pousse'],
    ['a minus', 'lifts x² litres at -5 °C'],
    ['code and escapes', String.raw`The name snake\_case and x[0] hold the sum`],
    ['entities', 'hold the sum & the rest'],
    ['a changed letter', '[T]he old bridge — built of oak'],
    ['a comma or stop at the end', 'carries 3,200 lorries a day,'],
    ['table rows', 'Ellin 1998 Le thé de résumé'],
    ['an ellipsis of the source', 'the rest … and no more'],
    ['a gap', 'The harbour of Port Ellin … carries 3,200 lorries'],
    ['a gap in brackets', 'The harbour of Port Ellin [...] carries 3,200 lorries'],
    ['two gaps', 'The harbour of Port Ellin ... built of oak (…) at −5 °C'],
  ])('%s', (_name, quotation) => {
    expect(checkQuote(quotation, texts)).toMatchObject({ status: 'exact' });
  });
});

describe('checkQuote: what counts', () => {
  it.each([
    ['a negation that is missing', 'water is safe for infants', 'close'],
    ['a negation that is added', 'harbour of Port Ellin was not closed in 1998', 'close'],
    ['another word', 'the old bridge — built of elm — carries', 'close'],
    ['a missing word', 'the old bridge — built oak — carries', 'close'],
    ['another order', 'the bridge old — built of oak — carries', 'not-found'],
    ['another figure', 'carries 3,300 lorries a day', 'close'],
    ['another separator', 'carries 3.200 lorries a day', 'close'],
    ['a power', 'pump lifts x2 litres at −5 °C', 'close'],
    ['a missing minus', 'pump lifts x² litres at 5 °C', 'close'],
    ['the figure without its minus at the beginning', '5 °C, or 10–20 a minute', 'close'],
    ['half of a range', '20 a minute. Warm the pot', 'close'],
    ['another currency', 'toxic paint costs €5 a tin', 'close'],
    ['a currency that is missing at the beginning', '5 a tin or less', 'close'],
    ['half of a compound', 'toxic paint costs $5 a tin', 'close'],
    ['another index', 'and x[1] hold the sum & the rest', 'close'],
    ['another list number', '3. Add the leaves to it', 'close'],
    ['another reference', 'was closed in 1998,[13] and the old bridge', 'close'],
    ['accents', 'Le thé de resume pousse à l’ombre', 'close'],
    ['an apostrophe', 'Dont enter by night; non-toxic paint', 'close'],
    ['a comma', 'Add the leaves to it well-known as twisted', 'close'],
    ['half a word', 'The harbour of Port Ell', 'close'],
    ['a gap that may hide a word', 'harbour water is … safe for infants', 'close'],
    ['a single word beside a gap', 'harbour … carries 3,200 lorries a day', 'close'],
    ['a gap of single words', 'harbour … closed … bridge … oak', 'not-found'],
    ['a gap backwards', 'carries 3,200 lorries … The harbour of Port', 'not-found'],
    ['other words', 'nothing of this kind stands anywhere here', 'not-found'],
    ['no words', '…, —', 'not-found'],
  ])('%s', (_name, quotation, status) => {
    expect(checkQuote(quotation, texts).status).toBe(status);
  });

  it.each<[string, string, string]>([
    ['1 500 people live in the old town', '500 people live in the old town', 'close'],
    ['1\u00A0500 people live in the old town', '500 people live in the old town', 'close'],
    ['1\u202F500 people live in the old town', '500 people live in the old town', 'close'],
    ['the town had at least 10 000 people', 'the town had at least 10', 'close'],
    ['it had 1 234 567 people in all', '234 567 people in all', 'close'],
    ['it had 1 234 567,5 people in all', 'it had 1 234 567', 'close'],
    ['it had 1 234 567 people in all', 'it had 1 234 567 people', 'exact'],
    ['stir 1 1/2 cups of tea into it', '1/2 cups of tea into it', 'close'],
    ['stir 1 ½ cups of tea into it', '½ cups of tea into it', 'close'],
    ['some 10 – 20 boats came into the harbour', '20 boats came into the harbour', 'close'],
    ['some 10 - 20 boats came into the harbour', 'some 10 - 20 boats came', 'exact'],
    ['.5 mg a day is enough for adults', '5 mg a day is enough for adults', 'close'],
    ['about .5 mg a day is enough', '5 mg a day is enough', 'close'],
    ['adults (.5 mg a day is enough)', '5 mg a day is enough', 'close'],
    ['about .5 mg a day is enough', '.5 mg a day is enough', 'exact'],
    ['in 2019 500 people lived in the town', '500 people lived in the town', 'exact'],
    ['they left in 1. 500 people stayed there', '500 people stayed there', 'exact'],
    ['1. 500 people live in the old town', '500 people live in the old town', 'exact'],
    ['| 12 | 500 people live there still |', '500 people live there still', 'exact'],
    ['page 12\n500 people live there still', '500 people live there still', 'exact'],
  ])('parts of a figure: %j, %j is %s', (text, quotation, status) => {
    expect(checkQuote(quotation, [{ text }]).status).toBe(status);
  });

  const family: [string, string, string][] = [
    [
      'an added figure in brackets',
      'At least [300] people were killed',
      'At least people were killed',
    ],
    ['a long one', 'At least [10,000] people were killed', 'At least people were killed'],
    [
      'one at the beginning',
      '[300] people were killed that night',
      'people were killed that night',
    ],
    ['one behind a comma', 'In Ellin, [300] people were killed', 'In Ellin, people were killed'],
    [
      'one beside a gap',
      'At least … [300] people were killed',
      'At least half of all the people were killed',
    ],
    [
      'one at the end of half a sentence',
      'people that were killed: [300]',
      'people that were killed: 250 or more',
    ],
    [
      'one at the end of a phrase',
      'the number of people killed was [300]',
      'the number of people killed was 250',
    ],
    [
      'a long one that is missing',
      'At least people were killed',
      'At least [10,000] people were killed',
    ],
    [
      'a minus at the beginning of a line',
      'a mean temperature of 5 degrees',
      'a mean temperature of \n- 5 degrees',
    ],
    [
      'a minus behind a colon',
      'mean temperature: 5 degrees in all',
      'mean temperature:\n- 5 degrees in all',
    ],
    ['a plus behind a full stop', 'it was approx. 5 degrees', 'it was approx.\n+ 5 degrees'],
    ['a sum behind a colon', 'the change of all: $5 million', 'the change of all:\n- $5 million'],
    [
      'a figure at the beginning of a line',
      'he lost at least million dollars',
      'he lost at least \n3) million dollars',
    ],
    [
      'greater, at the beginning of a line',
      'the change was 5 for all',
      'the change was\n> 5 for all',
    ],
    [
      'a word behind a fence',
      'this medicine is safe for use',
      'this medicine is\n```not\nsafe for use',
    ],
    [
      'words between fences',
      'this medicine is safe for use',
      'this medicine is\n~~~ not ~~~\nsafe for use',
    ],
    [
      'words that look like a label',
      'this medicine is [quite] safe for use',
      'this medicine is [quite][not] safe for use',
    ],
    [
      'words that look like a target',
      'this medicine is safe for use',
      'this medicine is safe](not) for use',
    ],
    ['per cent in Arabic', 'زاد السعر ٥ خلال العام', 'زاد السعر ٥٪ خلال العام'],
    ['per ten thousand', 'the dose is 5 mg for adults', 'the dose is 5‱ mg for adults'],
    [
      'per cent behind a space',
      'the mean of all winters was 5',
      'the mean of all winters was 5 % there',
    ],
    ['an inverted question mark', 'the drug is safe for adults', 'the drug is ¿safe for adults'],
    ['a wave dash', 'from 10 20 mg for all adults', 'from 10〜20 mg for all adults'],
    ['a sign of a private font', 'the mean was 5 for all', 'the mean was \uE000 5 for all'],
    [
      'the Arabic sign of a number',
      'the dose is 5 mg for adults',
      'the dose is \u06005 mg for adults',
    ],
    ['a stroke through a sign', 'a = b in all the cases', 'a =\u0338 b in all the cases'],
  ];
  it.each(family)('in its own source: %s', (_name, quotation, text) => {
    expect(checkQuote(quotation, [{ text }]).status).not.toBe('exact');
  });

  it('counts all punctuation and signs but quotation marks', () => {
    const quotationMarks = '"\'`´‘’‚‛“”„‟«»‹›「」『』｢｣《》〈〉〝〞〟＂＇׳״*_|[]\\~';
    for (let code = 0x21; code < 0x3100; code += 1) {
      const char = String.fromCodePoint(code);
      if (!/[\p{P}\p{S}]/u.test(char) || quotationMarks.includes(char)) continue;
      const text = `the dose is 5 ${char} mg for adults`;
      expect([char, checkQuote('the dose is 5 mg for adults', [{ text }]).status]).not.toEqual([
        char,
        'exact',
      ]);
    }
  });

  it.each([
    ['a word of two characters', '采茶人天亮前上山，晴天从来不采', 'close'],
    ['all other words', '每年春天人们都要修理石桥', 'not-found'],
    ['half a word', '来不采', 'close'],
    ['width and kinds of punctuation', '采茶人天亮前上山，雨天从来不采．', 'exact'],
  ])('without spaces: %s', (_name, quotation, status) => {
    const text = '云岭只采两次。采茶人天亮前上山，雨天从来不采。';
    expect(checkQuote(quotation, [{ text }]).status).toBe(status);
  });

  it('allows one other word in eight', () => {
    const words = Array.from({ length: 24 }, (_none, n) => `word${n}`);
    const changed = (count: number): string =>
      words.map((word, n) => (n % 5 === 2 && n < count * 5 ? `other${n}` : word)).join(' ');
    const check = createQuoteChecker([{ text: `Before. ${words.join(' ')}. Behind.` }]);
    expect([0, 1, 3, 4].map((count) => check(changed(count)).status)).toEqual([
      'exact',
      'close',
      'close',
      'not-found',
    ]);
  });

  it('allows a gap of a long paragraph', () => {
    const gap = (units: number): { text: string }[] => [
      { text: `One two three four ${'filler '.repeat(units / 7)}five six seven eight.` },
    ];
    const quotation = 'One two three four … five six seven eight';
    expect(checkQuote(quotation, gap(980)).status).toBe('exact');
    expect(checkQuote(quotation, gap(1_400)).status).toBe('not-found');
  });
});

describe('checkQuote: where it stands', () => {
  it('names the text, and the place in the original', () => {
    const two = [
      { text: 'Other words.' },
      { text: 'The **old** bridge is of “fine” oak[12] here.' },
    ];
    const { status, place } = checkQuote('old bridge is of fine oak', two);
    expect({ status, text: place?.text }).toEqual({ status: 'exact', text: 1 });
    expect(two[1]?.text.slice(place?.start, place?.end)).toBe('old** bridge is of “fine” oak');
  });

  it.each([
    [
      'into the next text',
      ['The old bridge', 'is of oak and iron.'],
      { text: 0, start: 4, end: 14 },
    ],
    [
      'over a hyphen at the end',
      ['The old brid-', 'ge is of oak and iron.'],
      { text: 0, start: 4, end: 13 },
    ],
  ])('goes on %s, and names the first', (_name, parts, place) => {
    const result = checkQuote(
      'old bridge is of oak',
      parts.map((text) => ({ text })),
    );
    expect(result).toEqual({ status: 'exact', place });
  });

  it('does not go over an empty text', () => {
    const apart = [{ text: 'The old bridge' }, { text: '' }, { text: 'is of oak and iron.' }];
    expect(checkQuote('old bridge is of oak', apart).status).not.toBe('exact');
  });

  it.each([
    [
      'a figure',
      'It was on page\n12. The old bridge is of oak.',
      'on page 12. The old bridge',
      'exact',
    ],
    [
      'a dash',
      'The bridge is old\n- of oak - and wide.',
      'bridge is old - of oak - and wide',
      'exact',
    ],
    [
      'a list',
      'It is so:\n1. The bridge is old\n2. It is wide',
      'The bridge is old It is wide',
      'exact',
    ],
    [
      'a list of figures',
      'It takes all of these:\n- 5 cups of tea\n- 2 eggs',
      'all of these: 5 cups of tea 2 eggs',
      'exact',
    ],
    [
      'a list behind a blank line',
      'It takes all of these\n\n- 5 cups of tea',
      'all of these 5 cups of tea',
      'exact',
    ],
  ])('takes %s at the beginning of a line for what it is', (_name, text, quotation, status) => {
    expect(checkQuote(quotation, [{ text }]).status).toBe(status);
  });

  it('has no gap from one text into another', () => {
    const parts = [{ text: 'One two three four five.' }, { text: 'Six seven eight nine ten.' }];
    expect(checkQuote('One two three … eight nine ten', parts).status).toBe('not-found');
  });

  it.each([
    ['no texts', []],
    ['an empty text', [{ text: '' }]],
  ])('finds nothing in %s', (_name, none) => {
    expect(checkQuote('one two three four five', none)).toEqual({ status: 'not-found' });
  });
});

/** Words without negation or number, so that no two are the same and none is made of others. */
const WORDS =
  'tea harbour bridge Öl été чай мост oak iron winter leaf stone rope lamp quay storm'.split(' ');
const plainWords = (text: string): string[] =>
  (text.replace(/\]\([^)]*\)|\[\d+\]|\u00ad/g, '').match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  );

/** A word as a source may have it. */
const dressed = fc.constantFrom(
  (word: string) => word,
  (word: string) => word,
  (word: string) => `**${word}**`,
  (word: string) => `[${word}](https://a.example/p)`,
  (word: string) => `“${word}”`,
  (word: string) => `${word}[12]`,
  (word: string) => `${word.slice(0, 1)}\u00ad${word.slice(1)}`,
  (word: string) => word.toUpperCase(),
);
const between: fc.Arbitrary<string> = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  ', ',
  '. ',
  ' – ',
  '; ',
  '\n',
  ' (',
  ') ',
);
const source = fc.array(
  fc.record({ word: fc.constantFrom(...WORDS), dress: dressed, gap: between }),
  {
    minLength: 8,
    maxLength: 60,
  },
);
/** How somebody may type it again. */
const typing = fc.record({
  dash: fc.constantFrom(' – ', ' — ', '—', ' - ', ' -- '),
  space: fc.constantFrom(' ', '\u00a0', '  ', '\n'),
  isUpper: fc.boolean(),
  mark: fc.constantFrom('', '"', '’', '«'),
  end: fc.constantFrom('', '.', ','),
});
type Part = { word: string; dress: (word: string) => string; gap: string };

const sourceText = (parts: readonly Part[]): string =>
  parts.map(({ word, dress, gap }) => dress(word) + gap).join('');
const retyped = (
  parts: readonly Part[],
  how: { dash: string; space: string; isUpper: boolean; mark: string; end: string },
): string => {
  const words = parts.map(({ word, gap }, n) => {
    const own = n === 1 && how.mark !== '' ? `${how.mark}${word}${how.mark}` : word;
    if (n === parts.length - 1) return own;
    return own + (gap === ' – ' ? how.dash : gap.replace(/[ \n]/, how.space));
  });
  const text = words.join('') + how.end;
  return how.isUpper ? text.toUpperCase() : text;
};
const cut = fc
  .record({ parts: source, from: fc.nat(), length: fc.integer({ min: 5, max: 20 }) })
  .map(({ parts, from, length }) => {
    const start = from % (parts.length - 4);
    return { parts, start, own: parts.slice(start, start + length) };
  });

describe('words that are broken at a line’s end', () => {
  const broken = [
    'The well-\nknown har-\nbour of a to-\nday well-known town.',
    'A mother-in-\nlaw has a well-\nknown wellknown shop.',
  ].map((text) => ({ text }));
  const check = createQuoteChecker(broken);
  it.each([
    ['one kept and one joined', 'The well-known harbour of a today', 'exact'],
    ['one kept, one joined, one written', 'well-known harbour of a today well-known town', 'exact'],
    ['all joined', 'The wellknown harbour of a today well-known', 'exact'],
    ['all kept', 'The well-known har-bour of a to-day well-known town', 'exact'],
    ['one that is written with a hyphen, joined', 'of a today wellknown town', 'not-found'],
    ['one that is written in one, kept', 'has a well-known well-known shop', 'not-found'],
    ['a compound of three', 'A mother-in-law has a well-known wellknown shop', 'exact'],
    ['the second half alone', 'known harbour of a today', 'close'],
    ['a gap between both', 'The well-known harbour … to-day well-known town', 'close'],
    ['another word beside it', 'The well-known harbour of the to-day well-known town', 'close'],
  ])('%s', (_name, quotation, status) => {
    expect(check(quotation).status).toBe(status);
  });

  it('are found where they stand', () => {
    const { place } = check('has a well-known wellknown shop');
    expect(place?.text).toBe(1);
    expect(broken[1]?.text.slice(place?.start, place?.end)).toBe(
      'has a well-\nknown wellknown shop',
    );
  });
});

describe('a budget', () => {
  it('that is spent leaves quotations unchecked, and never says that they are missing', () => {
    const text = 'The old bridge is of oak. '.repeat(2_000);
    const check = createQuoteChecker([{ text }], createBudget(60_000));
    const asked = Array.from({ length: 40 }, (_, n) => `the old bridge is of other${n} stone`);
    const statuses = asked.map((quotation) => check(quotation).status);
    expect(statuses).toContain('unchecked');
    expect(statuses.slice(statuses.indexOf('unchecked'))).not.toContain('exact');
    expect(createQuoteChecker([{ text }], createBudget(0))('The old bridge is of oak')).toEqual({
      status: 'unchecked',
    });
  });
});

describe('a source that a quotation is not in', () => {
  const words = 'nobody on the island has ever grown a leaf';
  const hit: Source = makeSource({ status: 'hit' });
  const withRows = searchCall('Tea.');
  const withoutRows = { ...withRows };
  delete withoutRows.shown;
  const blocked = makeToolCall({ sources: [], statuses: [{ index: 1, status: 'blocked' }] });
  const other = searchCall('Salt.', { index: 2 });
  const before = (...toolCalls: ToolCallRecord[]) => ({ response: '', toolCalls });
  it.each<
    [
      string,
      ToolCallRecord[],
      Source[],
      { response: string; toolCalls: ToolCallRecord[] }[],
      string,
    ]
  >([
    ['found with its words', [withRows], [], [], 'not-found'],
    ['found without its words', [withoutRows], [], [], 'not-kept'],
    [
      'found without its words, beside a record with others',
      [withoutRows, other],
      [],
      [],
      'not-kept',
    ],
    ['found with its words, and then blocked', [withRows, blocked], [], [], 'not-found'],
    ['carried from a turn with its words', [], [hit], [before(withRows)], 'not-found'],
    ['carried from a turn without its words', [], [hit], [before(withoutRows)], 'not-kept'],
    [
      'carried from a turn without its words, beside an own record',
      [other],
      [hit],
      [before(withoutRows)],
      'not-kept',
    ],
    ['carried from both', [], [hit], [before(withoutRows), before(withRows)], 'not-kept'],
    ['carried from a turn that is gone', [other], [hit], [], 'not-kept'],
    [
      'carried without its words, and found again with them',
      [{ ...withRows, sources: [], statuses: [{ index: 1, status: 'hit' }] }],
      [hit],
      [before(withoutRows)],
      'not-kept',
    ],
    [
      'named by the server',
      [
        makeToolCall({
          sources: [{ index: 1, title: 'P', url: 'https://page-1.example/' }],
          statuses: [],
        }),
        other,
      ],
      [],
      [],
      'not-kept',
    ],
    [
      'named by the server, and then found',
      [
        makeToolCall({
          sources: [{ index: 1, title: 'P', url: 'https://page-1.example/' }],
          statuses: [],
        }),
        { ...withRows, sources: [], statuses: [{ index: 1, status: 'hit' }] },
      ],
      [],
      [],
      'not-kept',
    ],
  ])('%s', (_name, toolCalls, carried, earlier, status) => {
    const turn = { response: `It says “${words}” [1].`, toolCalls, carried };
    expect(findEvidence(turn, earlier).quotes).toMatchObject([{ index: 1, status }]);
  });
});

/** The quotations of an answer that were checked, each with its status, its number and its words. */
const checked = (response: string): string[] =>
  findEvidence(
    {
      response,
      toolCalls: [
        readCall('The walls of the garden were mended with dry stone.\n\nThe sea is blue there.'),
        readCall('A spring of light fog is seen.', { index: 2, url: 'https://page-2.example/' }),
      ],
    },
    [],
  ).quotes.map(
    ({ status, index, start, end }) => `${status} ${index}: ${response.slice(start, end)}`,
  );

describe('a block quote under a line with a marker and a colon', () => {
  const said = 'The walls of the garden were mended with dry stone.';
  const other = 'The gardeners burned every wall out of spite.';
  it.each<[string, string, string[]]>([
    ['word for word', `It says [1]:\n\n> ${said}`, [`exact 1: ${said}`]],
    ['invented', `It says [1]:\n\n> ${other}`, [`not-found 1: ${other}`]],
    ['right below', `It says: [1]\n> ${said}`, [`exact 1: ${said}`]],
    ['behind the colon', `It says:[1]\n\n> ${other}`, [`not-found 1: ${other}`]],
    [
      'with the marker on a line of its own',
      `It says:\n\n[1]\n\n> ${other}`,
      [`not-found 1: ${other}`],
    ],
    [
      'over two lines',
      'It says [1]:\n> The walls of the garden\n> were mended.',
      ['exact 1: The walls of the garden\n> were mended.'],
    ],
    [
      'of two paragraphs',
      `It says [1]:\n> ${said}\n>\n> ${other}`,
      [`exact 1: ${said}`, `not-found 1: ${other}`],
    ],
    [
      'of items',
      `It says [1]:\n> - ${said}\n> - ${other}`,
      [`exact 1: ${said}`, `not-found 1: ${other}`],
    ],
    ['in an item', `- It says [1]:\n\n  > ${other}\n- Salt`, [`not-found 1: ${other}`]],
    ['in a quote', `> It says [1]:\n>\n> > ${other}`, [`not-found 1: ${other}`]],
    ['between quotation marks', `It says [1]:\n> “${said}”`, [`exact 1: ${said}`]],
    [
      'with a quotation in it',
      'It says [1]:\n> He said “the walls were all mended” once.',
      ['not-found 1: He said “the walls were all mended” once.'],
    ],
    [
      'with a name below',
      `It says [1]:\n> ${said}\n> — Ada Lorne, Leaf, p. 4`,
      [`exact 1: ${said}`],
    ],
    [
      'with a name in a paragraph below',
      `It says [1]:\n> ${said}\n>\n> — Ada Lorne, Leaf, the fourth page`,
      [`exact 1: ${said}`],
    ],
    ['that begins with a dash', `It says [1]:\n> — ${said}`, [`exact 1: — ${said}`]],
    ['with its own marker', `It says [1]:\n> ${said} [2]`, [`not-found 2: ${said}`]],
    ['of two markers', `It says [2][1]:\n> ${said}`, [`exact 1: ${said}`]],
    ['of the last marker', `It [1] says this [2]:\n> ${said}`, [`not-found 2: ${said}`]],
    [
      'in Chinese',
      '报告说【1】：\n> 园丁们因怨恨烧毁了每一堵墙。',
      ['not-found 1: 园丁们因怨恨烧毁了每一堵墙。'],
    ],
    ['with markers between its words', `It says [1]:\n> ${said} [2] ${other}`, []],
    ['of four words', 'It says [1]:\n> Every wall is burned.', []],
    ['under a list', `It says [1]:\n\n- Salt\n\n> ${other}`, []],
    ['behind a second one', `It says [1]:\n> ${said}\n\nMore.\n\n> ${other}`, [`exact 1: ${said}`]],
    ['without a marker', `It says:\n> ${other}`, []],
    ['without a colon', `It says [1].\n\n> ${other}`, []],
    ['of code', `It says [1]:\n\n\`\`\`\n${other}\n\`\`\``, []],
  ])('%s', (_name, response, wanted) => {
    expect(checked(response)).toEqual(wanted);
  });
});

describe('a quotation in a table', () => {
  const head = '| a | b | c |\n|---|---|---|\n';
  const fog = 'a spring of light fog';
  it.each<[string, string, string[]]>([
    ['beside a marker before it', `| Leaf [2] | “${fog}” | x |`, [`exact 2: ${fog}`]],
    ['beside another source', `| Leaf [1] | “${fog}” | x |`, [`not-found 1: ${fog}`]],
    ['two cells on', `| Leaf [2] | x | “${fog}” |`, [`exact 2: ${fog}`]],
    ['beside a marker behind it', `| x | “${fog}” | Leaf [2] |`, [`exact 2: ${fog}`]],
    ['beside a marker inside a cell', `| x | Leaf [2] is old | “${fog}” |`, [`exact 2: ${fog}`]],
    ['in the first cell', `| “${fog}” | Leaf [2] is | x |`, [`exact 2: ${fog}`]],
    ['beside a cell of markers', `| “${fog}” | x | [1][2] |`, [`exact 2: ${fog}`]],
    ['in the cell of its marker', `| Leaf [1] | “${fog}” [2] | x |`, [`exact 2: ${fog}`]],
    ['between two cells with markers', `| Leaf [1] | “${fog}” | x [2] |`, []],
    ['above a row with a marker', `| x | y | “${fog}” |\n| Leaf [1] | y | z |`, []],
  ])('%s', (_name, rows, wanted) => {
    expect(checked(`${head}${rows}`)).toEqual(wanted);
  });
});

describe('any quotation', () => {
  it('is exact when only its spelling differs, and stands where it says', () => {
    fc.assert(
      fc.property(cut, typing, ({ parts, own }, how) => {
        const text = sourceText(parts);
        const quotation = retyped(own, how);
        const { status, place } = checkQuote(quotation, [{ text }]);
        expect({ status, quotation }).toEqual({ status: 'exact', quotation });
        expect(plainWords(text.slice(place?.start, place?.end))).toEqual(plainWords(quotation));
      }),
    );
  });

  it('is never exact with another word, one more inside, or one fewer inside', () => {
    const change = fc.constantFrom('other', 'more', 'fewer');
    fc.assert(
      fc.property(cut, typing, fc.nat(), change, ({ parts, own }, how, at, kind) => {
        const inside = 1 + (at % (own.length - 2));
        const part = { word: 'not', dress: (word: string) => word, gap: ' ' };
        const changed =
          kind === 'other'
            ? own.with(at % own.length, { ...part, gap: own[at % own.length]?.gap ?? ' ' })
            : kind === 'more'
              ? own.toSpliced(inside, 0, part)
              : own.toSpliced(inside, 1);
        // Without one word it may be another stretch of the same text.
        fc.pre(
          kind !== 'fewer' ||
            !` ${parts.map(({ word }) => word).join(' ')} `.includes(
              ` ${changed.map(({ word }) => word).join(' ')} `,
            ),
        );
        expect(checkQuote(retyped(changed, how), [{ text: sourceText(parts) }]).status).not.toBe(
          'exact',
        );
      }),
    );
  });

  it('gets an answer with any texts, and a place in them', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '[',
        '](',
        '](u)',
        '[1]',
        '\\',
        '*',
        '**',
        '_',
        '`',
        '…',
        '...',
        '-\n',
        '\n\n> ',
        '1. ',
        '&amp;',
        '<br>',
        '\uFFFF',
        '不',
        'ﷺ',
        'é',
        '-5',
        'a b c d e',
      ),
    );
    const any = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(any, fc.array(any, { maxLength: 4 }), (quotation, parts) => {
        const { status, place } = checkQuote(
          quotation,
          parts.map((text) => ({ text })),
        );
        expect(place === undefined).toBe(status === 'not-found');
        if (!place) return;
        expect(place.start).toBeLessThan(place.end);
        expect(place.end).toBeLessThanOrEqual(parts[place.text]?.length ?? -1);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['a ', '[1', '](', '](a "', '*a', '不', 'a-\n', '\n> ', '\\[', 'a … ', 'ﬁ', 'a b '])(
    'ends in a source of 200,000 characters of %j',
    (part) => {
      const check = createQuoteChecker([{ text: part.repeat(200_000 / part.length) }]);
      expect(check(`${part.repeat(200)} other ${part.repeat(200)}`).status).toBe('not-found');
    },
  );
});
