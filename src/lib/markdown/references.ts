import { citedIndices, cleanTitle, createSourceList, turnSources } from '../citations';
import { MAX_KEPT_TITLE_CHARS } from '../constants';
import type { Source, Turn } from '../types';

import { bibtexEntry } from './references/bibtex';
import { citationKeys } from './references/citation-key';
import { cslItem } from './references/csl';
import { readDate, utcDay } from './references/date';
import type { Reference } from './references/reference';
import { fileName } from './source-name';

/** What the references of a turn are taken from. */
export type ReferencedTurn = Pick<Turn, 'response' | 'toolCalls' | 'startedAt'> &
  Partial<Pick<Turn, 'carried' | 'cut' | 'state'>>;

/** What is known of a page or document, and nothing else: its host is no author, and its address is no title. */
function referenceOf({ title, url, kind, date }: Source, startedAt: number): Reference {
  const name = cleanTitle(title, MAX_KEPT_TITLE_CHARS);
  const known = {
    accessed: utcDay(startedAt),
    issued: date === undefined ? undefined : readDate(date),
    ...(name === '' || name === cleanTitle(url, MAX_KEPT_TITLE_CHARS) ? {} : { title: name }),
  };
  if (kind === 'document') return { ...known, kind, fileName: fileName(url, MAX_KEPT_TITLE_CHARS) };
  return { ...known, kind: 'web', url, host: new URL(url).hostname };
}

/**
 * The pages and documents that the answers cite, each once, in the order in which they are first cited. The access date is
 * that of the first turn that cites it; a title or a date that only a later one knows is taken from there.
 */
function referencesOf(turns: readonly ReferencedTurn[]): Reference[] {
  const list = createSourceList(); // knows which addresses are one page
  const found = new Map<number, Reference>();
  for (const turn of turns) {
    const sources = turnSources(turn);
    const cited = citedIndices(turn.response, sources);
    for (const source of sources.filter(({ index }) => cited.has(index))) {
      if (source.kind !== 'document' && !URL.canParse(source.url)) continue;
      const { index } = list.add(source.title, source.url);
      const reference = referenceOf(source, turn.startedAt);
      const known = found.get(index);
      if (known === undefined) found.set(index, reference);
      else {
        known.title ??= reference.title;
        known.issued ??= reference.issued;
      }
    }
  }
  return [...found.values()];
}

/**
 * The cited sources as biblatex: `@online` for pages, `@misc` for local documents, with a blank line between; '' if nothing
 * is cited. Pure and total.
 *
 * @param turns oldest first; of each, what its answer cites
 */
export function bibtex(turns: readonly ReferencedTurn[]): string {
  const references = referencesOf(turns);
  const keys = citationKeys(references);
  return references
    .map((reference, place) => `${bibtexEntry(reference, keys[place] ?? '')}\n`)
    .join('\n');
}

/** The cited sources as CSL-JSON, a list of items. Pure and total. @param turns as for `bibtex` */
export function cslJson(turns: readonly ReferencedTurn[]): string {
  const references = referencesOf(turns);
  const keys = citationKeys(references);
  const items = references.map((reference, place) => cslItem(reference, keys[place] ?? ''));
  return `${JSON.stringify(items, null, 2)}\n`;
}
