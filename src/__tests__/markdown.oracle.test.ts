import { spawnSync } from 'node:child_process';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  copyAnswer,
  copyExchanges,
  evidenceFormat,
  sourceListMarkdown,
  type CopiedTurn,
} from '../lib/markdown';
import type { Source } from '../lib/types';

import { makeTurn } from './support/builders';
import { cmark, cmarkMissing } from './support/cmark';
import { hostileMarkdown } from './support/hostile-markdown';

const missing = cmarkMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

/** Each document is parsed by a process of its own, several times; locally a sample is enough. */
const RUNS = process.env['CI'] === 'true' ? 400 : 150;
const TIMEOUT = 15 * 60_000;

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page `2` <img src=x>', url: 'https://b.example/2?p=(1&copy;=`' },
  { index: 3, title: 'Page 3', url: 'javascript:alert(1)' },
];

const turn = (response: string, more: Partial<CopiedTurn> = {}): CopiedTurn => ({
  question: 'What is [1]?',
  response,
  toolCalls: [{ name: 'web_search', arguments: {}, result: '', isError: false, sources }],
  ...more,
});

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const decode = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot);/g, (_whole, name: string) => ENTITIES[name] ?? '');
const code = (html: string): string[] =>
  [...html.matchAll(/<code(?: class="[^"]*")?>([\s\S]*?)<\/code>/g)].map((match) =>
    // Between raw tags a reference is a link for the parser, and its words are the same.
    decode((match[1] ?? '').replace(/<\/?a\b[^>]*>/g, '').replace(/[[\]]/g, '')),
  );
const addresses = (html: string): string[] =>
  [...html.replace(/<code[\s\S]*?<\/code>/g, '').matchAll(/<a href="([^"]*)"/g)].map((match) =>
    decode(match[1] ?? ''),
  );

