import type { Audit } from '../../lib/evidence';
import { inertText, plain } from '../../lib/render';
import { keywordsOf, numbersText, type Facts } from './facts';
import { rowSource, sourceMarkdown } from './passage-text';
import type { EvidenceRow } from './rows';
import { someSentences } from './some-sentences';
import { unreadWords } from './status-words';

/** A source that is cited though it was not read, and the sentences that cite it. */
export function unreadRow(
  index: number,
  id: string,
  { turn, sources, linked, states, claims }: Facts & Pick<Audit, 'claims'>,
): EvidenceRow {
  const source = sources.get(index) ?? { index, title: '', url: '' };
  const why = unreadWords(source) ?? 'Not read.';
  const citing = claims.filter(({ markers }) =>
    markers.some(({ numbers }) => numbers.includes(index)),
  );
  return {
    id,
    mark: 'unread',
    title: inertText(source.title === '' ? source.url : source.title, 120),
    markers: numbersText([index]),
    words: plain`${why}`,
    keywords: keywordsOf([source], plain`${why}`),
    detail: () =>
      [sourceMarkdown(source, why, states), '---', ...someSentences(citing, { turn, linked })].join(
        '\n\n',
      ),
    passages: [rowSource(source, states)],
  };
}
