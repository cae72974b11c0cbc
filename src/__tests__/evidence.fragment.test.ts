import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findEvidence, passageAddress } from '../lib/evidence';

import { readCall } from './support/shown-calls';

/** The directive of the passage behind an answer of the passage's own words. */
function directive(passage: string, page = passage, claim = passage): string | undefined {
  const words = claim.replace(/[[\]|#*`>_~]/g, ' ').replace(/\s+/g, ' ');
  const { evidence } = findEvidence({ response: `${words} [1]`, toolCalls: [readCall(page)] }, []);
  return evidence[0]?.fragment;
}

/** A directive as a browser reads it. */
function parts(text: string | undefined): Record<string, string> {
  const terms = (text ?? '').replace(/^text=/, '').split(',');
  const out: Record<string, string> = {};
  if (terms[0]?.endsWith('-'))
    out['prefix'] = decodeURIComponent((terms.shift() ?? '').slice(0, -1));
  if (terms.at(-1)?.startsWith('-'))
    out['suffix'] = decodeURIComponent((terms.pop() ?? '').slice(1));
  out['start'] = decodeURIComponent(terms[0] ?? '');
  if (terms[1] !== undefined) out['end'] = decodeURIComponent(terms[1]);
  return out;
}

describe('a short passage is looked for as it is', () => {
  it.each<[string, string, string]>([
    ['English', 'Nine seedlings survived the winter.', 'Nine seedlings survived the winter'],
    [
      'signs of a directive',
      'A well-known, old & simple tea survived.',
      'A well-known, old & simple tea survived',
    ],
    [
      'emphasis and links',
      'The **old** tea of [the *island*](https://a.example/x) grows `here` always.',
      'The old tea of the island grows here always',
    ],
    [
      'a quotation mark',
      '“Nine seedlings,” she said, “survived the winter.”',
      'Nine seedlings,” she said, “survived the winter',
    ],
    ['a heading', '## Nine seedlings survived winter', 'Nine seedlings survived winter'],
    ['an item', '- Nine seedlings survived winter', 'Nine seedlings survived winter'],
    ['a quote', '> Nine seedlings survived winter', 'Nine seedlings survived winter'],
    [
      'a word with an underscore',
      'The option max_line_length and its use_tabs survive.',
      'The option max_line_length and its use_tabs survive',
    ],
    [
      'German',
      'Die Bauern gründeten ihren Verband für Tee.',
      'Die Bauern gründeten ihren Verband für Tee',
    ],
    ['Russian', 'Чай появился на острове давно.', 'Чай появился на острове давно'],
    ['Chinese', '岛民以盐和羊毛为生，茶叶一直很稀少。', '岛民以盐和羊毛为生，茶叶一直很稀少'],
    ['Japanese', '島の人々は塩と羊毛で暮らしていた。', '島の人々は塩と羊毛で暮らしていた'],
    ['Thai', 'ชามาถึงเกาะเมื่อนักสำรวจปลูกต้นกล้า', 'ชามาถึงเกาะเมื่อนักสำรวจปลูกต้นกล้า'],
    ['Arabic', 'ظل الشاي نادرا لجيلين كاملين.', 'ظل الشاي نادرا لجيلين كاملين'],
    ['Hebrew', 'התה נשאר נדיר במשך שני דורות.', 'התה נשאר נדיר במשך שני דורות'],
    ['Hindi', 'द्वीप पर चाय बहुत दुर्लभ रही।', 'द्वीप पर चाय बहुत दुर्लभ रही'],
  ])('%s', (_name, passage, start) => {
    expect(parts(directive(passage))).toEqual({ start });
  });

  it('is encoded so that only its own signs mean something', () => {
    expect(directive('A well-known, old & simple tea (the “first”) survived!')).toBe(
      'text=A%20well%2Dknown%2C%20old%20%26%20simple%20tea%20%28the%20%E2%80%9Cfirst%E2%80%9D%29%20survived',
    );
  });
});

describe('a longer passage is looked for by its ends', () => {
  const middle = 'Many words stand between them, and all of them are about tea. '.repeat(6);

  it('in one block', () => {
    const passage = `Nine of the forty seedlings survived. ${middle}All the old gardens descend from these.`;
    expect(parts(directive(passage))).toEqual({
      start: 'Nine of the forty seedlings',
      end: 'old gardens descend from these',
    });
  });

  it('in a list', () => {
    const list = '- Green tea steeps for two minutes.\n- Black tea steeps for four minutes.';
    expect(parts(directive(list))).toEqual({
      start: 'Green tea steeps for two',
      end: 'tea steeps for four minutes',
    });
  });

  it('from 301 characters on', () => {
    const words = 'Nine seedlings of tea survived. ';
    const passage = `${words.repeat(8)}The gardens remain`.padEnd(300, 's');
    expect(parts(directive(passage))).toEqual({ start: passage });
    expect(parts(directive(`${passage}s`))).toEqual({
      start: 'Nine seedlings of tea survived',
      end: `tea survived. The gardens remain${'s'.repeat(27)}`,
    });
  });

  it('with five words, however long they are', () => {
    const long =
      'internationalisation telecommunications misunderstandings characteristically uncharacteristically';
    expect(parts(directive(`${long} so. ${middle}So ${long}`))).toEqual({ start: long, end: long });
  });

  it('in Japanese, also with long words', () => {
    const long = 'コンピューターとインターネットとアプリケーション';
    const passage = `${long}が島に来た。${'茶は二世代にわたって珍しいものだった、'.repeat(20)}島に来たのは${long}。`;
    const { start = '', end = '' } = parts(directive(passage));
    expect(start).toBe('コンピューターとインターネットとアプリケーション');
    expect(end).toBe(long);
  });

  it('in Chinese, with enough characters to be found', () => {
    const passage = `岛民以盐和羊毛为生。${'茶叶在两代人的时间里一直很稀少，'.repeat(20)}最后一句话在这里结束。`;
    const { start = '', end = '' } = parts(directive(passage));
    expect(start).toMatch(/^岛民以盐和羊毛/);
    expect(end).toMatch(/在这里结束$/);
    expect(start.length).toBeLessThan(40);
  });
});

describe('words that stand several times', () => {
  const other = 'Nine seedlings survived the winter.';

  it('have what stands before them', () => {
    const page = `${other}\n\nIt was the year of the great storm.\n\n${other} And so it was that tea came here.`;
    const { evidence } = findEvidence(
      { response: 'It was the year of the great storm [1].', toolCalls: [readCall(page)] },
      [],
    );
    expect(evidence[0]?.fragment).toBe('text=It%20was%20the%20year%20of%20the%20great%20storm');
    const twice = `The first garden.\n\n${other}\n\nThe second garden.\n\n${other}`;
    expect(parts(directive(other, twice))).toEqual({
      prefix: 'The first garden',
      start: other.slice(0, -1),
    });
  });

  it('have what stands behind them where nothing stands before', () => {
    expect(parts(directive(other, `${other}\n\nThe second garden.\n\n${other}`))).toEqual({
      start: other.slice(0, -1),
      suffix: 'The second garden',
    });
  });
});

describe('no directive', () => {
  it.each([
    ['fenced code', '```\nnine seedlings survived winter\n```'],
    ['indented code', '    nine seedlings survived winter\n    and more'],
    ['three characters', 'a b'],
    ['one word of a script without spaces', '北京市'],
  ])('for %s', (_name, passage) => {
    expect(directive(passage)).toBeUndefined();
  });

  it('over cells: one of them only', () => {
    const table =
      '| Year | What happened then |\n|---|---|\n| 1781 | Forty seedlings were planted |';
    expect(parts(directive(table))).toEqual({ start: 'Forty seedlings were planted' });
    expect(
      directive('| a | 1 |\n|---|---|\n| b | 2 |\n| winter | 3 |\n| seedlings | 4 |'),
    ).toBeUndefined();
  });
});

describe('a directive for any passage', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-zA-Zäöüß]{1,9}$/),
    fc.constantFrom(
      'tea-time',
      'a,b',
      'x&y',
      '50%',
      '**bold**',
      '[text](https://a.example/)',
      '`code`',
      '茶葉',
      'чай',
      'शाय',
      '~',
      '*',
      '[',
      '|',
      '🍵',
      '—',
    ),
  );

  it('has whole words of the passage and nothing that means something else', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 4, maxLength: 120 }), (words) => {
        const passage = words.join(' ');
        const text = directive(passage);
        if (text === undefined) return;
        expect(text).toMatch(/^text=(?:[\w%.]+-,)?[\w%.]+(?:,[\w%.]+)?(?:,-[\w%.]+)?$/);
        const plain = passage
          .replace(/\[text\]\([^)]*\)/g, 'text')
          .replace(/[*`~]/g, '')
          .replace(/\s+/g, ' ');
        for (const part of Object.values(parts(text)))
          expect(plain).toContain(part.replace(/[*`~]/g, '').replace(/\s+/g, ' '));
        expect(passageAddress({ url: 'https://a.example/', fragment: text })).toContain(
          '#:~:text=',
        );
      }),
    );
  });
});

