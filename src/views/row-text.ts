import type { StoreProblem } from '../host/store/conversations';
import { citedIndices, turnSources } from '../lib/citations';
import { inertText } from '../lib/render';
import type { Turn } from '../lib/types';

/** Characters of a foreign text in a row or a window title; the launcher cuts it to what fits. */
const MAX_ROW_CHARS = 120;

/** Foreign text as one inert line, never empty (a row without a title cannot be told from a broken one). */
export function oneLine(text: string): string {
  const line = inertText(text, MAX_ROW_CHARS).trim();
  return line === '' ? '(no text)' : line;
}

/** The few words beside a row. Long ones would cut the title: it has about 22 characters beside them. */
export function accessoryOf(turn: Turn): string {
  switch (turn.state) {
    case 'running':
      return '…';
    case 'failed':
      return 'failed';
    case 'interrupted':
      return 'cut off';
    case 'stopped':
      return 'stopped';
    case 'done':
      return citedWords(turn);
  }
}

/** By record, which never changes: a finished answer is parsed once and not with every picture of the next one. */
const counted = new WeakMap<Turn, string>();

/** How many sources the list under the answer shows because they are cited. */
function citedWords(turn: Turn): string {
  const known = counted.get(turn);
  if (known !== undefined) return known;
  const sources = turnSources(turn);
  const count = citedIndices(turn.response, sources).size;
  const words =
    count > 0 ? `${count} source${count === 1 ? '' : 's'}` : sources.length > 0 ? 'none cited' : '';
  counted.set(turn, words);
  return words;
}

/** What is wrong with a file that could not be read, in the few words a row has room for. */
export function unreadableTitle({ id, reason }: StoreProblem): string {
  if (reason === undefined) return id === '' ? 'The folder cannot be read' : 'Not a file of Lam';
  if (reason.includes('newer version')) return 'Made by a newer Lam';
  if (reason.includes('no permission')) return 'No permission to read the file';
  return `Damaged file: ${inertText(reason.replace(/^it is /, ''))}`;
}
