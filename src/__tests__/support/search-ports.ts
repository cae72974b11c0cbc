import { createFetcher, type FetcherOptions } from '../../host/web/http';
import { createSearch, type CreateSearchOptions } from '../../host/web/search';
import type { SearchPort } from '../../lib/types';
import { GOOD_KEY, type SearchService, type ServiceName } from './search-services';

/** The time of all searches in tests. */
export const NOW = Date.UTC(2026, 2, 14, 12);

export const NO_SETTINGS: CreateSearchOptions['settings'] = {
  searchProvider: 'auto',
  searxngUrl: '',
  braveKey: '',
  tavilyKey: '',
  exaKey: '',
  ollamaKey: '',
  searchLanguage: '',
};

/** What a search is made with in tests: nothing set, a clock that stands, and no address but those of `services`. */
export function searchOptions(
  services: readonly SearchService[] = [],
  {
    fetcher = {},
    ...more
  }: Partial<Omit<CreateSearchOptions, 'fetcher'>> & {
    fetcher?: Partial<FetcherOptions>;
  } = {},
): CreateSearchOptions {
  return {
    settings: NO_SETTINGS,
    fetcher: createFetcher({
      userAgent: 'Lam-test',
      allowLoopback: services.map(({ hostAndPort }) => hostAndPort),
      ...fetcher,
    }),
    userAgent: 'Lam-test',
    systemLanguage: 'de-DE',
    ollama: { baseUrl: 'http://127.0.0.1:9', apiKey: '' },
    now: () => NOW,
    after: (_ms, run) => {
      queueMicrotask(run);
      return () => undefined;
    },
    ...more,
  };
}

interface PortOptions {
  key?: string;
  searchLanguage?: string;
  fetcher?: Partial<FetcherOptions>;
}

/** The search of the preferences that choose `name`, at a service on this machine. */
export function portFor(
  name: ServiceName,
  service: SearchService,
  { key = GOOD_KEY, searchLanguage = '', fetcher = {} }: PortOptions = {},
): SearchPort {
  const provider = name === 'localOllama' ? 'ollama' : name;
  const settings = {
    ...NO_SETTINGS,
    searchProvider: provider,
    searchLanguage,
    ...(name === 'searxng' ? { searxngUrl: service.origin } : {}),
    ...(name === 'brave' ? { braveKey: key } : {}),
    ...(name === 'tavily' ? { tavilyKey: key } : {}),
    ...(name === 'exa' ? { exaKey: key } : {}),
    ...(name === 'ollama' ? { ollamaKey: key } : {}),
  };
  return createSearch(
    searchOptions([service], {
      settings,
      fetcher,
      ollama: { baseUrl: service.origin, apiKey: '' },
      addresses: name === 'searxng' ? {} : { [provider]: service.origin },
    }),
  );
}
