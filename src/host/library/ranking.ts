import { IN_TITLE, placeOf, type IndexedDoc, type Shard } from './shard';
import type { Vocabulary } from './vocabulary';
import type { QueryWord } from '../../lib/words';

/** Okapi BM25 with the usual constants: how soon repetition stops to count, and how much a long text is held against it. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;

/** What a word in the title counts; in the text the most is `SATURATION + 1`. */
const TITLE_SCORE = 4;

/** What being new adds at most, as a share of the score, and the milliseconds after which half of it is left. */
const NEWNESS = 0.15;
const NEWNESS_HALF_MS = 30 * 24 * 60 * 60_000;

/** A conversation that was found. */
export interface Ranked {
  doc: IndexedDoc;
  score: number;
}

/** The postings of one term a word may mean. */
interface Postings {
  start: number;
  end: number;
  /** What the term counts: how near it is to the word, and how rare. */
  weight: number;
}

/**
 * The conversations with all words; if there are none, those with as many as possible. Best first; of two that are
 * equally good the newer one.
 *
 * @param limit how many at most
 */
export function rank(
  shards: readonly Shard[],
  vocabulary: Vocabulary,
  words: readonly QueryWord[],
  limit: number,
): Ranked[] {
  const docs = shards.flatMap((shard) => shard.docs);
  if (docs.length === 0 || words.length === 0) return [];
  const average = docs.reduce((sum, doc) => sum + doc.length, 0) / docs.length + 1;
  const newest = docs.reduce((most, doc) => Math.max(most, doc.updatedAt), -Infinity);
  const postings = words.map((word) => postingsOf(shards, vocabulary, word, docs.length));

  let most = 1;
  let found: Ranked[] = [];
  for (const [number, shard] of shards.entries()) {
    const totals = new Float64Array(shard.docs.length);
    const matched = new Uint8Array(shard.docs.length);
    for (const byShard of postings) {
      const scores = scoresOf(shard, byShard[number] ?? [], average);
      for (let place = 0; place < scores.length; place += 1) {
        const score = scores[place] ?? 0;
        if (score === 0) continue;
        totals[place] = (totals[place] ?? 0) + score;
        matched[place] = (matched[place] ?? 0) + 1;
      }
    }
    for (const [place, doc] of shard.docs.entries()) {
      const words = matched[place] ?? 0;
      if (words < most) continue;
      if (words > most) {
        most = words;
        found = [];
      }
      const age = Math.max(0, newest - doc.updatedAt);
      const newness = 1 + (NEWNESS * NEWNESS_HALF_MS) / (NEWNESS_HALF_MS + age);
      found.push({ doc, score: (totals[place] ?? 0) * newness });
    }
  }
  return found.sort(bestFirst).slice(0, limit);
}

function bestFirst(one: Ranked, other: Ranked): number {
  return (
    other.score - one.score ||
    other.doc.updatedAt - one.doc.updatedAt ||
    (one.doc.id < other.doc.id ? -1 : 1)
  );
}

/** By shard, where the terms are that the word may mean. */
function postingsOf(
  shards: readonly Shard[],
  vocabulary: Vocabulary,
  word: QueryWord,
  docs: number,
): Postings[][] {
  const byShard: Postings[][] = shards.map(() => []);
  for (const [term, nearness] of vocabulary.meanings(word)) {
    let count = 0;
    const made: Postings[] = [];
    for (const [number, shard] of shards.entries()) {
      const place = placeOf(shard, term);
      if (place < 0) continue;
      const start = shard.starts[place] ?? 0;
      const end = shard.starts[place + 1] ?? 0;
      const posting = { start, end, weight: nearness };
      count += end - start;
      made.push(posting);
      byShard[number]?.push(posting);
    }
    const rarity = Math.log(1 + (docs - count + 0.5) / (count + 0.5));
    for (const posting of made) posting.weight *= rarity;
  }
  return byShard;
}

/** By place in the shard the best score that one of the terms gives; 0 = it has none of them. */
function scoresOf(shard: Shard, postings: readonly Postings[], average: number): Float64Array {
  const scores = new Float64Array(shard.docs.length);
  for (const { start, end, weight } of postings) {
    for (let at = start; at < end; at += 1) {
      const place = shard.places[at] ?? 0;
      const count = shard.counts[at] ?? 0;
      const times = count & ~IN_TITLE;
      const length = shard.docs[place]?.length ?? 0;
      const slowness = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average);
      const text = (times * (SATURATION + 1)) / (times + slowness);
      const score = weight * (text + ((count & IN_TITLE) === 0 ? 0 : TITLE_SCORE));
      if (score > (scores[place] ?? 0)) scores[place] = score;
    }
  }
  return scores;
}
