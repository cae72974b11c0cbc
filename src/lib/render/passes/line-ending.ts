import { isWide, widthOf } from './width';

/** Columns of a line with the next word behind it, up to which no text is wrapped: mail and source files have 60 to 80. */
const MIN_WRAPPED = 50;
/** Columns beyond which a paragraph's lines are not wrapped at all, so that each line ending is meant. */
const MAX_WRAPPED = 120;

/** How a row of something begins that is no list to a parser: a bullet of its own, `(ii)`, `a)`, `①`, a note, an arrow. */
const ROW =
  /^(?:[•‣⁃◦▪▫●○■□►▶▸➤➔→✓✔✗✘☐☑☒\u2460-\u2473]|(?![©®™])\p{Extended_Pictographic}|\((?:\d{1,3}|[a-z]|[ivx]{1,5})\)\s|\[\^[^\]\s]+\]:)/iu;
/** `a)` and `3)`, unless a bracket that the line before has opened ends there. */
const CLOSED = /^(?:\d{1,3}|[a-z]|[ivx]{1,5})\)\s/i;
/** What begins a row where the line before ends a sentence or clause: `which is\n14. The door` is no row. */
const NUMBER = /^(?:\d{1,3}(?:\.\d{1,2}){0,3}|[a-z]|[IVX]{1,5})[.:]?\s|^\d{1,2}:\d\d\s/;
/** What begins a row where the line before ends a sentence: a label, a dash of a dialogue or before a name. */
const LABEL = /^(?:\p{Lu}[\p{L}\p{N} ]{0,24}[:：]|[—–] )/u;
/** A label in bold, alone or at the start of its line. */
const BOLD_LABEL = /^\*\*[^*\n]{1,60}(?:[:：]\*\*|\*\* ?[:：–—-])/u;
const BOLD_LINE = /^\*\*[^*\n]+\*\*$/;

const CLAUSE_END = /[\p{Po}\p{Pe}]\s*$/u;
const SENTENCE_END = /[.!?…:;。！？：；]["'”’»)\]*_]*\s*$/u;

/** A line that ends in a break by itself, or is the first one of a callout. */
const BROKEN = /(?: {2}|\\|<br *\/?> *)$|^\[![a-z]+\]\s*$/i;

/** A line that is nothing but a link or picture: what stands in the source is longer than any line on the screen. */
const LINK_LINE = /^!?\[[^\]\n]*\]\([^\n]*\)$/;

/** A paragraph up to one of its line endings. */
export interface LinesAbove {
  /** The last line, without its ending. */
  line: string;
  /** Columns of the widest line so far, as it is written. */
  longest: number;
  /** A line ending of the paragraph was meant: then none of its lines is wrapped. */
  isProven: boolean;
}

const isOpenBracket = (line: string): boolean => line.lastIndexOf('(') > line.lastIndexOf(')');

/** Columns of a line as whoever wraps text counts them: addresses too. */
export const columnsOf = (line: string): number =>
  LINK_LINE.test(line.trim()) ? widthOf(line) : widthOf(line.replaceAll('](', ']  ('));

/**
 * Whether a line ending is meant, in verses, addresses, dialogues, rows with bullets of their own. To a parser the ending of
 * a line is a space, because text may be wrapped; a line that had room for the next word was not, nor is one whose next
 * line begins a row. Chinese, Japanese and Korean text is not wrapped by hand.
 *
 * @param next the next line, or a beginning of it that is not open (`isStartOpen`)
 */
export function isMeant({ line, longest, isProven }: LinesAbove, next: string): boolean {
  if (isWide(next) && isWide(line.trimEnd().slice(-1))) return true;
  if (isProven || longest > MAX_WRAPPED || ROW.test(next)) return true;
  if (CLOSED.test(next) && !isOpenBracket(line)) return true;
  if (NUMBER.test(next) && CLAUSE_END.test(line)) return true;
  if (LABEL.test(next) && SENTENCE_END.test(line)) return true;
  if (BOLD_LABEL.test(next) || BOLD_LINE.test(line.trim())) return true;
  const word = isWide(next) ? 2 : widthOf(/^\S*/.exec(next)?.[0] ?? '');
  return columnsOf(line) + 1 + word <= MIN_WRAPPED;
}

/** Whether a line has a break of its own, or no break at all can stand behind it. */
export const isBroken = (line: string): boolean => BROKEN.test(line);

/** Whether it is not known yet what a line begins with, and so what becomes of the line ending before it. */
export function isStartOpen(line: string): boolean {
  if (isWide(line)) return false;
  if (line.startsWith('**')) return line.length < 66 && !/^\*\*[^*]+\*\*../.test(line);
  return !/\s/.test(line) || /^\p{Lu}[\p{L}\p{N} ]{0,24}$/u.test(line);
}
