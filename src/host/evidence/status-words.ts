import type { Source, SourceStatus } from '../../lib/types';

type Unread = Exclude<SourceStatus, 'read' | 'part'>;

/** Why a source that is cited was not read. */
const UNREAD: Record<Unread, string> = {
  hit: 'Only a search hit; the page was not read.',
  blocked: 'Not read: the page was blocked.',
  'needs-browser': 'Not read: the page needs a browser.',
  'not-found': 'Not read: it was not found.',
  refused: 'Not read: it was not opened.',
  'too-large': 'Not read: it is too large.',
  'timed-out': 'Not read: the page did not answer in time.',
  unreadable: 'Not read: it could not be made out.',
};

/** Why a source was not read; undefined if it was, or if nothing is known. */
export function unreadWords({ status }: Pick<Source, 'status'>): string | undefined {
  return status === undefined || status === 'read' || status === 'part'
    ? undefined
    : UNREAD[status];
}
