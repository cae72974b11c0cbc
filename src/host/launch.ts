import { environment } from '@vicinae/api';
import * as z from 'zod/mini';

import { createPorts } from './ports';
import { createChatSession, type ChatSession, type Launch } from './session';

/** What the launcher hands to a command. `arguments` may be empty and `fallbackText` absent, depending on its version. */
const PropsSchema = z.object({
  arguments: z.optional(
    z.object({ question: z.optional(z.string()), conversation: z.optional(z.string()) }),
  ),
  fallbackText: z.optional(z.string()),
});

/** Reads how the command was opened; what does not fit counts as absent. */
export function launchOf(props: unknown): Launch {
  const parsed = PropsSchema.safeParse(props);
  if (!parsed.success) return {};
  const { arguments: given = {}, fallbackText } = parsed.data;
  const { question, conversation = '' } = given;
  // The launcher sends '' for a field that was left empty.
  // A link that opens a conversation must not ask in it as well: it may come from a web page.
  return conversation === '' ? { question, fallbackText } : { conversation };
}

/**
 * A link that opens this conversation. The launcher hands on whatever stands in `arguments`, also what the manifest does not
 * name (its ipc-command-handler.cpp, 0.26.3).
 */
export function conversationLink(id: string): string {
  const { ownerOrAuthorName, extensionName } = environment;
  const query = encodeURIComponent(JSON.stringify({ conversation: id }));
  return `vicinae://launch/@${ownerOrAuthorName}/${extensionName}/chat?arguments=${query}`;
}

let session: ChatSession | undefined;

/** The chat session of this worker, made at the first call. The launcher takes a fresh worker for every launch. */
export function openSession(): ChatSession {
  session ??= createChatSession(createPorts());
  return session;
}
