/** Letters that take two columns: Chinese, Japanese, Korean, and their full-width signs. */
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]/g;

/** Whether a line may be broken before each of its letters, because the script has no spaces between words. */
export const isWide = (letter: string): boolean => letter.search(WIDE) === 0;

/** Columns that Markdown of one line takes on the screen, about: without addresses and marks. */
export function widthOf(markdown: string): number {
  const words = markdown
    .replace(/\]\([^()\s]*(?:\s+"[^"]*")?\)/g, '')
    .replace(/[\\*`[\]|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length + (words.match(WIDE)?.length ?? 0);
}
