import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createModelMemory } from '../host/model-memory';
import { serverNameOf } from '../host/server-name';
import type { ModelServerKind } from '../host/preferences';
import { dropdownModels, modelFacts, modelGroups, modelTitle } from '../views/model-names';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const named = (...ids: string[]) => ids.map((id) => ({ id }));

describe('models in a list', () => {
  it.each<[string[], Record<string, string[]>]>([
    [['qwen3:8b', 'gemma3:4b'], { Ollama: ['qwen3:8b', 'gemma3:4b'] }],
    [
      ['mistral/small', 'qwen/large', 'mistral/large'],
      { mistral: ['mistral/small', 'mistral/large'], qwen: ['qwen/large'] },
    ],
    [['mistral/small', 'mistral/large'], { Ollama: ['mistral/small', 'mistral/large'] }],
    [['mistral/small', 'plain'], { Ollama: ['mistral/small', 'plain'] }],
    [['/path/to/a.gguf', '/path/to/b.gguf'], { Ollama: ['/path/to/a.gguf', '/path/to/b.gguf'] }],
    [[], {}],
  ])('%j', (ids, groups) => {
    const found = modelGroups(named(...ids), 'Ollama');
    expect(
      Object.fromEntries(found.map(({ title, models }) => [title, models.map(({ id }) => id)])),
    ).toEqual(groups);
  });

  it.each([
    [{ id: 'a' }, 'a', []],
    [{ id: 'a', canCallTools: true, canSeeImages: true }, 'a', ['sees images']],
    [{ id: 'a', canCallTools: false, contextTokens: 131_072 }, 'a (no tools)', ['128k context']],
    [{ id: '<img src=x>' }, '‹img src=x›', []],
  ])('%j is %j', (model, title, facts) => {
    expect([modelTitle(model), modelFacts(model)]).toEqual([title, facts]);
  });

  it('a long list is cut for the dropdown, which always has the one that is asked', () => {
    const all = named(...Array.from({ length: 60 }, (_, n) => `m${n}`));
    expect(dropdownModels(all, 'm3')).toEqual({ shown: all.slice(0, 40), more: 20 });
    const { shown, more } = dropdownModels(all, 'm55');
    expect([shown[0]?.id, shown.length, more]).toEqual(['m55', 40, 20]);
    expect(dropdownModels([], 'own').shown).toEqual([{ id: 'own' }]);
    expect(dropdownModels([], '').shown).toEqual([]);
  });
});

describe('the name of the server', () => {
  it.each<[ModelServerKind, string, string]>([
    ['ollama', '', 'Ollama'],
    ['ollama', 'http://127.0.0.1:11434', 'Ollama'],
    ['ollama', 'nas.local:11434', 'Ollama at nas.local:11434'],
    ['anthropic', '', 'Anthropic'],
    ['openai-compatible', 'https://api.openai.com/v1', 'api.openai.com'],
    ['openai-compatible', 'https://me:secret@host.example/v1?key=secret', 'host.example'],
    ['openai-compatible', '', 'Model server'],
    ['openai-compatible', 'http://[', 'Model server'],
  ])('%s at %j is %j', (modelServer, address, name) => {
    expect(serverNameOf({ modelServer, address })).toBe(name);
  });
});

describe('the chosen model', () => {
  const memory = (supportPath: string, server = 'Ollama', preference = '') =>
    createModelMemory({ supportPath, server, preference });

  it('is known to the next launch, for this server and while the preference stays', () => {
    const folder = tempFolder();
    memory(folder).save('large');
    expect(memory(folder).load()).toBe('large');
    expect(memory(folder, 'Other').load()).toBe('');
    expect(memory(folder, 'Ollama', 'set since').load()).toBe('');
  });

  it('can be forgotten, also twice', () => {
    const folder = tempFolder();
    memory(folder).save('large');
    memory(folder).save('');
    memory(folder).save('');
    expect(memory(folder).load()).toBe('');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['', 'null', '{"version":2,"model":"x"}', '{"version":1,"server":7}'])(
    'a file with %j is none',
    (content) => {
      const folder = tempFolder();
      writeFileSync(join(folder, 'model.json'), content);
      expect(memory(folder).load()).toBe('');
    },
  );
});
