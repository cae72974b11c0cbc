import { codeBlocks, inertText, plain, type CodeBlock, type PlainText } from '../lib/render';
import type { Turn } from '../lib/types';

/** Characters of the first line of a block in the panel, which shows about as many. */
const MAX_LINE_CHARS = 48;

/** Entries of a panel: each is shipped with every frame. The whole answer can be copied all the same. */
const MAX_BLOCKS = 50;

/** By record, which never changes: the panel is drawn with every frame of another answer. */
const found = new WeakMap<Turn, readonly CodeBlock[]>();

/**
 * The blocks of code of an answer, in the order in which they are shown, without empty ones; the first fifty. None while
 * the answer is being written: to look through all of it at every frame would cost more the longer it gets.
 */
export function codeOf(turn: Turn): readonly CodeBlock[] {
  if (turn.state === 'running') return [];
  const known = found.get(turn);
  if (known !== undefined) return known;
  const blocks = codeBlocks(turn.response)
    .filter(({ code }) => code.trim() !== '')
    .slice(0, MAX_BLOCKS);
  found.set(turn, blocks);
  return blocks;
}

/** `2. python: import os…`: a block in the panel. @param place counted from 0 */
export function codeLabel({ language, code }: CodeBlock, place: number): PlainText {
  const [first = '', ...more] = code.trim().split(/\r\n|\n|\r/);
  const line = inertText(first, MAX_LINE_CHARS);
  const rest = more.length > 0 && !line.endsWith('…') ? '…' : '';
  const name = language === '' ? '' : `${language}: `;
  return plain`${place + 1}. ${`${name}${line}${rest}`}`;
}

/** `1 line`, `12 lines`: shows that a long block was copied as a whole. */
export function lineCount({ code }: CodeBlock): string {
  const count = code.split(/\r\n|\n|\r/).length;
  return count === 1 ? '1 line' : `${count} lines`;
}
