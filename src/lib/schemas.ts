import * as z from 'zod/mini';

/** What is known about how far a source was read. Absent = unknown, as in records stored before statuses existed. */
export const SourceStatusSchema = z.enum([
  'hit',
  'read',
  'part',
  'blocked',
  'needs-browser',
  'not-found',
  'refused',
  'too-large',
  'timed-out',
  'unreadable',
]);

/** One numbered page or document of a turn. `index` is one-based. */
export const SourceSchema = z.object({
  index: z.int().check(z.positive()),
  title: z.string(),
  url: z.string(),
  kind: z.optional(z.enum(['web', 'document'])),
  status: z.optional(SourceStatusSchema),
});

/** One tool call of a turn; `sources` holds only what this call added. Absent in records stored before sources existed. */
export const ToolCallRecordSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  result: z.string(),
  isError: z.boolean(),
  sources: z.optional(z.array(SourceSchema)),
  /** What this call learned about sources, by number; folded over a turn's records by `collectSources`. */
  statuses: z.optional(z.array(z.object({ index: z.int(), status: SourceStatusSchema }))),
});

/**
 * Where a turn stands. `running` is only ever true together with a live owner in the same record;
 * `stopped` is the person's doing, `interrupted` is the launcher's, `failed` the server's.
 */
export const TurnStateSchema = z.enum(['running', 'done', 'stopped', 'failed', 'interrupted']);

export const UsageSchema = z.object({
  /** Tokens read by the model, as the server counted them. */
  inputTokens: z.optional(z.number()),
  /** Tokens written by the model, as the server counted them. */
  outputTokens: z.optional(z.number()),
});

/** One exchange: a question and what came of it. */
export const TurnSchema = z.object({
  id: z.string(),
  question: z.string(),
  /** The answer as the model wrote it; never rewritten for display. */
  response: z.string(),
  reasoning: z.optional(z.string()),
  toolCalls: z.array(ToolCallRecordSchema),
  /** Sources of earlier turns under this turn's numbers: those cited, or while the turn is not done all that were offered. */
  carried: z.optional(z.array(SourceSchema)),
  state: TurnStateSchema,
  /** One sentence a person can act on; present when `state` is `failed`. */
  error: z.optional(z.string()),
  /** One sentence about a limit that was hit; the answer is there all the same. */
  notice: z.optional(z.string()),
  model: z.optional(z.string()),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** Milliseconds since the epoch; absent while running. */
  endedAt: z.optional(z.number()),
  usage: z.optional(UsageSchema),
});

/** Who may write a conversation that has a running turn. */
export const OwnerSchema = z.object({
  launchId: z.string(),
  /** Milliseconds since the epoch of the owner's last save. */
  heartbeatAt: z.number(),
});

/** The stored form of a conversation, version 1. Read it with the row-by-row reader in `host/store`, not with this schema alone. */
export const ConversationSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  turns: z.array(TurnSchema),
  owner: z.optional(OwnerSchema),
});
