import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { runAgent } from '../lib/agent';
import { createSourceList } from '../lib/citations';
import { executeTool } from '../lib/tools';
import type { SearchPort } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, say, scriptedProvider } from './support/scripted-provider';
import { boundaries, smallWeb } from './support/small-web';

const Hit = z.object({ title: z.string(), url: z.string(), content: z.string() });
const Web = z.object({
  searches: z.record(z.string(), z.array(Hit)),
  pages: z.record(
    z.string(),
    z.union([z.object({ title: z.string(), text: z.string() }), z.object({ status: z.number() })]),
  ),
  /** Queries that are answered only after every other query of the row was. */
  holdUntilOthers: z.optional(z.array(z.string())),
});
const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
const Sources = z.optional(z.array(z.record(z.string(), z.unknown())));
const Row = z.discriminatedUnion('door', [
  z.object({
    door: z.literal('executeTool'),
    id: z.string(),
    why: z.string(),
    web: Web,
    oneList: z.boolean(),
    calls: z.array(
      z.extend(Call, {
        expect: z.object({
          isError: z.optional(z.boolean()),
          startsWith: z.optional(z.string()),
          contains: z.optional(z.array(z.string())),
          notContains: z.optional(z.array(z.string())),
          sources: Sources,
        }),
      }),
    ),
  }),
  z.object({
    door: z.literal('runAgent'),
    id: z.string(),
    why: z.string(),
    web: Web,
    rounds: z.array(z.union([z.object({ calls: z.array(Call) }), z.object({ text: z.string() })])),
    expect: z.object({
      toolCalls: z.array(z.object({ sources: Sources })),
      response: z.optional(z.string()),
    }),
  }),
]);

const rows = readFileSync(new URL('./fixtures/contract-tools.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Row.parse(JSON.parse(line)));

function portsOf(web: z.infer<typeof Web>) {
  const pages = Object.entries(web.pages);
  return smallWeb({
    searches: web.searches,
    pages: Object.fromEntries(
      pages.flatMap(([url, page]) => ('text' in page ? [[url, page]] : [])),
    ),
  });
}

/** Queries in `held` wait until one that is not held was answered. */
function holding(search: SearchPort, held: readonly string[]): SearchPort {
  let release: () => void = () => undefined;
  const other = new Promise<void>((resolve) => {
    release = resolve;
  });
  return async (query, signal) => {
    if (held.includes(query)) {
      await other;
      // Let whatever waits for the other call come first.
      await new Promise((resolve) => setImmediate(resolve));
    } else release();
    return search(query, signal);
  };
}

it('has all rows of the contract', () => {
  expect(rows.map(({ id }) => id)).toEqual(
    Array.from({ length: 12 }, (_, n) => `contract-${54 + n}`),
  );
});

describe.each(rows)('$id: $why', (row) => {
  it('holds', async () => {
    const ports = portsOf(row.web);
    if (row.door === 'executeTool') {
      const list = row.oneList ? { sources: createSourceList() } : {};
      const boundary = boundaries();
      for (const call of row.calls) {
        const result = await executeTool(call.name, call.arguments, {
          ...ports,
          ...list,
          boundary,
        });
        const { expect: wanted } = call;
        if (wanted.isError !== undefined) expect(result.isError).toBe(wanted.isError);
        if (wanted.startsWith !== undefined)
          expect(result.content.slice(0, wanted.startsWith.length)).toBe(wanted.startsWith);
        for (const part of wanted.contains ?? []) expect(result.content).toContain(part);
        for (const part of wanted.notContains ?? []) expect(result.content).not.toContain(part);
        if (wanted.sources) expect(result.sources ?? []).toEqual(wanted.sources);
      }
      expect.hasAssertions();
      return;
    }
    const provider = scriptedProvider(
      row.rounds.map((round) => ('calls' in round ? ask(round.calls) : say(round.text))),
    );
    const search = holding(ports.search, row.web.holdUntilOthers ?? []);
    const turn = await runAgent(agentOptions({ ports: { ...ports, search, provider } }));
    provider.assertComplete();
    if (row.expect.response !== undefined) expect(turn.response).toBe(row.expect.response);
    expect(turn.toolCalls.map(({ sources }) => ({ sources }))).toEqual(row.expect.toolCalls);
  });
});
