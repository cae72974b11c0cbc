import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { mayTitle, suggestTitle, titleFrom } from '../host/title';
import type { ModelServerKind } from '../host/preferences';
import {
  ask,
  deltas,
  failure,
  say,
  scriptedProvider,
  type ScriptStep,
} from './support/scripted-provider';

const never = () => () => undefined;

function title(step: ScriptStep, more: Partial<Parameters<typeof suggestTitle>[0]> = {}) {
  const server = scriptedProvider([step]);
  const suggested = suggestTitle({
    server,
    model: 'small',
    question: 'Why is the sea salty?',
    answer: 'Rivers carry salt into it [1].',
    signal: new AbortController().signal,
    after: never,
    ...more,
  });
  return { server, suggested };
}

describe('what a model wrote', () => {
  it.each([
    ['Salt in the Sea', 'Salt in the Sea'],
    ['  Salt in\tthe  Sea \n', 'Salt in the Sea'],
    ['Salt in the Sea.', 'Salt in the Sea'],
    ['海水为什么是咸的。', '海水为什么是咸的'],
    ['Why is the sea salty?', 'Why is the sea salty?'],
    ['And so on...', 'And so on...'],
    ['"Salt in the Sea"', 'Salt in the Sea'],
    ['“Salt in the Sea.”', 'Salt in the Sea'],
    ['„Salz im Meer“', 'Salz im Meer'],
    ['«Le sel de la mer»', 'Le sel de la mer'],
    ['「海の塩」', '海の塩'],
    ['"Yes" or "No"', '"Yes" or "No"'],
    ['**Salt in the Sea**', 'Salt in the Sea'],
    ['# Salt in the Sea', 'Salt in the Sea'],
    ['- Salt in the Sea', 'Salt in the Sea'],
    ['1. Salt in the Sea', 'Salt in the Sea'],
    ['9. Sinfonie', '9. Sinfonie'],
    ['`npm install` fails', '`npm install` fails'],
    ['[Salt](https://salt.example) in the Sea [1][2]', 'Salt in the Sea'],
    ['Title: Salt in the Sea', 'Salt in the Sea'],
    ['**Title:** "Salt in the Sea."', 'Salt in the Sea'],
    ['Titel: Salz im Meer', 'Salz im Meer'],
    ['标题：海水', '海水'],
    ['Title Case in English', 'Title Case in English'],
    ['Rust: the borrow checker', 'Rust: the borrow checker'],
    ['Here is a title:\n\nSalt in the Sea', 'Salt in the Sea'],
    ['**Title:**\nSalt in the Sea', 'Salt in the Sea'],
    ['```\nSalt in the Sea\n```', 'Salt in the Sea'],
    ['Salt in the Sea\n\nI chose this because …', 'Salt in the Sea'],
    ['<think>What is it about?</think>\n\nSalt in the Sea', 'Salt in the Sea'],
    ['It is about salt.</think>Salt in the Sea', 'Salt in the Sea'],
    ['a\u202Eb\u0007', 'ab'],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['😀'.repeat(30) + 'x'.repeat(30), '😀'.repeat(30) + 'x'.repeat(30)],
  ])('%j is the title %j', (written, expected) => {
    expect(titleFrom(written)).toBe(expected);
  });

  it.each([
    [''],
    [' \n\t'],
    ['Title:'],
    ['**Title:**'],
    ['"."'],
    ['***'],
    ['x'.repeat(61)],
    ['This exchange is about the reasons for which the water of the sea is so salty'],
    ["I'm sorry, I cannot do that"],
    ['I can’t name this'],
    ['As an AI I have no titles'],
    ["Here's your title"],
    ['<think>It never ended'],
    ['<think>'],
  ])('%j holds no title', (written) => {
    expect(titleFrom(written)).toBeUndefined();
  });

  it('is one line of at most 60 code points, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom(
              '**',
              '"',
              '“',
              '”',
              '# ',
              '\n',
              'Title: ',
              '.',
              '`',
              '[1]',
              '</think>',
            ),
          ),
          { maxLength: 12 },
        ),
        (pieces) => {
          const found = titleFrom(pieces.join(''));
          if (found === undefined) return;
          expect(Array.from(found).length).toBeLessThanOrEqual(60);
          expect(found).toMatch(/[\p{L}\p{N}]/u);
          expect(found).not.toMatch(/[\n\r]|^\s|\s$/);
          expect(titleFrom(found)).toBe(found);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('asking for a title', () => {
  it('is one short request without tools, which holds question and answer', async () => {
    const { server, suggested } = title(say('Salt in ', 'the Sea'), {
      question: `Why? ${'q'.repeat(5_000)}`,
      answer: `Because. ${'a'.repeat(5_000)}`,
    });
    expect(await suggested).toBe('Salt in the Sea');
    const [request] = server.requests;
    expect(request).toMatchObject({ model: 'small', tools: [] });
    const text = request?.messages.map(({ content }) => content).join('\n') ?? '';
    expect(text).toContain('Why? qqqq');
    expect(text).toContain('Because. aaaa');
    expect(text.length).toBeLessThan(3_200);
    server.assertComplete();
  });

  it.each<[string, ScriptStep]>([
    ['fails', [failure('server-error')]],
    ['fails in the middle', [...deltas('Salt'), failure('cut')]],
    ['calls a tool', ask([{ name: 'web_search', arguments: {} }])],
    ['is cut at a length', [...deltas('Salt in'), { type: 'end', reason: 'length' }]],
    ['never ends properly', deltas('Salt')],
    ['writes an essay', [...deltas('word '.repeat(200)), 'deaf']],
    [
      'only thinks',
      [
        { type: 'reasoning-delta', text: 'Salt' },
        { type: 'end', reason: 'stop' },
      ],
    ],
    ['throws', [new Error('torn')]],
  ])('a model that %s gives none', async (_name, step) => {
    expect(await title(step).suggested).toBeUndefined();
  });

  it.each<[string, ScriptStep]>([
    ['hangs', ['hang']],
    ['does not even obey', [...deltas('Salt'), 'deaf']],
  ])('a model that %s is given up after 15 seconds', async (_name, step) => {
    const limits: { ms: number; run: () => void }[] = [];
    const { suggested } = title(step, {
      after: (ms, run) => {
        limits.push({ ms, run });
        return () => undefined;
      },
    });
    expect(limits.map(({ ms }) => ms)).toEqual([15_000]);
    limits[0]?.run();
    expect(await suggested).toBeUndefined();
  });

  it('ends at once when the title is no longer wanted', async () => {
    const stop = new AbortController();
    const { suggested } = title(['deaf'], { signal: stop.signal });
    stop.abort();
    expect(await suggested).toBeUndefined();
  });

  it('asks nothing when it was not wanted before', async () => {
    const { server, suggested } = title(say('Salt'), { signal: AbortSignal.abort() });
    expect(await suggested).toBeUndefined();
    expect(server.requests).toHaveLength(0);
  });

  it('leaves no limit behind', async () => {
    let cancelled = 0;
    const { suggested } = title(say('Salt'), {
      after: () => () => {
        cancelled += 1;
      },
    });
    expect(await suggested).toBe('Salt');
    expect(cancelled).toBe(1);
  });
});

describe('whether a title may be asked for', () => {
  it.each<[boolean, ModelServerKind, string, string]>([
    [true, 'ollama', '', 'qwen3:4b'],
    [false, 'anthropic', '', 'claude-haiku'],
    [true, 'ollama', 'http://127.0.0.1:11434', 'qwen3'],
    [true, 'ollama', 'localhost', 'qwen3'],
    [false, 'ollama', '', 'gpt-oss:120b-cloud'],
    [false, 'ollama', '', 'glm-4.6:cloud'],
    [true, 'ollama', '', 'cloudy:7b'],
    [false, 'ollama', 'https://ollama.com', 'gpt-oss:120b'],
    [true, 'openai-compatible', 'http://127.8.9.1:1234/v1', 'm'],
    [true, 'openai-compatible', 'http://10.0.0.5:8080/v1', 'm'],
    [true, 'openai-compatible', 'http://172.16.0.1/v1', 'm'],
    [true, 'openai-compatible', 'http://172.31.255.1/v1', 'm'],
    [false, 'openai-compatible', 'http://172.32.0.1/v1', 'm'],
    [false, 'openai-compatible', 'http://172.15.0.1/v1', 'm'],
    [true, 'openai-compatible', 'http://192.168.1.20:1234/v1', 'm'],
    [false, 'openai-compatible', 'http://192.169.1.20/v1', 'm'],
    [true, 'openai-compatible', 'http://100.64.0.1/v1', 'm'],
    [true, 'openai-compatible', 'http://100.127.0.1/v1', 'm'],
    [false, 'openai-compatible', 'http://100.128.0.1/v1', 'm'],
    [false, 'openai-compatible', 'http://100.63.0.1/v1', 'm'],
    [true, 'openai-compatible', 'http://169.254.1.1/v1', 'm'],
    [true, 'openai-compatible', 'http://0x7f.1/v1', 'm'],
    [false, 'openai-compatible', 'http://8.8.8.8/v1', 'm'],
    [true, 'openai-compatible', 'http://[::1]:1234/v1', 'm'],
    [true, 'openai-compatible', 'http://[fd12:3456::1]/v1', 'm'],
    [true, 'openai-compatible', 'http://[fe80::1]/v1', 'm'],
    [false, 'openai-compatible', 'http://[2606:4700::1]/v1', 'm'],
    [false, 'openai-compatible', 'http://[fdx]/v1', 'm'],
    [true, 'openai-compatible', 'http://box.local:1234/v1', 'm'],
    [true, 'openai-compatible', 'http://server:1234/v1', 'm'],
    [true, 'openai-compatible', 'http://llm.home.arpa/v1', 'm'],
    [true, 'openai-compatible', 'http://llm.internal./v1', 'm'],
    [false, 'openai-compatible', 'http://notlocal.example/v1', 'm'],
    [false, 'openai-compatible', 'https://api.local.example/v1', 'm'],
    [false, 'openai-compatible', 'https://10.0.0.5.example/v1', 'm'],
    [false, 'openai-compatible', 'https://127.0.0.1@api.example/v1', 'm'],
    [false, 'openai-compatible', '', 'm'],
    [false, 'openai-compatible', 'ftp://127.0.0.1', 'm'],
  ])('auto: %s for %s at %j with %s', (expected, kind, address, model) => {
    expect(mayTitle('auto', { kind, address, model })).toBe(expected);
    expect(mayTitle('always', { kind, address, model })).toBe(true);
    expect(mayTitle('never', { kind, address, model })).toBe(false);
  });
});
