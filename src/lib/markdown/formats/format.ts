import type { Evidence, QuoteCheck, Source } from '../../types';

/** An answer and what its numbers can mean. */
export interface CopiedAnswer {
  /** Markdown as the model wrote it. */
  response: string;
  sources: readonly Source[];
  /** The passages behind its citations. */
  evidence: readonly Evidence[];
  /** What became of its quotations. */
  quotes: readonly QuoteCheck[];
  /** The answer is still being written: its list would not be complete. */
  isRunning: boolean;
}

/** Where an answer stands. */
export interface Place {
  /** Of the exchange, from 1; absent when it is the only one of the document. */
  exchange?: number;
}

/** One format of a copy. Every method is total; what it gives has no blank lines at its ends. */
export interface Format {
  /** What was typed: nothing in it may act. */
  question(typed: string): string;
  /** The answer, and its sources as they stand under it. Either may be empty. */
  answer(answer: CopiedAnswer, place: Place): { body: string; sources: string };
  error(message: string): string;
  /** A few words of ours about the answer, such as `stopped`. */
  remark(words: string): string;
  /** Between the parts of an exchange. */
  gap: string;
  /** Between exchanges. */
  rule: string;
}

/** The text without the blank lines at its ends. The white space of other lines stays: it can be that of code. */
export function trimBlankLines(text: string): string {
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end < 0 || text.slice(start, end).trim() !== '') break;
    start = end + 1;
  }
  let end = text.length;
  for (;;) {
    const lineStart = Math.max(start, text.lastIndexOf('\n', end - 1) + 1);
    if (text.slice(lineStart, end).trim() !== '') break;
    if (lineStart <= start) return '';
    end = lineStart - 1;
  }
  return text.slice(start, end).replace(/\r$/, '');
}
