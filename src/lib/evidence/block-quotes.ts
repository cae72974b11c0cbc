import type { Node } from '../code';

import type { AnswerReading, Marker } from './claims';
import { leadsOf } from './lead';
import { hasQuotedWords } from './quotation';
import type { Span } from './sentences';
import type { Unit } from './units';

/** The block quotes of an answer in the order in which they begin, nested ones too. */
export function blockQuotesOf(tree: Node): Span[] {
  const found: Span[] = [];
  const visit = ({ type, start, end, children }: Node): void => {
    if (type === 'blockQuote') found.push({ start, end });
    for (const child of children) visit(child);
  };
  visit(tree);
  return found;
}

const LETTER = /[\p{L}\p{N}]/u;

/** A last line of a quote that says whose words they are: `> — Ada Lorne, 1891`. */
const SIGNED = /(?:^|\n)[ \t>]*(?:[—–―]|--)[^\n]*$/u;

/** A paragraph of a block quote that is somebody's words, and the markers it belongs to. */
interface QuotedBlock extends Span {
  unit: Unit;
  markers: Marker[];
}

/**
 * Block quotes that stand right below a line with a marker that ends with a colon (`The report says [5]:`), paragraph by
 * paragraph: direct quotations of that marker's source, or of that of the markers at their own end. One with markers between
 * its words is the answer's own text, and so is one of fewer words than a quotation has.
 */
export function quotedBlocks(reading: AnswerReading): QuotedBlock[] {
  const { sentences, words } = reading;
  const inside = new Map<Unit, Marker[]>();
  for (const { unit, markers } of sentences) {
    const own = markers.filter(({ start }) => start >= unit.start && start < unit.end);
    inside.set(unit, [...(inside.get(unit) ?? []), ...own]);
  }
  return leadsOf(reading).flatMap(({ sentence, quoted }) => {
    const lead = lastGroup(sentence.markers, words);
    return quoted.flatMap((unit, n): QuotedBlock[] => {
      if (unit.kind !== 'paragraph' && unit.kind !== 'item') return [];
      const own = inside.get(unit) ?? [];
      const [first] = own;
      if (first && LETTER.test(words.slice(first.end, unit.end))) return [];
      const said = words.slice(unit.start, first?.start ?? unit.end).trimEnd();
      const raw = reading.prose.slice(unit.start, unit.start + said.length);
      const signed = SIGNED.exec(raw)?.index ?? raw.length;
      // A first line with a dash is a dialogue.
      const end = unit.start + (signed > 0 || n > 0 ? signed : raw.length);
      const text = words.slice(unit.start, end).trimEnd();
      if (!hasQuotedWords(text)) return [];
      const markers = first ? own : lead;
      return [{ start: unit.start, end: unit.start + text.length, unit, markers }];
    });
  });
}

/** The last markers of a sentence that stand side by side. */
function lastGroup(markers: readonly Marker[], words: string): Marker[] {
  const group: Marker[] = [];
  for (const marker of markers.toReversed()) {
    const [next] = group;
    if (next && LETTER.test(words.slice(marker.end, next.start))) break;
    group.unshift(marker);
  }
  return group;
}
