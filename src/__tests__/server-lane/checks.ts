import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import type { ChatEvent, ChatMessage, ToolSpec } from '../../lib/types';
import { createAnthropicProvider } from '../../host/providers/anthropic';
import { createOpenAiProvider, type ModelServer } from '../../host/providers/openai';
import { collect, merged, question } from '../support/model-server';

import type { LlamaServer } from './llama-server';
import type { ServerName } from './models';

type Dialect = 'openai' | 'anthropic';

/** What a check may use. */
interface Stage {
  /** Directly, or through the recorder if the check names a wire. */
  origin: string;
  server: LlamaServer;
  signal: AbortSignal;
}

/** One thing that must hold of a real server and Lam's adapter together. */
export interface Check {
  name: string;
  on: ServerName;
  /** Name of the file that keeps what the server sent. */
  wire?: string;
  run(stage: Stage): Promise<void>;
}

const KEY = 'open-sesame';
const SEARCH: ToolSpec = {
  name: 'web_search',
  description: 'Searches the web.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
  },
};
/** Far more tokens than any context here. */
const LONG: ChatMessage[] = [{ role: 'user', content: 'salt '.repeat(1_000) }];
const ROUND: ChatMessage[] = [
  { role: 'system', content: 'Answer briefly.' },
  { role: 'user', content: 'Why is the sea salty?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'call_1', name: 'web_search', arguments: { query: 'salt' } },
      { id: 'call_2', name: 'web_search', arguments: { query: 'sea' } },
    ],
  },
  { role: 'tool', toolCallId: 'call_1', toolName: 'web_search', content: '[1] Rivers' },
  { role: 'tool', toolCallId: 'call_2', toolName: 'web_search', content: '[2] Waves' },
];
/** How often the server is asked whether it still works, and milliseconds between. */
const POLLS = 100;
const POLL_MS = 50;

const provider = (dialect: Dialect, baseUrl: string, apiKey?: string): ModelServer =>
  (dialect === 'openai' ? createOpenAiProvider : createAnthropicProvider)({ baseUrl, apiKey });

async function ask(
  dialect: Dialect,
  { origin, signal }: Stage,
  request: Parameters<typeof question>[0] = {},
  apiKey?: string,
): Promise<ChatEvent[]> {
  const asked = question({ model: 'tiny', ...request });
  return merged(await collect(provider(dialect, origin, apiKey).stream(asked, signal)));
}

const kinds = (events: readonly ChatEvent[]) => events.map(({ type }) => type);
const textOf = (events: readonly ChatEvent[]) =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
const lastOf = (events: readonly ChatEvent[]) => events.at(-1);
const failureKind = (events: readonly ChatEvent[]) => {
  const last = lastOf(events);
  return last?.type === 'error' ? last.failure.kind : last;
};

function usageOf(events: readonly ChatEvent[]) {
  const found = events.find((event) => event.type === 'usage');
  assert.ok(found, 'usage is reported');
  return found.usage;
}

