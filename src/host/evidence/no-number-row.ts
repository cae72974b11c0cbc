import type { Audit } from '../../lib/evidence';
import { plain } from '../../lib/render';
import { keywordsOf, numbersText, type Facts } from './facts';
import type { EvidenceRow } from './rows';
import type { Span } from './sentence-text';
import { someSentences } from './some-sentences';

/** What the row is made from besides the facts. */
type Known = Pick<Audit, 'claims' | 'unmarked' | 'unknown'>;

/** A number that leads nowhere, and the sentences behind which it stands. */
export function noNumberRow(
  number: number,
  id: string,
  { turn, linked, ...known }: Facts & Known,
): EvidenceRow {
  const words = plain`[${number}] belongs to no source of this answer.`;
  return {
    id,
    mark: 'no-number',
    title: words,
    markers: numbersText([number]),
    words: plain`No source has this number`,
    keywords: keywordsOf([{ index: number }], plain`No source has this number`),
    detail: () => {
      const places = known.unknown.filter(({ numbers }) => numbers.includes(number));
      return [
        `**\\[${number}\\] belongs to no source of this answer.**`,
        'What it stands behind has no source that can be looked at.',
        '---',
        ...someSentences(sentencesAround(places, turn.response, known), { turn, linked }),
      ].join('\n\n');
    },
    passages: [],
  };
}

/** The sentences that are known around these places, or else their lines; each once. */
function sentencesAround(
  places: readonly Span[],
  response: string,
  { claims, unmarked }: Known,
): Span[] {
  const spans = new Map<number, Span>();
  for (const { start, end } of places) {
    const known = [...claims, ...unmarked].find((each) => each.start <= start && end <= each.end);
    const span = known ?? lineAround(response, start);
    spans.set(span.start, span);
  }
  return [...spans.values()];
}

function lineAround(text: string, at: number): Span {
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: end < 0 ? text.length : end };
}
