import type { Evidence, ToolCallRecord, Turn } from '../../lib/types';
import { textForm } from './source-form';

/** UTF-16 units of a heading that are looked at. */
const MAX_UNITS = 300;

/** `## Costs`, or a line over a line of `=` or `-`. */
const ATX = /^#{1,6}[ \t]+(\S[^\n]*)$/u;
const SETEXT = /^(\S[^\n]*)\n[ \t]*(?:=+|-+)[ \t]*$/u;

function headingOf(text: string): string | undefined {
  const block = text.slice(0, MAX_UNITS).trim();
  const words = (ATX.exec(block) ?? SETEXT.exec(block))?.[1];
  return words?.replace(/[*`#]+/gu, '').trim();
}

/**
 * The heading that a passage of a file stands under, as the turn was shown it; undefined where that cannot be told, because a
 * block between them was not shown, or the passage begins with one. Files with pages need none.
 */
export function headingAbove(
  { toolCalls }: Pick<Turn, 'toolCalls'>,
  passage: Evidence,
): string | undefined {
  const { index, kind, number, quote } = passage;
  if (kind !== 'document' || number === undefined || textForm(passage) !== 'markdown')
    return undefined;
  if (headingOf(quote.split('\n', 1)[0] ?? '') !== undefined) return undefined;
  const texts = blocksAbove(toolCalls, index, number);
  for (let above = number - 1; above > 0; above -= 1) {
    const text = texts.get(above);
    if (text === undefined) return undefined;
    const heading = headingOf(text);
    if (heading !== undefined && heading !== '') return heading;
  }
  return undefined;
}

/** What was shown of the blocks before one, by their numbers. */
function blocksAbove(
  records: readonly ToolCallRecord[],
  index: number,
  number: number,
): Map<number, string> {
  const texts = new Map<number, string>();
  for (const { result, shown = [] } of records) {
    for (const row of shown) {
      if (row.index !== index || row.number === undefined || row.number >= number) continue;
      if (texts.has(row.number)) continue;
      texts.set(row.number, row.original ?? result.slice(row.at, row.at + row.length));
    }
  }
  return texts;
}
