import type { Audit } from '../../lib/evidence';
import { plain } from '../../lib/render';
import { keywordsOf, numbersText, type Facts } from './facts';
import type { EvidenceRow } from './rows';
import { someSentences } from './some-sentences';

/** A number that leads nowhere, and the sentences behind which it stands. */
export function noNumberRow(
  number: number,
  id: string,
  { turn, linked, unknown }: Pick<Facts, 'turn' | 'linked'> & Pick<Audit, 'unknown'>,
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
      const places = unknown.filter(({ numbers }) => numbers.includes(number));
      const spans = new Map(places.map(({ sentence }) => [sentence.start, sentence]));
      return [
        `**\\[${number}\\] belongs to no source of this answer.**`,
        'What it stands behind has no source that can be looked at.',
        '---',
        ...someSentences([...spans.values()], { turn, linked }),
      ].join('\n\n');
    },
    passages: [],
  };
}
