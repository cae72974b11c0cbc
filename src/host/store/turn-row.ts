import * as z from 'zod/mini';

import {
  AttachmentSchema,
  SourceSchema,
  SourceStatusSchema,
  TurnSchema,
  TurnStateSchema,
  UsageSchema,
} from '../../lib/schemas';
import type { Attachment, Source, ToolCallRecord, Turn, TurnState } from '../../lib/types';
import { defined, field, fieldsOf, isTooDeep, rows, type Damage } from './damage';
import { readEvidence, readQuotes, readShown } from './evidence-row';

/** Names of Lam's own copies of images. Anything else, above all a path, could name a file outside their folder. */
const COPY_NAME = /^\w[\w.-]{0,127}$/;

const StatusRowSchema = z.object({ index: z.int(), status: SourceStatusSchema });
const CopySchema = z.string().check(z.regex(COPY_NAME));

const TurnKeys = new Set(Object.keys(TurnSchema.shape));

function readSource(value: unknown, damage: Damage): Source | undefined {
  const whole = z.safeParse(SourceSchema, value);
  if (whole.success) return whole.data;
  // A title that is none, or a status or kind this version does not know, must not cost the page its number.
  const { kind, status, title, version, date, ...rest } = fieldsOf(value) ?? {};
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
      version: field(shape.version, version, damage),
      date: field(shape.date, date, damage),
    }),
  };
}

function readAttachment(value: unknown, damage: Damage): Attachment | undefined {
  const { shape } = AttachmentSchema;
  const { kind, name, path, size, mediaType, copy } = fieldsOf(value) ?? {};
  const needed = z.safeParse(z.pick(AttachmentSchema, { kind: true, name: true, path: true }), {
    kind,
    name,
    path,
  });
  if (!needed.success) return undefined;
  const bytes = z.safeParse(shape.size, size);
  if (!bytes.success) damage.details += 1;
  return {
    ...needed.data,
    size: bytes.success ? bytes.data : 0,
    ...defined({
      mediaType: field(shape.mediaType, mediaType, damage),
      copy: field(CopySchema, copy, damage),
    }),
  };
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
      shown: readShown(fields.shown, damage),
    }),
  };
}

/** The state of a turn stored before states existed, worked out from what there is. */
function oldState(response: string, error: string | undefined): TurnState {
  if (error !== undefined) return 'failed';
  return response === '' ? 'interrupted' : 'done';
}

/** What the numbers of a turn lead to: the first record of a number names the page. */
function addressesOf(carried: readonly Source[], calls: readonly ToolCallRecord[]) {
  const addresses = new Map<number, string>();
  for (const { index, url } of [...carried, ...calls.flatMap(({ sources = [] }) => sources)])
    if (!addresses.has(index)) addresses.set(index, url);
  return addresses;
}

/**
 * Reads one exchange. It is unreadable when it is no object or its question or response is no text; everything else has a
 * fallback. What it follows is left as it is stored.
 *
 * @param position of its row, from 0: the name of an exchange without an id
 * @param createdAt milliseconds since the epoch, for an exchange without a time
 */
export function readTurn(
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
  const source = (row: unknown) => readSource(row, damage);
  const toolCalls = rows(fields.toolCalls, (row) => readCall(row, damage), 'calls', damage) ?? [];
  const carried = rows(fields.carried, source, 'sources', damage);
  const addresses = addressesOf(carried ?? [], toolCalls);
  const turn: Turn = {
    id: required(z.string().check(z.minLength(1)), fields.id, `turn-${position + 1}`),
    question,
    response,
    toolCalls,
    state: field(TurnStateSchema, fields.state, damage) ?? oldState(response, error),
    startedAt: required(z.number(), fields.startedAt, createdAt),
    ...defined({
      reasoning: field(z.string(), fields.reasoning, damage),
      carried,
      parent: field(z.string(), fields.parent, damage),
      attachments: rows(
        fields.attachments,
        (row) => readAttachment(row, damage),
        'attachments',
        damage,
      ),
      web: field(z.boolean(), fields.web, damage),
      error,
      failureKind: field(z.string(), fields.failureKind, damage),
      notice: field(z.string(), fields.notice, damage),
      cut: field(z.boolean(), fields.cut, damage),
      evidence: readEvidence(fields.evidence, addresses, damage),
      quotes: readQuotes(fields.quotes, damage),
      model: field(z.string(), fields.model, damage),
      endedAt: field(z.number(), fields.endedAt, damage),
      usage: field(UsageSchema, fields.usage, damage),
    }),
  };
  if (!isTooDeep(extra)) return { turn, extra };
  damage.details += 1;
  return { turn, extra: {} };
}
