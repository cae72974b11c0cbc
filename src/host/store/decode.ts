import * as z from 'zod/mini';

import {
  ConversationSchema,
  OwnerSchema,
  SourceSchema,
  SourceStatusSchema,
  TurnSchema,
  TurnStateSchema,
  UsageSchema,
} from '../../lib/schemas';
import type { Conversation, Source, ToolCallRecord, Turn, TurnState } from '../../lib/types';

/** Levels of nesting a stored value may have. JSON.stringify recurses, and a record that cannot be written again would be stuck. */
const MAX_DEPTH = 200;

/** Characters of a title inside a sentence about the conversation. */
const MAX_SPOKEN_TITLE = 60;

/** Fields this version does not know, kept so that a newer version's additions survive a rewrite by this one. */
export interface Extras {
  conversation: Record<string, unknown>;
  /** By turn id. Unknown fields inside tool calls and sources are not kept. */
  turns: ReadonlyMap<string, Record<string, unknown>>;
}

/** A record that could be read, wholly or in part. */
export interface DecodedRecord {
  conversation: Conversation;
  /** Sentences about what could not be read; empty for a whole record. */
  problems: string[];
  extras: Extras;
}

export type DecodeOutcome =
  | ({ ok: true } & DecodedRecord)
  | { ok: false; /** What is wrong, as in "it is not JSON". */ reason: string };

/** What could not be read, counted on the way and said once. */
interface Damage {
  turns: number;
  calls: number;
  sources: number;
  details: number;
}

const FieldsSchema = z.record(z.string(), z.unknown());
const RowsSchema = z.array(z.unknown());
const StatusRowSchema = z.object({ index: z.int(), status: SourceStatusSchema });

const ConversationKeys = new Set(Object.keys(ConversationSchema.shape));
const TurnKeys = new Set(Object.keys(TurnSchema.shape));

function isTooDeep(value: unknown): boolean {
  const open: [unknown, number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [current, depth] = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth > MAX_DEPTH) return true;
    for (const inner of Object.values(current)) open.push([inner, depth + 1]);
  }
  return false;
}

/** Objects only. zod copies own keys except `__proto__`, so nothing stored can change a prototype. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  const parsed = z.safeParse(FieldsSchema, value);
  return parsed.success ? parsed.data : undefined;
}

/** An optional field: absent and null mean the same; a value of another shape is left out and counted. */
function field<T>(schema: z.ZodMiniType<T>, value: unknown, damage: Damage): T | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  damage.details += 1;
  return undefined;
}

/** A list read row by row: a row that `read` refuses never hides its neighbours. Absent stays absent. */
function rows<T>(
  value: unknown,
  read: (row: unknown) => T | undefined,
  lost: keyof Damage,
  damage: Damage,
): T[] | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = z.safeParse(RowsSchema, value);
  if (!parsed.success) {
    damage[lost] += 1;
    return undefined;
  }
  return parsed.data.flatMap((row) => {
    const result = read(row);
    if (result === undefined) damage[lost] += 1;
    return result === undefined ? [] : [result];
  });
}

function readSource(value: unknown, damage: Damage): Source | undefined {
  const whole = z.safeParse(SourceSchema, value);
  if (whole.success) return whole.data;
  // A title that is none, or a status or kind this version does not know, must not cost the page its number.
  const { kind, status, title, ...rest } = fieldsOf(value) ?? {};
  const isTitled = typeof title === 'string';
  const bare = z.safeParse(SourceSchema, { ...rest, title: isTitled ? title : rest.url });
  if (!bare.success) return undefined;
  if (!isTitled) damage.details += 1;
  const { shape } = SourceSchema;
  return {
    ...bare.data,
    ...defined({
      kind: field(shape.kind, kind, damage),
      status: field(shape.status, status, damage),
    }),
  };
}

