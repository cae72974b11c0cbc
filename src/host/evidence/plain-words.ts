import { copyAnswer } from '../../lib/markdown';
import type { TextForm } from './source-form';

/** A line of a passage. `isOwn`: it stands by itself, as those of lists, tables and code do; others run on into each other. */
export interface PassageLine {
  text: string;
  isOwn: boolean;
}

/** A line that begins something of its own: the one before it ends there. */
const OWN_LINE = /^(?:[-*+]\s|[•|#>]|\d{1,9}[.)]\s)/u;

const FENCE = /^\s*(?:`{3,}|~{3,})/u;

/** The line under the head of a table. */
const isTableRule = (line: string): boolean =>
  /^[\s|:-]+$/u.test(line) && /\|[^|]*-|-[^|]*\|/u.test(line);

/** Signs around words that are set off. A sign that has no partner in its line is a word's. */
const SET_OFF: readonly RegExp[] = [
  /\*\*(?=[^\s*])([^*\n]{1,600})(?<=[^\s*])\*\*/gu,
  /(?<![\p{L}\p{N}_])__(?=[^\s_])([^_\n]{1,600})(?<=[^\s_])__(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]{1,600})(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]{1,600})(?<=[^\s_])_(?![\p{L}\p{N}_])/gu,
  /~~(?=[^\s~])([^~\n]{1,600})(?<=[^\s~])~~/gu,
];

const LINK = /!?\[([^[\]\n]{0,600})\]\([^()\s]{0,2000}\)/gu;

/** UTF-16 units of a formula in a line: a longer one is not one. */
const FORMULA = /\$\$?[^$\n]{1,500}\$\$?|\\\([^\n]{1,500}?\\\)/gu;

/** `$E = 4{,}860$` → `E = 4,860`; what is no formula stays as it is. */
export function withoutTex(text: string): string {
  return text.replace(FORMULA, (formula) =>
    copyAnswer({ question: '', response: formula, toolCalls: [] }, 'text'),
  );
}

/** A line of Markdown as it reads: words without signs, links by their words, formulas written out. Code keeps its signs. */
function plainLine(line: string): string {
  return line
    .split(/(`+[^`\n]+`+)/u)
    .map((part, n) => (n % 2 === 1 ? part.replace(/^`+ ?| ?`+$/gu, '') : plainProse(part)))
    .join('');
}

function plainProse(text: string): string {
  let words = withoutTex(text).replace(LINK, '$1');
  for (const signs of SET_OFF) words = words.replace(signs, '$1');
  return words.replace(/\\([*_#|~])/gu, '$1');
}

/** `| Tea | two minutes |` → `Tea · two minutes` */
export const cellsText = (row: string): string =>
  row
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' · ');

/** The lines of a passage as they read. Files of code and data keep every sign. */
export function passageLines(text: string, form: TextForm): PassageLine[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/u);
  if (form !== 'markdown')
    return lines.map((line) => ({ text: line, isOwn: form === 'lines' || OWN_LINE.test(line) }));
  let isCode = false;
  return lines.flatMap((line): PassageLine[] => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return [];
    }
    if (isCode) return [{ text: line, isOwn: true }];
    if (isTableRule(line)) return [];
    if (/^\s*\|/u.test(line)) return [{ text: plainLine(cellsText(line)), isOwn: true }];
    const heading = /^\s{0,3}#{1,6}\s+(\S[^\n]*)$/u.exec(line)?.[1];
    if (heading !== undefined)
      return [{ text: plainLine(heading.replace(/\s#+\s*$/u, '')), isOwn: true }];
    return [{ text: plainLine(line), isOwn: OWN_LINE.test(line.trimStart()) }];
  });
}
