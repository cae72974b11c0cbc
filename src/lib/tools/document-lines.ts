import { MAX_URL_CHARS } from '../constants';
import type { Block } from '../types';
import { cleanLine, neutralise } from './untrusted';

/** What stands for an answer where there is nothing to ask: the model is not offered the tool then. */
export const NO_DOCUMENTS = {
  ok: false,
  status: 'unreadable',
  message: 'No folder of documents is chosen.',
} as const;

/** `p. 4`, `pp. 4–5` or, in a document without pages, `¶12`, which `read_document` takes as `page` and `block`; '' = unknown. */
export function placeOf(blocks: readonly Block[]): string {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first) return '';
  if (first.page === undefined) return `¶${first.number}`;
  const end = last?.page ?? first.page;
  return end > first.page ? `pp. ${first.page}–${end}` : `p. ${first.page}`;
}

/** The line that tells the name to read a document by, with its line break. A name that would not stay the same has none. */
export function pathLine(name: string): string {
  const line = neutralise(`path: ${cleanLine(name, MAX_URL_CHARS)}`);
  return line === `path: ${name}` ? `${line}\n` : '';
}
