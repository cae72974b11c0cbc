import type { SearchPort } from '../../lib/types';
import { createFetcher, hostAndPort, type Fetcher } from './http';
import { createBraveSearch } from './search/brave';
import {
  chooseSearch,
  isOllamaCom,
  isSet,
  type NamedProvider,
  type OllamaServer,
  type SearchSettings,
} from './search/choice';
import { createDuckDuckGoSearch, type DuckDuckGoOptions } from './search/duckduckgo';
import { createExaSearch } from './search/exa';
import { localeOf } from './search/language';
import { createLocalOllamaSearch, createOllamaSearch } from './search/ollama';
import { createSearxngSearch } from './search/searxng';
import { createTavilySearch } from './search/tavily';
import { createWikipediaSearch } from './search/wikipedia';

/** Where services stand instead of at their own address; for tests. */
type ServiceAddresses = Partial<Record<NamedProvider, string>>;

export interface CreateSearchOptions {
  settings: SearchSettings;
  /** For services on the internet. A server of the person's own has a fetcher of its own, because its address may be private. */
  fetcher: Fetcher;
  userAgent: string;
  /** The person's language as the system has it; the preference Search Language goes before it. */
  systemLanguage: string;
  /** The Ollama server that searches when Ollama is chosen and there is no Ollama Key. */
  ollama: OllamaServer;
  /** Milliseconds since 1970. */
  now: () => number;
  after: DuckDuckGoOptions['after'];
  addresses?: ServiceAddresses;
}

/** The search of `chooseSearch`. One that lacks its key or address fails and says what to set. */
export function createSearch(options: CreateSearchOptions): SearchPort {
  const { provider, problem, scope, remedy } = chooseSearch(options.settings, options.ollama);
  const search: SearchPort =
    problem === undefined
      ? makers[provider](options)
      : () => Promise.resolve({ ok: false, message: problem });
  return Object.assign(search, { remedy, ...(scope === undefined ? {} : { scope }) });
}

/** Each is called only if its provider has what it needs. */
const makers: Record<NamedProvider, (options: CreateSearchOptions) => SearchPort> = {
  searxng: ({ settings, userAgent, systemLanguage, now }) =>
    createSearxngSearch({
      baseUrl: settings.searxngUrl,
      userAgent,
      now,
      // Not the system's: SearXNG has a setting of its own for who says nothing, and `language` shuts other languages out.
      ...(settings.searchLanguage === '' ? {} : { language: tag(settings.searchLanguage) }),
      acceptLanguage: systemLanguage,
    }),
  brave: (options) =>
    createBraveSearch({
      ...service(options, 'brave'),
      key: options.settings.braveKey,
      locale: locale(options),
    }),
  tavily: (options) =>
    createTavilySearch({ ...service(options, 'tavily'), key: options.settings.tavilyKey }),
  exa: (options) =>
    createExaSearch({
      ...service(options, 'exa'),
      key: options.settings.exaKey,
      locale: locale(options),
    }),
  ollama: (options) => {
    const { settings, ollama } = options;
    if (isSet(settings.ollamaKey)) return ollamaCom(options, settings.ollamaKey, 'Ollama Key');
    return isOllamaCom(ollama)
      ? ollamaCom(options, ollama.apiKey, 'API Key')
      : localOllama(options);
  },
  wikipedia: (options) =>
    createWikipediaSearch({ ...service(options, 'wikipedia'), language: language(options) }),
  duckduckgo: (options) =>
    createDuckDuckGoSearch({
      ...service(options, 'duckduckgo'),
      locale: locale(options),
      after: options.after,
    }),
};

function ollamaCom(options: CreateSearchOptions, key: string, keyTitle: string): SearchPort {
  return createOllamaSearch({ ...service(options, 'ollama'), key, keyTitle });
}

function localOllama({ ollama, userAgent, now }: CreateSearchOptions): SearchPort {
  const fetcher = createFetcher({ userAgent, trusted: [hostAndPort(new URL(ollama.baseUrl))] });
  return createLocalOllamaSearch({ ...ollama, fetcher, now });
}

function service({ fetcher, now, addresses }: CreateSearchOptions, provider: NamedProvider) {
  return { fetcher, now, baseUrl: addresses?.[provider] };
}

function language({ settings, systemLanguage }: CreateSearchOptions): string {
  return settings.searchLanguage === '' ? systemLanguage : settings.searchLanguage;
}

function locale(options: CreateSearchOptions) {
  return localeOf(language(options));
}

/** `de_DE` → `de-DE`. */
function tag(typed: string): string {
  return typed.replaceAll('_', '-');
}
