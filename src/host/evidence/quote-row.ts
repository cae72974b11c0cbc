import { plain } from '../../lib/render';
import type { Audit } from '../../lib/evidence';
import type { Evidence, QuoteCheck, QuoteStatus } from '../../lib/types';
import { passagesBehind } from './behind';
import { closeness, CLOSEST, holding, keywordsOf, numbersText, type Facts } from './facts';
import { passageMarkdown, quoted, rowPassage, rowSource, sourceMarkdown } from './passage-text';
import type { EvidenceRow, RowMark, RowPassage } from './rows';
import { lookedFor } from './looked-for';
import { sentenceTitle } from './sentence-text';
import { unreadWords } from './status-words';

/** What became of a quotation: only the first is called verified. */
const STATUSES: Record<QuoteStatus, { mark: RowMark; words: string; meaning: string }> = {
  exact: {
    mark: 'verified',
    words: 'Word for word in what was read',
    meaning:
      'Every word of it stands there in this order; case, spaces, quotation marks and dashes may differ.',
  },
  close: {
    mark: 'close',
    words: 'Close, not word for word',
    meaning: 'Something like it stands there, with other words in it.',
  },
  'not-found': {
    mark: 'not-found',
    words: 'Not found in what was read',
    meaning: 'It may stand in a part that was not read, in another source, or nowhere.',
  },
  'not-kept': {
    mark: 'not-kept',
    words: 'The text of the source was not kept',
    meaning: 'So there is nothing to compare it with.',
  },
};

/** What an exact quotation with an ellipsis says: not every word that stands there. */
const WITH_GAPS = {
  mark: 'verified' as const,
  words: 'Word for word in what was read, with words left out',
  meaning:
    'Every word of it stands there in this order, and others where the ellipsis is: read whether they change what is said. Case, spaces, quotation marks and dashes may differ.',
};

const GAP = /…|\.{3}|\. \. \./u;

/** One at either end leaves out what stands around the quotation, as every quotation does. */
const hasGap = (words: string): boolean =>
  words.split(GAP).filter((part) => /[\p{L}\p{N}]/u.test(part)).length > 1;

function statusOf(
  { start, end, status }: QuoteCheck,
  response: string,
): (typeof STATUSES)[QuoteStatus] {
  const isWithGaps = status === 'exact' && hasGap(response.slice(start, end));
  return isWithGaps ? WITH_GAPS : STATUSES[status];
}

/**
 * A direct quotation of the answer, and whether it stands in what was read.
 *
 * @param facts `claims`: what tells which markers stand beside it
 */
export function quoteRow(
  quote: QuoteCheck,
  id: string,
  facts: Facts & Pick<Audit, 'claims'>,
): EvidenceRow {
  const { turn, sources } = facts;
  const { start, end } = quote;
  const { mark, words, meaning } = statusOf(quote, turn.response);
  const all = lookedFor(quote, facts);
  const parts = all.map((each) => partOf(each, facts));
  return {
    id,
    mark,
    title: plain`“${sentenceTitle(turn.response, quote)}”`,
    markers: numbersText(all.map(({ index }) => index)),
    words: plain`${words}`,
    keywords: keywordsOf(
      all.map(({ index }) => sources.get(index) ?? { index }),
      plain`${words}`,
    ),
    detail: () =>
      [
        `**${words}**`,
        'The answer says:',
        quoted(turn.response.slice(start, end), 'prose'),
        meaning,
        '---',
        ...parts.flatMap(({ markdown }) => markdown()),
      ].join('\n\n'),
    passages: parts.flatMap(({ passages }) => passages),
  };
}

/** What one source has of a quotation. */
function partOf(
  quote: QuoteCheck,
  facts: Facts,
): { markdown: () => string[]; passages: RowPassage[] } {
  const { sources, states } = facts;
  const passages = passagesOf(quote, facts);
  const source = sources.get(quote.index);
  const why = source === undefined ? undefined : unreadWords(source);
  if (passages.length === 0 && source !== undefined)
    return {
      markdown: () => [sourceMarkdown(source, why ?? noneOf(quote.status), states)],
      passages: [rowSource(source, states)],
    };
  return {
    markdown: () =>
      passages.map((passage) => {
        const is = closeness(passage, [quote], facts);
        return passageMarkdown(passage, facts, { is, why, isByWords: is === CLOSEST });
      }),
    passages: passages.map((each) => rowPassage(each, states)),
  };
}

/** Of a quotation that stands in the source there is a passage; where it was not kept, nothing can be said of one. */
const noneOf = (status: QuoteStatus): string =>
  status === 'not-found' ? 'No passage is clearly close to it.' : '';

/** The passages that hold the quotation or its like, or else those that are close to its sentence. */
function passagesOf(quote: QuoteCheck, { turn, closePlaces }: Facts): Evidence[] {
  const place = closePlaces.get(quote);
  if (place !== undefined) return [place];
  const holders = holding(quote, turn);
  return holders.length > 0 ? holders : passagesBehind(turn, quote.index, [quote.marker]);
}
