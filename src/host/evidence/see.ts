import { citedIndices, numberedSources } from '../../lib/citations';
import type { Turn } from '../../lib/types';
import { createChangeCheck, type Version } from './changed';
import { evidenceReport } from './report';
import type { EvidenceReport } from './rows';

/** The report of an answer, with a look at what became of its documents since: five seconds at most. Never rejects. */
export async function seeEvidence(turn: Turn): Promise<EvidenceReport> {
  return evidenceReport(turn, await createChangeCheck()(documentsOf(turn)));
}

/** The documents behind passages, and those that are cited without one: they are opened too. */
function documentsOf(turn: Turn): Version[] {
  const { response, evidence = [] } = turn;
  const known = new Set(evidence.map(({ url }) => url));
  const others = numberedSources(turn).filter(
    ({ kind, url }) => kind === 'document' && !known.has(url),
  );
  if (others.length === 0) return evidence;
  const cited = citedIndices(response, others);
  return [...evidence, ...others.filter(({ index }) => cited.has(index))];
}
