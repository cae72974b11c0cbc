import { isoDate } from './date';
import type { Reference } from './reference';

/**
 * What TeX acts on. Braces become commands: BibTeX counts those of a field before TeX sees it, escaped ones too, so one
 * without a partner would swallow the entries behind it.
 */
const COMMANDS: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

const escapeTex = (text: string): string =>
  text.replace(/[\\{}~^%&#_$]/g, (char) => COMMANDS[char] ?? `\\${char}`);

/** biblatex reads `url` verbatim: nothing is escaped in it, but its braces are counted as everywhere. */
const ENCODED: Record<string, string> = { '{': '%7B', '}': '%7D' };
const verbatim = (url: string): string => url.replace(/[{}]/g, (brace) => ENCODED[brace] ?? '');

/**
 * An entry of biblatex, whose `@online` has fields for an address and the day it was read (BibTeX styles of before 2000
 * have neither, and take an unknown type for `@misc`). The host stands in `organization`, who publishes an online resource;
 * a file has no such field and is named in a note.
 */
export function bibtexEntry(reference: Reference, key: string): string {
  const { title, issued, accessed } = reference;
  const isFileTold =
    reference.kind === 'document' && reference.fileName !== '' && reference.fileName !== title;
  const fields: [name: string, value: string | undefined][] = [
    ['title', title && escapeTex(title)],
    ['organization', reference.kind === 'web' ? escapeTex(reference.host) : undefined],
    ['note', isFileTold ? escapeTex(reference.fileName) : undefined],
    ['date', issued && isoDate(issued)],
    ['url', reference.kind === 'web' ? verbatim(reference.url) : undefined],
    ['urldate', accessed && isoDate(accessed)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name} = {${value}},\n`],
  );
  return `@${reference.kind === 'web' ? 'online' : 'misc'}{${key},\n${lines.join('')}}`;
}
