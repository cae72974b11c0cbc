import { numberedSources } from '../citations';
import type { Evidence, QuoteCheck } from '../types';

import { isClaim, readAnswer, type AnswerReading, type Marker, type Sentence } from './claims';
import {
  CLEARLY_CLOSE,
  CLOSE,
  createMeasure,
  MARGIN,
  MIN_FOUND,
  MIN_GAIN,
  postingsOf,
  type ClaimTerms,
  type Measure,
  type Postings,
  type Profile,
} from './closeness';
import {
  beginningBefore,
  beginningFor,
  evidenceRow,
  piecesOf,
  textOf,
  type Passage,
} from './passage';
import { plainLines } from './plain-lines';
import { checkQuotations, type FoundQuote } from './quoted';
import type { Run } from './runs';
import { closestRows, rowsAround } from './table-rows';
import { shownOf, type EvidenceTurn, type SourceText } from './shown';

/** Passages that are kept with a turn. A long report has a hundred; each may hold 600 characters. */
const MAX_EVIDENCE_ROWS = 300;

/** Comparisons of one term with one piece: past it no further marker gets a passage. A long answer over twenty long pages needs a quarter. */
const MAX_COMPARISONS = 8_000_000;

/** What it costs to look at a piece at all, in such comparisons. */
const STEPS_A_PIECE = 8;

/**
 * The passages behind the markers of an answer, and what became of its direct quotations. For each number of a marker the
 * closest passage of what the model was shown of that source, if it is clearly close (see `closeness.ts`); for a quotation that stands
 * there word for word the passage that holds it, with score 1. Rows are in the order of their first marker; the same passage behind several markers
 * is one row.
 *
 * Nothing outside of the turn and the earlier ones is asked. Never throws; looks at `MAX_MARKERS` markers and keeps
 * `MAX_EVIDENCE_ROWS` rows.
 *
 * @param earlier the turns before this one, oldest first: they hold the texts of carried sources
 */
export function findEvidence(
  turn: EvidenceTurn,
  earlier: readonly EvidenceTurn[],
): { evidence: Evidence[]; quotes: QuoteCheck[] } {
  try {
    return find(turn, earlier);
  } catch {
    // A record nobody foresaw costs the evidence, not the answer.
    return { evidence: [], quotes: [] };
  }
}

function find(
  turn: EvidenceTurn,
  earlier: readonly EvidenceTurn[],
): { evidence: Evidence[]; quotes: QuoteCheck[] } {
  const reading = readAnswer(turn.response, numberedSources(turn));
  const marked = reading.sentences.filter(({ markers }) => markers.length > 0);
  const claims = marked.filter(isClaim);
  const numbers = new Set(marked.flatMap(({ markers }) => markers.flatMap((each) => each.numbers)));
  if (numbers.size === 0) return { evidence: [], quotes: [] };
  const texts = shownOf(turn, earlier, numbers);
  const { quotes, found } = checkQuotations(turn, reading, texts);
  const finder = createFinder(reading, claims, texts);
  const rows = [...found.map((quote) => finder.ofQuote(quote)), ...finder.closest(found)];
  return { evidence: finder.rowsOf(rows), quotes };
}

/** A passage behind a marker. */
interface Match {
  index: number;
  marker: Marker;
  passage: Passage;
  score: number;
  /** Of a table: the rows that are meant, in the text of its pieces. */
  rows?: { start: number; end: number };
  /** Where its quote begins in the text of its pieces, once that is asked. */
  from: () => number;
}

interface Candidate {
  run: Run;
  n: number;
  profile: Profile;
}

