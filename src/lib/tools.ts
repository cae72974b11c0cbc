import { createSourceList, type SourceList } from './citations';
import { MAX_MESSAGE_CHARS } from './constants';
import type { SearchScope, ToolCallRecord, ToolSpec } from './types';
import { parseArguments } from './tools/arguments';
import { citeReminder } from './tools/numbers';
import type { ParsedCall, Registration, Tool, ToolPorts, ToolResult } from './tools/tool';
import { untilAbort } from './tools/until-abort';
import { cleanLine } from './tools/untrusted';
import { webFetch } from './tools/web-fetch';
import { searchFailure, webSearch } from './tools/web-search';

export {
  attachedName,
  attachedText,
  attachFile,
  partlyShown,
  type AttachedFile,
} from './tools/attached-file';
export { citeReminder, sourceHead } from './tools/numbers';
export { shortenResult } from './tools/shorten';
export { untilAbort } from './tools/until-abort';
export type { Registration, ToolPorts } from './tools/tool';

/**
 * The tools a model may call. A new tool is one file behind this door and one row here.
 *
 * @public
 */
export const TOOLS: readonly Tool[] = [webSearch, webFetch];

/** The table as it is described to a model that works with these ports. */
export function toolSpecs(ports: ToolPorts): ToolSpec[] {
  return TOOLS.map(({ name, describe, parameters }) => ({
    name,
    description: describe(ports),
    parameters,
  }));
}

/** What a tool's port looks through, where that is not the web. */
export function narrowScope(name: string, { search }: ToolPorts): SearchScope | undefined {
  return name === webSearch.name && search.scope !== 'web' ? search.scope : undefined;
}

/**
 * One sentence for the person if searches were made and all of them failed; the reason is the last one's.
 *
 * @param remedy what to do about it, one sentence
 */
export function failedSearches(
  calls: readonly ToolCallRecord[],
  remedy: string | undefined,
): string | undefined {
  if (calls.some(({ name, isError }) => name === webSearch.name && !isError)) return undefined;
  const reason = calls.map(searchFailure).findLast((each) => each !== undefined);
  if (reason === undefined) return undefined;
  const sentence = `No search worked: ${cleanLine(reason, MAX_REASON_CHARS)}.`;
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}

/** Code points of a reason in a notice: the pane shows 400 of the whole, and what to do comes last. */
const MAX_REASON_CHARS = 200;

/** What one call works with. Ports never reject; `boundary` gives a new random word a call. */
interface ToolContext extends ToolPorts {
  /** The turn's list. Without one a list is made for this call alone. */
  sources?: SourceList;
  signal?: AbortSignal;
  boundary: () => string;
}

/** A call that can be started. `run` never rejects and ends at once when its signal fires; the registration never throws. */
export interface PreparedCall {
  name: string;
  /** As understood; what could not be read stands under `unreadable`. */
  arguments: Record<string, unknown>;
  /** Equal for two calls that would do the same; absent if nothing would be done (unknown tool, bad arguments). */
  key?: string;
  run(ports: ToolPorts, signal: AbortSignal): Promise<Registration>;
}

/**
 * Finds the tool and reads the arguments (see `parseArguments`). Unknown tools and arguments that do not fit give a call
 * whose result says so and names the field.
 */
export function prepareCall(name: string, args: unknown): PreparedCall {
  const tool = TOOLS.find((row) => row.name === name);
  const parsed = parseArguments(args);
  const kept = parsed.ok ? parsed.fields : parsed.raw;
  if (!tool) {
    const asked = cleanLine(name, MAX_MESSAGE_CHARS);
    const known = TOOLS.map((row) => row.name).join(', ');
    return answered(name, kept, `There is no tool "${asked}". The tools are: ${known}.`);
  }
  if (!parsed.ok) return answered(name, kept, `${name} was not run. ${parsed.issue}`);
  const checked = tool.parse(parsed.fields);
  if (!checked.ok)
    return answered(name, kept, `${name} was not run. The argument ${checked.issue}.`);
  const { call } = checked;
  return {
    name,
    arguments: call.arguments,
    key: call.key,
    run: (ports, signal) => runSafely(name, call, ports, signal),
  };
}

/** A result that is only a sentence: the call did not do what was asked. Takes no number. */
export function answerWith(sentence: string): Registration {
  return (sources) => ({ content: `${sentence}\n\n${citeReminder(sources)}`, isError: true });
}

/**
 * One tool call from name and arguments to the text for the model. Never throws: every failure is a result with `isError`.
 * `args` may be an object or JSON text.
 *
 * @public
 */
export async function executeTool(
  name: string,
  args: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  const signal = context.signal ?? new AbortController().signal;
  const register = await prepareCall(name, args).run(context, signal);
  return register(context.sources ?? createSourceList(), context.boundary);
}

function answered(name: string, args: Record<string, unknown>, sentence: string): PreparedCall {
  return { name, arguments: args, run: () => Promise.resolve(answerWith(sentence)) };
}

async function runSafely(
  name: string,
  call: ParsedCall,
  ports: ToolPorts,
  signal: AbortSignal,
): Promise<Registration> {
  try {
    const register = await untilAbort(() => call.run(ports, signal), signal);
    if (register === undefined) return answerWith(`${name} was stopped before it finished.`);
    return (sources, boundary) => {
      try {
        return register(sources, boundary);
      } catch {
        return answerWith(`${name} failed: its result could not be read.`)(sources, boundary);
      }
    };
  } catch {
    return answerWith(`${name} failed for a reason it did not give.`);
  }
}
