import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import type { Turn } from '../../lib/types';
import type { DecodedRecord } from './decode';
import { foreign } from './foreign';
import { createProblemList, exportChunks, importRows } from './exchange';
import { errorCode } from './failure';
import { isConversationId, readRecordFile, type StorePaths } from './record-file';
import { trashedIds } from './trash';
import { unreadableSentence, type RecordWriter } from './writer';

/** Records written at once. Each waits for the disk to take it; eight keep it busy without filling memory. */
const AT_ONCE = 8;

/** What became of an import. */
interface ImportOutcome {
  /** Conversations that are there now and were not before. */
  imported: number;
  /** Conversations of the file that were there already, with the same exchanges. */
  skipped: number;
  /** Sentences about what could not be read or written. */
  problems: string[];
}

/** Conversations in and out of the store. */
export interface Transfer {
  /**
   * All conversations as one JSON text, in pieces that are read from disk as they are asked for.
   *
   * @param tell one sentence about each conversation that cannot be read, or only in part
   * @throws file system errors, if the conversations cannot be listed
   */
  exportAll(tell?: (problem: string) => void): AsyncGenerator<string>;
  /** Adds the conversations of an exported text; nothing that is there is written over. Never rejects. */
  importConversations(text: string): Promise<ImportOutcome>;
}

export function createTransfer(options: {
  paths: StorePaths;
  writer: Pick<RecordWriter, 'create'>;
  makeId: () => string;
  now: () => number;
  isClosed: () => boolean;
}): Transfer {
  const { paths, writer, makeId, now, isClosed } = options;

  function storedIds(): string[] {
    try {
      const names = readdirSync(paths.conversations).filter((name) => name.endsWith('.json'));
      return names.map((name) => name.slice(0, -'.json'.length)).filter(isConversationId);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async function* records(tell?: (problem: string) => void): AsyncGenerator<DecodedRecord> {
    for (const id of storedIds().sort()) {
      await nextTick();
      const disk = readRecordFile(paths.record(id), id);
      if (disk.kind === 'record') {
        for (const problem of disk.record.problems) tell?.(problem);
        yield disk.record;
      }
      if (disk.kind === 'unreadable') tell?.(unreadableSentence(id, disk.reason));
    }
  }

  /** Whether a conversation of this id is there with the same exchanges. */
  function isThereAlready({ conversation }: DecodedRecord, id: string): boolean {
    const disk = readRecordFile(paths.record(id), id);
    if (disk.kind !== 'record') return false;
    // As it would be imported itself.
    const there = foreign(disk.record.conversation, now());
    return isDeepStrictEqual(plain(there.turns), plain(conversation.turns));
  }

  /**
   * The record under an id made from what it holds, where its own is taken (by a conversation in the trash, for instance): the
   * same file imported once more is then the same conversation.
   */
  function underOwnId(record: DecodedRecord): DecodedRecord {
    const digest = createHash('sha256').update(JSON.stringify(record.conversation.turns));
    const id = `imported-${digest.digest('hex').slice(0, 24)}`;
    return { ...record, conversation: { ...record.conversation, id } };
  }

  async function importConversations(text: string): Promise<ImportOutcome> {
    const problems = createProblemList();
    const outcome = { imported: 0, skipped: 0 };
    const finished = () => ({ ...outcome, problems: problems.list() });

    async function write({ conversation, extras, problems: lost }: DecodedRecord): Promise<void> {
      const saved = await writer.create(conversation, extras, () =>
        isClosed() ? { kind: 'closed' } : undefined,
      );
      if (saved.kind === 'saved') {
        outcome.imported += 1;
        for (const problem of lost) problems.add(problem);
      } else if (saved.kind === 'failed') problems.add(saved.message);
    }

    try {
      const taken = new Set([...storedIds(), ...trashedIds(paths)]);
      const isTaken = (id: string) => taken.has(id);
      let writing: Promise<void>[] = [];
      for (const row of importRows(text, { makeId, isTaken, now: now() })) {
        if (isClosed()) {
          problems.add('Lam was closed before everything was imported. Import the file again.');
          break;
        }
        if ('problem' in row) problems.add(row.problem);
        else if (taken.has(row.storedId) && isThereAlready(row.record, row.storedId))
          outcome.skipped += 1;
        else {
          const record = taken.has(row.storedId) ? underOwnId(row.record) : row.record;
          const { id } = record.conversation;
          if (taken.has(id) && isThereAlready(record, id)) outcome.skipped += 1;
          else {
            taken.add(id);
            writing.push(write(record));
          }
        }
        if (writing.length < AT_ONCE) continue;
        await Promise.all(writing);
        writing = [];
      }
      await Promise.all(writing);
    } catch (error) {
      const code = errorCode(error);
      problems.add(`The conversations cannot be listed (${paths.conversations}): ${code}.`);
    }
    return finished();
  }

  return {
    exportAll: (tell) => exportChunks(records(tell), now()),
    importConversations,
  };
}

/** As they are stored: key order and keys set to undefined do not count. */
const plain = (turns: readonly Turn[]): unknown => JSON.parse(JSON.stringify(turns));
