import { useEffect, useState } from 'react';

import { renderModelOutput } from '../../lib/render';
import type { ConversationsPort } from './port';
import { previewMarkdown } from './preview';
import type { Row } from './rows';

/** Milliseconds a row must stay selected before its record is read: whoever holds an arrow key down reads none. */
const REST_MS = 60;

/** The document beside the selected row; '' until its record has been read. `at` in milliseconds since the epoch. */
export function usePreview(session: ConversationsPort, row: Row | undefined, at: number): string {
  const [shown, setShown] = useState({ key: '', markdown: '' });
  const id = row?.entry.id;
  const turnId = row?.turnId;
  const key = row === undefined ? '' : [id, row.entry.updatedAt, row.entry.title, turnId].join(' ');
  useEffect(() => {
    if (id === undefined) return;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const loaded = await session.readConversation(id);
      if (!isCurrent) return;
      const markdown = loaded.ok
        ? previewMarkdown(loaded.conversation, { ...(turnId === undefined ? {} : { turnId }), at })
        : renderModelOutput(loaded.message).text;
      setShown({ key, markdown });
    };
    const timer = setTimeout(() => {
      read().catch(() => {
        if (isCurrent) setShown({ key, markdown: 'This conversation could not be read.' });
      });
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [session, id, turnId, key, at]);
  return shown.key === key ? shown.markdown : '';
}