/** As others read it: an editor that knows footnotes, or a page that shows no HTML of the text. */
function cmarkWith(markdown: string, ...flags: string[]): string {
  const { status, stdout, stderr } = spawnSync(
    'cmark-gfm',
    ['-e', 'table', '-e', 'strikethrough', ...flags],
    { input: markdown, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`cmark-gfm failed: ${stderr}`);
  return stdout;
}
const cmarkFootnotes = (markdown: string): string => cmarkWith(markdown, '-e', 'footnotes');

/**
 * Documents that both parsers read alike: cmark-gfm lets a line that is one tag end the lazy part of a paragraph, CommonMark
 * does not, and code for one is text for the other. A row that ends in an open parenthesis is a definition for cmark-gfm only.
 */
const documents = hostileMarkdown.filter(
  (each) => !/(?:^|\n)<[^\n]*>[ \t]*\r?\n/.test(each) && !/\]:[^\n]*\([^\n()]*(?:\n|$)/.test(each),
);

/** The same without formulas and escapes, in which a backtick is no code for Lam. */
const plainDocuments = documents.map((each) => each.replace(/[$\\\t]/g, ''));

describe.skipIf(missing !== undefined)('by the launcher’s own parser', () => {
  it.each(['markdown', 'footnotes'] as const)(
    'a copy as %s has the code of the answer, byte for byte',
    (format) => {
      fc.assert(
        fc.property(documents, (document) => {
          expect(code(cmark(copyAnswer(turn(document), format)))).toEqual(code(cmark(document)));
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it.each(['markdown', 'footnotes'] as const)(
    'a copy as %s shows the words of the answer',
    (format) => {
      /** Without the hints of full-width markers, which are a spelling of the marker. */
      const words = (html: string): string =>
        decode(html.replace(/<[^>]*>/g, '').replace(/†L3/g, '')).replace(/\P{L}+/gu, '');
      fc.assert(
        fc.property(documents, (document) => {
          // Definitions and what stands in an open block of HTML become visible.
          const response = document.replaceAll(']:', ']').replaceAll('<', '');
          const copied = copyAnswer(turn(response, { toolCalls: [] }), format);
          const cited = copyAnswer(turn(response), format);
          expect(words(cmark(copied)).replace(/^noresponse$/, '')).toBe(words(cmark(response)));
          const body = cited.split(/\n\n(?:_Sources_\n|\[\^1a?\]: Page|\[\^2a?\]: Page)/)[0] ?? '';
          expect(words(cmark(body)).replace(/^noresponse$/, '')).toBe(words(cmark(response)));
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'a copy as HTML has the code of the answer, byte for byte',
    () => {
      fc.assert(
        fc.property(plainDocuments, (document) => {
          expect(code(copyAnswer(turn(document), 'html'))).toEqual(code(cmarkWith(document)));
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'a conversation as Markdown has exactly the links of its answers',
    () => {
      fc.assert(
        fc.property(documents, documents, (first, second) => {
          const turns = [turn(first), turn(second, { question: '[1]: https://q.example\n\n[1]' })];
          const alone = turns.flatMap((each) => addresses(cmark(copyAnswer(each, 'markdown'))));
          const together = addresses(cmark(copyExchanges(turns, 'markdown')));
          expect(together.filter((each) => each !== 'https://q.example')).toEqual(alone);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'a conversation with footnotes defines each label once, and no mark leads to another answer',
    () => {
      fc.assert(
        fc.property(documents, documents, (first, second) => {
          const turns = [turn(first), turn(second, { question: 'And [^1-1], [^2-1]?' })];
          const html = cmarkFootnotes(copyExchanges(turns, 'footnotes'));
          const prose = html.replace(/<code[\s\S]*?<\/code>/g, '');
          const [body = '', notes = ''] = prose.split('<section class="footnotes"');
          const marks = [...body.matchAll(/data-footnote-ref>(\d+)</g)].map(([, n]) => Number(n));
          const defined = [...notes.matchAll(/<li id="fn-([^"]+)"/g)].map((match) => match[1]);
          expect(new Set(marks).size).toBe(defined.length);
          for (const label of defined) expect(label).toMatch(/^[12]-[12]$/);
          const exchanges = body.split('And [^1-1], [^2-1]?');
          expect(exchanges).toHaveLength(2);
          for (const [i, exchange] of exchanges.entries()) {
            for (const mark of exchange.matchAll(/href="#fn-([^"]+)"/g))
              expect(mark[1]?.startsWith(`${String(i + 1)}-`)).toBe(true);
          }
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it('a footnote is no definition of a link for a parser that knows none', () => {
    const titles = ['', 'Tea', '<b>', '"Tea"', "'", '# Tea', '1. Tea', '- ', 'https://a.example/'];
    const urls = ['https://a.example/', 'https://a.example/?a&copy;=1|2`"(', '/home/a b/c.pdf'];
    for (const title of titles) {
      for (const url of urls) {
        const source: Source = {
          index: 1,
          title,
          url,
          ...(url.startsWith('/') ? { kind: 'document' } : {}),
        };
        const call = { name: 'x', arguments: {}, result: '', isError: false, sources: [source] };
        const copied = copyAnswer(turn('Wet [1].', { toolCalls: [call] }), 'footnotes');
        const plain = cmark(copied);
        expect(plain).toMatch(/^<p>Wet \[\^1\]\.<\/p>\n<p>\[\^1\]: \S/);
        expect(addresses(plain)).toHaveLength(url.startsWith('/') ? 0 : 1);
        expect(cmarkFootnotes(copied)).toContain('<li id="fn-1"');
      }
    }
  });

  it(
    'no words of others become a link where a program looks for addresses',
    () => {
      const address = fc.constantFrom(
        'http://',
        'HTTPS://evil.example/a_(b)',
        'ftp://evil.example',
        'www.',
        'www.evil.example',
        'a.b+c@evil.example',
        'a@evil.example.',
        'mailto:a@evil.example',
        'xmpp:a@evil.example/b',
        '<http://evil.example>',
        'http://例え.example/路',
      );
      const glue = fc.constantFrom('', ' ', '_', '`', '\\', '(', ')', '*', '|', '例', '.', '"');
      const words = fc
        .array(fc.oneof(address, address, glue, fc.string({ maxLength: 4 })), { maxLength: 8 })
        .map((parts) => parts.join(''));
      fc.assert(
        fc.property(words, words, (title, more) => {
          const own = { index: 1, title, url: 'https://a.example/1' };
          const found: Source[] = [
            own,
            { index: 2, title, url: `/home/ada/${more.replaceAll('/', '')}`, kind: 'document' },
            { index: 3, title, url: `x:${more}` },
          ];
          const call = { name: 'x', arguments: {}, result: '', isError: false, sources: found };
          const each = turn('', {
            error: more,
            toolCalls: [call],
            evidence: [{ ...own, id: 'a', blocks: [], quote: more, score: 1, markers: [4] }],
          });
          // Not Markdown with links: its list is the pane's, sign by sign.
          const copies = [
            copyAnswer(each, 'footnotes'),
            copyAnswer({ ...each, response: 'A [1], and [2].' }, 'footnotes'),
            copyAnswer({ ...each, response: 'A [1].' }, evidenceFormat),
            sourceListMarkdown(makeTurn({ response: 'A [1], and [2].', toolCalls: [call] })),
          ];
          for (const copy of copies) {
            const html = cmarkWith(copy, '-e', 'autolink', '-e', 'footnotes');
            const led = addresses(html).filter((href) => !/^#fn|^\/home\/ada\//.test(href));
            expect(new Set([own.url, ...led])).toEqual(new Set([own.url]));
          }
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it.each([
    ['an open fence', '```\n[1]'],
    ['an open fence in a list', '- a\n\n  ~~~~js\n  b'],
    ['an open fence in a quote', '> ```\n> b\n\n'],
    ['an open comment', '<!-- [1]\n```\n[9]: https://x.example'],
    ['an open script', 'a\n\n<script>\n```'],
    ['an open pre', '<PRE\n```'],
    ['an open instruction', '<?php [1]'],
    ['an open declaration', '<!DOCTYPE'],
    ['open CDATA', '<![CDATA[ >'],
    ['indented code', 'a\n\n    b\n'],
    ['a table', '|a|\n|-|\n|b|'],
    ['a list', '- a\n  - b'],
    ['a line that waits to be a heading', 'a'],
  ])('%s of one answer does not reach what comes behind it', (_why, response) => {
    const html = cmark(copyExchanges([turn(response), turn('Last *word* [1].')], 'markdown'));
    expect(html).toMatch(
      /<hr \/>\n<blockquote>\n<p>What is \[1\]\?<\/p>\n<\/blockquote>\n<p>Last <em>word<\/em> <a href="https:\/\/a\.example\/1">\[1\]<\/a>\.<\/p>\n<p><em>Sources<\/em><\/p>\n<ul>/,
    );
    expect(html.match(/<p><em>Sources<\/em><\/p>/g)).toHaveLength(2);
  });
});