describe('the address of a passage', () => {
  const fragment = 'text=nine%20seedlings';

  it.each<[string, Parameters<typeof passageAddress>[0], string | undefined]>([
    [
      'a page',
      { url: 'https://a.example/b?c', fragment },
      'https://a.example/b?c#:~:text=nine%20seedlings',
    ],
    [
      'a section',
      { url: 'https://a.example/b#c', fragment },
      'https://a.example/b#c:~:text=nine%20seedlings',
    ],
    [
      'an address with a directive',
      { url: 'https://a.example/b#:~:text=x', fragment },
      'https://a.example/b#:~:text=nine%20seedlings',
    ],
    ['a route', { url: 'https://a.example/#/b', fragment }, 'https://a.example/#/b'],
    ['an old route', { url: 'https://a.example/#!b', fragment, page: 3 }, 'https://a.example/#!b'],
    ['a page without a directive', { url: 'https://a.example/' }, 'https://a.example/'],
    [
      'a PDF',
      { url: 'https://a.example/b.pdf#view', page: 4, fragment },
      'https://a.example/b.pdf#page=4',
    ],
    ['a document', { url: '/notes/my tea.pdf', kind: 'document', page: 4 }, '/notes/my tea.pdf'],
    ['a document of somebody else', { url: '/notes/tea.md' }, undefined],
    ['a script', { url: 'javascript:alert(1)', fragment }, undefined],
    [
      'a directive that was changed',
      { url: 'https://a.example/', fragment: 'text=a b\n' },
      'https://a.example/',
    ],
  ])('of %s', (_name, evidence, address) => {
    expect(passageAddress(evidence)).toBe(address);
  });
});
