import type {
  Attachment,
  Conversation,
  Evidence,
  Source,
  ToolCallRecord,
  Turn,
} from '../../lib/types';

/**
 * A conversation as it may be taken from a file that somebody else may have written. What a record says is shown; what it
 * could make Lam do is not taken over:
 *
 * - A path names no file any more. Asking again reads attached files that no record holds the text of, and sends them to the
 *   model: the person chose none of these.
 * - A source is no local file, which a click would open under any title. Its name stays, and so do the passages quoted from
 *   it; what they are compared with is not looked up on this machine.
 * - A question may be without the web, but not with it where the preferences say without.
 * - No time lies in the future: the newest conversation is the one that a launch opens.
 *
 * Pure. @param now milliseconds since the epoch
 */
export function foreign(conversation: Conversation, now: number): Conversation {
  const past = (time: number) => Math.min(time, now);
  return {
    ...conversation,
    createdAt: past(conversation.createdAt),
    updatedAt: past(conversation.updatedAt),
    turns: conversation.turns.map((turn) => foreignTurn(turn, past)),
  };
}

function foreignTurn(turn: Turn, past: (time: number) => number): Turn {
  const { attachments, carried, endedAt, evidence, web, ...rest } = turn;
  return {
    ...rest,
    toolCalls: turn.toolCalls.map(foreignCall),
    startedAt: past(turn.startedAt),
    ...(endedAt === undefined ? {} : { endedAt: past(endedAt) }),
    ...(web === false ? { web } : {}),
    ...(carried === undefined ? {} : { carried: carried.map(foreignSource) }),
    ...(evidence === undefined ? {} : { evidence: evidence.map(foreignEvidence) }),
    ...(attachments === undefined ? {} : { attachments: attachments.map(foreignAttachment) }),
  };
}

function foreignCall(call: ToolCallRecord): ToolCallRecord {
  return call.sources === undefined ? call : { ...call, sources: call.sources.map(foreignSource) };
}

function foreignSource(source: Source): Source {
  if (source.kind !== 'document') return source;
  const bare = { ...source, url: fileName(source.url) };
  delete bare.kind;
  delete bare.version;
  return bare;
}

function foreignEvidence(row: Evidence): Evidence {
  if (row.kind !== 'document') return row;
  const bare = { ...row, url: fileName(row.url), id: fileName(row.id) || 'document' };
  delete bare.kind;
  delete bare.version;
  return bare;
}

function foreignAttachment(attachment: Attachment): Attachment {
  return { ...attachment, path: fileName(attachment.path) };
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
