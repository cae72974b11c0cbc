import type { DocumentPassage, DocumentRef } from '../../lib/types';
import type { Found } from './block-ranking';
import type { FileRow } from './file-row';
import { STRETCH_FIELDS } from './segment';
import type { Shelf } from './shelves';
import type { KeptText } from './text-store';

/** Documents of an answer: what the model can still weigh against each other. */
export const MAX_DOCUMENTS = 8;

/** Passages of one document. */
const MAX_PASSAGES = 4;

/** UTF-16 units of a passage: neighbours are joined up to here. */
const MAX_PASSAGE_UNITS = 1_500;

/** UTF-16 units of texts that stay in memory for the next question. */
const MAX_KEPT_UNITS = 8_000_000;

/** Keeps the texts of the last documents: the next question mostly finds the same ones. */
export function createTextCache(
  read: (row: FileRow) => KeptText | undefined,
): (row: FileRow) => KeptText | undefined {
  const kept = new Map<string, KeptText>();
  let units = 0;
  const release = (path: string): void => {
    units -= kept.get(path)?.text.length ?? 0;
    kept.delete(path);
  };
  return (row) => {
    const known = kept.get(row.path);
    release(row.path);
    const text = known?.version === row.version ? known : read(row);
    if (text === undefined) return undefined;
    kept.set(row.path, text);
    units += text.text.length;
    for (const [oldest] of kept) {
      if (units <= MAX_KEPT_UNITS || kept.size === 1) break;
      release(oldest);
    }
    return text;
  };
}

/** A document that was found, and its stretches, best first. */
export interface FoundDocument {
  row: FileRow;
  stretches: { place: number; start: number; end: number; score: number }[];
}

/**
 * Puts stretches together by document: the document with the best one first.
 *
 * @param found best first
 */
export function byDocument(found: readonly Found[], shelves: readonly Shelf[]): FoundDocument[] {
  const documents = new Map<string, FoundDocument>();
  for (const { segment, place, score } of found) {
    const shelf = shelves[segment];
    const at = place * STRETCH_FIELDS;
    const [file = 0, start = 0, end = 0] =
      shelf?.segment.stretches.subarray(at, at + STRETCH_FIELDS) ?? [];
    const row = shelf?.rows[file];
    if (row === undefined) continue;
    const document = documents.get(row.path) ?? { row, stretches: [] };
    if (document.stretches.length >= MAX_PASSAGES) continue;
    document.stretches.push({ place, start, end, score });
    documents.set(row.path, document);
  }
  return [...documents.values()];
}

/** The passages of a document, in the order of its text; neighbours on one page are joined. */
export function passagesOf(
  document: FoundDocument,
  { text, blocks, pages }: KeptText,
): DocumentPassage[] {
  const isParted = (from: number, to: number): boolean =>
    pages?.starts.some((start) => start > from && start <= to) === true;
  const joined: FoundDocument['stretches'] = [];
  for (const stretch of document.stretches.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      stretch.place === last.place + 1 &&
      !isParted(last.start, stretch.start);
    if (isNext && stretch.end - last.start <= MAX_PASSAGE_UNITS) {
      joined[joined.length - 1] = {
        place: stretch.place,
        start: last.start,
        end: stretch.end,
        score: Math.max(last.score, stretch.score),
      };
    } else joined.push(stretch);
  }
  return joined.flatMap(({ start, end, score }) => {
    const own = blocks.filter((block) => block.start >= start && block.end <= end);
    const passage = cutText(text, start, Math.min(end, start + MAX_PASSAGE_UNITS));
    return own.length === 0 || passage === '' ? [] : [{ text: passage, start, blocks: own, score }];
  });
}

/** Never half a character at the end. */
function cutText(text: string, start: number, end: number): string {
  const code = text.charCodeAt(end - 1);
  const isHalf = end < text.length && code >= 0xd800 && code <= 0xdbff;
  return text.slice(start, isHalf ? end - 1 : end);
}

export const refOf = ({ path, title, version }: FileRow, name: string): DocumentRef => ({
  name,
  path,
  title,
  version,
});
