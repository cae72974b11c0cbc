import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { LibraryHit } from '../host/library/library';
import { createSearch } from '../host/library/search';
import { fold, queryWords, termsOf } from '../lib/words';
import type { Conversation } from '../lib/types';
import { BUILDER_TIME, makeConversation, makeToolCall, makeTurn } from './support/builders';
import { putConversation } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** A store of conversations with these texts: title, question, answer. */
function storeOf(texts: Record<string, [title: string, question: string, answer: string]>): string {
  const supportPath = tempFolder();
  for (const [id, [title, question, response]] of Object.entries(texts)) {
    put(supportPath, { id, title, turns: [makeTurn({ question, response })] });
  }
  return supportPath;
}

const put = (supportPath: string, more: Partial<Conversation>, updatedAt = BUILDER_TIME) =>
  putConversation(supportPath, makeConversation(more), updatedAt);

/** The answer of the whole index: on a busy machine the first may come before that. */
async function hitsFor(supportPath: string, query: string): Promise<LibraryHit[]> {
  const search = createSearch(supportPath);
  for (let tries = 0; tries < 100; tries += 1) {
    const outcome = await search(query);
    if (!outcome.ok) throw new Error(outcome.message);
    if (outcome.complete) return outcome.hits;
  }
  throw new Error('The index did not become whole.');
}

const found = async (supportPath: string, query: string): Promise<string[]> =>
  (await hitsFor(supportPath, query)).map(({ id }) => id);

const snippets = async (supportPath: string, query: string) =>
  (await hitsFor(supportPath, query)).map(({ snippet }) => snippet);

const TEXTS: Parameters<typeof storeOf>[0] = {
  tea: ['Green tea', 'How long does it steep?', 'Two minutes, then pour the water off.'],
  mail: ['Letters', 'Did you receive the conference programme?', 'It arrived on Tuesday.'],
  street: ['Maps', 'Wo ist die Königstraße?', 'Neben dem Café Zoë, am Fluß.'],
  beijing: ['旅行', '我在北京大学学习中文。', '北京的秋天很美。'],
  tokyo: ['東京の天気', 'コンピューターは速いですか？', 'はい、とても速いです。'],
  seoul: ['여행', '서울에서 무엇을 볼까요?', '경복궁을 추천합니다.'],
  bangkok: ['ไทย', 'สวัสดีครับ กรุงเทพมหานคร', 'ยินดีต้อนรับ'],
  greek: ['Γλώσσα', 'Πώς λέγεται ο δρόμος;', 'Οδός.'],
  arabic: ['لغة', 'كيف أقول مَدْرَسَة؟', 'مدرسة'],
  code: [
    'Shell',
    'What does useEffect do in snake_thing_name?',
    'See `fs.readFileSync` in v20.19.',
  ],
};

describe('a query finds', () => {
  it.each<[query: string, ids: string[]]>([
    ['green tea', ['tea']],
    ['GREEN', ['tea']],
    ['tea green', ['tea']],
    ['steep minutes', ['tea']], // a word of the question, one of the answer
    ['st', ['tea']], // as it is being typed; Königstraße does not begin with it
    ['recieve', ['mail']],
    ['receve', ['mail']],
    ['rceeive', ['mail']],
    ['conferrence', ['mail']],
    ['confernce programe', ['mail']],
    ['xeceive', ['mail']], // the first letter, too
    ['cafe', ['street']],
    ['CAFÉ', ['street']],
    ['zoe', ['street']],
    ['Königstrasse', ['street']],
    ['konigstraße', ['street']],
    ['fluss', ['street']],
    ['北京', ['beijing']],
    ['京', ['beijing', 'tokyo']],
    ['北京大学', ['beijing']],
    ['秋天 大学', ['beijing']],
    ['天気', ['tokyo']],
    ['ｺﾝﾋﾟｭｰﾀｰ', ['tokyo']], // half width
    ['コンピューター', ['tokyo']],
    ['서울', ['seoul']],
    ['경복궁', ['seoul']],
    ['กรุงเทพ', ['bangkok']],
    ['δρομος', ['greek']],
    ['ΟΔΟΣ', ['greek']],
    ['مدرسة', ['arabic']],
    ['useeff', ['code']],
    ['snake', ['code']],
    ['readfilesync', ['code']],
    ['20.19', ['code']],
    ['ｇｒｅｅｎ', ['tea']],
  ])('by %j', async (query, ids) => {
    const hits = await found(storeOf(TEXTS), query);
    expect(hits.toSorted()).toEqual(ids.toSorted());
  });

  it.each([
    ['', []],
    ['   ', []],
    ['?!*()[]{}\\"\'', []],
    ['\u0000\uD800', []],
    ['zzzzqq', []],
    ['tae', []], // three letters are too few to guess
    ['2019', []], // a number is not guessed
    ['大北', []], // the order of the characters counts
  ])('nothing by %j', async (query, ids) => {
    expect(await found(storeOf(TEXTS), query)).toEqual(ids);
  });

  it('a word that is going on, but not one that has a blank behind it', async () => {
    const store = storeOf({ pot: ['Teapot', '', ''], tea: ['Tea', '', ''] });
    expect(await found(store, 'tea')).toEqual(['tea', 'pot']);
    expect(await found(store, 'tea ')).toEqual(['tea']);
  });
});

