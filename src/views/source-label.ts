import { inertText, plain, type PlainText } from '../lib/render';
import type { Source, SourceStatus } from '../lib/types';

/** How far a source was read, for people; nothing for a page that was read, or when nothing is known. */
const STATUS_WORDS: Partial<Record<SourceStatus, string>> = {
  hit: 'search hit, not opened',
  part: 'read in part',
  blocked: 'page was blocked',
  'needs-browser': 'needs a browser',
  'not-found': 'page not found',
  refused: 'not opened',
  'too-large': 'too large to read',
  'timed-out': 'did not answer in time',
  unreadable: 'could not be read',
};

/** Characters of an entry of the action panel, which shows about forty. */
const MAX_LABEL_CHARS = 40;

/** `[3] Title`: the entry of a source in the action panel, under the number of the text. */
export function sourceLabel({ index, title }: Source): PlainText {
  const number = plain`[${index}]`;
  return plain`${number} ${inertText(title, MAX_LABEL_CHARS - number.length - 1)}`;
}

/** `search hit, not opened`: how far the source was read; undefined if there is nothing to say. */
export function sourceStatus({ status }: Source): PlainText | undefined {
  const words = status === undefined ? undefined : STATUS_WORDS[status];
  return words === undefined ? undefined : plain`${words}`;
}
