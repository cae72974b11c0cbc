import { basename } from 'node:path';

import type { Block } from '../../lib/types';
import { termsOf } from '../../lib/words';
import { counted, IN_HEADING, type Stretch } from './segment';

/** UTF-16 units up to which small neighbouring blocks make one stretch: one line of a list alone says too little to be found by several words. */
const FULL_UNITS = 600;

/** UTF-16 units of one stretch: the largest block, and the heading above it. */
const MAX_UNITS = 1_400;

/** Stretches of a document that are indexed: some 12 MB of text. It bounds what one hostile file costs. */
const MAX_FILE_STRETCHES = 20_000;

/** UTF-16 units of a heading or title whose words count. */
const MAX_HEADING_UNITS = 300;

/** What is taken together: neighbouring blocks of one page, each heading with what follows it. */
interface Run {
  start: number;
  end: number;
  page: number | undefined;
  heading: string;
  /** Whether there are only headings in it. */
  isHeading: boolean;
}

/**
 * The stretches of a document, in order.
 *
 * @param path its words count like those of the title: people name files after what is in them
 */
export function stretchesOf(
  text: string,
  blocks: readonly Block[],
  { title, path }: { title: string; path: string },
): Stretch[] {
  const named = `${title.slice(0, MAX_HEADING_UNITS)} ${basename(path).replace(/\.[^.]*$/, '')}`;
  const titleTerms = [...termsOf(named)];
  return runsOf(text, blocks).map(({ start, end, heading }) => {
    const counts = new Map<string, number>();
    let length = 0;
    for (const term of termsOf(text.slice(start, end))) {
      length += 1;
      counts.set(term, counted(counts.get(term)));
    }
    for (const term of [...titleTerms, ...termsOf(heading)])
      counts.set(term, (counts.get(term) ?? 0) | IN_HEADING);
    return { start, end, length, counts };
  });
}

function runsOf(text: string, blocks: readonly Block[]): Run[] {
  const runs: Run[] = [];
  let heading = '';
  let open: Run | undefined;
  for (const { kind, start, end, page } of blocks) {
    const isHeading = kind === 'heading';
    if (isHeading) heading = text.slice(start, Math.min(end, start + MAX_HEADING_UNITS));
    const fits =
      open !== undefined &&
      open.page === page &&
      end - open.start <= MAX_UNITS &&
      (open.isHeading ||
        (!isHeading && open.end - open.start < FULL_UNITS && end - open.start <= 2 * FULL_UNITS));
    if (fits && open !== undefined) {
      open.end = end;
      open.heading = heading;
      open.isHeading &&= isHeading;
      continue;
    }
    if (runs.length >= MAX_FILE_STRETCHES) break;
    open = { start, end, page, heading, isHeading };
    runs.push(open);
  }
  return runs;
}
