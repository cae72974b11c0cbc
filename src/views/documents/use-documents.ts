import { useCallback, useEffect, useRef, useState } from 'react';

import type { Folder } from '../../host/documents/folders';
import type { DocumentsStatus } from '../../host/documents/status';
import { notify } from '../../host/toast';
import type { DocumentsDesk } from './port';

/** Milliseconds between two looks while files are read: the list is shipped whole each time. */
const PACE_MS = 400;

/** What is known of the documents; `status` is undefined until it has been asked for the first time. */
export interface KnownDocuments {
  folders: readonly Folder[];
  status: DocumentsStatus | undefined;
}

const pathsOf = (folders: readonly Folder[]): string => folders.map(({ path }) => path).join('\n');

/** The folders and their files, followed as long as they are looked at. `reload` looks at once. */
export function useDocuments(desk: DocumentsDesk): KnownDocuments & { reload: () => void } {
  const [known, setKnown] = useState<KnownDocuments>(() => ({
    folders: desk.folders(),
    status: undefined,
  }));
  const look = useRef<() => void>(() => undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: NodeJS.Timeout | undefined;
    let isLooking = false;
    let isStale = false;
    const again = (): void => {
      isLooking = false;
      if (isStale && !signal.aborted) soon();
    };
    const now = (): void => {
      timer = undefined;
      isLooking = true;
      isStale = false;
      desk
        .status(signal)
        .then((status) => {
          if (!signal.aborted) setKnown({ folders: desk.folders(), status });
        })
        .catch(() => {
          notify({ style: 'failure', title: 'The documents could not be listed' });
        })
        .finally(again);
    };
    const soon = (): void => {
      if (isLooking) isStale = true;
      else timer ??= setTimeout(now, PACE_MS);
    };
    look.current = () => {
      clearTimeout(timer);
      // A folder that was just added is there at once, and its files are still looked for.
      const folders = desk.folders();
      setKnown(({ folders: before, status }) => {
        const isSame = pathsOf(before) === pathsOf(folders);
        if (isSame || status === undefined) return { folders, status };
        return { folders, status: { ...status, state: 'indexing' } };
      });
      if (isLooking) isStale = true;
      else now();
    };
    const stop = desk.onChange(soon);
    now();
    return () => {
      controller.abort();
      clearTimeout(timer);
      stop();
    };
  }, [desk]);
  const reload = useCallback(() => {
    look.current();
  }, []);
  return { ...known, reload };
}
