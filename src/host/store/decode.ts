import { ConversationSchema } from '../../lib/schemas';
import type { Conversation, Turn } from '../../lib/types';
import {
  defined,
  field,
  fieldsOf,
  isTooDeep,
  lossSentences,
  noDamage,
  rowsOf,
  spokenTitle,
  type Damage,
} from './damage';
import { createLineage, type LineageRow } from './lineage';
import { readTurn } from './turn-row';

/** What becomes of what could not be read in a stored file. */
const SET_ASIDE = 'the original is kept (copied to set-aside before anything is saved)';

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

/** The format that is written. Version 1 had no variants, titles by a model, pins or attachments, and is read as it is. */
const VERSION = 2;

const ConversationKeys = new Set(Object.keys(ConversationSchema.shape));

/** The exchanges of a record as they can be read. */
interface Exchanges {
  turns: Turn[];
  extras: Map<string, Record<string, unknown>>;
  /** Id of what is shown last; undefined = the last of the list. */
  head: string | undefined;
}

function readTurns(
  list: readonly unknown[],
  createdAt: number,
  storedHead: string | undefined,
  damage: Damage,
): Exchanges {
  const rows: LineageRow[] = [];
  const read: { position: number; turn: Turn }[] = [];
  const taken = new Map<string, number>(); // how often an id was met
  const extras: Exchanges['extras'] = new Map();
  for (const [position, row] of list.entries()) {
    const fields = fieldsOf(row) ?? {};
    const storedId = typeof fields.id === 'string' && fields.id !== '' ? fields.id : undefined;
    const found = readTurn(row, position, createdAt, damage);
    if (found === undefined) {
      damage.turns += 1;
      rows.push({ storedId, ...(typeof fields.parent === 'string' && { parent: fields.parent }) });
      continue;
    }
    // Two exchanges under one id: both are shown, the later one under an id of its own.
    const { id: wanted, parent } = found.turn;
    let id = wanted;
    let copy = taken.get(wanted) ?? 0;
    while (taken.has(id)) {
      copy += 1;
      id = `${wanted}-${copy + 1}`;
    }
    taken.set(wanted, copy);
    taken.set(id, 0);
    rows.push({ storedId, id, parent });
    read.push({ position, turn: { ...found.turn, id } });
    if (Object.keys(found.extra).length > 0) extras.set(id, found.extra);
  }
  const lineage = createLineage(rows);
  let before = '';
  const turns = read.map(({ position, turn }) => {
    const parent = lineage.follows(position);
    // In a list without gaps and variants no exchange says what it follows.
    const isSilent = turn.parent === undefined && parent === before;
    before = turn.id;
    return isSilent ? turn : { ...turn, parent };
  });
  if (storedHead !== undefined) return { turns, extras, head: lineage.standIn(storedHead) };
  // The last of the list was shown: if it was lost, that is what it followed.
  const isLastLost = rows.length > 0 && rows.at(-1)?.id === undefined;
  const shown = isLastLost ? lineage.follows(rows.length - 1) : before;
  return { turns, extras, head: shown === before ? undefined : shown };
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
 * @param ending of the sentence about what could not be read: what became of it
 */
export function decodeConversation(
  value: unknown,
  id: string,
  fallbackTime: number,
  ending = SET_ASIDE,
): DecodeOutcome {
  const fields = fieldsOf(value);
  if (fields === undefined) return { ok: false, reason: 'it does not hold a conversation' };
  const version = fields.version ?? 1; // records from before versions had none
  if (typeof version === 'number' && version > VERSION) {
    return { ok: false, reason: 'it was written by a newer version of Lam: update Lam to open it' };
  }
  if (version !== 1 && version !== VERSION) {
    return { ok: false, reason: 'its format version is unknown' };
  }
  const list = rowsOf(fields.turns);
  if (list === undefined) return { ok: false, reason: 'its list of exchanges is missing' };

  const damage = noDamage();
  const { shape } = ConversationSchema;
  const createdAt = field(shape.createdAt, fields.createdAt, damage);
  const storedHead = field(shape.head, fields.head, damage);
  const { turns, extras, head } = readTurns(list, createdAt ?? fallbackTime, storedHead, damage);
  // Folded, not spread: a call with a million arguments overflows the stack.
  const earliest = turns.reduce((least, turn) => Math.min(least, turn.startedAt), fallbackTime);
  const created = createdAt ?? earliest;
  const latest = turns.reduce((most, turn) => Math.max(most, turn.startedAt), created);
  const question = spokenTitle(turns[0]?.question ?? '');
  const unknown = Object.entries(fields).filter(([key]) => !ConversationKeys.has(key));
  const extra = Object.fromEntries(unknown.filter(([, inner]) => !isTooDeep(inner)));
  damage.details += unknown.length - Object.keys(extra).length;
  const conversation: Conversation = {
    version: VERSION,
    id,
    title:
      field(shape.title, fields.title, damage) ??
      (question === '' ? 'Untitled conversation' : question),
    createdAt: created,
    updatedAt: field(shape.updatedAt, fields.updatedAt, damage) ?? latest,
    turns,
    ...defined({
      titledBy: field(shape.titledBy, fields.titledBy, damage),
      pinned: field(shape.pinned, fields.pinned, damage),
      head,
      owner: field(shape.owner, fields.owner, damage),
    }),
  };
  return {
    ok: true,
    conversation,
    problems: lossSentences(damage, list.length, conversation.title, ending),
    extras: { conversation: extra, turns: extras },
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
