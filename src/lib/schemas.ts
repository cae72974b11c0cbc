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
  /** Of a local document: SHA-256 of its bytes when they were read, in hex. Another one now = the file has changed since. */
  version: z.optional(z.string()),
  /** When the page says it was published: `2026-03-14`, or a service's own words (`3 days ago`). */
  date: z.optional(z.string()),
});

/**
 * A stretch of a source's text in a call's result: what the model was shown of it. One row a block, or part of a block where
 * the shown text begins or ends inside one. Offsets and lengths are UTF-16 units.
 */
export const ShownSchema = z.object({
  /** Number of the source. */
  index: z.int().check(z.positive()),
  /** Where it stands in `result`. */
  at: z.int().check(z.nonnegative()),
  length: z.int().check(z.positive()),
  /** Where it stands in the readable text of the source; absent for the lines of a search row, whose page was not read. */
  start: z.optional(z.int().check(z.nonnegative())),
  /** Id of the block, see `Block`. */
  block: z.optional(z.string()),
  /** Place of the block in its document, from 1. */
  number: z.optional(z.int().check(z.positive())),
  /** Of a source that has pages, from 1. */
  page: z.optional(z.int().check(z.positive())),
  /** As the source has it, where the text was made harmless for the model (`[1]` at a line's beginning, and the like). */
  original: z.optional(z.string()),
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
  /** Which texts of which sources stand in `result`. Absent in records stored before evidence existed. */
  shown: z.optional(z.array(ShownSchema)),
});

/**
 * A passage behind a citation, as it was when the answer was written: a copy, not a reference. What becomes of the file or
 * the page later changes nothing in it. Offsets are UTF-16 units.
 */
export const EvidenceSchema = z.object({
  /** Number of the source in the answer. */
  index: z.int().check(z.positive()),
  /** What tells the document or page from others: the path of a document, the key of an address (`pageKey`). */
  id: z.string().check(z.minLength(1)),
  title: z.string(),
  url: z.string(),
  kind: z.optional(z.enum(['web', 'document'])),
  /** See `Source.version`. */
  version: z.optional(z.string()),
  /** From 1; absent for sources without pages. */
  page: z.optional(z.int().check(z.positive())),
  /** Last page of a passage that goes over several; absent = `page`. */
  pageEnd: z.optional(z.int().check(z.positive())),
  /** Ids of the blocks it stands in, in order; empty for the lines of a search row. */
  blocks: z.array(z.string()),
  /** Place of the first block in its document, from 1. */
  number: z.optional(z.int().check(z.positive())),
  /** Where `quote` begins in the readable text of the source; absent for the lines of a search row. */
  start: z.optional(z.int().check(z.nonnegative())),
  /** Where the whole passage ends there, also when `quote` was cut. */
  end: z.optional(z.int().check(z.nonnegative())),
  /** The words of the source, verbatim, at most `MAX_EVIDENCE_QUOTE_CHARS`. */
  quote: z.string(),
  /** True when the passage goes on behind `quote`. */
  cut: z.optional(z.boolean()),
  /** How close the passage is to the sentence, 0 to 1 (docs/evidence.md); 1 for one that holds a quotation word for word. */
  score: z.number(),
  /** Where the markers it stands behind begin in the answer as the model wrote it. */
  markers: z.array(z.int().check(z.nonnegative())),
  /** The text directive that opens a web page at the passage (`text=…`), without `#:~:`. */
  fragment: z.optional(z.string()),
});

/** What a direct quotation beside a marker turned out to be. Only `exact` is ever called verified. */
export const QuoteStatusSchema = z.enum(['exact', 'close', 'not-found', 'not-kept']);

/** A direct quotation of the answer that was looked for in what was read of its source. Offsets are UTF-16 units of the answer. */
export const QuoteCheckSchema = z.object({
  /** Where the quoted words begin, behind the quotation mark. */
  start: z.int().check(z.nonnegative()),
  /** Where they end, before the quotation mark. */
  end: z.int().check(z.nonnegative()),
  /** Where the marker begins whose sources were looked through. */
  marker: z.int().check(z.nonnegative()),
  /** Number of the source it was found in, or of the first one looked through. */
  index: z.int().check(z.positive()),
  status: QuoteStatusSchema,
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

/**
 * A file that was asked about. The text of a document is kept in the tool call record that read it; of an image Lam keeps a
 * copy of its own, because the file may be gone when the question is asked again.
 */
export const AttachmentSchema = z.object({
  kind: z.enum(['text', 'pdf', 'image']),
  /** File name, as it is shown. */
  name: z.string(),
  /** Absolute path the file had when it was attached. */
  path: z.string(),
  /** Bytes of the file. */
  size: z.number(),
  /** Of an image: `image/png` and the like. */
  mediaType: z.optional(z.string()),
  /** Of an image: the name of Lam's copy among the conversation's attachments. */
  copy: z.optional(z.string()),
});

/** One exchange: a question and what came of it. */
export const TurnSchema = z.object({
  id: z.string(),
  question: z.string(),
  /**
   * Id of the turn this one follows; '' = it begins the conversation; absent = it follows the turn before it in the list.
   * Two turns that follow the same one are variants of each other.
   */
  parent: z.optional(z.string()),
  attachments: z.optional(z.array(AttachmentSchema)),
  /** False = asked without searching or reading the web. */
  web: z.optional(z.boolean()),
  /** The answer as the model wrote it; never rewritten for display. */
  response: z.string(),
  reasoning: z.optional(z.string()),
  toolCalls: z.array(ToolCallRecordSchema),
  /** Sources of earlier turns under this turn's numbers: those cited, or while the turn is not done all that were offered. */
  carried: z.optional(z.array(SourceSchema)),
  state: TurnStateSchema,
  /** One sentence a person can act on; present when `state` is `failed`. */
  error: z.optional(z.string()),
  /** What kind of failure `error` tells of (a `FailureKind`), for what can be done about it. */
  failureKind: z.optional(z.string()),
  /** One sentence about a limit that was hit; the answer is there all the same. */
  notice: z.optional(z.string()),
  /** True when the answer ended at the length the model may write: it can be continued. */
  cut: z.optional(z.boolean()),
  /** The passages behind the citations, found when the turn ended. Absent = none were looked for; empty = none are clearly close. */
  evidence: z.optional(z.array(EvidenceSchema)),
  /** What became of the direct quotations beside markers. */
  quotes: z.optional(z.array(QuoteCheckSchema)),
  model: z.optional(z.string()),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** Milliseconds since the epoch; absent while running. */
  endedAt: z.optional(z.number()),
  usage: z.optional(UsageSchema),
});

/** Who may write a conversation that has a running turn. */
const OwnerSchema = z.object({
  launchId: z.string(),
  /** Milliseconds since the epoch of the owner's last save. */
  heartbeatAt: z.number(),
});

/**
 * The stored form of a conversation, version 2. Read it with the row-by-row reader in `host/store`, not with this schema
 * alone. Version 1 had no variants: there every turn follows the one before it.
 */
export const ConversationSchema = z.object({
  version: z.literal(2),
  id: z.string(),
  title: z.string(),
  /** Who made the title; absent = it is the first question. A person's is never replaced, a model's is asked for once. */
  titledBy: z.optional(z.enum(['person', 'model'])),
  /** Kept on top of the list. */
  pinned: z.optional(z.boolean()),
  /** Id of the last turn of the variant that is shown; absent = the last turn of the list. */
  head: z.optional(z.string()),
  createdAt: z.number(),
  updatedAt: z.number(),
  turns: z.array(TurnSchema),
  owner: z.optional(OwnerSchema),
});
