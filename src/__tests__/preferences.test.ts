import { describe, expect, it } from 'vitest';

import manifest from '../../package.json';
import { createRun } from '../host/session/run';
import { continueWithinMs, readPreferences } from '../host/preferences';
import { threadMarkdown, turnMarkdown } from '../lib/markdown';
import type { Turn } from '../lib/types';
import { deltas } from './support/scripted-provider';
import { desk, hasEnded, isReady, until } from './support/session-ports';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const defaults = {
  modelServer: 'ollama',
  address: '',
  apiKey: '',
  model: '',
  searchProvider: 'auto',
  searxngUrl: '',
  braveKey: '',
  tavilyKey: '',
  exaKey: '',
  ollamaKey: '',
  searchLanguage: '',
  documents: '',
  embeddingModel: '',
  extraInstructions: '',
  place: '',
  showToolCalls: false,
  showReasoning: false,
  remoteImages: false,
  evidenceLine: 'problems',
  titles: 'auto',
  continueWithin: '30',
  quoteSelection: false,
  webTools: true,
};

describe('preferences', () => {
  it.each(['Server Address', 'Model Server'])('the sentences about servers name %s', (title) => {
    expect(manifest.preferences.map((preference) => preference.title)).toContain(title);
  });

  it('say that an OpenAI-compatible server needs an address, and when changes count', () => {
    const told = manifest.preferences.map(({ description }) => description);
    expect(told[0]).toContain('count when Lam is started the next time');
    expect(told[1]).toContain('An OpenAI-compatible one needs it');
  });

  it('are those of the manifest, all of them', () => {
    const names = manifest.preferences.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...names].sort()).toEqual(Object.keys(defaults).sort());
  });

  it.each(manifest.preferences.map((preference) => [preference.name, preference] as const))(
    '%s has the default, the title and the values that Lam reads',
    (name, { title, type, required, description, ...rest }) => {
      const { preferences } = readPreferences({});
      expect(Object.entries(preferences)).toContainEqual([name, rest.default ?? '']);
      expect(required).toBe(false); // else the launcher asks for it before Lam can be opened
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(description.length).toBeLessThanOrEqual(520); // what a person reads
      expect(readPreferences({ [name]: { unusable: true } }).problems).toEqual([
        `The preference "${title}" holds a value Lam cannot use; the default is used.`,
      ]);
      expect(rest.label !== undefined).toBe(type === 'checkbox');
      if (type === 'password') expect(description).toMatch(/nowhere else|to nobody else/);
      for (const value of rest.data?.map((each) => each.value) ?? []) {
        const read = readPreferences({ [name]: value });
        expect(read.problems).toEqual([]);
        expect(Object.entries(read.preferences)).toContainEqual([name, value]);
      }
    },
  );

  it.each([{}, undefined, null, 7, 'text', []])(
    'nothing usable is set (%j): the defaults',
    (raw) => {
      expect(readPreferences(raw)).toEqual({ preferences: defaults, problems: [] });
    },
  );

  it('takes what is set, without the blanks around it', () => {
    const raw = {
      modelServer: 'openai-compatible',
      address: ' http://127.0.0.1:1234/v1 ',
      apiKey: ' key\n',
      model: 'small-model',
      showToolCalls: true,
      unknown: 'kept out',
    };
    expect(readPreferences(raw)).toEqual({
      preferences: {
        ...defaults,
        modelServer: 'openai-compatible',
        address: 'http://127.0.0.1:1234/v1',
        apiKey: 'key',
        model: 'small-model',
        showToolCalls: true,
      },
      problems: [],
    });
  });

  it.each([
    ['modelServer', 'another', 'Model Server'],
    ['model', 7, 'Model'],
    ['showReasoning', 'yes', 'Reasoning'],
    ['remoteImages', 1, 'Images'],
    ['apiKey', { secret: 'x' }, 'API Key'],
    ['searchProvider', 'google', 'Search Provider'],
    ['searchProvider', 7, 'Search Provider'],
    ['braveKey', 7, 'Brave Key'],
    ['evidenceLine', 'sometimes', 'Evidence Line'],
    ['documents', 7, 'Documents Folder'],
    ['titles', 'sometimes', 'Titles'],
    ['continueWithin', 30, 'Continue the Last Conversation'],
    ['continueWithin', '60', 'Continue the Last Conversation'],
    ['quoteSelection', 'true', 'Selected Text'],
    ['webTools', 'no', 'Web'],
    ['searchLanguage', 'German', 'Search Language'],
    ['searchLanguage', 'de/evil.example', 'Search Language'],
    ['searchLanguage', ['de'], 'Search Language'],
  ])('%s = %j falls back and says so', (name, value, title) => {
    const { preferences, problems } = readPreferences({ [name]: value, place: 'Bremen' });
    expect(preferences).toEqual({ ...defaults, place: 'Bremen' });
    expect(problems).toEqual([
      `The preference "${title}" holds a value Lam cannot use; the default is used.`,
    ]);
  });
});

