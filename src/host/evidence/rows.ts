import type { PlainText } from '../../lib/render';
import type { EvidenceCopy } from './parts';

/** What a row's icon says of a quotation, a claim or a source. Only `verified` may look like a tick. */
export type RowMark =
  | 'verified' // a quotation that stands word for word in what was read
  | 'close' // a quotation that stands there in other words, or a claim with one
  | 'not-found' // a quotation that does not stand there, or a claim with one
  | 'not-kept' // there is nothing to look in
  | 'passage' // a claim with a passage that is close to it
  | 'no-passage' // a claim without one
  | 'unread' // something rests on a page that was not read
  | 'no-number' // a number that belongs to no source
  | 'no-source'; // a sentence that should have a source and has none

/** A passage of a row, to be opened or taken along. */
export interface RowPassage {
  /** `[3] Title, p. 4` */
  label: PlainText;
  /** The words of the source, as they are, and a line that says where they are from; '' = there are none, only something to open. */
  text: string;
  /** An address for the browser, or the path of a file; absent = the window may not open it, or it is gone. */
  address?: string;
}

/** One line of the list, and what stands beside it. */
export interface EvidenceRow {
  /** Unique in the report. */
  id: string;
  mark: RowMark;
  title: PlainText;
  /** `[1] [3]`; '' = none. */
  markers: PlainText;
  /** What the mark says, in words. */
  words: PlainText;
  /** What it is found by besides its title. */
  keywords: PlainText[];
  /** Markdown for the pane, in which nothing foreign acts. It is made when it is asked for: only one row is looked at. */
  detail: () => string;
  passages: RowPassage[];
}

export interface EvidenceSection {
  title: PlainText;
  rows: EvidenceRow[];
}

/** Everything that can be seen of the evidence of one answer. */
export interface EvidenceReport {
  /** `3 cited · 2 read · 1 quotation not found`; '' = nothing to count. */
  summary: PlainText;
  /** None of them is empty. */
  sections: EvidenceSection[];
  /** What can be taken along of the whole answer. */
  copies: EvidenceCopy[];
  /** Why there are no sections; absent = there are some. */
  nothing?: { title: PlainText; description: PlainText };
}
