/** Characters of a link address worth keeping; longer ones carry data. */
const MAX_LINK_CHARS = 2_000;

/** The text of a paragraph: blanks in one, line breaks of its own kept, soft hyphens out. */
export function paragraphText(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/** A link as Markdown; only its text where its target is no address of the web or of a mailbox. */
export function officeLink(text: string, target: string): string {
  const shown = text.trim();
  if (shown === '' || shown === target || shown.includes('\n')) return text;
  if (target.length > MAX_LINK_CHARS || !/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(target))
    return text;
  const destination = /[()]/.test(target) ? `<${target}>` : target;
  const label = shown.replace(/(?<!\\)[[\]]/g, '\\$&');
  const before = text.startsWith(shown) ? '' : ' ';
  return `${before}[${label}](${destination})${text.endsWith(shown) ? '' : ' '}`;
}
