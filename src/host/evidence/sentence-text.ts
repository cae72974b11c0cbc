import { inertText, renderModelOutput, type PlainText } from '../../lib/render';
import type { Source } from '../../lib/types';
import { cellsText, withoutTex } from './plain-words';

/** A stretch of the answer; UTF-16 units, `end` excluded. */
export interface Span {
  start: number;
  end: number;
}

/** Characters of a row's title; the launcher cuts it to what fits. */
const MAX_TITLE = 120;

/** UTF-16 units of a sentence that are drawn: a longer one is data. */
const MAX_SENTENCE = 4_000;

/** A sentence of the answer as the pane draws it, its markers linked. A row of a table is its cells: alone it is no table. */
export function sentenceMarkdown(
  response: string,
  { start, end }: Span,
  sources: readonly Source[],
): string {
  const text = response
    .slice(start, Math.min(end, start + MAX_SENTENCE))
    .replace(/[\uD800-\uDBFF]$/u, '');
  return renderModelOutput(rowAsCells(text), { sources }).text;
}

/**
 * A word behind which a number in brackets is part of the sentence (`summed up in [3]`, `as [1] and [2] say`): without it the
 * sentence would lack its end. The commonest such words of English, German, French and Spanish, and Chinese ones.
 */
const LEADS_TO =
  /(?:^|[^\p{L}\p{N}])(?:about|according to|and|as|at|by|cf\.?|from|in|of|on|or|see|sources?|than|to|under|with|aus|bei|laut|mit|nach|oder|quellen?|siehe|und|unter|von|vgl\.|zu|dans|de|et|ou|selon|voir|con|en|fuentes?|según|véase|y)\s*$|[在据按见自由和与]\s*$/iu;

/** Nothing but what parts one marker from the next. */
const BETWEEN = /^[\s,;/–-]*$/u;

/**
 * A sentence of the answer as the title of a row: one line without the markers behind its words, which stand beside the title, and
 * without the signs of Markdown, which a title would show. A sign too many or too few matters little there; the sentence itself stands beside the row.
 */
export function sentenceTitle(
  response: string,
  { start, end }: Span,
  markers: readonly Span[] = [],
): PlainText {
  let text = '';
  let at = start;
  let isKept = false;
  for (const marker of markers.filter((each) => each.start >= start && each.end <= end)) {
    const before = response.slice(at, marker.start);
    text += before;
    isKept = isPart(text, before, isKept, response.slice(marker.end, end));
    if (isKept) text += response.slice(marker.start, marker.end);
    at = Math.max(at, marker.end);
  }
  text += response.slice(at, Math.min(end, at + MAX_SENTENCE));
  const words = withoutTex(linesAsOne(text.slice(0, MAX_SENTENCE)))
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/gu, '$1')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\\([\p{P}\p{S}])/gu, '$1');
  return inertText(rowAsCells(words).replace(/\s+([.,;:!?…。、，])/gu, '$1'), MAX_TITLE);
}

/**
 * Whether a marker is part of the sentence.
 *
 * @param text all that stands before it; `between`: what of it stands behind the marker before
 */
function isPart(text: string, between: string, wasPart: boolean, behind: string): boolean {
  if (wasPart && BETWEEN.test(between)) return true;
  const before = text.slice(-40);
  if (before.trim() === '') return /^\s+\p{Ll}/u.test(behind); // `[2] says that …`
  return LEADS_TO.test(before);
}

/** The line under the head of a table. */
const isRule = (line: string): boolean =>
  /^[\s|:-]+$/u.test(line) && /\|/u.test(line) && line.includes('-');
const hasRule = (text: string): boolean => text.split('\n').some(isRule);

/** `| Tea | two minutes |` → `Tea · two minutes`; a whole table stays one. */
const rowAsCells = (text: string): string =>
  !hasRule(text) && /^\s*\||(?<!\\)\|\s*$/u.test(text) ? cellsText(text) : text;

const FENCE = /^\s*(?:`{3}|~{3})/u;

/** The lines of a list, a table, code or a quote in one line, without what sets them apart. */
function linesAsOne(text: string): string {
  const lines = text.split('\n').filter((line) => !FENCE.test(line) && !isRule(line));
  if (lines.length < 2) return lines.join('');
  const isTable = hasRule(text);
  const isList = /\n[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/u.test(text);
  const words = lines
    .map((line) => line.replace(/^(?:[ \t]*>)+[ \t]?/u, ''))
    .map((line) => (isTable ? cellsText(line) : line))
    .map((line) => (isList ? line.replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/u, '') : line));
  return words.join(isTable || isList ? ' · ' : ' ');
}
