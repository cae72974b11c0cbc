/** Different words of the documents: a person's own language, some English, names and code. */
const VOCABULARY = 300_000;

const SYLLABLES = 'ka to mi re san del or pra vi tu len chi ba gro ne sti ul fa ex con'.split(' ');

/** So many words with spaces between them. */
export type Words = (count: number) => string;

/** The same words at every run: the multiplicative generator of Park and Miller. */
export function createWords(seed: number): Words {
  let state = seed;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  // Zipf's law: the n-th word is about n times rarer than the first.
  const word = (): string => wordOf(Math.floor(VOCABULARY ** random()));
  return (count) => Array.from({ length: count }, word).join(' ');
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 20))
    word += SYLLABLES[rest % 20] ?? '';
  return word;
}
