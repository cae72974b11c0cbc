import type { AnswerReading, Marker, Sentence } from './claims';
import { masked, type Hidden } from './mask';
import { quotationsIn } from './quoted';
import type { Span } from './sentences';
import type { ShownWords } from './shown-words';
import type { Unit } from './units';

/** What tells a quotation without a source from other words between quotation marks. */
interface Around {
  response: string;
  /** Whether words stand in quotation marks for another reason than that they are quoted. */
  isOther: (words: string) => boolean;
  shown: Pick<ShownWords, 'hasQuotation'>;
  /** Markers of the line with a colon above a unit. */
  leadOf: (unit: Unit) => readonly Marker[];
  isQuestion: (text: string) => boolean;
}

/** What shares markers: the cells of a row, else one unit. */
const groupOf = (unit: Unit): Unit | number => unit.row?.number ?? unit;

/**
 * The sentences (of a row that is several claims: the cells) without markers in which a direct quotation begins that stands
 * word for word in no source of its paragraph, item, row, or line above.
 */
export function openQuotations(reading: AnswerReading, around: Around): Span[] {
  const { sentences, units, prose } = reading;
  const quotations = quotationsIn(reading).filter(({ markers }) => markers.length === 0);
  if (quotations.length === 0) return [];
  const numbers = new Map<Unit | number, number[]>();
  for (const { unit, markers } of sentences) {
    const known = numbers.get(groupOf(unit)) ?? [];
    for (const marker of markers) known.push(...marker.numbers);
    numbers.set(groupOf(unit), known);
  }
  const hidden = masked(
    prose,
    quotations.map(({ start, end }): Hidden => ({ start, end, as: ' ' })),
  );
  const spans: Span[] = [];
  let next = 0;
  for (const { start, end } of quotations) {
    while (next < sentences.length && (sentences[next]?.end ?? 0) <= start) next += 1;
    const holder = holderOf(start, sentences[next]) ?? cellAt(start, units, numbers);
    const words = around.response.slice(start, end);
    if (!holder || holder.unit.kind === 'heading' || holder.unit.row?.isHead === true) continue;
    // A question of the answer itself: one that is quoted asks nothing.
    if (around.isQuestion(hidden.slice(holder.start, holder.end)) || around.isOther(words))
      continue;
    const covering = [
      ...(numbers.get(groupOf(holder.unit)) ?? []),
      ...around.leadOf(holder.unit).flatMap((marker) => marker.numbers),
    ];
    if (!around.shown.hasQuotation(words, [...new Set(covering)]))
      spans.push({ start: holder.start, end: holder.end });
  }
  return spans;
}

type Holder = Span & { unit: Unit };

const holderOf = (at: number, sentence: Sentence | undefined): Holder | undefined =>
  sentence && sentence.start <= at ? sentence : undefined;

/** The cell at a place whose row has sentences: the model's own list of sources has none. */
function cellAt(
  at: number,
  units: readonly Unit[],
  rows: ReadonlyMap<Unit | number, unknown>,
): Holder | undefined {
  const unit = units.find(({ start, end }) => start <= at && at < end);
  if (unit?.row === undefined || !rows.has(unit.row.number)) return undefined;
  return { start: unit.start, end: unit.end, unit };
}
