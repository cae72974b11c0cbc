import type { SearchScope } from '../../../lib/types';
import type { Preferences, SearchProvider } from '../../preferences';

/** The preferences that a search depends on. */
export type SearchSettings = Pick<
  Preferences,
  | 'searchProvider'
  | 'searxngUrl'
  | 'braveKey'
  | 'tavilyKey'
  | 'exaKey'
  | 'ollamaKey'
  | 'searchLanguage'
>;

export type NamedProvider = Exclude<SearchProvider, 'auto'>;

/** An Ollama server, as far as a search needs it. */
export interface OllamaServer {
  /** Base address, without a final slash. */
  baseUrl: string;
  /** The API Key of the preferences as it is sent, or empty. */
  apiKey: string;
  /** The value of its Authorization header, if it wants one. */
  authorization?: string | undefined;
}

/** Who searches. The window says some of it before any search, so nothing here needs the providers. */
export interface SearchChoice {
  provider: NamedProvider;
  /** Why it cannot search: the bare reason, as in a failed `SearchOutcome`. */
  problem?: string;
  /** Absent = the web. */
  scope?: SearchScope;
  /** One sentence for the person: what to do when no search works. */
  remedy: string;
}

/**
 * The search that the preferences ask for. A provider that was chosen and lacks its key or address has a `problem`, and
 * never becomes another one, because the question would go where it was not meant to.
 */
export function chooseSearch(settings: SearchSettings, ollama: OllamaServer): SearchChoice {
  const { searchProvider } = settings;
  const provider = searchProvider === 'auto' ? automatic(settings) : searchProvider;
  switch (provider) {
    case 'searxng':
      return isSet(settings.searxngUrl)
        ? { provider, remedy: "Check the SearXNG Address in Lam's preferences." }
        : unset(provider, 'SearXNG', 'SearXNG Address');
    case 'brave':
      return keyed(provider, 'Brave', 'Brave Key', settings.braveKey);
    case 'tavily':
      return keyed(provider, 'Tavily', 'Tavily Key', settings.tavilyKey);
    case 'exa':
      return keyed(provider, 'Exa', 'Exa Key', settings.exaKey);
    case 'ollama':
      if (isSet(settings.ollamaKey)) return { provider, remedy: checkRemedy('Ollama Key') };
      if (!isOllamaCom(ollama))
        return {
          provider,
          remedy:
            "Sign in with `ollama signin`, set an Ollama Key, or choose another Search Provider in Lam's preferences.",
        };
      return isSet(ollama.apiKey)
        ? { provider, remedy: checkRemedy('API Key') }
        : unset(provider, 'Ollama', 'Ollama Key');
    case 'wikipedia':
      return {
        provider,
        scope: 'Wikipedia',
        remedy: "Check the network, or choose another Search Provider in Lam's preferences.",
      };
    case 'duckduckgo':
      return {
        provider,
        remedy: "Wait, or choose another Search Provider in Lam's preferences.",
      };
  }
}

/** The first provider that is set up, in the order of the preferences. DuckDuckGo only when it is chosen. */
function automatic(settings: SearchSettings): NamedProvider {
  if (isSet(settings.searxngUrl)) return 'searxng';
  if (isSet(settings.braveKey)) return 'brave';
  if (isSet(settings.tavilyKey)) return 'tavily';
  if (isSet(settings.exaKey)) return 'exa';
  return isSet(settings.ollamaKey) ? 'ollama' : 'wikipedia';
}

function keyed(provider: NamedProvider, name: string, title: string, key: string): SearchChoice {
  return isSet(key) ? { provider, remedy: checkRemedy(title) } : unset(provider, name, title);
}

function unset(provider: NamedProvider, name: string, title: string): SearchChoice {
  return {
    provider,
    problem: `${name} is the Search Provider of the preferences, but no ${title} is set`,
    remedy: `Set the ${title}, or choose another Search Provider, in Lam's preferences.`,
  };
}

function checkRemedy(title: string): string {
  return `Check the ${title}, or choose another Search Provider, in Lam's preferences.`;
}

/** True for Ollama's own service, which takes the key of an account and no `ollama signin`. */
export function isOllamaCom({ baseUrl }: OllamaServer): boolean {
  return new URL(baseUrl).hostname === 'ollama.com';
}

/** True for a key or address that was filled in. */
export function isSet(value: string): boolean {
  return value.trim() !== '';
}
