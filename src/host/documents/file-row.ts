import * as z from 'zod/mini';

/** What the index knows of a file, whether it could be read or not. */
export const FileRowSchema = z.object({
  /** Absolute real path. */
  path: z.string().check(z.minLength(1)),
  state: z.enum(['indexed', 'skipped', 'failed']),
  /** Why it is not indexed, or what of it is left out. Foreign text may stand in it. */
  reason: z.optional(z.string()),
  /** Bytes and milliseconds since the epoch when it was read. */
  size: z.number(),
  mtimeMs: z.number(),
  title: z.string(),
  /** SHA-256 of the bytes in hex; '' when it was not read. */
  version: z.string(),
  pages: z.optional(z.number()),
  /** Stretches it has in its segment. */
  blocks: z.number(),
});
export type FileRow = z.infer<typeof FileRowSchema>;
