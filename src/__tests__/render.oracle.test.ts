import fc from 'fast-check';
import { expect, it } from 'vitest';

import { linkCitations } from '../lib/citations';
import { renderModelOutput } from '../lib/render';
import type { Source } from '../lib/types';

import { cmark, cmarkMissing } from './support/cmark';
import { hostileMarkdown } from './support/hostile-markdown';

const missing = cmarkMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

const sources: Source[] = [
  { index: 1, title: 'Page 1', url: 'https://a.example/1' },
  { index: 2, title: 'Page 2', url: 'https://b.example/2' },
  { index: 3, title: 'Page 3', url: 'https://c.example/3' },
];
const all = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map((match) => match[1] ?? '');
const codeOf = (html: string): string[] =>
  all(html, /<code(?: class="[^"]*")?>([\s\S]*?)<\/code>/g);

/** Many documents in one process: starting the parser costs more than parsing. */
const batches = fc.array(hostileMarkdown, { minLength: 20, maxLength: 20 });
const BETWEEN = '\n\n<!-- -->\n\n~~~~~~~~~~~~~~~~\nnext\n~~~~~~~~~~~~~~~~\n\n';

it.skipIf(missing !== undefined)(
  'the launcher’s parser sees the same code before and after linking',
  () => {
    fc.assert(
      fc.property(batches, (documents) => {
        for (const document of documents) {
          const linked = linkCitations(document, sources).text;
          if (linked === document) continue;
          expect(codeOf(cmark(linked))).toEqual(codeOf(cmark(document)));
        }
      }),
      { numRuns: 6 },
    );
  },
);

it.skipIf(missing !== undefined)(
  'every address of the pane text is one that may be opened, and nothing loads',
  () => {
    fc.assert(
      fc.property(batches, (documents) => {
        const html = cmark(
          documents.map((document) => renderModelOutput(document, { sources }).text).join(BETWEEN),
        ).replace(/<code[\s\S]*?<\/code>/g, '');
        for (const address of all(html, /href="([^"]*)"/g))
          expect(address).toMatch(/^(?:https?:\/\/|mailto:)/);
        expect(html).not.toMatch(/<(?:img|script|style|link|iframe|object)\b/i);
      }),
      { numRuns: 15 },
    );
  },
);
