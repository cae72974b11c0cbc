import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { numberIn } from '../__tests__/support/document-pane';
import { words, type Step } from '../__tests__/support/model-server';
import { pdfFile } from '../__tests__/support/pdf-files';

const NOTE = 'Papers/Wasser.md';
const REPORT = 'Papers/report.pdf';

/** Writes the folder `Papers` with a German note and a PDF file of two pages, and gives its path. */
export function putPapers(folder: string): string {
  const path = join(folder, 'Papers');
  mkdirSync(path);
  writeFileSync(
    join(path, 'Wasser.md'),
    `# Wasser für die erste Ernte

Das Wasser soll 85 Grad haben und drei Minuten stehen.

Der Krug wird vorher mit heißem Wasser gewärmt.
`,
  );
  writeFileSync(
    join(path, 'report.pdf'),
    pdfFile({
      title: 'The garden report',
      pages: [
        { lines: ['Low Terrace', '', 'The Low Terrace was pruned in January by four gardeners.'] },
        {
          lines: [
            'Cloud Garden',
            '',
            'The Cloud Garden yielded nine crates of leaf in a spring of heavy fog.',
          ],
        },
      ],
    }),
  );
  return path;
}

export const PAPERS_QUESTION = 'What do my papers say about the gardens, and how do I brew?';

/** Milliseconds between two words, so that a person sees the answer stream. */
const PACE_MS = 12;

/** What the scripted model does: it searches, reads the second page, quotes it, tells of the first, and misquotes the note. */
export const papersScript: readonly Step[] = [
  {
    calls: ['gardens terrace garden', 'Wasser Grad Minuten'].map((query) => ({
      name: 'search_documents',
      arguments: { query },
    })),
    delayMs: PACE_MS,
  },
  {
    calls: [1, 2].map((page) => ({ name: 'read_document', arguments: { path: REPORT, page } })),
    delayMs: PACE_MS,
  },
  ({ body }) => {
    const report = `[${String(numberIn(body, REPORT))}]`;
    const note = `[${String(numberIn(body, NOTE))}]`;
    return {
      text: words(`Your report says “the Cloud Garden yielded nine crates of leaf” ${report}.

In January the four gardeners pruned the Low Terrace ${report}.

Your note says “Das Wasser soll 95 Grad haben und drei Minuten stehen” ${note}.`),
      delayMs: PACE_MS,
    };
  },
];
