import { plain } from '../../lib/render';
import { keywordsOf, type Facts } from './facts';
import type { EvidenceRow } from './rows';
import { sentenceMarkdown, sentenceTitle, type Span } from './sentence-text';

const BESIDE =
  'This sentence has a figure, a name or a quotation in it, and no source beside it. It may be the model’s own knowledge, or rest on the source of a sentence near it.';

const ANYWHERE =
  'This answer cites no source. The sentence has a figure, a name or a quotation in it; it may be the model’s own knowledge.';

/** A sentence that should have a source and has none. `isAlone`: nor has any other of the answer. */
export function noSourceRow(
  span: Span,
  id: string,
  { turn, linked, isAlone }: Pick<Facts, 'turn' | 'linked'> & { isAlone: boolean },
): EvidenceRow {
  const words = plain`No source beside it`;
  return {
    id,
    mark: 'no-source',
    title: sentenceTitle(turn.response, span),
    markers: plain``,
    words,
    keywords: keywordsOf([], words),
    detail: () =>
      [
        ...(isAlone ? [ANYWHERE, '---'] : []),
        sentenceMarkdown(turn.response, span, linked),
        ...(isAlone ? [] : ['---', BESIDE]),
      ].join('\n\n'),
    passages: [],
  };
}
