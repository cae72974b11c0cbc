import type { Sequence } from './sequence';

/** A stretch of words; `to` is the last of them. */
export interface Stretch {
  from: number;
  to: number;
}

/** Occurrences that are looked at. A quotation that stands in a text more often is no quotation but a refrain. */
const MAX_OCCURRENCES = 100;

/** Characters of a run without spaces that are cut into words, to either side: more than stand between two commas. */
const MAX_RUN = 200;

/** Where the needle's words stand in a row, by their first word (Knuth, Morris and Pratt: linear whatever the texts are). */
function* placesOf(needle: Sequence, hay: Sequence): Generator<number> {
  const [first] = needle.words;
  if (first === undefined) return;
  // What stands before the first word of a quotation does not count: the rest is compared with its punctuation.
  const rest = needle.pairs.subarray(1);
  if (rest.length === 0) {
    for (let at = hay.words.indexOf(first); at >= 0; at = hay.words.indexOf(first, at + 1)) {
      yield at;
    }
    return;
  }
  const back = new Int32Array(rest.length);
  for (let at = 1, length = 0; at < rest.length; at += 1) {
    while (length > 0 && rest[at] !== rest[length]) length = back[length - 1] ?? 0;
    if (rest[at] === rest[length]) length += 1;
    back[at] = length;
  }
  for (let at = 1, length = 0; at < hay.pairs.length; at += 1) {
    while (length > 0 && hay.pairs[at] !== rest[length]) length = back[length - 1] ?? 0;
    if (hay.pairs[at] === rest[length]) length += 1;
    if (length < rest.length) continue;
    const from = at - rest.length;
    if (hay.words[from] === first) yield from;
    length = back[length - 1] ?? 0;
  }
}

/**
 * References and list numbers may be missing in a quotation, and never be others than the source's. A number in brackets that
 * only the quotation has may be the answer's own marker or an added figure (`at least [300] people`): it is a marker only behind the end
 * of a sentence, or at the end of the quotation where the source's sentence ends too.
 */
function hasOtherMarks(needle: Sequence, hay: Sequence, from: number): boolean {
  for (const [at, { text, isReference }] of needle.marks) {
    const own = hay.marks.get(from + at);
    if (own?.text === text) continue;
    const isAtEnd =
      at === needle.words.length &&
      /^(?:\d{1,3} )+$/.test(text) &&
      hay.isApart[from + at] !== false;
    if (own !== undefined ? !isAtEnd : !isReference && !isAtEnd) return true;
  }
  return false;
}

let segmenter: Intl.Segmenter | undefined;

/** Whether a word ends before `at`, in scripts without spaces by the dictionary of `Intl.Segmenter`. */
function isBoundary(hay: Sequence, text: string, at: number): boolean {
  if (at <= 0 || at >= hay.words.length) return true;
  if (hay.isGlued[at] === true) return false;
  const isRun = (n: number): boolean =>
    hay.isDense[n] === true && hay.isDense[n - 1] === true && hay.ends[n - 1] === hay.starts[n];
  if (!isRun(at)) return true;
  let first = at;
  while (isRun(first) && at - first < MAX_RUN) first -= 1;
  let last = at;
  while (isRun(last + 1) && last - at < MAX_RUN) last += 1;
  const start = hay.starts[first] ?? 0;
  const place = (hay.starts[at] ?? 0) - start;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return segmenter.segment(text.slice(start, hay.ends[last])).containing(place)?.index === place;
}

/**
 * Where all words of a quotation, or of a piece of one, stand in a row, whole words only.
 *
 * @param text what `hay` was read from
 */
export function exactPlaces(needle: Sequence, hay: Sequence, text: string): Stretch[] {
  const found: Stretch[] = [];
  let looked = 0;
  for (const from of placesOf(needle, hay)) {
    looked += 1;
    if (looked > MAX_OCCURRENCES) break;
    const to = from + needle.words.length - 1;
    if (hasOtherMarks(needle, hay, from)) continue;
    if (isBoundary(hay, text, from) && isBoundary(hay, text, to + 1)) found.push({ from, to });
  }
  return found;
}
