import { useEffect, useState } from 'react';

import type { LibraryOutcome } from '../../host/library/library';
import type { ConversationsPort } from './port';

/** Milliseconds before a search is asked again whose index was not complete yet. */
const AGAIN_MS = 250;

export interface Search {
  /** The newest answer that fits what is typed: an older one stays while it is being refined. Undefined = none yet. */
  reply: LibraryOutcome | undefined;
  /** The answer to exactly this text, from all conversations, is still to come. */
  isSearching: boolean;
}

/** Searches for what is typed, again while the index is not complete. An answer to an older text is never shown over a newer one. */
export function useSearch(session: ConversationsPort, query: string): Search {
  const [answer, setAnswer] = useState<{ query: string; reply: LibraryOutcome }>();
  useEffect(() => {
    if (query === '') return;
    let isCurrent = true;
    let timer: NodeJS.Timeout | undefined;
    const show = (reply: LibraryOutcome): void => {
      if (!isCurrent) return;
      setAnswer({ query, reply });
      if (reply.ok && !reply.complete) timer = setTimeout(ask, AGAIN_MS);
    };
    const ask = (): void => {
      session.searchConversations(query).then(show, (error: unknown) => {
        show({ ok: false, message: error instanceof Error ? error.message : 'The search ended.' });
      });
    };
    ask();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [session, query]);

  if (query === '') return { reply: undefined, isSearching: false };
  const isRefined =
    answer !== undefined && (query.startsWith(answer.query) || answer.query.startsWith(query));
  const isExact = answer?.query === query && (!answer.reply.ok || answer.reply.complete);
  return { reply: isRefined ? answer.reply : undefined, isSearching: !isExact };
}
