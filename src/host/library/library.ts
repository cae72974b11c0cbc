import { existsSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod/mini';

import { createThreadClient } from '../thread-client';

/** Milliseconds of one answer. The slowest single step, reading a record of 64 MB, takes some two seconds. */
const MAX_ANSWER_MS = 15_000;

/** Megabytes of heap of the thread: several times what ten thousand conversations need (docs/performance.md). */
const HEAP_MB = 512;

const HitSchema = z.object({
  /** Of the conversation. */
  id: z.string(),
  /** The higher the better; only to be compared within one answer. */
  score: z.number(),
  /** Where in the conversation; absent when only its title was hit, and for hits far down. */
  snippet: z.optional(
    z.object({
      turnId: z.string(),
      part: z.enum(['question', 'answer']),
      /** One line around the first of the words; foreign text. */
      text: z.string(),
    }),
  ),
});

/** A conversation that was found. */
export type LibraryHit = z.infer<typeof HitSchema>;

const ReplySchema = z.union([
  z.object({
    ok: z.literal(true),
    /** Best first, at most a hundred. */
    hits: z.array(HitSchema),
    /**
     * False while the index is still being read or brought up to date: ask again, then there is more. Such an answer takes a
     * tenth of a second, so asking again at once is no burden.
     */
    complete: z.boolean(),
  }),
  /** One sentence. */
  z.object({ ok: z.literal(false), message: z.string() }),
]);

export type LibraryOutcome = z.infer<typeof ReplySchema>;

/** Full-text search in the stored conversations. */
export interface Library {
  /**
   * Finds conversations by words of their titles, questions and answers: all words, the last one as it is being typed, accents
   * and small slips aside. Without a word nothing is found, but the index is brought up to date: what was deleted leaves it.
   *
   * Never rejects, and ends at once when `signal` fires.
   */
  search(query: string, signal?: AbortSignal): Promise<LibraryOutcome>;
  /**
   * Brings an index that is there up to date, in its thread, so that nothing of what was removed stays in it. Without an index
   * it does nothing: there is nothing to remove. Never throws.
   */
  refresh(): void;
  /** Ends the thread; what still waits is answered with a failure. */
  close(): void;
}

export interface LibraryOptions {
  /** The extension's support folder. */
  supportPath: string;
  /** Folder of the generated files. */
  assetsPath: string;
}

/** What was thrown, for a sentence: the first line of it. */
const thrown = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);

/**
 * The search runs in a thread of its own, which the first one starts: it reads every conversation once, and holds an index
 * that no other part of a launch needs. A thread that dies is a failed answer; the next search starts another.
 */
export function createLibrary({ supportPath, assetsPath }: LibraryOptions): Library {
  const thread = createThreadClient({
    assetsPath,
    file: 'library.js',
    serve: 'serveLibrary',
    heapMb: HEAP_MB,
    name: 'The search',
    failed: (why) => `The conversations could not be searched: ${why}.`,
    thrown,
    endedEarly: 'the search ended early',
    begin: () => ({ settings: supportPath }),
  });

  async function search(query: string, signal?: AbortSignal): Promise<LibraryOutcome> {
    const limits = { limitMs: MAX_ANSWER_MS, signal };
    const reply = await thread.ask((id) => ({ id, query }), ReplySchema, limits);
    return reply.ok ? reply.value : reply;
  }

  return {
    search,
    refresh() {
      if (existsSync(join(supportPath, 'search'))) void search('');
    },
    close: () => {
      thread.close();
    },
  };
}
