import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { linkCitations } from '../lib/citations';
import type { Source } from '../lib/types';

import { cmark, cmarkMissing } from './support/cmark';
import { hostileMarkdown } from './support/hostile-markdown';

const missing = cmarkMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

/** Each document is parsed twice by a process of its own; locally a sample is enough. */
const RUNS = process.env['CI'] === 'true' ? 5000 : 300;

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page 2', url: 'https://b.example/2?p=(1' },
  { index: 3, title: 'Page 3', url: 'javascript:alert(1)' },
];

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const decode = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot);/g, (_whole, name: string) => ENTITIES[name] ?? '');

/** What a reader sees, without white space, and without brackets of numbers: their spelling is what linking may change. */
const visible = (html: string): string =>
  decode(html.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, '')
    .replace(/[[［【]\^?\d+(?:[-–,，、]\^?\d+)*(?:†[^】］:]*)?[\]］】],?/g, '#')
    .replace(/#+/g, '#');
/** Between code tags a number with a definition is a link to the parser; `[1]: Reuters` is none once it is text. */
const code = (html: string): string[] =>
  [...html.matchAll(/<code(?: class="[^"]*")?>([\s\S]*?)<\/code>/g)].map((match) =>
    (match[1] ?? '').replace(/<a href="[^"]*"[^>]*>(.*?)<\/a>|\[(\d+)\]/g, '$1$2'),
  );
const links = (html: string): [string, string][] =>
  [...html.matchAll(/<a href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map((match) => [
    decode(match[1] ?? ''),
    match[2] ?? '',
  ]);

describe.skipIf(missing !== undefined)('by the launcher’s own parser', () => {
  it(
    'linking changes no word, no code, and no address but its own',
    () => {
      fc.assert(
        fc.property(hostileMarkdown, (document) => {
          // cmark-gfm lets a line that is one tag end the lazy part of a paragraph, CommonMark does not: code for one is text
          // for the other, and there is no right answer.
          fc.pre(!/(?:^|\n)<[^\n]*>[ \t]*\r?\n/.test(document));
          // Nor is there one where a row ends in an open parenthesis: a definition for cmark-gfm, text for CommonMark.
          fc.pre(!/\]:[^\n]*\([^\n()]*(?:\n|$)/.test(document));
          const { text, cited } = linkCitations(document, sources);
          const before = cmark(document);
          const after = text === document ? before : cmark(text);
          expect(code(after)).toEqual(code(before));

          const own = new Map(sources.map(({ url, index }) => [url.replace('(', '%28'), index]));
          const earlier = new Set(links(before).map(([href]) => href));
          // A note that comes back from being swallowed may hold an address, as the model wrote it.
          const inNotes = [...document.matchAll(/\[\^?\d+\]:.*/g)].map(String).join('\n');
          for (const [href] of links(after)) {
            const isKnown = earlier.has(href) || own.has(href) || inNotes.includes(href);
            expect(isKnown, `${href} was not there before`).toBe(true);
          }
          // Between code tags a definition's number is an index, whatever the parser makes of it.
          const shown = links(after.replace(/<code[\s\S]*?<\/code>/g, ''))
            .filter(
              ([href, label]) => own.get(href) === Number(/^\[?\^?(\d+)\]?$/.exec(label)?.[1]),
            )
            .map(([href]) => own.get(href));
          // An index in a formula is a link to the parser when a definition has its number.
          if (!/[$\\]/.test(document)) expect(new Set(shown)).toEqual(new Set(cited));

          // Rows of notes may go as repeats, or come back from being swallowed.
          if (!/\[\^?\d+\]:/.test(document)) expect(visible(after)).toBe(visible(before));
        }),
        { numRuns: RUNS },
      );
    },
    20 * 60_000,
  );
});
