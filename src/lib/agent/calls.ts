import type { SourceList } from '../citations';
import { MAX_CALLS_ANSWERED, MAX_CALLS_PER_ROUND, MAX_SAME_CALL } from '../constants';
import {
  answerWith,
  narrowScope,
  prepareCall,
  type PreparedCall,
  type Registration,
} from '../tools';
import type { ChatMessage, RequestedCall, ToolCallRecord } from '../types';
import type { AgentEvent } from './event';
import type { AgentPorts } from './options';

/** What the calls of a turn share. `made` counts calls by key; `usedIds` are the ids the conversation knows already. */
export interface CallMemory {
  made: Map<string, number>;
  usedIds: Set<string>;
}

export interface CallContext {
  ports: AgentPorts;
  sources: SourceList;
  signal: AbortSignal;
  memory: CallMemory;
  /** The place of the first call in the turn's `toolCalls`. */
  position: number;
  emit: (event: AgentEvent) => void;
}

export interface CallsOutcome {
  /** The model's request and the results, as they go into the conversation. */
  messages: ChatMessage[];
  /** True when nothing was run because all of it had been run before. */
  onlyRepeats: boolean;
}

interface PlannedCall {
  id: string;
  call: PreparedCall;
  /** Set when the loop answers instead of running the call. */
  refusal?: { kind: 'repeat' | 'too-many'; register: Registration };
}

/**
 * Runs the calls of one round in parallel and registers their results in call order, so that numbers do not depend on which
 * page answered first. Never rejects; when the signal fires, unfinished calls are recorded as stopped.
 */
export async function runCalls(
  text: string,
  requested: readonly RequestedCall[],
  context: CallContext,
): Promise<CallsOutcome> {
  const { ports, sources, signal, memory, position, emit } = context;
  const planned = plan(requested.slice(0, MAX_CALLS_ANSWERED), memory);
  sayLimits(requested.length, planned, emit);
  for (const [n, { call }] of planned.entries()) {
    const { name, arguments: args } = call;
    const scope = narrowScope(name, ports);
    emit({
      type: 'call-start',
      call: { name, arguments: args, ...(scope === undefined ? {} : { scope }) },
      position: position + n,
    });
  }
  const registrations = planned.map(({ call, refusal }) =>
    refusal ? Promise.resolve(refusal.register) : call.run(ports, signal),
  );
  const results: ChatMessage[] = [];
  for (const [n, { id, call }] of planned.entries()) {
    const register = await registrations[n];
    if (!register) continue;
    const { content, isError, sources: added, statuses } = register(sources, ports.boundary);
    const record: ToolCallRecord = {
      name: call.name,
      arguments: call.arguments,
      result: content,
      isError,
      ...(added ? { sources: added } : {}),
      ...(statuses ? { statuses } : {}),
    };
    emit({ type: 'call-end', record, position: position + n });
    results.push({ role: 'tool', toolCallId: id, toolName: call.name, content });
  }
  const toolCalls = planned.map(({ id, call }) => ({
    id,
    name: call.name,
    arguments: call.arguments,
  }));
  return {
    messages: [{ role: 'assistant', content: text, toolCalls }, ...results],
    onlyRepeats: planned.every(({ refusal }) => refusal?.kind === 'repeat'),
  };
}

function plan(requested: readonly RequestedCall[], memory: CallMemory): PlannedCall[] {
  return requested.map(({ id, name, arguments: args }, n) => {
    const call = prepareCall(safeName(name), args);
    const planned: PlannedCall = { id: uniqueId(id, memory.usedIds), call };
    if (n >= MAX_CALLS_PER_ROUND) {
      const sentence = `${call.name} was not run: at most ${MAX_CALLS_PER_ROUND} calls are run at once. Ask again for what is still needed.`;
      planned.refusal = { kind: 'too-many', register: answerWith(sentence) };
    } else if (call.key !== undefined) {
      const made = (memory.made.get(call.key) ?? 0) + 1;
      memory.made.set(call.key, made);
      if (made > MAX_SAME_CALL) {
        const sentence = `${call.name} was not run again: you have made this very call ${MAX_SAME_CALL} times. Its results stand above, for ${JSON.stringify(call.arguments)}. Use them, or ask for something else.`;
        planned.refusal = { kind: 'repeat', register: answerWith(sentence) };
      }
    }
    return planned;
  });
}

function sayLimits(
  asked: number,
  planned: readonly PlannedCall[],
  emit: (event: AgentEvent) => void,
): void {
  if (asked > MAX_CALLS_PER_ROUND)
    emit({
      type: 'notice',
      notice: `The model asked for more than ${MAX_CALLS_PER_ROUND} tool calls at once; only the first ${MAX_CALLS_PER_ROUND} were run.`,
    });
  if (planned.some(({ refusal }) => refusal?.kind === 'repeat'))
    emit({
      type: 'notice',
      notice: 'The model repeated a tool call; it was pointed to the earlier result.',
    });
}

/** The name goes back to the server with the next request, and servers refuse a whole request for other characters or a longer name. */
function safeName(name: string): string {
  return (
    name
      .trim()
      .replace(/[^\w-]/gu, '_')
      .slice(0, 64) || 'unnamed'
  );
}

/** Servers match results to calls by id; some send none, or the same one each time. */
function uniqueId(id: string, used: Set<string>): string {
  let unique = id;
  for (let n = used.size + 1; unique === '' || used.has(unique); n += 1) unique = `call-${n}`;
  used.add(unique);
  return unique;
}
