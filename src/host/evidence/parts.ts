import type { Turn } from '../../lib/types';
import type { EvidenceReport } from './rows';

/** What is written of the evidence of an answer: Markdown with the passages, or its sources for a reference manager. */
export type EvidenceCopy = 'evidence' | 'bibtex' | 'csl';

/** What `assets/evidence.js` gives. */
export interface EvidenceParts {
  /** Looks whether the documents have changed since, and puts everything together. */
  seeEvidence: (turn: Turn) => Promise<EvidenceReport>;
  /** '' = there is nothing to copy. */
  copyEvidence: (turn: Turn, as: EvidenceCopy) => string;
}
