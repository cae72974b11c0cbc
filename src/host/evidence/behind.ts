import type { Evidence, Turn } from '../../lib/types';

/** Passages of one number that a row shows: an answer has one or two. */
const MAX_PASSAGES = 8;

/** Markers of one passage that are looked at: a record may have been changed by somebody else's hand. */
const MAX_MARKERS = 64;

/** Places of the passages behind each marker, of the evidence of the turns that are looked at. */
const behindOf = new WeakMap<readonly Evidence[], ReadonlyMap<string, readonly number[]>>();

function behindIn(evidence: readonly Evidence[]): ReadonlyMap<string, readonly number[]> {
  const known = behindOf.get(evidence);
  if (known !== undefined) return known;
  const behind = new Map<string, number[]>();
  for (const [place, { index, markers }] of evidence.entries()) {
    for (const marker of new Set(markers.slice(0, MAX_MARKERS))) {
      const key = `${index} ${marker}`;
      const places = behind.get(key);
      if (places === undefined) behind.set(key, [place]);
      else if (places.length < MAX_PASSAGES) places.push(place);
    }
  }
  behindOf.set(evidence, behind);
  return behind;
}

/** The first passages that were kept of a number behind any of these markers, in the order of the evidence. */
export function passagesBehind(
  { evidence = [] }: Turn,
  index: number,
  markers: readonly number[],
): Evidence[] {
  const behind = behindIn(evidence);
  const places = new Set(markers.flatMap((marker) => behind.get(`${index} ${marker}`) ?? []));
  return [...places]
    .sort((one, other) => one - other)
    .slice(0, MAX_PASSAGES)
    .flatMap((place) => evidence[place] ?? []);
}
