import type { AttachedFile } from '../../lib/tools';
import type { Page } from '../../lib/types';

/** What is known of a file before it is read. */
interface FileFacts {
  /** File name on one line, as it is shown. */
  name: string;
  /** Absolute path. */
  path: string;
  /** Bytes. */
  size: number;
}

/** A file that a question may be asked about; which kind it is its content decides. An office document or a book is `text`: so it is kept, too. */
export type CheckedFile = FileFacts &
  (
    { kind: 'text' | 'pdf' } | { kind: 'image'; /** `image/png` and the like. */ mediaType: string }
  );

/** A file that was read. `text` and `pages` go to the agent as they are; an image is copied, see `createImageStore`. */
type ReadFile = FileFacts &
  (
    | ({ kind: 'text' } & AttachedFile)
    | ({ kind: 'pdf'; title: string } & AttachedFile & Required<Pick<Page, 'pages'>>)
    | { kind: 'image'; mediaType: string }
  );

/** `message`: one sentence a person can act on. */
export type CheckOutcome = { ok: true; file: CheckedFile } | { ok: false; message: string };
export type FileOutcome = { ok: true; file: ReadFile } | { ok: false; message: string };

/** Local files. Contract: neither rejects; both end within 100 ms of an abort, and by themselves. */
export interface FilePorts {
  /** Reads a file that the person chose. */
  readFile: (path: string, signal: AbortSignal) => Promise<FileOutcome>;
  /** Whether it would be read, by its size and its first bytes: cheap, for a form that says so before anything is sent. */
  checkFile: (path: string, signal: AbortSignal) => Promise<CheckOutcome>;
}
