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

/** `p. 4: “…”`. On the web the place opens the passage; a file is named once, at the end. */
function passage(row: Evidence, source: Source): string {
  const words = quotation(row);
  const place = evidencePlace(row);
  if (place === '' || words === '') return words;
  // The address is the source's, whatever the row says: the footnote names one page only.
  const { url, kind } = source;
  const opened = passageAddress({ ...row, url, kind });
  const isLinked = kind !== 'document' && opened !== undefined && opened !== url;
  return `${isLinked ? markdownLink(escapeMarkdown(place), opened) : place}: ${words}`;
}

/** Only what was found word for word is called verbatim, and nothing is said about whether it is true. */
const SAID: readonly (readonly [QuoteStatus, string])[] = [
  ['exact', 'verbatim'],
  ['close', 'not word for word'],
  ['not-found', 'not found in what was read'],
  ['not-kept', 'not checked, its text was not kept'],
];

/** `quotations: 1 verbatim, 1 not word for word`; '' without any. */
function checked(quotes: readonly QuoteCheck[]): string {
  const counts = SAID.flatMap(([status, said]) => {
    const count = quotes.filter((quote) => quote.status === status).length;
    return count === 0 ? [] : [`${String(count)} ${said}`];
  });
  return counts.length === 0 ? '' : `quotations: ${counts.join(', ')}`;
}

/**
 * Footnotes with the passages behind the citations, quoted as they were when the answer was written:
 * `[^1]: Title – p. 4: “…”; p. 9: “…” – quotations: 1 verbatim – <address>`, of a local document `– local file name.pdf`.
 */
export const evidenceFormat: Format = footnotesWith((source, { evidence, quotes }) => {
  const isOfSource = ({ index }: { index: number }): boolean => index === source.index;
  const passages = evidence
    .filter(isOfSource)
    .map((row) => passage(row, source))
    .filter((words) => words !== '');
  return [passages.join('; '), checked(quotes.filter(isOfSource))]
    .filter((part) => part !== '')
    .map((part) => ` – ${part}`)
    .join('');
});
