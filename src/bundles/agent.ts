import { cleanName } from '../host/documents/document-name';
import { runAgent as run, type AgentOptions, type FinishedTurn } from '../lib/agent';

/** One turn, as `runAgent` of `lib/agent` does it, with names of documents as the tools write them. */
export function runAgent(options: AgentOptions): Promise<FinishedTurn> {
  return run({ ...options, ports: { ...options.ports, cleanName } });
}
