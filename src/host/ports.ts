import { randomBytes, randomUUID } from 'node:crypto';

import { environment, getPreferenceValues } from '@vicinae/api';

import { version } from '../../package.json';
import { lazyAgent } from './agent';
import { createImageStore } from './attachments/images';
import { createDocuments } from './documents/documents';
import { createEvidence } from './evidence/lazy-evidence';
import { createExports } from './exports';
import { createLibrary } from './library/library';
import { createModelMemory } from './model-memory';
import { documentsOptions } from './open-documents';
import { continueWithinMs, readPreferences, type Preferences } from './preferences';
import { lazyModelServer } from './providers/lazy-server';
import { selectedText } from './selection';
import { serverNameOf } from './server-name';
import type { SessionPorts } from './session';
import type { After } from './session/frames';
import { remedyFor } from './setup/first-run';
import { lazySetup } from './setup/lazy-setup';
import { createConversationStore } from './store/conversations';
import { createDraftStore } from './store/draft';
import { lazyTitle } from './lazy-title';
import { notify } from './toast';
import {
  chooseSearch,
  lazyWeb,
  ollamaServer,
  type WebOptions,
  type WebPorts,
} from './web/lazy-web';

/** Wires the session to the real world. The one place where the effects of this extension are put together. */
export function createPorts(): SessionPorts {
  const { supportPath, assetsPath } = environment;
  // As they stood when the command was launched: the launcher never updates a running worker.
  const { preferences, problems } = readPreferences(getPreferenceValues());
  const { modelServer, address, apiKey } = preferences;
  const { server, chooseModel } = lazyModelServer({
    assetsPath,
    kind: modelServer,
    address,
    apiKey,
  });
  const { search, fetchPage, ...files } = createWeb(preferences, assetsPath);
  const draft = (command: string) => createDraftStore({ supportPath, command, after });
  return {
    store: createConversationStore({ supportPath, launchId: randomUUID(), now: Date.now }),
    // Both commands show the same chat, so they share what was typed into it.
    drafts: draft('chat'),
    composeDrafts: draft('compose'),
    editDrafts: draft('edit'),
    server,
    serverName: serverNameOf(preferences),
    chooseModel,
    remedyFor: (failure) => remedyFor(failure, preferences),
    modelMemory: createModelMemory({
      supportPath,
      server: `${modelServer} ${serverNameOf(preferences)}`,
      preference: preferences.model,
    }),
    runAgent: lazyAgent(assetsPath),
    search,
    fetchPage,
    documents: createDocuments(documentsOptions(preferences, { supportPath, assetsPath })),
    evidence: createEvidence({ assetsPath }),
    files,
    images: createImageStore(supportPath),
    library: createLibrary({ supportPath, assetsPath }),
    exports: createExports(),
    checkSetup: lazySetup({
      assetsPath,
      server,
      chooseModel,
      search,
      searchService: chooseSearch(preferences, ollamaServer(preferences)).provider,
      fetchPage,
      now: Date.now,
      after,
      facts: {
        lam: version,
        node: process.version,
        vicinae: Reflect.get(environment, 'vicinaeVersion'),
        preferences,
        problems,
      },
    }),
    suggestTitle: lazyTitle(assetsPath, { preferences, server, after }),
    selectedText,
    now: Date.now,
    after,
    makeId: randomUUID,
    boundary: () => randomBytes(9).toString('base64url'),
    notify,
    settings: {
      ...preferences,
      continueWithinMs: continueWithinMs(preferences.continueWithin),
      problems,
    },
  };
}

const after: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => {
    clearTimeout(timer);
  };
};

/**
 * Search and page reading.
 *
 * Three environment variables exist for tests and the demo only, where the web is a server on this machine:
 * `LAM_TEST_ALLOW_ORIGINS` names `host:port` pairs, separated by commas, that may be read although they are private;
 * `LAM_TEST_WIKIPEDIA_URL` stands in for Wikipedia, and `LAM_TEST_SEARCH_URLS` (`brave=http://…,tavily=http://…`) for any
 * service. An extension cannot set the environment of its launcher, and a page cannot reach it.
 */
function createWeb(preferences: Preferences, assetsPath: string): WebPorts {
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
