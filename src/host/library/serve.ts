import type { MessagePort } from 'node:worker_threads';

import * as z from 'zod/mini';

import type { LibraryOutcome } from './library';
import { createSearch } from './search';

const QuestionSchema = z.object({ id: z.number(), query: z.string() });

/** Answers questions about the conversations below `supportPath`, one after the other; see `LibraryOutcome`. */
export function serveLibrary(port: MessagePort, supportPath: string): void {
  const library = createSearch(supportPath);
  let last = Promise.resolve();
  port.on('message', (message: unknown) => {
    const { id, query } = z.parse(QuestionSchema, message);
    last = last.then(async () => {
      const reply: LibraryOutcome = await library(query);
      port.postMessage({ id, reply });
    });
  });
}
