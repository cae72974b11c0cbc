import type { Node } from '../code';

import { blockAbove, blockAround, type Block } from './block-above';
import type { Marker, Sentence } from './claims';
import type { Span } from './sentences';

/** Markers on a line of their own. `holder`: they stand in the last line of that block, as Markdown reads it. */
export interface BareMarkers extends Span {
  markers: Marker[];
  holder?: 'list' | 'table';
}

/** UTF-16 units of a block that is one claim: of a longer one its beginning is, to the end of a row or item. */
const MAX_BLOCK_UNITS = 2_000;

/** What is known of the answer. */
interface Context {
  tree: Node;
  text: string;
  isEmpty: (span: Span) => boolean;
  /** The sentences of a paragraph that was not split. */
  split: (sentence: Sentence) => Sentence[];
}

/**
 * Adds markers on lines of their own to what they stand for: the block right above, which is one claim (of a paragraph its last
 * sentence); where none is above, or a heading, the sentence that follows. What has markers of its own in that block rests on those.
 *
 * @param sentences in order; changed in place, and stays in order
 * @returns the code that became a claim, without its fences, and markers that stand for nothing
 */
export function addBareMarkers(
  sentences: Sentence[],
  bare: readonly BareMarkers[],
  context: Context,
): { code: Span[]; left: Marker[] } {
  const { tree, text, isEmpty, split } = context;
  const code: Span[] = [];
  const left: Marker[] = [];
  for (const { start, markers, holder } of bare) {
    const block = holder ? blockAround(tree, start, holder) : blockAbove(tree, start, isEmpty);
    if (!block || block.kind === 'heading') {
      if (!addBelow(sentences, start, markers, context)) left.push(...markers);
    } else if (block.kind === 'code') {
      if (block.inner) code.push(block.inner);
      addCode(sentences, block, markers);
    } else if (block.kind === 'paragraph') {
      const last = sentences.findLastIndex((each) => isIn(each, block));
      const parts = splitAt(sentences, last, split);
      if (!parts) left.push(...markers);
      else parts.at(-1)?.markers.push(...markers);
    } else if (!addBlock(sentences, block, markers, text)) left.push(...markers);
  }
  return { code, left };
}

const isIn = (sentence: Span, block: Span): boolean =>
  sentence.start >= block.start && sentence.start < block.end;

/** The sentences of one that may be a whole paragraph, put in its place. */
function splitAt(
  sentences: Sentence[],
  at: number,
  split: Context['split'],
): Sentence[] | undefined {
  const whole = sentences[at];
  if (!whole) return undefined;
  const { unit, markers, start, end } = whole;
  const isSplit = markers.length > 0 || unit.row !== undefined || unit.kind === 'heading';
  if (isSplit || start !== unit.start || end !== unit.end) return [whole];
  const parts = split(whole);
  if (parts.length === 0) return [whole];
  sentences.splice(at, 1, ...parts);
  return parts;
}

function addBelow(
  sentences: Sentence[],
  from: number,
  markers: readonly Marker[],
  { tree, text, split }: Context,
): boolean {
  const next = sentences.findIndex(({ start }) => start > from);
  const first = sentences[next];
  if (!first || first.unit.kind === 'heading') return false;
  const table = first.unit.row && blockAround(tree, first.start, 'table');
  if (table) return addBlock(sentences, table, markers, text);
  splitAt(sentences, next, split)?.[0]?.markers.unshift(...markers);
  return true;
}

function addCode(sentences: Sentence[], { start, end }: Block, markers: readonly Marker[]): void {
  const known = sentences.find((each) => each.start === start);
  if (known) {
    known.markers.push(...markers);
    return;
  }
  const at = sentences.findIndex((each) => each.start > start);
  const unit = { kind: 'paragraph' as const, start, end, depth: 0 };
  const claim = { start, end: Math.min(end, start + MAX_BLOCK_UNITS), unit, markers: [...markers] };
  sentences.splice(at < 0 ? sentences.length : at, 0, claim);
}

/** Where a line begins before whose words only the signs of a list or quote stand: without them its block would be none. */
function withSigns(start: number, text: string): number {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  const isSigns = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/u.test(text.slice(line, start));
  return isSigns ? line : start;
}

/** Each stretch of a block without markers becomes one claim. Whether there was something to add them to. */
function addBlock(
  sentences: Sentence[],
  block: Block,
  markers: readonly Marker[],
  text: string,
): boolean {
  const from = sentences.findIndex((each) => isIn(each, block));
  if (from < 0) return false;
  let to = from;
  while (to < sentences.length && isIn(sentences[to] ?? block, block)) to += 1;
  const own = sentences.slice(from, to);
  const out: Sentence[] = [];
  let open: Sentence | undefined;
  let isAdded = false;
  for (const sentence of own) {
    const { start, end, unit } = sentence;
    const isOwn = sentence.markers.length > 0 || unit.kind === 'heading';
    if (isOwn || (open && end - open.start > MAX_BLOCK_UNITS)) {
      out.push(sentence);
      if (isOwn) open = undefined;
      continue;
    }
    if (open) {
      open.end = end;
      continue;
    }
    // The head of a table alone says nothing.
    if (unit.row?.isHead === true && own.some((each) => each.markers.length > 0)) {
      out.push(sentence);
      continue;
    }
    open = { start: withSigns(start, text), end, unit, markers: [...markers] };
    out.push(open);
    isAdded = true;
  }
  if (!isAdded) own.at(-1)?.markers.push(...markers);
  sentences.splice(from, own.length, ...out);
  return true;
}
