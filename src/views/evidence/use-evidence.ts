import { useEffect, useState } from 'react';

import type { EvidencePort, EvidenceReport } from '../../host/evidence/lazy-evidence';
import type { Turn } from '../../lib/types';

/** What is known of the evidence of an answer. */
export type Seen =
  | { kind: 'loading' }
  | { kind: 'seen'; report: EvidenceReport }
  | { kind: 'failed'; message: string };

/** Asks once, and again when told to: files may have come back, and a missing part of Lam too. */
export function useEvidence(port: EvidencePort, turn: Turn): { seen: Seen; again: () => void } {
  const [seen, setSeen] = useState<Seen>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const show = (next: Seen): void => {
      if (isCurrent) setSeen(next);
    };
    show({ kind: 'loading' });
    port.report(turn).then(
      (outcome) => {
        if (outcome.ok) show({ kind: 'seen', report: outcome.value });
        else show({ kind: 'failed', message: outcome.message });
      },
      () => {
        show({ kind: 'failed', message: 'The evidence of this answer could not be read.' });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [port, turn, round]);
  return {
    seen,
    again: () => {
      setRound((before) => before + 1);
    },
  };
}
