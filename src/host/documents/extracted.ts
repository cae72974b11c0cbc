import type { SourceStatus } from '../../lib/types';
import type { FileRow } from './file-row';

/** What came of the reading of a file. */
export type Extracted =
  | {
      ok: true;
      title: string;
      /** The readable text. */
      text: string;
      pages?: { total: number; starts: number[] } | undefined;
      cut?: boolean | undefined;
      version: string;
      size: number;
      mtimeMs: number;
    }
  | {
      ok: false;
      status: Exclude<SourceStatus, 'hit' | 'read' | 'part'>;
      /** One sentence. */
      reason: string;
      size?: number | undefined;
      mtimeMs?: number | undefined;
    };

/** The row of a document that could be read; its passages are not counted yet. */
export function rowFor(path: string, read: Extract<Extracted, { ok: true }>): FileRow {
  const { title, version, size, mtimeMs, pages, cut } = read;
  return {
    path,
    state: 'indexed',
    ...(cut === true ? { reason: 'Only its beginning is read: it is very long.' } : {}),
    size,
    mtimeMs,
    title,
    version,
    ...(pages === undefined ? {} : { pages: pages.total }),
    blocks: 0,
  };
}

/** The row of one that could not; undefined when the file is gone. */
export function failedRow(
  seen: Pick<FileRow, 'path' | 'size' | 'mtimeMs'>,
  read: Extract<Extracted, { ok: false }>,
): FileRow | undefined {
  if (read.status === 'not-found') return undefined;
  const state = isOther(read) ? 'skipped' : 'failed';
  const { reason, size = seen.size, mtimeMs = seen.mtimeMs } = read;
  return { path: seen.path, state, reason, size, mtimeMs, title: '', version: '', blocks: 0 };
}

/** True for what is no document for Lam, rather than one that is broken or locked: `Refusal` says `It is an image.` of it. */
function isOther({ status, reason }: Extract<Extracted, { ok: false }>): boolean {
  return status === 'too-large' || (status === 'unreadable' && /^It (?:is|has) /.test(reason));
}
