import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  citedIndices,
  collectSources,
  createSourceList,
  linkCitations,
  renderSources,
} from '../lib/citations';
import { buildThreadMarkdown, sessionToPlainText } from '../lib/markdown';
import { renderModelOutput } from '../lib/render';
import { SourceSchema, ToolCallRecordSchema } from '../lib/schemas';

import { readCases } from './support/cases';

const Adds = z.array(z.tuple([z.string(), z.string()]));
const Sources = z.array(SourceSchema);
const Text = z.object({
  text: z.optional(z.string()),
  equals: z.optional(z.string()),
  contains: z.optional(z.array(z.string())),
  notContains: z.optional(z.array(z.string())),
  cited: z.optional(z.array(z.number())),
});
const Message = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  toolCalls: z.optional(z.array(ToolCallRecordSchema)),
  isStreaming: z.optional(z.boolean()),
});
const CopiedTurn = z.object({
  question: z.string(),
  response: z.string(),
  toolCalls: z.array(ToolCallRecordSchema),
  error: z.optional(z.string()),
});
const head = { id: z.string(), why: z.string() };
const Row = z.discriminatedUnion('fn', [
  z.object({
    ...head,
    fn: z.literal('createSourceList'),
    given: z.object({ adds: z.optional(Adds), lists: z.optional(z.array(Adds)) }),
    expect: z.object({ returns: z.array(z.unknown()) }),
  }),
  z.object({
    ...head,
    fn: z.literal('collectSources'),
    given: z.object({ calls: z.array(ToolCallRecordSchema) }),
    expect: Sources,
  }),
  z.object({
    ...head,
    fn: z.literal('citedIndices'),
    given: z.object({ answer: z.string(), sources: Sources }),
    expect: z.array(z.number()),
  }),
  z.object({
    ...head,
    fn: z.literal('linkCitations'),
    given: z.object({ text: z.string(), sources: Sources }),
    expect: Text,
  }),
  z.object({
    ...head,
    fn: z.literal('renderSources'),
    given: z.object({ sources: Sources, cited: z.array(z.number()), streaming: z.boolean() }),
    expect: z.string(),
  }),
  z.object({
    ...head,
    fn: z.literal('renderModelOutput'),
    given: z.object({ markdown: z.string(), options: z.object({ sources: z.optional(Sources) }) }),
    expect: Text,
  }),
  z.object({
    ...head,
    fn: z.literal('buildThreadMarkdown'),
    given: z.object({
      messages: z.array(Message),
      options: z.optional(z.object({ showToolCalls: z.boolean(), showReasoning: z.boolean() })),
    }),
    expect: Text,
  }),
  z.object({
    ...head,
    fn: z.literal('sessionToPlainText'),
    given: z.object({ turns: z.array(CopiedTurn) }),
    expect: Text,
  }),
]);

/** Every field of `expected` is checked; a row without any would prove nothing and fails. */
function expectText(expected: z.output<typeof Text>, text: string, cited?: Set<number>): void {
  expect(Object.keys(expected).length).toBeGreaterThan(0);
  const exact = expected.text ?? expected.equals;
  if (exact !== undefined) expect(text).toBe(exact);
  for (const part of expected.contains ?? []) expect(text).toContain(part);
  for (const part of expected.notContains ?? []) expect(text).not.toContain(part);
  if (expected.cited) expect([...(cited ?? [])].sort((a, b) => a - b)).toEqual(expected.cited);
}

const addAll = (adds: z.output<typeof Adds>): unknown[] => {
  const list = createSourceList();
  return adds.map(([title, url]) => list.add(title, url));
};

describe('the doors of the core keep their contract', () => {
  it.each(readCases('contract-core.jsonl', Row).map((row) => [row.id, row.why, row] as const))(
    '%s: %s',
    (_id, _why, row) => {
      switch (row.fn) {
        case 'createSourceList':
          if (row.given.lists) expect(row.given.lists.map(addAll)).toEqual(row.expect.returns);
          else expect(addAll(row.given.adds ?? [])).toEqual(row.expect.returns);
          return;
        case 'collectSources':
          expect(collectSources(row.given.calls)).toEqual(row.expect);
          return;
        case 'citedIndices':
          expect(
            [...citedIndices(row.given.answer, row.given.sources)].sort((a, b) => a - b),
          ).toEqual(row.expect);
          return;
        case 'linkCitations': {
          const { text, cited } = linkCitations(row.given.text, row.given.sources);
          expectText(row.expect, text, cited);
          return;
        }
        case 'renderSources':
          expect(renderSources(row.given.sources, row.given.cited, row.given.streaming)).toBe(
            row.expect,
          );
          return;
        case 'renderModelOutput': {
          const { text, cited } = renderModelOutput(row.given.markdown, row.given.options);
          expectText(row.expect, text, cited);
          return;
        }
        case 'buildThreadMarkdown':
          expectText(row.expect, buildThreadMarkdown(row.given.messages, row.given.options));
          return;
        case 'sessionToPlainText':
          expectText(row.expect, sessionToPlainText(row.given.turns));
      }
    },
  );
});
