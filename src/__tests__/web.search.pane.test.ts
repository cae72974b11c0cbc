import { afterEach, describe, expect, it } from 'vitest';

import { ask, drawn, untilTurn } from './support/chat-pane';
import {
  GOOD_KEY,
  startSearchService,
  type SearchService,
  type ServiceName,
} from './support/search-services';
import { stages } from './support/stages';
import { filesIn } from './support/store-files';

const stage = stages();
const services: SearchService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

async function start(name: ServiceName): Promise<SearchService> {
  const service = await startSearchService(name);
  services.push(service);
  return service;
}

const CALL = { name: 'web_search', arguments: { query: 'tea', count: '2', freshness: 'month' } };
const PAGES = [{ title: 'Growing tea', url: 'https://tea.example/', text: 'On terraces.' }];

/** The environment that leads every search to this service. */
const env = (provider: string, { origin, hostAndPort }: SearchService) => ({
  LAM_TEST_SEARCH_URLS: `other=http://127.0.0.1:9,${provider}=${origin}`,
  LAM_TEST_ALLOW_ORIGINS: hostAndPort,
});

describe('a turn with a search provider', () => {
  it.each<[ServiceName, string]>([
    ['brave', 'braveKey'],
    ['tavily', 'tavilyKey'],
    ['exa', 'exaKey'],
    ['ollama', 'ollamaKey'],
  ])('%s: by its key alone, which reaches nobody else', async (name, preference) => {
    const service = await start(name);
    service.behaviour = { does: 'find', pages: PAGES };
    const { open, model, supportPath } = await stage({
      steps: () => [{ calls: [CALL] }, { text: 'It grows on terraces [1].' }],
    });
    const pane = await open({
      preferences: { searxngUrl: '', [preference]: GOOD_KEY },
      env: env(name, service),
    });
    await ask(pane, 'How does tea grow?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).links.map(({ href }) => href)).toEqual([
      'https://tea.example/',
      'https://tea.example/',
    ]);
    expect(JSON.stringify(service.requests)).toContain(GOOD_KEY);
    const read = JSON.stringify(model.requests);
    expect(read).toContain('results for \\"tea\\"');
    expect(read.includes('freshness (month)')).toBe(name === 'ollama');
    expect(read + JSON.stringify(filesIn(supportPath))).not.toContain(GOOD_KEY);
  });

  it('Ollama without a key: through the model server', async () => {
    const { open, model } = await stage({
      dialect: 'ollama',
      routes: {
        '/api/experimental/web_search': {
          raw: {
            status: 200,
            body: JSON.stringify({
              results: [{ title: 'Growing tea', url: 'https://tea.example/', content: 'x' }],
            }),
          },
        },
      },
      steps: () => [{ calls: [CALL] }, { text: 'It grows on terraces [1].' }],
    });
    const pane = await open({ preferences: { searxngUrl: '', searchProvider: 'ollama' } });
    await ask(pane, 'How does tea grow?');
    await untilTurn(pane, 'done');
    expect(model.paths).toContain('/api/experimental/web_search');
    expect(drawn(pane).text).toContain('[1]');
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'has no key',
      { searchProvider: 'tavily' },
      "No search worked: Tavily is the Search Provider of the preferences, but no Tavily Key is set. Set the Tavily Key, or choose another Search Provider, in Lam's preferences.",
    ],
    [
      'has a wrong key',
      { searchProvider: 'tavily', tavilyKey: 'tvly-wrong-key' },
      "No search worked: Tavily does not accept the Tavily Key of the preferences. Check the Tavily Key, or choose another Search Provider, in Lam's preferences.",
    ],
  ])('that %s says so to the reader and the model', async (_, preferences, notice) => {
    const service = await start('tavily');
    const { open, model } = await stage({
      steps: () => [{ calls: [CALL] }, { text: 'I could not look it up.' }],
    });
    const pane = await open({ preferences, env: env('tavily', service) });
    await ask(pane, 'How does tea grow?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain(notice);
    expect(JSON.stringify(model.requests)).toContain(
      'The web search for \\"tea\\" failed: Tavily ',
    );
    expect(JSON.stringify(model.requests)).not.toContain('tvly-wrong-key');
  });
});
