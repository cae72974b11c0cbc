import { blocksOf } from '../blocks';
import type { Block, Shown } from '../types';
import type { ReadableText } from './paged';

/** A stretch of a source's readable text, and what the model reads of it. */
interface ShownText {
  /** Number of the source. */
  index: number;
  /** Where the stretch begins in the readable text, in UTF-16 units. */
  start: number;
  /** As the source has it. */
  text: string;
  /** As the model reads it, see `neutralise`. */
  safe: string;
  /** Where `safe` stands in the result. */
  at: number;
}

/**
 * What a record keeps of a text that was shown: a row for each block that the stretch touches, in order. `at` and `length`
 * tell what the model reads of the block, a bar in front of a line included. A row without letters or signs is left out.
 *
 * @param blocks of the readable text, in order; those beside the stretch are passed over
 */
export function shownRows(
  { index, start, text, safe, at }: ShownText,
  blocks: readonly Block[],
): Shown[] {
  const end = start + text.length;
  const place = placesIn(text, safe);
  return blocks.flatMap((block) => {
    const from = Math.max(block.start, start) - start;
    const to = Math.min(block.end, end) - start;
    const own = from < to ? text.slice(from, to) : '';
    if (own.trim() === '') return [];
    const [first, last] = [place(from), place(to)];
    return [
      {
        index,
        at: at + first,
        length: last - first,
        start: start + from,
        block: block.id,
        number: block.number,
        ...(block.page === undefined ? {} : { page: block.page }),
        ...(safe.slice(first, last) === own ? {} : { original: own }),
      },
    ];
  });
}

/** Characters behind a part that decide how its last block ends: a block has some 1,200 at most. */
const MARGIN = 5_000;

/**
 * The blocks of a readable text as far as a part needs them that ends at `end`. Of a page of 2 MB all blocks would take half
 * a second of the thread that draws.
 */
export function blocksThrough({ text, pages }: ReadableText, end: number): Block[] {
  const limit = end + MARGIN;
  return blocksOf({
    text: text.slice(0, limit),
    ...(pages ? { pages: { ...pages, starts: pages.starts.filter((at) => at < limit) } } : {}),
  });
}

/** What a record keeps of a search row's lines: their page was not read, so they have no place in it. None if there are none. */
export function shownLine({ index, text, safe, at }: Omit<ShownText, 'start'>): Shown[] {
  if (text === '') return [];
  return [{ index, at, length: safe.length, ...(safe === text ? {} : { original: text }) }];
}

/**
 * Where a place in `text` is in `safe`. `neutralise` leaves every line as long as it was, but may put a bar in front of it;
 * the beginning of a line is before the bar. Places must be asked for in rising order, so that all of them cost one walk.
 */
function placesIn(text: string, safe: string): (at: number) => number {
  const lines = { own: lineAt(text, 0), safe: lineAt(safe, 0) };
  return (at) => {
    while (at > lines.own.end && lines.own.end < text.length) {
      lines.own = lineAt(text, lines.own.end + 1);
      lines.safe = lineAt(safe, lines.safe.end + 1);
    }
    const { own, safe: read } = lines;
    if (at === own.start) return read.start;
    return read.end - (own.end - at);
  };
}

function lineAt(text: string, start: number): { start: number; end: number } {
  const end = text.indexOf('\n', start);
  return { start, end: end < 0 ? text.length : end };
}
