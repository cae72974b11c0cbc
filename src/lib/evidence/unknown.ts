import type { Marker, Sentence } from './claims';
import type { Span } from './sentences';

/** `[1998]` is a year and no number of a source, unless there are that many sources. */
const isYear = (number: number): boolean => number >= 1000 && number < 2200;

/** What an index stands behind: `x`, `args`, `maxRows`, `max_rows`. */
const NAME = /[\p{L}\p{N}_]+$/u;
const INDEXED =
  /^(?:[a-z]|arr|array|args|argv|list|rows?|items?|data|values?|[a-z]+[A-Z]\w*|[a-z\d]+_\w+)$/;

const BRACKETS = /[[【][^\]】\n]{0,60}[\]】]/gu;

/** What stands behind an index: an assignment, a field, another index. */
const ASSIGNED = /^\s{0,2}(?:[-+*/]?=(?!=)|==|\.[a-z_]\w*[(\s])/u;

/**
 * The brackets of an answer that look like markers and have a number that is no source, each with these numbers. Code is not
 * looked at; an index (`rows[7]`), a year and what the model defines itself are none.
 */
export function unknownOf(
  brackets: readonly Marker[],
  text: string,
  isSource: (number: number) => boolean,
): Marker[] {
  return brackets.flatMap(({ start, end, numbers }) => {
    const unknown = numbers.filter((number) => !isSource(number) && !isYear(number));
    if (unknown.length === 0) return [];
    const isIndex =
      INDEXED.test(NAME.exec(text.slice(Math.max(0, start - 40), start))?.[0] ?? '') ||
      (/[\w)\]]/.test(text.charAt(start - 1)) && ASSIGNED.test(text.slice(end, end + 40)));
    return isIndex ? [] : [{ start, end, numbers: unknown }];
  });
}

/**
 * The sentence that a bracket without a source stands in or behind; of one that stands alone, the sentence before it. Undefined
 * where the answer has no other words.
 */
export function sentenceOf(
  { start }: Span,
  sentences: readonly Sentence[],
  text: string,
): Span | undefined {
  const at = sentences.findLastIndex((each) => each.start <= start);
  const own = sentences[at];
  if (!own) return undefined;
  const before = sentences[at - 1];
  const isAlone = !/[\p{L}\p{N}]/u.test(text.slice(own.start, own.end).replace(BRACKETS, ''));
  const meant = isAlone && before ? before : own;
  return { start: meant.start, end: meant.end };
}
