import { describe, expect, it } from 'vitest';

import { createModelServer } from '../host/providers/server';
import { FIRST_MODEL, remedyFor, type Remedy, type RemedySettings } from '../host/setup/first-run';
import type { FailureKind } from '../lib/types';

const OLLAMA: RemedySettings = { modelServer: 'ollama', address: '', model: '' };
const OPENAI: RemedySettings = { ...OLLAMA, modelServer: 'openai-compatible' };
const ANTHROPIC: RemedySettings = { ...OLLAMA, modelServer: 'anthropic' };

const KINDS: FailureKind[] = [
  'not-running',
  'wrong-address',
  'unauthorized',
  'model-not-found',
  'no-model',
  'no-tools',
  'rate-limited',
  'context-length',
  'bad-request',
  'server-error',
  'not-json',
  'not-a-stream',
  'stream-error',
  'cut',
  'silent',
  'empty',
  'aborted',
];

describe('what a newcomer is told', () => {
  it.each<[string, FailureKind, RemedySettings, Partial<Remedy>]>([
    [
      'Ollama on this machine does not run',
      'not-running',
      OLLAMA,
      {
        title: 'Ollama is not running',
        description:
          'It failed. Not installed yet? Get it at ollama.com/download, then a model with `ollama pull qwen3:4b`.',
        command: 'ollama serve',
        actions: ['checkServer', 'copyCommand', 'preferences'],
      },
    ],
    [
      'the same by its address',
      'not-running',
      { ...OLLAMA, address: 'http://localhost:11434' },
      { command: 'ollama serve' },
    ],
    [
      'Ollama elsewhere does not run: it cannot be started from here',
      'not-running',
      { ...OLLAMA, address: 'http://192.168.1.9:11434' },
      { title: 'No model server answers', description: 'It failed.', command: undefined },
    ],
    [
      'another server does not run',
      'not-running',
      { ...OPENAI, address: 'http://127.0.0.1:1234/v1' },
      { command: undefined, actions: ['checkServer', 'preferences'] },
    ],
    [
      'Ollama has no model',
      'no-model',
      OLLAMA,
      {
        title: 'Ollama has no model yet',
        command: `ollama pull ${FIRST_MODEL}`,
        actions: ['copyCommand', 'checkServer', 'preferences'],
      },
    ],
    ['another server has no model', 'no-model', OPENAI, { command: undefined }],
    [
      'the model is not there',
      'model-not-found',
      { ...OLLAMA, model: 'hf.co/some/model:Q4_K_M' },
      { command: 'ollama pull hf.co/some/model:Q4_K_M' },
    ],
    [
      'the model has a name that a shell would act on',
      'model-not-found',
      { ...OLLAMA, model: 'x$(reboot)' },
      { command: undefined, actions: ['preferences', 'checkServer'] },
    ],
    [
      'Anthropic wants a key',
      'unauthorized',
      ANTHROPIC,
      {
        description: 'It failed. Keys are made at console.anthropic.com/settings/keys.',
        actions: ['preferences', 'checkServer'],
      },
    ],
    [
      'OpenRouter wants a key',
      'unauthorized',
      { ...OPENAI, address: 'https://OpenRouter.ai/api/v1' },
      { description: 'It failed. Keys are made at openrouter.ai/settings/keys.' },
    ],
    [
      'a server that only looks like OpenAI wants a key',
      'unauthorized',
      { ...OPENAI, address: 'https://api.openai.com@llm.example/v1' },
      { description: 'It failed.' },
    ],
    [
      'no address is set',
      'wrong-address',
      OPENAI,
      {
        description:
          'It failed. Usual addresses: LM Studio http://127.0.0.1:1234/v1, llama.cpp http://127.0.0.1:8080/v1, OpenRouter https://openrouter.ai/api/v1.',
        actions: ['preferences', 'checkServer'],
      },
    ],
    [
      'the address is wrong',
      'not-json',
      { ...OPENAI, address: 'https://shop.example' },
      { title: 'No model server at this address', description: 'It failed.' },
    ],
  ])('%s', (_name, kind, settings, expected) => {
    const remedy = remedyFor({ kind, message: 'It failed.' }, settings);
    expect({ command: undefined, ...remedy }).toMatchObject(expected);
  });

  it.each(KINDS)(
    'a failure of the kind %s says what the server says, and offers to look again',
    (kind) => {
      for (const settings of [OLLAMA, OPENAI, ANTHROPIC]) {
        const remedy = remedyFor({ kind, message: 'It failed.' }, settings);
        expect(remedy.description.startsWith('It failed.')).toBe(true);
        expect(remedy.actions).toContain('checkServer');
        expect(remedy.actions.includes('copyCommand')).toBe(remedy.command !== undefined);
        expect(new Set(remedy.actions).size).toBe(remedy.actions.length);
        const own = remedyFor({ kind, message: 'It failed.', title: 'Its own title' }, settings);
        expect(own.title).toBe('Its own title');
      }
    },
  );

  it('the sentence about a missing model names the model of the command', () => {
    const { chooseModel } = createModelServer({ kind: 'ollama', address: '', apiKey: '' });
    const chosen = chooseModel([]);
    const failure = chosen.ok ? undefined : chosen.failure;
    expect(failure?.message).toContain(`\`ollama pull ${FIRST_MODEL}\``);
  });

  it('fits under a title of the empty window', () => {
    const { chooseModel } = createModelServer({ kind: 'ollama', address: '', apiKey: '' });
    const chosen = chooseModel([]);
    if (chosen.ok) throw new Error('There is no model to choose.');
    for (const settings of [OLLAMA, OPENAI, ANTHROPIC])
      expect(remedyFor(chosen.failure, settings).description.length).toBeLessThan(500);
  });
});
