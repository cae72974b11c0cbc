import { randomBytes, randomUUID } from 'node:crypto';

import { environment, getPreferenceValues } from '@vicinae/api';

import { version } from '../../package.json';
import { readPreferences, type Preferences } from './preferences';
import { parseBaseUrl } from './providers/base-url';
import { chooseModel, noModelFailure } from './providers/models';
import { createOllamaProvider } from './providers/ollama';
import { createOpenAiProvider } from './providers/openai';
import type { SessionPorts } from './session';
import type { After } from './session/frames';
import type { ChooseModel } from './session/models';
import { createConversationStore } from './store/conversations';
import { createDraftStore } from './store/draft';
import { notify } from './toast';
import { loadCharsetSniffer } from './web/charset-sniffer';
import { createFetcher, userAgent } from './web/http';
import { createPagePort } from './web/page';
import { loadPageReader } from './web/page-reader';
import { createSearch } from './web/search';
import { createWikipediaSearch } from './web/search/wikipedia';

/** Wires the session to the real world. The one place where the effects of this extension are put together. */
export function createPorts(): SessionPorts {
  const { supportPath, assetsPath } = environment;
  // As they stood when the command was launched: the launcher never updates a running worker.
  const { preferences, problems } = readPreferences(getPreferenceValues());
  const launchId = randomUUID();
  return {
    store: createConversationStore({ supportPath, launchId, now: Date.now }),
    // Both commands show the same chat, so they share what was typed into it.
    drafts: createDraftStore({ supportPath, command: 'chat', after }),
    ...createModelServer(preferences),
    ...createWeb(preferences, assetsPath),
    now: Date.now,
    after,
    makeId: randomUUID,
    boundary: () => randomBytes(9).toString('base64url'),
    notify,
    settings: { ...preferences, problems },
  };
}

const after: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => {
    clearTimeout(timer);
  };
};

function createModelServer({
  modelServer,
  address,
  apiKey,
}: Preferences): Pick<SessionPorts, 'server' | 'chooseModel'> {
  const dialect = modelServer === 'ollama' ? 'ollama' : 'openai';
  const options = { baseUrl: address, apiKey };
  const parsed = parseBaseUrl(address, dialect);
  const origin = parsed.ok ? parsed.address.origin : address;
  const choose: ChooseModel = (models, wanted) => {
    const model = chooseModel(models, wanted);
    return model === undefined
      ? { ok: false, failure: noModelFailure({ dialect, origin }) }
      : { ok: true, model: model.id };
  };
  return {
    server: dialect === 'ollama' ? createOllamaProvider(options) : createOpenAiProvider(options),
    chooseModel: choose,
  };
}

/**
 * Search and page reading.
 *
 * Two environment variables exist for tests and the demo only, where the web is a server on this machine:
 * `LAM_TEST_ALLOW_ORIGINS` names `host:port` pairs, separated by commas, that may be read although they are private;
 * `LAM_TEST_WIKIPEDIA_URL` stands in for Wikipedia. An extension cannot set the environment of its launcher, and a page
 * cannot reach it.
 */
function createWeb(
  { searxngUrl }: Preferences,
  assetsPath: string,
): Pick<SessionPorts, 'search' | 'fetchPage'> {
  const { LAM_TEST_ALLOW_ORIGINS = '', LAM_TEST_WIKIPEDIA_URL = '' } = process.env;
  const language = Intl.DateTimeFormat().resolvedOptions().locale;
  const agent = userAgent(version);
  const fetcher = createFetcher({
    userAgent: agent,
    acceptLanguage: language,
    allowLoopback: LAM_TEST_ALLOW_ORIGINS.split(',').filter((origin) => origin !== ''),
  });
  const wikipedia =
    LAM_TEST_WIKIPEDIA_URL === ''
      ? undefined
      : createWikipediaSearch({ fetcher, language, baseUrl: LAM_TEST_WIKIPEDIA_URL });
  return {
    search:
      searxngUrl === '' && wikipedia !== undefined
        ? wikipedia
        : createSearch({ searxngUrl, fetcher, userAgent: agent, language }),
    fetchPage: createPagePort({
      fetcher,
      loadPageReader: () => loadPageReader(assetsPath),
      sniffHtml: loadCharsetSniffer(assetsPath),
    }),
  };
}
