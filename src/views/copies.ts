import type { RichText } from '../host/clipboard';
import { copyAnswer, copyExchanges, type CopyFormat } from '../lib/markdown';
import { plain, type PlainText } from '../lib/render';
import type { Turn } from '../lib/types';

/** How much is copied: an answer alone, with its question, or everything. */
export type CopyPart = 'answer' | 'exchange' | 'conversation';

/** One way to copy. `html` puts rich text on the clipboard, and plain text beside it for programs that take no other. */
export interface Copy {
  part: CopyPart;
  format: CopyFormat;
}

const PARTS: Record<CopyPart, { name: string; heading: PlainText }> = {
  answer: { name: 'Answer', heading: plain`Answer` },
  exchange: { name: 'Exchange', heading: plain`Exchange: Question and Answer` },
  conversation: { name: 'Conversation', heading: plain`Whole Conversation` },
};

const FORMATS: Record<CopyFormat, { name: string; said: string }> = {
  markdown: { name: 'Markdown', said: 'as Markdown' },
  footnotes: { name: 'Markdown with Footnotes', said: 'as Markdown with footnotes' },
  text: { name: 'Plain Text', said: 'as plain text' },
  html: { name: 'Rich Text', said: 'as rich text' },
};

/** Heading over the copies of a part. */
export const copyHeading = (part: CopyPart): PlainText => PARTS[part].heading;

/** "Conversation as Plain Text": says all by itself, because whoever types to filter does not see the heading. */
export const copyTitle = ({ part, format }: Copy): PlainText =>
  plain`${PARTS[part].name} as ${FORMATS[format].name}`;

/** What is said of a copy that was made: "Answer", "as plain text". */
export const copySaid = ({ part, format }: Copy): { what: string; how: string } => ({
  what: PARTS[part].name,
  how: FORMATS[format].said,
});

/**
 * What goes on the clipboard; nothing when the exchange is not there (any more). An answer that is still being written is
 * copied as far as it has come.
 *
 * @param from `turn`: the exchange that is selected; `turns`: the conversation, oldest first.
 */
export function contentOf(
  { part, format }: Copy,
  from: { turn: Turn | undefined; turns: readonly Turn[] },
): string | RichText | undefined {
  const { turn, turns } = from;
  if (turn === undefined && part !== 'conversation') return undefined;
  const write = (as: CopyFormat): string => {
    if (part === 'answer' && turn !== undefined) return copyAnswer(turn, as);
    return copyExchanges(part === 'exchange' && turn !== undefined ? [turn] : turns, as);
  };
  return format === 'html' ? { html: write('html'), text: write('text') } : write(format);
}