/** The object without the keys whose value is undefined, so that absent stays absent. */
function defined<T extends object>(value: T): Partial<T> {
  const result: Partial<T> = { ...value };
  for (const key in result) if (result[key] === undefined) Reflect.deleteProperty(result, key);
  return result;
}

function readCall(value: unknown, damage: Damage): ToolCallRecord | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const { name, result = '', isError = false } = fields;
  const callArguments = fieldsOf(fields.arguments ?? {});
  if (typeof name !== 'string' || typeof result !== 'string' || typeof isError !== 'boolean') {
    return undefined;
  }
  if (callArguments === undefined || isTooDeep(callArguments)) return undefined;
  const source = (row: unknown) => readSource(row, damage);
  const status = (row: unknown) => {
    const parsed = z.safeParse(StatusRowSchema, row);
    return parsed.success ? parsed.data : undefined;
  };
  return {
    name,
    arguments: callArguments,
    result,
    isError,
    ...defined({
      sources: rows(fields.sources, source, 'sources', damage),
      statuses: rows(fields.statuses, status, 'details', damage),
    }),
  };
}

/** The state of a turn stored before states existed, worked out from what there is. */
function oldState(response: string, error: string | undefined): TurnState {
  if (error !== undefined) return 'failed';
  return response === '' ? 'interrupted' : 'done';
}

function readTurn(
  value: unknown,
  position: number,
  createdAt: number,
  damage: Damage,
): { turn: Turn; extra: Record<string, unknown> } | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const { question } = fields;
  const response = fields.response ?? '';
  if (typeof question !== 'string' || typeof response !== 'string') return undefined;
  const required = <T>(schema: z.ZodMiniType<T>, given: unknown, fallback: T): T => {
    const parsed = z.safeParse(schema, given);
    if (!parsed.success) damage.details += 1;
    return parsed.success ? parsed.data : fallback;
  };
  const error = field(z.string(), fields.error, damage);
  const extra = Object.fromEntries(Object.entries(fields).filter(([key]) => !TurnKeys.has(key)));
  const turn: Turn = {
    id: required(z.string().check(z.minLength(1)), fields.id, `turn-${position + 1}`),
    question,
    response,
    toolCalls: rows(fields.toolCalls, (row) => readCall(row, damage), 'calls', damage) ?? [],
    state: field(TurnStateSchema, fields.state, damage) ?? oldState(response, error),
    startedAt: required(z.number(), fields.startedAt, createdAt),
    ...defined({
      reasoning: field(z.string(), fields.reasoning, damage),
      carried: rows(fields.carried, (row) => readSource(row, damage), 'sources', damage),
      error,
      notice: field(z.string(), fields.notice, damage),
      model: field(z.string(), fields.model, damage),
      endedAt: field(z.number(), fields.endedAt, damage),
      usage: field(UsageSchema, fields.usage, damage),
    }),
  };
  if (!isTooDeep(extra)) return { turn, extra };
  damage.details += 1;
  return { turn, extra: {} };
}

/** One line, short enough to stand inside a sentence. */
export function spokenTitle(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line);
  return points.length > MAX_SPOKEN_TITLE ? `${points.slice(0, MAX_SPOKEN_TITLE).join('')}…` : line;
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function sentences(damage: Damage, total: number, title: string): string[] {
  const lost = [
    ...(damage.turns > 0 ? [`${damage.turns} of ${count(total, 'exchange')}`] : []),
    ...(damage.calls > 0 ? [count(damage.calls, 'tool call')] : []),
    ...(damage.sources > 0 ? [count(damage.sources, 'source')] : []),
    ...(damage.details > 0 ? [count(damage.details, 'detail')] : []),
  ];
  if (lost.length === 0) return [];
  return [
    `${lost.join(', ')} in “${spokenTitle(title)}” could not be read; the original is kept (copied to set-aside before anything is saved).`,
  ];
}

