import { blocksOf } from '../../lib/blocks';
import { readableText } from '../../lib/tools';
import type { DocumentRef, DocumentsPort, Page } from '../../lib/types';

/** Documents in memory, by the name the model uses. */
export interface SmallDocuments {
  files?: Record<string, Pick<Page, 'text' | 'pages' | 'cut'> & Partial<DocumentRef>>;
  pending?: number;
}

/** The documents port over files in memory. A search finds the blocks that hold a word of the query, in their order. */
export function smallDocuments({ files = {}, pending = 0 }: SmallDocuments): DocumentsPort {
  const all = Object.entries(files).map(([name, { text, pages, cut, ...more }]) => {
    const readable = readableText({ text, ...(pages === undefined ? {} : { pages }) });
    const document: DocumentRef = {
      name,
      path: `/home/reader/${name}`,
      title: name.split('/').at(-1) ?? name,
      version: 'a1',
      ...more,
    };
    return { document, ...readable, ...(cut ? { cut } : {}), blocks: blocksOf(readable) };
  });
  return {
    search: (query) => {
      const words = query.toLowerCase().split(' ');
      const hits = all.flatMap(({ document, text, blocks }) => {
        const passages = blocks
          .map((block) => ({
            text: text.slice(block.start, block.end),
            start: block.start,
            blocks: [block],
            score: 1,
          }))
          .filter((passage) => words.some((word) => passage.text.toLowerCase().includes(word)));
        return passages.length === 0 ? [] : [{ document, passages }];
      });
      return Promise.resolve({ ok: true, hits, files: { indexed: all.length, pending } });
    },
    read: (name) => {
      const found = all.find(({ document }) => document.name === name);
      return Promise.resolve(
        found
          ? { ok: true, ...found }
          : { ok: false, status: 'not-found', message: `There is no file ${name}.` },
      );
    },
  };
}
