import { createSourceList, type SourceList } from './citations';
import { MAX_MESSAGE_CHARS } from './constants';
import type { SearchScope, ToolCallRecord, ToolSpec } from './types';
import { parseArguments } from './tools/arguments';
import { citeReminder } from './tools/numbers';
import { readDocument } from './tools/read-document';
import { failedDocumentSearches, pendingFiles, searchDocuments } from './tools/search-documents';
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
export { pathLine } from './tools/document-lines';
export { citeReminder, sourceHead } from './tools/numbers';
export { readableText } from './tools/paged';
export { shortenResult } from './tools/shorten';
export { untilAbort } from './tools/until-abort';
export type { DocumentFolder, Registration, ToolPorts } from './tools/tool';

/**
 * The tools a model may call. A new tool is one file behind this door and one row here.
 *
 * @public
 */
export const TOOLS: readonly Tool[] = [webSearch, webFetch, searchDocuments, readDocument];

/**
 * The table as it is described to a model that works with these ports: without the tools that have nothing to work on.
 *
 * @param options `web`: false = nothing is searched on or read from the web
 */
export function toolSpecs(ports: ToolPorts, { web = true } = {}): ToolSpec[] {
  return TOOLS.filter(({ reads }) => (reads === 'web' ? web : ports.documents !== undefined)).map(
    ({ name, describe, parameters }) => ({ name, description: describe(ports), parameters }),
  );
}

/** What a tool's port looks through, where that is not the web. */
export function narrowScope(name: string, { search }: ToolPorts): SearchScope | undefined {
  return name === webSearch.name && search.scope !== 'web' ? search.scope : undefined;
}

/**
 * What the person is told if searches were made, of the web or of their documents, and all of them failed; the reasons are
 * the last ones'.
 *
 * @param remedy what to do about the search of the web, one sentence
 */
export function failedSearches(
  calls: readonly ToolCallRecord[],
  remedy: string | undefined,
): string | undefined {
  const sentences = [failedDocumentSearches(calls), failedWebSearches(calls, remedy)];
  return sentences.filter((each) => each !== undefined).join(' ') || undefined;
}

/** What the person is told if the last search of their documents was made while files were still being read. */
export function unreadDocuments(calls: readonly ToolCallRecord[]): string | undefined {
  const last = calls.findLast(({ name }) => name === searchDocuments.name);
  const pending = last === undefined ? 0 : pendingFiles(last);
  if (pending === 0) return undefined;
  const files = pending === 1 ? '1 document was' : `${pending} documents were`;
  return `${files} still to be read when this was looked up; ask again in a while.`;
}

function failedWebSearches(
  calls: readonly ToolCallRecord[],
  remedy: string | undefined,
): string | undefined {
  if (calls.some(({ name, isError }) => name === webSearch.name && !isError)) return undefined;
  const reason = calls.map(searchFailure).findLast((each) => each !== undefined);
  if (reason === undefined) return undefined;
  const search = calls.some(({ name }) => name === searchDocuments.name) ? 'web search' : 'search';
  const sentence = `No ${search} worked: ${cleanLine(reason, MAX_REASON_CHARS)}.`;
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
 *
 * @param offered names of the tools that the model may call, the others are answered as not available; absent = the whole table
 */
export function prepareCall(
  name: string,
  args: unknown,
  offered: readonly string[] = TOOLS.map((row) => row.name),
): PreparedCall {
  const tool = TOOLS.find((row) => row.name === name);
  const parsed = parseArguments(args);
  const kept = parsed.ok ? parsed.fields : parsed.raw;
  if (!tool || !offered.includes(name)) {
    const asked = cleanLine(name, MAX_MESSAGE_CHARS);
    const lead = tool ? `${name} is not available` : `There is no tool "${asked}"`;
    return answered(name, kept, `${lead}. The tools are: ${offered.join(', ')}.`);
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
  const offered = toolSpecs(context).map((spec) => spec.name);
  const register = await prepareCall(name, args, offered).run(context, signal);
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
