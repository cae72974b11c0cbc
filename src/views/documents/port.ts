import type { Folder, FolderChange } from '../../host/documents/folders';
import type { Changes, DocumentsStatus } from '../../host/documents/status';

/** What the list of documents needs of them. Nothing here throws or rejects; every `message` is one sentence. */
export interface DocumentsDesk {
  folders: () => Folder[];
  addFolder: (path: string) => FolderChange;
  removeFolder: (path: string) => FolderChange;
  status: (signal: AbortSignal) => Promise<DocumentsStatus>;
  /** Looks through the folders again, and ends when what is new is read. */
  refresh: () => Promise<{ isDone: boolean; changes?: Changes | undefined }>;
  /** True when something stands at the path now. */
  isThere: (path: string) => boolean;
  /** Tells that folders or the status may have changed; the result ends it. */
  onChange: (listener: () => void) => () => void;
}
