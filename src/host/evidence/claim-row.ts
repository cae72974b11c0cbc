import type { Audit } from '../../lib/evidence';
import { plain, type PlainText } from '../../lib/render';
import type { Evidence, QuoteCheck, Source } from '../../lib/types';
import { passagesBehind } from './behind';
import { closeness, CLOSEST, keywordsOf, numbersText, type Facts } from './facts';
import { passageMarkdown, rowPassage, rowSource, sourceMarkdown } from './passage-text';
import type { EvidenceRow, RowMark, RowPassage } from './rows';
import { sentenceMarkdown, sentenceTitle } from './sentence-text';
import { unreadWords } from './status-words';

type Claim = Audit['claims'][number];

/** Said of a source that was read. */
const NONE_CLOSE = 'No passage is clearly close to this sentence.';

/** Why that says little. */
const OTHER_WORDS = 'It may say so in other words or in another language.';

/** What is behind one number of a claim. */
interface Backing {
  source: Source;
  passages: Evidence[];
  /** Present if the source was not read. */
  unread: string | undefined;
}

/** A sentence with markers, and behind each of its numbers the passage that is closest to it. */
export function claimRow(claim: Claim, id: string, facts: Facts): EvidenceRow {
  const { turn, linked, states } = facts;
  const starts = claim.markers.map(({ start }) => start);
  const quotes = (turn.quotes ?? []).filter(({ marker }) => starts.includes(marker));
  const backings = backingsOf(claim, quotes, facts);
  const { mark, words } = markOf(backings, quotes);
  return {
    id,
    mark,
    title: sentenceTitle(turn.response, claim, claim.markers),
    markers: numbersText(backings.map(({ source }) => source.index)),
    words,
    keywords: keywordsOf(
      backings.map(({ source }) => source),
      words,
    ),
    detail: () =>
      [
        sentenceMarkdown(turn.response, claim, linked),
        '---',
        ...backings.flatMap((backing) => backingMarkdown(backing, quotes, facts)),
      ].join('\n\n'),
    passages: backings.flatMap(({ source, passages }): RowPassage[] =>
      passages.length === 0
        ? [rowSource(source, states)]
        : passages.map((each) => rowPassage(each, states)),
    ),
  };
}

function backingMarkdown(
  { source, passages, unread }: Backing,
  quotes: readonly QuoteCheck[],
  facts: Facts,
): string[] {
  if (passages.length === 0)
    return [sourceMarkdown(source, unread ?? `${NONE_CLOSE} ${OTHER_WORDS}`, facts.states)];
  return passages.map((each) => {
    const is = closeness(each, quotes, facts);
    // Of one that holds the quotation there is no doubt.
    const isByWords = quotes.length === 0 || is === CLOSEST;
    return passageMarkdown(each, facts, { is, why: unread, isByWords });
  });
}

function backingsOf(
  { markers }: Claim,
  quotes: readonly QuoteCheck[],
  { turn, sources, closePlaces }: Facts,
): Backing[] {
  const starts = markers.map(({ start }) => start);
  const numbers = new Set(markers.flatMap((marker) => marker.numbers));
  return [...numbers].flatMap((index) => {
    const source = sources.get(index);
    if (source === undefined) return [];
    const behind = passagesBehind(turn, index, starts);
    const ofQuotes = quotes.flatMap((quote) => closePlaces.get(quote) ?? []);
    const passages =
      behind.length > 0 ? behind : [...new Set(ofQuotes.filter((row) => row.index === index))];
    return [{ source, passages, unread: unreadWords(source) }];
  });
}

/** A quotation that failed is what a reader should see first. */
function markOf(
  backings: readonly Backing[],
  quotes: readonly QuoteCheck[],
): { mark: RowMark; words: PlainText } {
  if (quotes.some(({ status }) => status === 'not-found'))
    return { mark: 'not-found', words: plain`Its quotation was not found in what was read` };
  if (quotes.some(({ status }) => status === 'close'))
    return { mark: 'close', words: plain`Its quotation is close, not word for word` };
  if (backings.some(({ passages, unread }) => passages.length > 0 && unread === undefined))
    return { mark: 'passage', words: plain`Closest passage` };
  const unread = backings.find((each) => each.unread !== undefined)?.unread;
  if (unread !== undefined) return { mark: 'unread', words: plain`${unread}` };
  return { mark: 'no-passage', words: plain`${NONE_CLOSE}` };
}
