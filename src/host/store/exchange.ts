import type { Conversation } from '../../lib/types';
import { fieldsOf, rowsOf } from './damage';
import { decodeConversation, encodeConversation, type DecodedRecord, type Extras } from './decode';
import { foreign } from './foreign';
import { interruptRunning, withoutOwner } from './merge';
import { isConversationId } from './record-file';

/** The format that is written and read: an envelope around stored records, one record a line. */
const VERSION = 1;

/** The first line of what Lam exports. A file with it can be read line by line. */
const FIRST_LINE =
  /^\{"lam":"conversations","version":(\d{1,9}),"exportedAt":-?\d{1,20},"conversations":\[\r?\n/;

/** Characters that are parsed in one go; more would stall the window, and no record is longer (MAX_FILE_BYTES). */
const MAX_PARSED_CHARS = 64 * 1024 * 1024;

/** Levels of nesting in a file: those of a record, and the envelope. JSON.parse makes an object of each, however hostile. */
const MAX_NESTING = 250;

/** Conversations of one file. Ten times what the list is measured with. */
const MAX_ROWS = 100_000;

/** Sentences about one file; further ones are counted. */
const MAX_TOLD = 20;

const NEWER = 'The file was exported by a newer version of Lam. Update Lam, then import it again.';
const FOREIGN = 'The file holds no conversations of Lam. Choose a JSON file that Lam has exported.';

/** A stored record as a line of an export. A running turn stays one: the import ends it. */
function lineOf(conversation: Conversation, extras?: Extras): string {
  return encodeConversation(withoutOwner(conversation), extras).trimEnd();
}

/**
 * An export in pieces, for writing one after the other: not more than one conversation is held at a time.
 *
 * @param records what is exported, in that order
 * @param exportedAt milliseconds since the epoch
 */
export async function* exportChunks(
  records: AsyncIterable<DecodedRecord> | Iterable<DecodedRecord>,
  exportedAt: number,
): AsyncGenerator<string> {
  let separator = opening(exportedAt);
  for await (const { conversation, extras } of records) {
    yield `${separator}${lineOf(conversation, extras)}`;
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]}\n' : `${separator}]}\n`;
}

const opening = (exportedAt: number) =>
  `{"lam":"conversations","version":${VERSION},"exportedAt":${Math.trunc(exportedAt)},"conversations":[\n`;

/**
 * The conversations as one JSON text, to be imported again: `{"lam":"conversations","version":1,"exportedAt":…,
 * "conversations":[…]}` around records of the stored format (docs/storage.md). Copies of images are not in it.
 *
 * @param exportedAt milliseconds since the epoch
 */
export function exportJson(conversations: readonly Conversation[], exportedAt: number): string {
  const lines = conversations.map((conversation) => lineOf(conversation));
  return `${opening(exportedAt)}${lines.join(',\n')}${lines.length === 0 ? '' : '\n'}]}\n`;
}

/** One conversation of a file, not looked at yet, or a sentence about the file. */
type ReadRow = { value: unknown } | { problem: string };

/** Whether brackets stand in more than `MAX_NESTING` others; those in strings do not count. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_NESTING) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

/** The place of the quotation mark that ends the string which begins at `start`; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** The value of a JSON text; undefined when it is none, or one that is nested too deeply or is too long. */
function parsed(text: string): { value: unknown } | undefined {
  if (text.length > MAX_PARSED_CHARS || nestsTooDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The rows of a file that was parsed in one go: an envelope, a list of records, or one record. */
function* rowsOfValue(value: unknown): Generator<ReadRow> {
  const list = rowsOf(value);
  if (list !== undefined) {
    for (const row of list) yield { value: row };
    return;
  }
  const fields = fieldsOf(value) ?? {};
  if (fields.lam !== 'conversations') {
    yield fields.turns === undefined ? { problem: FOREIGN } : { value };
    return;
  }
  const { version } = fields;
  const conversations = rowsOf(fields.conversations);
  if (typeof version === 'number' && version > VERSION) yield { problem: NEWER };
  else if (version !== VERSION || conversations === undefined) yield { problem: FOREIGN };
  else for (const row of conversations) yield { value: row };
}

/** The rows of an export that is too long, or too damaged, to be parsed in one go. */
function* rowsOfLines(text: string, start: number): Generator<ReadRow> {
  let from = start;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end).trim();
    from = end < 0 ? text.length : end + 1;
    if (line === ']}') return;
    if (line === '') continue;
    yield (
      parsed(line.endsWith(',') ? line.slice(0, -1) : line) ?? {
        problem: 'One conversation could not be read: it is not JSON.',
      }
    );
  }
  yield { problem: 'The file ends early: what came after that is not in it.' };
}

function* readExport(file: string): Generator<ReadRow> {
  const text = file.startsWith('\ufeff') ? file.slice(1) : file;
  const whole = parsed(text);
  if (whole !== undefined) {
    yield* rowsOfValue(whole.value);
    return;
  }
  const first = FIRST_LINE.exec(text);
  if (first === null) yield { problem: FOREIGN };
  else if (Number(first[1]) > VERSION) yield { problem: NEWER };
  else yield* rowsOfLines(text, first[0].length);
}

/** What one row of a file gives: a record under the id it is to have, or a sentence about what is not imported. */
type ImportRow =
  | { record: DecodedRecord; /** The id it had; '' = none that can be used. */ storedId: string }
  | { problem: string };

interface ImportOptions {
  /** A new id each time; letters, digits, `-` and `_`. */
  makeId: () => string;
  /** Whether there is a conversation of this id, also among those imported before. */
  isTaken: (id: string) => boolean;
  /** Milliseconds since the epoch, for records without any time. */
  now: number;
}

/**
 * Reads what a person chose to import, row by row as it is asked for, whatever it holds; never throws. Answers that were running are interrupted,
 * nobody owns them, and an id that is taken is replaced.
 */
export function* importRows(text: string, options: ImportOptions): Generator<ImportRow> {
  const { makeId, isTaken, now } = options;
  let place = 0;
  for (const row of readExport(text)) {
    if ('problem' in row) {
      yield row;
      continue;
    }
    place += 1;
    if (place > MAX_ROWS) {
      yield { problem: `Only the first ${MAX_ROWS} conversations of the file were read.` };
      return;
    }
    const given = fieldsOf(row.value)?.id;
    const storedId = typeof given === 'string' && isConversationId(given) ? given : '';
    const id = storedId === '' || isTaken(storedId) ? makeId() : storedId;
    const outcome = decodeConversation(row.value, id, now, 'the rest was imported');
    const reason =
      outcome.ok && outcome.conversation.turns.length === 0
        ? 'it holds no exchange that can be read'
        : !outcome.ok && outcome.reason;
    if (reason !== false || !outcome.ok) {
      yield { problem: `Conversation ${place} of the file was not imported: ${String(reason)}.` };
      continue;
    }
    const { problems, extras } = outcome;
    const ended = interruptRunning(
      outcome.conversation,
      outcome.conversation.owner?.heartbeatAt ?? outcome.conversation.updatedAt,
    );
    const conversation = foreign(ended, now);
    yield { record: { conversation, problems, extras }, storedId };
  }
}

/** Sentences about one file, not more than a person can read. */
export function createProblemList(): { add(problem: string): void; list(): string[] } {
  const told: string[] = [];
  let more = 0;
  return {
    add(problem) {
      if (told.length < MAX_TOLD) told.push(problem);
      else more += 1;
    },
    list: () => (more === 0 ? told : [...told, `And ${more} more problems.`]),
  };
}
