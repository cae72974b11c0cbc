import { describe, expect, it } from 'vitest';

import manifest from '../../package.json';
import { readPreferences } from '../host/preferences';

const defaults = {
  modelServer: 'ollama',
  address: '',
  apiKey: '',
  model: '',
  searxngUrl: '',
  extraInstructions: '',
  place: '',
  showToolCalls: false,
  showReasoning: false,
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
    ['apiKey', { secret: 'x' }, 'API Key'],
  ])('%s = %j falls back and says so', (name, value, title) => {
    const { preferences, problems } = readPreferences({ [name]: value, place: 'Bremen' });
    expect(preferences).toEqual({ ...defaults, place: 'Bremen' });
    expect(problems).toEqual([
      `The preference "${title}" holds a value Lam cannot use; the default is used.`,
    ]);
  });
});
