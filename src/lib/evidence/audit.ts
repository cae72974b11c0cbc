import { numberedSources } from '../citations';
import type { Source, SourceStatus, Turn } from '../types';

import { isClaim, readAnswer } from './claims';
import { otherWordsOf } from './quoted';
import type { Span } from './sentences';
import type { EvidenceTurn } from './shown';
import { shownWords } from './shown-words';
import { sentenceOf, unknownOf } from './unknown';
import { unmarkedOf } from './unmarked';

/** What an answer cites, and what it leaves open. Offsets are UTF-16 units of the answer. */
export interface Audit {
  /** Sentences, rows or cells with markers, in order. */
  claims: (Span & { markers: (Span & { numbers: number[] })[] })[];
  /** Sentences with a figure, a name or a quotation that no marker stands for. */
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
      isOther: otherWordsOf(turn),
      shown: shownWords(turn, cited),
    });
    return audit;
  } catch {
    return audit;
  }
}
