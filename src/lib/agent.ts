import { failedSearches, unreadDocuments } from './tools';
import type { FinishedTurn } from './agent/event';
import { runTurn } from './agent/loop';
import type { AgentOptions } from './agent/options';
import { createRecorder } from './agent/recorder';

export { foldTurn, type AgentEvent, type FinishedTurn } from './agent/event';
export type { AgentOptions, Attachments, ResumedTurn } from './agent/options';
/** @public */
export type { AgentPorts, HistoryTurn } from './agent/options';
export { buildSystemPrompt } from './agent/prompt';

/**
 * One turn: asks the model, runs the tools it asks for, asks again with their results, until it answers.
 *
 * Makes the turn's source list. Tells `onEvent` everything on the way, `turn-end` last. Never rejects: failures, limits and
 * the person's stop are told in the finished turn, which keeps what there was. Ends at once when `signal` fires, also when a
 * port does not.
 */
export async function runAgent(options: AgentOptions): Promise<FinishedTurn> {
  const recorder = createRecorder(options);
  try {
    const ending = await runTurn(options, recorder);
    const { toolCalls } = recorder.turn();
    const notices =
      ending.state === 'stopped'
        ? []
        : [failedSearches(toolCalls, options.ports.search.remedy), unreadDocuments(toolCalls)];
    for (const notice of notices)
      if (notice !== undefined) recorder.emit({ type: 'notice', notice });
    return recorder.finish(ending);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown error';
    const message = `Lam could not go on with this answer (${name}); ask again, and report it if it comes back.`;
    return recorder.finish({ state: 'failed', failure: { kind: 'stream-error', message } });
  }
}
