import type * as z from 'zod/mini';

import type { SourceList } from '../citations';
import type {
  DocumentsPort,
  PagePort,
  SearchPort,
  Shown,
  Source,
  SourceStatus,
  ToolSpec,
} from '../types';

/** What a call gives back: text for the model, and what it added to the turn's source list. */
export interface ToolResult {
  /** What the model reads. */
  content: string;
  /** True when the call did not do what was asked; the text says why. */
  isError: boolean;
  /** Only what this call added to the list; absent when nothing. */
  sources?: Source[];
  /** What this call learned about numbered sources; absent when nothing. */
  statuses?: { index: number; status: SourceStatus }[];
  /** Which texts of which sources stand in `content`; absent when none. */
  shown?: Shown[];
}

/** A folder whose documents may be searched and read. */
export interface DocumentFolder {
  /** Absolute real path. Never told to the model. */
  path: string;
  /** What its documents' names begin with. */
  name: string;
  /** Why nothing of it can be read now; absent = it can. */
  problem?: string;
}

/** The effects a tool may use. */
export interface ToolPorts {
  search: SearchPort;
  fetchPage: PagePort;
  /** Absent = the person has chosen no folder. */
  documents?:
    | (DocumentsPort & {
        /** The chosen folders as they are now; absent = not known. Never throws. */
        folders?: () => readonly DocumentFolder[];
      })
    | undefined;
}

/**
 * The second half of a call: takes numbers and writes the text. Pure but for the list, so that the loop can run calls in
 * parallel and still register them in call order.
 */
export type Registration = (sources: SourceList, boundary: () => string) => ToolResult;

/** What a tool works on: the web, or the documents in the folders that the person chose. */
type Reads = 'web' | 'documents';

/** One row of the tool table. */
export interface Tool extends Omit<ToolSpec, 'description'> {
  reads: Reads;
  /** What the model is told of the tool, which may depend on what its port can do. */
  describe: (ports: ToolPorts) => string;
  /** Checks arguments that are already an object. `issue` names the field that does not fit. */
  parse(
    args: Record<string, unknown>,
  ): { ok: true; call: ParsedCall } | { ok: false; issue: string };
}

/** A call whose arguments fit. */
export interface ParsedCall {
  /** The arguments as understood: known fields only, aliases resolved. */
  arguments: Record<string, unknown>;
  /** Equal for two calls that would do the same. */
  key: string;
  /** The effects. May reject if a port breaks its contract; the caller catches. */
  run(ports: ToolPorts, signal: AbortSignal): Promise<Registration>;
}

interface ToolDefinition<Input extends Record<string, unknown>, Outcome> extends Omit<
  ToolSpec,
  'description'
> {
  reads: Reads;
  describe: (ports: ToolPorts) => string;
  schema: z.ZodMiniType<Input>;
  /** Other names seen for a field; used only when the field itself is absent. */
  aliases: Record<string, string>;
  keyOf: (input: Input) => string;
  run: (input: Input, ports: ToolPorts, signal: AbortSignal) => Promise<Outcome>;
  register: (
    input: Input,
    outcome: Outcome,
    sources: SourceList,
    boundary: () => string,
  ) => ToolResult;
}

/** Ties schema, effects and text of a tool together and hides their types, so that the table has one row type. */
export function defineTool<Input extends Record<string, unknown>, Outcome>(
  definition: ToolDefinition<Input, Outcome>,
): Tool {
  const { name, reads, describe, parameters, schema, aliases, keyOf, run, register } = definition;
  return {
    name,
    reads,
    describe,
    parameters,
    parse(args) {
      const fields = resolveAliases(args, aliases);
      const parsed = schema.safeParse(fields);
      if (!parsed.success) return { ok: false, issue: describeIssues(parsed.error.issues, fields) };
      const input = parsed.data;
      return {
        ok: true,
        call: {
          arguments: input,
          key: `${name} ${keyOf(input)}`,
          run: async (ports, signal) => {
            const outcome = await run(input, ports, signal);
            return (sources, boundary) => register(input, outcome, sources, boundary);
          },
        },
      };
    },
  };
}

/** `null` counts as absent: several models fill optional fields with it. */
function resolveAliases(
  args: Record<string, unknown>,
  aliases: Record<string, string>,
): Record<string, unknown> {
  const fields = Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== null && value !== undefined),
  );
  for (const [alias, field] of Object.entries(aliases)) {
    if (!Object.hasOwn(fields, field) && Object.hasOwn(fields, alias))
      fields[field] = fields[alias];
  }
  return fields;
}

function describeIssues(
  issues: readonly { path: PropertyKey[]; message: string }[],
  fields: Record<string, unknown>,
): string {
  return issues
    .map(({ path, message }) => {
      const field = String(path[0] ?? 'arguments');
      return `"${field}" ${Object.hasOwn(fields, field) ? message : 'is missing'}`;
    })
    .join('; ');
}
