import { escapeMarkdown } from '../code';

/**
 * What programs make links of without being asked: an address with a scheme, one that begins with `www.`, a mail address
 * (GitHub Flavored Markdown, "Autolinks (extension)"). Printable ASCII only: cut off from its beginning the rest is no address.
 */
const ADDRESS =
  /((?:[a-z]+:\/\/|www\.)(?:[\w!#$%&'()*+,./:;=?@[\\\]^{|}~-]*[\w/])?|[\w.+-]+@(?=\S+\.)(?:[\w.-]*\w)?)/i;

/**
 * Foreign text as Markdown for other programs: it shows exactly this text on one line, and nothing in it acts. Addresses stand
 * in code spans: a mail address becomes a link whatever is escaped in it, and some parsers (remark) take escapes for what
 * they stand for before they look for addresses.
 *
 * @param text of limited length and without line breaks, such as `cleanTitle` gives
 */
export function foreignText(text: string): string {
  return text
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? `\`${part}\`` : escapeMarkdown(part)))
    .join('');
}
