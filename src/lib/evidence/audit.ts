import { numberedSources } from '../citations';
import type { Source, SourceStatus, Turn } from '../types';

import { isClaim, readAnswer } from './claims';
import { takeFigures } from './figures';
import type { Span } from './sentences';
import { shownOf, type EvidenceTurn } from './shown';
import { sentenceOf, unknownOf } from './unknown';
import { unmarkedOf } from './unmarked';

/** What an answer cites, and what it leaves open. Offsets are UTF-16 units of the answer. */
export interface Audit {
  /** Sentences, rows or cells with markers, in order. */
  claims: (Span & { markers: (Span & { numbers: number[] })[] })[];
  /** Sentences with a figure or a name that no marker stands for. */
  unmarked: Span[];
  /** Brackets that look like markers, in order, each with those of its numbers that belong to no source, and its sentence. */
  unknown: (Span & { numbers: number[]; sentence: Span })[];
  /** Markers of sources that were never read, one for each such number. Sources of which it is unknown do not count. */
  unread: { marker: number; index: number }[];
  /** Numbers that are cited, rising, and those of them that were read, at least in part. */
  cited: number[];
  read: number[];
}

const READ: ReadonlySet<SourceStatus> = new Set(['read', 'part']);

/**
 * Counts what can be counted in an answer without a source at hand. Never throws.
 *
 * A name is a word with a capital inside a sentence; in a language that writes many words so (German) two such words in a
 * row. Scripts without capitals are counted by figures alone. Headings, code and formulas are not counted, and neither is the
 * list of sources that a model writes itself: its numbers are cited and claim nothing.
 *
 * @param turn `question`: sentences that repeat it are not counted; `evidence`: its passages count as shown
 */
export function auditOf(turn: EvidenceTurn & Partial<Pick<Turn, 'evidence'>>): Audit {
  const audit: Audit = { claims: [], unmarked: [], unknown: [], unread: [], cited: [], read: [] };
  try {
    const sources = new Map<number, Source>();
    for (const source of numberedSources(turn)) sources.set(source.index, source);
    const reading = readAnswer(turn.response, [...sources.values()], { isWhole: true });
    const { sentences, listed, unresolved } = reading;
    for (const sentence of sentences) {
      const { start, end, markers } = sentence;
      if (isClaim(sentence)) audit.claims.push({ start, end, markers });
    }
    const cited = new Set<number>();
    const markers = [...sentences.flatMap((sentence) => sentence.markers), ...listed];
    for (const marker of markers.sort((one, other) => one.start - other.start)) {
      for (const index of marker.numbers) {
        cited.add(index);
        const status = sources.get(index)?.status;
        if (status !== undefined && !READ.has(status))
          audit.unread.push({ marker: marker.start, index });
      }
    }
    audit.cited = [...cited].sort((one, other) => one - other);
    audit.read = audit.cited.filter((index) => READ.has(sources.get(index)?.status ?? 'hit'));
    audit.unknown = unknownOf(unresolved, turn.response, (number) => sources.has(number)).map(
      (bracket) => ({
        ...bracket,
        sentence: sentenceOf(bracket, sentences, turn.response) ?? bracket,
      }),
    );
    audit.unmarked = unmarkedOf(reading, {
      response: turn.response,
      question: turn.question ?? '',
      isPartlyKnown: ({ numbers }) => numbers.some((number) => sources.has(number)),
      isShown: shownFigures(turn, cited),
    });
    return audit;
  } catch {
    return audit;
  }
}

/** Tells whether a figure stands in what was shown of one of some sources. Nothing is read before it is asked. */
function shownFigures(
  turn: EvidenceTurn & Partial<Pick<Turn, 'evidence'>>,
  cited: ReadonlySet<number>,
): (figure: string, numbers: readonly number[]) => boolean {
  const figures = new Map<number, Set<string>>();
  let texts: ReturnType<typeof shownOf> | undefined;
  const figuresOf = (index: number): Set<string> => {
    const known = figures.get(index);
    if (known) return known;
    texts ??= shownOf(turn, [], cited);
    const pieces = texts.get(index)?.runs.flatMap(({ pieces }) => pieces) ?? [];
    // Of a source that an earlier turn has read no more than its passages is at hand.
    const quotes = (turn.evidence ?? []).filter((row) => row.index === index);
    const all = [...pieces.map(({ text }) => text), ...quotes.map(({ quote }) => quote)];
    const own = new Set(all.flatMap((text) => takeFigures(text).figures));
    figures.set(index, own);
    return own;
  };
  return (figure, numbers) => numbers.some((index) => figuresOf(index).has(figure));
}
