/** A run of text on a page: `y` and `height` in points, from the bottom; `ends` when a line ends behind it. */
export interface TextPiece {
  text: string;
  ends: boolean;
  y: number;
  height: number;
}

/** A step down of this many text heights is a gap between paragraphs: ordinary leading is 1.15 to 1.4. */
const PARAGRAPH_STEP = 1.75;

/** Characters that are drawn as nothing; a page could build a line of Lam's own with them. */
const INVISIBLE =
  /[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;

/** Ligatures, letter by letter; other compatibility forms (powers, fractions) would lose their meaning. */
const LIGATURE = /[\ufb00-\ufb06]/g;

/** The lines of a page in the order the file has them, with a blank line where the step down is large. */
export function pageText(pieces: readonly TextPiece[]): string {
  let out = '';
  let lineY: number | undefined;
  let lineHeight = 0;
  let fresh = true;
  for (const { text, ends, y, height } of pieces) {
    if (text.trim() !== '') {
      if (fresh && lineY !== undefined) {
        const step = lineY - y;
        const size = Math.max(height, lineHeight);
        if (size > 0 && step > size * PARAGRAPH_STEP) out += '\n';
      }
      lineY = y;
      lineHeight = height;
      fresh = false;
    }
    out += text;
    if (ends) {
      out += '\n';
      fresh = true;
    }
  }
  return out
    .replace(INVISIBLE, '')
    .replace(LIGATURE, (char) => char.normalize('NFKC'))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** A word cut at the end of a line: `tea-⏎pot`, also with a soft hyphen or U+2010. */
const CUT_WORD = /(?<!\p{L})(\p{L}+)([-\u00ad\u2010])\n(\p{Ll}+)(\S*)[^\S\n]?\n?/gu;

/**
 * Puts words together that were cut at the end of a line. The hyphen stays where the file writes the word with one
 * elsewhere (`well-known`), and soft hyphens inside a line go.
 */
export function joinHyphens(pages: readonly string[]): string[] {
  const known = new Set<string>();
  for (const page of pages)
    for (const [word] of page.matchAll(/(?<!\p{L})\p{L}+-\p{L}+/gu)) known.add(word.toLowerCase());
  return pages.map((page) =>
    page
      .replace(CUT_WORD, (_whole, head: string, mark: string, tail: string, rest: string) => {
        const hyphened = `${head}-${tail}`;
        const isOwn = mark !== '\u00ad' && known.has(hyphened.toLowerCase());
        return `${isOwn ? hyphened : head + tail}${rest}\n`;
      })

      .replaceAll('\u00ad', '')
      .trimEnd(),
  );
}