it.each([
  ['30', 1_800_000],
  ['240', 14_400_000],
  ['always', Infinity],
  ['never', 0],
] as const)('the last conversation is continued within %s: %d ms', (value, ms) => {
  expect(continueWithinMs(value)).toBe(ms);
});

describe('the preferences of the search', () => {
  const provider = manifest.preferences.find(({ name }) => name === 'searchProvider');
  const KEYS = [
    ['braveKey', 'Brave Key', 'api.search.brave.com'],
    ['tavilyKey', 'Tavily Key', 'api.tavily.com'],
    ['exaKey', 'Exa Key', 'api.exa.ai'],
    ['ollamaKey', 'Ollama Key', 'ollama.com'],
  ] as const;

  it('offer what can be read, automatic first', () => {
    const values = provider?.data?.map(({ value }) => value) ?? [];
    expect(provider?.default).toBe('auto');
    expect(values[0]).toBe('auto');
    expect(new Set(values).size).toBe(8);
    for (const searchProvider of values)
      expect(readPreferences({ searchProvider })).toEqual({
        preferences: { ...defaults, searchProvider },
        problems: [],
      });
  });

  it.each(KEYS)('%s is a secret, and says who sees the questions', (name, title, host) => {
    const found = manifest.preferences.find((each) => each.name === name);
    expect(found).toMatchObject({ title, type: 'password', required: false });
    expect(found?.description).toContain(host);
    expect(readPreferences({ [name]: ' k\n' }).preferences[name]).toBe('k');
  });

  it.each(['de', 'pt-BR', ' de_DE ', 'zh-Hant-TW', ''])(
    'take the language %j',
    (searchLanguage) => {
      expect(readPreferences({ searchLanguage })).toEqual({
        preferences: { ...defaults, searchLanguage: searchLanguage.trim() },
        problems: [],
      });
    },
  );
});

describe('the preference Images', () => {
  const IMAGE = '![a chart](https://i.example/c.png)';
  const LINK = '[a chart](https://i.example/c.png)';
  const response = `See:\n\n${IMAGE}\n\n- ${IMAGE}\n\n> ${IMAGE}\n\nEnd.`;
  const turn: Turn = {
    id: 'a',
    question: 'Which chart?',
    response,
    toolCalls: [],
    state: 'done',
    startedAt: 1,
  };
  const imagesIn = (markdown: string) => markdown.split('![').length - 1;
  /** What is shown while the answer is being written, from a run as the session makes it. */
  const streamed = (images?: 'link' | 'draw'): string => {
    const run = createRun({ ...turn, response: '', state: 'running' }, { images, now: () => 0 });
    for (const text of response.match(/[\s\S]{1,7}/g) ?? []) run.take({ type: 'text-delta', text });
    return run.picture().answer;
  };

  it('is off, and says why', () => {
    const found = manifest.preferences.find(({ name }) => name === 'remoteImages');
    expect(found).toMatchObject({ title: 'Images', type: 'checkbox', default: false });
    expect(found?.description).toContain('without a click');
    expect(readPreferences({}).preferences.remoteImages).toBe(false);
    expect(readPreferences({ remoteImages: true }).preferences.remoteImages).toBe(true);
  });

  it.each([
    [undefined, 'link', LINK],
    [false, 'link', LINK],
    [true, 'draw', IMAGE],
  ])('%s reaches the chat', async (remoteImages, images, shown) => {
    const steps = [[...deltas(`${IMAGE}\n\nMore of it.`), 'hang' as const]];
    const settings = remoteImages === undefined ? {} : { remoteImages };
    const { session } = desk(tempFolder(), { steps, settings });
    await session.start({});
    await until(session, isReady);
    session.ask('Which chart?');
    const running = await until(session, (state) =>
      Boolean(state.running?.answer.includes('More')),
    );
    expect(running.running?.answer).toContain(`${shown}\n\n`);
    expect(running.images).toBe(images);
    session.stop();
    await until(session, hasEnded);
    session.close();
  });

  it.each<['link' | 'draw' | undefined, number]>([
    [undefined, 0],
    ['link', 0],
    ['draw', 1],
  ])('%s: an image is drawn at top level at most, everywhere', (images, count) => {
    const shown = [
      turnMarkdown(turn, { images }),
      turnMarkdown({ ...turn, state: 'running' }, { images }),
      threadMarkdown([turn], { images }),
      streamed(images),
    ];
    for (const markdown of shown) {
      expect(imagesIn(markdown)).toBe(count);
      expect(markdown.split(LINK).length - 1).toBe(3);
      if (count === 1) expect(markdown).toContain(`\n\n${IMAGE}\n\n`);
    }
  });
});
