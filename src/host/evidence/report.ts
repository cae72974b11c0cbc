import { numberedSources } from '../../lib/citations';
import { auditOf, evidenceLine, type Audit } from '../../lib/evidence';
import { inertText, plain, type PlainText } from '../../lib/render';
import type { Turn } from '../../lib/types';
import type { FileStates } from './changed';
import { claimRow } from './claim-row';
import { closePlaces } from './close-place';
import type { Facts } from './facts';
import { noNumberRow } from './no-number-row';
import { noSourceRow } from './no-source-row';
import type { EvidenceCopy } from './parts';
import { quoteRow } from './quote-row';
import type { EvidenceReport, EvidenceRow, EvidenceSection } from './rows';
import { unreadRow } from './unread-row';

/** Rows of one section: five sections are more than anybody reads. Each frame ships all of them. */
const MAX_SECTION_ROWS = 250;

/**
 * Everything that can be seen of the evidence of an answer, in words: quotations first, then numbers and sources that hold
 * nothing, claims with the passages behind their markers, and sentences without a source. Made from the record alone: no text
 * of a source is asked for again. Total.
 *
 * @param states what became of the documents since, by path
 */
export function evidenceReport(turn: Turn, states: FileStates): EvidenceReport {
  const sources = new Map(numberedSources(turn).map((source) => [source.index, source]));
  const audit = auditOf(turn);
  const copies = copiesOf(turn, audit);
  if (turn.evidence === undefined && audit.cited.length > 0)
    return { summary: plain``, sections: [], copies, nothing: notKept(turn) };
  const linked = [...sources.values()].filter(
    ({ kind, url }) => kind !== 'document' || states.get(url) !== 'gone',
  );
  const facts: Facts = { turn, sources, linked, states, closePlaces: closePlaces(turn) };
  const { claims, unmarked, unknown, cited } = audit;
  const isAlone = cited.length === 0;
  const sections = [
    section(plain`Quotations`, turn.quotes ?? [], (quote, id) =>
      quoteRow(quote, id, { ...facts, claims }),
    ),
    section(plain`Numbers Without a Source`, numbersOf(audit), (number, id) =>
      noNumberRow(number, id, { turn, linked, unknown }),
    ),
    section(plain`Cited but Not Read`, unreadOf(audit), (index, id) =>
      unreadRow(index, id, { ...facts, claims }),
    ),
    section(plain`Claims`, claims, (claim, id) => claimRow(claim, id, facts)),
    section(plain`Without a Source`, unmarked, (span, id) =>
      noSourceRow(span, id, { turn, linked, isAlone }),
    ),
  ].filter(({ rows }) => rows.length > 0);
  const summary = summaryOf(turn, audit, states);
  return sections.length === 0
    ? { summary, sections, copies, nothing: NOTHING_CITED }
    : { summary, sections, copies };
}

const NOTHING_CITED = {
  title: plain`This answer cites nothing`,
  description: plain`There is no passage to show, and no sentence with a figure, a name or a quotation.`,
};

function notKept({ state }: Turn): NonNullable<EvidenceReport['nothing']> {
  const why =
    state === 'done'
      ? plain`This answer is from before Lam kept evidence. Regenerate makes it anew, with evidence.`
      : plain`This answer ended before its evidence was put together. Continue or regenerate it.`;
  return { title: plain`No evidence was kept`, description: why };
}

/** Nothing is offered that would not be there: passages where none were kept, sources where none is cited. */
function copiesOf({ evidence }: Turn, { cited }: Audit): EvidenceCopy[] {
  if (cited.length === 0) return [];
  return [...(evidence === undefined ? [] : (['evidence'] as const)), 'bibtex', 'csl'];
}

function section<T>(
  title: PlainText,
  all: readonly T[],
  toRow: (each: T, id: string) => EvidenceRow,
): EvidenceSection {
  const rows = all
    .slice(0, MAX_SECTION_ROWS)
    .map((each, place) => toRow(each, `${title} ${place}`));
  const more = all.length - rows.length;
  return {
    title: more > 0 ? plain`${title} (and ${more.toLocaleString('en')} more)` : title,
    rows,
  };
}

/** Each number once, in the order of the answer. */
const unreadOf = ({ unread }: Audit): number[] => [...new Set(unread.map(({ index }) => index))];
const numbersOf = ({ unknown }: Audit): number[] => [
  ...new Set(unknown.flatMap(({ numbers }) => numbers)),
];

function summaryOf(turn: Turn, audit: Audit, states: FileStates): PlainText {
  const line = evidenceLine(
    turn,
    audit.cited.map((index) => ({ index })),
    numbersOf(audit).length,
  );
  const { length: open } = audit.unmarked;
  const count = (state: string): number =>
    [...states.values()].filter((each) => each === state).length;
  const [changed, gone] = [count('changed'), count('gone')];
  return inertText(
    [
      line,
      open === 0 ? '' : `${open} sentence${open === 1 ? '' : 's'} without a source`,
      changed === 0 ? '' : `${filesOf(changed)} changed since the answer`,
      gone === 0 ? '' : `${filesOf(gone)} gone`,
    ]
      .filter((part) => part !== '')
      .join(' · '),
  );
}

const filesOf = (count: number): string => `${count} file${count === 1 ? '' : 's'}`;
