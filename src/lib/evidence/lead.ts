import type { AnswerReading, Sentence } from './claims';
import type { Span } from './sentences';
import type { Unit } from './units';

/** A line that ends with a colon and has a marker (`It has three parts [1]:`), and what stands right under it. */
interface Lead {
  sentence: Sentence;
  /** Items, rows, and paragraphs of block quotes under it: they rest on its source. */
  below: Unit[];
  /** Those of them that are the block quote right below it: its words are the source's. */
  quoted: Unit[];
}

const COLON_END = /[:：﹕]\s*$/u;

/** The lines with a marker and a colon, in order. */
export function leadsOf({ units, sentences, words, blockQuotes }: AnswerReading): Lead[] {
  const last = new Map<Unit, Sentence>(sentences.map((sentence) => [sentence.unit, sentence]));
  const leads: Lead[] = [];
  let lead: (Lead & { unit: Unit; quote?: Span }) | undefined;
  let next = 0;
  for (const unit of units) {
    if (lead) {
      while ((blockQuotes[next]?.end ?? Infinity) <= unit.start) next += 1;
      const around = blockQuotes[next];
      const quote = around && around.start <= unit.start ? around : undefined;
      if (quote && lead.below.length === 0) lead.quote = quote;
      const isDeeper = unit.kind === 'item' && unit.depth > lead.unit.depth;
      if (quote || isDeeper || unit.kind === 'cell') {
        lead.below.push(unit);
        if (quote && quote === lead.quote) lead.quoted.push(unit);
        continue;
      }
      // Markers on a line of their own, between the line that ends with a colon and what is under it.
      if (!/[\p{L}\p{N}]/u.test(words.slice(unit.start, unit.end))) continue;
    }
    lead = undefined;
    const sentence = last.get(unit);
    if (!sentence || sentence.markers.length === 0 || unit.kind === 'cell') continue;
    if (!COLON_END.test(words.slice(sentence.start, sentence.end))) continue;
    lead = { sentence, unit, below: [], quoted: [] };
    leads.push(lead);
    // One that began before holds the line as well.
    while ((blockQuotes[next]?.start ?? Infinity) < unit.end) next += 1;
  }
  return leads;
}
