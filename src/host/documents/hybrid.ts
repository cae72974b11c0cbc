import type { Found } from './block-ranking';
import type { FileRow } from './file-row';
import { fuse } from './fusion';
import { STRETCH_FIELDS } from './segment';
import type { Meant } from './embedding-run';
import type { Shelf, Shelves } from './shelves';
import type { KeptText } from './text-store';

/** Hexadecimal digits of a file's version that tell it from all others of a person. */
const VERSION_DIGITS = 16;

/** Of the content and the place in it, so that a file that is moved keeps its vectors. */
const keyOf = (version: string, start: number): string =>
  `${version.slice(0, VERSION_DIGITS)}:${start}`;

/** Places of the stretches of all files that are there, with what tells them by content. */
function* livingStretches({
  segment,
  rows,
  live,
}: Shelf): Generator<{ file: number; place: number; key: string }> {
  for (let at = 0; at < segment.stretches.length; at += STRETCH_FIELDS) {
    const [file = 0, start = 0] = segment.stretches.subarray(at, at + 2);
    if (live[file] !== 1) continue;
    yield { file, place: at / STRETCH_FIELDS, key: keyOf(rows[file]?.version ?? '', start) };
  }
}

/** The keys of all stretches, and the texts of those that are missing, which are read one file after the other. */
export function meanings(
  shelves: Pick<Shelves, 'all'>,
  textOf: (row: FileRow) => KeptText | undefined,
): { keys: Set<string>; missing: (isMissing: (key: string) => boolean) => Generator<Meant> } {
  const all = [...shelves.all()];
  const keys = new Set<string>();
  for (const shelf of all) for (const { key } of livingStretches(shelf)) keys.add(key);
  function* missing(isMissing: (key: string) => boolean): Generator<Meant> {
    for (const shelf of all) {
      let text: { file: number; kept: KeptText | undefined } | undefined;
      for (const { file, place, key } of livingStretches(shelf)) {
        const row = shelf.rows[file];
        if (row === undefined || !isMissing(key)) continue;
        if (text?.file !== file) text = { file, kept: textOf(row) };
        const at = place * STRETCH_FIELDS;
        const [, start, end] = shelf.segment.stretches.subarray(at, at + STRETCH_FIELDS);
        const words = text.kept?.text.slice(start, end) ?? '';
        if (words.trim() !== '') yield { key, text: words };
      }
    }
  }
  return { keys, missing };
}

/**
 * One ranking of two: by words, and by meaning. Scores tell no more than the order, since those of the two cannot be compared.
 *
 * @param words best first
 * @param near keys, nearest first; those of stretches that are gone are left out
 */
export function fused(
  words: readonly Found[],
  near: readonly string[],
  shelves: readonly Shelf[],
  limit: number,
): Found[] {
  const wanted = new Set(near);
  const places = new Map<string, Found>();
  const byWords: string[] = [];
  const keys = new Map(words.map(({ segment, place }) => [`${segment} ${place}`, '']));
  for (const [segment, shelf] of shelves.entries()) {
    for (const { place, key } of livingStretches(shelf)) {
      const found = `${segment} ${place}`;
      if (keys.has(found)) keys.set(found, key);
      if (wanted.has(key) || keys.has(found)) places.set(key, { segment, place, score: 0 });
    }
  }
  for (const { segment, place } of words) byWords.push(keys.get(`${segment} ${place}`) ?? '');
  const ranked = fuse([byWords, near.filter((key) => places.has(key))], limit);
  return ranked.flatMap((key, rank) => {
    const place = places.get(key);
    return place === undefined ? [] : [{ ...place, score: 1 - rank / limit }];
  });
}