function createFinder(
  reading: AnswerReading,
  claims: readonly Sentence[],
  texts: ReadonlyMap<number, SourceText>,
) {
  const measure = createMeasure();
  const wordings = claims.map((claim) => wordingsOf(claim, reading.words, measure));
  const candidates = new Map<number, { own: Candidate[]; postings: Postings }>();
  for (const [index, { runs }] of texts) {
    const own = runs.flatMap((run) =>
      run.pieces.map(({ text }, n) => ({ run, n, profile: measure.read(text) })),
    );
    candidates.set(index, { own, postings: postingsOf(own.map(({ profile }) => profile)) });
  }
  let budget = MAX_COMPARISONS;

  const best = (
    claim: ClaimTerms,
    index: number,
  ): (Omit<Match, 'marker'> & { claim: ClaimTerms }) | undefined => {
    const source = candidates.get(index);
    if (!source) return undefined;
    budget -= source.own.length * (claim.words.length + claim.figures.length + STEPS_A_PIECE);
    if (budget < 0) return undefined;
    const match = closestOf(claim, source, measure);
    if (!match) return undefined;
    const { passage, score } = match;
    const from = (): number => beginningFor(textOf(piecesOf(passage)).text, claim, measure);
    return { index, passage, score, from, claim };
  };

  const ofQuote = ({ marker, index, passage, at, end }: FoundQuote): Match => {
    const { text } = textOf(piecesOf(passage));
    const from = (): number => beginningBefore(text, at, end);
    return { index, marker, passage, score: 1, from, ...inRows(rowsAround(text, at, end)) };
  };

  const closest = (found: readonly FoundQuote[]): Match[] => {
    const out: Match[] = [];
    for (const [n, claim] of claims.entries()) {
      for (const marker of claim.markers) {
        const variants = wordings[n]?.(marker) ?? [];
        for (const index of marker.numbers) {
          const [match] = variants
            .flatMap((wording) => best(wording, index) ?? [])
            .sort((one, other) => other.score - one.score);
          if (!match) continue;
          const isQuoted = found.some(
            (quote) =>
              quote.index === index &&
              quote.marker === marker &&
              overlap(quote.passage, match.passage),
          );
          if (isQuoted) continue;
          const { text } = textOf(piecesOf(match.passage));
          const rows = closestRows(text, match.claim, measure);
          out.push({ ...match, marker, ...inRows(rows) });
        }
      }
    }
    return out;
  };

  const rowsOf = (matches: readonly Match[]): Evidence[] => {
    const merged = mergedByPassage(matches);
    const counters = new Map<number, (words: string) => number>();
    return merged.slice(0, MAX_EVIDENCE_ROWS).flatMap(({ match, markers, score }) => {
      const text = texts.get(match.index);
      if (!text) return [];
      const count = counters.get(match.index) ?? counterOf(text);
      counters.set(match.index, count);
      const { passage, rows } = match;
      const place = rows ? { from: rows.start, to: rows.end } : { from: match.from() };
      return [evidenceRow(text.source, passage, { ...place, score, markers, count })];
    });
  };

  return { ofQuote, closest, rowsOf };
}

const inRows = (rows: Match['rows']): Pick<Match, 'rows'> => (rows ? { rows } : {});

const overlap = (one: Passage, other: Passage): boolean =>
  one.run === other.run && one.first <= other.last && other.first <= one.last;

/** The same passage behind several markers once, in the order of the first marker. */
function mergedByPassage(
  matches: readonly Match[],
): { match: Match; markers: number[]; score: number }[] {
  const runs = new Map<Run, number>();
  const merged = new Map<string, { match: Match; markers: Set<number>; score: number }>();
  for (const match of matches) {
    const { run, first, last } = match.passage;
    const number = runs.get(run) ?? runs.size;
    runs.set(run, number);
    const { start, end } = match.rows ?? { start: 0, end: 0 };
    const key = `${match.index} ${number} ${first} ${last} ${start} ${end}`;
    const known = merged.get(key);
    if (known) {
      known.markers.add(match.marker.start);
      known.score = Math.max(known.score, match.score);
    } else merged.set(key, { match, markers: new Set([match.marker.start]), score: match.score });
  }
  return [...merged.values()]
    .map(({ match, markers, score }) => ({
      match,
      markers: [...markers].sort((one, other) => one - other),
      score,
    }))
    .sort(
      (one, other) =>
        (one.markers[0] ?? 0) - (other.markers[0] ?? 0) || one.match.index - other.match.index,
    );
}

