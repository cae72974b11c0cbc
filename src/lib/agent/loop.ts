import {
  carrySources,
  createSourceList,
  numberedSources,
  spentNumbers,
  type SourceList,
} from '../citations';
import { MAX_FINAL_ANSWER_MS, MAX_ROUNDS, MAX_TURN_MS } from '../constants';
import { toolSpecs } from '../tools';
import type { ChatMessage } from '../types';
import { runCalls, type CallMemory } from './calls';
import { openingMessages, withInstruction } from './conversation';
import { createDeadline } from './deadline';
import { fitResults } from './fit';
import { createJoiner } from './joiner';
import type { AgentOptions } from './options';
import { withoutTools } from './prompt';
import type { Ending, Recorder } from './recorder';
import { runRound, type Round } from './round';

/**
 * Rounds until the turn ends. The natural exits: the model answers without calls; the person stops; the server fails; the
 * time for the final answer is over.
 */
export async function runRounds(options: AgentOptions, recorder: Recorder): Promise<Ending> {
  const { ports, model, resume } = options;
  const { emit } = recorder;
  const opening = open(options, recorder);
  const { sources } = opening;
  let { messages } = opening;
  const text = createJoiner(recorder.turn().response, resume !== undefined);
  const reasoning = createJoiner(recorder.turn().reasoning ?? '', false);
  const memory: CallMemory = { made: new Map(), usedIds: idsOf(messages) };
  const listener = {
    text: (chunk: string) => {
      const added = text.push(chunk);
      if (added !== '') emit({ type: 'text-delta', text: added });
    },
    reasoning: (chunk: string) => {
      const added = reasoning.push(chunk);
      if (added !== '') emit({ type: 'reasoning-delta', text: added });
    },
    usage: (usage: NonNullable<FinishedUsage>) => {
      emit({ type: 'usage-report', usage });
    },
  };
  let tools = true;
  let toolRounds = 0;
  let nudged = false;
  let overtime = false;
  let deadline = createDeadline(options.signal, ports.after, MAX_TURN_MS);

  const answerNow = (instruction: string) => {
    tools = false;
    messages = withInstruction(messages, instruction);
  };
  /** After `deadline` fired: how the turn ends, or undefined if the model is asked once more. */
  const timeUp = (answered: boolean): Ending | undefined => {
    if (!deadline.expired()) return { state: 'stopped' };
    emit({ type: 'notice', notice: TIME_NOTICE });
    if (answered) return { state: 'done' };
    if (overtime) return { state: 'failed', failure: { kind: 'silent', message: TIME_FAILURE } };
    overtime = true;
    deadline.dispose();
    deadline = createDeadline(options.signal, ports.after, MAX_FINAL_ANSWER_MS);
    answerNow(FINAL_INSTRUCTION);
    return undefined;
  };

  try {
    for (let number = 1; ; number += 1) {
      emit({ type: 'round-start', round: number, tools });
      const request = {
        model,
        messages: fitResults(messages),
        tools: tools ? toolSpecs(ports) : [],
      };
      const round = await runRound(ports.provider, request, deadline.signal, listener);
      text.endRound();
      reasoning.endRound();
      const { ending } = round;
      const said = round.text.trim();
      if (ending.kind === 'aborted') {
        const end = timeUp(said !== '');
        if (end) return end;
        continue;
      }
      if (ending.kind === 'failed') {
        if (ending.failure.kind !== 'no-tools' || !tools || number > 1 || said !== '')
          return { state: 'failed', failure: ending.failure };
        tools = false;
        messages = [
          { role: 'system', content: withoutTools(options.system, sources.all().length > 0) },
          ...messages.slice(1),
        ];
        emit({ type: 'notice', notice: NO_TOOLS_NOTICE });
        continue;
      }
      if (!tools || round.calls.length === 0) {
        if (said === '' && !nudged && !CUT_REASONS.has(ending.reason)) {
          nudged = true;
          answerNow(NUDGE);
          continue;
        }
        const notice = endNotice(ending.reason, said);
        if (notice !== undefined) emit({ type: 'notice', notice });
        return { state: 'done' };
      }
      toolRounds += 1;
      const { length: position } = recorder.turn().toolCalls;
      const { signal } = deadline;
      const context = { ports, sources, signal, memory, position, emit };
      const outcome = await runCalls(said, round.calls, context);
      messages = [...messages, ...outcome.messages];
      if (signal.aborted) {
        const end = timeUp(false);
        if (end) return end;
      } else if (toolRounds >= MAX_ROUNDS) {
        emit({ type: 'notice', notice: ROUNDS_NOTICE });
        answerNow(FINAL_INSTRUCTION);
      } else if (outcome.onlyRepeats) {
        answerNow(FINAL_INSTRUCTION);
      }
    }
  } finally {
    deadline.dispose();
  }
}

type FinishedUsage = ReturnType<Recorder['turn']>['usage'];
type EndReason = Extract<Round['ending'], { kind: 'ended' }>['reason'];

/** The turn's list, with everything numbered that the model is going to read, and the messages it reads first. */
function open(
  options: AgentOptions,
  { emit, turn }: Recorder,
): { sources: SourceList; messages: ChatMessage[] } {
  const { system, resume } = options;
  const sources = createSourceList(numberedSources(turn()), spentNumbers(turn()));
  const { history, question, carried } = carrySources(options.history, options.question, sources);
  const before = turn().carried ?? [];
  const known = new Set(before.map(({ index }) => index));
  const offered = [...before, ...carried.filter(({ index }) => !known.has(index))];
  emit({ type: 'turn-start', carried: offered });
  const messages = openingMessages({
    system,
    history,
    carried: offered,
    question,
    ...(resume ? { resume } : {}),
  });
  return { sources, messages };
}

function idsOf(messages: readonly ChatMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
}

/** The server stopped the answer; asking again would end the same way. */
const CUT_REASONS: ReadonlySet<EndReason> = new Set(['length', 'filtered']);

function endNotice(reason: EndReason, said: string): string | undefined {
  switch (reason) {
    case 'length':
      return 'The answer reached the model’s length limit and may be incomplete.';
    case 'filtered':
      return 'The model server’s content filter cut this answer.';
    case 'stop':
    case 'tool-calls':
      return said === ''
        ? 'The model gave no answer; ask again or choose another model.'
        : undefined;
  }
}

const FINAL_INSTRUCTION =
  'No more tool calls are possible in this turn. Answer now with what you have found, and say what is missing.';
const NUDGE = 'You have not answered yet. Answer the question now, in words, without tool calls.';

const NO_TOOLS_NOTICE =
  "This model cannot call tools, so it did not search. Set another in Lam's preferences, for example qwen3.";
const ROUNDS_NOTICE = `The model used all ${MAX_ROUNDS} rounds of tool calls and was asked to answer with what it had.`;
const TURN_MINUTES = MAX_TURN_MS / 60_000;
const TIME_NOTICE = `The turn took longer than ${TURN_MINUTES} minutes and was brought to an end.`;
const TIME_FAILURE = `The model gave no answer within ${TURN_MINUTES} minutes; ask again, or choose a faster model.`;
