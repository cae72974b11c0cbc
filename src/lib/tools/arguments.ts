import { jsonrepair } from 'jsonrepair';

import { MAX_ARGUMENT_CHARS } from '../constants';

/** `raw` is what to store and send back when the arguments could not be read. */
export type ParsedArguments =
  | { ok: true; fields: Record<string, unknown> }
  | { ok: false; issue: string; raw: Record<string, unknown> };

/**
 * Reads the arguments of a tool call as they arrived: an object, JSON text of one, JSON text of such a text (seen from
 * several servers), or nothing at all (a model's way to say "no arguments").
 *
 * Broken JSON is repaired (quotes, commas, code fences) only if it is complete: arguments that were cut inside a string
 * would search for half a question or open another page, so they are refused.
 */
export function parseArguments(args: unknown): ParsedArguments {
  if (typeof args === 'string' && args.length > MAX_ARGUMENT_CHARS)
    return unreadable(args, `are longer than ${MAX_ARGUMENT_CHARS} characters`);
  const value = decode(args);
  if (isTooDeep(value))
    return {
      ok: false,
      issue: `The arguments are too deeply nested: at most ${MAX_ARGUMENT_DEPTH} levels.`,
      raw: { unreadable: '(arguments too deeply nested)' },
    };
  if (value === undefined || value === null || value === '') return { ok: true, fields: {} };
  if (value === BROKEN) return unreadable(args, 'are not valid JSON, or were cut off');
  if (!isFields(value)) return unreadable(args, 'are not a JSON object');
  return { ok: true, fields: value };
}

/** Levels of objects and lists in arguments. Two are honest; some thousands overflow the stack of whoever saves or shows them. */
const MAX_ARGUMENT_DEPTH = 20;

/** Level by level, without recursion. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter(
      (each): each is Record<string, unknown> => typeof each === 'object' && each !== null,
    );
    if (containers.length > 0 && depth >= MAX_ARGUMENT_DEPTH) return true;
    level = containers.flatMap((each) => Object.values(each));
  }
  return false;
}

const BROKEN = Symbol('arguments that are no JSON');

function decode(args: unknown): unknown {
  const once = typeof args === 'string' ? parseText(args) : args;
  return typeof once === 'string' ? parseText(once) : once;
}

function parseText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const exact = parseJson(trimmed);
  if (exact !== BROKEN) return exact;
  const closed = parseJson(`${trimmed}}`);
  if (closed !== BROKEN) return closed;
  if (!/^(?:```\w*\s*)?\{/.test(trimmed) || !/\}[\s;`]*$/.test(trimmed)) return BROKEN;
  try {
    return parseJson(jsonrepair(trimmed));
  } catch {
    return BROKEN;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return BROKEN;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(args: unknown, what: string): ParsedArguments {
  const raw = typeof args === 'string' ? args.slice(0, MAX_KEPT_RAW_CHARS) : args;
  return { ok: false, issue: `The arguments ${what}.`, raw: { unreadable: raw } };
}

/** Characters of unreadable arguments that are kept: enough to see what went wrong. */
const MAX_KEPT_RAW_CHARS = 500;
