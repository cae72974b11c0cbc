import { spawnSync } from 'node:child_process';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  copyAnswer,
  copyExchanges,
  evidenceFormat,
  threadMarkdown,
  turnMarkdown,
} from '../lib/markdown';
import type { Evidence, QuoteCheck, Source, Turn } from '../lib/types';
import { makeToolCall, makeTurn } from './support/builders';
import { cmarkMissing } from './support/cmark';
import { hostileMarkdown } from './support/hostile-markdown';

const web: Source = { index: 1, title: 'Leaf', url: 'https://leaf.example/tea', status: 'read' };
const pdf: Source = { index: 2, title: 'Paper', url: 'https://p.example/a.pdf', status: 'part' };
const file: Source = { index: 3, title: 'Notes', url: '/home/ada/my notes.md', kind: 'document' };
const hit: Source = { index: 4, title: 'Kettles', url: 'https://k.example/', status: 'hit' };
const sources = [web, pdf, file, hit];

const passage = (more: Partial<Evidence> = {}): Evidence => ({
  index: 1,
  id: '//leaf.example/tea',
  title: 'Leaf',
  url: web.url,
  blocks: ['a'],
  number: 12,
  start: 40,
  quote: 'Two minutes.',
  score: 0.6,
  markers: [4],
  ...more,
});
const check = (status: QuoteCheck['status'], index = 1): QuoteCheck => ({
  start: 0,
  end: 5,
  marker: 8,
  index,
  status,
});

const answer = (response: string, more: Partial<Turn> = {}, found = sources): Turn =>
  makeTurn({
    question: 'Why?',
    response,
    reasoning: undefined,
    toolCalls: [makeToolCall({ sources: found, statuses: [] })],
    ...more,
  });

/** The footnotes of a copy as Markdown with quotes. */
const notes = (response: string, more: Partial<Turn> = {}, found = sources): string =>
  copyAnswer(answer(response, more, found), evidenceFormat)
    .split('\n\n')
    .slice(1)
    .join('\n\n');

