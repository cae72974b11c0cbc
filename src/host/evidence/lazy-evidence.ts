import * as z from 'zod/mini';

import type { Turn } from '../../lib/types';
import { fromAsset } from '../asset-file';
import type { EvidenceCopy, EvidenceParts } from './parts';
import type { EvidenceReport } from './rows';

export type { EvidenceCopy } from './parts';
export type { EvidenceReport, EvidenceRow, RowMark, RowPassage } from './rows';

/** `message` is one sentence a person can act on. */
type Outcome<T> = { ok: true; value: T } | { ok: false; message: string };

/** The evidence of an answer, for whoever wants to see it or to take it along. Nothing here throws or rejects. */
export interface EvidencePort {
  /** What there is to see. It looks whether the documents have changed since, which takes five seconds at most. */
  report: (turn: Turn) => Promise<Outcome<EvidenceReport>>;
  /** What goes on the clipboard. */
  copy: (turn: Turn, as: EvidenceCopy) => Outcome<string>;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

const FileSchema = z.object({
  seeEvidence: z.custom<EvidenceParts['seeEvidence']>(isFunction),
  copyEvidence: z.custom<EvidenceParts['copyEvidence']>(isFunction),
});

/** The evidence from `assets/evidence.js`, loaded when somebody asks for it. Without a usable file an outcome says what to do. */
export function createEvidence({ assetsPath }: { assetsPath: string }): EvidencePort {
  const parts = () => fromAsset(assetsPath, 'evidence.js', FileSchema, (file) => file);
  return {
    async report(turn) {
      const loaded = parts();
      if (!loaded.ok) return { ok: false, message: loaded.failure.message };
      try {
        return { ok: true, value: await loaded.value.seeEvidence(turn) };
      } catch {
        return failed('The evidence of this answer could not be put together.');
      }
    },
    copy(turn, as) {
      const loaded = parts();
      if (!loaded.ok) return failed(loaded.failure.message);
      try {
        const text = loaded.value.copyEvidence(turn, as);
        return text === ''
          ? failed('This answer cites no sources, so there is nothing to copy.')
          : { ok: true, value: text };
      } catch {
        return failed('The evidence of this answer could not be written.');
      }
    },
  };
}

const failed = (message: string): { ok: false; message: string } => ({ ok: false, message });
