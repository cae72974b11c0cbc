import * as z from 'zod/mini';

import { createPorts } from './ports';
import { createChatSession, type ChatSession, type Launch } from './session';

/** What the launcher hands to a command. `arguments` may be empty and `fallbackText` absent, depending on its version. */
const PropsSchema = z.object({
  arguments: z.optional(z.object({ question: z.optional(z.string()) })),
  fallbackText: z.optional(z.string()),
});

/** Reads how the command was opened; what does not fit counts as absent. */
export function launchOf(props: unknown): Launch {
  const parsed = PropsSchema.safeParse(props);
  if (!parsed.success) return {};
  return { question: parsed.data.arguments?.question, fallbackText: parsed.data.fallbackText };
}

let session: ChatSession | undefined;

/** The chat session of this worker, made at the first call. The launcher takes a fresh worker for every launch. */
export function openSession(): ChatSession {
  session ??= createChatSession(createPorts());
  return session;
}