describe('the words of a query', () => {
  it('must all be there, or else as many as possible', async () => {
    const store = storeOf({
      both: ['A', 'harbour lights', ''],
      one: ['B', 'harbour', ''],
      other: ['C', 'lights', ''],
    });
    expect(await found(store, 'harbour lights')).toEqual(['both']);
    expect((await found(store, 'harbour bicycle')).toSorted()).toEqual(['both', 'one']);
    expect(await found(store, 'harbour lights bicycle')).toEqual(['both']);
  });

  it('may stand in different exchanges, also in one that is not shown', async () => {
    const supportPath = tempFolder();
    const turns = [
      makeTurn({ id: 'a', question: 'harbour?' }),
      makeTurn({ id: 'b', question: 'lights?', parent: '' }),
    ];
    put(supportPath, { id: 'variants', turns, head: 'b' });
    expect(await found(supportPath, 'harbour lights')).toEqual(['variants']);
  });

  it('are not looked for in what tools returned or the model thought', async () => {
    const supportPath = tempFolder();
    const toolCalls = [makeToolCall({ result: 'harbour' })];
    put(supportPath, { turns: [makeTurn({ reasoning: 'harbour', toolCalls })] });
    expect(await found(supportPath, 'harbour')).toEqual([]);
  });

  it('are few, however long the query', () => {
    expect(queryWords('word '.repeat(1_000))).toEqual([
      { term: 'word', isSpelled: true, isOpen: false },
    ]);
    const many = Array.from({ length: 100 }, (_, place) => `w${'x'.repeat(place)}`).join(' ');
    expect(queryWords(many)).toHaveLength(12);
  });
});

describe('the order', () => {
  it('has a title before a text, whatever else the text says', async () => {
    const store = storeOf({
      text: ['Other', 'harbour harbour harbour', 'harbour '.repeat(50)],
      title: ['The harbour', 'Something long about other things', 'and more '.repeat(200)],
    });
    expect(await found(store, 'harbour')).toEqual(['title', 'text']);
  });

  it('has the newer one of two alike before the older', async () => {
    const supportPath = tempFolder();
    for (const [id, age] of [
      ['b', 90],
      ['c', 1],
      ['a', 400],
      ['d', 30],
    ] as const)
      put(supportPath, { id, title: 'Harbour' }, BUILDER_TIME - age * 24 * 60 * 60_000);
    expect(await found(supportPath, 'harbour')).toEqual(['c', 'd', 'b', 'a']);
  });

  it('has the word itself before one like it', async () => {
    const store = storeOf({
      like: ['Harbours', '', ''],
      same: ['Harbour', '', ''],
      typo: ['Harbuor', '', ''],
    });
    expect(await found(store, 'harbour')).toEqual(['same', 'like', 'typo']);
  });
});

