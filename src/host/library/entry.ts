import type { Conversation } from '../../lib/types';
import { counted, IN_TITLE, type Entry } from './shard';
import type { Vocabulary } from './vocabulary';
import { termsOf } from '../../lib/words';

/** Different terms of a conversation that are indexed, its title and newest turns first: some 3,000 pages of one subject. It bounds what one conversation of hostile text costs. */
const MAX_TERMS = 20_000;

/**
 * A conversation with its terms: title, questions and answers of all variants. What tools returned and what the model
 * thought is not searched: a page that was read says much that nobody asked for.
 *
 * @param stamp the version of the file it was read from
 */
export function entryOf(
  { id, title, updatedAt, turns }: Conversation,
  stamp: string,
  vocabulary: Vocabulary,
): Entry {
  const counts = new Map<number, number>();
  let length = 0;
  const addText = (text: string): void => {
    for (const term of termsOf(text)) {
      length += 1;
      const number = numberOf(term);
      if (number !== undefined) counts.set(number, counted(counts.get(number)));
    }
  };
  const numberOf = (term: string): number | undefined => {
    const number = vocabulary.numberOf(term);
    return counts.size < MAX_TERMS || counts.has(number) ? number : undefined;
  };
  for (const term of termsOf(title)) {
    const number = numberOf(term);
    if (number !== undefined) counts.set(number, IN_TITLE);
  }
  for (const { question, response } of turns.toReversed()) {
    addText(question);
    addText(response);
  }
  return { doc: { id, stamp, updatedAt, length }, counts };
}
