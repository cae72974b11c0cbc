import { bibtex, copyAnswer, cslJson, evidenceFormat } from '../../lib/markdown';
import type { Turn } from '../../lib/types';
import type { EvidenceCopy } from './parts';

/** The evidence of an answer for the clipboard; '' = there is nothing to copy. */
export function copyEvidence(turn: Turn, as: EvidenceCopy): string {
  switch (as) {
    case 'evidence':
      return copyAnswer(turn, evidenceFormat);
    case 'bibtex':
      return bibtex([turn]);
    case 'csl': {
      const json = cslJson([turn]);
      return json.trim() === '[]' ? '' : json;
    }
  }
}
