import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod/mini';

import { ConversationSchema } from '../../../lib/schemas';

const Reply = z.union([
  z.object({
    ok: z.literal(true),
    hits: z.array(
      z.object({
        id: z.string(),
        score: z.number(),
        snippet: z.optional(
          z.object({ turnId: z.string(), part: z.enum(['question', 'answer']), text: z.string() }),
        ),
      }),
    ),
    complete: z.boolean(),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/** What stands in the store, and how the shelf behaves. */
export const ScenarioSchema = z.object({
  /** In any order; listed newest first. */
  conversations: z.array(ConversationSchema),
  /** Ids that `recentConversations` knows; absent = all. */
  recent: z.optional(z.array(z.string())),
  problems: z.optional(
    z.array(
      z.object({
        id: z.string(),
        problem: z.string(),
        kind: z.enum(['damaged', 'unreadable']),
        path: z.optional(z.string()),
        reason: z.optional(z.string()),
      }),
    ),
  ),
  /** True = the whole list comes only when `release` has been called. */
  holdsList: z.optional(z.boolean()),
  /** Answers to a query, one after the other; the last one is repeated. Without any, nothing is found. */
  replies: z.optional(z.record(z.string(), z.array(Reply))),
  /** Methods that fail, with what they say. */
  failures: z.optional(z.record(z.string(), z.string())),
  trash: z.optional(
    z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        turns: z.number(),
        deletedAt: z.number(),
        removedAt: z.number(),
        reason: z.optional(z.string()),
      }),
    ),
  ),
  imports: z.optional(z.object({ imported: z.number(), problems: z.array(z.string()) })),
});

export type Scenario = z.infer<typeof ScenarioSchema>;

export const SCENARIO_FILE = 'scenario.json';
export const CALLS_FILE = 'calls.txt';
export const RELEASE_FILE = 'release';

/** Lets a list that a scenario holds back come. */
export function release(supportPath: string): void {
  writeFileSync(join(supportPath, RELEASE_FILE), '');
}
