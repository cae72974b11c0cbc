import type { Budget } from './budget';
import type { Hay } from './hay';
import { markAt, stretchOf, type Sequence, type Stretch } from './sequence';
import { APART, GLUED, IN_RUN, MAY_JOIN, type Mark, type Words } from './words';

/** Occurrences that are looked at. A quotation that stands in a text more often is no quotation but a refrain. */
const MAX_OCCURRENCES = 100;

/** Characters of a run without spaces that are cut into words, to either side: more than stand between two commas. */
const MAX_RUN = 200;

/** Steps that it costs to cut such a run: some 0.05 ms. */
const RUN_STEPS = 8_000;

/** Where the needle's words stand in a row, by their first word. What stands before that one does not count. */
function placesOf(needle: Sequence, hay: Hay, budget: Budget): Iterable<number> | undefined {
  const size = needle.words.length;
  const { words, before } = hay.sequence;
  const steps = words.length + size;
  let rarest = 0;
  let places = hay.occurrences(needle.plain[0] ?? 0);
  for (let at = 1; at < size && places.length > 0; at += 1) {
    const own = hay.occurrences(needle.plain[at] ?? 0);
    if (own.length < places.length) [rarest, places] = [at, own];
  }
  if (places.length * size > steps) return budget.spend(steps) ? inRow(needle, hay) : undefined;
  if (!budget.spend(size + places.length * size)) return undefined;
  const isAt = (from: number): boolean => {
    if (from < 0 || from + size > words.length || words[from] !== needle.words[0]) return false;
    for (let at = 1; at < size; at += 1) {
      if (words[from + at] !== needle.words[at] || before[from + at] !== needle.before[at])
        return false;
    }
    return true;
  };
  return Array.from(places, (place) => place - rarest).filter(isAt);
}

/** The same by Knuth, Morris and Pratt: linear whatever the texts are. */
function* inRow(needle: Sequence, { sequence: hay }: Hay): Generator<number> {
  const [first] = needle.words;
  const size = needle.words.length - 1;
  if (size === 0) {
    for (let at = 0; at < hay.words.length; at += 1) if (hay.words[at] === first) yield at;
    return;
  }
  const [words, before] = [needle.words.subarray(1), needle.before.subarray(1)];
  const back = new Int32Array(size);
  for (let at = 1, length = 0; at < size; at += 1) {
    const isSame = (n: number): boolean => words[at] === words[n] && before[at] === before[n];
    while (length > 0 && !isSame(length)) length = back[length - 1] ?? 0;
    if (isSame(length)) length += 1;
    back[at] = length;
  }
  for (let at = 1, length = 0; at < hay.words.length; at += 1) {
    const [word, signs] = [hay.words[at], hay.before[at]];
    while (length > 0 && (word !== words[length] || signs !== before[length]))
      length = back[length - 1] ?? 0;
    if (word === words[length] && signs === before[length]) length += 1;
    if (length < size) continue;
    const from = at - size;
    if (hay.words[from] === first) yield from;
    length = back[length - 1] ?? 0;
  }
}

/** What may be missing in a needle, by the word it stands before. */
function marksOf(needle: Sequence): [number, Mark][] {
  const size = needle.words.length;
  const found: [number, Mark][] = [];
  if (needle.read.marks.size === 0) return found;
  for (let at = 0; at < size || (at === size && needle.isWhole); at += 1) {
    const mark = markAt(needle, at);
    if (mark !== undefined) found.push([at, mark]);
  }
  return found;
}

/**
 * References and list numbers may be missing in a quotation, and never be others than the source's. A number in brackets that
 * only the quotation has may be the answer's own marker or an added figure (`at least [300] people`): it is a marker only behind the end
 * of a sentence, or at the end of the quotation where the source's sentence ends too.
 */
function hasOtherMarks(
  marks: readonly [number, Mark][],
  needle: Sequence,
  hay: Sequence,
  from: number,
): boolean {
  for (const [at, { text, isReference }] of marks) {
    const own = markAt(hay, from + at);
    if (own?.text === text) continue;
    const place = hay.firsts[from + at] ?? 0;
    const isAtEnd =
      at === needle.words.length &&
      /^(?:\d{1,3} )+$/.test(text) &&
      (place >= hay.read.words.length || ((hay.read.flags[place] ?? 0) & APART) !== 0);
    if (own !== undefined ? !isAtEnd : !isReference && !isAtEnd) return true;
  }
  return false;
}

let segmenter: Intl.Segmenter | undefined;

/** Whether a word ends before a place, in scripts without spaces by the dictionary of `Intl.Segmenter`. */
function isBoundary(read: Words, text: string, at: number, budget: Budget): boolean | undefined {
  const { flags, starts, ends, words } = read;
  if (at <= 0 || at >= words.length) return true;
  if (((flags[at] ?? 0) & (GLUED | MAY_JOIN)) !== 0) return false;
  const isRun = (n: number): boolean =>
    n > 0 &&
    ((flags[n] ?? 0) & IN_RUN) !== 0 &&
    ((flags[n - 1] ?? 0) & IN_RUN) !== 0 &&
    ends[n - 1] === starts[n];
  if (!isRun(at)) return true;
  if (!budget.spend(RUN_STEPS)) return undefined;
  let first = at;
  while (isRun(first) && at - first < MAX_RUN) first -= 1;
  let last = at;
  while (isRun(last + 1) && last - at < MAX_RUN) last += 1;
  const start = starts[first] ?? 0;
  const place = (starts[at] ?? 0) - start;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return segmenter.segment(text.slice(start, ends[last])).containing(place)?.index === place;
}

/**
 * Where all words of a quotation, or of a piece of one, stand in a row, whole words only.
 *
 * @param limit places that are wanted
 * @returns undefined if the budget does not suffice
 */
export function exactPlaces(
  needle: Sequence,
  hay: Hay,
  budget: Budget,
  limit = MAX_OCCURRENCES,
): Stretch[] | undefined {
  const places = placesOf(needle, hay, budget);
  if (places === undefined) return undefined;
  const { sequence, text } = hay;
  const marks = marksOf(needle);
  const found: Stretch[] = [];
  let looked = 0;
  for (const at of places) {
    looked += 1;
    if (looked > MAX_OCCURRENCES || found.length >= limit) break;
    if (hasOtherMarks(marks, needle, sequence, at)) continue;
    const stretch = stretchOf(sequence, at, at + needle.words.length - 1);
    const begins = isBoundary(sequence.read, text, stretch.from, budget);
    const ends = begins === true && isBoundary(sequence.read, text, stretch.to + 1, budget);
    if (begins === undefined || ends === undefined) return undefined;
    if (begins && ends) found.push(stretch);
  }
  return found;
}
