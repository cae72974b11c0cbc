import type { Source } from '../types';
import { fold } from '../words';

/** UTF-16 units of a text that are looked through: a question may be a pasted document. */
const MAX_UNITS = 100_000;

/** UTF-16 units from which on a title that was cut says enough to tell what it begins. */
const MIN_CUT_UNITS = 10;

const CUT = /(?:…|\.{3})\s*$/u;
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Words with single blanks, without case, accents and signs. */
const wordsOnly = (text: string): string =>
  fold(text.slice(0, MAX_UNITS))
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

const isEdge = (char: string): boolean => char === '' || char === ' ' || DENSE.test(char);

/** Whether the words stand in the text, whole words only. */
function holds(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const begins = isEdge(text.charAt(at - 1)) || DENSE.test(text.charAt(at));
    const ends = isEdge(text.charAt(end)) || DENSE.test(text.charAt(end - 1));
    if (begins && ends) return true;
  }
  return false;
}

/** What a source is called: its title, and a document's path. */
export const namesOf = ({ title, url, kind }: Source): string[] =>
  kind === 'document' ? [title, url] : [title];

/** Tells whether words are, or are part of, one of these texts: whatever their case, accents and punctuation are. */
export function knownWords(texts: readonly string[]): (words: string) => boolean {
  const known = texts
    .map((text) => ({ text: wordsOnly(text), isCut: CUT.test(text) }))
    .filter(({ text }) => text !== '');
  return (words) => {
    const wanted = wordsOnly(words);
    if (wanted === '') return false;
    return known.some(
      ({ text, isCut }) =>
        holds(text, wanted) || (isCut && text.length >= MIN_CUT_UNITS && wanted.startsWith(text)),
    );
  };
}
