import type { BlockKind } from '../types';

/**
 * UTF-16 units of a block: some 200 words, a long paragraph. A longer one says too much at once to be shown as the
 * passage behind a sentence, and ranking by words needs parts of one size.
 */
const MAX_BLOCK_UNITS = 1_200;

/** A part is at least this long before an end of a sentence or line is looked for in it. */
const MIN_PART_UNITS = 400;

/** Ends of sentences, with the quotation marks and brackets behind them, in scripts with and without blanks. */
const SENTENCE_END = /[.!?…؟۔।॥։።]["'”’»)\]]*(?=\s+[^\s\p{Ll}])|[。！？｡]["'”’」』）】]*/gu;

const LINE_KINDS: readonly BlockKind[] = ['list', 'table', 'code'];

/** The offset behind the last match of `pattern` that begins in `window`, or 0. */
function lastEnd(window: string, pattern: RegExp): number {
  let end = 0;
  for (const match of window.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

function partLength(window: string, kind: BlockKind): number {
  const tail = window.slice(MIN_PART_UNITS);
  const line = tail.lastIndexOf('\n');
  if (LINE_KINDS.includes(kind) && line >= 0) return MIN_PART_UNITS + line;
  const sentence = lastEnd(tail, SENTENCE_END);
  if (sentence > 0) return MIN_PART_UNITS + sentence;
  const word = Math.max(line, lastEnd(tail, /\s(?=\S)/g) - 1);
  if (word >= 0) return MIN_PART_UNITS + word;
  // Scripts without blanks have commas.
  const comma = lastEnd(tail, /[、，；：]/g);
  if (comma > 0) return MIN_PART_UNITS + comma;
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length;
}

/** Indent of a line of code that is kept; more is no indent but data. */
const MAX_INDENT = 200;

/** A stretch without the white space around it; code keeps the indent of its first line, which is part of what it says. */
function trimmed(
  text: string,
  { start, end }: { start: number; end: number },
  kind: BlockKind,
): { start: number; end: number } {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text.charAt(from))) from += 1;
  while (to > from && /\s/.test(text.charAt(to - 1))) to -= 1;
  const floor = kind === 'code' ? Math.max(start, from - MAX_INDENT) : from;
  while (from > floor && /[ \t]/.test(text.charAt(from - 1))) from -= 1;
  return { start: from, end: to };
}

/** A stretch of one kind in parts of at most `MAX_BLOCK_UNITS`, cut at a line, else a sentence, else a word. */
export function* partsOf(
  text: string,
  whole: { start: number; end: number },
  kind: BlockKind,
): Generator<{ start: number; end: number }> {
  let rest = trimmed(text, whole, kind);
  while (rest.end - rest.start > MAX_BLOCK_UNITS) {
    const window = text.slice(rest.start, rest.start + MAX_BLOCK_UNITS);
    const cut = rest.start + partLength(window, kind);
    const part = trimmed(text, { start: rest.start, end: cut }, kind);
    if (part.end > part.start) yield part;
    rest = trimmed(text, { start: cut, end: rest.end }, kind);
  }
  if (rest.end > rest.start) yield rest;
}
