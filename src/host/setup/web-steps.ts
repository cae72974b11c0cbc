import type { PagePort, SearchPort } from '../../lib/types';
import type { SearchProvider } from '../preferences';
import { cutTo } from './secrets';
import type { Finding } from './steps';

/** Something that every search service finds. */
const QUERY = 'Vicinae launcher';

/** A page that is there, is small and is meant to be read by programs too. */
const SURE_PAGE = 'https://en.wikipedia.org/wiki/Main_Page';

/** Code points of the title of a page that was read. */
const SHOWN_TITLE_CHARS = 60;

const SERVICES: Record<SearchProvider, string> = {
  auto: 'The search',
  searxng: 'SearXNG',
  brave: 'Brave',
  tavily: 'Tavily',
  exa: 'Exa',
  ollama: 'Ollama',
  wikipedia: 'Wikipedia',
  duckduckgo: 'DuckDuckGo',
};

/** One search. `next`: addresses it found. */
export async function checkSearch(
  search: SearchPort,
  service: SearchProvider,
  signal: AbortSignal,
): Promise<{ finding: Finding; next: string[] }> {
  const outcome = await search(QUERY, signal);
  const label = SERVICES[service];
  if (!outcome.ok)
    return {
      finding: {
        state: 'failed',
        said: `No search: ${outcome.message}.`,
        advice: search.remedy,
        isPreference: true,
      },
      next: [],
    };
  const count = outcome.hits.length;
  if (count === 0)
    return {
      finding: {
        state: 'warning',
        said: `${label} answers, but found nothing for “${QUERY}”.`,
        advice: search.remedy,
        isPreference: true,
      },
      next: [],
    };
  const next = outcome.hits.map(({ url }) => url).filter((url) => /^https?:\/\//.test(url));
  const found = `${label} found ${count} page${count === 1 ? '' : 's'} for “${QUERY}”.`;
  const advice =
    search.scope === 'Wikipedia'
      ? 'It searches Wikipedia only: set a SearXNG Address or a search key in the preferences to search the web.'
      : undefined;
  return { finding: { state: 'ok', said: found, advice }, next };
}

/** Reads the first page that was found, and a sure one if that page does not let itself be read. */
export async function checkFetch(
  fetchPage: PagePort,
  found: readonly string[],
  signal: AbortSignal,
): Promise<Finding> {
  const [first] = found;
  const refused: string[] = [];
  for (const url of first === undefined ? [SURE_PAGE] : [first, SURE_PAGE]) {
    const outcome = await fetchPage(url, signal);
    if (outcome.ok) {
      const { title, text } = outcome.page;
      const named = title.trim() === '' ? '' : ` of “${cutTo(title.trim(), SHOWN_TITLE_CHARS)}”`;
      const read = `Read ${text.length.toLocaleString('en')} characters${named} (${hostOf(url)}).`;
      return { state: 'ok', said: [read, ...refused].join(' Before that: ') };
    }
    refused.push(`${hostOf(url)}: ${outcome.message}`);
  }
  return {
    state: 'failed',
    said: `No page can be read. ${refused.join(' ')}`,
    advice: 'Check the network connection, and whether a proxy or firewall is in the way.',
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'no address';
}