/** Words of a part of a sentence that are compared by themselves: fewer are a phrase that stands anywhere. */
const MIN_PART_TERMS = 4;

/**
 * What is compared for each marker of a claim: the whole sentence, and where several markers stand in it what stands
 * between the marker before and this one, because each may be the source of its part only.
 */
function wordingsOf(
  { start, end, markers, subject }: Sentence,
  words: string,
  measure: Measure,
): (marker: Marker) => ClaimTerms[] {
  const about = subject ? `${words.slice(subject.start, subject.end)} ` : '';
  const whole = measure.learn(about + words.slice(start, end));
  const parts = new Map<Marker, ClaimTerms>();
  let from = start;
  let group: Marker[] = [];
  for (const marker of markers) {
    const between = words.slice(from, marker.start);
    if (/[\p{L}\p{N}]/u.test(between)) {
      const part = measure.learn(about + between);
      if (part.words.length + part.figures.length >= MIN_PART_TERMS) parts.set(marker, part);
      group = [marker];
    } else {
      // Side by side with the marker before: they stand behind the same part.
      const same = group[0] && parts.get(group[0]);
      if (same) parts.set(marker, same);
      group.push(marker);
    }
    from = marker.end;
  }
  const isWhole = new Set(parts.values()).size < 2 && !/[\p{L}\p{N}]/u.test(words.slice(from, end));
  return (marker) => {
    const part = parts.get(marker);
    return part && !isWhole ? [whole, part] : [whole];
  };
}

/** The closest passage of a source, if it is clearly close. */
function closestOf(
  claim: ClaimTerms,
  { own, postings }: { own: readonly Candidate[]; postings: Postings },
  measure: Measure,
): { passage: Passage; score: number } | undefined {
  const scores = measure.eachCloseness(claim, postings);
  let top = 0;
  for (const [n, { score }] of scores.entries()) if (score > (scores[top]?.score ?? 0)) top = n;
  const candidate = own[top];
  const single = scores[top];
  if (!candidate || !single) return undefined;
  let chosen = { first: candidate.n, last: candidate.n, ...single };
  for (const step of [-1, 1]) {
    const neighbour = own[top + step];
    if (neighbour?.run !== candidate.run || !hasMoreWords(claim, neighbour, candidate)) continue;
    const both = measure.closeness(claim, [candidate.profile, neighbour.profile]);
    if (both.score < single.score + MIN_GAIN || both.score <= chosen.score) continue;
    const [first, last] = step < 0 ? [neighbour.n, candidate.n] : [candidate.n, neighbour.n];
    chosen = { first, last, ...both };
  }
  const { first, last, score, found } = chosen;
  if (score < CLOSE || found < MIN_FOUND) return undefined;
  if (score < CLEARLY_CLOSE) {
    const isRival = (other: Candidate): boolean =>
      other.run !== candidate.run || other.n < first - 1 || other.n > last + 1;
    const rival = own.reduce(
      (most, other, n) => (isRival(other) ? Math.max(most, scores[n]?.score ?? 0) : most),
      0,
    );
    if (score < rival + MARGIN) return undefined;
  }
  return { passage: { run: candidate.run, first, last }, score };
}

/** Whether a neighbour has a word of the claim that the passage lacks: a figure alone is found in many blocks. */
const hasMoreWords = (claim: ClaimTerms, neighbour: Candidate, passage: Candidate): boolean =>
  neighbour.profile.ids.length > 0 &&
  claim.words.some((id) => neighbour.profile.partOf(id) > 0 && passage.profile.partOf(id) === 0);

/** How often words stand in what was shown of a source, as a browser would find them. Counts to two. */
function counterOf({ runs }: SourceText): (words: string) => number {
  let plain: string | undefined;
  return (words) => {
    plain ??= runs
      .flatMap(({ pieces }) => pieces)
      .flatMap(({ text }) => plainLines(text))
      .map(({ text }) => text.toLowerCase())
      .join('\n');
    const first = plain.indexOf(words.toLowerCase());
    return first < 0 ? 0 : plain.includes(words.toLowerCase(), first + 1) ? 2 : 1;
  };
}
