import type { Edit, Scan } from '../../code';
import type { Pass } from './pass';

/** Draws nothing, and is neither white space nor punctuation to a parser. */
const ZERO_WIDTH_SPACE = '\u200B';

/** UTF-16 units from stars to stars. Longer bold text is a paragraph's business, not a word's. */
export const MAX_EMPHASIS = 300;

/** As CommonMark counts it; the launcher's parser counts no symbols, but the added character does no harm there. */
const PUNCTUATION = /[\p{P}\p{S}]/u;

interface Stars {
  start: number;
  end: number;
  /** What stands around them, counted by the rules for emphasis (CommonMark 0.31.2, section 6.2). */
  before: 'space' | 'punctuation' | 'letter';
  after: 'space' | 'punctuation' | 'letter';
}

function kindOf(character: string | undefined): Stars['before'] {
  if (character === undefined || character === '' || /\s/u.test(character)) return 'space';
  return PUNCTUATION.test(character) ? 'punctuation' : 'letter';
}

const characterBefore = (text: string, at: number): string =>
  /(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|[\s\S])$/.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? '';

function starsIn({ text, runs }: Scan): Stars[] {
  return runs.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/\*{1,3}(?!\*)(?<!\*{4})/g)].map((match) => {
      const at = start + match.index;
      const behind = at + match[0].length;
      const next = text.codePointAt(behind);
      return {
        start: at,
        end: behind,
        before: kindOf(characterBefore(text, at)),
        after: kindOf(next === undefined ? undefined : String.fromCodePoint(next)),
      };
    }),
  );
}

/** Stars that stand right before a quotation or bracket, behind a letter: no beginning of emphasis to a parser. */
export const isShutOpening = (text: string, at: number): boolean => {
  const length = /^\*{1,3}(?!\*)/.exec(text.slice(at, at + 4))?.[0].length;
  if (length === undefined) return false;
  const next = text.codePointAt(at + length);
  return (
    next !== undefined &&
    kindOf(String.fromCodePoint(next)) === 'punctuation' &&
    kindOf(characterBefore(text, at)) === 'letter'
  );
};

/**
 * Emphasis beside letters: `**「重要」**です` is text to a parser, because stars between punctuation and a letter count as
 * the other end (commonmark/commonmark-spec#650). Scripts without spaces between words write it all the time. A character that
 * draws nothing, put inside the stars, makes emphasis of it.
 */
export const emphasisPass: Pass = (scan) => {
  const edits: Edit[] = [];
  let opening: Stars | undefined;
  for (const stars of starsIn(scan)) {
    const { before, after } = stars;
    const length = stars.end - stars.start;
    const isFar =
      opening !== undefined &&
      (stars.start - opening.end > MAX_EMPHASIS ||
        /\n[ \t>]*\r?\n/.test(scan.text.slice(opening.end, stars.start)));
    if (isFar) opening = undefined;
    const isPair =
      opening !== undefined && opening.end - opening.start === length && before !== 'space';
    if (opening && isPair) {
      if (opening.before === 'letter' && opening.after === 'punctuation')
        edits.push({ start: opening.end, end: opening.end, text: ZERO_WIDTH_SPACE });
      if (before === 'punctuation' && after === 'letter')
        edits.push({ start: stars.start, end: stars.start, text: ZERO_WIDTH_SPACE });
      opening = undefined;
    } else if (after !== 'space') opening = stars;
  }
  return edits;
};
