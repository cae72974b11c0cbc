import { Unsayable } from './tree';

interface Alphabet {
  upper: number;
  lower: number;
  digits?: number;
  greek?: { upper: number; lower: number };
  /** Letters that were encoded before the block was; their places in it are empty. */
  elsewhere?: Readonly<Record<string, string>>;
}

// Unicode's Mathematical Alphanumeric Symbols, U+1D400 to U+1D7FF.
const BOLD: Alphabet = {
  upper: 0x1d400,
  lower: 0x1d41a,
  digits: 0x1d7ce,
  greek: { upper: 0x1d6a8, lower: 0x1d6c2 },
};
const SCRIPT: Alphabet = {
  upper: 0x1d49c,
  lower: 0x1d4b6,
  elsewhere: {
    B: 'ℬ',
    E: 'ℰ',
    F: 'ℱ',
    H: 'ℋ',
    I: 'ℐ',
    L: 'ℒ',
    M: 'ℳ',
    R: 'ℛ',
    e: 'ℯ',
    g: 'ℊ',
    o: 'ℴ',
  },
};
const ALPHABETS = new Map<string, Alphabet | undefined>([
  ['mathrm', undefined], // upright or italic says nothing in plain text
  ['mathit', undefined],
  ['mathnormal', undefined],
  ['mathbf', BOLD],
  ['boldsymbol', BOLD],
  ['mathcal', SCRIPT],
  ['mathscr', SCRIPT],
  [
    'mathbb',
    {
      upper: 0x1d538,
      lower: 0x1d552,
      digits: 0x1d7d8,
      elsewhere: { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
    },
  ],
  [
    'mathfrak',
    {
      upper: 0x1d504,
      lower: 0x1d51e,
      elsewhere: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' },
    },
  ],
  ['mathsf', { upper: 0x1d5a0, lower: 0x1d5ba, digits: 0x1d7e2 }],
  ['mathtt', { upper: 0x1d670, lower: 0x1d68a, digits: 0x1d7f6 }],
]);

/** Whether a font of the tree (`mathbf`) only makes letters upright or slanted. */
export function isPlain(font: string): boolean {
  return ALPHABETS.has(font) && ALPHABETS.get(font) === undefined;
}

/** One character in a font of the tree. What the font's block lacks stays as it is; an unknown font cannot be said. */
export function inFont(char: string, font: string): string {
  if (!ALPHABETS.has(font)) throw new Unsayable(font);
  const alphabet = ALPHABETS.get(font);
  if (alphabet === undefined) return char;
  const early = alphabet.elsewhere?.[char];
  if (early !== undefined) return early;
  const code = char.codePointAt(0) ?? 0;
  const moved = (first: string, start: number): string =>
    String.fromCodePoint(start + code - (first.codePointAt(0) ?? 0));
  if (/^[A-Z]$/.test(char)) return moved('A', alphabet.upper);
  if (/^[a-z]$/.test(char)) return moved('a', alphabet.lower);
  if (/^\d$/.test(char) && alphabet.digits !== undefined) return moved('0', alphabet.digits);
  if (/^[\u0391-\u03A1\u03A3-\u03A9]$/.test(char) && alphabet.greek)
    return moved('Α', alphabet.greek.upper);
  if (/^[\u03B1-\u03C9]$/.test(char) && alphabet.greek) return moved('α', alphabet.greek.lower);
  return char;
}
