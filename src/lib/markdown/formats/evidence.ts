import { cleanTitle } from '../../citations';
import { escapeMarkdown, markdownLink } from '../../code';
import { MAX_EVIDENCE_QUOTE_CHARS } from '../../constants';
import { evidencePlace, passageAddress } from '../../evidence';
import type { Evidence, QuoteCheck, QuoteStatus, Source } from '../../types';
import { foreignText } from '../foreign-text';

import { footnotesWith } from './footnotes';
import type { Format } from './format';

/** The words of a passage in quotation marks, on one line and with nothing in them that acts; '' without words. */
function quotation({ quote, cut }: Evidence): string {
  const words = cleanTitle(quote, MAX_EVIDENCE_QUOTE_CHARS);
  if (words === '') return '';
  const ending = cut === true && !words.endsWith('…') ? ' …' : '';
  return `“${foreignText(words)}${ending}”`;
}

/** What a passage is unless it holds a quotation word for word: whoever reads a copy must not take it for what the answer says. */
const CLOSEST = 'closest passage';

/**
 * `p. 4: “…”` of one that holds a quotation word for word, `closest passage, p. 4: “…”` of any other. On the web the place opens the
 * passage; a file is named once, at the end.
 */
function passage(row: Evidence, source: Source, isQuoted: boolean): string {
  const words = quotation(row);
  const place = evidencePlace(row);
  if (words === '') return '';
  if (place === '') return isQuoted ? words : `${CLOSEST}: ${words}`;
  // The address is the source's, whatever the row says: the footnote names one page only.
  const { url, kind } = source;
  const opened = passageAddress({ ...row, url, kind });
  const isLinked = kind !== 'document' && opened !== undefined && opened !== url;
  const linked = isLinked ? markdownLink(escapeMarkdown(place), opened) : place;
  return `${isQuoted ? '' : `${CLOSEST}, `}${linked}: ${words}`;
}

/** Why no passage stands there, where it is known. */
function notRead({ status }: Source): string {
  if (status === undefined || status === 'read' || status === 'part') return '';
  return status === 'hit' ? 'only found by a search, not read' : 'could not be read';
}

/** Code points of a quotation that tell which one it is. */
const MAX_NAME = 40;

/** Only what was found word for word is called verbatim, and nothing is said about whether it is true. */
const SAID: readonly (readonly [QuoteStatus, string])[] = [
  ['exact', 'verbatim'],
  ['close', 'not word for word'],
  ['not-found', 'not found in what was read'],
  ['not-kept', 'not checked, its text was not kept'],
];

/** `quotations: 1 verbatim, 1 not word for word (“Two minutes …”)`; '' without any. Those that are not verbatim are named. */
function checked(quotes: readonly QuoteCheck[], response: string): string {
  const counts = SAID.flatMap(([status, said]) => {
    const own = quotes.filter((quote) => quote.status === status);
    if (own.length === 0) return [];
    const count = `${String(own.length)} ${said}`;
    if (status === 'exact') return [count];
    const names = own.flatMap(({ start, end }) => {
      const name = cleanTitle(response.slice(start, end), MAX_NAME);
      return /[\p{L}\p{N}]/u.test(name) ? [`“${foreignText(name)}”`] : [];
    });
    return [names.length === 0 ? count : `${count} (${names.join(', ')})`];
  });
  return counts.length === 0 ? '' : `quotations: ${counts.join(', ')}`;
}

/**
 * Footnotes with the passages behind the citations, quoted as they were when the answer was written:
 * `[^1]: Title – p. 4: “…”; closest passage, p. 9: “…” – quotations: 1 verbatim – <address>`, of a local document
 * `– local file name.pdf`. A source that was not read says so.
 */
export const evidenceFormat: Format = footnotesWith((source, { response, evidence, quotes }) => {
  const isOfSource = ({ index }: { index: number }): boolean => index === source.index;
  const own = quotes.filter(isOfSource);
  const verbatim = own.filter(({ status }) => status === 'exact').map(({ marker }) => marker);
  // A sentence whose words all stand there has closeness 1 too, and quotes nothing.
  const isQuoted = ({ score, markers }: Evidence): boolean =>
    score === 1 && verbatim.some((marker) => markers.includes(marker));
  const passages = evidence
    .filter(isOfSource)
    .map((row) => passage(row, source, isQuoted(row)))
    .filter((words) => words !== '');
  return [passages.join('; '), checked(own, response), notRead(source)]
    .filter((part) => part !== '')
    .map((part) => ` – ${part}`)
    .join('');
});
