import type { Block, BlockKind } from '../types';

import { wordsHash } from './block-id';
import {
  CODE_INDENT,
  closesFence,
  fenceOf,
  interrupts,
  isListItem,
  isTableRow,
  isTableRule,
  isRule,
  isUnderline,
  kindOf,
  linesOf,
  type Line,
} from './lines';
import { partsOf } from './split';

/** A readable text (`readableText` of `lib/tools`): `starts` are where its pages begin, their marks included. */
interface Readable {
  text: string;
  pages?: { total: number; starts: number[] };
}

/** The line in front of each page of a document that has pages. */
const PAGE_MARK = /— page \d+ of \d+ —(?=\n|$)/y;

/** A line of dashes under a longer text parts it from what follows, and makes no heading of it. */
const MAX_TITLE_UNITS = 300;

interface Stretch {
  kind: BlockKind;
  start: number;
  end: number;
}

/**
 * The blocks of a readable text: headings, paragraphs, lists, tables and code, told by the forms of the lines alone, so
 * that Markdown made from a page and plain text are read alike. In order, without overlaps; nothing stands outside of them but white
 * space and the marks of pages. Offsets are UTF-16 units of the text. Linear in its length; never throws.
 *
 * A block over `MAX_BLOCK_UNITS` is several, and none goes over the beginning of a page.
 */
export function blocksOf({ text, pages }: Readable): Block[] {
  const blocks: Block[] = [];
  const seen = new Map<string, number>();
  for (const page of pagesOf(text, pages?.starts ?? [])) {
    for (const stretch of stretchesOf(text, page.start, page.end)) {
      for (const { start, end } of partsOf(text, stretch, stretch.kind)) {
        const hash = wordsHash(text, start, end);
        const times = (seen.get(hash) ?? 0) + 1;
        seen.set(hash, times);
        blocks.push({
          id: times === 1 ? hash : `${hash}-${times}`,
          kind: stretch.kind,
          start,
          end,
          number: blocks.length + 1,
          ...(page.number === undefined ? {} : { page: page.number }),
        });
      }
    }
  }
  return blocks;
}

/** The stretches that are read by themselves: a text without pages is one. */
function* pagesOf(
  text: string,
  starts: readonly number[],
): Generator<{ start: number; end: number; number?: number }> {
  let from = 0;
  let number: number | undefined;
  for (const [index, start] of starts.entries()) {
    if (!(start >= from) || start > text.length) continue;
    if (start > from) yield { start: from, end: start, ...(number ? { number } : {}) };
    number = index + 1;
    PAGE_MARK.lastIndex = start;
    from = PAGE_MARK.test(text) ? PAGE_MARK.lastIndex : start;
  }
  yield { start: from, end: text.length, ...(number ? { number } : {}) };
}

/** A walk over lines with a look at the next one. */
function* stretchesOf(text: string, start: number, end: number): Generator<Stretch> {
  let open: Stretch | undefined;
  let fence: string | undefined;
  let hasBlank = false;
  let ahead: Line | undefined;
  const lines = linesOf(text, start, end);
  const take = (): Line | undefined => {
    const next = lines.next();
    return next.done === true ? undefined : next.value;
  };
  ahead = take();
  while (ahead !== undefined) {
    const line: Line = ahead;
    ahead = take();
    if (open && fence !== undefined) {
      open.end = line.end;
      if (!closesFence(line, fence)) continue;
      yield open;
      open = fence = undefined;
      continue;
    }
    if (line.text === '') {
      // Code goes on behind a blank line, all else ends there.
      if (open && open.kind !== 'code') {
        yield open;
        hasBlank = open.kind === 'list';
        open = undefined;
      }
      continue;
    }
    if (open && goesOn(open, line)) {
      open.end = line.end;
      continue;
    }
    if (
      open?.kind === 'paragraph' &&
      isUnderline(line) &&
      line.start - open.start <= MAX_TITLE_UNITS
    ) {
      yield { kind: 'heading', start: open.start, end: line.end };
      open = undefined;
      continue;
    }
    if (open) yield open;
    // A further paragraph of an item of a list.
    const isOfItem = hasBlank && line.indent >= 2 && fenceOf(line) === undefined;
    open = { kind: isOfItem ? 'list' : kindOf(line, ahead), start: line.start, end: line.end };
    hasBlank = false;
    fence = fenceOf(line);
    if (open.kind !== 'heading' && !isRule(line)) continue;
    yield open;
    open = undefined;
  }
  if (open) yield open;
}

/** Whether a line is a further one of the open stretch. */
function goesOn({ kind }: Stretch, line: Line): boolean {
  switch (kind) {
    case 'code':
      return line.indent >= CODE_INDENT;
    case 'table':
      return isTableRow(line) || isTableRule(line) || line.text.includes('|');
    case 'list':
      return isListItem(line) || line.indent >= 2 || !(interrupts(line) || isTableRow(line));
    case 'paragraph':
      return !interrupts(line) && !isUnderline(line) && !isRule(line) && !isTableRow(line);
    case 'heading':
      return false;
  }
}
