import { randomBytes, randomUUID } from 'node:crypto';

import { environment, getPreferenceValues } from '@vicinae/api';

import { version } from '../../package.json';
import { readPreferences, type ModelServerKind, type Preferences } from './preferences';
import { createAnthropicProvider } from './providers/anthropic';
import { parseBaseUrl, type Dialect } from './providers/base-url';
import type { ConnectionOptions } from './providers/connection';
import { chooseModel, noModelFailure, type ModelServer } from './providers/models';
import { createOllamaProvider } from './providers/ollama';
import { createOpenAiProvider } from './providers/openai';
import type { SessionPorts } from './session';
import type { After } from './session/frames';
import type { ChooseModel } from './session/models';
import { createConversationStore } from './store/conversations';
import { createDraftStore } from './store/draft';
import { notify } from './toast';
import { lazyWeb, ollamaServer, type WebOptions } from './web/lazy-web';

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

/** One row a kind of model server, by its name in the preferences. */
const MODEL_SERVERS: Record<
  ModelServerKind,
  { dialect: Dialect; create: (options: ConnectionOptions) => ModelServer }
> = {
  ollama: { dialect: 'ollama', create: createOllamaProvider },
  'openai-compatible': { dialect: 'openai', create: createOpenAiProvider },
  anthropic: { dialect: 'anthropic', create: createAnthropicProvider },
};

function createModelServer({
  modelServer,
  address,
  apiKey,
}: Preferences): Pick<SessionPorts, 'server' | 'chooseModel'> {
  const { dialect, create } = MODEL_SERVERS[modelServer];
  const options = { baseUrl: address, apiKey };
  const parsed = parseBaseUrl(address, dialect);
  const origin = parsed.ok ? parsed.address.origin : address;
  const choose: ChooseModel = (models, wanted) => {
    const model = chooseModel(models, wanted);
    return model === undefined
      ? { ok: false, failure: noModelFailure({ dialect, origin }) }
      : { ok: true, model: model.id };
  };
  return { server: create(options), chooseModel: choose };
}

/**
 * Search and page reading.
 *
 * Three environment variables exist for tests and the demo only, where the web is a server on this machine:
 * `LAM_TEST_ALLOW_ORIGINS` names `host:port` pairs, separated by commas, that may be read although they are private;
 * `LAM_TEST_WIKIPEDIA_URL` stands in for Wikipedia, and `LAM_TEST_SEARCH_URLS` (`brave=http://…,tavily=http://…`) for any
 * service. An extension cannot set the environment of its launcher, and a page cannot reach it.
 */
function createWeb(
  preferences: Preferences,
  assetsPath: string,
): Pick<SessionPorts, 'search' | 'fetchPage'> {
  const { LAM_TEST_ALLOW_ORIGINS = '' } = process.env;
  return lazyWeb({
    version,
    assetsPath,
    allowLoopback: LAM_TEST_ALLOW_ORIGINS.split(',').filter((origin) => origin !== ''),
    settings: preferences,
    systemLanguage: Intl.DateTimeFormat().resolvedOptions().locale,
    ollama: ollamaServer(preferences),
    now: Date.now,
    after,
    addresses: testAddresses(),
  });
}

function testAddresses(): NonNullable<WebOptions['addresses']> {
  const { LAM_TEST_WIKIPEDIA_URL = '', LAM_TEST_SEARCH_URLS = '' } = process.env;
  const pairs = LAM_TEST_SEARCH_URLS.matchAll(/(\w+)=([^,]+)/g);
  return {
    ...(LAM_TEST_WIKIPEDIA_URL === '' ? {} : { wikipedia: LAM_TEST_WIKIPEDIA_URL }),
    ...Object.fromEntries(Array.from(pairs, ([, name = '', url = '']) => [name, url])),
  };
}
