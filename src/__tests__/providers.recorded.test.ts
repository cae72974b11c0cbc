import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';

import type { ChatEvent } from '../lib/types';
import { createAnthropicProvider } from '../host/providers/anthropic';
import { createOpenAiProvider, type ModelServer } from '../host/providers/openai';
import { startHostileServer, type HostileServer } from './support/hostile-server';
import { collect, merged, question } from './support/model-server';

const servers: HostileServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const WIRES = new URL('fixtures/wires/', import.meta.url);
const wire = (name: string): Buffer => readFileSync(new URL(`${name}.http`, WIRES));

/** Sends the bytes in pieces of `size`, each with a write of its own, and closes. */
async function replayed(name: string, bytes: Uint8Array, size: number): Promise<ModelServer> {
  const server = await startHostileServer({
    answer({ socket }) {
      socket.setNoDelay(true);
      const send = (at: number): void => {
        if (socket.destroyed) return;
        if (at >= bytes.byteLength) socket.end();
        else
          socket.write(bytes.subarray(at, at + size), () => {
            setImmediate(send, at + size);
          });
      };
      send(0);
    },
  });
  servers.push(server);
  const baseUrl = `http://${server.place}`;
  return name.startsWith('openai-')
    ? createOpenAiProvider({ baseUrl })
    : createAnthropicProvider({ baseUrl });
}

async function ask(provider: ModelServer): Promise<ChatEvent[]> {
  const request = question({ model: 'tiny' });
  return merged(await collect(provider.stream(request, new AbortController().signal)));
}

const text = (words: string): ChatEvent => ({ type: 'text-delta', text: words });
const reasoning = (words: string): ChatEvent => ({ type: 'reasoning-delta', text: words });
const usage = (inputTokens: number, outputTokens: number): ChatEvent => ({
  type: 'usage',
  usage: { inputTokens, outputTokens },
});
const end = (reason: 'stop' | 'tool-calls' | 'length'): ChatEvent => ({ type: 'end', reason });
const called: object = {
  type: 'tool-call',
  call: {
    id: expect.stringMatching(/^\w{32}$/) as string,
    name: 'web_search',
    arguments: '{"query": "why is the sea salty"}',
  },
};
const failure = (kind: string, message: RegExp): object => ({
  type: 'error',
  failure: expect.objectContaining({
    kind,
    message: expect.stringMatching(message) as string,
  }) as object,
});
const SALTY = 'The sea is salty because rivers bring it salt.';
const TOO_LONG =
  /^The conversation is too long for the model "tiny"\..*It said: “request \(\d{4} tokens\) exceeds the available context size/;
const NO_KEY = /wants an API key \(401\).*It said: “Invalid API Key”/;

const recorded: [name: string, events: object[]][] = [
  ['openai-text', [text(SALTY), usage(47, 11), end('stop')]],
  // The line breaks around the tags of the model are the server's.
  [
    'openai-reasoning',
    [reasoning('Sea water?\n'), text('\n\nRivers bring it.'), usage(47, 10), end('stop')],
  ],
  ['openai-tool-call', [called, usage(596, 14), end('tool-calls')]],
  [
    'openai-length',
    [text('wave after wave,wave after wave,wave after'), usage(47, 8), end('length')],
  ],
  ['openai-overflow', [failure('context-length', TOO_LONG)]],
  ['openai-no-key', [failure('unauthorized', NO_KEY)]],
  ['anthropic-text', [text(SALTY), usage(47, 11), end('stop')]],
  [
    'anthropic-reasoning',
    [reasoning('Sea water?\n'), text('\n\nRivers bring it.'), usage(47, 10), end('stop')],
  ],
  ['anthropic-tool-call', [called, usage(596, 14), end('tool-calls')]],
  ['anthropic-overflow', [failure('context-length', TOO_LONG)]],
  ['anthropic-no-key', [failure('unauthorized', NO_KEY)]],
];
const SIZES = { whole: Infinity, 'in sevens': 7, 'byte by byte': 1 };

describe.each(recorded)('%s, as a real server sent it', (name, events) => {
  it.each(Object.entries(SIZES))('%s', async (_, size) => {
    expect(await ask(await replayed(name, wire(name), size))).toEqual(events);
  });

  it('cut anywhere, it ends once, and what was said before is a part of the whole', async () => {
    const bytes = wire(name);
    const said = (events: readonly object[], type: string) =>
      events
        .map((event) =>
          'text' in event && 'type' in event && event.type === type ? event.text : '',
        )
        .join('');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.byteLength - 1), async (length) => {
        const cut = await ask(await replayed(name, bytes.subarray(0, length), Infinity));
        expect(cut.filter(({ type }) => type === 'end' || type === 'error')).toEqual([cut.at(-1)]);
        for (const type of ['text-delta', 'reasoning-delta'])
          expect(said(events, type).startsWith(said(cut, type))).toBe(true);
        // A call is told whole or not at all.
        for (const event of cut)
          if (event.type === 'tool-call') expect(events).toContainEqual(event);
      }),
      { numRuns: 25 },
    );
  });
});

describe('openai-models, as a real server sent it', () => {
  it.each(Object.entries(SIZES))('%s', async (_, size) => {
    const provider = await replayed('openai-models', wire('openai-models'), size);
    expect(await provider.listModels(new AbortController().signal)).toEqual({
      ok: true,
      models: [{ id: 'tiny', canSeeImages: false, contextTokens: 256 }],
    });
  });
});