/** The checks that both dialects must pass in the same way. */
const inBoth = (dialect: Dialect): Check[] => [
  {
    name: 'streams text, usage and a proper end',
    on: 'sentence',
    wire: `${dialect}-text`,
    async run(stage) {
      const events = await ask(dialect, stage);
      assert.deepEqual(kinds(events), ['text-delta', 'usage', 'end']);
      assert.equal(textOf(events), 'The sea is salty because rivers bring it salt.');
      const { inputTokens, outputTokens } = usageOf(events);
      assert.ok(inputTokens !== undefined && inputTokens > 20, `${inputTokens} tokens in`);
      assert.equal(outputTokens, 11);
      assert.deepEqual(lastOf(events), { type: 'end', reason: 'stop' });
    },
  },
  {
    name: 'keeps the reasoning apart',
    on: 'thinker',
    wire: `${dialect}-reasoning`,
    async run(stage) {
      const events = await ask(dialect, stage);
      assert.deepEqual(kinds(events), ['reasoning-delta', 'text-delta', 'usage', 'end']);
      assert.equal(textOf(events).trim(), 'Rivers bring it.');
    },
  },
  {
    name: 'puts a streamed tool call together',
    on: 'caller',
    wire: `${dialect}-tool-call`,
    async run(stage) {
      const events = await ask(dialect, stage, { tools: [SEARCH] });
      assert.deepEqual(kinds(events), ['tool-call', 'usage', 'end']);
      const [call] = events;
      assert.ok(call?.type === 'tool-call');
      assert.equal(call.call.name, 'web_search');
      assert.equal(call.call.arguments, '{"query": "why is the sea salty"}');
      assert.notEqual(call.call.id, '');
      assert.deepEqual(lastOf(events), { type: 'end', reason: 'tool-calls' });
    },
  },
  {
    name: 'sends calls and results back in a form the server takes, with tools on and off',
    on: 'sentence',
    async run(stage) {
      for (const tools of [[SEARCH], []]) {
        const events = await ask(dialect, stage, { messages: ROUND, tools });
        assert.equal(textOf(events), 'The sea is salty because rivers bring it salt.');
        assert.deepEqual(lastOf(events), { type: 'end', reason: 'stop' });
      }
    },
  },
  {
    name: 'says that a conversation does not fit',
    on: 'small',
    wire: `${dialect}-overflow`,
    async run(stage) {
      const events = await ask(dialect, stage, { messages: LONG }, KEY);
      assert.deepEqual(kinds(events), ['error']);
      assert.equal(failureKind(events), 'context-length');
    },
  },
  {
    name: 'says that a key is missing or wrong',
    on: 'small',
    wire: `${dialect}-no-key`,
    async run(stage) {
      const events = await ask(dialect, stage);
      assert.equal(failureKind(events), 'unauthorized');
      assert.equal(
        failureKind(await ask(dialect, { ...stage, origin: stage.server.origin }, {}, 'closed')),
        'unauthorized',
      );
    },
  },
  {
    name: 'stops in mid-answer, and the server stops working',
    on: 'endless',
    async run({ origin, server, signal }) {
      const abort = new AbortController();
      const events: ChatEvent[] = [];
      const stream = provider(dialect, origin).stream(
        question({ model: 'tiny' }),
        AbortSignal.any([abort.signal, signal]),
      );
      for await (const event of stream) {
        events.push(event);
        if (event.type === 'text-delta') abort.abort();
      }
      assert.deepEqual(kinds(events), ['text-delta', 'error']);
      assert.equal(failureKind(events), 'aborted');
      let polls = 0;
      while (await server.isBusy()) {
        polls += 1;
        assert.ok(polls < POLLS, 'the server still works on an answer that nobody reads');
        await pause(POLL_MS);
      }
    },
  },
];

/** The server is gone after this one, so it is the last of its server. */
const killed = (dialect: Dialect): Check => ({
  name: 'says that the server died in mid-answer, and keeps what there is',
  on: 'endless',
  async run({ origin, server, signal }) {
    const events: ChatEvent[] = [];
    for await (const event of provider(dialect, origin).stream(
      question({ model: 'tiny' }),
      signal,
    )) {
      events.push(event);
      if (events.length === 1) await server.kill();
    }
    assert.ok(textOf(events).startsWith('wave'));
    assert.equal(failureKind(events), 'cut');
    const after = await collect(provider(dialect, origin).stream(question(), signal));
    assert.equal(failureKind(after), 'not-running');
  },
});

const openAiOnly: Check[] = [
  {
    name: 'says that the answer reached its limit of tokens',
    on: 'small',
    wire: 'openai-length',
    async run(stage) {
      const events = await ask('openai', stage, {}, KEY);
      assert.equal(textOf(events), 'wave after wave,wave after wave,wave after');
      assert.deepEqual(lastOf(events), { type: 'end', reason: 'length' });
    },
  },
  {
    name: 'lists the model with the context of the running server',
    on: 'small',
    wire: 'openai-models',
    async run({ origin, signal }) {
      assert.deepEqual(await provider('openai', origin, KEY).listModels(signal), {
        ok: true,
        models: [{ id: 'tiny', canSeeImages: false, contextTokens: 256 }],
      });
    },
  },
];

const anthropicOnly: Check[] = [
  {
    name: 'says that the context became full in mid-answer',
    on: 'small',
    async run(stage) {
      const events = await ask('anthropic', stage, {}, KEY);
      assert.ok(textOf(events).startsWith('wave after wave,'));
      assert.deepEqual(lastOf(events), { type: 'end', reason: 'length' });
    },
  },
];

const named = (dialect: Dialect, checks: readonly Check[]): Check[] =>
  checks.map((check) => ({ ...check, name: `${dialect}: ${check.name}` }));

/** All checks, in the order they are run. */
export const CHECKS: readonly Check[] = [
  ...named('openai', [...inBoth('openai'), ...openAiOnly]),
  ...named('anthropic', [...inBoth('anthropic'), ...anthropicOnly]),
  ...named('openai', [killed('openai')]),
  ...named('anthropic', [killed('anthropic')]),
];
