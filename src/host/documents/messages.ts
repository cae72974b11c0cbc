import * as z from 'zod/mini';

import { ChangesSchema, DocumentsStatusSchema } from './status';

/** What goes between the window and the thread that has the index. Both sides check it. */

const ChosenSchema = z.array(z.object({ path: z.string(), name: z.string() }));

const AskSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('search'), query: z.string() }),
  z.object({ kind: z.literal('read'), name: z.string() }),
  /** Also looks at the folders, unless that has just been done. */
  z.object({ kind: z.literal('status') }),
  /** Looks in any case, and reads again what is not in the index. Answered when that is done, which may take hours. */
  z.object({ kind: z.literal('refresh') }),
]);
export type Ask = z.infer<typeof AskSchema>;

export const QuestionSchema = z.union([
  z.object({ id: z.number(), folders: ChosenSchema, ask: AskSchema }),
  /** The question is not waited for any more. */
  z.object({ cancel: z.number() }),
]);
export type Question = z.infer<typeof QuestionSchema>;

const BlockSchema = z.object({
  id: z.string(),
  kind: z.enum(['heading', 'paragraph', 'list', 'table', 'code']),
  start: z.number(),
  end: z.number(),
  number: z.number(),
  page: z.optional(z.number()),
});

const DocumentSchema = z.object({
  name: z.string(),
  path: z.string(),
  title: z.string(),
  version: z.string(),
});

const FailureSchema = z.object({ ok: z.literal(false), message: z.string() });

export const SearchReplySchema = z.union([
  z.object({
    ok: z.literal(true),
    hits: z.array(
      z.object({
        document: DocumentSchema,
        passages: z.array(
          z.object({
            text: z.string(),
            start: z.number(),
            blocks: z.array(BlockSchema),
            score: z.number(),
          }),
        ),
      }),
    ),
    files: z.object({ indexed: z.number(), pending: z.number() }),
  }),
  FailureSchema,
]);

export const ReadReplySchema = z.union([
  z.object({
    ok: z.literal(true),
    document: DocumentSchema,
    text: z.string(),
    pages: z.optional(z.object({ total: z.number(), starts: z.array(z.number()) })),
    cut: z.optional(z.boolean()),
    blocks: z.array(BlockSchema),
  }),
  z.object({
    ok: z.literal(false),
    status: z.enum([
      'blocked',
      'needs-browser',
      'not-found',
      'refused',
      'too-large',
      'timed-out',
      'unreadable',
    ]),
    message: z.string(),
  }),
]);

export const StatusReplySchema = DocumentsStatusSchema;

/** Without changes when they are not known. */
export const RefreshReplySchema = z.object({ changes: z.optional(ChangesSchema) });

/** Said unasked: the status is another one. */
export const ChangedSchema = z.object({ changed: z.literal(true) });

export type Answer = { id: number; reply: unknown } | z.infer<typeof ChangedSchema>;
