import { escapeMarkdown, isOpenable, markdownLink } from '../code';
import { MAX_TITLE_CHARS, MAX_UNCITED_ROWS } from '../constants';
import type { Source } from '../types';

/** Control characters, direction marks and invisible format characters: they can hide or turn around what a title says. */
const INVISIBLE = /[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** A foreign title as one line of at most `max` code points, without characters that are not seen. */
export function cleanTitle(title: string, max = MAX_TITLE_CHARS): string {
  // A hostile title can be megabytes long; what is beyond this cannot reach the first `max` code points of ordinary text.
  const line = title
    .slice(0, max * 50)
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
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

/**
 * The list under an answer, as Markdown. Cited sources only; all of them (at most twelve rows) when nothing was cited;
 * `''` while streaming and when there is nothing to list. In number order, with the numbers the model used.
 */
export function renderSources(
  sources: readonly Source[],
  cited: Iterable<number>,
  streaming: boolean,
): string {
  if (streaming) return '';
  const wanted = new Set(cited);
  const byIndex = new Map<number, Source>();
  for (const source of sources) if (!byIndex.has(source.index)) byIndex.set(source.index, source);
  const sorted = [...byIndex.values()].sort((a, b) => a.index - b.index);
  const citedRows = sorted.filter((source) => wanted.has(source.index));
  const rows = citedRows.length > 0 ? citedRows : sorted.slice(0, MAX_UNCITED_ROWS);
  if (rows.length === 0) return '';
  const more = citedRows.length > 0 ? 0 : sorted.length - rows.length;
  return [
    '_Sources_',
    '',
    ...rows.map(row),
    ...(more > 0 ? ['', `and ${String(more)} more`] : []),
  ].join('\n');
}
