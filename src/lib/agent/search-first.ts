import { isOpenable } from '../citations';
import { MAX_QUERY_CHARS, MAX_URL_CHARS } from '../constants';
import type { ChatMessage, RequestedCall, SearchOutcome, SearchPort } from '../types';
import { runCalls, type CallContext } from './calls';

const SEARCH = 'web_search';
const FETCH = 'web_fetch';
const DOCUMENTS = 'search_documents';

/** What can be searched with a question, in this order: what the person has of their own comes first. */
const SEARCHES = [DOCUMENTS, SEARCH] as const;

type Search = (typeof SEARCHES)[number];

/** Pages that are read: two fill most of a small model's context. */
const PAGES = 2;

/** Fetches that are tried for them: a page that could not be read is replaced by the next of the list. */
const MAX_FETCHES = 4;

/** Words of the second search, when the whole question found nothing. */
const KEYWORDS = 4;

/** Whether one of these calls is a search. */
export function hasSearch(calls: readonly { name: string }[]): boolean {
  return calls.some(({ name }) => SEARCHES.some((search) => search === name));
}

/** The searches among the tools that none of these calls has made. */
export function searchesLeft(
  tools: readonly { name: string }[],
  calls: readonly { name: string }[],
): Search[] {
  const has = (list: typeof tools, search: Search) => list.some(({ name }) => name === search);
  return SEARCHES.filter((search) => has(tools, search) && !has(calls, search));
}

/**
 * Looks a question up for a model that cannot call tools: a search of the documents with the question, then one of the web (with
 * its longest words if that finds nothing) and the first pages of its result. Ordinary calls: numbered, recorded and told like
 * those of a model.
 *
 * @param searches those to make, see `searchesLeft`
 * @param context as of `runCalls`; `position` is asked before each round of calls
 * @returns the calls and results as messages, to be put into the conversation
 */
export async function searchFirst(
  question: string,
  searches: readonly Search[],
  context: Omit<CallContext, 'position'> & { position: () => number },
): Promise<ChatMessage[]> {
  const { ports, signal } = context;
  const isStopped = () => signal.aborted;
  const messages: ChatMessage[] = [];
  const last: { outcome?: SearchOutcome } = {};
  const search: SearchPort = Object.assign(
    async (...asked: Parameters<SearchPort>) => {
      const outcome = await ports.search(...asked);
      last.outcome = outcome;
      return outcome;
    },
    // Scope and whatever else stands on the port.
    ports.search,
  );
  const call = async (name: string, calls: readonly Record<string, unknown>[]) => {
    const requested = calls.map((args): RequestedCall => ({ id: '', name, arguments: args }));
    const position = context.position();
    const run = await runCalls('', requested, {
      ...context,
      ports: { ...ports, search },
      position,
    });
    messages.push(...run.messages);
    return run.failures;
  };

  const query = queryOf(question);
  if (searches.includes(DOCUMENTS)) await call(DOCUMENTS, [{ query }]);
  if (!searches.includes(SEARCH) || isStopped()) return messages;
  await call(SEARCH, [{ query }]);
  const words = keywordsOf(query);
  if (foundNothing(last.outcome) && words !== '' && words !== query && !isStopped())
    await call(SEARCH, [{ query: words }]);

  const urls = (last.outcome?.ok === true ? last.outcome.hits : [])
    .map(({ url }) => url.trim())
    .filter((url, n, all) => isFetchable(url) && all.indexOf(url) === n)
    .slice(0, MAX_FETCHES);
  let missing = PAGES;
  while (missing > 0 && urls.length > 0 && !isStopped()) {
    const next = urls.splice(0, missing);
    missing -=
      next.length -
      (await call(
        FETCH,
        next.map((url) => ({ url })),
      ));
  }
  return messages;
}

function foundNothing(outcome: SearchOutcome | undefined): boolean {
  return outcome?.ok === true && outcome.hits.length === 0;
}

function isFetchable(url: string): boolean {
  return url.length <= MAX_URL_CHARS && isOpenable({ url });
}

/** The question on one line, cut between two words where it is longer than a query may be. */
function queryOf(question: string): string {
  const line = question.replace(/\s+/gu, ' ').trim();
  if (line.length <= MAX_QUERY_CHARS) return line;
  const head = line.slice(0, MAX_QUERY_CHARS + 1);
  const space = head.lastIndexOf(' ');
  const cut = head.slice(0, space > 0 ? space : MAX_QUERY_CHARS);
  return cut.replace(/\p{Surrogate}$/u, '');
}

/** The longest words, in their order: without a list of each language's small words the best guess at what matters. */
function keywordsOf(query: string): string {
  const words = query.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu) ?? [];
  const longest = new Set(
    words
      .map((word, n) => ({ n, length: word.length }))
      .sort((a, b) => b.length - a.length || a.n - b.n)
      .slice(0, KEYWORDS)
      .map(({ n }) => n),
  );
  return words
    .filter((_, n) => longest.has(n))
    .map((word) => word.replace(/[.'’-]+$/u, ''))
    .join(' ');
}