describe('a snippet', () => {
  it('shows the word among its neighbours, on one line', async () => {
    const filler = 'and so on '.repeat(40);
    const store = storeOf({
      a: ['A', 'What?', `${filler}\n\nthe **harbour**\n- lights ${filler}`],
    });
    const [snippet] = await snippets(store, 'harbour');
    expect(snippet).toEqual({
      turnId: 'turn-1',
      part: 'answer',
      text: expect.any(String) as string,
    });
    expect(snippet?.text).toMatch(/^…\S.*so on the \*\*harbour\*\* - lights and .*\S…$/);
  });

  it('is from the exchange with the most words, else from the newest', async () => {
    const supportPath = tempFolder();
    const turns = [
      makeTurn({ id: 'old', question: 'harbour' }),
      makeTurn({ id: 'both', question: 'x', response: 'lights of the harbour' }),
      makeTurn({ id: 'new', question: 'harbour' }),
    ];
    put(supportPath, { turns });
    expect(await snippets(supportPath, 'harbour lights')).toMatchObject([
      { turnId: 'both', part: 'answer' },
    ]);
    expect(await snippets(supportPath, 'harbour')).toMatchObject([
      { turnId: 'new', part: 'question', text: 'harbour' },
    ]);
  });

  it.each([
    ['a title alone', 'Green', undefined],
    ['a script without spaces', '大学', '我在北京大学学习中文。'],
    ['a misspelt word', 'recieve', 'Did you receive the conference programme?'],
  ])('of %s', async (_what, query, text) => {
    const [snippet] = await snippets(storeOf(TEXTS), query);
    expect(snippet).toEqual(text === undefined ? undefined : expect.objectContaining({ text }));
  });

  it('never cuts a character in two', async () => {
    const store = storeOf({ a: ['A', '🍵'.repeat(300) + ' harbour ' + '🍵'.repeat(300), ''] });
    const [snippet] = await snippets(store, 'harbour');
    expect(snippet?.text).not.toMatch(
      /[\uD800-\uDFFF](?![\uDC00-\uDFFF])(?<![\uD800-\uDBFF][\uDC00-\uDFFF])/,
    );
    expect(snippet?.text).toContain('harbour');
  });
});

describe('a hostile text', () => {
  it.each([
    ['one endless word', 'a'.repeat(1_000_000)],
    ['endless Han', '北京'.repeat(200_000)],
    ['combining marks', `e${'\u0301'.repeat(300_000)}`],
    ['ligatures that grow', '\uFDFA'.repeat(20_000)],
    ['names of built-in things', '__proto__ constructor toString hasOwnProperty'],
    ['control characters and halves', '\u0000\u0007\uD800\uDC00\uD800 \uDFFF\n\n'],
    [
      'a hundred thousand different words',
      Array.from({ length: 100_000 }, (_, n) => `w${n.toString(36)}`).join(' '),
    ],
  ])('of %s is indexed, and its neighbour is found', async (_what, text) => {
    const store = storeOf({
      hostile: ['H', 'harbour', text],
      neighbour: ['N', 'harbour lights', ''],
    });
    expect((await found(store, 'harbour')).toSorted()).toEqual(['hostile', 'neighbour']);
    expect(await found(store, 'lights')).toEqual(['neighbour']);
  });

  it('finds by the names of built-in things only what says them', async () => {
    const store = storeOf({ a: ['A', 'the constructor', '__proto__'], b: ['B', 'other', ''] });
    expect(await found(store, 'constructor')).toEqual(['a']);
    expect(await found(store, '__proto__')).toEqual(['a']);
    expect(await found(store, 'toString')).toEqual([]);
  });
});

describe('words', () => {
  it('are the same however a text is composed or cased', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect([...termsOf(text.normalize('NFD'))]).toEqual([...termsOf(text.normalize('NFC'))]);
      }),
    );
  });

  it('are folded once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });

  it('of any text find that text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        async (text) => {
          fc.pre(queryWords(text).length > 0);
          const store = storeOf({ it: ['x', text, ''], other: ['y', 'q', ''] });
          expect(await found(store, text)).toContain('it');
        },
      ),
      { numRuns: 60 },
    );
  });
});
