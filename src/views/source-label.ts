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

/** `[3] Title — search hit, not opened`: the entry of a source in the action panel, under the number of the text. */
export function sourceLabel(source: Source): PlainText {
  const words = source.status === undefined ? undefined : STATUS_WORDS[source.status];
  const title = inertText(source.title);
  return words === undefined
    ? plain`[${source.index}] ${title}`
    : plain`[${source.index}] ${title} — ${words}`;
}
