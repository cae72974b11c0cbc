import { describe, expect, it } from 'vitest';

import { turnMarkdown } from '../lib/markdown';
import type { Evidence, Source } from '../lib/types';
import { makeSource, makeToolCall, makeTurn } from './support/builders';

const PDF = makeSource({
  kind: 'document',
  url: '/home/reader/insurance.pdf',
  title: 'Home Policy',
});
const NOTE = makeSource({
  kind: 'document',
  url: '/home/reader/my notes.md',
  title: 'my notes.md',
});
const WEB = makeSource({ url: 'https://tea.example/report.pdf', title: 'Report' });

const passage = (more: Partial<Evidence>): Evidence => ({
  index: 1,
  id: 'one',
  title: 'One',
  url: 'https://one.example',
  blocks: ['b1'],
  quote: 'Words.',
  score: 1,
  markers: [0],
  ...more,
});

/** The row of the only source under an answer that cites it. */
function row(source: Source, evidence?: Evidence[]): string {
  const toolCalls = [makeToolCall({ sources: [source] })];
  const turn = makeTurn({ response: 'So [1].', toolCalls, ...(evidence ? { evidence } : {}) });
  return turnMarkdown(turn).split('\n').at(-1) ?? '';
}

describe('a row of the list under an answer', () => {
  it.each<[string, Source, Evidence[] | undefined, string]>([
    ['a file without evidence', PDF, undefined, 'Home Policy'],
    ['a file under its name', NOTE, undefined, 'my notes.md'],
    ['a page of a file', PDF, [passage({ page: 2 })], 'Home Policy, p. 2'],
    [
      'pages in their order, each once',
      PDF,
      [passage({ page: 4, pageEnd: 5 }), passage({ page: 2 }), passage({ page: 4 })],
      'Home Policy, p. 2, 4, 5',
    ],
    [
      'more pages than are named',
      WEB,
      [1, 2, 3, 4, 5, 6, 7].map((page) => passage({ page })),
      'Report, p. 1, 2, 3, 4, 5, 6 …',
    ],
    ['a page of the web without pages', WEB, [passage({ number: 3 })], 'Report'],
    ['pages of another source', PDF, [passage({ index: 2, page: 9 })], 'Home Policy'],
  ])('%s', (_name, source, evidence, title) => {
    expect(row(source, evidence).replace(/^- \[\\\[1\\\]\]\((?:<[^>]*>|[^)]*)\) /, '')).toBe(title);
  });
});
