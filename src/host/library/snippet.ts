import type { Turn } from '../../lib/types';
import type { Vocabulary } from './vocabulary';
import { fold, runsOf, type QueryWord } from '../../lib/words';

/** A place in a conversation where words of a query are. */
export interface Snippet {
  /** Of the turn it is from. */
  turnId: string;
  part: 'question' | 'answer';
  /** The text around the first of the words, as it was written but on one line; foreign text. */
  text: string;
}

/** UTF-16 units before and behind the word: two lines of the pane. */
const BEFORE = 40;
const BEHIND = 120;

/** UTF-16 units of a conversation that are looked through, newest turns first. */
const MAX_UNITS = 300_000;

/** Where in a text the first word is, and how many different ones. */
interface Match {
  at: number;
  words: number;
}

/** Finds the words of a query in a text. */
export type Finder = (text: string) => Match | undefined;

export function createFinder(words: readonly QueryWord[], vocabulary: Vocabulary): Finder {
  const meant = new Map<string, number>();
  for (const [place, word] of words.entries()) {
    for (const number of vocabulary.meanings(word).keys())
      meant.set(vocabulary.termOf(number), place);
  }
  const isMeant = (text: string, isDense: boolean): number[] => {
    const folded = fold(text);
    if (!isDense) return [meant.get(folded) ?? -1];
    return words.flatMap(({ term }, place) => (folded.includes(term) ? [place] : []));
  };
  return (text) => {
    const found = new Set<number>();
    let first: number | undefined;
    for (const run of runsOf(text)) {
      const places = isMeant(run.text, run.isDense).filter((place) => place >= 0);
      const [place] = places;
      if (place === undefined) continue;
      const term = words[place]?.term ?? '';
      first ??= run.at + (run.isDense ? Math.max(0, run.text.indexOf(term)) : 0);
      for (const other of places) found.add(other);
    }
    return first === undefined ? undefined : { at: first, words: found.size };
  };
}

/** What of a turn is looked through. */
export type SearchedTurn = Pick<Turn, 'id' | 'question' | 'response'>;

/** The newest turns' texts, newest first, up to `MAX_UNITS`. */
export function newestTexts(turns: readonly SearchedTurn[]): SearchedTurn[] {
  const texts: SearchedTurn[] = [];
  let left = MAX_UNITS;
  for (const turn of turns.toReversed()) {
    if (left <= 0) break;
    const question = turn.question.slice(0, left);
    left -= question.length;
    const response = turn.response.slice(0, left);
    left -= response.length;
    texts.push({ id: turn.id, question, response });
  }
  return texts;
}

/**
 * The place with the most different words; of several that are equal the one in the newest turn, and there the question.
 *
 * @param turns newest first
 */
export function snippetOf(turns: readonly SearchedTurn[], find: Finder): Snippet | undefined {
  let best: Snippet | undefined;
  let most = 0;
  for (const { id, question, response } of turns) {
    for (const [part, text] of [
      ['question', question],
      ['answer', response],
    ] as const) {
      const match = find(text);
      if (match === undefined || match.words <= most) continue;
      most = match.words;
      best = { turnId: id, part, text: around(text, match.at) };
    }
  }
  return best;
}

function around(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + BEHIND);
  // From word to word where there are spaces, and never half a character.
  const before = text.slice(start, at).replace(start > 0 ? /^\S*\s|^[\uDC00-\uDFFF]/u : /^/u, '');
  const behind = text
    .slice(at, end)
    .replace(end < text.length ? /\s\S*$|[\uD800-\uDBFF]$/u : /$/u, '');
  const line = `${before}${behind}`.replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}
