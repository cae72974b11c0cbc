import type { Reference } from './reference';

/** Characters of the host, and of the word of the title, in a key. */
const MAX_HOST = 40;
const MAX_WORD = 24;

/** Letters of a word of the title that says something: articles and most prepositions have fewer. */
const MIN_WORD = 4;

/** Runs of ASCII letters and digits, in lower case, accents left out. */
const words = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[a-z\d]+/g) ?? [];

function baseKey(reference: Reference): string {
  const place =
    reference.kind === 'web' ? words(reference.host.replace(/^www\./, '')) : ['document'];
  const name = reference.title ?? (reference.kind === 'document' ? reference.fileName : '');
  const word = words(name).find(({ length }) => length >= MIN_WORD) ?? '';
  const lead = place.join('-').slice(0, MAX_HOST).replace(/-$/, '');
  return [lead === '' ? 'page' : lead, word.slice(0, MAX_WORD)]
    .filter((part) => part !== '')
    .join('-');
}

/**
 * A key for each reference: host and a word of the title, `leaf-example-water`, with a number where that is taken. Letters
 * (ASCII, lower case), digits and hyphens, which every BibTeX takes. What comes later changes no key before it.
 */
export function citationKeys(references: readonly Reference[]): string[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return references.map((reference) => {
    const base = baseKey(reference);
    let key = base;
    let number = next.get(base) ?? 2;
    while (taken.has(key)) {
      key = `${base}-${String(number)}`;
      number += 1;
    }
    next.set(base, number);
    taken.add(key);
    return key;
  });
}
