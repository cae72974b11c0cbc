import { blocksOf } from '../../lib/blocks';
import type { Source, ToolCallRecord } from '../../lib/types';

import { makeSource, makeToolCall } from './builders';

/** A call that read a page and shows all of its text, one row a block. */
export function readCall(text: string, source: Partial<Source> = {}): ToolCallRecord {
  const read = makeSource(source);
  const head = `[${read.index}] ${read.title}\nURL: ${read.url}\n`;
  return makeToolCall({
    result: `${head}${text}`,
    sources: [read],
    statuses: [],
    shown: blocksOf({ text }).map(({ id, number, start, end }) => ({
      index: read.index,
      at: head.length + start,
      length: end - start,
      start,
      block: id,
      number,
    })),
  });
}

/** A call that found a page: the lines of its row are all that is known of it. */
export function searchCall(lines: string, source: Partial<Source> = {}): ToolCallRecord {
  const hit = makeSource({ status: 'hit', ...source });
  const head = `[${hit.index}] ${hit.title}\n   ${hit.url}\n   `;
  return makeToolCall({
    name: 'web_search',
    result: `${head}${lines}`,
    sources: [hit],
    statuses: [],
    shown: [{ index: hit.index, at: head.length, length: lines.length }],
  });
}
