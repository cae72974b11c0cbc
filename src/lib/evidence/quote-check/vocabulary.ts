import { fold } from '../../words';

// eslint-disable-next-line no-control-regex -- the range of ASCII, which needs no folding but that of case
const ASCII = /^[\x00-\x7F]*$/;

/** Case does not count; a letter and its accent are one character or two. */
const sameCase = (word: string): string =>
  ASCII.test(word)
    ? word.toLowerCase()
    : word
        .normalize('NFC')
        .toLowerCase()
        .replaceAll('i\u0307', 'i') // İ
        .replaceAll('ς', 'σ');

const numberIn = (known: Map<string, number>, text: string): number => {
  const number = known.get(text);
  if (number !== undefined) return number;
  const next = known.size + 1;
  known.set(text, next);
  return next;
};

/** Words and punctuation as numbers from 1 on, the same ones for all texts that are read with it, so that they are compared at once. */
export class Vocabulary {
  readonly #written = new Map<string, number>();
  readonly #words = new Map<string, number>();
  readonly #texts: string[] = [''];
  readonly #plain = new Map<string, number>();
  readonly #plainOf: number[] = [0];
  readonly #punctuation = new Map<string, number>();
  /** By unit: sources of Chinese have a word for each. */
  #characters: Int32Array | undefined;

  /** The number of a word. */
  of(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const next = this.#texts.push(word) - 1;
    this.#words.set(word, next);
    this.#plainOf.push(numberIn(this.#plain, fold(word)));
    return next;
  }

  /** The number of a word as somebody has written it. */
  ofWritten(text: string): number {
    const known = this.#written.get(text);
    if (known !== undefined) return known;
    const number = this.of(sameCase(text));
    this.#written.set(text, number);
    return number;
  }

  /** The number of the word that is one UTF-16 unit of a text, which has no case. */
  ofUnit(text: string, at: number): number {
    this.#characters ??= new Int32Array(0x1_0000);
    return (this.#characters[text.charCodeAt(at)] ||= this.of(text.charAt(at)));
  }

  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** The same number = the same word but for accents. */
  plainOf(number: number): number {
    return this.#plainOf[number] ?? 0;
  }

  /** The number of the punctuation before a word; 0 = none. */
  ofPunctuation(signs: string): number {
    return signs === '' ? 0 : numberIn(this.#punctuation, signs);
  }
}
