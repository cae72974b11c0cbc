/** Code points of a title that a person gives: what one row of the list shows, with room to spare. */
const MAX_TITLE_CHARS = 80;

/** One line without white space around it or control characters in it, and not longer than a title may be; '' if nothing is left. */
export function cleanTitle(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return Array.from(line).slice(0, MAX_TITLE_CHARS).join('').trimEnd();
}

/** The title of a copy: `Tea (copy)`, of a copy of that `Tea (copy 2)`. */
export function copyTitle(title: string): string {
  const [, base = title, number = '1'] = /^(.*) \(copy(?: (\d{1,6}))?\)$/su.exec(title) ?? [];
  const ending = base === title ? ' (copy)' : ` (copy ${Number(number) + 1})`;
  const room = MAX_TITLE_CHARS - ending.length;
  return `${Array.from(cleanTitle(base)).slice(0, room).join('').trimEnd()}${ending}`;
}
