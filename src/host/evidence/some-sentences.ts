import type { Facts } from './facts';
import { sentenceMarkdown, type Span } from './sentence-text';

/** Sentences that are shown of those that cite a number. */
const MAX_SENTENCES = 5;

/** The first sentences as the pane draws them, and how many there are more. */
export function someSentences(
  spans: readonly Span[],
  { turn, linked }: Pick<Facts, 'turn' | 'linked'>,
): string[] {
  const more = spans.length - MAX_SENTENCES;
  return [
    ...spans.slice(0, MAX_SENTENCES).map((span) => sentenceMarkdown(turn.response, span, linked)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
