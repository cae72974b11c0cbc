import { turnSources } from '../lib/citations';
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
    case 'done': {
      const count = turnSources(turn).length;
      return count === 0 ? '' : `${count} source${count === 1 ? '' : 's'}`;
    }
  }
}