describe('a footnote with quotes', () => {
  const LEAF = '<https://leaf.example/tea>';
  it.each<[string, Evidence[], string]>([
    ['a passage', [passage()], `[^1]: Leaf – closest passage, ¶12: “Two minutes.” – ${LEAF}`],
    [
      'one that can be opened at its words',
      [passage({ fragment: 'text=Two%20minutes' })],
      `[^1]: Leaf – closest passage, [¶12](https://leaf.example/tea#:~:text=Two%20minutes): “Two minutes.” – ${LEAF}`,
    ],
    [
      'the lines of a search row',
      [passage({ number: undefined, start: undefined, blocks: [] })],
      `[^1]: Leaf – closest passage, search result: “Two minutes.” – ${LEAF}`,
    ],
    [
      'no place',
      [passage({ number: undefined })],
      `[^1]: Leaf – closest passage: “Two minutes.” – ${LEAF}`,
    ],
    [
      'several passages, in their order',
      [passage(), passage({ number: 3, quote: 'At 80 °C.' }), passage({ index: 2 })],
      `[^1]: Leaf – closest passage, ¶12: “Two minutes.”; closest passage, ¶3: “At 80 °C.” – ${LEAF}`,
    ],
    [
      'a passage that goes on',
      [passage({ quote: 'Two minutes', cut: true })],
      `[^1]: Leaf – closest passage, ¶12: “Two minutes …” – ${LEAF}`,
    ],
    [
      'several lines and what is not seen',
      [passage({ quote: ' Two\n\n  minutes\u202E.\u0007 ' })],
      `[^1]: Leaf – closest passage, ¶12: “Two minutes.” – ${LEAF}`,
    ],
    ['a passage without words', [passage({ quote: ' \n ' })], `[^1]: Leaf – ${LEAF}`],
    [
      'marks that act',
      [passage({ quote: '[1]: <b>*x*</b> `y` $z$ [^2] # &copy; www.a.example http://b.example' })],
      '[^1]: Leaf – closest passage, ¶12: “\\[1\\]: \\<b\\>\\*x\\*\\</b\\> \\`y\\` \\$z\\$ \\[^2\\] \\# \\&copy; `www.a.example` `http://b.example`” – ' +
        LEAF,
    ],
    [
      'an address and a title of its own, which do not count',
      [passage({ title: 'Other', url: 'https://evil.example/', fragment: 'text=a' })],
      `[^1]: Leaf – closest passage, [¶12](https://leaf.example/tea#:~:text=a): “Two minutes.” – ${LEAF}`,
    ],
    ['none', [], `[^1]: Leaf – ${LEAF}`],
  ])('%s', (_why, evidence, expected) => {
    expect(notes('So [1].', { evidence })).toBe(expected);
  });

  it('of a PDF on the web opens the page; of a file, names it once', () => {
    const evidence = [
      passage({ index: 2, page: 4, pageEnd: 5 }),
      passage({ index: 3, kind: 'document', url: file.url }),
    ];
    expect(notes('So [2], [3].', { evidence })).toBe(
      '[^2]: Paper – closest passage, [pp. 4–5](https://p.example/a.pdf#page=4): “Two minutes.” – <https://p.example/a.pdf>\n' +
        '[^3]: Notes – closest passage, ¶12: “Two minutes.” – local file my notes.md',
    );
  });

  it.each<[QuoteCheck['status'][], string]>([
    [['exact'], ' – quotations: 1 verbatim'],
    [['exact', 'exact', 'close'], ' – quotations: 2 verbatim, 1 not word for word (“It is”)'],
    [['not-found'], ' – quotations: 1 not found in what was read (“It is”)'],
    [['close', 'close'], ' – quotations: 2 not word for word (“It is”, “It is”)'],
    [['not-kept'], ' – quotations: 1 not checked, its text was not kept (“It is”)'],
    [[], ''],
  ])('says what became of quotations: %j', (statuses, said) => {
    const quotes = [...statuses.map((status) => check(status)), check('exact', 2)];
    expect(notes('It is [1].', { evidence: [passage()], quotes })).toBe(
      `[^1]: Leaf – closest passage, ¶12: “Two minutes.”${said} – ${LEAF}`,
    );
  });

  it('names a quotation by its first words, with nothing in them that acts', () => {
    const long = `<b>${'so '.repeat(30)}`;
    const quotes = [{ ...check('close'), end: long.length }];
    expect(notes(`${long} [1].`, { evidence: [], quotes })).toBe(
      `[^1]: Leaf – quotations: 1 not word for word (“\\<b\\>${'so '.repeat(12)}s…”) – ${LEAF}`,
    );
  });

  it('calls a passage closest unless it holds a quotation word for word', () => {
    const evidence = [
      passage({ score: 1, markers: [4, 8] }),
      passage({ number: 3, score: 0.9, markers: [8] }),
      passage({ number: 5, score: 1 }),
    ];
    expect(notes('It is [1].', { evidence, quotes: [check('exact')] })).toBe(
      `[^1]: Leaf – ¶12: “Two minutes.”; closest passage, ¶3: “Two minutes.”; closest passage, ¶5: “Two minutes.” – quotations: 1 verbatim – ${LEAF}`,
    );
    expect(notes('It is [1].', { evidence: [passage({ score: 1 })], quotes: [] })).toBe(
      `[^1]: Leaf – closest passage, ¶12: “Two minutes.” – ${LEAF}`,
    );
  });

  it.each<[Source['status'], string]>([
    ['hit', ' – only found by a search, not read'],
    ['blocked', ' – could not be read'],
    ['timed-out', ' – could not be read'],
    ['part', ''],
    [undefined, ''],
  ])('says whether the source was read: %s', (status, said) => {
    const source: Source = { index: 1, title: 'Leaf', url: web.url, ...(status ? { status } : {}) };
    expect(notes('So [1].', {}, [source])).toBe(`[^1]: Leaf${said} – ${LEAF}`);
  });

  it('has the labels of the other footnotes in a conversation', () => {
    const evidence = [passage()];
    const turns = [
      answer('A [1], b [^7].\n\n[^7]: Note', { evidence }),
      answer('C [1].', { evidence }),
    ];
    expect(copyExchanges(turns, evidenceFormat)).toBe(
      `> Why?\n\nA [^1-1], b \\[^7].\n\n\\[^7]: Note\n\n[^1-1]: Leaf – closest passage, ¶12: “Two minutes.” – ${LEAF}` +
        `\n\n---\n\n> Why?\n\nC [^2-1].\n\n[^2-1]: Leaf – closest passage, ¶12: “Two minutes.” – ${LEAF}`,
    );
    expect(copyExchanges(turns.slice(0, 1), evidenceFormat)).toContain(
      '\n\n[^1]: Leaf – closest passage, ¶12',
    );
  });

  it('is there as soon as something is cited, and the list only when the answer has ended', () => {
    const running = { state: 'running', endedAt: undefined, evidence: undefined } as const;
    expect(notes('So [1].', running)).toBe(`[^1]: Leaf – ${LEAF}`);
    expect(notes('So.', running)).toBe('');
    expect(notes('So.', { evidence: [passage()] })).toMatch(/^_Sources_\n\n- /);
  });

  it('of an answer without evidence is the footnote it was', () => {
    fc.assert(
      fc.property(hostileMarkdown, (response) => {
        const turns = [answer(response), answer(response)];
        expect(copyExchanges(turns, evidenceFormat)).toBe(copyExchanges(turns, 'footnotes'));
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});

const missing = cmarkMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

/** As an editor reads it that knows footnotes and makes links of bare addresses. */
function editor(markdown: string): string {
  const { status, stdout, stderr } = spawnSync(
    'cmark-gfm',
    ['--unsafe', ...['table', 'strikethrough', 'autolink', 'footnotes'].flatMap((e) => ['-e', e])],
    { input: markdown, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`cmark-gfm failed: ${stderr}`);
  return stdout;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

describe.skipIf(missing !== undefined)('by the parser of an editor', () => {
  it('nothing in a quote acts, and its words are those of the passage', () => {
    const words = fc
      .oneof(hostileMarkdown, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
      .map((text) => text.slice(0, 300));
    fc.assert(
      fc.property(words, fc.boolean(), (quote, cut) => {
        const copied = copyAnswer(
          answer('So [1].', { evidence: [passage({ quote, cut })] }),
          evidenceFormat,
        );
        const html = editor(copied);
        const [, note = ''] = /<li id="fn-1">\n<p>([\s\S]*) <a href="#fnref-1"/.exec(html) ?? [];
        // Addresses in it are code.
        const acting = note.replace(/<\/?code>/g, '').match(/<[^>]*>/g);
        expect(acting).toEqual(['<a href="https://leaf.example/tea">', '</a>']);
        const shown = note
          .replace(/<[^>]*>/g, '')
          .replace(/&(amp|lt|gt|quot);/g, (_all, name: string) => ENTITIES[name] ?? '');
        const letters = (text: string) => text.normalize().replace(/[^\p{L}\p{N}]+/gu, '');
        const plain = quote.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
        const expected =
          letters(plain) === '' && !note.includes('“') ? '' : `closestpassage12${letters(plain)}`;
        expect(letters(shown.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))).toBe(
          `Leaf${expected}httpsleafexampletea`,
        );
      }),
      { numRuns: process.env['CI'] === 'true' ? 300 : 100 },
    );
  }, 600_000);
});

describe('the line under the list', () => {
  const turn = answer('So [1], [2] and [4].', {
    evidence: [passage()],
    quotes: [check('exact'), check('not-found', 2)],
  });
  const LINE = '_3 cited · 2 read · 1 quotation not found_';

  it.each<['never' | 'problems' | 'always' | undefined, Partial<Turn>, string]>([
    [undefined, {}, ''],
    ['never', {}, ''],
    ['problems', {}, LINE],
    ['always', {}, LINE],
    ['problems', { quotes: [check('exact')] }, ''],
    ['problems', { quotes: [check('not-kept')] }, ''],
    ['problems', { quotes: undefined }, ''],
    [
      'problems',
      { quotes: [check('close')] },
      '_3 cited · 2 read · 1 quotation not word for word_',
    ],
    ['always', { quotes: [check('exact')] }, '_3 cited · 2 read_'],
    ['always', { evidence: undefined, quotes: undefined }, '_3 cited · 2 read_'],
    ['always', { response: 'So.' }, ''],
    ['always', { state: 'stopped' }, LINE],
    ['always', { state: 'running', endedAt: undefined }, ''],
  ])('%s, with %j', (evidence, more, line) => {
    const without = turnMarkdown({ ...turn, ...more });
    expect(turnMarkdown({ ...turn, ...more }, { evidence })).toBe(
      line === '' ? without : `${without}\n\n${line}`,
    );
  });

  it('stands under the list of its own answer', () => {
    const markdown = threadMarkdown([turn, { ...turn, id: 'b' }], { evidence: 'always' });
    expect(markdown.split(`\n\n${LINE}`)).toHaveLength(3);
    expect(markdown).toContain(`Kettles\n\n${LINE}\n\n---\n\n`);
  });

  it('comes when the answer has ended, so that the text only grows', () => {
    const running: Turn = { ...turn, state: 'running', endedAt: undefined };
    const growing = turnMarkdown(running, { evidence: 'always', answer: 'So' });
    expect(growing).not.toContain('cited');
    expect(turnMarkdown(turn, { evidence: 'always' }).startsWith(growing)).toBe(true);
  });
});
