import { errorCode } from '../store/failure';
import type { DocumentOutcome, DocumentSearchOutcome } from '../../lib/types';

export const STOPPED: DocumentSearchOutcome = { ok: false, message: 'The search was stopped.' };

/**
 * One sentence about what was thrown. The model gets it, so what was thrown is told by its code alone: messages of the
 * system and of what loads files have whole paths in them.
 */
export function failed(error: unknown): { ok: false; message: string } {
  return { ok: false, message: `The documents could not be searched: ${thrown(error)}.` };
}

/** What was thrown, for a sentence. */
export function thrown(error: unknown): string {
  const code = errorCode(error);
  return /^[A-Z][A-Z\d_]{1,60}$/.test(code)
    ? `the system reported ${code}`
    : 'their search broke; if it comes back, reinstall Lam';
}

/** A document that was read; what is absent is left out. */
export function outcomeOf(
  document: (DocumentOutcome & { ok: true })['document'],
  {
    text,
    pages,
    cut,
  }: Pick<DocumentOutcome & { ok: true }, 'text'> & {
    pages?: { total: number; starts: number[] } | undefined;
    cut?: boolean | undefined;
  },
  blocks: (DocumentOutcome & { ok: true })['blocks'],
): DocumentOutcome {
  return {
    ok: true,
    document,
    text,
    ...(pages === undefined ? {} : { pages }),
    ...(cut === true ? { cut } : {}),
    blocks,
  };
}
