import type { Analysis } from '../../citations';
import {
  escapeMarkdown,
  markdownLink,
  opensInPane,
  type Definition,
  type Edit,
  type Scan,
} from '../../code';

/** Rows that define something: link definitions, and footnotes of the model's own. */

/** What the passes of a copy know of the text. */
export interface CopyContext {
  scan: Scan;
  analysis: Analysis;
  /** Other answers, or a question, speak in the same document. */
  isShared: boolean;
  /** Markers are footnotes in this copy. */
  hasFootnotes: boolean;
}

/** A footnote row of the model's own. */
interface FootnoteRow {
  start: number;
  /** As between the brackets, without `^`, in lower case: programs do not tell cases apart. */
  label: string;
}

const ROW = /^\[\^([^\]\s]{1,100})\]:/;

/** Whether `at` stands in one of the edits, which are in text order. */
function isWithin(edits: readonly Edit[], at: number): boolean {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return (edits[low]?.start ?? Infinity) <= at;
}

/** All rows `[^label]: …` that stay, whether the parser takes them for link definitions or for text. */
function footnoteRows({ text, lines, definitions }: Scan, { drops }: Analysis): FootnoteRow[] {
  return [...lines, ...definitions].flatMap(({ start }) => {
    const label = ROW.exec(text.slice(start, start + 110))?.[1];
    return label === undefined || isWithin(drops, start)
      ? []
      : [{ start, label: label.toLowerCase() }];
  });
}

/**
 * The rows that can stay footnotes of the model's own. One that only says more about a source than its address is none:
 * its marks lead to the source, and programs do not draw a footnote without a mark.
 */
export function ownRows(scan: Scan, analysis: Analysis): FootnoteRow[] {
  const ofSources = new Set(
    analysis.rows.filter(({ caret, isOwn }) => caret !== '' && !isOwn).map(({ start }) => start),
  );
  return footnoteRows(scan, analysis).filter(({ start }) => !ofSources.has(start));
}

/** Whether a whole line can go, newline included, and what stands behind it stays what it is. */
function canLeave(text: string, start: number, end: number): boolean {
  const rest = text.slice(end, end + 200);
  if (/^\s*[\r\n](?: {4}|\t)/.test(rest)) return false;
  if (/\S/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))) return false;
  return rest === '' || /^\r?\n(?:[ \t]*(?:\r?\n|$)|[\p{L}[])/u.test(rest);
}

/** A definition as text: `\[1]: address`. */
function shown({ text }: Scan, { start, end, label, destination }: Definition): string {
  const rest = opensInPane(destination)
    ? markdownLink(escapeMarkdown(destination), destination)
    : escapeMarkdown(
        text
          .slice(start + label.length + 3, end)
          .replace(/[ \t]*(?:\r\n|\r|\n)[ \t>]*/g, ' ')
          .trim(),
      );
  return `\\[${escapeMarkdown(label.replace(/\s+/g, ' '))}]: ${rest}`;
}

/** Takes out the definitions of links that `referencePass` writes inline; shows every other one as text. `kept`: rows that stay. */
export function definitionEdits(
  { scan, analysis, hasFootnotes }: CopyContext,
  kept: readonly { start: number }[],
): Edit[] {
  const keptStarts = new Set(hasFootnotes ? kept.map(({ start }) => start) : []);
  // A marker leads to its source, so what a row says of the same number is said nowhere else.
  const markers = new Set(analysis.markers.map(({ start }) => start));
  const used = new Set(
    scan.links
      .filter(({ isClosed, start }) => !isClosed && !markers.has(start))
      .map((each) => each.identifier),
  );
  const seen = new Set<string>();
  return scan.definitions.flatMap((definition) => {
    const { start, end, label, identifier } = definition;
    if (keptStarts.has(start)) return [];
    const isUsed = used.has(identifier) && !seen.has(identifier) && !label.startsWith('^');
    seen.add(identifier);
    if (!isUsed || !canLeave(scan.text, start, end))
      return [{ start, end, text: shown(scan, definition) }];
    const lineStart = scan.text.lastIndexOf('\n', start - 1) + 1;
    const newline = /^\r?\n/.exec(scan.text.slice(end, end + 2))?.[0].length ?? 0;
    return [{ start: lineStart, end: end + newline, text: '' }];
  });
}

/**
 * Escapes the first bracket of footnotes that are none in this copy: rows of the model's own where several answers share
 * a document, and marks that would lead to a footnote of ours, or of somebody else. `labels`: our own.
 */
export function rowEscapes(context: CopyContext, labels: ReadonlyMap<number, string>): Edit[] {
  const { scan, analysis, isShared, hasFootnotes } = context;
  const definitions = new Set(scan.definitions.map(({ start }) => start));
  const at = new Set<number>();
  const stay = new Set(isShared ? [] : ownRows(scan, analysis).map(({ start }) => start));
  if (isShared || hasFootnotes) {
    for (const { start } of footnoteRows(scan, analysis)) if (!stay.has(start)) at.add(start);
  }
  if (hasFootnotes) {
    const ours = new Set(labels.values());
    const isTaken = (label: string): boolean => isShared || ours.has(label.toLowerCase());
    for (const { start, end } of scan.runs) {
      for (const mark of scan.text.slice(start, end).matchAll(/\[\^([^[\]\s]{1,100})\]/g)) {
        if (isTaken(mark[1] ?? '')) at.add(start + mark.index);
      }
    }
    for (const { start, identifier = '' } of scan.links) {
      if (identifier.startsWith('^') && isTaken(identifier.slice(1))) at.add(start);
    }
  }
  for (const { start } of [...analysis.markers, ...analysis.ownLinks]) at.delete(start);
  return [...at]
    .filter((start) => !isWithin(analysis.drops, start) && !definitions.has(start))
    .map((start) => ({ start, end: start, text: '\\' }));
}
