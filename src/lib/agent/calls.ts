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
import { createTurnPages, type TurnPages } from './pages';

/** What the calls of a turn share. */
export interface CallMemory {
  /** By key. */
  made: Map<string, MadeCall>;
  /** Ids the conversation knows already. */
  usedIds: Set<string>;
  /** Ids of calls whose results the model was last sent in a shortened form. */
  shortened: ReadonlySet<string>;
  /** What was read of the web. */
  pages: TurnPages;
}

/** A call that was run. */
interface MadeCall {
  id: string;
  /** How often in this turn. */
  runs: number;
  /** Undefined while it runs. */
  failed?: boolean;
}

/**
 * The memory of a turn that begins with these messages. Of a turn that is continued, the earlier calls may be made again: what
 * failed or stood on a page then may be different by now.
 */
export function createCallMemory(messages: readonly ChatMessage[]): CallMemory {
  const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  return {
    made: new Map(),
    usedIds: new Set(ids),
    shortened: new Set(),
    pages: createTurnPages(),
  };
}

export interface CallContext {
  ports: AgentPorts;
  sources: SourceList;
  signal: AbortSignal;
  memory: CallMemory;
  /** Names of the tools that may be called. */
  offered: readonly string[];
  /** The place of the first call in the turn's `toolCalls`. */
  position: number;
  emit: (event: AgentEvent) => void;
}

export interface CallsOutcome {
  /** The model's request and the results, as they go into the conversation. */
  messages: ChatMessage[];
  /** True when nothing was run because all of it had been run before. */
  onlyRepeats: boolean;
  /** How many calls did not do what was asked. */
  failures: number;
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
  const planned = plan(requested.slice(0, MAX_CALLS_ANSWERED), context);
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
  const toolPorts = { ...ports, fetchPage: memory.pages.through(ports.fetchPage) };
  const registrations = planned.map(({ call, refusal }) =>
    refusal ? Promise.resolve(refusal.register) : call.run(toolPorts, signal),
  );
  const results: ChatMessage[] = [];
  let failures = 0;
  for (const [n, { id, call }] of planned.entries()) {
    const register = await registrations[n];
    if (!register) continue;
    const { content, isError, sources: added, statuses, shown } = register(sources, ports.boundary);
    const record: ToolCallRecord = {
      name: call.name,
      arguments: call.arguments,
      result: content,
      isError,
      ...(added ? { sources: added } : {}),
      ...(statuses ? { statuses } : {}),
      ...(shown ? { shown } : {}),
    };
    emit({ type: 'call-end', record, position: position + n });
    const made = call.key === undefined ? undefined : memory.made.get(call.key);
    if (made?.id === id) made.failed = isError;
    if (isError) failures += 1;
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
    failures,
  };
}

function plan(
  requested: readonly RequestedCall[],
  { memory, offered }: Pick<CallContext, 'memory' | 'offered'>,
): PlannedCall[] {
  return requested.map(({ id, name, arguments: args }, n) => {
    const call = prepareCall(safeName(name), args, offered);
    const planned: PlannedCall = { id: uniqueId(id, memory.usedIds), call };
    if (n >= MAX_CALLS_PER_ROUND) {
      const sentence = `${call.name} was not run: at most ${MAX_CALLS_PER_ROUND} calls are run at once. Ask again for what is still needed.`;
      planned.refusal = { kind: 'too-many', register: answerWith(sentence) };
    } else if (call.key !== undefined) {
      const earlier = memory.made.get(call.key);
      if (earlier === undefined || mayRunAgain(earlier, memory))
        memory.made.set(call.key, { id: planned.id, runs: (earlier?.runs ?? 0) + 1 });
      else planned.refusal = { kind: 'repeat', register: answerWith(pointTo(call, earlier)) };
    }
    return planned;
  });
}

/** A failure may pass, so it is tried once more. A result that was shortened for the request is no longer there to be used. */
function mayRunAgain({ id, runs, failed }: MadeCall, { shortened }: CallMemory): boolean {
  return shortened.has(id) || (failed === true && runs < MAX_SAME_CALL);
}

function pointTo({ name, arguments: args }: PreparedCall, { failed }: MadeCall): string {
  const what = `${name} for ${JSON.stringify(args)}`;
  // A page that is known to be unreadable was asked for only once, however often it was called for.
  const why =
    name === 'web_fetch' ? 'the page could not be read before' : `it failed ${MAX_SAME_CALL} times`;
  return failed === true
    ? `${name} was not run again: ${why}, see the results of ${what} above. Try something else, or answer without it.`
    : `You already did this in this turn: see the result of ${what} above. It was not run again. Use it, or ask for something else.`;
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
