import * as z from 'zod/mini';

/** What became of a file below a chosen folder. */
const DocumentStateSchema = z.enum(['indexed', 'pending', 'skipped', 'failed']);
export type DocumentState = z.infer<typeof DocumentStateSchema>;

const DocumentFileSchema = z.object({
  /** How the model names it: the name of the folder and the path below it. Foreign text. */
  name: z.string(),
  /** Absolute real path. */
  path: z.string(),
  state: DocumentStateSchema,
  /** Why it is skipped or failed: a clause or a sentence. */
  reason: z.optional(z.string()),
  /** Bytes. */
  size: z.optional(z.number()),
  pages: z.optional(z.number()),
  /** Passages it can be found by. */
  blocks: z.optional(z.number()),
});
export type DocumentFile = z.infer<typeof DocumentFileSchema>;

export const DocumentsStatusSchema = z.object({
  state: z.enum(['idle', 'indexing']),
  /** How far the work has come; absent while files are looked for, and when idle. */
  progress: z.optional(
    z.object({
      /** Files of this run are read, or passages are compared by meaning. */
      what: z.enum(['reading', 'comparing']),
      done: z.number(),
      total: z.number(),
    }),
  ),
  counts: z.object({
    indexed: z.number(),
    skipped: z.number(),
    failed: z.number(),
    pending: z.number(),
    /** Passages that can be found. */
    blocks: z.number(),
    /** Bytes of the indexed files. */
    bytes: z.number(),
  }),
  /** Files, those with problems first, at most `MAX_STATUS_ROWS`. */
  files: z.array(DocumentFileSchema),
  /** Chosen folders of which not everything could be looked at, by their paths, each with a sentence. */
  folders: z.optional(z.array(z.object({ path: z.string(), reason: z.string() }))),
  /** One or more sentences about the index as a whole. */
  problem: z.optional(z.string()),
  /** Why documents are not found by meaning, though an embedding model is set. */
  embeddingProblem: z.optional(z.string()),
});
export type DocumentsStatus = z.infer<typeof DocumentsStatusSchema>;

/** What a look at the folders found to be other than before: numbers of files. */
export const ChangesSchema = z.object({
  added: z.number(),
  changed: z.number(),
  gone: z.number(),
});
export type Changes = z.infer<typeof ChangesSchema>;

/** Rows of a status: more than anybody scrolls through; each is a row of a list of the launcher. */
const MAX_STATUS_ROWS = 2_000;

/** Nothing chosen, nothing known. */
export const EMPTY_STATUS: DocumentsStatus = {
  state: 'idle',
  counts: { indexed: 0, skipped: 0, failed: 0, pending: 0, blocks: 0, bytes: 0 },
  files: [],
};

const ORDER: Record<DocumentState, number> = { failed: 0, pending: 1, indexed: 2, skipped: 3 };

/**
 * Failed ones first, then those still to be read, the indexed and the skipped ones; within each by folder and then by name, as
 * a list with the folder at the end of each row looks ordered.
 */
export function sortedFiles(files: readonly DocumentFile[]): DocumentFile[] {
  return files
    .map((file) => {
      const cut = file.name.lastIndexOf('/');
      return { file, folder: file.name.slice(0, cut), own: file.name.slice(cut + 1) };
    })
    .sort(
      (one, other) =>
        ORDER[one.file.state] - ORDER[other.file.state] ||
        order(one.folder, other.folder) ||
        order(one.own, other.own),
    )
    .slice(0, MAX_STATUS_ROWS)
    .map(({ file }) => file);
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** The sum of what stands in a status: sizes and passages of the indexed files, and how many there are in each state. */
export function countsOf(files: Iterable<DocumentFile>): DocumentsStatus['counts'] {
  const counts = { ...EMPTY_STATUS.counts };
  for (const { state, size = 0, blocks = 0 } of files) {
    counts[state] += 1;
    if (state !== 'indexed') continue;
    counts.blocks += blocks;
    counts.bytes += size;
  }
  return counts;
}
