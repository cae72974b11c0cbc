import type { Occurrences } from './occurrences';
import type { Sequence } from './sequence';

/** What a quotation is looked for in. */
export interface Hay {
  sequence: Sequence;
  /** By number of the plain word. */
  occurrences: Occurrences;
  /** What `sequence` was read from. */
  text: string;
  /** The word no quotation goes over. */
  stop: number;
}
