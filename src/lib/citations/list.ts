import { escapeMarkdown, isOpenable, markdownLink } from '../code';
import { MAX_TITLE_CHARS, MAX_UNCITED_ROWS } from '../constants';
import type { Source } from '../types';

/**
 * Control characters, and everything Unicode calls ignorable (direction marks, tags, fillers): it can hide or turn around what
 * a title says. Joiners and variation selectors stay: words and pictures are made with them.
 */
const INVISIBLE =
  /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]|(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;

/** A foreign title as one line of at most `max` code points, without characters that are not seen and without half ones. */
export function cleanTitle(title: string, max = MAX_TITLE_CHARS): string {
  // A hostile title can be megabytes long; what is beyond this cannot reach the first `max` code points of ordinary text.
  const line = title
    .slice(0, max * 50)
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .trim();
  const points = Array.from(line);
  return points.length > max ? `${points.slice(0, max).join('').trimEnd()}…` : line;
}

function row(source: Source): string {
  const title = escapeMarkdown(cleanTitle(source.title) || cleanTitle(source.url));
  const number = String(source.index);
  return isOpenable(source)
    ? `- ${markdownLink(`\\[${number}\\]`, source.url)} ${title}`
    : `- [${number}] ${title}`;
}

/** The rows of the list under an answer, in number order, and how many sources it leaves out. */
export interface ListedSources {
  rows: Source[];
  more: number;
}

/**
 * Which sources stand in the list under an answer: the cited ones only; all of them (at most twelve) when nothing was
 * cited. In number order, with the numbers the model used.
 */
export function listedSources(sources: readonly Source[], cited: Iterable<number>): ListedSources {
  const wanted = new Set(cited);
  const byIndex = new Map<number, Source>();
  for (const source of sources) if (!byIndex.has(source.index)) byIndex.set(source.index, source);
  const sorted = [...byIndex.values()].sort((a, b) => a.index - b.index);
  const citedRows = sorted.filter((source) => wanted.has(source.index));
  if (citedRows.length > 0) return { rows: citedRows, more: 0 };
  const rows = sorted.slice(0, MAX_UNCITED_ROWS);
  return { rows, more: sorted.length - rows.length };
}

/** The list under an answer, as Markdown; `''` while streaming and when there is nothing to list. */
export function renderSources(
  sources: readonly Source[],
  cited: Iterable<number>,
  streaming: boolean,
): string {
  if (streaming) return '';
  const { rows, more } = listedSources(sources, cited);
  if (rows.length === 0) return '';
  return [
    '_Sources_',
    '',
    ...rows.map(row),
    ...(more > 0 ? ['', `and ${String(more)} more`] : []),
  ].join('\n');
}
