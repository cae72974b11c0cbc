import * as z from 'zod/mini';

import type { AgentOptions, FinishedTurn } from '../lib/agent';
import { fromAsset } from './asset-file';

/** One turn, as `runAgent` of `lib/agent` does it. */
export type RunAgent = (options: AgentOptions) => Promise<FinishedTurn>;

const FileSchema = z.object({
  runAgent: z.custom<RunAgent>((value) => typeof value === 'function'),
});

/**
 * The agent loop, which stands in `assets/agent.js` with the tools: a launch without a question does not need it. Without a usable file the turn has failed, says what to do, and keeps what there was.
 */
export function lazyAgent(assetsPath: string): RunAgent {
  return async (options) => {
    const loaded = fromAsset(assetsPath, 'agent.js', FileSchema, ({ runAgent }) => runAgent);
    if (loaded.ok) return await loaded.value(options);
    const { failure } = loaded;
    const { response = '', toolCalls = [] } = options.resume ?? {};
    return {
      response,
      toolCalls: [...toolCalls],
      state: 'failed',
      error: failure.message,
      failure,
      endedAt: options.ports.now(),
    };
  };
}
