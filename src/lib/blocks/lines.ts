import type { BlockKind } from '../types';

/** A line of a text, without its line ending. */
export interface Line {
  start: number;
  end: number;
  /** The line without what surrounds it; '' = blank. */
  text: string;
  /** Columns of white space it begins with, a tab counting four. */
  indent: number;
}

/** How much of a line its form is read from: nothing but data has longer lines, and looking further would cost time. */
const HEAD_UNITS = 2_000;

/** The lines of `text` from `start` to `end`. */
export function* linesOf(text: string, start: number, end: number): Generator<Line> {
  // A search for a line's end must not look beyond: a text may have 100,000 pages and not one line break.
  const part = text.slice(start, end);
  for (let at = 0; at < part.length;) {
    const newline = part.indexOf('\n', at);
    const stop = newline < 0 ? part.length : newline;
    yield lineAt(text, start + at, start + stop);
    at = stop + 1;
  }
}

function lineAt(text: string, start: number, end: number): Line {
  let from = start;
  let indent = 0;
  for (; from < end; from += 1) {
    const unit = text[from];
    if (unit === ' ') indent += 1;
    else if (unit === '\t') indent += 4;
    else break;
  }
  return { start, end, text: text.slice(from, Math.min(end, from + HEAD_UNITS)).trim(), indent };
}

/** White space columns from which a line is code (CommonMark 0.31, section 4.4). */
export const CODE_INDENT = 4;

const isAtxHeading = ({ text, indent }: Line): boolean =>
  indent < CODE_INDENT && /^#{1,6}(?:[ \t]|$)/.test(text);

/** The line of `=` or `-` under a heading. */
export const isUnderline = ({ text, indent }: Line): boolean =>
  indent < CODE_INDENT && /^(?:=+|-+)$/.test(text);

/** `---`, `* * *`: three or more of the same, and nothing else. */
export const isRule = ({ text }: Line): boolean =>
  /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(text);

/** The fence that a line opens: three or more backticks or tildes. */
export const fenceOf = ({ text, indent }: Line): string | undefined =>
  indent < CODE_INDENT ? /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[0] : undefined;

export const closesFence = ({ text, indent }: Line, fence: string): boolean =>
  indent < CODE_INDENT &&
  text.startsWith(fence) &&
  text.split('').every((unit) => unit === fence[0]);

/** A bullet of Markdown or of plain text, or a number with a full stop or parenthesis. */
export const isListItem = (line: Line): boolean =>
  !isRule(line) && /^(?:[-*+•‣◦▪–][ \t]|\d{1,9}[.)][ \t])/.test(line.text);

/** In the middle of a paragraph a number begins a list only with 1 (CommonMark 0.31, section 5.2): "in 14. days" is none. */
export const interrupts = (line: Line): boolean =>
  line.indent < CODE_INDENT &&
  (isAtxHeading(line) ||
    fenceOf(line) !== undefined ||
    (isListItem(line) && !/^(?!1[.)])\d/.test(line.text)));

/** `|---|:--:|`: the line under the head of a table. */
export const isTableRule = ({ text }: Line): boolean =>
  text.includes('|') && text.includes('-') && /^[|:\- \t]+$/.test(text);

export const isTableRow = ({ text }: Line): boolean => text.startsWith('|') && text.length > 1;

/** What a line that follows a blank one, or another block, begins; `next` is the line behind it. */
export function kindOf(line: Line, next: Line | undefined): BlockKind {
  if (isAtxHeading(line)) return 'heading';
  if (fenceOf(line) !== undefined) return 'code';
  if (isTableRow(line) || (line.text.includes('|') && next && isTableRule(next))) return 'table';
  if (isListItem(line)) return 'list';
  // The first line of a paragraph is indented in many plain texts; code goes on indented.
  const isCode =
    line.indent >= CODE_INDENT && (!next || next.text === '' || next.indent >= CODE_INDENT);
  return isCode ? 'code' : 'paragraph';
}
