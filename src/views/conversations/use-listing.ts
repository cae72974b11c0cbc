import { useCallback, useEffect, useRef, useState } from 'react';

import { notify } from '../../host/toast';
import type { ConversationEntry } from '../../host/store/index-cache';
import type { StoreProblem } from '../../host/store/listing';
import type { ConversationsPort, Listing } from './port';

/** What is known of the stored conversations. */
export type Known =
  | { kind: 'loading' }
  | {
      kind: 'listed';
      entries: readonly ConversationEntry[];
      unreadable: readonly StoreProblem[];
      /** False while only the newest ones are known. */
      isComplete: boolean;
      /** When it was read, in milliseconds since the epoch: ages are told from it. */
      at: number;
    };

/**
 * The stored conversations: the newest at once, all of them as soon as they have been listed. `reload` lists them again, as
 * does another number of `visits`; what is on screen stays until then.
 */
export function useListing(
  session: ConversationsPort,
  visits: number,
): { known: Known; reload: () => void } {
  const [known, setKnown] = useState<Known>({ kind: 'loading' });
  /** Which reading is the newest: an older one that ends later is not shown. */
  const newest = useRef(0);
  const hasRead = useRef(false);
  const read = useCallback(() => {
    const isFirst = !hasRead.current;
    hasRead.current = true;
    const mine = ++newest.current;
    const show = ({ entries, problems }: Listing, isComplete: boolean): void => {
      if (mine !== newest.current) return;
      const unreadable = problems.filter(({ kind }) => kind === 'unreadable');
      setKnown({ kind: 'listed', entries, unreadable, isComplete, at: Date.now() });
    };
    const list = async (): Promise<void> => {
      if (isFirst) {
        const recent = await session.recentConversations();
        if (recent.entries.length > 0) show(recent, false);
      }
      show(await session.listConversations(), true);
    };
    list().catch(() => {
      notify({ style: 'failure', title: 'The conversations could not be listed' });
    });
  }, [session]);
  useEffect(() => {
    read();
  }, [read, visits]);
  useEffect(
    () => () => {
      newest.current += 1; // whoever is gone is shown nothing
    },
    [],
  );
  return { known, reload: read };
}