/**
 * Reads one stored conversation row by row, whatever it holds; never throws.
 *
 * An exchange is unreadable when it is no object or its question or response is no text. Everything else
 * has a fallback, so that a wrong time or an unknown status costs only itself. A record of a later
 * version, or one whose list of exchanges is no list, is refused whole.
 *
 * @param value the parsed JSON
 * @param id the id of the file: it wins over what the record says, so a file copied by hand is a conversation of its own
 * @param fallbackTime milliseconds since the epoch, for a record without any time
 */
export function decodeConversation(
  value: unknown,
  id: string,
  fallbackTime: number,
): DecodeOutcome {
  const fields = fieldsOf(value);
  if (fields === undefined) return { ok: false, reason: 'it does not hold a conversation' };
  const version = fields.version ?? 1; // records from before versions had none
  if (typeof version === 'number' && version > 1) {
    return { ok: false, reason: 'it was written by a newer version of Lam: update Lam to open it' };
  }
  if (version !== 1) return { ok: false, reason: 'its format version is unknown' };
  const list = z.safeParse(RowsSchema, fields.turns);
  if (!list.success) return { ok: false, reason: 'its list of exchanges is missing' };

  const damage: Damage = { turns: 0, calls: 0, sources: 0, details: 0 };
  const createdAt = field(z.number(), fields.createdAt, damage);
  const turns: Turn[] = [];
  const taken = new Map<string, number>(); // how often an id was met
  const turnExtras = new Map<string, Record<string, unknown>>();
  for (const [position, row] of list.data.entries()) {
    const read = readTurn(row, position, createdAt ?? fallbackTime, damage);
    if (read === undefined) {
      damage.turns += 1;
      continue;
    }
    // Two exchanges under one id: both are shown, the later one under an id of its own.
    const { id: storedId } = read.turn;
    let turnId = storedId;
    let copy = taken.get(storedId) ?? 0;
    while (taken.has(turnId)) {
      copy += 1;
      turnId = `${storedId}-${copy + 1}`;
    }
    taken.set(storedId, copy);
    taken.set(turnId, 0);
    turns.push({ ...read.turn, id: turnId });
    if (Object.keys(read.extra).length > 0) turnExtras.set(turnId, read.extra);
  }
  // Folded, not spread: a call with a million arguments overflows the stack.
  const earliest = turns.reduce((least, turn) => Math.min(least, turn.startedAt), fallbackTime);
  const created = createdAt ?? earliest;
  const latest = turns.reduce((most, turn) => Math.max(most, turn.startedAt), created);
  const question = spokenTitle(turns[0]?.question ?? '');
  const owner = field(OwnerSchema, fields.owner, damage);
  const unknown = Object.entries(fields).filter(([key]) => !ConversationKeys.has(key));
  const extra = Object.fromEntries(unknown.filter(([, inner]) => !isTooDeep(inner)));
  damage.details += unknown.length - Object.keys(extra).length;
  const conversation: Conversation = {
    version: 1,
    id,
    title:
      field(z.string(), fields.title, damage) ??
      (question === '' ? 'Untitled conversation' : question),
    createdAt: created,
    updatedAt: field(z.number(), fields.updatedAt, damage) ?? latest,
    turns,
    ...(owner === undefined ? {} : { owner }),
  };
  return {
    ok: true,
    conversation,
    problems: sentences(damage, list.data.length, conversation.title),
    extras: { conversation: extra, turns: turnExtras },
  };
}

/**
 * The text of a record as it is stored: one line of JSON, with the fields this version does not know.
 *
 * @throws when a value cannot be JSON (a cycle, a BigInt)
 */
export function encodeConversation(conversation: Conversation, extras?: Extras): string {
  const record = {
    ...extras?.conversation,
    ...conversation,
    turns: conversation.turns.map((turn) => ({ ...extras?.turns.get(turn.id), ...turn })),
  };
  return `${JSON.stringify(record)}\n`;
}
