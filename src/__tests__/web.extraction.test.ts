import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect, it } from 'vitest';
import * as z from 'zod/mini';

import { markdownWords, pageFixtures, wordScore } from './support/word-score';

const { readPage } = z
  .object({
    readPage: z.custom<(html: string, url: string) => unknown>(
      (value) => typeof value === 'function',
    ),
  })
  .parse(createRequire(join(import.meta.dirname, '../../assets/'))('./page.js'));
const Reading = z.object({ text: z.string() });

/**
 * For each page the least word F1 of its text, measured and rounded down, and the words of its frame that may come along
 * (a line that stands inside the article, such as who it is by). The heading that is also the title is not in the text.
 */
const EXPECTED: Record<string, { f1: number; noise: number }> = {
  arabic: { f1: 1, noise: 0 },
  blog: { f1: 0.98, noise: 0 },
  changelog: { f1: 0.99, noise: 0 },
  chinese: { f1: 0.98, noise: 6 },
  code: { f1: 0.96, noise: 3 },
  components: { f1: 0.97, noise: 0 },
  docs: { f1: 0.99, noise: 0 },
  forum: { f1: 0.91, noise: 3 },
  japanese: { f1: 1, noise: 0 },
  legal: { f1: 0.97, noise: 0 },
  listing: { f1: 0.98, noise: 0 },
  news: { f1: 0.98, noise: 0 },
  'old-table': { f1: 1, noise: 0 },
  paper: { f1: 0.9, noise: 6 },
  question: { f1: 0.91, noise: 8 },
  recipe: { f1: 0.97, noise: 4 },
  russian: { f1: 1, noise: 0 },
  shop: { f1: 0.97, noise: 0 },
  tables: { f1: 0.98, noise: 0 },
  wiki: { f1: 0.98, noise: 4 },
};

it('has a measure for every page', () => {
  expect(pageFixtures().map(({ name }) => name)).toEqual(Object.keys(EXPECTED).sort());
});

it.each(pageFixtures())(
  '$name: the main text is there, its frame is not',
  ({ name, html, wanted, unwanted }) => {
    const { text } = Reading.parse(readPage(html, 'https://site.example/'));
    const words = markdownWords(text);
    const found = new Set(words);
    expect(wordScore(words, wanted).f1).toBeGreaterThanOrEqual(EXPECTED[name]?.f1 ?? 1);
    expect(unwanted.filter((word) => found.has(word)).length).toBeLessThanOrEqual(
      EXPECTED[name]?.noise ?? 0,
    );
  },
);
