import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';

import * as z from 'zod/mini';

import { createDocumentIndex, type DocumentIndex } from './document-index';
import { createEmbedder } from './embedding';
import { createExtractor } from './extract';
import { QuestionSchema, type Answer, type Ask } from './messages';
import { readPath } from './read-path';
import { createSemantic } from './semantic';
import { walk } from './walk';

/** Milliseconds between two words about progress: a window draws no faster. */
const NEWS_MS = 250;

const SettingsSchema = z.object({
  supportPath: z.string(),
  assetsPath: z.string(),
  token: z.string(),
  embedding: z.optional(
    z.object({
      kind: z.enum(['ollama', 'openai-compatible', 'anthropic']),
      address: z.string(),
      apiKey: z.string(),
      model: z.string(),
    }),
  ),
});

/** Answers questions about the documents, each as soon as it can; see `Question` and `Answer`. */
export function serveDocuments(port: MessagePort, given: unknown): void {
  const { supportPath, assetsPath, token, embedding } = z.parse(SettingsSchema, given);
  const folder = join(supportPath, 'documents');
  const say = (answer: Answer): void => {
    port.postMessage(answer);
  };
  const onChange = throttled(() => {
    say({ changed: true });
  });
  const index = createDocumentIndex({
    folder,
    token,
    walk: (folders, signal) => walk(folders, signal, { without: supportPath }),
    extract: createExtractor({ assetsPath }),
    readPath: (folders, name) => readPath(folders, name, { without: supportPath }),
    ...(embedding === undefined
      ? {}
      : {
          semantic: createSemantic({
            folder,
            token,
            model: embedding.model,
            embed: createEmbedder(embedding),
            onChange,
          }),
        }),
    onChange,
  });
  const asked = new Map<number, AbortController>();
  port.on('message', (message: unknown) => {
    const question = z.parse(QuestionSchema, message);
    if ('cancel' in question) {
      asked.get(question.cancel)?.abort();
      return;
    }
    const { id, folders, ask } = question;
    const controller = new AbortController();
    asked.set(id, controller);
    index.setFolders(folders);
    void answer(index, ask, controller.signal).then((reply) => {
      asked.delete(id);
      say({ id, reply });
    });
  });
}

async function answer(index: DocumentIndex, ask: Ask, signal: AbortSignal): Promise<unknown> {
  switch (ask.kind) {
    case 'search':
      return await index.search(ask.query, signal);
    case 'read':
      return await index.read(ask.name, signal);
    case 'status':
      if (!index.isFollowing()) void index.update();
      return index.status();
    case 'refresh': {
      // What a look that is under way has found is told to nobody.
      const { state, progress } = index.status();
      const isAlone = state === 'idle' || progress?.what === 'comparing';
      await index.update(true);
      return isAlone ? { changes: index.changes() } : {};
    }
  }
}

/** Calls at once, and again `NEWS_MS` later if it was asked to meanwhile. */
function throttled(call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const tick = (): void => {
    timer = undefined;
    if (!isDue) return;
    isDue = false;
    call();
    timer = setTimeout(tick, NEWS_MS);
  };
  return () => {
    isDue = true;
    if (timer === undefined) tick();
  };
}
